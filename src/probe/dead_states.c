/* Telling dead states from viable ones (see dead_states.h). States are gathered
 * as columns, one score a column, and judged together at the end. */
#include "probe/dead_states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "domains/replay.h"
#include "search/ask.h"
#include "probe/bank_eval.h"
#include "search/viability.h"

/* Scores beside the head's, before the domain's own sizes. */
enum { HEAD, POLICY, DEPTH, OWN_SIZES };
static const char *const fixed[] = {"verify head",
                                    "policy's share of going back", "depth"};

typedef struct gathered {
  double *score[SW_DEAD_SCORES];
  uint8_t *dead, *exposed;
  int64_t *instance;
  int64_t count, room;
  int scores;
} gathered;

static void release(gathered *g) {
  for (int i = 0; i < SW_DEAD_SCORES; i++) free(g->score[i]);
  free(g->dead);
  free(g->exposed);
  free(g->instance);
}

static int no_memory(sw_err *err) {
  return sw_no_memory_for(err, "judging states");
}

/* The names of the scores; how many. */
static void name_scores(gathered *g, const sw_domain *domain,
                        const sw_viability_judge *judge, sw_dead_result *out) {
  const char *const *own = domain->search->truth.size_names;
  g->scores = 0;
  for (; g->scores < OWN_SIZES; g->scores++)
    out->score[g->scores] = fixed[g->scores];
  if (judge) out->score[HEAD] = "judge";
  for (int i = 0; own && own[i] && g->scores < SW_DEAD_SCORES; i++)
    out->score[g->scores++] = own[i];
}

static int gather(gathered *g, const sw_domain *domain, sw_env *env,
                  double head, double policy, int64_t instance, sw_err *err) {
  const sw_search_ops *search = domain->search;
  if (g->count == g->room) {
    int64_t room = g->room, want = g->room ? 2 * g->room : 1024;
    int ok = sw_grow64(&g->dead, &(int64_t){room}, want, 1) &&
             sw_grow64(&g->exposed, &(int64_t){room}, want, 1) &&
             sw_grow64(&g->instance, &(int64_t){room}, want, sizeof(int64_t));
    for (int i = 0; i < g->scores && ok; i++)
      ok = sw_grow64(&g->score[i], &(int64_t){room}, want, sizeof(double));
    if (!ok) return no_memory(err);
    g->room = want;
  }
  int exposed = search->in_conflict(env);
  g->score[HEAD][g->count] = head;
  g->score[POLICY][g->count] = policy;
  g->score[DEPTH][g->count] = search->depth(env);
  for (int i = OWN_SIZES; i < g->scores; i++)
    g->score[i][g->count] = search->truth.size(env, i - OWN_SIZES);
  g->exposed[g->count] = (uint8_t)exposed;
  g->dead[g->count] = (uint8_t)(exposed || search->truth.doomed(env));
  g->instance[g->count++] = instance;
  return SW_OK;
}

/* An exposed conflict is dead without asking the judge, as in the verifier. */
static int judged(sw_viability_judge *judge, const sw_domain *domain,
                  const sw_env *env, int64_t step, double *dead, sw_err *err) {
  *dead = 1;
  if (domain->search->in_conflict(env)) return SW_OK;
  return sw_viability_score(judge, env, step, dead, err);
}

/* ---- judging what was gathered ---- */

/* The states of a part, moved together. */
static int64_t select_part(const gathered *g, sw_dead_part part, int score,
                           double *value, uint8_t *label, int64_t *cluster) {
  int64_t count = 0;
  for (int64_t i = 0; i < g->count; i++) {
    if (part == SW_DEAD_UNEXPOSED && g->exposed[i]) continue;
    value[count] = g->score[score][i];
    label[count] = g->dead[i];
    cluster[count++] = g->instance[i];
  }
  return count;
}

static void sweep(const double *value, const uint8_t *label, int64_t count,
                  sw_dead_threshold *out) {
  static const double taus[SW_DEAD_THRESHOLDS] = {0.05, 0.1, 0.2, 0.3,  0.5,
                                                  0.7,  0.8, 0.9, 0.95, 0.99};
  for (int t = 0; t < SW_DEAD_THRESHOLDS; t++) {
    int64_t dead = 0, caught = 0, pruned = 0;
    for (int64_t i = 0; i < count; i++) {
      int says = value[i] > taus[t];
      dead += label[i];
      caught += says && label[i];
      pruned += says && !label[i];
    }
    out[t] = (sw_dead_threshold){
        .tau = taus[t],
        .false_prune_rate =
            count > dead ? (double)pruned / (double)(count - dead) : NAN,
        .recall = dead ? (double)caught / (double)dead : NAN,
        .flagged = caught + pruned};
  }
}

static int judge_part(const gathered *g, sw_dead_part part, int score,
                      int64_t resamples, uint64_t seed, double *value,
                      uint8_t *label, int64_t *cluster, sw_dead_result *out,
                      sw_err *err) {
  sw_dead_row *row = &out->row[part][score];
  sw_interval intervals[SW_VERDICT_INTERVALS];
  int64_t count = select_part(g, part, score, value, label, cluster);
  SW_TRY(sw_verdicts_of(value, label, count, &row->verdicts, err));
  row->auroc =
      (sw_interval){.point = row->verdicts.auroc, .low = NAN, .high = NAN};
  if (resamples) {
    SW_TRY(sw_verdict_intervals(value, label, cluster, count, resamples, seed,
                                intervals, err));
    row->auroc = intervals[2];
  }
  if (score == HEAD && part == SW_DEAD_UNEXPOSED)
    sweep(value, label, count, out->sweep);
  double ece;
  if (score == HEAD && part == SW_DEAD_ALL)
    return sw_ece(value, label, count, SW_ECE_BINS, out->curve, &out->bins,
                  &ece, err);
  return SW_OK;
}

static int judge_all(const gathered *g, int64_t resamples, uint64_t seed,
                     sw_dead_result *out, sw_err *err) {
  size_t n = (size_t)g->count + 1;
  double *value = malloc(sizeof *value * n);
  uint8_t *label = malloc(n);
  int64_t *cluster = malloc(sizeof *cluster * n);
  int code = value && label && cluster ? SW_OK : no_memory(err);
  out->states = g->count;
  for (int64_t i = 0; i < g->count; i++) {
    out->dead += g->dead[i];
    out->exposed += g->exposed[i];
    out->instances += i == 0 || g->instance[i] != g->instance[i - 1];
  }
  for (int part = 0; part < SW_DEAD_PARTS; part++)
    for (int s = 0; s < g->scores && !code; s++)
      code = judge_part(g, (sw_dead_part)part, s, resamples, seed, value, label,
                        cluster, out, err);
  free(value);
  free(label);
  free(cluster);
  return code;
}

static int check_domain(const sw_domain *domain, sw_err *err) {
  SW_TRY(sw_domain_searchable(domain, err));
  if (domain->search->truth.doomed) return SW_OK;
  return sw_fail(err, SW_USAGE, "`%s` cannot tell which states are dead",
                 domain->name);
}

/* ---- the model's own searches ---- */

/* Share of going back among the candidates. */
static double back_share(const sw_game *game) {
  double top = -INFINITY, sum = 0, own = 0;
  for (int i = 0; i < game->candidates; i++)
    if ((double)game->score[i] > top) top = game->score[i];
  for (int i = 0; i < game->candidates; i++) {
    double e = exp((double)game->score[i] - top);
    sum += e;
    if (game->candidate[i].kind == SW_CAND_BACK) own += e;
  }
  return sum > 0 ? own / sum : 0;
}

static int play(gathered *g, const sw_condition *c, sw_viability_judge *judge,
                sw_game *game, const sw_instance *instance, int64_t index,
                sw_err *err) {
  SW_TRY(sw_game_start(game, instance, index, err));
  SW_TRY(sw_guide_start(c->guide, 0, game, err));
  for (int asked;;) {
    SW_TRY(sw_guide_next(c->guide, game, &asked, err));
    if (!asked) break;
    if (game->can_back) {
      double dead = game->dead;
      if (judge)
        SW_TRY(judged(judge, c->domain, game->env, game->trace.blocks - 1,
                      &dead, err));
      SW_TRY(
          gather(g, c->domain, game->env, dead, back_share(game), index, err));
    }
    sw_game_take(game);
  }
  return sw_game_trouble(game, err);
}

static int play_all(gathered *g, const sw_condition *c,
                    sw_viability_judge *judge, sw_progress_fn progress,
                    void *context, sw_err *err) {
  sw_game game;
  sw_stream *stream = NULL;
  int code = sw_game_new(&game, c->domain, &c->options, &c->loop, err);
  if (!code) {
    game.seed = c->seed;
    code = sw_guide_reserve(c->guide, 1, err);
  }
  if (!code)
    code = c->domain->stream_new(&stream, &c->options, c->seed, c->split, err);
  for (int64_t i = 0; i < c->instances && !code; i++) {
    sw_instance *instance = NULL;
    code = c->domain->stream_next(stream, &instance, err);
    if (!code) code = play(g, c, judge, &game, instance, i, err);
    if (instance) c->domain->instance_free(instance);
    if (progress) progress(context, NULL, i + 1, c->instances);
  }
  if (stream) c->domain->stream_free(stream);
  sw_game_free(&game);
  return code;
}

int sw_dead_rollouts(const sw_condition *c, sw_viability_judge *judge,
                     int64_t resamples, sw_progress_fn progress, void *context,
                     sw_dead_result *out, sw_err *err) {
  gathered g = {0};
  memset(out, 0, sizeof *out);
  SW_TRY(check_domain(c->domain, err));
  name_scores(&g, c->domain, judge, out);
  int code = play_all(&g, c, judge, progress, context, err);
  if (!code) code = judge_all(&g, resamples, c->seed, out, err);
  release(&g);
  return code;
}

/* ---- a bank ---- */

typedef struct bank_state {
  gathered *g;
  sw_replay replay;
  int64_t last; /* block */
  sw_viability_judge *judge;
  double head, policy;
  int64_t instance;
} bank_state;

static int at_block(void *context, sw_env *env, int64_t at, sw_err *err) {
  bank_state *s = context;
  const sw_domain *domain = s->replay.domain;
  int64_t block = s->replay.out.blocks - 1;
  (void)at;
  if (block != s->last) return SW_OK;
  if (s->judge) SW_TRY(judged(s->judge, domain, env, block - 1, &s->head, err));
  return gather(s->g, domain, env, s->head, s->policy, s->instance, err);
}

/* One state: the head's score for problem and state first, then the path
 * there. */
static int bank_one(const sw_bank *bank, int64_t state, sw_asker *asker,
                    const sw_domain_options *options, bank_state *s,
                    sw_trace *input, sw_err *err) {
  const sw_domain *domain = s->replay.domain;
  sw_replay_watch watch = {.context = s, .decides = at_block, .as_written = 1};
  int waits;
  int64_t history = bank->probe_history[state];
  const float *logits;
  sw_instance *instance = NULL;
  float dead = 0;
  SW_TRY(sw_bank_input(bank, state, history, 1, input, err));
  int code = sw_ask(asker, input, &logits, err);
  if (code == SW_LIMIT) return SW_OK;
  SW_TRY(code);
  if (!s->judge) SW_TRY(sw_ask_verdict(asker, &dead, err));
  double mass, size_free;
  int64_t first = bank->probe_allowed[state];
  sw_bank_score_logits(
      logits, sw_asker_vocab(asker), bank->back_token, bank->allowed + first,
      bank->probe_allowed[state + 1] - first, &mass, &size_free);
  SW_TRY(sw_bank_input(bank, state, history, 0, input, err));
  SW_TRY(domain->state->read_instance(&instance, input, options, err));
  s->last = input->blocks - 1;
  s->head = (double)dead;
  s->policy = mass;
  s->instance = bank->instance[state];
  code = sw_replay_trace(&s->replay, instance, input, &watch, &waits, err);
  domain->instance_free(instance);
  return code;
}

int sw_dead_bank(const sw_bank *bank, sw_asker *asker,
                 sw_viability_judge *judge, const sw_domain *domain,
                 const sw_domain_options *options, int64_t resamples,
                 uint64_t seed, sw_progress_fn progress, void *context,
                 sw_dead_result *out, sw_err *err) {
  gathered g = {0};
  bank_state s = {.g = &g, .judge = judge};
  sw_trace input;
  memset(out, 0, sizeof *out);
  SW_TRY(check_domain(domain, err));
  if (!domain->state || !domain->state->read_instance)
    return sw_fail(err, SW_USAGE,
                   "`%s` cannot tell a problem from its tokens, which asking "
                   "about a bank's states needs",
                   domain->name);
  name_scores(&g, domain, judge, out);
  sw_trace_init(&input);
  int code =
      sw_replay_open(&s.replay, domain, options, &sw_rules_of_expert, err);
  for (int64_t i = 0; i < bank->states && !code; i++) {
    code = bank_one(bank, i, asker, options, &s, &input, err);
    if (progress) progress(context, NULL, i + 1, bank->states);
  }
  if (!code) code = judge_all(&g, resamples, seed, out, err);
  sw_replay_close(&s.replay);
  sw_trace_free(&input);
  release(&g);
  return code;
}
