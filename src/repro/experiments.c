/* All experiments, and what can be asked of the tables (experiments.h). */
#include "repro/experiments.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "model/family.h"
#include "repro/experiment_texts.h"
#include "search/verifier.h"

/* ---- ours, read once ---- */

enum { MOST = 200 };
static struct {
  pthread_mutex_t lock;
  int ready;                     /* files that are read */
  sw_experiment_file file[MOST]; /* models first, then the list's, quickstart */
  const sw_experiment *experiment[MOST];
} ours = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const sw_experiment_file *users; /* a user's file, or NULL */

static const sw_text_inside *text_of(const char *id) {
  const sw_text_inside *t = sw_experiment_texts;
  while (t->id && strcmp(t->id, id)) t++;
  return t->id ? t : NULL;
}

static int text_count(void) {
  int count = 0;
  while (sw_experiment_texts[count].id) count++;
  return count;
}

static int read_text(sw_experiment_file *file, const sw_text_inside *t,
                     sw_err *err) {
  char name[120];
  snprintf(name, sizeof name, "experiments/%s.yaml", t->id);
  return sw_experiment_file_read(file, name, t->begin,
                                 (size_t)(t->end - t->begin),
                                 strcmp(t->id, "models") != 0, err);
}

/* The first `count` files. Rows look for models while they are read, so the
 * models are there before the lock is taken for the rest. */
static int load(int count, sw_err *err) {
  int code = SW_OK, texts = text_count();
  pthread_mutex_lock(&ours.lock);
  while (ours.ready < count && !code) {
    int at = ours.ready; /* the models, which stand last, come first */
    code = read_text(&ours.file[at],
                     &sw_experiment_texts[at ? at - 1 : texts - 1], err);
    if (!code && at) ours.experiment[at - 1] = ours.file[at].experiment;
    ours.ready += !code;
  }
  pthread_mutex_unlock(&ours.lock);
  return code;
}

int sw_experiments_load(sw_err *err) {
  SW_TRY(load(1, err));
  return load(text_count(), err);
}

static const sw_trained no_models[1];
static const sw_mined no_mined[1];
static const sw_experiment *const no_experiments[1];

const sw_trained *sw_matrix(void) {
  if (!__atomic_load_n(&ours.ready, __ATOMIC_ACQUIRE) && load(1, NULL))
    return no_models;
  return ours.file[0].model;
}

const sw_mined *sw_mined_models(void) {
  return sw_matrix() == no_models ? no_mined : ours.file[0].mined;
}

/* The list ends before the quickstart, which is in none. */
const sw_experiment *const *sw_experiments(void) {
  static const sw_experiment *list[MOST];
  if (sw_experiments_load(NULL)) return no_experiments;
  pthread_mutex_lock(&ours.lock);
  if (!list[0])
    memcpy(list, ours.experiment,
           sizeof *list * (size_t)(text_count() - 2)); /* NULL stands behind */
  pthread_mutex_unlock(&ours.lock);
  return list;
}

int sw_experiment_count(void) {
  const sw_experiment *const *all = sw_experiments();
  int count = 0;
  while (all[count]) count++;
  return count;
}

const sw_experiment *sw_quickstart_experiment(void) {
  if (sw_experiments_load(NULL)) return NULL;
  return ours.experiment[text_count() - 2];
}

const char *sw_experiment_text(const char *id, size_t *bytes) {
  const sw_experiment *e = sw_experiment_find(id);
  const sw_text_inside *t = text_of(e ? e->id : id);
  if (!t) return NULL;
  *bytes = (size_t)(t->end - t->begin);
  return t->begin;
}

/* ---- one by name ---- */

void sw_experiments_use(const sw_experiment_file *file) {
  users = file;
  sw_presets_use(file ? file->preset : NULL);
}

/* Is `name` one of the blank-separated words? */
static int listed(const char *words, const char *name) {
  size_t length = strlen(name);
  for (const char *p = words; p && *p; p += strcspn(p, " "), p += *p == ' ')
    if (strcspn(p, " ") == length && !strncmp(p, name, length)) return 1;
  return 0;
}

const sw_experiment_file *sw_experiments_used(void) { return users; }

static int is_called(const sw_experiment *e, const char *id) {
  return e && (!strcmp(e->id, id) || listed(e->aliases, id));
}

const sw_experiment *sw_experiment_find(const char *id) {
  const sw_experiment *const *all = sw_experiments(),
                             *quick = sw_quickstart_experiment();
  if (users && is_called(users->experiment, id)) return users->experiment;
  if (quick && !strcmp(quick->id, id)) return quick;
  for (int i = 0; all[i]; i++)
    if (is_called(all[i], id)) return all[i];
  return NULL;
}

static const sw_trained *model_of(const sw_trained *list, const char *id) {
  while (list->id && strcmp(list->id, id)) list++;
  return list->id ? list : NULL;
}

const sw_trained *sw_trained_find(const char *id) {
  const sw_trained *own = users ? model_of(users->model, id) : NULL;
  return own ? own : model_of(sw_matrix(), id);
}

static const sw_mined *mined_of(const sw_mined *list, const char *id) {
  while (list->id && strcmp(list->id, id)) list++;
  return list->id ? list : NULL;
}

const sw_mined *sw_mined_find(const char *id) {
  if (users && model_of(users->model, id)) return mined_of(users->mined, id);
  return mined_of(sw_mined_models(), id);
}

/* ---- what follows from the tables ---- */

int64_t sw_repro_seed(int index) {
  static const int64_t seeds[] = {42, 123, 456, 789, 2024};
  enum { COUNT = sizeof seeds / sizeof *seeds };
  return index < COUNT ? seeds[index] : seeds[COUNT - 1] + index - COUNT + 1;
}

int sw_experiment_columns(const sw_experiment *e) {
  int count = 0;
  while (e->column[count].title) count++;
  return count;
}

int sw_experiment_rows(const sw_experiment *e) {
  int count = 0;
  while (e->row[count].id) count++;
  return count;
}

/* "verifier NAME" and "architecture NAME" are needs until there is one. */
static int lacks(const char *needs) {
  static const char verifier[] = "verifier ", family[] = "architecture ";
  char names[400];
  if (!strncmp(needs, verifier, sizeof verifier - 1)) {
    sw_verifier_names(NULL, names, sizeof names);
    return !listed(names, needs + sizeof verifier - 1);
  }
  if (!strncmp(needs, family, sizeof family - 1)) return 1;
  return 1;
}

const char *sw_row_needs(const sw_repro_row *row) {
  const sw_trained *t = row->model ? sw_trained_find(row->model) : NULL;
  if (row->needs && lacks(row->needs)) return row->needs;
  return t && t->needs && lacks(t->needs) ? t->needs : NULL;
}

int sw_column_follows(const sw_repro_column *column) {
  return column->source == SW_SOURCE_CHANGE || column->source == SW_SOURCE_GAP;
}

int sw_row_has(const sw_repro_row *row, int column) {
  return !row->columns || (column < 32 && row->columns >> column & 1);
}

const char *sw_row_paper(const sw_repro_row *row, int column) {
  for (int c = 0; row->paper; c++) {
    if (row->paper[c] && !*row->paper[c]) return NULL;
    if (c == column) return row->paper[c];
  }
  return NULL;
}

int sw_row_seeds(const sw_experiment *e, const sw_repro_row *row,
                 sw_scale scale, int asked) {
  int seeds = asked ? asked : e->seeds[scale];
  if (!asked && scale == SW_SCALE_SMALL && row->seeds && row->seeds < seeds)
    seeds = row->seeds;
  return seeds < 1 ? 1 : seeds;
}

double sw_experiment_hours(const sw_experiment *e, sw_scale scale, int seeds) {
  double hours = 0;
  for (int i = 0; e->row[i].id; i++) {
    int seen = 0;
    for (int k = 0; k < i; k++)
      seen |= e->row[i].model && e->row[k].model &&
              !strcmp(e->row[i].model, e->row[k].model);
    const sw_trained *t =
        e->row[i].model && !seen ? sw_trained_find(e->row[i].model) : NULL;
    if (t && !sw_row_needs(&e->row[i]))
      hours += t->hours[scale] * sw_row_seeds(e, &e->row[i], scale, seeds);
  }
  return hours;
}
