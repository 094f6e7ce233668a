/* Adding up what heads look at (see attention.h). */
#include "probe/attention.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *sw_left_name(int left) {
  static const char *const name[SW_LEFTS] = {"left_0", "left_1", "left_2",
                                             "left_3", "satisfied"};
  return name[left];
}

void sw_attention_free(sw_attention_result *r) {
  free(r->head);
  memset(r, 0, sizeof *r);
}

/* What one token looks at, by one head. */
typedef struct look {
  const sw_part *part;
  int64_t at;
  const float *weights; /* of the tokens; NULL: all alike */
  double even;
} look;

static double weight(const look *k, int64_t token) {
  return k->weights ? (double)k->weights[token] : k->even;
}

/* Adds up the attention on each item, by its number; tokens after the asked
 * token do not count. */
static void weigh_items(const look *k, int32_t items, double *on) {
  memset(on, 0, sizeof *on * (size_t)items);
  for (int64_t i = 0; i <= k->at; i++)
    if (k->part[i].item >= 0) on[k->part[i].item] += weight(k, i);
}

/* The first open item below `end` with the fewest choices left; -1: none is
 * open. */
static int32_t least_of(const sw_part *part, int64_t at, int32_t end) {
  int32_t best = -1, left = 0;
  for (int64_t i = 0; i <= at; i++) {
    const sw_part *p = &part[i];
    if (p->item < 0 || p->item >= end || p->left == SW_PART_DONE) continue;
    if (best < 0 || p->left < left) {
      best = p->item;
      left = p->left;
    }
  }
  return best;
}

static double mean_of_others(const double *on, int32_t items, int32_t one) {
  double sum = 0;
  for (int32_t i = 0; i < items; i++)
    if (i != one) sum += on[i];
  return sum / (items - 1);
}

static void add_question(const look *k, int32_t items, int32_t least,
                         double *on, sw_attention_shares *sum) {
  double mean = 0;
  weigh_items(k, items, on);
  if (least >= 0 && items > 1) {
    sum->question_least += on[least];
    sum->question_other += mean_of_others(on, items, least);
  }
  /* weights are floats; this floor replaces one that underflows to 0 */
  for (int32_t i = 0; i < items; i++) mean += log(fmax(on[i], 1e-30)) / items;
  for (int64_t i = 0, last = -1; i <= k->at; i++) {
    int32_t item = k->part[i].item;
    if (item < 0 || item == last) continue;
    int left = sw_left_class(k->part[i].left);
    sum->by_left[left] += on[item];
    sum->score[left] += log(fmax(on[item], 1e-30)) - mean;
    last = item;
  }
}

static void add_own(const look *k, int32_t least, double *on,
                    sw_attention_shares *sum) {
  const sw_part *own = &k->part[k->at];
  if (own->home >= 0) {
    for (int32_t i = 0; i < own->wide; i++)
      sum->home += weight(k, own->home + i);
  } else if (k->part[k->at - 1].home >= 0) {
    for (int64_t i = 0; i <= k->at; i++)
      if (k->part[i].item == own->item) sum->inside += weight(k, i);
  } else if (least >= 0) {
    weigh_items(k, own->item + 1, on);
    sum->opening_least += on[least];
    sum->opening_other += mean_of_others(on, own->item, least);
  }
}

/* The number of tokens of each kind, and of items, that were asked. */
static void count(const sw_part *part, int64_t at, int question, int32_t least,
                  sw_attention_result *r) {
  if (!question) {
    if (part[at].home >= 0) r->literals++;
    else if (part[at - 1].home >= 0) r->ends++;
    else r->openings += least >= 0;
    return;
  }
  int class = SW_LEFT_DONE;
  for (int64_t i = 0, last = -1; i <= at; i++) {
    if (part[i].item < 0 || part[i].item == last) continue;
    last = part[i].item;
    r->items[sw_left_class(part[i].left)]++;
    if (last == least) class = sw_left_class(part[i].left);
  }
  r->states++;
  r->states_of[class]++;
}

static int make_room(sw_attention_result *r, const sw_attention_shape *shape,
                     sw_err *err) {
  if (r->head) return SW_OK;
  r->layers = shape->layers;
  r->heads = shape->heads;
  r->head = calloc((size_t)(r->layers * r->heads) + 1, sizeof *r->head);
  return r->head ? SW_OK : sw_no_memory_for(err, "attention");
}

int sw_attention_add(sw_attention_result *r, const sw_part *part, int32_t items,
                     int64_t at, int question, const sw_attention_shape *shape,
                     const float *weights, sw_err *err) {
  if (shape->rows - shape->slots != at + 1)
    return sw_fail(err, SW_INTERNAL, "attention over %d rows of %lld tokens",
                   shape->rows, (long long)at + 1);
  SW_TRY(make_room(r, shape, err));
  double *on = malloc(sizeof *on * (size_t)(items + 1));
  if (!on) return sw_no_memory_for(err, "attention");
  /* the opening of the first or second item has no second item before it */
  int32_t before = question ? items : part[at].item;
  int32_t least = before > 1 ? least_of(part, at, before) : -1;
  for (int32_t h = 0; h <= r->layers * r->heads; h++) {
    look k = {.part = part, .at = at, .even = 1.0 / shape->rows};
    if (h < r->layers * r->heads)
      k.weights = weights + (size_t)h * (size_t)shape->rows + shape->slots;
    if (question) add_question(&k, items, least, on, &r->head[h]);
    else add_own(&k, least, on, &r->head[h]);
  }
  count(part, at, question, least, r);
  free(on);
  return SW_OK;
}

static void divide(double *sum, int64_t by) {
  *sum = by ? *sum / (double)by : NAN;
}

void sw_attention_finish(sw_attention_result *r) {
  int64_t open = r->states - r->states_of[SW_LEFT_DONE];
  for (int32_t h = 0; r->head && h <= r->layers * r->heads; h++) {
    sw_attention_shares *k = &r->head[h];
    divide(&k->home, r->literals);
    divide(&k->inside, r->ends);
    divide(&k->opening_least, r->openings);
    divide(&k->opening_other, r->openings);
    divide(&k->question_least, open);
    divide(&k->question_other, open);
    for (int c = 0; c < SW_LEFTS; c++) {
      divide(&k->by_left[c], r->items[c]);
      divide(&k->score[c], r->items[c]);
    }
  }
  for (int c = 0; c < SW_LEFTS; c++) divide(&r->verdict[c], r->states_of[c]);
}
