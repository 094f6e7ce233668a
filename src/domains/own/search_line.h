/* A search as one line of JSON (docs/your-own.md), to a trace and back:
 *
 *   {"problem": WORDS, "steps": [STEP, ...], "solved": true, ...}
 *   STEP: {"state": WORDS, "action": WORDS, "viable": true}, or where that does
 *         not say all of it {"words": WORDS, "targets": [places], ...}
 *
 * WORDS are words divided by blanks, or a list of texts. A step becomes a
 * block: the words of its state, then those of its action, which are the
 * targets. */
#ifndef SW_DOMAINS_OWN_SEARCH_LINE_H
#define SW_DOMAINS_OWN_SEARCH_LINE_H
#include "base/json.h"
#include "trace/trace.h"
#include "trace/words.h"

/* Members beside the steps: X(name, help). `export` writes those that a reader
 * would not find by itself. */
#define SW_SEARCH_MEMBERS(X)                                  \
  X(problem, "words of the problem")                          \
  X(steps, "list of steps")                                   \
  X(targets, "places of the problem to be learned; few have") \
  X(solved, "true: the search ended with a solution")         \
  X(group, "searches of a group stay on one side of a split") \
  X(part, "train, valid or test")                             \
  X(n, "size of the problem; default: its words")             \
  X(terminal, "running, solved, unsatisfiable, cut or limit") \
  X(decisions, "default: steps that do not go back")          \
  X(conflicts, "default: steps that go back")
#define SW_STEP_MEMBERS(X)                                    \
  X(state, "words of the state, with all that was tried")     \
  X(action, "words of the action")                            \
  X(viable, "can the state still be completed? (if known)")   \
  X(words, "instead of state and action: all words")          \
  X(targets, "with words: the places (from 0) to be learned") \
  X(query, "with words and viable: how many show the state")

typedef struct sw_search_reader {
  sw_words *words;        /* grows by what is read, unless */
  const char *vocabulary; /* it is that of this file; NULL: it grows */
  const char *back;       /* the word for going back */
} sw_search_reader;

typedef struct sw_search_line {
  sw_trace trace;   /* of all of them; every block is judged, if as unknown */
  int verdicts;     /* steps that say `viable` */
  int part;         /* sw_part_of_set, -1: not said */
  uint64_t problem; /* hashes */
  uint64_t group;   /* 0: not said */
} sw_search_line;

void sw_search_line_init(sw_search_line *line);
void sw_search_line_free(sw_search_line *line);
/* Errors name the step and the word; the caller adds file and line. */
int sw_search_line_read(const sw_search_reader *reader, const char *text,
                        size_t bytes, sw_search_line *line, sw_err *err);

/* The way back: one line. `part` and `group` -1: none. SW_DATA: the trace has
 * something that the form cannot say. */
int sw_search_line_write(const sw_words *words, const sw_trace *trace, int part,
                         int32_t group, sw_json *json, sw_err *err);

#endif
