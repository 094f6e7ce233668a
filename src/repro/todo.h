/* What is still to be made: the rows and seeds that results/ lacks, model by
 * model, those that most tables wait for first. Weights are not kept, so a
 * model is trained again only if something is missing that needs it, and then
 * asked only that. */
#ifndef SW_REPRO_TODO_H
#define SW_REPRO_TODO_H
#include "base/options.h"
#include "repro/answers.h"

/* Rows of one experiment that one model answers. */
typedef struct sw_todo_task {
  const sw_experiment *experiment;
  const sw_trained *model; /* NULL: rows that need no model of their own */
  int64_t seed;            /* of the model; -1: all seeds of the list */
  int seeds;
  sw_list rows; /* their ids; more of them are another task */
  int place;    /* of the seed in the list */
  int waiting;  /* tables of the paper that wait for this model and seed */
  int first;    /* 1: the first task of its model: it is trained here */
} sw_todo_task;

typedef struct sw_todo {
  sw_todo_task *task;
  int32_t tasks, room;
} sw_todo;

/* Is the experiment a table or figure of the paper? */
int sw_experiment_published(const sw_experiment *e);
/* Hours on two cores for all models of the list, each trained once; only those
 * that tables and figures of the paper need, or all. */
double sw_todo_hours_of_all(sw_scale scale, int published);

/* What is asked for: `only` (none: all) are the experiments, `rows` (none: all)
 * the ids of their rows, `seeds` the models per row (0: each experiment's
 * number), `over` what is set over sizes (sw_repro_origin). */
typedef struct sw_todo_wanted {
  const sw_experiment *const *only;
  int count;
  const sw_list *rows;
  sw_scale scale;
  int seeds;
  const char *over;
} sw_todo_wanted;
/* What another table asked of the same model counts as kept. SW_USAGE for a row
 * that none of the experiments has. */
int sw_todo_make(sw_todo *plan, const sw_answers *answers,
                 const sw_todo_wanted *wanted, sw_err *err);
/* Hours of the models that the plan trains. */
double sw_todo_hours(const sw_todo *plan, sw_scale scale);
void sw_todo_free(sw_todo *plan);

#endif
