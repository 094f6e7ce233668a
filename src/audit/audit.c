/* Playing and probing for the audit (see audit.h). */
#include "audit/audit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "search/guide_family.h"

static void tell(void *context, const char *label, int64_t done,
                 int64_t total) {
  const sw_audit_options *o = context;
  (void)label;
  if (o->progress) o->progress(o->context, "states", done, total);
}

static void tell_row(void *context, const char *label, int64_t done,
                     int64_t total) {
  const sw_audit_options *o = context;
  (void)label;
  if (o->progress) o->progress(o->context, "searches", done, total);
}

static int stop(void *context) {
  const sw_audit_options *o = context;
  return o->stop && o->stop(NULL);
}

/* ---- the random player: any candidate, evenly ---- */

static int ask_random(sw_guide *guide, sw_question *question, int32_t count,
                      sw_err *err) {
  (void)guide;
  (void)err;
  for (int32_t i = 0; i < count; i++) {
    const sw_game *game = question[i].game;
    int chosen = (int)sw_mt_below(game->draws, (uint32_t)game->candidates);
    for (int k = 0; k < game->candidates; k++)
      question[i].score[k] = k == chosen ? 1.0f : 0.0f;
  }
  return SW_OK;
}

static void close_random(sw_guide *guide) { free(guide); }

static int open_random(sw_guide **guide, const sw_domain *domain, sw_err *err) {
  static const sw_guide_ops ops = {
      .name = "random", .ask = ask_random, .close = close_random, .draws = 1};
  sw_guide *g = *guide = calloc(1, sizeof *g);
  if (!g) return sw_fail(err, SW_MEMORY, "out of memory");
  g->ops = &ops;
  g->domain = domain;
  g->mask = g->positions = "";
  snprintf(g->label, sizeof g->label, "random player");
  return SW_OK;
}

/* ---- one player ---- */

static int play(const sw_audit_options *o, sw_guide *guide, int protocol,
                sw_audit_way *way, sw_err *err) {
  sw_condition c;
  sw_condition_options options;
  sw_condition_defaults(&options);
  options.protocol = protocol;
  options.instances = o->instances;
  options.seed = (int64_t)o->seed;
  if (o->decisions > 0) options.max_decisions = o->decisions;
  SW_TRY(sw_condition_make(&c, &options, guide, &o->task, err));
  sw_score_hooks hooks = {
      .context = (void *)(uintptr_t)o, .progress = tell_row, .stop = stop};
  sw_remote_spent before = sw_client_spent(o->client);
  SW_TRY(sw_score(&c, o->results, &hooks, &way->row, err));
  sw_remote_spent after = sw_client_spent(o->client);
  way->prompt_tokens = after.prompt_tokens - before.prompt_tokens;
  way->answers = after.answers - before.answers;
  return SW_OK;
}

static int gap_of(sw_audit_player *p, uint64_t seed, sw_err *err) {
  const sw_score_row *with = &p->way[SW_CUMULATIVE].row,
                     *without = &p->way[SW_REBUILT].row;
  int64_t count = with->summary.n;
  double *gap = malloc(sizeof *gap * (size_t)(count + 1));
  if (!gap) return sw_fail(err, SW_MEMORY, "out of memory");
  for (int64_t i = 0; i < count; i++)
    gap[i] = without->outcomes[i].solved - with->outcomes[i].solved;
  sw_bootstrap_options boot = {NULL, 1000, seed};
  int code = sw_bootstrap_mean(gap, count, &boot, &p->gap, err);
  free(gap);
  return code;
}

static int examine(const sw_audit_options *o, const sw_states *states,
                   sw_guide *guide, sw_audit_player *p, sw_err *err) {
  sw_by_guide_options probes = {.states = o->states,
                                .histories = o->histories,
                                .padding = 3,
                                .resamples = 1000,
                                .seed = o->seed};
  snprintf(p->name, sizeof p->name, "%s", guide->label);
  for (int protocol = 0; protocol < 2; protocol++)
    SW_TRY(play(o, guide, protocol, &p->way[protocol], err));
  SW_TRY(gap_of(p, o->seed, err));
  SW_TRY(sw_probe_by_guide(states, &o->task, guide, &probes, tell,
                           (void *)(uintptr_t)o, &p->probes, err));
  p->played = 1;
  return SW_OK;
}

static int open_player(const sw_audit_options *o, int which, sw_guide **guide,
                       sw_err *err) {
  *guide = NULL;
  switch (which) {
    case SW_AUDIT_REMOTE:
      return sw_guide_remote(guide, o->client, o->domain, &o->task, err);
    case SW_AUDIT_SSA:
      return o->ssa ? sw_guide_model(guide, o->ssa, NULL, o->team, err) : SW_OK;
    case SW_AUDIT_EXACT:
      return o->domain->search->exact_rule
                 ? sw_guide_named(guide, o->domain,
                                  o->domain->search->exact_rule, err)
                 : SW_OK;
    default:
      return open_random(guide, o->domain, err);
  }
}

/* ---- all of it ---- */

/* The first question of a search, as the endpoint is asked it. */
static int show_example(sw_audit *a, const sw_states *states, sw_err *err) {
  sw_loop_options loop = {.protocol = SW_REBUILT, .max_decisions = INT64_MAX};
  sw_game game;
  sw_messages messages = {0};
  int code = sw_game_new(&game, a->domain, &a->task, &loop, err);
  if (!code && states->instances)
    code = sw_game_start(&game, states->instance[0], 0, err);
  if (!code && states->instances && sw_game_advance(&game)) {
    sw_told told = {.domain = a->domain,
                    .options = &a->task,
                    .trace = &game.trace,
                    .rebuilt = 1,
                    .cand = game.candidate,
                    .count = game.candidates};
    code = sw_words_write(&told, &messages, err);
    if (!code) a->example = sw_messages_flat(&messages);
  }
  sw_messages_free(&messages);
  sw_game_free(&game);
  return code;
}

int sw_audit_run(sw_audit *a, const sw_audit_options *o, sw_err *err) {
  static const char *const keys[] = {
#define X(id, name, text) name,
      SW_AUDIT_PLAYERS(X)
#undef X
  };
  sw_states states;
  memset(a, 0, sizeof *a);
  snprintf(a->address, sizeof a->address, "%s", sw_client_address(o->client));
  snprintf(a->model, sizeof a->model, "%s", sw_client_model(o->client));
  a->domain = o->domain;
  a->task = o->task;
  a->instances = o->instances;
  a->seed = o->seed;
  sw_by_guide_options wanted = {
      .states = o->states, .histories = o->histories, .seed = o->seed + 1};
  SW_TRY(sw_by_guide_states(o->domain, &o->task, 40 + 2 * o->states, &wanted,
                            &states, err));
  int code = show_example(a, &states, err);
  for (int i = 0; i < SW_AUDIT_COUNT && !code; i++) {
    sw_guide *guide;
    a->player[i].key = keys[i];
    code = open_player(o, i, &guide, err);
    if (!code && guide) code = examine(o, &states, guide, &a->player[i], err);
    sw_guide_close(guide);
  }
  sw_states_free(&states);
  a->spent = sw_client_spent(o->client);
  return code;
}

void sw_audit_free(sw_audit *a) {
  for (int i = 0; i < SW_AUDIT_COUNT; i++)
    for (int w = 0; w < 2; w++) sw_score_free(&a->player[i].way[w].row);
  free(a->example);
  a->example = NULL;
}
