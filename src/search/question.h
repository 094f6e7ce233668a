/* Questions: the only place that says whether two of them are the same. A
 * question is canonical text, made from the option tables that read its
 * settings: every setting that changes the answer, each name once, sorted,
 * values as their table prints them, synonyms resolved (`loop=masked` is
 * `verifier=exact`). Two questions are the same when their texts are.
 *
 * Each option has a frozen neutral value: what a program did that did not have
 * the option yet. It is the default, unless a row of `special` (question.c)
 * says otherwise: change a default and add the old one there. An option at its
 * neutral value is left out, so that a new option changes no old question.
 * Options that change no answer (threads, progress) are never in a text.
 *
 * Parts have labels and values are quoted, so no value of one part can be taken
 * for another's. Cells of experiments make theirs in repro/cell_question.h, the
 * result store in condition.h. */
#ifndef SW_SEARCH_QUESTION_H
#define SW_SEARCH_QUESTION_H
#include <stdio.h>
#include "base/options.h"

/* Who reads settings. */
typedef enum sw_question_kind {
  SW_ASKS_SEARCH,  /* sw_condition_table */
  SW_ASKS_MEASURE, /* a measure's table */
  SW_ASKS_TASK,    /* a domain's options, over those of the model */
  SW_ASKS_TRAINING /* sw_train_table, over a preset */
} sw_question_kind;

typedef struct sw_question_table {
  sw_question_kind kind;
  const sw_option *row;
  int count;
} sw_question_table;

/* A text being written; `out` fails at most for want of memory. */
typedef struct sw_question_text {
  FILE *out;
  char *text;
  size_t bytes;
} sw_question_text;

int sw_question_begin(sw_question_text *q, sw_err *err);
/* "label(value) ": nothing where value is NULL. */
void sw_question_word(sw_question_text *q, const char *label,
                      const char *value);
/* "label(name=value ...) " of pairs name, value, ..., NULL; of a name that
 * comes twice the last counts. What the tables do not know stays as it is.
 * Settings of SW_ASKS_TASK and SW_ASKS_TRAINING lie over those of a model or a
 * preset, so that one of them says something at its neutral value too. */
int sw_question_settings(sw_question_text *q, const char *label,
                         const sw_question_table *table, int tables,
                         const char *const *pair, sw_err *err);
/* The text, malloc'd; *text is NULL on error. */
int sw_question_end(sw_question_text *q, char **text, sw_err *err);

/* What a setting says in the words of another option: "exact" of loop=masked;
 * and the other way, "masked" of verifier=exact. NULL: nothing. */
const char *sw_question_meaning(sw_question_kind kind, const char *option,
                                const char *value);
const char *sw_question_short(sw_question_kind kind, const char *option,
                              const char *value);

/* 1: no value of this option changes an answer. */
int sw_question_silent(sw_question_kind kind, const char *option);
/* The neutral value: what a program without the option did. */
const char *sw_question_neutral(sw_question_kind kind, const sw_option *option);

#endif
