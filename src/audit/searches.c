/* Searches as cases (see searches.h). */
#include "audit/searches.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "probe/states.h"
#include "search/loop.h"
#include "search/words.h"

enum { MOST_DOSE = 8, DOSES_PER_PROBLEM = 3 };

typedef struct telling {
  const sw_searches_options *o;
  const sw_states *states;
  sw_loop_options loop;
  sw_game game;
  sw_asked asked;
  char *back;  /* what going back is called; "" before it is met */
  int offered; /* going back is on the state's list */
} telling;

/* ---- one state after one history ---- */

static int set_up(telling *t, int64_t point, sw_err *err) {
  const sw_point *p = &t->states->point[point];
  sw_game *game = &t->game;
  game->seed = t->o->seed;
  SW_TRY(
      sw_game_start(game, t->states->instance[p->instance], p->instance, err));
  SW_TRY(sw_states_replay_asked(t->states, point, game->env, &game->trace,
                                &t->asked, err));
  game->prefix_length = game->trace.block_start[1];
  game->status = SW_ENV_QUERY;
  game->asked = &t->asked;
  return sw_game_advance(game) ? SW_OK : sw_game_trouble(game, err);
}

/* The conversation as a list; the last message without its question. */
static int tell(const telling *t, int rebuilt, int order, json_t **list,
                sw_err *err) {
  const sw_game *game = &t->game;
  sw_messages m = {0};
  sw_told told = {.domain = game->domain,
                  .options = t->o->task,
                  .trace = &game->trace,
                  .asked = rebuilt ? NULL : &t->asked,
                  .rebuilt = rebuilt,
                  .reversed = order,
                  .cand = game->candidate,
                  .count = game->candidates};
  int code = sw_words_write(&told, &m, err);
  *list = json_array();
  for (int32_t i = 0; i < m.count && !code; i++) {
    char *text = m.item[i].text;
    char *question = i + 1 == m.count ? strstr(text, "\n\nChoices\n") : NULL;
    for (char *next = question; next; next = strstr(next + 1, "\n\nChoices\n"))
      question = next;
    if (question) *question = 0;
    if (json_array_append_new(
            *list, sw_message_json(sw_role_name(m.item[i].role), text)))
      code = sw_no_memory(err);
  }
  sw_messages_free(&m);
  return code;
}

/* The last message alone, taken out of the list. */
static json_t *take_last(json_t *list) {
  size_t n = json_array_size(list);
  json_t *one = json_array();
  if (!n || !one || json_array_append(one, json_array_get(list, n - 1)) ||
      json_array_remove(list, n - 1)) {
    json_decref(one);
    return NULL;
  }
  return one;
}

static int add_history(const telling *t, sw_audit_case *c, const char *name,
                       double count, sw_err *err) {
  sw_history *h = sw_audit_case_history(c, name);
  if (!h) return sw_no_memory(err);
  h->count = count;
  for (int order = 0; order < SW_CASE_ORDERS; order++) {
    SW_TRY(tell(t, 0, order, &h->messages[order], err));
    h->situation[order] = take_last(h->messages[order]);
    if (!h->situation[order] || json_array_remove(h->messages[order], 0))
      return sw_no_memory(err); /* [0]: the rules */
  }
  return SW_OK;
}

/* ---- one state ---- */

/* How often the search had gone back before the point. */
static int backs_before(const sw_states *s, int64_t point) {
  const sw_point *p = &s->point[point];
  const sw_rollout *r = &s->rollout[p->rollout];
  int backs = 0;
  for (int64_t b = 1; b < p->block && b <= r->moves; b++)
    backs += r->move[b - 1].tokens == 0;
  return backs;
}

/* Two members of the group whose histories are most equally long. */
static void most_alike(const sw_states *s, const sw_state_group *g,
                       int64_t pair[2]) {
  int64_t best = INT64_MAX;
  for (int64_t a = 0; a < g->count; a++)
    for (int64_t b = a + 1; b < g->count; b++) {
      int64_t x = s->order[g->first + a], y = s->order[g->first + b];
      int64_t gap = llabs(s->point[x].last - s->point[y].last);
      if (gap >= best) continue;
      best = gap;
      pair[0] = x;
      pair[1] = y;
    }
}

static int choose(telling *t, sw_audit_case *c, int dead, sw_err *err) {
  const sw_game *game = &t->game;
  char text[SW_PHRASE_ROOM];
  c->right = calloc((size_t)game->candidates, 1);
  if (!c->right) return sw_no_memory(err);
  for (int i = 0; i < game->candidates; i++) {
    game->domain->lexicon->choice(game->domain, game->candidate[i].token, text,
                                  sizeof text);
    if (!sw_audit_case_choose(c, text)) return sw_no_memory(err);
    int back = game->candidate[i].kind == SW_CAND_BACK;
    if (back) snprintf(t->back, SW_PHRASE_ROOM, "%s", text);
    t->offered |= back;
    c->right[i] = back == dead;
  }
  return SW_OK;
}

/* What all histories share; the game stands at the state. */
static int describe(telling *t, const sw_state_group *g, int64_t at,
                    sw_audit_case *c, sw_err *err) {
  char id[64];
  const sw_search_ops *search = t->game.domain->search;
  int dead = g->conflict;
  c->sufficient = 1;
  if (!dead && search->truth.doomed) dead = search->truth.doomed(t->game.env);
  snprintf(id, sizeof id, "problem %lld, state %lld", (long long)g->instance,
           (long long)at);
  c->id = strdup(id);
  snprintf(id, sizeof id, "problem %lld", (long long)g->instance);
  c->group = strdup(id);
  SW_TRY(tell(t, 1, 0, &c->system, err));
  c->situation = take_last(c->system);
  if (!c->id || !c->group || !c->situation) return sw_no_memory(err);
  return choose(t, c, dead != 0, err);
}

static int add_pair(telling *t, const sw_state_group *g, int64_t at,
                    sw_audit_case *c, sw_err *err) {
  static const char *const name[] = {"own", "own2"};
  int64_t pair[2] = {-1, -1};
  most_alike(t->states, g, pair);
  for (int i = 0; i < 2; i++) {
    SW_TRY(set_up(t, pair[i], err));
    if (!i) SW_TRY(describe(t, g, at, c, err));
    SW_TRY(add_history(t, c, name[i], backs_before(t->states, pair[i]), err));
  }
  return SW_OK;
}

static int add_doses(telling *t, const sw_state_group *g, int64_t at,
                     sw_audit_case *c, sw_err *err) {
  char name[16];
  for (int64_t k = 0; k < g->count; k++) {
    int64_t point = t->states->order[g->first + k];
    int backs = backs_before(t->states, point);
    snprintf(name, sizeof name, "%d", backs);
    if (backs > MOST_DOSE || sw_audit_case_find(c, name)) continue;
    SW_TRY(set_up(t, point, err));
    if (!c->id) SW_TRY(describe(t, g, at, c, err));
    SW_TRY(add_history(t, c, name, backs, err));
  }
  return SW_OK;
}

/* ---- all ---- */

/* 1 in *kept: it became a case. */
static int add_case(telling *t, int64_t group, sw_audit_cases *cases, int *kept,
                    sw_err *err) {
  const sw_state_group *g = &t->states->group[group];
  *kept = 0;
  if (g->count < 2 || t->states->point[t->states->order[g->first]].size < 1)
    return SW_OK;
  sw_audit_case *c = sw_audit_cases_add(cases);
  if (!c) return sw_no_memory(err);
  t->offered = 0;
  SW_TRY((t->o->dose ? add_doses : add_pair)(t, g, group, c, err));
  *kept = c->histories >= 2 && t->offered && c->choices >= 2 &&
          c->choices <= SW_CASE_CHOICES;
  if (*kept) return SW_OK;
  sw_audit_case_free(c);
  cases->count--;
  return SW_OK;
}

/* From each problem one state, contradictions and others in turn; a few of both
 * kinds for doses. */
static int add_all(telling *t, sw_audit_cases *cases, int64_t most,
                   sw_err *err) {
  const sw_states *s = t->states;
  for (int64_t from = 0, to; from < s->groups; from = to) {
    int64_t each = t->o->dose ? DOSES_PER_PROBLEM : 1;
    int64_t left[2] = {each, each};
    for (to = from;
         to < s->groups && s->group[to].instance == s->group[from].instance;
         to++) {
      int kept = 0, conflict = s->group[to].conflict;
      if (left[conflict] < 1 || cases->count >= most) continue;
      if (!t->o->dose && conflict != (cases->count & 1)) continue;
      SW_TRY(add_case(t, to, cases, &kept, err));
      left[conflict] -= kept;
      if (kept && !t->o->dose) left[0] = left[1] = 0;
    }
  }
  if (cases->count) return SW_OK;
  return sw_fail(err, SW_DATA,
                 "%s: no state was reached in two ways that can be told "
                 "apart, with going back among 2 to %d choices",
                 t->o->domain->name, SW_CASE_CHOICES);
}

static int has_doses(const sw_audit_case *c, int highest) {
  char name[16];
  for (int k = 0; k <= highest; k++) {
    snprintf(name, sizeof name, "%d", k);
    if (!sw_audit_case_find(c, name)) return 0;
  }
  return 1;
}

/* Keeps only situations that have every dose from 0 to the highest, so that the
 * curve compares a situation with itself. The highest dose is the largest that
 * enough situations have. */
static void keep_whole_curves(const telling *t, sw_audit_cases *cases) {
  int highest = MOST_DOSE;
  int64_t kept = 0;
  for (; highest > 1; highest--) {
    int64_t whole = 0;
    for (int64_t i = 0; i < cases->count; i++)
      whole += has_doses(&cases->item[i], highest);
    if (whole >= t->o->states) break;
  }
  for (int64_t i = 0; i < cases->count; i++) {
    sw_audit_case *c = &cases->item[i];
    for (int h = 0; h < c->histories; h++)
      if (c->history[h].count > highest) c->history[h].count = NAN;
    if (kept < t->o->states && has_doses(c, highest)) {
      sw_audit_case whole = *c;
      *c = cases->item[kept];
      cases->item[kept++] = whole;
    }
  }
  for (int64_t i = kept; i < cases->count; i++)
    sw_audit_case_free(&cases->item[i]);
  cases->count = kept;
}

static int collect(sw_states *states, const sw_searches_options *o,
                   sw_err *err) {
  sw_states_options so = {.domain = o->domain,
                          .domain_options = *o->task,
                          .seed = o->seed + 1,
                          .split = SW_SPLIT_TEST,
                          .instances = 20 + 2 * o->states,
                          .rollouts = o->dose ? 20 : 6,
                          .max_blocks = 48,
                          .random_choice = 0.3,
                          .early_back = o->dose ? 0.3 : 0.1,
                          .reorder = 3,
                          .rebuild_states = 12,
                          .max_histories = o->dose ? 24 : 4};
  return sw_states_collect(states, &so, err);
}

int sw_audit_searches(sw_audit_cases *cases, const sw_searches_options *o,
                      char back[SW_PHRASE_ROOM], sw_err *err) {
  telling t = {.o = o,
               .back = back,
               .loop = {.protocol = SW_CUMULATIVE, .max_decisions = INT64_MAX}};
  sw_states states;
  memset(cases, 0, sizeof *cases);
  back[0] = 0;
  SW_TRY(collect(&states, o, err));
  t.states = &states;
  int code = sw_game_new(&t.game, o->domain, o->task, &t.loop, err);
  if (!code)
    code = add_all(&t, cases, o->dose ? 12 * o->states : o->states, err);
  if (!code && o->dose) keep_whole_curves(&t, cases);
  if (t.game.domain) sw_game_free(&t.game);
  sw_asked_free(&t.asked);
  sw_states_free(&states);
  return code;
}
