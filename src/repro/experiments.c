/* All experiments, and what can be asked of the tables (experiment.h). */
#include "repro/experiment.h"

#include <stddef.h>
#include <string.h>

#include "model/family.h"
#include "repro/groups.h"
#include "search/verifier.h"

const sw_experiment *const sw_experiments[] = {
#define X(name) &sw_experiment_##name,
    SW_EXPERIMENT_ROWS(X)
#undef X
        NULL};

int sw_experiment_count(void) {
  return sizeof sw_experiments / sizeof *sw_experiments - 1;
}

/* Is `name` one of the blank-separated words? */
static int listed(const char *words, const char *name) {
  size_t length = strlen(name);
  for (const char *p = words; p && *p; p += strcspn(p, " "), p += *p == ' ')
    if (strcspn(p, " ") == length && !strncmp(p, name, length)) return 1;
  return 0;
}

const sw_experiment *sw_experiment_find(const char *id) {
  if (!strcmp(id, sw_quickstart_experiment.id))
    return &sw_quickstart_experiment;
  for (int i = 0; sw_experiments[i]; i++)
    if (!strcmp(sw_experiments[i]->id, id) ||
        listed(sw_experiments[i]->aliases, id))
      return sw_experiments[i];
  return NULL;
}

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
  return !row->columns || (row->columns >> column & 1);
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
