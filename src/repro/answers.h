/* Answers: what is kept of experiments (docs/answers.md). An answer is what
 * came back when a subject was asked a question: figures, each with its value
 * for single instances where there are any, and the run that asked. A subject
 * is a trained model (of a recipe, a seed, these weights), a shipped one, or a
 * rule with its task. A question is canonical text (search/question.h). Tables
 * copy nothing: a value in a table is a subject, a question and a figure
 * (answers_fill.c), so that what one table asked stands in every table that
 * asks the same.
 *
 * A line of JSON is an answer, a subject, a table, a run or a bare statistic.
 * In a directory they are sorted and in files of their own, so that a diff
 * shows what changed: answers/SUBJECT.jsonl  a line an answer subjects.jsonl
 * subjects, and which table takes them (`pins`) origins.jsonl          runs and
 * in one file (a shard) they stand together. Files are hostile. Writers hold
 * the directory's lock; a file is replaced whole, runs first and pins last, so
 * that a kill leaves answers that no table takes yet, and nothing less.
 *
 * A table takes the subject of a row and seed that is pinned to it as
 * "TABLE/ROW"; where none is, one of the same recipe and seed that has an
 * answer to every question of the row, so that figures of one model never come
 * from two trainings. A subject is stale when its recipe has changed since: it
 * is still shown where it is pinned, named in a note, and not counted. */
#ifndef SW_REPRO_ANSWERS_H
#define SW_REPRO_ANSWERS_H
#include <stdio.h>
#include "base/arena.h"
#include "base/json.h"
#include "repro/runner.h"

/* X(member): texts of a subject, NULL where they say nothing. `over` is what
 * was set over the recipe. */
#define SW_SUBJECT_TEXTS(X) \
  X(model)                  \
  X(at)                     \
  X(shipped)                \
  X(rule)                   \
  X(task)                   \
  X(scale)                  \
  X(weights)                \
  X(data) X(ended) X(preset) X(preset_hash) X(gen) X(train) X(recipe) X(over)

/* Texts live as long as the set. `each` is as in the file (sw_each_text). */
typedef struct sw_answer_figure {
  const char *name;
  double value, low, high; /* NaN: none */
  int64_t instances;
  const char *each; /* of single instances; NULL: a bare value */
  const char *by;   /* id of the run */
} sw_answer_figure;

typedef struct sw_kept_answer {
  const char *question;
  sw_answer_figure *figure; /* by name */
  int32_t figures, room;
} sw_kept_answer;

typedef struct sw_subject {
  const char *name; /* of its file */
  int64_t seed;
#define X(text) const char *text;
  SW_SUBJECT_TEXTS(X)
#undef X
  const char **pin; /* "TABLE/ROW" */
  int32_t pins, pin_room;
  sw_kept_answer *answer;
  int32_t answers, answer_room;
  int changed; /* since it was read */
} sw_subject;

/* A table whose numbers were made with other sizes or at another scale than its
 * own; any other has no line. */
typedef struct sw_answer_table {
  const char *id, *scale, *over;
} sw_answer_table;

/* A statistic over instances whose values were not kept: its interval cannot be
 * computed again. Only results from before values of instances were kept have
 * these. */
typedef struct sw_answer_statistic {
  const char *table, *title;
  double value, low, high, p;
  int pairs;
} sw_answer_statistic;

typedef struct sw_answer_run {
  char id[12]; /* hash of all but the seconds */
  sw_repro_origin origin;
} sw_answer_run;

typedef struct sw_answers {
  sw_arena text;
  sw_subject *subject;
  int32_t subjects, subject_room;
  sw_answer_table *table;
  int32_t tables, table_room;
  sw_answer_statistic *statistic;
  int32_t statistics, statistic_room;
  sw_answer_run *run;
  int32_t runs, run_room;
} sw_answers;

void sw_answers_begin(sw_answers *answers);
void sw_answers_free(sw_answers *answers);
/* A directory as above (one that is not there, or "", has nothing), or one
 * file; SW_DATA names file and line. */
int sw_answers_read(sw_answers *answers, const char *directory, sw_err *err);
int sw_answers_read_file(sw_answers *answers, const char *path, sw_err *err);
/* Lines of text, `name` for errors; what is there already is enlarged. */
int sw_answers_parse(sw_answers *answers, const char *name, const char *text,
                     size_t bytes, sw_err *err);
/* All files that changed; and all in one file. */
int sw_answers_write(const sw_answers *answers, const char *directory,
                     sw_err *err);
int sw_answers_write_file(const sw_answers *answers, const char *path,
                          sw_err *err);
int sw_answers_print(const sw_answers *answers, FILE *out, sw_err *err);

/* ---- the set of answers (answers.c) ---- */
const sw_subject *sw_answers_subject(const sw_answers *answers,
                                     const char *name);
/* Finds the subject or adds a new one; NULL: out of memory. */
sw_subject *sw_answers_add_subject(sw_answers *answers, const char *name);
sw_kept_answer *sw_subject_add_answer(sw_subject *subject,
                                      const char *question);
/* A figure of an answer: it takes the place of another of its name unless that
 * says the same and more, or was made later. Texts are copied; 0: out of
 * memory. */
int sw_answers_put(sw_answers *answers, sw_subject *subject,
                   const char *question, const sw_answer_figure *figure);
const sw_answer_figure *sw_subject_figure(const sw_subject *subject,
                                          const char *question,
                                          const char *figure);
/* Its validation loss, a figure of its run card; NaN: not kept. */
double sw_subject_loss(const sw_subject *subject);
int sw_subject_is_pinned(const sw_subject *subject, const char *pin);
int sw_answers_pin(sw_answers *answers, sw_subject *subject, const char *pin);
void sw_subject_unpin(sw_subject *subject, const char *pin);
const sw_answer_run *sw_answers_run(const sw_answers *answers, const char *id);
/* The id of a run, added when new; NULL: out of memory. */
const char *sw_answers_add_run(sw_answers *answers,
                               const sw_repro_origin *origin);
/* Of a table (NULL: its own sizes and scale). */
const sw_answer_table *sw_answers_table(const sw_answers *answers,
                                        const char *id);
int sw_answers_set_table(sw_answers *answers, const char *id, const char *scale,
                         const char *over);

/* Texts are copied; 0: out of memory. */
int sw_answers_add_statistic(sw_answers *answers,
                             const sw_answer_statistic *statistic);

/* Values of single instances as text: a digit each where all are 0 or 1, else
 * numbers, each with a blank behind it. malloc'd; NULL: out of memory. */
char *sw_each_text(const double *each, int64_t count);
/* And back; *each is NULL where the text is not that. */
int sw_each_read(const char *text, int64_t count, double **each, sw_err *err);

/* ---- subjects and questions (answer_subject.c) ---- */
/* A table that asks: its scale, and what is set over its sizes. */
typedef struct sw_asker {
  const sw_answers *answers;
  const sw_experiment *e;
  sw_scale scale;
  char made[900], asked[900]; /* of models, of questions */
} sw_asker;
/* `over` as in sw_repro_origin. */
void sw_asker_begin(sw_asker *asker, const sw_answers *answers,
                    const sw_experiment *e, sw_scale scale, const char *over);
/* The same, read from the kept subject. */
void sw_asker_as_kept(sw_asker *asker, const sw_answers *answers,
                      const sw_experiment *e);
/* "TABLE/ROW": a table that only draws what another keeps has its pins. */
void sw_asker_pin(const sw_asker *asker, const sw_repro_row *row, char *pin,
                  size_t room);
/* The subject of a row and seed, or NULL; *pinned: to this row. */
int sw_asker_subject(const sw_asker *asker, const sw_repro_row *row,
                     int64_t seed, const sw_subject **subject, int *pinned,
                     sw_err *err);
/* A model that judges in the row's search, by its place there. */
const sw_trained *sw_row_judge(const sw_repro_row *row, int index);
const sw_subject *sw_asker_judge(const sw_asker *asker, const sw_repro_row *row,
                                 const sw_trained *judge, int64_t seed);
/* The subject of a rule with the row's task: a name and the task's text, which
 * is malloc'd. */
int sw_asker_rule(const sw_asker *asker, const sw_repro_row *row,
                  const char *rule, char *name, size_t room, char **task,
                  sw_err *err);
/* What a row and column ask for a seed; `more` (or NULL) are settings over the
 * row's. malloc'd. */
int sw_asker_question(const sw_asker *asker, const sw_repro_row *row,
                      const sw_repro_column *column, int64_t seed,
                      const char *more, char **text, sw_err *err);
/* The question as a version of counting asked it; 0: it has no counters, or
 * that is the version it says. */
int sw_question_counted(char *text, int64_t counting);
/* Has the subject's recipe changed since it was kept? The name of the member
 * that changed, or NULL. */
const char *sw_subject_stale(const sw_subject *subject);

/* ---- tables and answers ---- */
/* answers_take.c: every value of a run. SW_USAGE: what is kept of this table
 * was made with other sizes. */
int sw_answers_take(sw_answers *answers, const sw_repro_result *result,
                    sw_err *err);
/* answers_fill.c: the whole table as it is kept, summed up. The result is
 * freed by sw_repro_free whatever is returned. */
int sw_answers_fill(const sw_answers *answers, const sw_experiment *e,
                    sw_repro_result *result, sw_err *err);
/* Is there an answer to every question of a row for a seed, not stale? */
int sw_asker_has(const sw_asker *asker, const sw_repro_row *row, int64_t seed,
                 int *has, sw_err *err);

#endif
