/* `statewise eval`: models and policies without a model in the closed loop,
 * side by side, every outcome in the result store. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/progress.h"
#include "base/stats.h"
#include "cli/commands.h"
#include "cli/stop.h"
#include "search/score.h"

/* clang-format off */
#define EVAL_OPTIONS(X)                                                        \
  X(model, LIST, "model", "", 0, 0, "", "run directory or weights; may be repeated; default: the domain's shipped model") \
  X(domain, TEXT, "domain", "", 0, 0, "", "domain; default: the model's")      \
  X(instances, LONG, "instances", "-1", -1, 1e9, "", "instances; -1: the domain's test size") \
  X(seed, LONG, "seed", "42", 0, 9e15, "", "seed of the instance stream")      \
  X(split, CHOICE, "split", "test", 0, 0, "train|valid|test", "which stream the instances come from") \
  X(eval_mask, TEXT, "eval-mask", "", 0, 0, "", "run under another mask than the trained one") \
  X(eval_positions, TEXT, "eval-positions", "", 0, 0, "", "standard or block-relative, instead of the trained ones") \
  X(policies, TEXT, "policies", "exact", 0, 0, "", "policies without a model: exact, all, none, expert, or names joined by commas") \
  X(db, TEXT, "db", "out/results.db", 0, 0, "", "result store; none: do not store") \
  X(width, INT, "width", "64", 1, 4096, "", "games in lock-step")              \
  X(threads, INT, "threads", "0", 0, 256, "", "threads; 0: all cores")         \
  X(no_cache, FLAG, "no-cache", "0", 0, 0, "", "recompute the whole context at every query, as the release does") \
  X(no_model, FLAG, "no-model", "0", 0, 0, "", "only policies without a model") \
  X(shared_draws, FLAG, "shared-draws", "0", 0, 0, "", "one random stream through all instances, as the release does") \
  X(progress, CHOICE, "progress", "auto", 0, 0, "auto|plain|none|json", "progress on standard error") \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object")
/* clang-format on */

typedef struct eval_values {
  EVAL_OPTIONS(SW_OPTION_FIELD)
  SW_LOOP_OPTIONS(SW_OPTION_FIELD)
  sw_pairs task; /* options of the domain, as given */
} eval_values;

static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(eval_values, __VA_ARGS__)
    EVAL_OPTIONS(X) SW_LOOP_OPTIONS(X)
#undef X
};
enum { COUNT = sizeof table / sizeof *table, ROWS_MAX = 128 };

typedef struct evaluation {
  eval_values v;
  unsigned char given[COUNT];
  const sw_domain *domain;
  sw_team *team;
  sw_results *results;
  sw_score_row row[ROWS_MAX];
  int rows;
  sw_progress progress;
  sw_domain_options rule_options;
  sw_loaded first; /* kept open: its options are the rules' too */
} evaluation;

static void show_progress(void *context, const char *label, int64_t done,
                          int64_t total) {
  evaluation *e = context;
  e->progress.total = total;
  sw_progress_step(&e->progress, done, label);
}

static int make_condition(evaluation *e, const sw_domain_options *base,
                          sw_condition *c, sw_err *err) {
  memset(c, 0, sizeof *c);
  SW_TRY(sw_domain_searchable(e->domain, err));
  c->domain = e->domain;
  c->options = *base;
  SW_TRY(sw_domain_apply(e->domain, &e->v.task, &c->options, err));
  SW_TRY(e->domain->resolve(&c->options, err));
#define X(field, ...) c->loop.field = e->v.field;
  SW_LOOP_OPTIONS(X)
#undef X
  sw_loop_resolve(e->domain, &c->options, &c->loop);
  int64_t decisions, tokens;
  c->instances = e->v.instances;
  if (c->instances < 0)
    e->domain->search->budgets(&c->options, &decisions, &tokens, &c->instances);
  c->seed = (uint64_t)e->v.seed;
  c->split = (sw_split)e->v.split;
  c->shared_draws = e->v.shared_draws;
  c->width = e->v.width;
  return SW_OK;
}

static int score_one(evaluation *e, const sw_condition *c, const char *label,
                     int64_t train_seed, sw_err *err) {
  if (e->rows == ROWS_MAX)
    return sw_fail(err, SW_LIMIT, "more than %d rows", ROWS_MAX);
  sw_score_hooks hooks = {
      .context = e, .progress = show_progress, .stop = sw_stop_requested};
  sw_progress_begin(&e->progress, (sw_progress_mode)e->v.progress, "instances",
                    c->instances);
  int code = sw_score(c, label, train_seed, e->results, e->team, &hooks,
                      &e->row[e->rows], err);
  sw_progress_end(&e->progress, NULL);
  if (!code) e->rows++;
  return code;
}

static int score_model(evaluation *e, const char *path, sw_err *err) {
  sw_loaded loaded;
  sw_condition c;
  SW_TRY(sw_loaded_open(&loaded, path, err));
  int code = SW_OK;
  if (e->domain && e->domain != loaded.domain)
    code = sw_fail(err, SW_USAGE, "%s is a model for `%s`, not `%s`", path,
                   loaded.domain->name, e->domain->name);
  e->domain = loaded.domain;
  if (!code) code = make_condition(e, &loaded.options, &c, err);
  if (!code) {
    c.policy = (sw_policy){.model = loaded.model,
                           .reading = loaded.reading,
                           .no_cache = e->v.no_cache};
    code = sw_reading_parse(&c.policy.reading, e->v.eval_mask,
                            e->v.eval_positions, err);
  }
  if (!code) {
    const char *seed = sw_st_meta(loaded.file, "train_seed");
    code =
        score_one(e, &c, loaded.label, seed ? strtoll(seed, NULL, 10) : 0, err);
  }
  if (!code && !e->first.model) { /* the rules face the same task */
    e->first = loaded;
    e->rule_options = c.options;
    return SW_OK;
  }
  sw_loaded_close(&loaded);
  return code;
}

static int score_rule(evaluation *e, const char *name, sw_err *err) {
  sw_condition c;
  SW_TRY(make_condition(e, &e->rule_options, &c, err));
  c.policy.rule = strcmp(name, "expert") ? sw_rule_find(e->domain, name) : -1;
  if (c.policy.rule < 0 && strcmp(name, "expert")) {
    int count = 0;
    while (e->domain->search->rules && e->domain->search->rules[count]) count++;
    const char *near = sw_nearest(name, e->domain->search->rules, count);
    sw_fail(err, SW_USAGE, "`%s` has no policy named `%s`", e->domain->name,
            name);
    return sw_hint(err, "did you mean %s?", near ? near : "expert");
  }
  return score_one(e, &c, name, 0, err);
}

static int score_rules(evaluation *e, sw_err *err) {
  const char *which = e->v.policies ? e->v.policies : "none";
  if (!strcmp(which, "none")) return SW_OK;
  SW_TRY(sw_domain_searchable(e->domain, err));
  if (!strcmp(which, "exact"))
    return e->domain->search->exact_rule
               ? score_rule(e, e->domain->search->exact_rule, err)
               : SW_OK;
  if (!strcmp(which, "all")) {
    for (int i = 0; e->domain->search->rules && e->domain->search->rules[i];
         i++)
      SW_TRY(score_rule(e, e->domain->search->rules[i], err));
    return score_rule(e, "expert", err);
  }
  char names[1024];
  snprintf(names, sizeof names, "%s", which);
  for (char *name = strtok(names, ","); name; name = strtok(NULL, ","))
    SW_TRY(score_rule(e, name, err));
  return SW_OK;
}

static int evaluate(evaluation *e, sw_err *err) {
  eval_values *v = &e->v;
  if (v->domain) {
    SW_TRY(sw_domain_named(v->domain, &e->domain, err));
    sw_domain_defaults(e->domain, &e->rule_options);
  } else if (!v->model.count) {
    sw_fail(err, SW_USAGE, "which domain?");
    return sw_hint(err, "give --domain NAME or --model DIR");
  }
  SW_TRY(sw_team_new(&e->team, v->threads, err));
  if (v->db && strcmp(v->db, "none")) {
    char parent[1024];
    snprintf(parent, sizeof parent, "%s", v->db);
    char *slash = strrchr(parent, '/');
    if (slash) {
      *slash = 0;
      SW_TRY(sw_make_dirs(parent, err));
    }
    SW_TRY(sw_results_open(&e->results, v->db, err));
  }
  char shipped[1024];
  if (!v->model.count && !v->no_model) {
    SW_TRY(sw_shipped_model(v->domain, shipped, sizeof shipped, err));
    v->model.item[v->model.count++] = shipped;
  }
  for (int i = 0; i < v->model.count && !v->no_model; i++)
    SW_TRY(score_model(e, v->model.item[i], err));
  return score_rules(e, err);
}

static void print_row(const sw_score_row *row) {
  const sw_summary *s = &row->summary;
  printf("%-22s %5.1f %% [%4.1f, %5.1f]  %8.2f %8.2f  %6" PRId64 "/%-6" PRId64
         " %6" PRId64 "/%-7" PRId64 " %5" PRId64 "/%-6" PRId64 " %5.1f %%\n",
         row->label, 100 * s->solve_rate, 100 * s->ci_low, 100 * s->ci_high,
         s->mean_decisions, s->mean_backs, s->missed_conflicts,
         s->conflict_queries, s->false_prunes, s->viable_queries, s->repeats,
         s->retry_queries, 100 * s->timeout_rate);
}

/* Mean and sample standard deviation over models of one label. */
static void print_groups(const evaluation *e) {
  for (int i = 0; i < e->rows; i++) {
    double value[ROWS_MAX];
    int count = 0, first = 1;
    for (int j = 0; j < e->rows; j++) {
      if (!e->row[i].is_model || strcmp(e->row[i].label, e->row[j].label))
        continue;
      if (j < i) first = 0;
      value[count++] = 100 * e->row[j].summary.solve_rate;
    }
    if (first && count > 1)
      printf("%-22s %5.1f %% mean of %d models, standard deviation %.1f\n",
             e->row[i].label, sw_mean(value, count), count,
             sw_sd(value, count));
  }
}

static void print_table(const evaluation *e) {
  printf("%-22s %-24s %8s %8s  %13s %14s %12s %7s\n", "policy",
         "solved [95 % interval]", "decisn.", "backs", "missed conf.",
         "false prunes", "repeats", "limit");
  for (int i = 0; i < e->rows; i++) print_row(&e->row[i]);
  print_groups(e);
  printf("solved within  30, 100, 500 decisions:\n");
  for (int i = 0; i < e->rows; i++) {
    const sw_score_row *r = &e->row[i];
    printf("%-22s %5.1f  %5.1f  %5.1f %%\n", r->label,
           100 * sw_solved_within(r->outcomes, r->summary.n, 30),
           100 * sw_solved_within(r->outcomes, r->summary.n, 100),
           100 * sw_solved_within(r->outcomes, r->summary.n, 500));
  }
}

static void print_json(const evaluation *e) {
  sw_json json;
  sw_json_to_file(&json, stdout);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "domain", e->domain->name);
  if (e->rows) sw_score_json(&e->row[0], &json);
  sw_json_array(&json, "rows");
  for (int i = 0; i < e->rows; i++) {
    sw_json_object(&json, NULL);
    sw_score_json(&e->row[i], &json);
    sw_json_end(&json);
  }
  sw_json_end(&json);
  sw_json_end(&json);
}

static int run(const sw_command *self, int argc, char **argv) {
  evaluation *e = calloc(1, sizeof *e);
  sw_err err = {0};
  sw_list rest = {0};
  if (!e) return 71;
  int code = sw_command_parse_task(self, argc, argv, &e->v, e->given, &rest,
                                   &e->v.task);
  if (code >= 0) {
    free(e);
    return code;
  }
  if (rest.count) {
    sw_fail(&err, SW_USAGE, "unexpected argument `%s`", rest.item[0]);
    code = sw_command_fail(&err);
  } else {
    sw_stop_on_signals();
    code = evaluate(e, &err) ? sw_command_fail(&err) : 0;
    if (!code && e->v.json) print_json(e);
    else if (!code) print_table(e);
  }
  for (int i = 0; i < e->rows; i++) sw_score_free(&e->row[i]);
  if (e->first.model) sw_loaded_close(&e->first);
  sw_results_close(e->results);
  sw_team_free(e->team);
  free(e);
  return code;
}

const sw_command sw_command_eval = {
    .name = "eval",
    .usage = "[--model DIR]... [--domain D] [--protocol P] [--loop L]",
    .summary = "Let models and rules search, and count what they do",
    .details =
        "Every outcome goes to the result store (--db); an evaluation that "
        "was stopped goes on where it was.\nRates are per queried state of "
        "their kind, with counts. The interval is Wilson's.",
    .options = table,
    .option_count = COUNT,
    .run = run,
    .takes_task = 1};
