/* States as families read them, and heads as scores of candidates (see
 * state_reader.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/state_reader.h"

int sw_state_reader_new(sw_state_reader *r, const sw_domain *domain,
                        const sw_net *net, sw_err *err) {
  memset(r, 0, sizeof *r);
  r->domain = domain;
  r->net = net;
  memcpy(&r->layout, net->config, sizeof r->layout);
  r->feature = calloc((size_t)r->layout.features + 1, sizeof *r->feature);
  return r->feature ? SW_OK : sw_no_memory(err);
}

void sw_state_reader_free(sw_state_reader *r) {
  free(r->bytes);
  free(r->feature);
  sw_graph_release(&r->graph);
}

int sw_state_capture(sw_state_reader *r, const sw_env *env, sw_err *err) {
  const sw_state_ops *ops = r->domain->state;
  const sw_instance *instance = ops->instance(env);
  int32_t n, m;
  ops->sizes(instance, &n, &m);
  int graph = !strcmp(r->net->family->reads, "graph");
  if (n > r->layout.n || (m > r->layout.m && !graph))
    return sw_fail(err, SW_LIMIT,
                   "the model has room for instances of (%d, %d), this one has "
                   "(%d, %d)",
                   r->layout.n, r->layout.m, n, m);
  r->size = ops->bytes(instance);
  if (r->size > r->room) {
    char *bytes = realloc(r->bytes, r->size);
    if (!bytes) return sw_no_memory(err);
    r->bytes = bytes;
    r->room = r->size;
  }
  memset(r->bytes, 0, r->size);
  ops->capture(env, r->bytes);
  return SW_OK;
}

int sw_state_record_of(sw_state_reader *r, const sw_env *env, int64_t step,
                       sw_record *record, sw_err *err) {
  const sw_state_ops *ops = r->domain->state;
  const sw_instance *instance = ops->instance(env);
  *record = (sw_record){.rows = 1};
  if (!strcmp(r->net->family->reads, "graph")) {
    if (!ops->graph(instance, r->bytes, &r->graph))
      return sw_no_memory_for(err, "a graph");
    record->graph = &r->graph;
    return SW_OK;
  }
  ops->features(instance, r->bytes, step, &r->layout, r->feature);
  record->feature = r->feature;
  record->features = r->layout.features;
  return SW_OK;
}

/* ---- scores of candidates ---- */

static void feature_scores(const sw_state_ops *ops, const sw_state_layout *l,
                           const sw_env *env, const sw_cand *candidate,
                           int candidates, const float *heads, float *score) {
  const float *head[SW_STATE_HEADS] = {heads, heads + l->classes[0],
                                       heads + l->classes[0] + l->classes[1]};
  float best = -INFINITY;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < candidates; i++) {
      sw_state_answer a;
      ops->answer(env, candidate[i].token, &a);
      if (!pass && a.count == 2) {
        float own = head[a.part[1].head][a.part[1].value];
        if (own > best) best = own;
      } else if (pass) {
        score[i] = a.count ? head[a.part[0].head][a.part[0].value] : 0;
        if (a.count == 2)
          score[i] += head[a.part[1].head][a.part[1].value] - best;
      }
    }
}

static void graph_scores(const sw_state_ops *ops, const sw_state_layout *l,
                         const sw_env *env, const sw_cand *candidate,
                         int candidates, const float *heads, float *score) {
  int32_t values = l->classes[SW_HEAD_VALUE];
  int32_t items = l->classes[SW_HEAD_ITEM];
  int32_t chosen = ops->chosen(env);
  for (int i = 0; i < candidates; i++) {
    sw_state_answer a;
    ops->answer(env, candidate[i].token, &a);
    int last = a.count - 1;
    score[i] = 0;
    if (last < 0) continue;
    int32_t head = a.part[last].head, value = a.part[last].value;
    if (head == SW_HEAD_VERDICT && value) {
      score[i] = heads[items * values];
    } else if (head == SW_HEAD_VALUE && chosen >= 0) {
      score[i] = heads[chosen * values + value];
    } else { /* a variable by its best value, "go on" by the best of all */
      int32_t from = head == SW_HEAD_ITEM ? value : 0;
      int32_t to = head == SW_HEAD_ITEM ? value + 1 : items;
      score[i] = -INFINITY;
      for (int32_t k = from * values; k < to * values; k++)
        if (heads[k] > score[i]) score[i] = heads[k];
    }
  }
}

void sw_state_scores(const sw_domain *domain, const sw_net *net,
                     const sw_env *env, const sw_cand *candidate,
                     int candidates, const float *heads, float *score) {
  const sw_state_layout *l = net->config;
  int graph = !strcmp(net->family->reads, "graph");
  (graph ? graph_scores : feature_scores)(domain->state, l, env, candidate,
                                          candidates, heads, score);
}

int sw_state_check(const sw_loaded *loaded, sw_err *err) {
  const sw_state_ops *ops = loaded->domain->state;
  const sw_family *family = loaded->model->family;
  sw_state_layout has, needs;
  memcpy(&has, loaded->model->config, sizeof has);
  needs = has;
  if (!ops || (!strcmp(family->reads, "graph") && !ops->graph))
    return sw_fail(err, SW_DATA,
                   "%s: models of the family %s read %s, which the domain `%s` "
                   "does not have",
                   loaded->path, family->name, family->reads,
                   loaded->domain->name);
  sw_err why = {0};
  int same = !ops->layout(&needs, &why) &&
             !memcmp(has.classes, needs.classes, sizeof has.classes);
  if (same &&
      (!strcmp(family->reads, "graph") || has.features == needs.features))
    return SW_OK;
  sw_fail(
      err, SW_DATA,
      "%s: %d features and %d, %d, %d answers are not a state of the domain "
      "`%s`",
      loaded->path, has.features, has.classes[0], has.classes[1],
      has.classes[2], loaded->domain->name);
  return sw_hint(err, "these weights were trained for something else");
}
