/* Models of any family (see family.h): the table of families, creation, first
 * values, hash, and the calls of a family. Files are in net_file.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/rng.h"
#include "model/families.h"
#include "model/net.h"

enum { ADDED_MAX = 16 };
static const sw_family *added[ADDED_MAX];
static int added_count;

static const sw_family *const table[] = {
#define X(family) &family,
    SW_FAMILIES(X)
#undef X
};
enum { TABLE = sizeof table / sizeof *table };

int sw_family_count(void) { return TABLE + added_count; }

const sw_family *sw_family_at(int index) {
  if (index < 0 || index >= sw_family_count()) return NULL;
  return index < TABLE ? table[index] : added[index - TABLE];
}

const sw_family *sw_family_find(const char *name) {
  for (int i = 0; i < sw_family_count(); i++)
    if (!strcmp(sw_family_at(i)->name, name)) return sw_family_at(i);
  return NULL;
}

int sw_family_named(const sw_family **family, const char *name, sw_err *err) {
  const char *names[TABLE + ADDED_MAX];
  *family = sw_family_find(name);
  if (*family) return SW_OK;
  int count = sw_family_count();
  for (int i = 0; i < count; i++) names[i] = sw_family_at(i)->name;
  sw_fail(err, SW_USAGE, "unknown architecture `%.60s`", name);
  const char *near = sw_nearest(name, names, count);
  return near ? sw_hint(err, "did you mean %s?", near)
              : sw_hint(err, "statewise train --list-architectures");
}

int sw_family_add(const sw_family *family) {
  if (added_count == ADDED_MAX || sw_family_find(family->name)) return -1;
  added[added_count++] = family;
  return 0;
}

/* ---- nets ---- */

int sw_net_allocate(sw_net *net, sw_err *err) {
  net->weights = sw_aligned_alloc(sizeof(float) * (size_t)net->count);
  if (net->weights) return SW_OK;
  return sw_no_memory_for(err, "%lld parameters", (long long)net->count);
}

/* Keyed by tensor and element only, so a weight's first value does not depend
 * on threads or on the order of initialisation. */
static float first_value(const sw_tensor *t, uint64_t seed, uint64_t tensor,
                         uint64_t element) {
  switch (t->init) {
    case SW_INIT_NORMAL:
      return (float)(t->size * sw_philox_normal(seed, tensor, element));
    case SW_INIT_UNIFORM:
      return (float)(t->size * (2 * sw_philox_unit(seed, tensor, element) - 1));
    case SW_INIT_ONE:
      return 1.0f;
    case SW_INIT_ZERO:
      break;
  }
  return 0.0f;
}

void sw_net_start(sw_net *net, const void *start, uint64_t seed) {
  SW_CHECK(sw_net_check(net));
  for (int i = 0; i < net->tensors; i++) {
    const sw_tensor *t = &net->tensor[i];
    for (int64_t k = 0; k < t->count; k++)
      net->weights[t->offset + k] =
          first_value(t, seed, (uint64_t)i, (uint64_t)k);
  }
  if (net->family->start) net->family->start(net, seed, start);
  sw_net_changed(net);
}

int sw_net_new(sw_net **net, const sw_family *family, const void *config,
               const void *start, uint64_t seed, sw_err *err) {
  SW_ASSERT(net && family && config);
  *net = NULL;
  SW_TRY(family->create(net, config, err));
  int code = (*net)->weights ? SW_OK : sw_net_allocate(*net, err);
  if (code) {
    sw_net_free(*net);
    *net = NULL;
    return code;
  }
  sw_net_start(*net, start, seed);
  return SW_OK;
}

void sw_net_free(sw_net *net) {
  if (!net) return;
  free(net->tensor);
  sw_aligned_free(net->weights);
  net->family->free(net);
}

void sw_net_changed(sw_net *net) {
  SW_ASSERT(net && net->family);
  if (net->family->changed) net->family->changed(net);
}

uint64_t sw_net_hash(const sw_net *net) {
  SW_CHECK(sw_net_check(net));
  const sw_family *f = net->family;
  size_t bytes = f->hashed ? f->hashed(net->config) : f->config_bytes;
  uint64_t shape = sw_xxh64(net->config, bytes, 0);
  return sw_xxh64(net->weights, sizeof(float) * (size_t)net->count, shape);
}

int64_t sw_net_parameters(const sw_net *net) {
  return net->count - net->constants;
}

void sw_net_sizes(const sw_family *family, const void *config, char *text,
                  size_t room) {
  size_t used = 0;
  text[0] = 0;
  for (int i = 0; i < family->option_count && used < room; i++) {
    const sw_option *o = &family->options[i];
    char value[48];
    sw_option_text(o, config, value, sizeof value);
    /* An option that is off by default and off here is not shown. */
    if (!strcmp(value, "0") && !strcmp(o->fallback, "0")) continue;
    int more = snprintf(text + used, room - used, "%s%s %s", used ? ", " : "",
                        o->name, value);
    used += more > 0 ? (size_t)more : 0;
  }
}

int sw_net_copy(sw_net *net, const sw_net *from, const char *path,
                sw_err *err) {
  SW_CHECK(sw_net_check(net));
  SW_CHECK(sw_net_check(from));
  if (from->family != net->family)
    return sw_fail(err, SW_DATA, "%s is a model of the family %s, not %s", path,
                   from->family->name, net->family->name);
  const sw_family *f = net->family;
  int same = !memcmp(from->config, net->config, f->config_bytes);
  if (!same && !(f->adopts && f->adopts(net->config, from->config))) {
    char has[160], wants[160];
    sw_net_sizes(f, from->config, has, sizeof has);
    sw_net_sizes(f, net->config, wants, sizeof wants);
    return sw_fail(err, SW_DATA,
                   "%s has another shape (%s) than the new model (%s)", path,
                   has, wants);
  }
  int64_t copied = same ? net->count : from->trained;
  memcpy(net->weights, from->weights, sizeof(float) * (size_t)copied);
  sw_net_changed(net);
  return SW_OK;
}

int sw_net_suits(const sw_net *net, const sw_reading *reading, sw_err *err) {
  return net->family->suits ? net->family->suits(net, reading, err) : SW_OK;
}

double sw_net_flops(const sw_net *net, const sw_item *item, int32_t rows,
                    int backward) {
  return net->family->flops ? net->family->flops(net, item, rows, backward) : 0;
}

/* ---- the calls of a family ---- */

int sw_work_new(sw_work **work, sw_net *net, sw_team *team, sw_err *err) {
  SW_ASSERT(work);
  SW_CHECK(sw_net_check(net));
  SW_ASSERT(team);
  *work = NULL;
  return net->family->work_new(work, net, team, err);
}

void sw_work_free(sw_work *work) {
  if (work) work->net->family->work_free(work);
}

int sw_work_batch(sw_work *work, sw_item *item, int32_t count, float *gradient,
                  sw_err *err) {
  SW_ASSERT(work && count >= 0);
  SW_CHECK(sw_items_check(item, count, work->net));
  return work->net->family->batch(work, item, count, gradient, err);
}

int sw_work_parts(sw_work *work, sw_item *item, int32_t count,
                  float *const *part, sw_err *err) {
  SW_ASSERT(work && count >= 0);
  SW_CHECK(sw_items_check(item, count, work->net));
  SW_ASSERT(part || !count);
  const sw_net *net = work->net;
  if (net->family->parts)
    return net->family->parts(work, item, count, part, err);
  for (int32_t i = 0; i < count; i++) {
    memset(part[i], 0, sizeof(float) * (size_t)net->trained);
    SW_TRY(sw_work_batch(work, item + i, 1, part[i], err));
  }
  return SW_OK;
}

int sw_work_rows(sw_work *work, const sw_item *item, const int32_t *rows,
                 int32_t count, float *out, sw_err *err) {
  SW_ASSERT(work);
  SW_CHECK(sw_items_check(item, 1, work->net));
  SW_ASSERT(count >= 0 && (rows || !count));
  SW_ASSERT(out || !count);
  return work->net->family->rows(work, item, rows, count, out, err);
}

static int lacks(const sw_net *net, const char *what, sw_err *err) {
  return sw_fail(err, SW_USAGE, "models of the family %s have no %s",
                 net->family->name, what);
}

static int no_verify_head(const sw_net *net, sw_err *err) {
  sw_fail(err, SW_USAGE, "this model of the family %s has no verify head",
          net->family->name);
  return sw_hint(err, "train one beside the policy: statewise train --verify");
}

int sw_work_hidden(sw_work *work, const sw_item *item, const int32_t *rows,
                   int32_t count, float *out, sw_err *err) {
  SW_ASSERT(work);
  SW_CHECK(sw_items_check(item, 1, work->net));
  SW_ASSERT(count >= 0 && (rows || !count));
  if (!work->net->family->hidden)
    return lacks(work->net, "hidden vectors", err);
  return work->net->family->hidden(work, item, rows, count, out, err);
}

int sw_work_custom(sw_work *work, sw_item *item, const int32_t *rows,
                   int32_t count, sw_logit_gradient fn, void *context,
                   float *gradient, sw_err *err) {
  SW_ASSERT(work && fn);
  SW_CHECK(sw_items_check(item, 1, work->net));
  if (!work->net->family->custom)
    return lacks(work->net, "objective but their own", err);
  return work->net->family->custom(work, item, rows, count, fn, context,
                                   gradient, err);
}

size_t sw_work_bytes(const sw_work *work) {
  return work->net->family->bytes ? work->net->family->bytes(work) : 0;
}

int sw_work_verdicts(sw_work *work, const sw_item *item, const int32_t *rows,
                     int32_t count, float *dead, sw_err *err) {
  SW_ASSERT(work && dead);
  if (!work->net->verifies || !work->net->family->verdicts)
    return no_verify_head(work->net, err);
  return work->net->family->verdicts(work, item, rows, count, dead, err);
}

int sw_seats_new(sw_seats **seats, sw_net *net, sw_team *team,
                 const sw_session_options *options, sw_err *err) {
  SW_ASSERT(seats && options);
  SW_CHECK(sw_net_check(net));
  *seats = NULL;
  if (!net->family->seats_new) return lacks(net, "sessions", err);
  return net->family->seats_new(seats, net, team, options, err);
}

void sw_seats_free(sw_seats *seats) {
  if (seats) seats->net->family->seats_free(seats);
}

int sw_seats_prefix(sw_seats *seats, int32_t s, const int32_t *token,
                    int32_t count, sw_err *err) {
  SW_ASSERT(seats && count >= 0 && (token || !count));
  if (!seats->net->family->prefix)
    return lacks(seats->net, "sessions of tokens", err);
  return seats->net->family->prefix(seats, s, token, count, err);
}

int sw_seats_begin_block(sw_seats *seats, int32_t s, int history, sw_err *err) {
  SW_ASSERT(seats);
  SW_ASSERT(history >= SW_HISTORY_FORGET && history <= SW_HISTORY_AWAY);
  return seats->net->family->begin_block(seats, s, history, err);
}

int sw_seats_push(sw_seats *seats, int32_t s, const int32_t *token,
                  int32_t count, sw_err *err) {
  SW_ASSERT(seats && (token || count <= 0));
  return seats->net->family->push(seats, s, token, count, err);
}

int sw_seats_pop(sw_seats *seats, int32_t s, int32_t count, sw_err *err) {
  SW_ASSERT(seats);
  return seats->net->family->pop(seats, s, count, err);
}

int64_t sw_seats_length(const sw_seats *seats, int32_t s) {
  SW_ASSERT(seats && s >= 0);
  return seats->net->family->length(seats, s);
}

int64_t sw_seats_need(const sw_seats *seats, int32_t s) {
  const sw_family *f = seats->net->family;
  return f->need ? f->need(seats, s) : 0;
}

void sw_seats_forget(sw_seats *seats, int32_t s) {
  SW_ASSERT(seats && s >= 0);
  const sw_family *f = seats->net->family;
  if (f->forget) f->forget(seats, s);
}

int sw_seats_state(sw_seats *seats, int32_t s, const sw_record *record,
                   sw_err *err) {
  SW_ASSERT(seats && record);
  if (!seats->net->family->state)
    return lacks(seats->net, "sessions of states", err);
  return seats->net->family->state(seats, s, record, err);
}

int sw_seats_run(sw_seats *seats, const int32_t *seq, int32_t count,
                 const float **scores, sw_err *err) {
  SW_ASSERT(seats && count >= 0);
  SW_ASSERT((seq && scores) || !count);
  return seats->net->family->run(seats, seq, count, scores, err);
}

int sw_seats_verdicts(sw_seats *seats, int32_t count, float *dead,
                      sw_err *err) {
  SW_ASSERT(seats && count >= 0 && (dead || !count));
  if (!seats->net->verifies || !seats->net->family->run_verdicts)
    return no_verify_head(seats->net, err);
  return seats->net->family->run_verdicts(seats, count, dead, err);
}

int sw_seats_attention(sw_seats *seats, int32_t s, sw_attention_shape *shape,
                       float *weights, sw_err *err) {
  SW_ASSERT(seats && shape);
  const sw_family *family = seats->net->family;
  if (!family->attention)
    return sw_fail(err, SW_USAGE, "family %s has no attention to show",
                   family->name);
  return family->attention(seats, s, shape, weights, err);
}

#ifdef SW_DEBUG
const char *sw_net_check(const sw_net *net) {
  int64_t at = 0, trained = 0;
  if (!net || !net->family) return "no model";
  if (!net->weights || !net->config) return "no weights";
  if (net->outputs < 1 || net->slots < 0) return "a size is wrong";
  for (int i = 0; i < net->tensors; i++) {
    const sw_tensor *t = &net->tensor[i];
    int64_t count = 1;
    for (int k = 0; k < t->dims; k++) count *= t->shape[k];
    if (t->offset != at) return "a tensor out of order";
    if (t->count != count) return "a tensor whose shape is not its size";
    at += t->count;
    trained += t->trained ? t->count : 0;
  }
  if (at != net->count) return "the tensors do not fill the block";
  return trained == net->trained ? NULL
                                 : "the trained part is not what it says";
}
#endif
