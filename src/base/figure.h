/* A figure: a number (or a list of numbers) that a search or a measure found,
 * with all that is needed to show it. A search and every measure declare their
 * figures in one table. JSON, report columns, the figures an experiment may
 * select, the test that suits each and docs/figures.md come from these tables.
 * Tables end with an empty row. */
#ifndef SW_BASE_FIGURE_H
#define SW_BASE_FIGURE_H
#include <stddef.h>
#include <stdint.h>
#include "base/json.h"
#include "base/stats.h"

/* id, name, what it is */
#define SW_FIGURE_KINDS(X)                                                  \
  X(SHARE, "share", "how many of so many things did; shown in percent")     \
  X(RATE, "rate", "part of a count that is itself an outcome, from 0 to 1") \
  X(RATIO, "ratio", "one sum over another; it may exceed 1")                \
  X(MEAN, "mean", "mean over instances or pairs")                           \
  X(SCORE, "score", "a score on a scale of its own, with four digits")      \
  X(COUNT, "count", "a whole number: how much there was")                   \
  X(TEXT, "text", "a word")                                                 \
  X(INTERVAL, "interval", "two numbers: 95 % interval of another figure")   \
  X(SERIES, "series", "a list; NUMBER in a path is a place in it, from 0")  \
  X(GROUP, "group", "figures that belong together")                         \
  X(VIEW, "view", "a group that is a row of its own in a report's table")
typedef enum {
#define X(id, name, text) SW_FIGURE_##id,
  SW_FIGURE_KINDS(X)
#undef X
} sw_figure_kind;
const char *sw_figure_kind_name(sw_figure_kind kind);

/* How the struct of results stores the figure. */
typedef enum {
  SW_STORED_ELSEWHERE, /* written by `write`, or by the owner of the table */
  SW_STORED_REAL,
  SW_STORED_COUNT,
  SW_STORED_INTERVAL,
  SW_STORED_INSIDE /* a struct, of which `part` is the table */
} sw_figure_stored;

typedef struct sw_figure {
  const char *name; /* member of the JSON object; NULL ends the table */
  sw_figure_kind kind;
  const char *heading; /* of a column, or of a view's row */
  const char *help;    /* one line */
  const char *unit;    /* "s"; NULL: none, or percent of a share */
  sw_figure_stored stored;
  size_t at;                         /* offset of what is stored */
  double (*real)(const void *found); /* instead: computed */
  void (*write)(const void *found, sw_json *json); /* instead: key and value */
  const struct sw_figure *part; /* of a group, a view and a series' entries */
  int shown; /* place among the columns of a report, from 1; 0: none */
  const char *interval; /* path of its interval, in a report's next column */
  int since;            /* version of counting from which it means what it does
                           today (search/condition.h); 0: always has */
} sw_figure;

/* A row for member `m` of type T. */
#define SW_STORED(T, m)                   \
  _Generic(((const T *)0)->m, double      \
           : SW_STORED_REAL, int64_t      \
           : SW_STORED_COUNT, sw_interval \
           : SW_STORED_INTERVAL, default  \
           : SW_STORED_INSIDE)
#define SW_FIGURE(KIND, T, m, name_, heading_, help_)                          \
  .name = name_, .kind = SW_FIGURE_##KIND, .heading = heading_, .help = help_, \
  .stored = SW_STORED(T, m), .at = offsetof(T, m)

/* Writes every figure of the table as a member of the open object. */
void sw_figures_json(const sw_figure *table, const void *found, sw_json *json);
/* The figure of a path ("cumulative.auroc", "unexposed.0.auroc"), or NULL. */
const sw_figure *sw_figure_at(const sw_figure *table, const char *path);
/* Is it one number, as a column of an experiment needs it? */
int sw_figure_is_number(const sw_figure *figure);

#endif
