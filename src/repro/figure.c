/* What columns can be (see figure.h). */
#include "repro/figure.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "probe/figures.h"

/* ---- the tables ---- */

const sw_figure sw_search_figures[] = {
#define X(figure, KIND, version, one, part, whole, heading_, help_) \
  {.name = #figure,                                                 \
   .kind = SW_FIGURE_##KIND,                                        \
   .heading = heading_,                                             \
   .help = help_,                                                   \
   .since = version},
    SW_SEARCH_FIGURES(X)
#undef X
#define X(counter, version, text) \
  {.name = #counter,              \
   .kind = SW_FIGURE_MEAN,        \
   .heading = #counter,           \
   .help = text,                  \
   .since = version},
        SW_OUTCOME_COUNTERS(X)
#undef X
#define X(time, version, text) \
  {.name = #time,              \
   .kind = SW_FIGURE_MEAN,     \
   .heading = #time,           \
   .help = text,               \
   .unit = "s"},
            SW_OUTCOME_TIMES(X)
#undef X
                {0}};

const sw_figure sw_card_figures[] = {{.name = "parameters",
                                      .kind = SW_FIGURE_COUNT,
                                      .heading = "parameters",
                                      .help = "numbers that are trained"},
                                     {.name = "steps",
                                      .kind = SW_FIGURE_COUNT,
                                      .heading = "steps",
                                      .help = "optimizer steps"},
                                     {.name = "tokens",
                                      .kind = SW_FIGURE_COUNT,
                                      .heading = "tokens",
                                      .help = "tokens trained on"},
                                     {.name = "train_loss",
                                      .kind = SW_FIGURE_SCORE,
                                      .heading = "training loss",
                                      .help = "of the last step, nats a token"},
                                     {.name = "valid_loss",
                                      .kind = SW_FIGURE_SCORE,
                                      .heading = "validation loss",
                                      .help = "at the end, nats a token"},
                                     {.name = "seconds",
                                      .kind = SW_FIGURE_MEAN,
                                      .heading = "training time",
                                      .help = "of training",
                                      .unit = "s"},
                                     {.name = "peak_rss_kb",
                                      .kind = SW_FIGURE_COUNT,
                                      .heading = "memory",
                                      .help = "most memory used",
                                      .unit = "kB"},
                                     {0}};

/* ---- columns ---- */

/* The tables that a column's figure may stand in. */
static int tables_of(const sw_repro_column *c, const sw_figure *table[2]) {
  sw_measured m;
  table[0] = table[1] = NULL;
  if (c->source == SW_SOURCE_SEARCH) table[0] = sw_search_figures;
  if (c->source == SW_SOURCE_CARD) table[0] = sw_card_figures;
  if (c->source == SW_SOURCE_PUBLISHED) table[0] = sw_published_figures;
  if (c->source == SW_SOURCE_TRACES) table[0] = sw_traces_figures;
  if (c->source == SW_SOURCE_PROBE && sw_measured_find(c->probe, &m)) {
    table[0] = m.figures;
    table[1] = m.of_all;
  }
  return !!table[0] + !!table[1];
}

static const char *name_of(const sw_repro_column *c) {
  return c->figure ? c->figure : "solve_rate";
}

const sw_figure *sw_column_figure(const sw_repro_column *c) {
  const sw_figure *table[2], *found = NULL;
  int count = tables_of(c, table);
  for (int t = 0; t < count && !found; t++)
    found = sw_figure_at(table[t], name_of(c));
  return found;
}

int sw_column_figure_names(const sw_repro_column *c, const char **names,
                           int most) {
  const sw_figure *table[2];
  char path[200];
  int tables = tables_of(c, table), count = 0;
  snprintf(path, sizeof path, "%s", name_of(c));
  /* The longest beginning of the path that is there. */
  for (char *point; (point = strrchr(path, '.'));) {
    *point = 0;
    const sw_figure *f = sw_figure_at(table[0], path);
    if (!f || !f->part) continue;
    table[0] = f->part;
    tables = 1;
    break;
  }
  for (int t = 0; t < tables; t++)
    for (const sw_figure *f = table[t]; f->name && count < most; f++)
      names[count++] = f->name;
  return count;
}

sw_test_kind sw_column_test(const sw_repro_column *c) {
  const sw_figure *f = sw_column_figure(c);
  int each = f && (f->kind == SW_FIGURE_SHARE || f->kind == SW_FIGURE_MEAN);
  return c->source == SW_SOURCE_SEARCH && each ? SW_TEST_INSTANCES
                                               : SW_TEST_PAIRED_T;
}

/* ---- of a search ---- */

int sw_search_figure_known(const char *name) {
  return sw_figure_at(sw_search_figures, name) != NULL;
}

static double one_of(const char *name, const sw_outcome *o) {
#define X(figure, KIND, version, one, part, whole, heading, help) \
  if (!strcmp(name, #figure)) return (double)(one);
  SW_SEARCH_FIGURES(X)
#undef X
#define X(counter, version, text) \
  if (!strcmp(name, #counter)) return (double)o->counter;
  SW_OUTCOME_COUNTERS(X)
#undef X
#define X(time, version, text) \
  if (!strcmp(name, #time)) return o->time;
  SW_OUTCOME_TIMES(X)
#undef X
  return NAN;
}

double sw_search_figure(const char *name, const sw_outcome *outcome,
                        int64_t count, double *each) {
  sw_summary sums, *s = &sums;
  int64_t exhausted = 0;
  double total = 0;
  sw_summarize(outcome, count, s);
  for (int64_t i = 0; i < count; i++) {
    double value = one_of(name, &outcome[i]);
    exhausted += !strcmp(outcome[i].reason, "exhausted");
    total += value;
    if (each) each[i] = value;
  }
#define X(figure, KIND, version, one, part, whole, heading, help) \
  if (!strcmp(name, #figure))                                     \
    return (whole) ? (double)(part) / (double)(whole) : NAN;
  SW_SEARCH_FIGURES(X)
#undef X
  return count ? total / (double)count : NAN;
}
