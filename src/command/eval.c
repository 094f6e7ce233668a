/* `statewise eval`: models and policies without a model in the closed loop,
 * side by side, every outcome in the result store. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashset.h"
#include "base/file.h"
#include "base/ranks.h"
#include "command/io.h"
#include "base/stats.h"
#include "base/text.h"
#include "command/commands.h"
#include "command/probe_forced.h"
#include "base/stop.h"
#include "remote/guide_remote.h"
#include "search/guide_family.h"
#include "search/score.h"

/* clang-format off */
#define EVAL_OPTIONS(X)                                                        \
  X(model, LIST, "model", "", 0, 0, "", "run directory or weights; may be repeated; default: the domain's shipped model") \
  X(domain, TEXT, "domain", "", 0, 0, "", "domain; default: the model's")      \
  X(data, TEXT, "data", "", 0, 0, "", "recorded searches instead of the closed loop (probe forced --help)") \
  X(eval_mask, TEXT, "eval-mask", "", 0, 0, "", "run under another mask than the trained one") \
  X(eval_positions, TEXT, "eval-positions", "", 0, 0, "", "standard or block-relative, instead of the trained ones") \
  X(policies, TEXT, "policies", "beside", 0, 0, "", "policies without a model: beside (floors and ceilings), exact, all, none, expert, or names joined by commas") \
  X(db, TEXT, "db", "out/results.db", 0, 0, "", "result store; none: do not store") \
  SW_THREADS_ROW(X, "threads; 0: all cores")         \
  X(no_cache, FLAG, "no-cache", "0", 0, 0, "", "recompute the whole context at every query, as the release does") \
  X(no_model, FLAG, "no-model", "0", 0, 0, "", "only policies without a model") \
  X(progress, CHOICE, "progress", "auto", 0, 0, "auto|plain|none|json", "progress on standard error") \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object")
/* clang-format on */

typedef struct eval_values {
  EVAL_OPTIONS(SW_OPTION_FIELD)
  sw_condition_options c;
  sw_remote_options remote;
  sw_pairs task; /* options of the domain, as given */
} eval_values;

static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(eval_values, __VA_ARGS__)
    EVAL_OPTIONS(X)
#undef X
#define X(field, ...) SW_OPTION_ROW(eval_values, c.field, __VA_ARGS__)
        SW_LOOP_OPTIONS(X) SW_CONDITION_OPTIONS(X)
#undef X
#define X(field, ...) SW_OPTION_ROW(eval_values, remote.field, __VA_ARGS__)
            SW_REMOTE_OPTIONS(X)
#undef X
};
enum { COUNT = sizeof table / sizeof *table, ROWS_MAX = 128 };

typedef struct evaluation {
  eval_values v;
  sw_command_io *io;
  const sw_domain *domain;
  sw_team *team;
  sw_results *results;
  sw_score_row row[ROWS_MAX];
  int rows;
  sw_progress progress;
  sw_domain_options rule_options;
  sw_loaded first; /* kept open: the rules use its options too */
} evaluation;

static void show_progress(void *context, const char *label, int64_t done,
                          int64_t total) {
  evaluation *e = context;
  e->progress.total = total;
  sw_progress_step(&e->progress, done, label);
}

/* Plays one guide on the task of `base`; verifier NULL: as the options say. */
static int score_one(evaluation *e, sw_guide *guide,
                     const sw_domain_options *base, const char *verifier,
                     const char *role, sw_err *err) {
  sw_condition c;
  sw_condition_options options = e->v.c;
  sw_domain_options task = *base;
  if (e->rows == ROWS_MAX)
    return sw_fail(err, SW_LIMIT, "more than %d rows", ROWS_MAX);
  SW_TRY(sw_domain_apply(e->domain, &e->v.task, &task, err));
  if (verifier) {
    options.verifier = verifier;
    options.loop = NULL;
  }
  SW_TRY(sw_condition_make(&c, &options, guide, &task, err));
  sw_score_hooks hooks = {
      .context = e, .progress = show_progress, .stop = sw_stop_asked};
  sw_progress_begin(&e->progress, e->io, (sw_progress_mode)e->v.progress,
                    "instances", c.instances);
  sw_score_row *row = &e->row[e->rows];
  int code = sw_score(&c, e->results, &hooks, row, err);
  sw_progress_end(&e->progress);
  if (code) return code;
  row->role = role;
  e->rows++;
  if (guide->hash[0]) e->rule_options = c.options;
  return SW_OK;
}

static int score_model(evaluation *e, const char *path, sw_err *err) {
  sw_loaded loaded;
  sw_guide *guide = NULL;
  SW_TRY(sw_loaded_open(&loaded, path, err));
  int code = sw_domain_searchable(loaded.domain, err);
  if (!code && e->domain && e->domain != loaded.domain)
    code = sw_fail(err, SW_USAGE, "%s is a model for `%s`, not `%s`", path,
                   loaded.domain->name, e->domain->name);
  e->domain = loaded.domain;
  sw_domain_options task = e->rule_options;
  sw_guide_setup setup = {.mask = e->v.eval_mask,
                          .positions = e->v.eval_positions,
                          .no_cache = e->v.no_cache};
  if (!code) code = sw_guide_model(&guide, &loaded, &setup, e->team, err);
  if (!code) code = score_one(e, guide, &loaded.options, NULL, NULL, err);
  sw_guide_close(guide);
  if (!code && !e->first.model) { /* the rules face the same task */
    e->first = loaded;
    return SW_OK;
  }
  e->rule_options = task;
  sw_loaded_close(&loaded);
  return code;
}

/* The model behind an endpoint plays in words. The task is that of the first
 * --model, or of the shipped one, whose format the words are written from. */
static int score_remote(evaluation *e, sw_err *err) {
  sw_client *client = NULL;
  sw_guide *guide = NULL;
  char shipped[1024];
  sw_domain_options task;
  if (!e->first.model) {
    if (e->v.model.count)
      SW_TRY(sw_loaded_open(&e->first, e->v.model.item[0], err));
    else if (!sw_shipped_model(e->domain->name, shipped, sizeof shipped, NULL))
      SW_TRY(sw_loaded_open(&e->first, shipped, err));
    if (e->first.model) {
      e->domain = e->first.domain;
      e->rule_options = e->first.options;
    }
  }
  task = e->rule_options;
  SW_TRY(sw_domain_apply(e->domain, &e->v.task, &task, err));
  SW_TRY(e->domain->resolve(&task, err));
  int code = sw_client_new(&client, &e->v.remote, sw_stop_asked, err);
  if (!code) code = sw_guide_remote(&guide, client, e->domain, &task, err);
  if (!code)
    code = score_one(e, guide, &e->rule_options, NULL, "in words", err);
  sw_guide_close(guide);
  sw_client_free(client);
  return code;
}

/* Rules have no verify head. Beside a model whose head decides, rules go back
 * at exposed conflicts; without a model such a verifier is refused. */
static int needs_head(const evaluation *e) {
  const char *text = e->v.c.verifier;
  sw_verifier *verifier;
  if (!text || sw_verifier_open(&verifier, e->domain, text, NULL)) return 0;
  int needs = verifier->needs_verdicts;
  sw_verifier_close(verifier);
  return needs;
}

static int score_rule(evaluation *e, const char *name, const char *verifier,
                      const char *role, sw_err *err) {
  sw_guide *guide;
  SW_TRY(sw_guide_named(&guide, e->domain, name, err));
  if (!verifier && !e->v.no_model && needs_head(e)) verifier = "exact";
  int code = score_one(e, guide, &e->rule_options, verifier, role, err);
  sw_guide_close(guide);
  return code;
}

/* Baselines that need no model are played beside the models: floors first, then
 * the imitator and the ceiling. A rule with two roles is played once. Under the
 * release's layout the search goes back by itself, so `never` is left out. */
static int score_beside(evaluation *e, sw_err *err) {
  const sw_search_ops *s = e->domain->search;
  if (s->rule.trivial)
    SW_TRY(score_rule(e, s->rule.trivial, NULL, "trivial", err));
  if (s->rule.onward && !e->v.c.release_layout)
    SW_TRY(score_rule(e, s->rule.onward, "never", "never back", err));
  if (s->rule.exact)
    SW_TRY(score_rule(e, s->rule.exact, NULL, "exact rule", err));
  if (s->rule.best && (!s->rule.exact || strcmp(s->rule.best, s->rule.exact)))
    SW_TRY(score_rule(e, s->rule.best, NULL, "best rule", err));
  return SW_OK;
}

/* One word of --policies: a set of rules, or the name of one. */
static int score_word(evaluation *e, const char *word, sw_err *err) {
  const sw_search_ops *search = e->domain->search;
  if (!strcmp(word, "none")) return SW_OK;
  if (!strcmp(word, "beside")) return score_beside(e, err);
  if (!strcmp(word, "exact"))
    return search->rule.exact
               ? score_rule(e, search->rule.exact, NULL, NULL, err)
               : SW_OK;
  if (strcmp(word, "all")) return score_rule(e, word, NULL, NULL, err);
  for (int i = 0; search->rule.names && search->rule.names[i]; i++)
    SW_TRY(score_rule(e, search->rule.names[i], NULL, NULL, err));
  return score_rule(e, "expert", NULL, NULL, err);
}

static int score_rules(evaluation *e, sw_err *err) {
  char words[1024], *at;
  const char *which = e->v.policies ? e->v.policies : "none";
  if (!strcmp(which, "none")) return SW_OK;
  SW_TRY(sw_domain_searchable(e->domain, err));
  snprintf(words, sizeof words, "%s", which);
  for (char *word = strtok_r(words, ",", &at); word;
       word = strtok_r(NULL, ",", &at))
    SW_TRY(score_word(e, word, err));
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
  if (sw_ranks_me() == 0 && v->db && strcmp(v->db, "none")) {
    SW_TRY(sw_make_parents(v->db, err));
    SW_TRY(sw_results_open(&e->results, v->db, err));
  }
  char shipped[1024];
  if (!v->model.count && !v->no_model && !v->remote.guide) {
    SW_TRY(sw_shipped_model(v->domain, shipped, sizeof shipped, err));
    v->model.item[v->model.count++] = shipped;
  }
  for (int i = 0; i < v->model.count && !v->no_model; i++)
    SW_TRY(score_model(e, v->model.item[i], err));
  if (v->remote.guide) SW_TRY(score_remote(e, err));
  return score_rules(e, err);
}

/* The policy and its role. */
static const char *row_name(const sw_score_row *row, char *text, size_t room) {
  snprintf(text, room, row->role ? "%s (%s)" : "%s", row->label, row->role);
  return text;
}

static void print_row(sw_command_io *io, const sw_score_row *row) {
  const sw_summary *s = &row->summary;
  char name[128];
  fprintf(io->out,
          "%-28s %5.1f %% [%4.1f, %5.1f]  %8.2f %8.2f  %6" PRId64 "/%-6" PRId64
          " %6" PRId64 "/%-7" PRId64 " %6" PRId64 " %5" PRId64 "/%-6" PRId64
          " %7" PRId64 " %5.1f %%\n",
          row_name(row, name, sizeof name), 100 * s->solve_rate,
          100 * s->ci_low, 100 * s->ci_high, s->mean_decisions, s->mean_backs,
          s->missed_conflicts, s->conflict_queries, s->false_prunes,
          s->viable_queries, s->early_backs, s->repeats, s->retry_queries,
          s->illegal, 100 * s->timeout_rate);
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
      fprintf(e->io->out,
              "%-28s %5.1f %% mean of %d models, standard deviation %.1f\n",
              e->row[i].label, sw_mean(value, count), count,
              sw_sd(value, count));
  }
}

/* Every row faces the same problems. */
static void note_left_out(const evaluation *e) {
  int64_t most = 0;
  for (int i = 0; i < e->rows; i++)
    if (e->row[i].left_out > most) most = e->row[i].left_out;
  if (most)
    sw_note(e->io,
            "%" PRId64
            " problems of the test stream were left out: the model "
            "was trained on them",
            most);
}

/* An environment may repeat problems; the interval takes every search for an
 * independent one. */
static void note_repeated(const evaluation *e) {
  sw_hashset met = {0};
  const sw_score_row *r = &e->row[0];
  int64_t different = 0;
  for (int64_t i = 0; e->rows && i < r->summary.n; i++) {
    int added = sw_hashset_add(&met, r->outcomes[i].instance_hash);
    if (added < 0) break;
    different += added;
  }
  if (e->rows && different < r->summary.n)
    sw_note(e->io,
            "these %" PRId64 " searches have only %" PRId64
            " different problems: the intervals take them for independent "
            "and are too narrow",
            (int64_t)r->summary.n, different);
  sw_hashset_free(&met);
}

static void print_table(const evaluation *e) {
  fprintf(e->io->out, "%-28s %-24s %8s %8s  %13s %14s %6s %12s %7s %7s\n",
          "policy", "solved [95 % interval]", "decisn.", "backs",
          "missed conf.", "false prunes", "early", "repeats", "illegal",
          "limit");
  for (int i = 0; i < e->rows; i++) print_row(e->io, &e->row[i]);
  print_groups(e);
  fprintf(e->io->out, "solved within  30, 100, 500 decisions:\n");
  for (int i = 0; i < e->rows; i++) {
    const sw_score_row *r = &e->row[i];
    char name[128];
    fprintf(e->io->out, "%-28s %5.1f  %5.1f  %5.1f %%\n",
            row_name(r, name, sizeof name),
            100 * sw_solved_within(r->outcomes, r->summary.n, 30),
            100 * sw_solved_within(r->outcomes, r->summary.n, 100),
            100 * sw_solved_within(r->outcomes, r->summary.n, 500));
  }
}

static void print_json(const evaluation *e) {
  sw_json json;
  sw_json_to_file(&json, e->io->out);
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

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  evaluation *e = calloc(1, sizeof *e);
  if (!e) return sw_no_memory(err);
  e->io = io;
  int code = sw_command_parse_task(self, argc, argv, &e->v, NULL, NULL,
                                   &e->v.task, err);
  if (!code) code = evaluate(e, err);
  if (!code) note_left_out(e);
  if (!code) note_repeated(e);
  if (!code && e->v.json) print_json(e);
  else if (!code) print_table(e);
  for (int i = 0; i < e->rows; i++) sw_score_free(&e->row[i]);
  if (e->first.model) sw_loaded_close(&e->first);
  sw_results_close(e->results);
  sw_team_free(e->team);
  free(e);
  return code;
}

const sw_command sw_command_eval = {
    .name = "eval",
    .usage = "[--model DIR]... [--domain D] [--protocol P] [--verifier V]",
    .summary = "Let models and rules search, and count what they do",
    .details =
        "Every outcome goes to the result store (--db); an evaluation that "
        "was stopped resumes.\nRates are per queried state of their kind, "
        "with counts. The interval is Wilson's.\n`statewise help verifiers` "
        "lists the verifiers, which say when to go back.",
    .options = table,
    .option_count = COUNT,
    .run = run,
    .instead = sw_eval_data_instead,
    .takes_task = 1,
    .over_ranks = 1,
    .stoppable = 1};
