/* Questions of cells (see cell_question.h). */
#include "repro/cell_question.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "probe/measure.h"
#include "repro/kept.h"
#include "repro/settings.h"
#include "search/condition.h"
#include "search/question.h"
#include "train/config.h"

/* The options of all domains in one table: a name that two domains share means
 * the same in both. */
typedef struct tables {
  sw_question_table table[2];
  int count;
  sw_option task[SW_TASK_OPTIONS_MAX];
} tables;

static void add(tables *t, sw_question_kind kind, const sw_option *row,
                int count) {
  t->table[t->count++] = (sw_question_table){kind, row, count};
}

static void add_task(tables *t) {
  int count = sw_domain_all_options(t->task, SW_TASK_OPTIONS_MAX);
  add(t, SW_ASKS_TASK, t->task, count);
}

static int is(const char *text, const char *word) {
  return text && !strcmp(text, word);
}

/* The option tables that read a column's settings. Without one, settings stay
 * as they are written. */
static void of_source(tables *t, const char *source, const char *measure) {
  const sw_measure *m =
      is(source, "measure") && measure ? sw_measure_find(measure) : NULL;
  t->count = 0;
  if (is(source, "search"))
    add(t, SW_ASKS_SEARCH, sw_condition_table, sw_condition_table_count);
  if (!m) return;
  add(t, SW_ASKS_MEASURE, m->options, m->option_count);
  add_task(t);
}

/* ---- a cell ---- */

static void write_seeds(sw_question_text *q, const char *seeds) {
  if (!is(seeds, "42")) sw_question_word(q, "test-seeds", seeds);
}

static int write_search(sw_question_text *q, const sw_cell_asked *a,
                        sw_err *err) {
  tables t, task = {.count = 0};
  sw_settings settings, test;
  char counting[16];
  snprintf(counting, sizeof counting, "%d", SW_COUNTING);
  sw_question_word(q, "counting", counting);
  sw_question_word(q, "mask", a->mask);
  sw_question_word(q, "positions", a->positions);
  write_seeds(q, a->test_seeds);
  of_source(&t, a->source, NULL);
  add_task(&task);
  SW_TRY(sw_settings_read(&settings, a->settings, a->search, err));
  int code = sw_settings_read(&test, a->test, NULL, err);
  if (!code)
    code =
        sw_question_settings(q, "search", t.table, t.count, settings.pair, err);
  if (!code)
    code =
        sw_question_settings(q, "task", task.table, task.count, test.pair, err);
  sw_settings_free(&test);
  sw_settings_free(&settings);
  return code;
}

/* As job_ask.c sets them: the row's reading and task, the column's settings,
 * the user's. */
static int write_measure(sw_question_text *q, const sw_cell_asked *a,
                         const sw_list *over, sw_err *err) {
  tables t;
  sw_settings settings, users;
  const char *reading[5] = {NULL};
  char text[2000] = "";
  int read = 0;
  if (a->mask) reading[read++] = "eval-mask", reading[read++] = a->mask;
  if (a->positions)
    reading[read++] = "eval-positions", reading[read++] = a->positions;
  for (int i = 0; over && i < over->count; i++) {
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, " %s", over->item[i]);
  }
  sw_question_word(q, "measure", a->measure);
  of_source(&t, a->source, a->measure);
  SW_TRY(sw_settings_read(&settings, a->test, a->settings, err));
  int code = sw_settings_read(&users, text, NULL, err);
  const char **asked = code ? NULL : sw_settings_behind(&settings, reading);
  const char **all = asked ? sw_settings_behind(&users, asked) : NULL;
  if (!code && !all) code = sw_no_memory(err);
  if (!code)
    code = sw_question_settings(q, "settings", t.table, t.count, all, err);
  free(all);
  free(asked);
  sw_settings_free(&users);
  sw_settings_free(&settings);
  return code;
}

/* Sources that have no option table, and the run card. */
static int write_other(sw_question_text *q, const sw_cell_asked *a,
                       sw_err *err) {
  sw_settings settings;
  write_seeds(q, a->test_seeds);
  SW_TRY(sw_settings_read(&settings, a->settings, NULL, err));
  int code = sw_question_settings(q, "settings", NULL, 0, settings.pair, err);
  sw_settings_free(&settings);
  return code;
}

int sw_cell_question(const sw_cell_asked *a, const sw_list *over, char **text,
                     sw_err *err) {
  sw_question_text q;
  *text = NULL;
  SW_TRY(sw_question_begin(&q, err));
  sw_question_word(&q, "source", a->source);
  sw_question_word(&q, "over", a->over);
  int code = is(a->source, "search")    ? write_search(&q, a, err)
             : is(a->source, "measure") ? write_measure(&q, a, over, err)
                                        : write_other(&q, a, err);
  int ended = sw_question_end(&q, text, code ? NULL : err);
  if (!code) return ended;
  free(*text);
  *text = NULL;
  return code;
}

/* ---- from a table ---- */

static const char *member_of(const sw_kept_member *member, int count,
                             const char *name) {
  for (int i = 0; i < count; i++)
    if (!strcmp(member[i].name, name)) return member[i].text;
  return NULL;
}

sw_cell_asked sw_cell_asked_of(const sw_repro_row *row,
                               const sw_repro_column *column) {
  sw_kept_member member[SW_KEPT_MEMBERS];
  int count = sw_kept_column_members(column, member);
  return (sw_cell_asked){.source = member_of(member, count, "source"),
                         .measure = column->probe,
                         .settings = column->settings,
                         .test_seeds = column->test_seeds,
                         .search = row->search,
                         .test = row->test,
                         .mask = row->mask,
                         .positions = row->positions};
}

int sw_cell_question_hash(const sw_repro_row *row,
                          const sw_repro_column *column, char hash[24]) {
  sw_cell_asked a = sw_cell_asked_of(row, column);
  char *text;
  hash[0] = 0;
  SW_TRY(sw_cell_question(&a, NULL, &text, NULL));
  snprintf(hash, 24, "%016" PRIx64, sw_xxh64(text, strlen(text), 0));
  free(text);
  return SW_OK;
}

/* ---- one member ---- */

/* The settings of a member as text; NULL: it has none, or they are unreadable.
 */
static char *canonical(const char *member, const char *source,
                       const char *measure, const char *text) {
  sw_question_text q;
  sw_settings settings;
  tables t = {.count = 0};
  char *out = NULL;
  if (is(member, "search")) of_source(&t, "search", NULL);
  else if (is(member, "settings")) of_source(&t, source, measure);
  else if (is(member, "test") || is(member, "gen")) add_task(&t);
  else if (is(member, "train") || is(member, "recipe"))
    add(&t, SW_ASKS_TRAINING, sw_train_table, sw_train_table_count);
  else return NULL;
  if (sw_settings_read(&settings, text, NULL, NULL)) return NULL;
  if (!sw_question_begin(&q, NULL)) {
    int code = sw_question_settings(&q, "settings", t.table, t.count,
                                    settings.pair, NULL);
    if (sw_question_end(&q, &out, NULL) || code) {
      free(out);
      out = NULL;
    }
  }
  sw_settings_free(&settings);
  return out;
}

int sw_member_same(const char *member, const char *source, const char *measure,
                   const char *a, const char *b) {
  if (a && b ? !strcmp(a, b) : a == b) return 1;
  char *x = canonical(member, source, measure, a),
       *y = x ? canonical(member, source, measure, b) : NULL;
  int same = x && y && !strcmp(x, y);
  free(x);
  free(y);
  return same;
}
