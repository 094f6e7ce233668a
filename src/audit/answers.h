/* Answers: how an endpoint is asked so that its answer can be read, and reading
 * it. The manner is found by forcing an implausible word (manner.c), since some
 * servers ignore a field they do not know; what cannot be forced is read from
 * prose. Log-probabilities of the labels are read at the token that says the
 * label, behind any thinking, and are dropped where they are none. */
#ifndef SW_AUDIT_ANSWERS_H
#define SW_AUDIT_ANSWERS_H
#include "audit/cases.h"
#include "base/hooks.h"
#include "remote/client.h"

/* Ways to constrain an answer, in the order in which they are tried. */
#define SW_FORMS(X)                                             \
  X(SCHEMA, "schema", "response_format with a JSON schema")     \
  X(GRAMMAR, "grammar", "grammar, as llama.cpp reads it")       \
  X(STRUCTURED, "structured", "structured_outputs, as in vLLM") \
  X(TOOL, "tool", "a tool that must be called")                 \
  X(PLAIN, "plain", "prose, not constrained")
typedef enum {
#define X(id, name, text) SW_FORM_##id,
  SW_FORMS(X)
#undef X
      SW_FORM_COUNT
} sw_form;
extern const char *const sw_form_names[], *const sw_form_texts[];

typedef struct sw_manner {
  sw_form form;
  int top;        /* log-probabilities to ask for; 0: none are given */
  int max_tokens; /* of an answer */
  double temperature;
  int no_tools;  /* 1: tool definitions are refused, so they are left out */
  int own_words; /* 1: it accepts only prompts in the words of a search */
} sw_manner;

typedef struct sw_said {
  int asked, choice;   /* choice: an index of the case's, or -1: unreadable */
  int graded, floored; /* p is filled; a label was not among the likeliest */
  int overflow;        /* the question did not fit the model's context */
  double p[SW_CASE_CHOICES]; /* over the choices, sums to 1 */
  double log_p[SW_CASE_CHOICES];
  double mass; /* of all labels together, before that */
  int64_t prompt_tokens, cached_tokens, answer_tokens;
} sw_said;

/* The request, malloc'd JSON; NULL: out of memory. `messages` is not consumed.
 */
char *sw_manner_body(const sw_manner *manner, const char *model,
                     json_t *messages, const sw_audit_cases *cases,
                     const sw_audit_case *c, int order);
/* SW_DATA: not a valid reply; ask again. */
int sw_said_read(const char *reply, size_t bytes, const sw_manner *manner,
                 const sw_audit_cases *cases, const sw_audit_case *c, int order,
                 sw_said *said, sw_err *err);
/* The choice that a text names, in the order shown from 0; -1: none. `label`:
 * the labels; `choice`: what they stand for. */
int sw_said_choice(const char *text, const char *const *label,
                   const char *const *choice, int count);

/* Finds form and top of what `manner` leaves open (form SW_FORM_COUNT, top -1)
 * with a few small requests; they are kept like all answers. `tools`: those of
 * the first question that has any, or NULL; fills no_tools. */
int sw_manner_find(sw_manner *manner, sw_client *client, json_t *tools,
                   sw_err *err);

#endif
