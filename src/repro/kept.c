/* Kept results (see kept.h). */
#include "repro/kept.h"
#include "repro/curve.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stats.h"
#include "base/text.h"
#include "base/threads.h"
#include "base/version.h"
#include "nn/nn.h"
#include "report/read_json.h"

/* ---- writing ---- */

static void text(sw_json *json, const char *key, const char *value) {
  if (value) sw_json_string(json, key, value);
}

static void columns(const sw_experiment *e, sw_json *json) {
  static const char *const sources[] = {"search", "measure", "run card",
                                        "change"};
  sw_json_array(json, "columns");
  for (int c = 0; e->column[c].title; c++) {
    const sw_repro_column *column = &e->column[c];
    sw_json_object(json, NULL);
    sw_json_string(json, "title", column->title);
    sw_json_string(json, "source", sources[column->source]);
    text(json, "measure", column->probe);
    text(json, "settings", column->settings);
    sw_json_string(json, "figure",
                   column->figure ? column->figure : "solve_rate");
    text(json, "test_seeds", column->test_seeds);
    sw_json_real(json, "x", column->x);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void models(const sw_repro_result *r, const char *up, sw_json *json) {
  sw_json_array(json, "models");
  for (int i = 0; i < r->models; i++) {
    const sw_repro_model *m = &r->model[i];
    const sw_trained *t = m->trained;
    sw_json_object(json, NULL);
    sw_json_string(json, "row", m->row->id);
    sw_json_int(json, "seed", m->seed);
    char run[320];
    snprintf(run, sizeof run, "%s%s", up, m->run);
    sw_json_string(json, "run", run);
    sw_json_string(json, "weights", m->hash);
    sw_json_string(json, "data", m->data);
    if (m->ended[0]) sw_json_string(json, "ended", m->ended);
    if (t) {
      const char *preset = t->preset[r->scale];
      sw_json_string(json, "preset", preset ? preset : t->preset[0]);
      text(json, "gen", t->gen);
      text(json, "train", t->train);
      if (r->scale == SW_SCALE_SMALL) text(json, "recipe", t->recipe);
    }
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void values(const sw_repro_cell *c, sw_json *json) {
  sw_json_array(json, "values");
  for (int i = 0; i < c->values; i++) {
    sw_json_object(json, NULL);
    sw_json_int(json, "seed", c->value[i].seed);
    sw_json_real(json, "value", c->value[i].value);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void cell(const sw_experiment *e, const sw_repro_cell *c,
                 sw_json *json) {
  static const char *const keys[] = {
#define X(key, role, text) #key,
      SW_REPRO_BESIDE(X)
#undef X
  };
  const sw_repro_column *column = &e->column[c->column];
  char state[80] = "done";
  if (c->needs) snprintf(state, sizeof state, "needs %s", c->needs);
  else if (!c->values) snprintf(state, sizeof state, "not run");
  sw_json_object(json, NULL);
  sw_json_string(json, "row", c->row->id);
  sw_json_string(json, "label", c->row->label);
  sw_json_string(json, "column", column->title);
  sw_json_int(json, "column_index", c->column);
  sw_json_string(json, "unit", column->unit ? column->unit : "%");
  text(json, "paper", c->paper);
  text(json, "note", c->row->note);
  sw_json_string(json, "state", state);
  sw_json_real(json, "value", c->mean);
  sw_json_real(json, "sd", c->sd);
  sw_json_real(json, "low", c->low);
  sw_json_real(json, "high", c->high);
  sw_json_int(json, "seeds", c->values);
  sw_json_int(json, "instances", c->instances);
  for (int b = 0; b < SW_REPRO_ROLES; b++)
    sw_json_real(json, keys[b], c->beside[b]);
  int agrees = c->paper && !isnan(c->mean)
                   ? sw_kept_agrees(c->paper, !column->unit,
                                    isnan(c->low) ? c->mean : c->low,
                                    isnan(c->high) ? c->mean : c->high)
                   : -1;
  if (agrees < 0) sw_json_null(json, "agrees");
  else sw_json_bool(json, "agrees", agrees);
  values(c, json);
  sw_json_end(json);
}

static void statistics(const sw_repro_result *r, sw_json *json) {
  static const char *const tests[] = {
      "paired t over seeds", "Welch's t over seeds", "bootstrap over seeds",
      "bootstrap over instances", "interaction, t over seeds"};
  sw_json_array(json, "statistics");
  for (int i = 0; i < r->statistics; i++) {
    const sw_repro_statistic_value *v = &r->statistic[i];
    const sw_repro_column *c = &r->experiment->column[v->statistic->column];
    sw_json_object(json, NULL);
    sw_json_string(json, "title", v->statistic->title);
    sw_json_string(json, "test", tests[v->statistic->kind]);
    text(json, "paper", v->statistic->paper);
    sw_json_string(json, "unit", c->unit ? c->unit : "%");
    sw_json_real(json, "value", v->value);
    sw_json_real(json, "low", v->low);
    sw_json_real(json, "high", v->high);
    sw_json_real(json, "p", v->p);
    sw_json_int(json, "pairs", v->pairs);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void figures(const sw_repro_result *r, sw_json *json) {
  const sw_experiment *e = r->experiment;
  static const char *const kinds[] = {"lines", "bars", "seeds"};
  sw_json_array(json, "figures");
  for (int i = 0; e->figure && e->figure[i].id; i++) {
    const sw_repro_figure *f = &e->figure[i];
    sw_json_object(json, NULL);
    sw_json_string(json, "id", f->id);
    sw_json_string(json, "title", f->title);
    sw_json_string(json, "kind", kinds[f->kind]);
    text(json, "x", f->x);
    text(json, "y", f->y);
    sw_json_array(json, "columns");
    for (int c = 0; e->column[c].title; c++)
      if (!f->columns || (f->columns >> c & 1)) sw_json_int(json, NULL, c);
    sw_json_end(json);
    sw_json_end(json);
  }
  sw_curves_json(r, json);
  sw_json_end(json);
}

/* Which rules stand in the columns beside ours. */
static void rules(const sw_repro_result *r, sw_json *json) {
  char words[600] = "Shares in percent.";
  sw_json_array(json, "rules");
#define X(key, name, what)                                                 \
  if (r->policy[SW_REPRO_##key][0]) {                                      \
    size_t used = strlen(words);                                           \
    sw_json_object(json, NULL);                                            \
    sw_json_string(json, "role", name);                                    \
    sw_json_string(json, "policy", r->policy[SW_REPRO_##key]);             \
    sw_json_end(json);                                                     \
    snprintf(words + used, sizeof words - used, " The %s (%s): %s.", name, \
             r->policy[SW_REPRO_##key], what);                             \
  }
  SW_REPRO_BESIDE(X)
#undef X
  sw_json_end(json);
  sw_json_string(json, "words", words);
}

static void provenance(double seconds, sw_json *json) {
  struct utsname name;
  char line[120], date[32];
  time_t now = time(NULL);
  struct tm day;
  const nn_kernels *kernels = nn_select(NULL, NULL);
  sw_json_string(json, "program", "statewise " SW_VERSION);
  sw_json_string(json, "kernels", kernels ? kernels->name : "?");
  snprintf(line, sizeof line, "%.60s, %d cores",
           uname(&name) ? "?" : name.machine, sw_cpu_count());
  sw_json_string(json, "machine", line);
  sw_json_real(json, "seconds", seconds);
  if (gmtime_r(&now, &day) && strftime(date, sizeof date, "%Y-%m-%d", &day))
    sw_json_string(json, "date", date);
}

void sw_kept_json(const sw_repro_result *r, const char *command, const char *up,
                  sw_json *json) {
  const sw_experiment *e = r->experiment;
  char store[32];
  snprintf(store, sizeof store, "%sresults.db", up);
  sw_json_object(json, NULL);
  sw_json_string(json, "experiment", e->id);
  text(json, "place", e->place);
  text(json, "section", e->section);
  sw_json_string(json, "title", e->title);
  text(json, "note", e->note);
  sw_json_string(json, "scale", r->scale ? "paper" : "small");
  sw_json_string(json, "command", command);
  sw_json_string(json, "results", store);
  rules(r, json);
  columns(e, json);
  models(r, up, json);
  sw_json_array(json, "cells");
  for (int i = 0; i < r->cells; i++) cell(e, &r->cell[i], json);
  sw_json_end(json);
  statistics(r, json);
  figures(r, json);
  provenance(r->seconds, json);
  sw_json_end(json);
}

int sw_kept_write(const sw_repro_result *r, const char *command, const char *up,
                  const char *path, sw_err *err) {
  sw_json json;
  sw_out_file file;
  SW_TRY(sw_out_open(&file, path, err));
  sw_json_to_file(&json, file.stream);
  sw_kept_json(r, command, up, &json);
  return sw_out_commit(&file, err);
}

/* ---- comparing ---- */

int sw_kept_agrees(const char *figure, int share, double low, double high) {
  enum { INSTANCES = 200 };
  char *end;
  double unit = share ? 100 : 1, mean = sw_text_real(figure, &end) / unit;
  if (end == figure) return -1;
  double from = mean - 0.1 * fabs(mean), to = mean + 0.1 * fabs(mean);
  const char *sign = strstr(end, "±");
  if (sign) {
    double sd = sw_text_real(sign + strlen("±"), NULL) / unit;
    from = mean - 2 * sd;
    to = mean + 2 * sd;
  } else if (share) {
    sw_interval i =
        sw_wilson((int64_t)(mean * INSTANCES + 0.5), INSTANCES, SW_Z95);
    from = i.low;
    to = i.high;
  }
  return low <= to && high >= from;
}

static const json_t *same_cell(const json_t *cells, const json_t *cell) {
  const json_t *other;
  size_t at;
  json_array_foreach(cells, at, other) {
    if (!strcmp(sw_member_text(other, "row", ""),
                sw_member_text(cell, "row", "")) &&
        !strcmp(sw_member_text(other, "column", ""),
                sw_member_text(cell, "column", "")))
      return other;
  }
  return NULL;
}

/* Both absent, or the same number to the last bit. */
static int same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Times are another's every time. */
static int is_time(const json_t *cell) {
  return !strcmp(sw_member_text(cell, "unit", "%"), "s");
}

static int compare_cell(const json_t *kept, const json_t *fresh, void *context,
                        void (*tell)(void *, const char *)) {
  const json_t *value;
  size_t at;
  int differences = 0;
  json_array_foreach(json_object_get(kept, "values"), at, value) {
    char line[400];
    const json_t *other = json_array_get(json_object_get(fresh, "values"), at);
    double a = sw_member_real(value, "value", NAN);
    double b = sw_member_real(other, "value", NAN);
    if (json_is_object(other) && same(a, b)) continue;
    snprintf(line, sizeof line, "%s, %s, seed %lld: kept %.17g, now %.17g",
             sw_member_text(kept, "label", "-"),
             sw_member_text(kept, "column", "-"),
             (long long)sw_member_int(value, "seed", 0), a, b);
    tell(context, line);
    differences++;
  }
  return differences;
}

int sw_kept_compare(const json_t *kept, const json_t *fresh, void *context,
                    void (*tell)(void *context, const char *difference)) {
  const json_t *cell;
  size_t at;
  int differences = 0;
  json_array_foreach(json_object_get(kept, "cells"), at, cell) {
    const json_t *other = same_cell(json_object_get(fresh, "cells"), cell);
    if (is_time(cell)) continue;
    if (other) differences += compare_cell(cell, other, context, tell);
    else {
      char line[300];
      snprintf(line, sizeof line, "%.90s, %.90s: there is no such cell now",
               sw_member_text(cell, "label", "-"),
               sw_member_text(cell, "column", "-"));
      tell(context, line);
      differences++;
    }
  }
  return differences;
}

int sw_kept_numbers(const json_t *kept) {
  const json_t *cell, *value;
  size_t at, i;
  int numbers = 0;
  json_array_foreach(json_object_get(kept, "cells"), at, cell) {
    json_array_foreach(json_object_get(cell, "values"), i, value) {
      numbers += json_is_number(json_object_get(value, "value"));
    }
  }
  return numbers;
}

/* ---- what is kept ---- */

void sw_kept_directory(char *path, size_t room) {
  char program[PATH_MAX] = "";
  const char *given = getenv("STATEWISE_RESULTS");
  snprintf(path, room, "%s", given ? given : "results");
  if (given || sw_is_directory(path)) return;
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  path[0] = 0;
  if (length <= 0) return;
  static const char *const places[] = {"results", "../results",
                                       "../share/statewise/results"};
  program[length] = 0;
  char *slash = strrchr(program, '/');
  if (slash) *slash = 0;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    snprintf(path, room, "%s/%s", program, places[i]);
    if (sw_is_directory(path)) return;
  }
  path[0] = 0;
}

const char *sw_kept_state_name(sw_kept_state state) {
  static const char *const names[] = {"never run", "partial", "kept"};
  return names[state];
}

sw_kept_state sw_kept_state_of(const sw_experiment *e, const char *directory) {
  char path[1400];
  json_t *kept;
  const json_t *cell;
  size_t at;
  int all = 0, done = 0;
  snprintf(path, sizeof path, "%s/%s.json", directory, e->id);
  if (!*directory || sw_read_json(path, &kept, NULL) || !kept)
    return SW_NEVER_RUN;
  json_array_foreach(json_object_get(kept, "cells"), at, cell) {
    all++;
    done += !strcmp(sw_member_text(cell, "state", ""), "done");
  }
  json_decref(kept);
  int wanted = 0, columns_of = sw_experiment_columns(e);
  for (int r = 0; e->row[r].id; r++)
    for (int c = 0; c < columns_of; c++) wanted += sw_row_has(&e->row[r], c);
  if (!done) return SW_NEVER_RUN;
  return done == all && all >= wanted ? SW_KEPT : SW_PARTIAL;
}
