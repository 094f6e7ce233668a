/* The LSTM from its formulas (see ref_lstm.h). */
#include "ref_lstm.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t offset(const ref_lstm *c, const char *name, int layer) {
  char full[80];
  snprintf(full, sizeof full, layer < 0 ? "%s" : "lstm.%s_l%d", name, layer);
  for (int i = 0; i < c->net->tensors; i++)
    if (!strcmp(c->net->tensor[i].name, full)) return c->net->tensor[i].offset;
  abort();
}

typedef struct act { /* of one layer */
  double *x, *gate, *c, *h;
} act;

typedef struct run {
  const ref_lstm *c;
  int length, *before; /* token whose state a token goes on from; -1: zero */
  act *layer;
  double *norm, *rstd, *logits; /* norm: (h - mean) * rstd */
} run;

static double *room(size_t count) {
  double *x = calloc(count ? count : 1, sizeof *x);
  if (!x) abort();
  return x;
}

/* The first token of a block goes on from the token before it, from the last of
 * the prefix, or from nothing: whichever it sees. */
static void find_before(run *r) {
  const sw_example *ex = r->c->example;
  for (int t = 0; t < r->length; t++) {
    int first = t == 0, prefix = ex->blocks > 1 ? (int)ex->block_start[1] : 0;
    for (int64_t b = 0; b < ex->blocks; b++) first |= ex->block_start[b] == t;
    r->before[t] = t - 1;
    if (!first || t == 0 || sw_mask_sees(ex->mask, t, t - 1)) continue;
    r->before[t] =
        prefix > 0 && t >= prefix && sw_mask_sees(ex->mask, t, prefix - 1)
            ? prefix - 1
            : -1;
  }
}

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static double drop_of(const ref_lstm *c, int layer, int t, int i) {
  if (layer < 0)
    return c->drop_embed ? c->drop_embed[(size_t)t * (size_t)c->d + (size_t)i]
                         : 1;
  size_t row = (size_t)layer * (size_t)c->example->length + (size_t)t;
  return c->drop_between ? c->drop_between[row * (size_t)c->d + (size_t)i] : 1;
}

static void forward_token(run *r, int l, int t) {
  const ref_lstm *c = r->c;
  const double *w = c->weights;
  int d = c->d, b = r->before[t];
  act *a = &r->layer[l];
  const double *wi = w + offset(c, "weight_ih", l),
               *wh = w + offset(c, "weight_hh", l),
               *bi = w + offset(c, "bias_ih", l),
               *bh = w + offset(c, "bias_hh", l);
  for (int g = 0; g < 4 * d; g++) {
    double sum = bi[g] + bh[g];
    for (int i = 0; i < d; i++) {
      sum += wi[g * d + i] * a->x[t * d + i];
      if (b >= 0) sum += wh[g * d + i] * a->h[b * d + i];
    }
    a->gate[t * 4 * d + g] = g / d == 2 ? tanh(sum) : sigmoid(sum);
  }
  for (int i = 0; i < d; i++) {
    const double *gate = a->gate + t * 4 * d;
    a->c[t * d + i] = (b >= 0 ? gate[d + i] * a->c[b * d + i] : 0) +
                      gate[i] * gate[2 * d + i];
    a->h[t * d + i] = gate[3 * d + i] * tanh(a->c[t * d + i]);
  }
}

static void score_token(run *r, int t) {
  const ref_lstm *c = r->c;
  const double *w = c->weights, *h = r->layer[c->layers - 1].h + t * c->d;
  const double *nw = w + offset(c, "ln_f.weight", -1),
               *nb = w + offset(c, "ln_f.bias", -1),
               *e = w + offset(c, "token_embedding.weight", -1);
  double mean = 0, square = 0;
  for (int i = 0; i < c->d; i++) mean += h[i] / c->d;
  for (int i = 0; i < c->d; i++) square += pow(h[i] - mean, 2) / c->d;
  r->rstd[t] = 1 / sqrt(square + 1e-5);
  for (int i = 0; i < c->d; i++)
    r->norm[t * c->d + i] = (h[i] - mean) * r->rstd[t];
  for (int v = 0; v < c->vocab; v++) {
    double sum = 0;
    for (int i = 0; i < c->d; i++)
      sum += e[v * c->d + i] * (r->norm[t * c->d + i] * nw[i] + nb[i]);
    r->logits[t * c->vocab + v] = sum;
  }
}

static void begin(run *r, const ref_lstm *c) {
  size_t n = (size_t)c->example->length, d = (size_t)c->d;
  *r = (run){.c = c, .length = c->example->length};
  r->before = calloc(n + 1, sizeof *r->before);
  r->layer = calloc((size_t)c->layers, sizeof *r->layer);
  if (!r->before || !r->layer) abort();
  r->norm = room(n * d);
  r->rstd = room(n);
  r->logits = room(n * (size_t)c->vocab);
  for (int l = 0; l < c->layers; l++)
    r->layer[l] = (act){room(n * d), room(4 * n * d), room(n * d), room(n * d)};
  find_before(r);
  const double *e = c->weights + offset(c, "token_embedding.weight", -1),
               *p =
                   c->positions
                       ? c->weights + offset(c, "position_embedding.weight", -1)
                       : NULL;
  for (int t = 0; t < r->length; t++)
    for (int i = 0; i < c->d; i++) {
      double x = e[c->example->token[t] * c->d + i];
      if (p) x += p[c->example->position[t] * c->d + i];
      r->layer[0].x[t * c->d + i] = x * drop_of(c, -1, t, i);
    }
  for (int l = 0; l < c->layers; l++)
    for (int t = 0; t < r->length; t++) {
      forward_token(r, l, t);
      for (int i = 0; i < c->d && l + 1 < c->layers; i++)
        r->layer[l + 1].x[t * c->d + i] =
            r->layer[l].h[t * c->d + i] * drop_of(c, l, t, i);
    }
  for (int t = 0; t < r->length; t++) score_token(r, t);
}

static void end(run *r) {
  for (int l = 0; l < r->c->layers; l++) {
    free(r->layer[l].x), free(r->layer[l].gate);
    free(r->layer[l].c), free(r->layer[l].h);
  }
  free(r->before), free(r->layer), free(r->norm), free(r->rstd);
  free(r->logits);
}

void ref_lstm_logits(const ref_lstm *c, double *out, double *hidden) {
  run r;
  begin(&r, c);
  memcpy(out, r.logits, sizeof(double) * (size_t)(r.length * c->vocab));
  const double *nw = c->weights + offset(c, "ln_f.weight", -1),
               *nb = c->weights + offset(c, "ln_f.bias", -1);
  for (int k = 0; hidden && k < r.length * c->d; k++)
    hidden[k] = r.norm[k] * nw[k % c->d] + nb[k % c->d];
  end(&r);
}

/* d(loss)/d(logits) of a token's row back to its last h. */
static void unscore(run *r, int t, const double *dlogit, double *gradient,
                    double *dh) {
  const ref_lstm *c = r->c;
  int d = c->d;
  const double *w = c->weights, *nw = w + offset(c, "ln_f.weight", -1),
               *nb = w + offset(c, "ln_f.bias", -1),
               *e = w + offset(c, "token_embedding.weight", -1);
  double *de = gradient + offset(c, "token_embedding.weight", -1),
         *dnw = gradient + offset(c, "ln_f.weight", -1),
         *dnb = gradient + offset(c, "ln_f.bias", -1);
  double *dy = room((size_t)d), a = 0, b = 0;
  const double *norm = r->norm + t * d;
  for (int v = 0; v < c->vocab; v++)
    for (int i = 0; i < d; i++) {
      dy[i] += dlogit[v] * e[v * d + i];
      de[v * d + i] += dlogit[v] * (norm[i] * nw[i] + nb[i]);
    }
  for (int i = 0; i < d; i++) {
    dnw[i] += dy[i] * norm[i];
    dnb[i] += dy[i];
    a += dy[i] * nw[i] / d;
    b += dy[i] * nw[i] * norm[i] / d;
  }
  for (int i = 0; i < d; i++)
    dh[t * d + i] += (dy[i] * nw[i] - a - norm[i] * b) * r->rstd[t];
  free(dy);
}

/* One token of one layer back: dh and dc of the token are complete, because
 * every token that goes on from it comes later. */
static void back_token(run *r, int l, int t, double *gradient, double *dh,
                       double *dc, double *dx) {
  const ref_lstm *c = r->c;
  int d = c->d, b = r->before[t];
  const act *a = &r->layer[l];
  const double *wi = c->weights + offset(c, "weight_ih", l),
               *wh = c->weights + offset(c, "weight_hh", l),
               *gate = a->gate + t * 4 * d;
  double *dwi = gradient + offset(c, "weight_ih", l),
         *dwh = gradient + offset(c, "weight_hh", l),
         *dbi = gradient + offset(c, "bias_ih", l),
         *dbh = gradient + offset(c, "bias_hh", l);
  double *dz = room(4 * (size_t)d);
  for (int i = 0; i < d; i++) {
    double top = tanh(a->c[t * d + i]), up = dh[t * d + i];
    double in = gate[i], f = gate[d + i], g = gate[2 * d + i],
           o = gate[3 * d + i];
    double inner = dc[t * d + i] + up * o * (1 - top * top);
    dz[i] = inner * g * in * (1 - in);
    dz[d + i] = b >= 0 ? inner * a->c[b * d + i] * f * (1 - f) : 0;
    dz[2 * d + i] = inner * in * (1 - g * g);
    dz[3 * d + i] = up * top * o * (1 - o);
    if (b >= 0) dc[b * d + i] += inner * f;
  }
  for (int k = 0; k < 4 * d; k++) {
    dbi[k] += dz[k];
    dbh[k] += dz[k];
    for (int i = 0; i < d; i++) {
      dwi[k * d + i] += dz[k] * a->x[t * d + i];
      dx[t * d + i] += dz[k] * wi[k * d + i];
      if (b < 0) continue;
      dwh[k * d + i] += dz[k] * a->h[b * d + i];
      dh[b * d + i] += dz[k] * wh[k * d + i];
    }
  }
  free(dz);
}

static void backward(run *r, double *dh, double *gradient) {
  const ref_lstm *c = r->c;
  size_t n = (size_t)(r->length * c->d);
  for (int l = c->layers - 1; l >= 0; l--) {
    double *dc = room(n), *dx = room(n);
    for (int t = r->length - 1; t >= 0; t--)
      back_token(r, l, t, gradient, dh, dc, dx);
    for (int t = 0; t < r->length; t++)
      for (int i = 0; i < c->d; i++)
        dh[t * c->d + i] = dx[t * c->d + i] * drop_of(c, l - 1, t, i);
    free(dc), free(dx);
  }
  double *de = gradient + offset(c, "token_embedding.weight", -1),
         *dp = c->positions
                   ? gradient + offset(c, "position_embedding.weight", -1)
                   : NULL;
  for (int t = 0; t < r->length; t++)
    for (int i = 0; i < c->d; i++) {
      de[c->example->token[t] * c->d + i] += dh[t * c->d + i];
      if (dp) dp[c->example->position[t] * c->d + i] += dh[t * c->d + i];
    }
}

double ref_lstm_loss(const ref_lstm *c, double weight, double *gradient) {
  run r;
  begin(&r, c);
  double loss = 0, *dh = room((size_t)(r.length * c->d));
  for (int t = 1; t < r.length; t++) {
    if (!c->example->supervised[t]) continue;
    double *z = r.logits + (t - 1) * c->vocab, top = z[0], sum = 0;
    for (int v = 0; v < c->vocab; v++) top = z[v] > top ? z[v] : top;
    for (int v = 0; v < c->vocab; v++) sum += exp(z[v] - top);
    loss += log(sum) + top - z[c->example->token[t]];
    for (int v = 0; v < c->vocab; v++)
      z[v] = weight * (exp(z[v] - top) / sum - (v == c->example->token[t]));
    if (gradient) unscore(&r, t - 1, z, gradient, dh);
  }
  if (gradient) backward(&r, dh, gradient);
  free(dh);
  end(&r);
  return loss;
}
