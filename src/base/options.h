/* Options from one table. A command lists its options once as X-macro rows
 *   X(field, KIND, "name", "default", low, high, "choices", "help text")
 * with KIND one of FLAG INT LONG REAL TEXT CHOICE LIST. `choices` has the words
 * of a CHOICE, or the older name that a TEXT is still known by. The rows become
 * the struct (SW_OPTION_FIELD), the table (SW_OPTION_ROW), the parser, --help,
 * the man page, completion, run cards and `--set key=value`. Unknown names,
 * wrong types and values out of range are errors with the nearest name as a
 * hint. */
#ifndef SW_BASE_OPTIONS_H
#define SW_BASE_OPTIONS_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/err.h"
#include "base/json.h"

typedef enum {
  SW_FLAG,
  SW_INT,
  SW_LONG,
  SW_REAL,
  SW_TEXT,
  SW_CHOICE,
  SW_LIST
} sw_option_kind;
enum { SW_LIST_MAX = 64 };
#define SW_OUT "out" /* where a command writes; -o is short for it */
typedef struct sw_list {
  int count;
  const char *item[SW_LIST_MAX];
} sw_list;

typedef int sw_opt_FLAG; /* 0/1; --name, --no-name, --name=0|1 */
typedef int sw_opt_INT;
typedef int64_t sw_opt_LONG;
typedef double sw_opt_REAL;
typedef const char *sw_opt_TEXT; /* default "" reads as NULL */
typedef int sw_opt_CHOICE;       /* index into "a|b|c" */
typedef sw_list sw_opt_LIST;     /* may be given several times */

/* Options of a table (a domain's) that is not known while the command line is
 * read. Their names are recognised, their values kept as text. */
typedef struct sw_pairs {
  int count;
  struct {
    const char *name, *value;
  } item[SW_LIST_MAX];
} sw_pairs;

int sw_pairs_add(sw_pairs *pairs, const char *name, const char *value,
                 sw_err *err);

typedef struct sw_option {
  const char *name;
  sw_option_kind kind;
  size_t offset;
  const char *fallback;
  double low, high; /* numbers only; low > high means unlimited */
  const char *choices, *help;
} sw_option;

#define SW_OPTION_FIELD(field, KIND, name, fallback, low, high, choices, help) \
  sw_opt_##KIND field;
/* clang-format off */
#define SW_OPTION_ROW(STRUCT, field, KIND, name, fallback, low, high, choices, \
                      help)                                                    \
  {name, SW_##KIND, offsetof(STRUCT, field), fallback, low, high, choices, help},
/* clang-format on */

/* Rows that many tables have: name, kind and range, written once. */
/* clang-format off */
#define SW_SEED_ROW(X, usual, help) X(seed, LONG, "seed", usual, 0, 9e15, "", help)
#define SW_THREADS_ROW(X, help) X(threads, INT, "threads", "0", 0, 256, "", help)
#define SW_INSTANCES_ROW(X, usual, help) X(instances, LONG, "instances", usual, 1, 1e7, "", help)
#define SW_HISTORIES_ROW(X, usual) X(histories, INT, "histories", usual, 2, 64, "", "most histories per state")
/* clang-format on */

typedef struct sw_later {
  const sw_option *table; /* every name that may be given */
  int count;
  sw_pairs pairs; /* those that were */
} sw_later;

/* Sets every field to its default. */
void sw_options_defaults(const sw_option *table, int count, void *values);
/* Base/check.h: names that differ, bounds in order, words to choose from. */
const char *sw_option_table_check(const sw_option *table, int count);
/* Parses argv[1..]; option text must outlive `values`. Positional arguments
 * are collected in *rest (NULL: there may be none); "--help" sets *help and
 * stops. Accepts --name value,
 * --name=value, -o for the option named SW_OUT, `--set name=value`. `given`
 * (may be NULL) has one byte per option: 1 when it was set by the user. `later`
 * (may be NULL): further names, whose values are collected. */
int sw_options_parse(const sw_option *table, int count, int argc, char **argv,
                     void *values, unsigned char *given, sw_later *later,
                     sw_list *rest, int *help, sw_err *err);
/* The row of that name, or NULL. '-' and '_' are the same in a name. */
const sw_option *sw_options_find(const sw_option *table, int count,
                                 const char *name);
/* The older name that the option is still known by, or NULL. */
const char *sw_option_alias(const sw_option *option);
int sw_options_set(const sw_option *table, int count, const char *name,
                   const char *value, void *values, sw_err *err);
/* Values that did not come from the parser: SW_USAGE names `owner`, the
 * option and its range. Numbers and choices only. */
int sw_options_check(const sw_option *table, int count, const char *owner,
                     const void *values, sw_err *err);
int sw_options_set_pair(const sw_option *table, int count, const char *pair,
                        void *values, sw_err *err); /* "name=value" */
void sw_options_help(const sw_option *table, int count, FILE *out);
void sw_options_json(const sw_option *table, int count, const void *values,
                     sw_json *json); /* members of the open object */
/* The value of one option as text, as the parser would read it back (not for
 * LIST). */
void sw_option_text(const sw_option *option, const void *values, char *text,
                    size_t room);
const char *sw_choice_name(const char *choices, int index, char *buffer,
                           size_t room);
int sw_choice_index(const char *choices, const char *name); /* -1: unknown */
/* The candidate closest to `name` by edit distance, or NULL. */
const char *sw_nearest(const char *name, const char *const *candidates,
                       int count);

#endif
