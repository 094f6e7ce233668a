/* History transplant (see transplant.h). States are handled one at a time:
 * their members' logits, then all pairs. Figures per pair are kept for the
 * clustered intervals. */
#include "probe/transplant.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/ranks.h"
#include "probe/actions.h"
#include "probe/transplant_rows.h"
#include "probe/transplant_series.h"

enum { QUERIES_MAX = 4096 };

typedef struct probe {
  const sw_states *states;
  const sw_transplant_options *o;
  sw_asker *full, *cached;
  int32_t vocab;
  sw_env *env;
  sw_trace scratch;
  sw_actions actions;
  sw_transplant_rows rows; /* full-path logits of every member */
  float *logits;           /* [members][queries][vocab] of one state */
  double *p;               /* [members][leaves or offered] */
  size_t logit_room, p_room;
  sw_series verification, policy;
  sw_series_state *state; /* [count chosen] those of this rank */
  int64_t own;
  int64_t exact_pairs, exact_queries, mismatches;
  double history_gap;
  sw_transplant_result *out;
} probe;

static int no_memory(sw_err *err) {
  return sw_no_memory_for(err, "transplant");
}

static void *room_for(void *data, size_t need, size_t *room, size_t size) {
  if (need <= *room) return data;
  void *grown = realloc(data, size * need);
  if (!grown) return NULL;
  *room = need;
  return grown;
}

static int64_t argmax(const double *p, int64_t count) {
  int64_t best = 0;
  for (int64_t i = 1; i < count; i++)
    if (p[i] > p[best]) best = i;
  return best;
}

static double cosine(const double *p, const double *q, int64_t count) {
  double pq = 0, pp = 0, qq = 0;
  for (int64_t i = 0; i < count; i++) {
    pq += p[i] * q[i];
    pp += p[i] * p[i];
    qq += q[i] * q[i];
  }
  return pp > 0 && qq > 0 ? pq / sqrt(pp * qq) : 0;
}

static double squared_gap(const double *p, const double *q, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; i++) sum += (p[i] - q[i]) * (p[i] - q[i]);
  return sum;
}

static void softmax_over(const float *z, const int32_t *token, int32_t count,
                         double *p) {
  double top = -INFINITY, sum = 0;
  for (int32_t i = 0; i < count; i++)
    if (z[token[i]] > top) top = z[token[i]];
  for (int32_t i = 0; i < count; i++) sum += p[i] = exp(z[token[i]] - top);
  for (int32_t i = 0; i < count; i++) p[i] /= sum;
}

/* Logits of every query of the action tree for one member: the state's own
 * from the full path, the rest from the cached one. */
static int ask_member(probe *t, int64_t point, int32_t queries, float *out,
                      sw_err *err) {
  const float *z;
  size_t bytes = sizeof(float) * (size_t)t->vocab;
  memcpy(out, sw_transplant_row(&t->rows, point), bytes);
  if (!t->cached || queries < 1) return 0;
  SW_TRY(sw_transplant_cut(t->states, point, &t->scratch, err));
  SW_TRY(sw_ask(t->cached, &t->scratch, &z, err));
  t->mismatches += memcmp(out, z, bytes) != 0;
  for (int32_t q = 1; q < queries; q++) {
    const sw_query *query = &t->actions.query[q];
    SW_TRY(sw_ask_after(t->cached, t->actions.suffix + query->suffix_begin,
                        query->suffix_end - query->suffix_begin, &z, err));
    memcpy(out + (size_t)q * (size_t)t->vocab, z, bytes);
  }
  return 0;
}

/* Bits and distances of the two members' logits at every query. */
static int count_exact(probe *t, const float *a, const float *b,
                       int32_t queries) {
  int equal = 0;
  for (int32_t q = 0; q < queries; q++) {
    const float *x = a + (size_t)q * (size_t)t->vocab,
                *y = b + (size_t)q * (size_t)t->vocab;
    if (memcmp(x, y, sizeof(float) * (size_t)t->vocab) == 0) {
      equal++;
      continue;
    }
    for (int32_t v = 0; v < t->vocab; v++) {
      double gap = fabs((double)x[v] - (double)y[v]);
      if (gap > t->out->largest_logit_gap) t->out->largest_logit_gap = gap;
    }
  }
  t->exact_queries += equal;
  t->out->queries += queries;
  t->exact_pairs += equal == queries;
  return equal == queries;
}

static void by_depth(probe *t) {
  const sw_series *s = &t->verification;
  for (int64_t k = 0; k < s->count; k++) {
    int depth = (int)s->depth[k];
    if (depth > SW_TRANSPLANT_DEPTHS) depth = SW_TRANSPLANT_DEPTHS;
    sw_transplant_depth *d = &t->out->depth[depth];
    d->pairs++;
    d->argmax += s->agree[k];
    d->symmetric_kl += s->kl[k];
    d->exact += s->exact[k];
  }
}

/* All pairs of one version; p is [members][width]. f of Theorem 1: the
 * backtrack mass (last entry) for verification, the whole vector for policy. */
static int compare(sw_series *s, const double *p, int64_t members,
                   int64_t width, int back_only, int64_t cluster) {
  for (int64_t a = 0; a < members; a++)
    for (int64_t b = a + 1; b < members; b++) {
      const double *x = p + a * width, *y = p + b * width;
      double gap = back_only ? squared_gap(x + width - 1, y + width - 1, 1)
                             : squared_gap(x, y, width);
      sw_series_row row = {.agree = argmax(x, width) == argmax(y, width),
                           .kl = sw_symmetric_kl(x, y, width),
                           .cosine = cosine(x, y, width),
                           .squared = gap,
                           .cluster = cluster};
      if (!sw_series_put(s, &row)) return 0;
    }
  s->states++;
  return 1;
}

static int64_t history_tokens(const sw_states *s, int64_t point) {
  const sw_point *p = &s->point[point];
  return s->rollout[p->rollout].trace.block_start[p->block];
}

/* member[0..count): the points of the state whose input fits. */
static int compare_state(probe *t, const sw_state_group *g,
                         const int64_t *member, int64_t count, sw_err *err) {
  sw_actions *a = &t->actions;
  SW_TRY(sw_actions_find(a, t->states, member[0], t->env, &t->scratch,
                         QUERIES_MAX, err));
  int policy = t->o->policy && !g->conflict && a->leaves > 0;
  int32_t queries = policy ? a->queries : 1;
  size_t each = (size_t)queries * (size_t)t->vocab;
  size_t width = (size_t)(a->leaves > a->all ? a->leaves : a->all);
  float *logits =
      room_for(t->logits, each * (size_t)count, &t->logit_room, sizeof *logits);
  if (logits) t->logits = logits;
  double *p = room_for(t->p, width * (size_t)count, &t->p_room, sizeof *p);
  if (p) t->p = p;
  if (!logits || !p) return no_memory(err);
  for (int64_t m = 0; m < count; m++)
    SW_TRY(ask_member(t, member[m], queries, logits + each * (size_t)m, err));
  for (int64_t m = 0; m < count; m++)
    softmax_over(logits + each * (size_t)m, a->offered, a->all,
                 p + (size_t)a->all * (size_t)m);
  int64_t first = t->verification.count;
  if (!compare(&t->verification, p, count, a->all, a->back, g->cluster))
    return no_memory(err);
  for (int64_t x = 0, k = first; x < count; x++)
    for (int64_t y = x + 1; y < count; y++, k++) {
      int exact = count_exact(t, logits + each * (size_t)x,
                              logits + each * (size_t)y, queries);
      t->verification.depth[k] = g->depth;
      t->verification.exact[k] = exact;
      t->history_gap += fabs((double)(history_tokens(t->states, member[x]) -
                                      history_tokens(t->states, member[y])));
    }
  if (!policy) return 0;
  for (int64_t m = 0; m < count; m++)
    sw_actions_joint(a, logits + each * (size_t)m, t->vocab,
                     p + (size_t)a->leaves * (size_t)m);
  return compare(&t->policy, p, count, a->leaves, 0, g->cluster)
             ? 0
             : no_memory(err);
}

/* ---- summary ---- */

static int summarise(const sw_series *s, const sw_transplant_options *o,
                     sw_agreement *out, sw_err *err) {
  sw_bootstrap_options boot = {s->cluster, o->resamples, o->seed};
  memset(out, 0, sizeof *out);
  out->pairs = s->count;
  out->states = s->states;
  out->entanglement = out->argmax_interval = (sw_interval){NAN, NAN, NAN};
  if (s->count == 0) return 0;
  out->argmax = sw_mean(s->agree, s->count);
  out->symmetric_kl = sw_mean(s->kl, s->count);
  out->kl_sd = sw_sd_pop(s->kl, s->count);
  out->cosine = sw_mean(s->cosine, s->count);
  SW_TRY(
      sw_bootstrap_mean(s->agree, s->count, &boot, &out->argmax_interval, err));
  return sw_entanglement(s->squared, s->cluster, s->count, o->resamples,
                         o->seed, &out->entanglement, err);
}

static void close_depths(sw_transplant_result *out) {
  for (int d = 0; d <= SW_TRANSPLANT_DEPTHS; d++) {
    sw_transplant_depth *row = &out->depth[d];
    if (!row->pairs) continue;
    row->argmax /= (double)row->pairs;
    row->symmetric_kl /= (double)row->pairs;
    row->exact /= (double)row->pairs;
  }
}

static int finish(probe *t, sw_err *err) {
  sw_transplant_result *out = t->out;
  SW_TRY(summarise(&t->verification, t->o, &out->verification, err));
  SW_TRY(summarise(&t->policy, t->o, &out->policy, err));
  out->pairs = out->verification.pairs;
  out->states = out->verification.states;
  double pairs = out->pairs ? (double)out->pairs : 1;
  out->exact_equal_rate = (double)t->exact_pairs / pairs;
  out->exact_query_rate =
      out->queries ? (double)t->exact_queries / (double)out->queries : 0;
  out->mean_history_gap = t->history_gap / pairs;
  out->path_mismatches = t->mismatches;
  by_depth(t);
  close_depths(out);
  return 0;
}

/* Members of a group whose input fits; counts the others. */
static int64_t fitting(probe *t, const sw_state_group *g, int64_t *member) {
  int64_t count = 0;
  for (int64_t k = 0; k < g->count; k++) {
    int64_t point = t->states->order[g->first + k];
    if (sw_transplant_row(&t->rows, point)) member[count++] = point;
    else t->out->skipped++;
  }
  return count;
}

/* Sums and the largest of what every rank counted by itself. */
static int add_counts(probe *t, sw_err *err) {
  enum { SUMS = 6 };
  sw_transplant_result *out = t->out;
  int64_t *sum[SUMS] = {&t->exact_pairs, &t->exact_queries,
                        &t->mismatches,  &out->queries,
                        &out->skipped,   &out->conflict_states};
  double mine[SUMS + 2], *all = NULL;
  size_t bytes;
  for (int i = 0; i < SUMS; i++) mine[i] = (double)*sum[i];
  mine[SUMS] = t->history_gap;
  mine[SUMS + 1] = out->largest_logit_gap;
  SW_TRY(sw_ranks_gather(mine, sizeof mine, (char **)&all, &bytes, err));
  for (int r = 1; all && r < sw_ranks_count(); r++) {
    const double *other = all + r * (SUMS + 2);
    for (int i = 0; i < SUMS; i++) *sum[i] += (int64_t)other[i];
    t->history_gap += other[SUMS]; /* whole numbers: exact */
    if (other[SUMS + 1] > out->largest_logit_gap)
      out->largest_logit_gap = other[SUMS + 1];
  }
  free(all);
  return 0;
}

/* States of an instance share their rollouts, so they stay on one rank. */
static int is_mine(const sw_state_group *g) {
  return g->instance % sw_ranks_count() == sw_ranks_me();
}

static int one_state(probe *t, const sw_state_group *g, int64_t index,
                     sw_err *err) {
  sw_series_state *mark = &t->state[t->own];
  int64_t member[64], members = fitting(t, g, member);
  if (members < 2) return 0;
  *mark = (sw_series_state){
      index, {t->verification.count, t->policy.count}, {0, 0}};
  SW_TRY(compare_state(t, g, member, members, err));
  mark->last[0] = t->verification.count;
  mark->last[1] = t->policy.count;
  t->own++;
  t->out->conflict_states += g->conflict;
  return 0;
}

/* Different instances among the states compared, which come in the order of
 * the pairs. */
static void count_instances(probe *t) {
  const sw_series *s = &t->verification;
  int64_t last = -1;
  for (int64_t k = 0; k < s->count; last = s->cluster[k++])
    t->out->instances += s->cluster[k] != last;
}

static int run(probe *t, const int64_t *chosen, int64_t count,
               sw_progress_fn progress, void *context, sw_err *err) {
  sw_series *both[2] = {&t->verification, &t->policy};
  for (int64_t i = 0; i < count; i++) {
    const sw_state_group *g = &t->states->group[chosen[i]];
    if (is_mine(g)) SW_TRY(one_state(t, g, i, err));
    if (progress) progress(context, NULL, i + 1, count);
  }
  SW_TRY(sw_series_gather(both, t->state, t->own, err));
  SW_TRY(add_counts(t, err));
  count_instances(t);
  return finish(t, err);
}

/* Full-path logits of this rank's states. */
static int fill_rows(probe *t, const int64_t *chosen, int64_t count, int leaky,
                     sw_progress_fn progress, void *context, sw_err *err) {
  int64_t *own = malloc(sizeof *own * (size_t)(count + 1)), n = 0;
  t->state = malloc(sizeof *t->state * (size_t)(count + 1));
  int code = own && t->state ? 0 : no_memory(err);
  for (int64_t i = 0; i < count && !code; i++)
    if (is_mine(&t->states->group[chosen[i]])) own[n++] = chosen[i];
  if (!code)
    code = sw_transplant_rows_fill(&t->rows, t->states, own, n, t->full, leaky,
                                   progress, context, err);
  free(own);
  return code;
}

int sw_transplant(const sw_states *states, const sw_domain_options *domain,
                  sw_asker *full, sw_asker *cached, int leaky,
                  const sw_transplant_options *options, sw_progress_fn progress,
                  void *context, sw_transplant_result *out, sw_err *err) {
  probe t = {.states = states,
             .o = options,
             .full = full,
             .cached = options->policy ? cached : NULL,
             .vocab = sw_asker_vocab(full),
             .out = out};
  sw_rules rules = {0};
  int64_t *chosen, count;
  memset(out, 0, sizeof *out);
  out->candidates = states->candidates;
  out->identical = states->identical;
  SW_TRY(sw_transplant_choose(states, options->states, &chosen, &count, err));
  sw_trace_init(&t.scratch);
  int code = states->data
                 ? SW_OK
                 : states->domain->search->env_new(&t.env, domain, &rules, err);
  if (!code) code = fill_rows(&t, chosen, count, leaky, progress, context, err);
  if (!code) code = run(&t, chosen, count, progress, context, err);
  if (t.env) states->domain->search->env_free(t.env);
  sw_transplant_rows_free(&t.rows);
  sw_trace_free(&t.scratch);
  sw_actions_free(&t.actions);
  sw_series_free(&t.verification);
  sw_series_free(&t.policy);
  free(t.state);
  free(t.logits);
  free(t.p);
  free(chosen);
  return code;
}
