/* The repaired bank construction, for any domain (see bank_build.h). States
 * come from states.c. Classes are matched by size: every conflict state of a
 * size is accompanied by the same number of viable states of that size, so no
 * count of anything the size decides can tell the classes apart. Retries are
 * kept apart (their state part ends differently in some formats, so the last
 * token would give the label away). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "probe/bank_build.h"
#include "probe/states.h"

enum { SIZES = 4096 }; /* of states: continuations on offer, below this */

/* Groups of one kind by size, each list in a seeded random order. */
typedef struct shelf {
  int64_t *list[SIZES], count[SIZES];
} shelf;

static void shelf_free(shelf *s) {
  for (int k = 0; k < SIZES; k++) free(s->list[k]);
}

/* kind: 0 viable, 1 conflict, 2 retry. */
static int kind_of(const sw_state_group *g) {
  return g->conflict ? 1 : g->retry ? 2 : 0;
}

static int size_of(const sw_states *s, const sw_state_group *g) {
  return s->point[s->order[g->first]].size;
}

static int shelf_fill(shelf *out, const sw_states *s, int kind, uint64_t seed) {
  memset(out, 0, sizeof *out);
  for (int64_t g = 0; g < s->groups; g++) {
    if (size_of(s, &s->group[g]) >= SIZES) return SW_LIMIT;
    if (kind_of(&s->group[g]) == kind) out->count[size_of(s, &s->group[g])]++;
  }
  for (int k = 0; k < SIZES; k++) {
    if (!out->count[k]) continue;
    int64_t *found = malloc(sizeof *found * (size_t)out->count[k]);
    int64_t *order = malloc(sizeof *order * (size_t)out->count[k]), n = 0;
    out->list[k] = malloc(sizeof *order * (size_t)out->count[k]);
    if (!found || !order || !out->list[k]) {
      free(found);
      free(order);
      return SW_MEMORY;
    }
    for (int64_t g = 0; g < s->groups; g++)
      if (kind_of(&s->group[g]) == kind && size_of(s, &s->group[g]) == k)
        found[n++] = g;
    sw_philox_shuffle(seed, (uint64_t)(3 * k + kind + 1), order, n);
    for (int64_t i = 0; i < n; i++) out->list[k][i] = found[order[i]];
    free(found);
    free(order);
  }
  return 0;
}

/* How many conflict states of each size can be matched `ratio` to one. */
static int64_t matchable(const shelf *viable, const shelf *conflict,
                         int64_t ratio, int64_t *out) {
  int64_t total = 0;
  for (int k = 0; k < SIZES; k++) {
    int64_t most = viable->count[k] / ratio;
    out[k] = conflict->count[k] < most ? conflict->count[k] : most;
    total += out[k];
  }
  return total;
}

/* Lowers the counts to `wanted` in all, one at a time from a random draw over
 * what is left, so that the sizes keep their shares. */
static void trim(int64_t *count, int64_t total, int64_t wanted, uint64_t seed) {
  sw_xoshiro rng;
  sw_xoshiro_seed(&rng, seed);
  for (; total > wanted; total--) {
    int64_t pick = (int64_t)sw_xoshiro_below(&rng, (uint64_t)total);
    int k = 0;
    while (pick >= count[k]) pick -= count[k++];
    count[k]--;
  }
}

typedef struct builder {
  sw_bank *bank;
  const sw_bank_fair_options *o;
  const sw_states *states;
  sw_env *env;
  sw_trace trace;
  int64_t *number; /* bank instance of each collected instance, or -1 */
} builder;

static int add_state(builder *b, int64_t group, sw_err *err) {
  const sw_state_group *g = &b->states->group[group];
  const sw_point *p = &b->states->point[b->states->order[g->first]];
  SW_TRY(sw_states_replay(b->states, b->states->order[g->first], b->env,
                          &b->trace, err));
  int count;
  const sw_cand *cand;
  SW_TRY(sw_domain_candidates(b->o->domain, b->env, &cand, &count, err));
  if (b->number[g->instance] < 0)
    b->number[g->instance] =
        sw_bank_add_instance(b->bank, b->trace.token, b->trace.block_start[1]);
  char id[96];
  snprintf(id, sizeof id, "%s:%" PRId64 ":%016" PRIx64 "%016" PRIx64,
           b->o->domain->name, g->instance, p->key[0], p->key[1]);
  sw_bank_begin_state(b->bank, b->number[g->instance], g->conflict, g->retry,
                      g->depth, p->size, id);
  for (int64_t k = 0; k < g->count; k++) {
    const sw_point *q = &b->states->point[b->states->order[g->first + k]];
    sw_bank_add_history(b->bank, &b->states->rollout[q->rollout].trace,
                        q->block, q->given, (int32_t)q->rollout);
  }
  for (int i = 0; i < count; i++)
    if (cand[i].kind != SW_CAND_BACK) sw_bank_allow(b->bank, cand[i].token);
  sw_bank_end_state(b->bank);
  return 0;
}

/* Writes the chosen states, by instance so that a model's prefix is computed
 * once each. */
static int write_states(builder *b, const uint8_t *chosen, sw_err *err) {
  for (int64_t g = 0; g < b->states->groups; g++)
    if (chosen[g]) SW_TRY(add_state(b, g, err));
  return 0;
}

static void describe(sw_bank *bank, const sw_bank_fair_options *o,
                     const sw_states *s) {
  sw_json json;
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  sw_json_int(&json, "n", o->domain_options.n);
  sw_json_int(&json, "seed", (int64_t)o->seed);
  sw_json_int(&json, "instances", s->instances);
  sw_json_int(&json, "rollouts", o->rollouts);
  sw_json_real(&json, "error", o->error);
  sw_json_int(&json, "max_blocks", o->max_blocks);
  sw_json_int(&json, "max_histories", o->max_histories);
  sw_json_int(&json, "states_found", s->groups);
  sw_json_end(&json);
  free(bank->options);
  bank->options = json.failed ? NULL : strdup(json.text);
  sw_json_free(&json);
  bank->domain_options = sw_domain_options_json(o->domain, &o->domain_options);
  if (!bank->domain_options) bank->failed = 1;
}

/* Chooses and writes; *enough 0 when the wanted numbers were not reached. */
static int select_states(sw_bank *bank, const sw_bank_fair_options *o,
                         const sw_states *s, int *enough, sw_err *err) {
  int64_t ratio = o->viable / o->conflicts, take[SIZES];
  shelf viable, conflict = {0}, retry = {0};
  builder b = {.bank = bank, .o = o, .states = s};
  sw_rules rules = {0};
  uint8_t *chosen = calloc((size_t)s->groups + 1, 1);
  b.number = malloc(sizeof *b.number * (size_t)(s->instances + 1));
  for (int64_t i = 0; b.number && i < s->instances; i++) b.number[i] = -1;
  int bad = shelf_fill(&viable, s, 0, o->seed);
  if (!bad) bad = shelf_fill(&conflict, s, 1, o->seed);
  if (!bad) bad = shelf_fill(&retry, s, 2, o->seed);
  sw_trace_init(&b.trace);
  int code = bad == SW_LIMIT
                 ? sw_fail(err, SW_LIMIT,
                           "a state offers %d continuations or more", SIZES)
             : bad || !chosen || !b.number
                 ? sw_no_memory_for(err, "choosing states")
                 : 0;
  if (!code) {
    int64_t total = matchable(&viable, &conflict, ratio, take);
    *enough = total >= o->conflicts;
    if (total > o->conflicts) trim(take, total, o->conflicts, o->seed + 1);
    for (int k = 0; k < SIZES; k++) {
      for (int64_t i = 0; i < take[k]; i++) chosen[conflict.list[k][i]] = 1;
      for (int64_t i = 0; i < take[k] * ratio; i++)
        chosen[viable.list[k][i]] = 1;
      for (int64_t i = 0; i < retry.count[k] && i < o->conflicts; i++)
        chosen[retry.list[k][i]] = 1;
    }
    code = o->domain->search->env_new(&b.env, &o->domain_options, &rules, err);
    if (!code) {
      code = write_states(&b, chosen, err);
      o->domain->search->env_free(b.env);
    }
  }
  shelf_free(&viable);
  shelf_free(&conflict);
  shelf_free(&retry);
  sw_trace_free(&b.trace);
  free(chosen);
  free(b.number);
  return code;
}

/* Each conflict state is matched with the same number of viable ones, so the
 * viable states must be a multiple of the conflicts. */
static int check_numbers(const sw_bank_fair_options *o, sw_err *err) {
  int64_t each = o->conflicts > 0 ? o->viable / o->conflicts : 0;
  if (each > 0 && each * o->conflicts == o->viable) return SW_OK;
  sw_fail(err, SW_USAGE,
          "%" PRId64 " viable states for %" PRId64
          " conflict states: not the same number for each",
          o->viable, o->conflicts);
  return sw_hint(err, "a multiple: --viable %" PRId64 " --conflicts %" PRId64,
                 (each + 1) * o->conflicts, o->conflicts);
}

int sw_bank_build_fair(sw_bank *bank, const sw_bank_fair_options *o,
                       sw_err *err) {
  sw_states states;
  SW_TRY(check_numbers(o, err));
  int64_t instances = o->max_instances < 32 ? o->max_instances : 32;
  for (;;) {
    sw_states_options collect = {.domain = o->domain,
                                 .domain_options = o->domain_options,
                                 .seed = o->seed,
                                 .split = SW_SPLIT_TEST,
                                 .instances = instances,
                                 .rollouts = o->rollouts,
                                 .max_blocks = o->max_blocks,
                                 .random_choice = o->error,
                                 .reorder = 1,
                                 .rebuild_states = 48,
                                 .max_histories = o->max_histories};
    int enough = 0;
    sw_bank_init(bank, o->domain->name, "fair", o->domain_options.format,
                 o->domain->back_token);
    SW_TRY(sw_states_collect(&states, &collect, err));
    int code = select_states(bank, o, &states, &enough, err);
    describe(bank, o, &states);
    sw_states_free(&states);
    if (!code) code = sw_bank_check(bank, err);
    if (!code && (enough || instances >= o->max_instances)) {
      if (enough) return 0;
      return sw_fail(err, SW_LIMIT,
                     "%" PRId64 " instances of %s gave %" PRId64
                     " states, fewer than wanted",
                     instances, o->domain->name, bank->states);
    }
    sw_bank_free(bank);
    if (code) return code;
    instances =
        2 * instances < o->max_instances ? 2 * instances : o->max_instances;
  }
}
