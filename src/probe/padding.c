/* Padding control (see padding.h). Trial k is a pure function of (seed, k). */
#include "probe/padding.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/rng.h"
#include "probe/metrics.h"
#include "probe/spread.h"
#include "probe/transplant_rows.h"
#include "search/pick.h"

/* What one trial came to. */
typedef struct outcome {
  int compared, same, same_verdict, exact;
  double kl, cosine, gap;
} outcome;

typedef struct trial_space {
  const sw_states *states;
  const sw_padding_options *o;
  sw_env *env;
  sw_asker *asker;
  sw_trace baseline, padded, replay;
  float *kept; /* baseline logits */
  int64_t *eligible, eligibles;
  const sw_cand *cand; /* of the state's query */
  sw_cand *listed;     /* those of recorded searches */
  int32_t listed_room;
  double *p, *q; /* [room] */
  int32_t p_room, q_room;
} trial_space;

static void copy_block(sw_trace *out, const sw_trace *from, int64_t block,
                       int64_t end) {
  sw_trace_begin_block(out);
  for (int64_t i = from->block_start[block]; i < end; i++)
    sw_trace_put(out, from->token[i], 0);
}

/* A complete decision block of another instance. */
static void foreign_block(const trial_space *t, int64_t instance,
                          uint64_t trial, uint64_t *draw, sw_trace *out) {
  const sw_states *s = t->states;
  for (int attempt = 0; attempt < 1000; attempt++) {
    const sw_rollout *r =
        &s->rollout[sw_philox_u64(t->o->seed, trial, (*draw)++) %
                    (uint64_t)s->rollouts];
    if (r->instance == instance || r->moves < 1) continue;
    int64_t b = 1 + (int64_t)(sw_philox_u64(t->o->seed, trial, (*draw)++) %
                              (uint64_t)r->moves);
    if (b >= r->trace.blocks || r->move[b - 1].tokens == 0)
      continue; /* an action, not going back */
    copy_block(out, &r->trace, b, sw_trace_block_end(&r->trace, b));
    return;
  }
}

static void build_inputs(trial_space *t, const sw_point *p, uint64_t trial) {
  const sw_trace *from = &t->states->rollout[p->rollout].trace;
  uint64_t draw = 1;
  sw_trace_clear(&t->baseline);
  sw_trace_clear(&t->padded);
  copy_block(&t->baseline, from, 0, sw_trace_block_end(from, 0));
  copy_block(&t->padded, from, 0, sw_trace_block_end(from, 0));
  for (int64_t b = 1; t->o->own_history && b < p->block; b++)
    copy_block(&t->baseline, from, b, sw_trace_block_end(from, b));
  for (int64_t k = 0; k < t->o->blocks; k++)
    foreign_block(t, p->instance, trial, &draw, &t->padded);
  copy_block(&t->baseline, from, p->block, p->last + 1);
  copy_block(&t->padded, from, p->block, p->last + 1);
}

/* Softmax over the continuations; returns the best one's index, and in *back
 * whether going back beats it. */
static int choose(const float *z, const sw_cand *cand, int count, double *p,
                  int *used, int *back) {
  double top = -INFINITY, sum = 0;
  int best = sw_pick_logits(cand, count, z, SW_PICK_ONWARD), n = 0;
  int any = sw_pick_logits(cand, count, z, SW_PICK_ANY);
  if (best >= 0) top = z[cand[best].token];
  for (int i = 0; i < count; i++)
    if (cand[i].kind != SW_CAND_BACK)
      sum += p[n++] = exp(z[cand[i].token] - top);
  for (int i = 0; i < n; i++) p[i] /= sum;
  *used = n;
  *back = any >= 0 && cand[any].kind == SW_CAND_BACK;
  return best;
}

static double logit_cosine(const float *a, const float *b, int32_t n) {
  double ab = 0, aa = 0, bb = 0;
  for (int32_t i = 0; i < n; i++) {
    ab += (double)a[i] * b[i];
    aa += (double)a[i] * a[i];
    bb += (double)b[i] * b[i];
  }
  return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

static void compare(trial_space *t, const float *z, int count, outcome *out) {
  int32_t vocab = sw_asker_vocab(t->asker);
  int used, back_a, back_b;
  int a = choose(t->kept, t->cand, count, t->p, &used, &back_a);
  int b = choose(z, t->cand, count, t->q, &used, &back_b);
  out->compared = 1;
  out->same = a == b;
  out->same_verdict = back_a == back_b && (back_a || a == b);
  out->kl = sw_symmetric_kl(t->p, t->q, used);
  out->cosine = logit_cosine(t->kept, z, vocab);
  out->exact = memcmp(t->kept, z, sizeof *z * (size_t)vocab) == 0;
  for (int32_t v = 0; v < vocab; v++) {
    double gap = fabs((double)t->kept[v] - (double)z[v]);
    if (gap > out->gap) out->gap = gap;
  }
}

/* Legal continuations on offer; *only is one of them. */
static int continuations(trial_space *t, int *count, int *legal, int32_t *only,
                         sw_err *err) {
  SW_TRY(sw_domain_candidates(t->states->domain, t->env, &t->cand, count, err));
  *legal = 0;
  for (int i = 0; i < *count; i++)
    if (t->cand[i].kind == SW_CAND_CONTINUE) {
      *only = t->cand[i].token;
      ++*legal;
    }
  return SW_OK;
}

/* Of recorded searches: the first words that steps have anywhere. */
static int offer_data(trial_space *t, int64_t point, int *count, sw_err *err) {
  const sw_probe_data *d = t->states->data;
  SW_TRY(sw_transplant_cut(t->states, point, &t->replay, err));
  if (!sw_grow(&t->listed, &t->listed_room, d->offers, sizeof *t->listed))
    return sw_no_memory_for(err, "padding control");
  for (int32_t i = 0; i < d->offers; i++)
    t->listed[i] = (sw_cand){
        .token = d->offered[i],
        .kind = d->offered[i] == d->back ? SW_CAND_BACK : SW_CAND_CONTINUE};
  t->cand = t->listed;
  *count = d->offers - (d->back >= 0) > 1 ? d->offers : 0;
  return SW_OK;
}

/* Replays the state and follows forced tokens up to a real choice; returns the
 * number of candidates there, 0 when there is none. */
static int find_choice(trial_space *t, int64_t point, int *count, sw_err *err) {
  if (t->states->data) return offer_data(t, point, count, err);
  const sw_domain *d = t->states->domain;
  int32_t only = -1;
  int legal;
  SW_TRY(sw_states_replay(t->states, point, t->env, &t->replay, err));
  do {
    SW_TRY(continuations(t, count, &legal, &only, err));
  } while (legal == 1 &&
           d->search->feed(t->env, only, &t->replay) == SW_ENV_QUERY);
  SW_TRY(sw_domain_trouble(d, t->env, err));
  if (legal < 2) *count = 0;
  return t->replay.failed ? sw_no_memory(err) : SW_OK;
}

/* The trial's state: drawn until one offers a choice. */
static int draw_state(trial_space *t, int64_t k, int64_t *point, int *count,
                      sw_err *err) {
  for (uint64_t attempt = 0; attempt < 64; attempt++) {
    uint64_t draw =
        sw_philox_u64(t->o->seed ^ 0x5041444449, (uint64_t)k, attempt);
    *point = t->eligible[draw % (uint64_t)t->eligibles];
    SW_TRY(find_choice(t, *point, count, err));
    if (*count) return 0;
  }
  return sw_fail(err, SW_LIMIT, "no early state offers a choice");
}

static int one_trial(trial_space *t, int64_t k, outcome *out, sw_err *err) {
  int64_t point;
  int count;
  const float *z;
  SW_TRY(draw_state(t, k, &point, &count, err));
  if (!sw_grow(&t->p, &t->p_room, count, sizeof *t->p) ||
      !sw_grow(&t->q, &t->q_room, count, sizeof *t->q))
    return sw_no_memory_for(err, "padding control");
  const sw_point *p = &t->states->point[point];
  build_inputs(t, p, (uint64_t)k);
  for (int64_t i = p->last + 1; i < t->replay.length; i++) {
    sw_trace_put(&t->baseline, t->replay.token[i], 0);
    sw_trace_put(&t->padded, t->replay.token[i], 0);
  }
  if (t->baseline.failed || t->padded.failed)
    return sw_no_memory_for(err, "padding control");
  if (!sw_ask_fits(t->asker, &t->baseline) ||
      !sw_ask_fits(t->asker, &t->padded))
    return 0; /* out->compared stays 0 */
  sw_ask_of(t->asker, &t->replay);
  SW_TRY(sw_ask(t->asker, &t->baseline, &z, err));
  memcpy(t->kept, z, sizeof *z * (size_t)sw_asker_vocab(t->asker));
  SW_TRY(sw_ask(t->asker, &t->padded, &z, err));
  compare(t, z, count, out);
  return 0;
}

/* Viable states, early in their search. */
static int list_eligible(trial_space *t, sw_err *err) {
  const sw_states *s = t->states;
  t->eligible = malloc(sizeof *t->eligible * (size_t)(s->points + 1));
  if (!t->eligible) return sw_no_memory_for(err, "padding control");
  for (int64_t i = 0; i < s->points; i++)
    if (!s->point[i].conflict && s->point[i].block <= t->o->latest)
      t->eligible[t->eligibles++] = i;
  int64_t others = 0;
  for (int64_t i = 0; i < s->rollouts; i++)
    others += s->rollout[i].instance != s->rollout[0].instance;
  if (s->data && !others) {
    sw_fail(err, SW_DATA, "%s: no search of another problem lends its blocks",
            s->data->path);
    return sw_hint(err, "padding needs searches of two problems");
  }
  if (t->eligibles) return 0;
  return sw_fail(err, SW_LIMIT, "no state within the first %lld blocks",
                 (long long)t->o->latest);
}

/* This rank's trials, then those of all. */
static int run_trials(trial_space *t, outcome *trials, sw_progress_fn progress,
                      void *context, sw_err *err) {
  int64_t from, to;
  sw_spread(t->o->trials, &from, &to);
  for (int64_t k = from; k < to; k++) {
    SW_TRY(one_trial(t, k, &trials[k], err));
    if (progress) progress(context, NULL, k + 1 - from, to - from);
  }
  return sw_spread_join(trials, sizeof *trials, t->o->trials, err);
}

static void add_up(const outcome *trials, int64_t count,
                   sw_padding_result *out) {
  for (int64_t k = 0; k < count; k++) {
    const outcome *t = &trials[k];
    out->trials += t->compared;
    out->skipped += !t->compared;
    out->agreement += t->same;
    out->verdict_agreement += t->same_verdict;
    out->exact_equal_rate += t->exact;
    out->symmetric_kl += t->kl;
    out->cosine += t->cosine;
    if (t->gap > out->largest_logit_gap) out->largest_logit_gap = t->gap;
  }
  double n = out->trials ? (double)out->trials : 1;
  out->agreement /= n;
  out->verdict_agreement /= n;
  out->exact_equal_rate /= n;
  out->symmetric_kl /= n;
  out->cosine /= n;
}

int sw_padding(const sw_states *states, const sw_domain_options *domain,
               sw_asker *asker, const sw_padding_options *options,
               sw_progress_fn progress, void *context, sw_padding_result *out,
               sw_err *err) {
  trial_space *t = calloc(1, sizeof *t);
  sw_rules rules = {0};
  memset(out, 0, sizeof *out);
  if (!t) return sw_no_memory_for(err, "padding control");
  t->states = states;
  t->o = options;
  t->asker = asker;
  sw_trace_init(&t->baseline);
  sw_trace_init(&t->padded);
  sw_trace_init(&t->replay);
  t->kept = malloc(sizeof *t->kept * (size_t)sw_asker_vocab(asker));
  outcome *trials = calloc((size_t)options->trials + 1, sizeof *trials);
  int code = t->kept && trials ? list_eligible(t, err)
                               : sw_no_memory_for(err, "padding control");
  if (!code && !states->data)
    code = states->domain->search->env_new(&t->env, domain, &rules, err);
  if (!code) code = run_trials(t, trials, progress, context, err);
  if (!code) add_up(trials, options->trials, out);
  if (t->env) states->domain->search->env_free(t->env);
  sw_trace_free(&t->baseline);
  sw_trace_free(&t->padded);
  sw_ask_of(asker, NULL);
  sw_trace_free(&t->replay);
  free(t->kept);
  free(t->listed);
  free(trials);
  free(t->p);
  free(t->q);
  free(t->eligible);
  free(t);
  return code;
}
