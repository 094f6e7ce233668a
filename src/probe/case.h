/* One real search, step by step, and one state of it met again after another
 * history: what each model would do there. The subject is the first model that
 * can see its history (a causal one); the reference is the first one that
 * cannot (SSA); leaky ones come last, because their training differs from what
 * they meet here. Chosen among collected states by a fixed rule: the subject's
 * choice differs between two histories, if possible between going on and going
 * back, with both choices as sure and both histories as short as can be. */
#ifndef SW_PROBE_CASE_H
#define SW_PROBE_CASE_H
#include "base/json.h"
#include "base/threads.h"
#include "search/loaded.h"

enum { SW_CASE_TOP = 4, SW_CASE_STEPS = 12, SW_CASE_MOVES = 64 };

/* One model's answer at one state. */
typedef struct sw_answer {
  int asked; /* 0: the input did not fit the model */
  int top;   /* entries of `best`, most probable first */
  struct {
    char text[40];
    int kind;
    double p;
  } best[SW_CASE_TOP];
  char action[96]; /* the whole action, each token the most probable */
} sw_answer;

typedef struct sw_case_step {
  int64_t number; /* of the block in the search */
  int32_t depth;
  int conflict;
  char *state;   /* the state's tokens as text, malloc'd */
  char done[96]; /* what the search did */
  sw_answer reference, subject, rebuilt; /* rebuilt: subject without history */
} sw_case_step;

typedef struct sw_case_history {
  int64_t point, blocks, tokens;
  char move[SW_CASE_MOVES][40]; /* what was done, in order */
  int moves;
  int64_t left_out; /* moves in the middle that are not listed */
  sw_answer reference, subject;
} sw_case_history;

typedef struct sw_case {
  int subject, reference;  /* models; -1: there is none */
  int64_t states, changed; /* states asked, and where the choice changed */
  int found;
  int conflict;
  int32_t depth;
  char *problem, *state, *words; /* malloc'd; words may be NULL */
  sw_case_history history[2];
  int reference_identical; /* all logits of the reference, bit for bit */
  sw_case_step step[SW_CASE_STEPS]; /* the end of history 0's search */
  int steps;
} sw_case;

typedef struct sw_case_options {
  int64_t states, instances; /* asked; most searched for them */
  uint64_t seed;
} sw_case_options;

/* `model` has `models` entries; *c stores indices into it. */
int sw_case_find(sw_case *c, const sw_loaded *model, int models,
                 const sw_case_options *options, sw_team *team, sw_err *err);
void sw_case_free(sw_case *c);
/* Members of the open object (docs/formats.md, case.json). */
void sw_case_json(const sw_case *c, sw_json *json);

#endif
