/* `statewise probe guide`: the probes through the guide interface, for players
 * that give choices only: a model behind an endpoint, a rule; or a model of
 * ours, for comparison. `probe transplant`, `padding` and `bank eval` come here
 * when they are given --guide. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"
#include "command/probe_guide.h"
#include "command/io.h"
#include "base/stop.h"
#include "probe/by_guide.h"
#include "remote/guide_remote.h"
#include "search/guide_family.h"

/* clang-format off */
#define GUIDE_OPTIONS(X)                                                       \
  X(domain, TEXT, "domain", "", 0, 0, "", "domain; default: the model's, else sat") \
  X(model, LIST, "model", "", 0, 0, "", "run directory or weights; may be repeated") \
  X(policy, LIST, "policy", "", 0, 0, "", "rule of the domain, or expert; may be repeated") \
  X(states, LONG, "states", "60", 2, 1e7, "", "states asked about")            \
  SW_HISTORIES_ROW(X, "3")   \
  SW_INSTANCES_ROW(X, "200", "most instances searched for states") \
  X(padding, INT, "blocks", "3", 0, 64, "", "foreign blocks of the padding")   \
  X(resamples, LONG, "resamples", "1000", 0, 1e6, "", "bootstrap resamples, clustered by instance; 0: no intervals") \
  SW_SEED_ROW(X, "42", "seed of instances, rollouts and resamples") \
  SW_THREADS_ROW(X, "threads; 0: all cores")         \
  X(progress, CHOICE, "progress", "auto", 0, 0, "auto|plain|none|json", "progress on standard error") \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object")
/* clang-format on */

typedef struct values {
  GUIDE_OPTIONS(SW_OPTION_FIELD)
  sw_remote_options remote;
  sw_pairs task;
} values;
static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(values, __VA_ARGS__)
    GUIDE_OPTIONS(X)
#undef X
#define X(field, ...) SW_OPTION_ROW(values, remote.field, __VA_ARGS__)
        SW_REMOTE_OPTIONS(X)
#undef X
};

enum { ROWS = 64 };
typedef struct probing {
  sw_command_io *io;
  values v;
  const sw_domain *domain;
  sw_domain_options task;
  sw_loaded base; /* whose options the task has */
  sw_team *team;
  sw_client *client;
  sw_states states;
  int collected, rows;
  char label[ROWS][96];
  sw_by_guide_result row[ROWS];
} probing;

static sw_by_guide_options options_of(const probing *p) {
  sw_by_guide_options o = {.states = p->v.states,
                           .histories = p->v.histories,
                           .padding = p->v.padding,
                           .resamples = p->v.resamples,
                           .seed = (uint64_t)p->v.seed};
  return o;
}

static int prepare(probing *p, sw_err *err) {
  char path[1024];
  const char *name = p->v.domain ? p->v.domain : "sat";
  const char *model = p->v.model.count ? p->v.model.item[0] : NULL;
  const sw_domain *named = NULL;
  if (p->v.domain) SW_TRY(sw_domain_named(name, &named, err));
  if (!model && !sw_shipped_model(name, path, sizeof path, NULL)) model = path;
  if (model) SW_TRY(sw_loaded_open(&p->base, model, err));
  p->domain = p->base.model ? p->base.domain
              : named       ? named
                            : sw_domain_find(name);
  if (named && p->domain != named)
    return sw_fail(err, SW_USAGE, "`%s` is not the domain here", name);
  SW_TRY(sw_domain_searchable(p->domain, err));
  if (p->base.model) p->task = p->base.options;
  else sw_domain_defaults(p->domain, &p->task);
  SW_TRY(sw_domain_apply(p->domain, &p->v.task, &p->task, err));
  SW_TRY(p->domain->resolve(&p->task, err));
  SW_TRY(sw_team_new(&p->team, p->v.threads, err));
  sw_by_guide_options wanted = options_of(p);
  SW_TRY(sw_by_guide_states(p->domain, &p->task, p->v.instances, &wanted,
                            &p->states, err));
  p->collected = 1;
  return SW_OK;
}

static int ask(probing *p, sw_guide *guide, sw_err *err) {
  sw_progress line;
  sw_by_guide_options o = options_of(p);
  if (p->rows == ROWS) return sw_fail(err, SW_LIMIT, "more than %d rows", ROWS);
  snprintf(p->label[p->rows], sizeof p->label[0], "%s", guide->label);
  sw_progress_begin(&line, p->io, (sw_progress_mode)p->v.progress, "states",
                    p->v.states);
  int code = sw_probe_by_guide(&p->states, &p->task, guide, &o,
                               sw_progress_show, &line, &p->row[p->rows], err);
  sw_progress_end(&line);
  p->rows += !code;
  sw_guide_close(guide);
  return code;
}

static int ask_all(probing *p, sw_err *err) {
  sw_guide *guide;
  SW_TRY(prepare(p, err));
  for (int i = 0; i < p->v.model.count; i++) {
    sw_loaded loaded;
    SW_TRY(sw_loaded_open(&loaded, p->v.model.item[i], err));
    int code = loaded.domain == p->domain
                   ? sw_guide_model(&guide, &loaded, NULL, p->team, err)
                   : sw_fail(err, SW_USAGE, "%s is of another domain",
                             p->v.model.item[i]);
    if (!code) code = ask(p, guide, err);
    sw_loaded_close(&loaded);
    SW_TRY(code);
  }
  if (p->v.remote.guide) {
    SW_TRY(sw_client_new(&p->client, &p->v.remote, sw_stop_asked, err));
    SW_TRY(sw_guide_remote(&guide, p->client, p->domain, &p->task, err));
    SW_TRY(ask(p, guide, err));
  }
  for (int i = 0; i < p->v.policy.count; i++) {
    SW_TRY(sw_guide_named(&guide, p->domain, p->v.policy.item[i], err));
    SW_TRY(ask(p, guide, err));
  }
  if (p->rows) return SW_OK;
  sw_fail(err, SW_USAGE, "no player is named");
  return sw_hint(err, "give --guide URL, --model DIR or --policy NAME");
}

static void percent(sw_command_io *io, double share) {
  if (isnan(share)) fprintf(io->out, " %15s", "-");
  else fprintf(io->out, " %13.1f %%", 100 * share);
}

static void print(const probing *p) {
  fprintf(p->io->out,
          "%s, size %d: %" PRId64 " states, %" PRId64
          " of them contradictions\n%-24s %15s %15s %15s %15s %15s\n",
          p->domain->name, p->task.n, p->row[0].states,
          p->row[0].conflict_states, "same choice after", "other history",
          "no history", "padding", "missed", "false backs");
  for (int i = 0; i < p->rows; i++) {
    const sw_by_guide_result *r = &p->row[i];
    fprintf(p->io->out, "%-24s", p->label[i]);
    percent(p->io, r->same_choice);
    percent(p->io, r->cleared_same);
    percent(p->io, r->padded_same);
    fprintf(
        p->io->out, " %7" PRId64 "/%-7" PRId64 " %7" PRId64 "/%-7" PRId64 "\n",
        r->with.missed, r->with.conflicts, r->with.false_backs, r->with.viable);
  }
}

static void print_json(const probing *p) {
  sw_json json;
  sw_json_to_file(&json, p->io->out);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "domain", p->domain->name);
  sw_json_array(&json, "rows");
  for (int i = 0; i < p->rows; i++) {
    sw_json_object(&json, NULL);
    sw_json_string(&json, "guide", p->label[i]);
    sw_by_guide_json(&p->row[i], &json);
    sw_json_end(&json);
  }
  sw_json_end(&json);
  sw_json_end(&json);
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  probing *p = calloc(1, sizeof *p);
  if (!p) return sw_no_memory(err);
  p->io = io;
  int code = sw_command_parse_task(self, argc, argv, &p->v, NULL, NULL,
                                   &p->v.task, err);
  if (!code) code = ask_all(p, err);
  if (!code && p->v.json) print_json(p);
  else if (!code) print(p);
  if (p->collected) sw_states_free(&p->states);
  sw_client_free(p->client);
  sw_team_free(p->team);
  if (p->base.model) sw_loaded_close(&p->base);
  free(p);
  return code;
}

const sw_command *sw_probe_guide_instead(int *argc, char **argv) {
  for (int i = 1; i < *argc; i++)
    if (!strcmp(argv[i], "--guide") || !strncmp(argv[i], "--guide=", 8))
      return &sw_command_probe_guide;
  return NULL;
}

const sw_command sw_command_probe_guide = {
    .name = "probe guide",
    .usage = "--guide URL [--model DIR]... [--policy NAME]...",
    .summary = "Probe any player: an endpoint, a rule, a model",
    .details =
        "Each state is asked about after several histories, after none, and "
        "with blocks of other searches before it; choices are compared, and "
        "whether it goes back exactly at contradictions. `probe transplant`, "
        "`probe padding` and `probe bank eval` with --guide are this command.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .takes_task = 1,
    .stoppable = 1};
