/* Action trees (see actions.h). Queries are numbered in the order of a
 * breadth-first walk, choices in the order the domain offers them. */
#include "probe/actions.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"

void sw_actions_free(sw_actions *a) {
  free(a->query);
  free(a->legal);
  free(a->suffix);
  free(a->offered);
  memset(a, 0, sizeof *a);
}

static int no_memory(sw_err *err) {
  return sw_no_memory_for(err, "an action tree");
}

/* Choices of the path so far, from the parents. */
enum { ACTION_MOST = 64 };
typedef struct path {
  int32_t token[ACTION_MOST];
  int32_t length;
} path;

/* Adds the query the environment now waits at. */
static int add_query(sw_actions *a, const sw_states *s, sw_env *env,
                     const sw_trace *trace, int64_t state_end, sw_err *err) {
  int count;
  const sw_cand *cand;
  SW_TRY(sw_domain_candidates(s->domain, env, &cand, &count, err));
  int32_t extra = (int32_t)(trace->length - state_end);
  if (!sw_grow(&a->query, &a->query_room, a->queries + 1, sizeof *a->query) ||
      !sw_grow(&a->legal, &a->choice_room, a->choices + count,
               sizeof *a->legal) ||
      !sw_grow(&a->suffix, &a->suffix_room, a->suffixes + extra,
               sizeof *a->suffix) ||
      !sw_grow(&a->offered, &a->offered_room, count, sizeof *a->offered))
    return no_memory(err);
  sw_query *q = &a->query[a->queries++];
  q->suffix_begin = a->suffixes;
  if (extra > 0)
    memcpy(a->suffix + a->suffixes, trace->token + state_end,
           sizeof(int32_t) * (size_t)extra);
  q->suffix_end = a->suffixes += extra;
  q->first = a->choices;
  for (int i = 0; i < count; i++)
    if (cand[i].kind == SW_CAND_CONTINUE)
      a->legal[a->choices++] = (sw_choice){cand[i].token, -1};
  q->count = a->choices - q->first;
  if (a->queries > 1) return 0;
  for (int i = 0; i < count; i++)
    if (cand[i].kind != SW_CAND_BACK) a->offered[a->all++] = cand[i].token;
  for (int i = 0; i < count; i++)
    if (cand[i].kind == SW_CAND_BACK) {
      a->offered[a->all++] = cand[i].token;
      a->back = 1;
    }
  return 0;
}

/* Replays the state and feeds a path; *open 1: the environment then asks
 * another query. */
static int follow(const sw_states *s, int64_t point, const path *p, sw_env *env,
                  sw_trace *trace, int *open, sw_err *err) {
  SW_TRY(sw_states_replay(s, point, env, trace, err));
  sw_env_status status = SW_ENV_QUERY;
  for (int32_t i = 0; i < p->length && status == SW_ENV_QUERY; i++)
    status = s->domain->search->feed(env, p->token[i], trace);
  SW_TRY(sw_domain_trouble(s->domain, env, err));
  *open = status == SW_ENV_QUERY;
  return trace->failed ? no_memory(err) : 0;
}

/* Recorded searches name no legal actions. The tree is one query that offers
 * the first word of every step in the data. */
static int find_in_data(sw_actions *a, const sw_probe_data *d, sw_err *err) {
  if (!sw_grow(&a->query, &a->query_room, 1, sizeof *a->query) ||
      !sw_grow(&a->legal, &a->choice_room, d->offers, sizeof *a->legal) ||
      !sw_grow(&a->offered, &a->offered_room, d->offers, sizeof *a->offered))
    return no_memory(err);
  a->back = d->back >= 0;
  a->all = d->offers;
  a->queries = 1;
  a->suffixes = 0;
  a->choices = a->leaves = d->offers - a->back;
  for (int32_t i = 0; i < d->offers; i++) a->offered[i] = d->offered[i];
  for (int32_t i = 0; i < a->choices; i++)
    a->legal[i] = (sw_choice){d->offered[i], -1};
  a->query[0] = (sw_query){.count = a->choices};
  return SW_OK;
}

int sw_actions_find(sw_actions *a, const sw_states *s, int64_t point,
                    sw_env *env, sw_trace *trace, int32_t limit, sw_err *err) {
  if (s->data) return find_in_data(a, s->data, err);
  path *paths = malloc(sizeof *paths * (size_t)limit);
  int64_t end = s->point[point].last + 1;
  int open, code = 0;
  if (!paths) return no_memory(err);
  a->queries = a->choices = a->suffixes = a->leaves = a->back = a->all = 0;
  paths[0].length = 0;
  code = follow(s, point, &paths[0], env, trace, &open, err);
  if (!code) code = add_query(a, s, env, trace, end, err);
  for (int32_t q = 0; q < a->queries && !code; q++)
    for (int32_t k = a->query[q].first;
         k < a->query[q].first + a->query[q].count && !code; k++) {
      path next = paths[q];
      if (next.length == ACTION_MOST)
        code = sw_fail(err, SW_LIMIT, "an action of more than %d tokens",
                       ACTION_MOST);
      if (code) break;
      next.token[next.length++] = a->legal[k].token;
      code = follow(s, point, &next, env, trace, &open, err);
      if (code || !open) {
        a->leaves += !code;
        continue;
      }
      if (a->queries == limit) {
        code =
            sw_fail(err, SW_LIMIT, "more than %d queries at one state", limit);
        break;
      }
      paths[a->queries] = next;
      a->legal[k].query = a->queries;
      code = add_query(a, s, env, trace, end, err);
    }
  free(paths);
  return code;
}

/* Softmax over the legal tokens of a query, times what led there. */
static void joint_from(const sw_actions *a, const float *logits, int32_t vocab,
                       int32_t query, double reach, double **p) {
  const sw_query *q = &a->query[query];
  const float *z = logits + (size_t)query * (size_t)vocab;
  double top = -INFINITY, sum = 0;
  for (int32_t k = q->first; k < q->first + q->count; k++)
    if (z[a->legal[k].token] > top) top = z[a->legal[k].token];
  for (int32_t k = q->first; k < q->first + q->count; k++)
    sum += exp(z[a->legal[k].token] - top);
  for (int32_t k = q->first; k < q->first + q->count; k++) {
    double here = reach * exp(z[a->legal[k].token] - top) / sum;
    if (a->legal[k].query < 0) *(*p)++ = here;
    else joint_from(a, logits, vocab, a->legal[k].query, here, p);
  }
}

void sw_actions_joint(const sw_actions *a, const float *logits, int32_t vocab,
                      double *p) {
  joint_from(a, logits, vocab, 0, 1, &p);
}
