/* The heads of local_head.h, forward and backward. A matrix is stored by its
 * inputs, [in][out], so that both directions run along rows. */
#include "probe/local_head.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/stop.h"

static const double FLOOR = 1e-8; /* of a probability before its logarithm */

/* ---- pieces ---- */

/* y = W x + b */
static void linear(const double *w, const double *b, const double *x, int in,
                   int out, double *y) {
  memcpy(y, b, sizeof *y * (size_t)out);
  for (int i = 0; i < in; i++)
    for (int o = 0; o < out; o++) y[o] += x[i] * w[i * out + o];
}

/* Adds to dw, db and dx (NULL: nobody asks). */
static void linear_back(const double *w, const double *x, const double *dy,
                        int in, int out, double *dw, double *db, double *dx) {
  for (int o = 0; o < out; o++) db[o] += dy[o];
  for (int i = 0; i < in; i++)
    for (int o = 0; o < out; o++) dw[i * out + o] += x[i] * dy[o];
  for (int i = 0; i < in && dx; i++) {
    double part[4] = {0};
    int o = 0;
    for (; o + 4 <= out; o += 4)
      for (int k = 0; k < 4; k++) part[k] += w[i * out + o + k] * dy[o + k];
    for (; o < out; o++) part[0] += w[i * out + o] * dy[o];
    dx[i] += (part[0] + part[1]) + (part[2] + part[3]);
  }
}

static double gelu(double x) { return 0.5 * x * (1 + erf(x * M_SQRT1_2)); }
static double gelu_slope(double x) {
  return 0.5 * (1 + erf(x * M_SQRT1_2)) +
         x * exp(-0.5 * x * x) / sqrt(2 * M_PI);
}

static double chance(const double *z) { return 1 / (1 + exp(z[0] - z[1])); }
static double log_of(double p) { return log(p > FLOOR ? p : FLOOR); }

double sw_noisy_or(const double *p, int32_t count, double logit[2]) {
  double none = 1;
  for (int32_t i = 0; i < count; i++) none *= 1 - p[i];
  logit[0] = log_of(none);
  logit[1] = log_of(1 - none);
  return 1 - none;
}

/* ---- where the parameters lie ---- */

typedef struct places {
  int64_t norm, norm_b;                   /* plain */
  int64_t item, item_b, ask, ask_b;       /* local: W_n, W_a */
  int64_t q, q_b, k, k_b, v, v_b, o, o_b; /* local: the attention */
  int64_t one, one_b, two, two_b, count;
  int hidden; /* of W_1 */
} places;

static places layout(sw_head_kind kind, int64_t d) {
  places p = {.hidden = (int)(kind == SW_HEAD_LOCAL ? d / 2 : d)};
  int64_t at = 0, h = p.hidden;
#define PUT(name, size) (p.name = at, at += (size))
  if (kind == SW_HEAD_PLAIN) {
    PUT(norm, d), PUT(norm_b, d);
  } else {
    PUT(item, d * d), PUT(item_b, d), PUT(ask, d * d), PUT(ask_b, d);
    PUT(q, d * d), PUT(k, d * d), PUT(v, d * d);
    PUT(q_b, d), PUT(k_b, d), PUT(v_b, d), PUT(o, d * d), PUT(o_b, d);
  }
  PUT(one, d * h), PUT(one_b, h), PUT(two, 2 * h), PUT(two_b, 2);
#undef PUT
  p.count = at;
  return p;
}

static void uniform(double *w, int64_t count, double size, uint64_t seed,
                    uint64_t stream) {
  for (int64_t i = 0; i < count; i++)
    w[i] = size * (2 * sw_philox_unit(seed, stream, (uint64_t)i) - 1);
}

int sw_local_new(sw_local_head *head, sw_head_kind kind, int32_t width,
                 uint64_t seed, sw_err *err) {
  memset(head, 0, sizeof *head);
  if (width < SW_LOCAL_HEADS || width % SW_LOCAL_HEADS)
    return sw_fail(err, SW_USAGE, "a head on vectors of %d numbers", width);
  places p = layout(kind, width);
  double *w = calloc((size_t)p.count, sizeof *w), d = width;
  if (!w) return sw_fail(err, SW_MEMORY, "out of memory for a head");
  *head = (sw_local_head){kind, width, p.count, w};
  int64_t square = (int64_t)width * width;
  if (kind == SW_HEAD_PLAIN) {
    for (int32_t i = 0; i < width; i++) w[p.norm + i] = 1;
  } else {
    uniform(w + p.item, square + width, 1 / sqrt(d), seed, 1);
    uniform(w + p.ask, square + width, 1 / sqrt(d), seed, 2);
    uniform(w + p.q, 3 * square, sqrt(6 / (4 * d)), seed, 3);
    uniform(w + p.o, square, 1 / sqrt(d), seed, 4);
  }
  uniform(w + p.one, (int64_t)(width + 1) * p.hidden, 1 / sqrt(d), seed, 5);
  uniform(w + p.two, 2 * (int64_t)p.hidden + 2, 1 / sqrt((double)p.hidden),
          seed, 6);
  return SW_OK;
}

void sw_local_free(sw_local_head *head) {
  free(head->weight);
  head->weight = NULL;
}

/* ---- one state ---- */

/* Rows of a state: vectors [items][d] unless it says otherwise. */
typedef struct work {
  double *memory;
  double *h, *anchor, *x, *q0, *q, *k, *v, *weight; /* [heads][items] */
  double *mixed, *c, *y, *pre, *act;                /* [items][hidden] */
  double *z, *p;                                    /* [items][2], [items] */
  double *dx, *dy, *dk, *dv, *dc, *dmixed, *dq, *dq0, *dact;
} work;

static int open_work(work *w, const sw_local_head *head, int32_t items,
                     sw_err *err) {
  size_t n = (size_t)(items > 0 ? items : 1), d = (size_t)head->width;
  double **rows[] = {&w->h,   &w->x,  &w->k,  &w->v,  &w->y, &w->pre,
                     &w->act, &w->dx, &w->dy, &w->dk, &w->dv};
  double **one[] = {&w->anchor, &w->q0,     &w->q,  &w->mixed, &w->c,
                    &w->dc,     &w->dmixed, &w->dq, &w->dq0,   &w->dact};
  size_t many = sizeof rows / sizeof *rows, few = sizeof one / sizeof *one;
  w->memory = calloc(many * n * d + few * d + (SW_LOCAL_HEADS + 3) * n,
                     sizeof *w->memory);
  if (!w->memory) return sw_fail(err, SW_MEMORY, "out of memory for a head");
  double *at = w->memory;
  for (size_t i = 0; i < many; i++, at += n * d) *rows[i] = at;
  for (size_t i = 0; i < few; i++, at += d) *one[i] = at;
  w->weight = at;
  w->z = at + SW_LOCAL_HEADS * n;
  w->p = w->z + 2 * n;
  return SW_OK;
}

static void copy(const float *from, size_t count, double *to) {
  for (size_t i = 0; i < count; i++) to[i] = (double)from[i];
}

static const double NARROW = 1e-5; /* of the norm */

static double spread(const double *h, int d, double *mean) {
  double sum = 0, var = 0;
  for (int i = 0; i < d; i++) sum += h[i];
  *mean = sum / d;
  for (int i = 0; i < d; i++) var += (h[i] - *mean) * (h[i] - *mean);
  return 1 / sqrt(var / d + NARROW);
}

/* Scores of an item from y: W_2 gelu(W_1 y + b_1) + b_2. */
static void classify(const double *m, const places *p, int d, work *w, int i) {
  double *pre = w->pre + (ptrdiff_t)i * d, *act = w->act + (ptrdiff_t)i * d;
  linear(m + p->one, m + p->one_b, w->y + (ptrdiff_t)i * d, d, p->hidden, pre);
  for (int k = 0; k < p->hidden; k++) act[k] = gelu(pre[k]);
  linear(m + p->two, m + p->two_b, act, p->hidden, 2, w->z + 2 * i);
  w->p[i] = chance(w->z + 2 * i);
}

/* dy of an item from dz. */
static void classify_back(const double *m, const places *p, int d, work *w,
                          int i, const double dz[2], double *g) {
  const double *pre = w->pre + (ptrdiff_t)i * d;
  memset(w->dact, 0, sizeof *w->dact * (size_t)p->hidden);
  linear_back(m + p->two, w->act + (ptrdiff_t)i * d, dz, p->hidden, 2,
              g + p->two, g + p->two_b, w->dact);
  for (int k = 0; k < p->hidden; k++) w->dact[k] *= gelu_slope(pre[k]);
  linear_back(m + p->one, w->y + (ptrdiff_t)i * d, w->dact, d, p->hidden,
              g + p->one, g + p->one_b, w->dy + (ptrdiff_t)i * d);
}

static void attend(work *w, int items, int d) {
  int size = d / SW_LOCAL_HEADS;
  for (int h = 0; h < SW_LOCAL_HEADS; h++) {
    double *a = w->weight + (ptrdiff_t)h * items, top = -INFINITY, sum = 0;
    for (int i = 0; i < items; i++) {
      a[i] = 0;
      for (int e = h * size; e < (h + 1) * size; e++)
        a[i] += w->q[e] * w->k[(ptrdiff_t)i * d + e];
      a[i] /= sqrt((double)size);
      if (a[i] > top) top = a[i];
    }
    for (int i = 0; i < items; i++) sum += a[i] = exp(a[i] - top);
    for (int i = 0; i < items; i++) {
      a[i] /= sum;
      for (int e = h * size; e < (h + 1) * size; e++)
        w->mixed[e] += a[i] * w->v[(ptrdiff_t)i * d + e];
    }
  }
}

static void attend_back(work *w, int items, int d) {
  int size = d / SW_LOCAL_HEADS;
  for (int h = 0; h < SW_LOCAL_HEADS; h++) {
    const double *a = w->weight + (ptrdiff_t)h * items;
    double along = 0;
    for (int e = h * size; e < (h + 1) * size; e++)
      along += w->dmixed[e] * w->mixed[e]; /* sum of a_i da_i */
    for (int i = 0; i < items; i++) {
      double da = 0, *dk = w->dk + (ptrdiff_t)i * d;
      for (int e = h * size; e < (h + 1) * size; e++) {
        da += w->dmixed[e] * w->v[(ptrdiff_t)i * d + e];
        w->dv[(ptrdiff_t)i * d + e] += a[i] * w->dmixed[e];
      }
      double ds = a[i] * (da - along) / sqrt((double)size);
      for (int e = h * size; e < (h + 1) * size; e++) {
        w->dq[e] += ds * w->k[(ptrdiff_t)i * d + e];
        dk[e] += ds * w->q[e];
      }
    }
  }
}

static void forward_local(const sw_local_head *head, const places *p,
                          const sw_local_state *s, work *w) {
  const double *m = head->weight;
  int d = head->width, n = s->touched;
  copy(s->item, (size_t)n * (size_t)d, w->h);
  copy(s->anchor, (size_t)d, w->anchor);
  linear(m + p->ask, m + p->ask_b, w->anchor, d, d, w->q0);
  linear(m + p->q, m + p->q_b, w->q0, d, d, w->q);
  for (int i = 0; i < n; i++) {
    ptrdiff_t at = (ptrdiff_t)i * d;
    linear(m + p->item, m + p->item_b, w->h + at, d, d, w->x + at);
    linear(m + p->k, m + p->k_b, w->x + at, d, d, w->k + at);
    linear(m + p->v, m + p->v_b, w->x + at, d, d, w->v + at);
  }
  if (n) attend(w, n, d);
  linear(m + p->o, m + p->o_b, w->mixed, d, d, w->c);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < d; k++)
      w->y[(ptrdiff_t)i * d + k] = w->x[(ptrdiff_t)i * d + k] + w->c[k];
    classify(m, p, d, w, i);
  }
}

static void backward_local(const sw_local_head *head, const places *p,
                           const sw_local_state *s, work *w, const double *dz,
                           double *g) {
  const double *m = head->weight;
  int d = head->width, n = s->touched;
  for (int i = 0; i < n; i++) {
    ptrdiff_t at = (ptrdiff_t)i * d;
    classify_back(m, p, d, w, i, dz + 2 * i, g);
    for (int k = 0; k < d; k++) {
      w->dx[at + k] = w->dy[at + k];
      w->dc[k] += w->dy[at + k];
    }
  }
  linear_back(m + p->o, w->mixed, w->dc, d, d, g + p->o, g + p->o_b, w->dmixed);
  attend_back(w, n, d);
  for (int i = 0; i < n; i++) {
    ptrdiff_t at = (ptrdiff_t)i * d;
    linear_back(m + p->k, w->x + at, w->dk + at, d, d, g + p->k, g + p->k_b,
                w->dx + at);
    linear_back(m + p->v, w->x + at, w->dv + at, d, d, g + p->v, g + p->v_b,
                w->dx + at);
    linear_back(m + p->item, w->h + at, w->dx + at, d, d, g + p->item,
                g + p->item_b, NULL);
  }
  linear_back(m + p->q, w->q0, w->dq, d, d, g + p->q, g + p->q_b, w->dq0);
  linear_back(m + p->ask, w->anchor, w->dq0, d, d, g + p->ask, g + p->ask_b,
              NULL);
}

static void forward_plain(const sw_local_head *head, const places *p,
                          const sw_local_state *s, work *w) {
  const double *m = head->weight;
  int d = head->width;
  double mean;
  copy(s->last, (size_t)d, w->h);
  double narrow = spread(w->h, d, &mean);
  for (int i = 0; i < d; i++)
    w->y[i] = (w->h[i] - mean) * narrow * m[p->norm + i] + m[p->norm_b + i];
  classify(m, p, d, w, 0);
}

static void backward_plain(const sw_local_head *head, const places *p, work *w,
                           const double *dz, double *g) {
  int d = head->width;
  double mean, narrow = spread(w->h, d, &mean);
  classify_back(head->weight, p, d, w, 0, dz, g);
  for (int i = 0; i < d; i++) {
    g[p->norm + i] += w->dy[i] * (w->h[i] - mean) * narrow;
    g[p->norm_b + i] += w->dy[i];
  }
}

int sw_local_say(const sw_local_head *head, const sw_local_state *s, double *p,
                 sw_err *err) {
  places at = layout(head->kind, head->width);
  work w = {0};
  double logit[2];
  int32_t rows = head->kind == SW_HEAD_PLAIN ? 1 : s->touched;
  *p = 0;
  SW_TRY(open_work(&w, head, rows, err));
  if (head->kind == SW_HEAD_PLAIN) forward_plain(head, &at, s, &w);
  else forward_local(head, &at, s, &w);
  *p = head->kind == SW_HEAD_PLAIN ? w.p[0] : sw_noisy_or(w.p, rows, logit);
  free(w.memory);
  return SW_OK;
}

/* ---- losses ---- */

/* Log loss of the whole, and its slope in each item's second score. */
static double whole_loss(const double *p, int32_t count, int label,
                         double weight, double *slope) {
  double logit[2], any = sw_noisy_or(p, count, logit), none = 1 - any;
  if (label) weight = weight > 0 ? weight : 1;
  else weight = 1;
  for (int32_t i = 0; i < count; i++)
    slope[i] = !label        ? (none > FLOOR ? p[i] : 0)
               : any > FLOOR ? -weight * none / any * p[i]
                             : 0;
  return -weight * logit[label];
}

/* Focal loss of one item, and its slope in the second score. */
static double item_loss(double p, int failed, double focus, double *slope) {
  double t = failed ? p : 1 - p, balance = failed ? 0.75 : 0.25;
  if (t < FLOOR) t = FLOOR;
  double sign = failed ? 1 : -1, away = 1 - t;
  if (!(focus > 0)) {
    *slope = sign * -away; /* d(-ln t)/dz = -(1 - t) towards t's class */
    return -log(t);
  }
  double power = pow(away, focus);
  double by_t = balance * (focus * pow(away, focus - 1) * log(t) - power / t);
  *slope = sign * by_t * t * away;
  return -balance * power * log(t);
}

int sw_local_loss(const sw_local_head *head, const sw_local_state *s,
                  const sw_local_options *o, double *loss, double *gradient,
                  sw_err *err) {
  places at = layout(head->kind, head->width);
  work w = {0};
  int plain = head->kind == SW_HEAD_PLAIN;
  int32_t rows = plain ? 1 : s->touched;
  double slope[SW_LOCAL_TOUCHED], dz[2 * SW_LOCAL_TOUCHED], sum = 0;
  if (rows > SW_LOCAL_TOUCHED)
    return sw_fail(err, SW_LIMIT, "%d items of a state", rows);
  SW_TRY(open_work(&w, head, rows, err));
  if (plain) forward_plain(head, &at, s, &w);
  else forward_local(head, &at, s, &w);
  *loss = whole_loss(w.p, rows, s->label != 0, o->positive, slope);
  for (int32_t i = 0; i < rows; i++) {
    double own = 0;
    if (!plain && o->local_weight > 0) {
      sum += item_loss(w.p[i], s->failed[i], o->focus, &own);
      slope[i] += o->local_weight * own / rows;
    }
    dz[2 * i] = -slope[i];
    dz[2 * i + 1] = slope[i];
  }
  if (rows && !plain) *loss += o->local_weight * sum / rows;
  if (gradient && plain) backward_plain(head, &at, &w, dz, gradient);
  if (gradient && !plain && rows)
    backward_local(head, &at, s, &w, dz, gradient);
  free(w.memory);
  return SW_OK;
}

/* ---- training ---- */

typedef struct adam {
  double *g, *m, *v;
  int64_t step;
} adam;

static void step_adam(sw_local_head *head, adam *a, double rate, double scale) {
  static const double b1 = 0.9, b2 = 0.999, eps = 1e-8;
  double c1 = 1 - pow(b1, (double)++a->step), c2 = 1 - pow(b2, (double)a->step);
  for (int64_t i = 0; i < head->count; i++) {
    double g = a->g[i] * scale;
    a->m[i] = b1 * a->m[i] + (1 - b1) * g;
    a->v[i] = b2 * a->v[i] + (1 - b2) * g * g;
    head->weight[i] -= rate * (a->m[i] / c1) / (sqrt(a->v[i] / c2) + eps);
    a->g[i] = 0;
  }
}

/* The order of an epoch: Fisher-Yates. */
static void shuffle(int64_t *order, int64_t count, uint64_t seed,
                    uint64_t epoch) {
  for (int64_t i = 0; i < count; i++) order[i] = i;
  for (int64_t i = count - 1; i > 0; i--) {
    int64_t k = (int64_t)(sw_philox_u64(seed, 100 + epoch, (uint64_t)i) %
                          (uint64_t)(i + 1));
    int64_t kept = order[i];
    order[i] = order[k];
    order[k] = kept;
  }
}

static int train_epochs(sw_local_head *head, adam *a, int64_t *order,
                        const sw_local_state *state, int64_t states,
                        const sw_local_options *o, sw_err *err) {
  int64_t steps = (states + o->batch - 1) / o->batch * o->epochs;
  for (int32_t e = 0; e < o->epochs; e++) {
    shuffle(order, states, o->seed, (uint64_t)e);
    for (int64_t from = 0; from < states; from += o->batch) {
      int64_t to = from + o->batch < states ? from + o->batch : states;
      double loss;
      if (sw_time_to_stop()) return sw_fail_stopped(err, "training a head");
      for (int64_t i = from; i < to; i++)
        SW_TRY(sw_local_loss(head, &state[order[i]], o, &loss, a->g, err));
      /* a cosine down to zero */
      double share = (double)a->step / (double)steps;
      step_adam(head, a, o->rate * 0.5 * (1 + cos(M_PI * share)),
                1 / (double)(to - from));
    }
  }
  return SW_OK;
}

int sw_local_train(sw_local_head *head, const sw_local_state *state,
                   int64_t states, const sw_local_options *o, sw_err *err) {
  size_t n = (size_t)head->count;
  adam a = {.g = calloc(3 * n, sizeof(double))};
  int64_t *order = malloc(sizeof *order * ((size_t)states + 1));
  int code = a.g && order ? SW_OK
                          : sw_fail(err, SW_MEMORY, "out of memory for a head");
  if (!code) {
    a.m = a.g + n;
    a.v = a.m + n;
    code = train_epochs(head, &a, order, state, states, o, err);
  }
  free(a.g);
  free(order);
  return code;
}
