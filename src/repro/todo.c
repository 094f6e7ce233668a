/* What is still to be made (see todo.h). */
#include "repro/todo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "repro/job.h"

int sw_experiment_published(const sw_experiment *e) {
  return strncmp(e->place, "none: ", 6) != 0 &&
         strcmp(e->section, "experiments of our own") != 0;
}

/* The models of the matrix that a row needs: its own, then those that judge in
 * its search ("#ID"). NULL at the end. */
static const sw_trained *model_of(const sw_repro_row *row, int index) {
  if (sw_row_needs(row)) return NULL;
  if (row->model && index-- == 0) return sw_trained_find(row->model);
  return sw_row_judge(row, index);
}

/* The most models of this kind that a row of the experiment has. */
static int needed(const sw_experiment *e, const sw_trained *t, sw_scale scale) {
  const sw_trained *of;
  int most = 0;
  for (int r = 0; e->row[r].id; r++)
    for (int i = 0; (of = model_of(&e->row[r], i)); i++) {
      int seeds = sw_row_seeds(e, &e->row[r], scale, 0);
      if (of == t && seeds > most) most = seeds;
    }
  return most;
}

double sw_todo_hours_of_all(sw_scale scale, int published) {
  double hours = 0;
  for (const sw_trained *t = sw_matrix(); t->id; t++) {
    int most = 0;
    for (int i = 0; sw_experiments()[i]; i++) {
      const sw_experiment *e = sw_experiments()[i];
      int seeds =
          !published || sw_experiment_published(e) ? needed(e, t, scale) : 0;
      if (seeds > most) most = seeds;
    }
    hours += most * t->hours[scale];
  }
  return hours;
}

/* ---- tasks ---- */

static sw_todo_task *task_for(sw_todo *p, const sw_experiment *e,
                              const sw_trained *model, int64_t seed,
                              sw_err *err) {
  for (int i = 0; i < p->tasks; i++) {
    sw_todo_task *t = &p->task[i];
    if (t->experiment == e && t->model == model && t->seed == seed &&
        t->rows.count < SW_LIST_MAX)
      return t;
  }
  if (!sw_grow(&p->task, &p->room, p->tasks + 1, sizeof *p->task)) {
    sw_no_memory(err);
    return NULL;
  }
  sw_todo_task *t = &p->task[p->tasks++];
  memset(t, 0, sizeof *t);
  t->experiment = e;
  t->model = model;
  t->seed = seed;
  return t;
}

typedef struct wanted {
  sw_asker asker;
  int seeds, asked;
  const sw_list *rows;
} wanted;

static int add_trained(sw_todo *p, const wanted *w, const sw_repro_row *row,
                       sw_err *err) {
  int seeds = sw_row_seeds(w->asker.e, row, w->asker.scale, w->asked);
  for (int s = 0; s < seeds; s++) {
    int64_t seed = sw_repro_seed(s);
    int has;
    SW_TRY(sw_asker_has(&w->asker, row, seed, &has, err));
    if (has) continue;
    sw_todo_task *t =
        task_for(p, w->asker.e, sw_trained_find(row->model), seed, err);
    if (!t) return SW_MEMORY;
    t->seeds = 1;
    t->place = s;
    t->rows.item[t->rows.count++] = row->id;
  }
  return SW_OK;
}

/* Rules and shipped models are asked once, or once a repetition where the
 * verifier draws anew. */
static int add_untrained(sw_todo *p, const wanted *w, const sw_repro_row *row,
                         sw_err *err) {
  int varies = sw_verifier_varies(row->search), missing = 0;
  int judged = varies && strchr(row->search, '#');
  for (int s = 0; s < (varies ? w->seeds : 1); s++) {
    int64_t seed = judged ? sw_repro_seed(s) : varies ? s + 1 : 0;
    int has;
    SW_TRY(sw_asker_has(&w->asker, row, seed, &has, err));
    missing |= !has;
  }
  if (!missing) return SW_OK;
  sw_todo_task *t = task_for(p, w->asker.e, NULL, -1, err);
  if (!t) return SW_MEMORY;
  t->seeds = w->seeds;
  t->rows.item[t->rows.count++] = row->id;
  return SW_OK;
}

static int names(const sw_list *list, const char *id) {
  for (int i = 0; i < list->count; i++)
    if (!strcmp(list->item[i], id)) return 1;
  return !list->count;
}

static int add_experiment(sw_todo *p, const wanted *w, sw_err *err) {
  for (int r = 0; w->asker.e->row[r].id; r++) {
    const sw_repro_row *row = &w->asker.e->row[r];
    if (sw_row_needs(row) || !names(w->rows, row->id)) continue;
    SW_TRY(row->model ? add_trained(p, w, row, err)
                      : add_untrained(p, w, row, err));
  }
  return SW_OK;
}

/* ---- order ---- */

static int place_of(const sw_experiment *e) {
  int at = 0;
  while (sw_experiments()[at] && sw_experiments()[at] != e) at++;
  return at;
}

/* What needs no training; then first seeds before second ones, models that many
 * tables wait for before others, short trainings before long ones. */
static int task_order(const void *a, const void *b) {
  const sw_todo_task *x = a, *y = b;
  if (!x->model != !y->model) return x->model ? 1 : -1;
  if (x->place != y->place) return x->place - y->place;
  if (x->waiting != y->waiting) return y->waiting - x->waiting;
  if (x->model != y->model) {
    double p = x->model->hours[0], q = y->model->hours[0];
    if (p != q) return p < q ? -1 : 1;
    return x->model < y->model ? -1 : 1; /* rows of one table */
  }
  return place_of(x->experiment) - place_of(y->experiment);
}

static void put_in_order(sw_todo *p) {
  for (int i = 0; i < p->tasks; i++)
    for (int k = 0; k < p->tasks; k++)
      p->task[i].waiting += p->task[k].model == p->task[i].model &&
                            p->task[k].seed == p->task[i].seed &&
                            sw_experiment_published(p->task[k].experiment);
  if (p->tasks > 1)
    qsort(p->task, (size_t)p->tasks, sizeof *p->task, task_order);
  for (int i = 0; i < p->tasks; i++)
    p->task[i].first =
        p->task[i].model && (!i || p->task[i - 1].model != p->task[i].model ||
                             p->task[i - 1].seed != p->task[i].seed);
}

static int is_wanted(const sw_experiment *e, const sw_experiment *const *only,
                     int count) {
  for (int i = 0; i < count; i++)
    if (only[i] == e) return 1;
  return !count;
}

static int check_rows(const sw_list *rows, const sw_experiment *const *only,
                      int only_count, sw_err *err) {
  for (int k = 0; k < rows->count; k++) {
    int found = 0;
    for (int i = 0; sw_experiments()[i]; i++)
      for (int r = 0; sw_experiments()[i]->row[r].id; r++)
        found |= is_wanted(sw_experiments()[i], only, only_count) &&
                 !strcmp(sw_experiments()[i]->row[r].id, rows->item[k]);
    if (found) continue;
    sw_fail(err, SW_USAGE, "none of the experiments has a row `%s`",
            rows->item[k]);
    return sw_hint(err, "statewise repro --list shows the rows of each");
  }
  return SW_OK;
}

int sw_todo_make(sw_todo *plan, const sw_answers *answers,
                 const sw_todo_wanted *want, sw_err *err) {
  memset(plan, 0, sizeof *plan);
  int code = check_rows(want->rows, want->only, want->count, err);
  for (int i = 0; sw_experiments()[i] && !code; i++) {
    const sw_experiment *e = sw_experiments()[i];
    if (!is_wanted(e, want->only, want->count) || e->drawn_from) continue;
    wanted w = {.seeds = want->seeds ? want->seeds : e->seeds[want->scale],
                .asked = want->seeds,
                .rows = want->rows};
    sw_asker_begin(&w.asker, answers, e, want->scale, want->over);
    code = add_experiment(plan, &w, err);
  }
  if (code) sw_todo_free(plan);
  else put_in_order(plan);
  return code;
}

double sw_todo_hours(const sw_todo *plan, sw_scale scale) {
  double hours = 0;
  for (int i = 0; i < plan->tasks; i++)
    if (plan->task[i].first) hours += plan->task[i].model->hours[scale];
  return hours;
}

void sw_todo_free(sw_todo *plan) {
  free(plan->task);
  memset(plan, 0, sizeof *plan);
}
