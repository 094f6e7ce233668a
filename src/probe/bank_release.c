/* The published bank construction for SAT (see bank_build.h): rollouts, points
 * grouped by (instance, state text), up to four histories each, states in byte
 * order of their text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "domains/sat/tokens.h"
#include "probe/bank_build.h"
#include "probe/release_visit.h"

typedef sw_release_entry entry;

static int64_t three_way(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int compare_entries(const void *a, const void *b) {
  const entry *x = a, *y = b;
  int order = strcmp(x->point->signature, y->point->signature);
  if (order) return order;
  if (x->trace != y->trace) return (int)three_way(x->trace, y->trace);
  if (x->history != y->history) return (int)three_way(x->history, y->history);
  if (x->point->start != y->point->start)
    return (int)three_way(x->point->start, y->point->start);
  return (int)three_way(x->point->sep, y->point->sep);
}

/* Up to `most` of the group: first one of each history length, then the rest,
 * both in order. Marks them and returns how many, listing them in chosen[]. */
static int choose(const entry *group, int64_t size, int most,
                  const entry **chosen) {
  int count = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int64_t i = 0; i < size && count < most; i++) {
      int taken = 0, length_used = 0;
      for (int k = 0; k < count; k++) {
        taken |= chosen[k] == &group[i];
        length_used |= chosen[k]->history == group[i].history;
      }
      if (!taken && (pass || !length_used)) chosen[count++] = &group[i];
    }
  return count;
}

static int same_state(const sw_trace *traces, const entry *a, const entry *b) {
  int64_t size = a->point->sep - a->point->start;
  return size == b->point->sep - b->point->start &&
         memcmp(traces[a->trace].token + a->point->start,
                traces[b->trace].token + b->point->start,
                sizeof(int32_t) * (size_t)(size + 1)) == 0;
}

static void add_state(sw_bank *bank, int64_t instance, const entry **chosen,
                      int count, const sw_trace *traces, char *id_text,
                      size_t id_room) {
  const sw_sat_point *p = chosen[0]->point;
  snprintf(id_text, id_room, "sat:%lld:%s", (long long)instance, p->signature);
  int retry = !p->label && p->actions == 1;
  sw_bank_begin_state(bank, instance, p->label, retry, p->depth, p->size,
                      id_text);
  for (int i = 0; i < count; i++)
    sw_bank_add_history(bank, &traces[chosen[i]->trace],
                        chosen[i]->point->block, chosen[i]->point->sep,
                        (int32_t)chosen[i]->trace);
  for (int32_t i = 0; i < p->actions; i++)
    sw_bank_add_action(bank, p->action[i].var, p->action[i].value);
  /* Distinct variable tokens, ascending: the order of the state part may be by
   * activity, and both values of a variable are neighbours. */
  int32_t last = -1;
  for (;;) {
    int32_t next = -1;
    for (int32_t i = 0; i < p->actions; i++)
      if (p->action[i].var > last && (next < 0 || p->action[i].var < next))
        next = p->action[i].var;
    if (next < 0) break;
    sw_bank_allow(bank, SW_SAT_VARIABLE + next);
    last = next;
  }
  sw_bank_end_state(bank);
}

static int64_t drop_duplicates(entry *list, int64_t count) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; i++)
    if (kept == 0 || compare_entries(&list[kept - 1], &list[i]) != 0)
      list[kept++] = list[i];
  return kept;
}

static int group_states(sw_bank *bank, int64_t instance, entry *list,
                        int64_t count, const sw_trace *traces,
                        const sw_bank_release_options *o, sw_err *err) {
  qsort(list, (size_t)count, sizeof *list, compare_entries);
  count = drop_duplicates(list, count);
  for (int64_t i = 0; i < count;) {
    int64_t j = i;
    while (j < count &&
           strcmp(list[j].point->signature, list[i].point->signature) == 0)
      j++;
    const entry *chosen[64];
    int n = choose(list + i, j - i,
                   o->max_histories < 64 ? o->max_histories : 64, chosen),
        equal = 1;
    for (int k = 1; k < n; k++)
      equal &= same_state(traces, chosen[0], chosen[k]);
    if (n >= o->min_histories && equal) {
      size_t room = strlen(list[i].point->signature) + 64;
      char *id_text = malloc(room);
      if (!id_text)
        return sw_fail(err, SW_MEMORY, "building the bank: out of memory");
      add_state(bank, instance, chosen, n, traces, id_text, room);
      free(id_text);
    }
    i = j;
  }
  return 0;
}

static int add_formula(void *context, int64_t instance, const sw_trace *traces,
                       entry *list, int64_t count,
                       const sw_bank_release_options *o, sw_err *err) {
  sw_bank *bank = context;
  sw_bank_add_instance(bank, traces[0].token, traces[0].block_start[1]);
  return group_states(bank, instance, list, count, traces, o, err);
}

static void describe(sw_bank *bank, const sw_bank_release_options *o) {
  sw_json json;
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  sw_json_int(&json, "instances", o->instances);
  sw_json_int(&json, "traces", o->traces);
  sw_json_int(&json, "n", o->n);
  sw_json_real(&json, "ratio", o->ratio);
  sw_json_int(&json, "seed", (int64_t)o->seed);
  sw_json_int(&json, "max_tokens", o->max_tokens);
  sw_json_string(&json, "order", o->by_activity ? "activity" : "index");
  sw_json_int(&json, "min_histories", o->min_histories);
  sw_json_int(&json, "max_histories", o->max_histories);
  sw_json_end(&json);
  bank->options = json.failed ? NULL : strdup(json.text);
  sw_json_free(&json);
}

int sw_bank_build_release(sw_bank *bank, const sw_bank_release_options *o,
                          sw_err *err) {
  const sw_domain *sat = sw_domain_find("sat");
  if (!sat) return sw_fail(err, SW_INTERNAL, "the sat domain is missing");
  sw_bank_init(bank, "sat", "release", o->by_activity ? "enriched" : "lexical",
               sat->back_token);
  int code = sw_release_visit(o, add_formula, bank, err);
  describe(bank, o);
  if (!code) code = sw_bank_check(bank, err);
  if (code) sw_bank_free(bank);
  return code;
}
