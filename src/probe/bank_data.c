/* A bank of the states of recorded searches: those that occur after two
 * different histories, dead where the data say so, else where the search went
 * back. Nothing is matched in size, because nothing is known of sizes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "probe/bank_build.h"

static int label_of(const sw_states *s, const sw_point *p) {
  const sw_trace *t = &s->rollout[p->rollout].trace;
  if (t->judged && t->verdict[p->block] != SW_UNJUDGED)
    return t->verdict[p->block] == SW_DEAD;
  return p->conflict;
}

static void add_state(sw_bank *bank, const sw_states *s, int64_t group,
                      int64_t instance) {
  const sw_state_group *g = &s->group[group];
  const sw_point *p = &s->point[s->order[g->first]];
  const sw_probe_data *d = s->data;
  char id[96];
  snprintf(id, sizeof id, "%.40s:%016" PRIx64 "%016" PRIx64, s->domain->name,
           p->key[0], p->key[1]);
  sw_bank_begin_state(bank, instance, label_of(s, p), 0, g->depth, p->size, id);
  for (int64_t k = 0; k < g->count; k++) {
    const sw_point *q = &s->point[s->order[g->first + k]];
    sw_bank_add_history(bank, &s->rollout[q->rollout].trace, q->block, q->given,
                        (int32_t)q->rollout);
  }
  for (int32_t i = 0; i < d->offers; i++)
    if (d->offered[i] != d->back) sw_bank_allow(bank, d->offered[i]);
  sw_bank_end_state(bank);
}

int sw_bank_build_data(sw_bank *bank, const sw_probe_data *data,
                       int max_histories, int64_t instances, sw_err *err) {
  sw_states s;
  sw_states_data_options o = {
      .instances = instances, .max_histories = max_histories, .pairs = 1};
  if (data->back < 0) {
    sw_fail(err, SW_DATA, "%s: no step goes back, so there is no verdict",
            data->path);
    return sw_hint(err, "statewise import --back WORD says which word does");
  }
  SW_TRY(sw_states_of_data(&s, data, &o, err));
  sw_bank_init(bank, data->domain->name, "data",
               data->domain->words ? data->domain->formats[0]
                                   : sw_dataset_meta(&data->set, "format"),
               data->back);
  uint64_t last = 0;
  int64_t instance = -1;
  for (int64_t g = 0; g < s.groups; g++) {
    const sw_point *p = &s.point[s.order[s.group[g].first]];
    const sw_trace *t = &s.rollout[p->rollout].trace;
    if (instance < 0 || p->key[1] != last)
      instance = sw_bank_add_instance(bank, t->token, t->block_start[1]);
    last = p->key[1];
    add_state(bank, &s, g, instance);
  }
  sw_states_free(&s);
  return sw_bank_check(bank, err);
}
