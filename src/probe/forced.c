/* Figures of a teacher-forced evaluation (see forced.h). */
#include "probe/forced.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "probe/metrics.h"

static const int64_t depth_bins[SW_FORCED_BINS] = SW_FORCED_DEPTHS;
static const int64_t length_bins[SW_FORCED_BINS] = SW_FORCED_LENGTHS;

static int no_memory(sw_err *err) {
  return sw_no_memory_for(err, "teacher-forced evaluation");
}

/* ---- the steps ---- */

static int shows(const sw_dataset *set, int64_t begin, int64_t end,
                 int32_t token) {
  for (int64_t i = begin; i < end; i++)
    if (set->tokens[i] == token) return 1;
  return 0;
}

/* Steps of one trace. */
static int list_trace(sw_forced_steps *s, int64_t *room, const sw_probe_data *d,
                      int64_t trace, sw_err *err) {
  const sw_dataset *set = &d->set;
  int32_t depth = 0;
  for (int64_t b = 1; b < sw_data_blocks(set, trace); b++) {
    sw_data_step at = sw_data_step_of(set, trace, b);
    for (int64_t i = at.begin; i < at.end; i++)
      s->targets += set->supervised[i];
    if (at.first < 0) {
      for (int64_t i = at.begin; i < at.end; i++)
        if (set->supervised[i]) {
          s->skipped++;
          break;
        }
      continue;
    }
    if (!sw_grow64(&s->step, room, s->count + 1, sizeof *s->step))
      return no_memory(err);
    int32_t right = set->tokens[at.first];
    int back = right == d->back;
    int shown =
        d->gives.token >= 0 && shows(set, at.begin, at.first, d->gives.token);
    s->step[s->count++] = (sw_forced_step){
        .trace = trace,
        .block = b,
        .cluster = d->cluster[trace],
        .right = right,
        .depth = depth,
        .back = (uint8_t)back,
        .viability =
            set->viability ? set->viability[set->trace_block[trace] + b] : 0,
        .told = (uint8_t)(shown != d->gives.absent)};
    s->backs += back;
    if (back) depth -= depth > 0;
    else depth++;
  }
  return SW_OK;
}

int sw_forced_steps_list(sw_forced_steps *s, const sw_probe_data *d,
                         sw_err *err) {
  int64_t room = 0;
  memset(s, 0, sizeof *s);
  for (int64_t i = 0; i < d->traces; i++) {
    int code = list_trace(s, &room, d, d->trace[i], err);
    if (code) {
      sw_forced_steps_free(s);
      return code;
    }
  }
  if (s->count) return SW_OK;
  return sw_fail(err, SW_DATA, "%s: the part %s has no step to ask about",
                 d->path, d->part);
}

void sw_forced_steps_free(sw_forced_steps *s) {
  free(s->step);
  memset(s, 0, sizeof *s);
}

/* ---- without a model ---- */

static double share(int64_t part, int64_t whole) {
  return whole ? (double)part / (double)whole : NAN;
}

void sw_forced_floors_of(const sw_probe_data *d, const sw_forced_steps *s,
                         sw_forced_floors *out) {
  int64_t usual = 0, told = 0, told_back = 0, rest = s->count - s->backs;
  for (int64_t i = 0; i < s->count; i++) {
    const sw_forced_step *step = &s->step[i];
    usual += step->right == d->usual;
    told += step->told == step->back;
    told_back += step->told && step->back;
  }
  *out = (sw_forced_floors){.onward_verdict = share(rest, s->count),
                            .usual_choice = share(usual, s->count),
                            .told_verdict = NAN,
                            .told_balanced = NAN};
  if (d->gives.token < 0 || !s->backs || !rest) return;
  out->told_verdict = share(told, s->count);
  out->told_balanced =
      (share(told_back, s->backs) + share(told - told_back, rest)) / 2;
}

/* ---- one protocol ---- */

typedef struct figures {
  const sw_forced_steps *steps;
  const sw_forced_answer *answer;
  const int64_t *asked; /* items are places in it */
  const int64_t *order; /* items by the probability of going back */
  int64_t *times;       /* [items] in a resample */
  int64_t items;
  int verdicts, back; /* back: some step goes back and some does not */
} figures;

/* Pairs of a step that goes back and one that does not, by the probability of
 * going back; equal ones count one half. */
static double auroc_of(const figures *f, const int64_t *item, int64_t count) {
  double below = 0, won = 0, backs = 0;
  memset(f->times, 0, sizeof *f->times * (size_t)f->items);
  for (int64_t i = 0; i < count; i++) f->times[item[i]]++;
  for (int64_t i = 0, j; i < f->items; i = j) {
    double score = f->answer[f->asked[f->order[i]]].back;
    double here[2] = {0, 0};
    for (j = i; j < f->items && f->answer[f->asked[f->order[j]]].back == score;
         j++)
      here[f->steps->step[f->asked[f->order[j]]].back] +=
          (double)f->times[f->order[j]];
    won += here[1] * (below + here[0] / 2);
    below += here[0];
    backs += here[1];
  }
  return backs > 0 && below > 0 ? won / (backs * below) : NAN;
}

static int right_verdict(const sw_forced_step *s, const sw_forced_answer *a,
                         int32_t back) {
  return (a->choice == back) == s->back;
}

static void figures_of(const void *context, const int64_t *item, int64_t count,
                       double *out) {
  const figures *f = context;
  sw_forced_cell all = {0};
  int64_t targets = 0, hits = 0, whole = 0;
  for (int64_t i = 0; i < count; i++) {
    const sw_forced_step *s = &f->steps->step[f->asked[item[i]]];
    const sw_forced_answer *a = &f->answer[f->asked[item[i]]];
    int verdict = f->verdicts && right_verdict(s, a, f->back);
    targets += a->targets;
    hits += a->hits;
    whole += a->hits == a->targets;
    all.right += a->choice == s->right;
    all.backs += s->back;
    all.backs_right += s->back && verdict;
    all.onwards_right += !s->back && verdict;
  }
  all.onwards = count - all.backs;
  out[0] = share(hits, targets);
  out[1] = share(whole, count);
  out[2] = share(all.right, count);
  out[3] = out[4] = out[5] = NAN;
  if (!f->verdicts) return;
  out[3] = share(all.backs_right + all.onwards_right, count);
  out[4] = (share(all.backs_right, all.backs) +
            share(all.onwards_right, all.onwards)) /
           2;
  out[5] = auroc_of(f, item, count);
}

static int bin_of(const int64_t *bins, int64_t value) {
  int k = 0;
  while (value > bins[k]) k++;
  return k;
}

static void add_cell(sw_forced_cell *c, const sw_forced_step *s,
                     const sw_forced_answer *a, int32_t back) {
  int right = back >= 0 && right_verdict(s, a, back);
  c->steps++;
  c->right += a->choice == s->right;
  if (back < 0) return;
  c->backs += s->back;
  c->backs_right += s->back && right;
  c->onwards += !s->back;
  c->onwards_right += !s->back && right;
}

/* Calibration, and the recorded truth. */
static int calibrate(const figures *f, double *score, uint8_t *label,
                     sw_forced_view *out, sw_err *err) {
  int used;
  for (int64_t i = 0; i < f->items; i++) {
    score[i] = f->answer[f->asked[i]].back;
    label[i] = f->steps->step[f->asked[i]].back;
  }
  SW_TRY(
      sw_ece(score, label, f->items, SW_ECE_BINS, NULL, &used, &out->ece, err));
  out->brier = sw_brier(score, label, f->items);
  int64_t dead = 0;
  for (int64_t i = 0; i < f->items; i++) {
    const sw_forced_step *s = &f->steps->step[f->asked[i]];
    if (s->viability == SW_UNJUDGED) continue;
    score[out->judged] = f->answer[f->asked[i]].back;
    label[out->judged++] = s->viability == SW_DEAD;
    dead += s->viability == SW_DEAD;
  }
  if (dead > 0 && dead < out->judged)
    SW_TRY(sw_auroc(score, label, out->judged, &out->viable_auroc, err));
  return SW_OK;
}

static int fill_view(figures *f, int64_t resamples, uint64_t seed,
                     double *score, uint8_t *label, int64_t *cluster,
                     int64_t *order, sw_forced_view *out, sw_err *err) {
  sw_interval figure[6];
  sw_bootstrap_options boot = {cluster, resamples, seed};
  for (int64_t i = 0; i < f->items; i++) {
    const sw_forced_step *s = &f->steps->step[f->asked[i]];
    const sw_forced_answer *a = &f->answer[f->asked[i]];
    score[i] = a->back;
    cluster[i] = s->cluster;
    add_cell(&out->by_depth[bin_of(depth_bins, s->depth)], s, a, f->back);
    add_cell(&out->by_history[bin_of(length_bins, s->block - 1)], s, a,
             f->back);
  }
  if (!sw_all_finite(score, f->items))
    return sw_fail(err, SW_DATA, "the model's scores are not finite");
  if (sw_order_stable(score, f->items, order)) return no_memory(err);
  f->order = order;
  SW_TRY(sw_bootstrap(f->items, 6, figures_of, f, &boot, figure, err));
  int i = 0;
#define X(name) out->name = figure[i++];
  SW_FORCED_FIGURES(X)
#undef X
  return f->verdicts ? calibrate(f, score, label, out, err) : SW_OK;
}

int sw_forced_view_of(const sw_forced_steps *steps,
                      const sw_forced_answer *answer, int32_t back,
                      int64_t resamples, uint64_t seed, sw_forced_view *out,
                      sw_err *err) {
  size_t room = (size_t)steps->count + 1;
  int64_t *asked = malloc(4 * room * sizeof *asked);
  double *score = malloc(room * sizeof *score);
  uint8_t *label = malloc(room);
  int code = asked && score && label ? SW_OK : no_memory(err);
  memset(out, 0, sizeof *out);
  out->asked = 1;
  out->ece = out->brier = out->viable_auroc = NAN;
  figures f = {.steps = steps, .answer = answer, .asked = asked, .back = back};
  f.verdicts = back >= 0;
  for (int64_t i = 0; i < steps->count && !code; i++)
    if (answer[i].targets) asked[f.items++] = i;
  out->steps = f.items;
  out->skipped = steps->count - f.items;
  if (!code && !f.items) {
    code = sw_fail(err, SW_LIMIT, "no step fits the model's position table");
  } else if (!code) {
    f.times = asked + room;
    code = fill_view(&f, resamples, seed, score, label, asked + 2 * room,
                     asked + 3 * room, out, err);
  }
  free(asked);
  free(score);
  free(label);
  return code;
}

/* ---- with and without history ---- */

typedef struct both {
  const double *gap, *same;
} both;

static void means(const void *context, const int64_t *item, int64_t count,
                  double *out) {
  const both *b = context;
  out[0] = out[1] = 0;
  for (int64_t i = 0; i < count; i++) {
    out[0] += b->gap[item[i]] / (double)count;
    out[1] += b->same[item[i]] / (double)count;
  }
}

int sw_forced_gap_of(const sw_forced_steps *steps, const sw_forced_answer *with,
                     const sw_forced_answer *without, int64_t resamples,
                     uint64_t seed, sw_forced_gap *out, sw_err *err) {
  size_t room = (size_t)steps->count + 1;
  double *gap = malloc(2 * room * sizeof *gap), *same = gap ? gap + room : NULL;
  int64_t *cluster = malloc(room * sizeof *cluster), n = 0;
  sw_interval found[2];
  memset(out, 0, sizeof *out);
  if (!gap || !cluster) {
    free(gap);
    free(cluster);
    return no_memory(err);
  }
  for (int64_t i = 0; i < steps->count; i++) {
    const sw_forced_answer *a = &with[i], *b = &without[i];
    if (!a->targets || !b->targets) continue;
    int32_t right = steps->step[i].right;
    gap[n] = (a->choice == right) - (b->choice == right);
    same[n] = a->choice == b->choice;
    cluster[n++] = steps->step[i].cluster;
    out->exact_equal += a->bits == b->bits;
    if (fabs(a->back - b->back) > out->largest_back)
      out->largest_back = fabs(a->back - b->back);
  }
  both context = {gap, same};
  sw_bootstrap_options boot = {cluster, resamples, seed};
  int code = n ? sw_bootstrap(n, 2, means, &context, &boot, found, err) : SW_OK;
  if (!code && n) {
    out->choice_accuracy = found[0];
    out->same_choice = found[1];
    out->exact_equal /= (double)n;
  }
  out->steps = n;
  free(gap);
  free(cluster);
  return code;
}
