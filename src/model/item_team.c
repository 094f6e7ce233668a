/* Items over a team (see item_team.h). */
#include "model/item_team.h"
#include <string.h>
#include "base/arena.h"
#include "base/check.h"
#include "trace/mask.h"

enum { CHUNK = 4096 };

typedef struct round_job {
  sw_item_team *t;
  sw_item *item;
  int32_t count;
  float *gradient;    /* NULL: none, or each by itself */
  float *const *part; /* NULL: not asked for */
  struct {
    int code;
    sw_err err;
  } out[256];
} round_job;

static float *room_of(const round_job *job, int32_t i) {
  if (job->part) return job->part[i];
  return job->gradient ? job->t->space + (size_t)i * job->t->stride : NULL;
}

/* Item i of a round is member i's; then each adds its slice of all. */
static void run_round(void *context, int rank, int size) {
  round_job *job = context;
  sw_item_team *t = job->t;
  nn_set_float_mode();
  if (rank < job->count)
    job->out[rank].code = t->fn(t->context, rank, &job->item[rank],
                                room_of(job, rank), &job->out[rank].err);
  if (!job->gradient) return;
  sw_team_barrier(t->team);
  size_t from, to;
  sw_share((size_t)t->net->trained, CHUNK, rank, size, &from, &to);
  for (size_t at = from; at < to; at += CHUNK)
    for (int32_t i = 0; i < job->count; i++)
      t->net->kernels->add(to - at < CHUNK ? to - at : CHUNK,
                           t->space + (size_t)i * t->stride + at,
                           job->gradient + at);
}

static int all_rounds(sw_item_team *t, sw_item *item, int32_t count,
                      float *gradient, float *const *part, sw_err *err) {
  int members = sw_team_size(t->team);
  round_job job = {.t = t, .gradient = gradient};
  if (members > 256) members = 256;
  for (int32_t begin = 0; begin < count; begin += members) {
    job.item = item + begin;
    job.part = part ? part + begin : NULL;
    job.count = count - begin < members ? count - begin : members;
    for (int32_t i = 0; i < job.count; i++) {
      job.out[i].code = SW_OK;
      job.out[i].err = (sw_err){0};
    }
    sw_team_run(t->team, run_round, &job);
    for (int32_t i = 0; i < job.count; i++)
      if (job.out[i].code) {
        if (err) *err = job.out[i].err;
        return job.out[i].code;
      }
  }
  return SW_OK;
}

int sw_item_team_batch(sw_item_team *t, sw_item *item, int32_t count,
                       float *gradient, sw_err *err) {
  if (gradient && !t->space) {
    t->stride = ((size_t)t->net->trained + 15) / 16 * 16;
    t->space = sw_aligned_alloc(sizeof(float) * t->stride *
                                (size_t)sw_team_size(t->team));
    if (!t->space) return sw_no_memory_for(err, "the gradients");
  }
  return all_rounds(t, item, count, gradient, NULL, err);
}

int sw_item_team_parts(sw_item_team *t, sw_item *item, int32_t count,
                       float *const *part, sw_err *err) {
  return all_rounds(t, item, count, NULL, part, err);
}

void sw_item_team_free(sw_item_team *t) { sw_aligned_free(t->space); }

#ifdef SW_DEBUG
const char *sw_tally_check(const sw_tally *tally) {
  if (!tally) return "no tally";
  for (int k = 0; k < SW_LOSS_KINDS; k++)
    if (tally[k].hits < 0 || tally[k].hits > tally[k].count)
      return "more right than were asked for";
  return NULL;
}

static const char *example_fault(const sw_example *e, const sw_net *net) {
  if (e->length < 0 || e->blocks < 0) return "a size below 0";
  if (!e->token || !e->mask) return "no tokens or no mask";
  if (e->mask->length != e->length) return "a mask of another length";
  if (e->mask->slots != net->slots) return "a mask with other slots";
  for (int64_t b = 1; e->block_start && b < e->blocks; b++)
    if (e->block_start[b] < e->block_start[b - 1] ||
        e->block_start[b] > e->length)
      return "a block out of order";
  return sw_mask_check(e->mask);
}

const char *sw_items_check(const sw_item *item, int32_t count,
                           const sw_net *net) {
  int tokens = !strcmp(net->family->reads, "tokens");
  if (count && !item) return "no item";
  for (int32_t i = 0; i < count; i++) {
    const sw_item *x = &item[i];
    const char *why =
        tokens && x->example.length ? example_fault(&x->example, net) : NULL;
    if (why) return why;
    if (x->record.rows < 0) return "a record of less than 0 rows";
  }
  return NULL;
}
#endif
