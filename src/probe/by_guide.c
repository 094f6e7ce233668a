/* Probes through the guide interface (see by_guide.h). A state is set up in a
 * game by replaying its rollout; the guide is then asked as the closed loop
 * would ask it. */
#include "probe/by_guide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "base/stop.h"
#include "probe/transplant_rows.h"
#include "search/loop.h"
#include "search/pick.h"
#include "search/words.h"

enum { HISTORIES_MAX = 64, NO_ANSWER = -1 };

typedef struct prober {
  const sw_states *states;
  const sw_by_guide_options *o;
  sw_guide *guide;
  sw_loop_options loop[2]; /* cumulative, rebuilt */
  sw_game game[2];
  sw_asked asked;
  sw_trace padded;
  sw_by_guide_result *out;
  double *agree;
  int64_t *cluster;
  int64_t pair_room, cleared_same, padded_same, same_verdict;
} prober;

static int no_memory(sw_err *err) {
  return sw_no_memory_for(err, "probing a guide");
}

/* ---- asking ---- */

/* The candidate's token, whether it is going back, or NO_ANSWER. */
typedef struct said {
  int32_t token;
  int back;
} said;

static void copy_block(sw_trace *to, const sw_trace *from, int64_t block,
                       int64_t end) {
  sw_trace_begin_block(to);
  for (int64_t i = from->block_start[block]; i < end; i++)
    sw_trace_put(to, from->token[i], 0);
}

static int64_t block_end(const sw_trace *t, int64_t block) {
  return block + 1 < t->blocks ? t->block_start[block + 1] : t->length;
}

/* Puts closed blocks of other instances between prefix and current block. */
static int pad(prober *p, const sw_point *point, sw_game *game, sw_err *err) {
  const sw_states *s = p->states;
  sw_trace *t = &game->trace, *out = &p->padded;
  uint64_t at = (uint64_t)(point - s->point);
  int added = 0;
  sw_trace_clear(out);
  copy_block(out, t, 0, t->block_start[1]);
  for (uint64_t k = 0; k < 200 && added < p->o->padding; k++) {
    const sw_rollout *r =
        &s->rollout[sw_philox_u64(p->o->seed, at, k) % (uint64_t)s->rollouts];
    if (r->instance == point->instance || r->trace.blocks < 3) continue;
    int64_t b = 1 + (int64_t)(sw_philox_u64(p->o->seed + 1, at, k) %
                              (uint64_t)(r->trace.blocks - 2));
    copy_block(out, &r->trace, b, block_end(&r->trace, b));
    added++;
  }
  copy_block(out, t, t->blocks - 1, t->length);
  if (out->failed) return no_memory(err);
  sw_trace swap = *t; /* the game now shows the padded dialogue */
  *t = *out;
  *out = swap;
  return SW_OK;
}

/* Sets the game up at the state and asks. way: 0 with its history, 1 without,
 * 2 padded (told as the cumulative protocol tells). */
static int ask(prober *p, int64_t at, int way, said *out, sw_err *err) {
  const sw_point *point = &p->states->point[at];
  sw_game *game = &p->game[way == 1];
  /* A player that draws gets a new seed for each question. */
  game->seed = sw_philox_u64(p->o->seed, (uint64_t)at, (uint64_t)way);
  SW_TRY(sw_game_start(game, p->states->instance[point->instance],
                       point->instance, err));
  SW_TRY(sw_states_replay_asked(p->states, at, game->env, &game->trace,
                                &p->asked, err));
  game->prefix_length = game->trace.block_start[1];
  game->status = SW_ENV_QUERY;
  if (way == 2) {
    sw_asked_clear(&p->asked);
    SW_TRY(pad(p, point, game, err));
  }
  game->asked = &p->asked;
  *out = (said){NO_ANSWER, 0};
  SW_TRY(sw_guide_start(p->guide, 0, game, err));
  if (!sw_game_advance(game)) return sw_game_trouble(game, err);
  p->out->asked++;
  int code = sw_guide_ask(p->guide, 0, game, err);
  if (code == SW_LIMIT) {
    p->out->unanswered++;
    return SW_OK;
  }
  SW_TRY(code);
  int best =
      sw_pick(game->candidate, game->candidates, game->score, SW_PICK_ANY);
  if (best < 0) return SW_OK;
  out->token = game->candidate[best].token;
  out->back = game->candidate[best].kind == SW_CAND_BACK;
  return SW_OK;
}

/* ---- one state ---- */

static void count_verdict(sw_verdict_counts *v, int conflict, said s) {
  if (s.token == NO_ANSWER) return;
  if (conflict) {
    v->conflicts++;
    v->missed += !s.back;
  } else {
    v->viable++;
    v->false_backs += s.back;
  }
}

static int note_pair(prober *p, said a, said b, int64_t instance) {
  sw_by_guide_result *out = p->out;
  if (a.token == NO_ANSWER || b.token == NO_ANSWER) return 1;
  if (out->pairs == p->pair_room) {
    int64_t room = 2 * p->pair_room + 64;
    double *agree = realloc(p->agree, sizeof *agree * (size_t)room);
    if (agree) p->agree = agree;
    int64_t *cluster = realloc(p->cluster, sizeof *cluster * (size_t)room);
    if (cluster) p->cluster = cluster;
    if (!agree || !cluster) return 0;
    p->pair_room = room;
  }
  p->agree[out->pairs] = a.token == b.token;
  p->cluster[out->pairs++] = instance;
  p->same_verdict += a.back == b.back;
  return 1;
}

static int probe_state(prober *p, const sw_state_group *g, sw_err *err) {
  said own[HISTORIES_MAX], none, padded;
  int64_t count = g->count < p->o->histories ? g->count : p->o->histories;
  if (count > HISTORIES_MAX) count = HISTORIES_MAX;
  for (int64_t k = 0; k < count; k++) {
    SW_TRY(ask(p, p->states->order[g->first + k], 0, &own[k], err));
    count_verdict(&p->out->with, g->conflict, own[k]);
  }
  for (int64_t a = 0; a < count; a++)
    for (int64_t b = a + 1; b < count; b++)
      if (!note_pair(p, own[a], own[b], g->instance)) return no_memory(err);
  SW_TRY(ask(p, p->states->order[g->first], 1, &none, err));
  count_verdict(&p->out->without, g->conflict, none);
  if (none.token != NO_ANSWER && own[0].token != NO_ANSWER) {
    p->out->cleared++;
    p->cleared_same += none.token == own[0].token;
  }
  p->out->states++;
  p->out->conflict_states += g->conflict;
  if (!p->o->padding || none.token == NO_ANSWER) return SW_OK;
  SW_TRY(ask(p, p->states->order[g->first], 2, &padded, err));
  if (padded.token == NO_ANSWER) return SW_OK;
  p->out->padded++;
  p->padded_same += padded.token == none.token;
  return SW_OK;
}

/* Groups with two histories or more, conflicts and others in turn while both
 * are left. A state whose first query is not a choice is left out. */
static int choose(const prober *p, int64_t **chosen, int64_t *count,
                  sw_err *err) {
  const sw_states *s = p->states;
  int64_t *list = malloc(sizeof *list * (size_t)(s->groups + 1)), used = 0;
  if (!list) return no_memory(err);
  int64_t next[2] = {0, 0};
  for (int turn = 0; used < p->o->states; turn++) {
    int label = turn & 1;
    while (next[label] < s->groups &&
           (s->group[next[label]].conflict != label ||
            s->group[next[label]].count < 2 ||
            s->point[s->order[s->group[next[label]].first]].size < 1))
      next[label]++;
    if (next[label] < s->groups) list[used++] = next[label]++;
    else if (next[!label] >= s->groups) break;
  }
  *chosen = list;
  *count = used;
  return SW_OK;
}

static int summarise(prober *p, sw_err *err) {
  sw_by_guide_result *out = p->out;
  sw_bootstrap_options boot = {p->cluster, p->o->resamples, p->o->seed};
  out->interval = (sw_interval){NAN, NAN, NAN};
  out->same_choice = out->same_verdict = NAN;
  out->cleared_same = out->padded_same = NAN;
  if (out->cleared)
    out->cleared_same = (double)p->cleared_same / (double)out->cleared;
  if (out->padded)
    out->padded_same = (double)p->padded_same / (double)out->padded;
  if (!out->pairs) return SW_OK;
  out->same_choice = sw_mean(p->agree, out->pairs);
  out->same_verdict = (double)p->same_verdict / (double)out->pairs;
  return sw_bootstrap_mean(p->agree, out->pairs, &boot, &out->interval, err);
}

int sw_by_guide_states(const sw_domain *domain, const sw_domain_options *task,
                       int64_t instances, const sw_by_guide_options *options,
                       sw_states *states, sw_err *err) {
  sw_states_options o = {.domain = domain,
                         .domain_options = *task,
                         .seed = options->seed,
                         .split = SW_SPLIT_TEST,
                         .instances = instances,
                         .rollouts = 6,
                         .max_blocks = 48,
                         .random_choice = 0.3,
                         .early_back = 0.1,
                         .reorder = 3,
                         .rebuild_states = 12,
                         .max_histories = options->histories,
                         .states_wanted = 4 * options->states};
  return sw_states_collect(states, &o, err);
}

int sw_probe_by_guide(const sw_states *states, const sw_domain_options *domain,
                      sw_guide *guide, const sw_by_guide_options *options,
                      sw_progress_fn progress, void *context,
                      sw_by_guide_result *out, sw_err *err) {
  prober p = {.states = states, .o = options, .guide = guide, .out = out};
  int64_t *chosen = NULL, count = 0;
  memset(out, 0, sizeof *out);
  sw_trace_init(&p.padded);
  int code = sw_guide_reserve(guide, 1, err);
  for (int i = 0; i < 2 && !code; i++) {
    p.loop[i] = (sw_loop_options){.protocol = i ? SW_REBUILT : SW_CUMULATIVE,
                                  .max_decisions = INT64_MAX};
    code = sw_game_new(&p.game[i], states->domain, domain, &p.loop[i], err);
  }
  if (!code) code = choose(&p, &chosen, &count, err);
  for (int64_t i = 0; i < count && !code; i++) {
    code = sw_time_to_stop() ? sw_fail_stopped(err, "asking about states")
                             : probe_state(&p, &states->group[chosen[i]], err);
    if (progress) progress(context, NULL, i + 1, count);
  }
  if (!code) code = summarise(&p, err);
  for (int i = 0; i < 2; i++)
    if (p.game[i].domain) sw_game_free(&p.game[i]);
  sw_trace_free(&p.padded);
  sw_asked_free(&p.asked);
  free(p.agree);
  free(p.cluster);
  free(chosen);
  return code;
}

static void verdict_json(sw_json *json, const char *key,
                         const sw_verdict_counts *v) {
  sw_json_object(json, key);
  sw_json_int(json, "viable", v->viable);
  sw_json_int(json, "false_backs", v->false_backs);
  sw_json_int(json, "conflicts", v->conflicts);
  sw_json_int(json, "missed", v->missed);
  sw_json_end(json);
}

void sw_by_guide_json(const sw_by_guide_result *r, sw_json *json) {
  sw_json_int(json, "states", r->states);
  sw_json_int(json, "conflict_states", r->conflict_states);
  sw_json_int(json, "asked", r->asked);
  sw_json_int(json, "unanswered", r->unanswered);
  sw_json_int(json, "pairs", r->pairs);
  sw_json_real(json, "same_choice", r->same_choice);
  sw_json_real(json, "same_choice_low", r->interval.low);
  sw_json_real(json, "same_choice_high", r->interval.high);
  sw_json_real(json, "same_verdict", r->same_verdict);
  sw_json_int(json, "cleared_states", r->cleared);
  sw_json_real(json, "cleared_same_choice", r->cleared_same);
  sw_json_int(json, "padded_states", r->padded);
  sw_json_real(json, "padded_same_choice", r->padded_same);
  verdict_json(json, "verdicts_with_history", &r->with);
  verdict_json(json, "verdicts_without_history", &r->without);
}
