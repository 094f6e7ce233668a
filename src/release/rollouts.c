/* Published rollouts and transplant pairs (see rollouts.h). */
#include "release/rollouts.h"

#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "domains/domain.h"
#include "domains/sat/sat_options.h"

typedef sw_release_entry entry;

int sw_release_task(const sw_domain *domain, const sw_pairs *given,
                    sw_release_options *o, sw_err *err) {
  sw_domain_options task;
  if (domain != sw_domain_find("sat")) {
    sw_fail(err, SW_USAGE, "the published construction is for sat");
    return sw_hint(err, "use --construction fair for other domains");
  }
  sw_domain_defaults(domain, &task);
  SW_TRY(sw_domain_apply(domain, given, &task, err));
  if (task.n > 0) o->n = task.n;
  if (sw_sat_own(&task)->ratio > 0) o->ratio = sw_sat_own(&task)->ratio;
  if (task.max_tokens > 0) o->max_tokens = task.max_tokens;
  return SW_OK;
}

/* Memory of one formula's rollouts, reused by the next. */
typedef struct rollouts {
  sw_trace *traces;
  sw_sat_point **points;
  entry *list;
  sw_arena arena;
} rollouts;

static int no_memory(sw_err *err) {
  return sw_no_memory_for(err, "published rollouts");
}

static int roll(rollouts *r, int64_t instance, const sw_instance *formula,
                const sw_release_options *o, int64_t *total, sw_err *err) {
  *total = 0;
  for (int64_t j = 0; j < o->traces; j++) {
    int64_t count = 0;
    sw_sat_rollout_options one = {sw_sat_tie_seed(o->seed, instance, j),
                                  o->max_tokens, o->by_activity};
    SW_TRY(sw_sat_rollout(formula, &one, &r->traces[j], &r->arena,
                          &r->points[j], &count, err));
    entry *more = realloc(r->list, sizeof *more * (size_t)(*total + count + 1));
    if (!more) return no_memory(err);
    r->list = more;
    for (int64_t k = 0; k < count; k++)
      r->list[(*total)++] =
          (entry){&r->points[j][k], j,
                  r->points[j][k].start - r->traces[j].block_start[1]};
  }
  return 0;
}

static int open_formulas(const sw_release_options *o, const sw_domain *sat,
                         sw_stream **stream, sw_err *err) {
  sw_domain_options d;
  sw_domain_defaults(sat, &d);
  d.preset = 1; /* release */
  d.n = o->n;
  sw_sat_own_edit(&d)->ratio = o->ratio;
  sw_sat_own_edit(&d)->family = "planted";
  SW_TRY(sat->resolve(&d, err));
  return sat->stream_new(stream, &d, o->seed, SW_SPLIT_TRAIN, err);
}

static int visit(rollouts *r, const sw_domain *sat, sw_stream *stream,
                 const sw_release_options *o, sw_release_fn fn, void *context,
                 sw_err *err) {
  for (int64_t i = 0; i < o->instances; i++) {
    sw_instance *formula;
    int64_t count;
    SW_TRY(sat->stream_next(stream, &formula, err));
    sw_arena_reset(&r->arena);
    int code = roll(r, i, formula, o, &count, err);
    if (!code) code = fn(context, i, r->traces, r->list, count, o, err);
    for (int64_t j = 0; j < o->traces; j++) {
      free(r->points[j]);
      r->points[j] = NULL;
    }
    sat->instance_free(formula);
    if (code) return code;
  }
  return 0;
}

int sw_release_visit(const sw_release_options *o, sw_release_fn fn,
                     void *context, sw_err *err) {
  const sw_domain *sat = sw_domain_find("sat");
  sw_stream *stream;
  if (!sat) return sw_fail(err, SW_INTERNAL, "the sat domain is missing");
  SW_TRY(open_formulas(o, sat, &stream, err));
  rollouts r = {.traces = calloc((size_t)o->traces + 1, sizeof *r.traces),
                .points = calloc((size_t)o->traces + 1, sizeof *r.points)};
  sw_arena_init(&r.arena, 1 << 20);
  int code = r.traces && r.points ? visit(&r, sat, stream, o, fn, context, err)
                                  : no_memory(err);
  for (int64_t j = 0; r.traces && j < o->traces; j++)
    sw_trace_free(&r.traces[j]);
  free(r.traces);
  free(r.points);
  free(r.list);
  sw_arena_free(&r.arena);
  sat->stream_free(stream);
  return code;
}

/* ---- pairs ---- */

static int same_history(const sw_trace *traces, const entry *a,
                        const entry *b) {
  const sw_trace *x = &traces[a->trace], *y = &traces[b->trace];
  return a->history == b->history &&
         memcmp(x->token + x->block_start[1], y->token + y->block_start[1],
                sizeof(int32_t) * (size_t)a->history) == 0;
}

static int by_signature(const void *a, const void *b) {
  return strcmp(((const entry *)a)->point->signature,
                ((const entry *)b)->point->signature);
}

static int count_formula(void *context, int64_t instance,
                         const sw_trace *traces, entry *list, int64_t count,
                         const sw_release_options *o, sw_err *err) {
  sw_release_pairs *out = context;
  (void)instance;
  (void)err;
  qsort(list, (size_t)count, sizeof *list, by_signature);
  for (int64_t i = 0; i < count; i++)
    for (int64_t j = i + 1; j < count && by_signature(&list[i], &list[j]) == 0;
         j++) {
      if (list[i].point->label || list[i].trace == list[j].trace) continue;
      out->candidates++;
      /* the value query needs one token more than the prefix */
      int too_long = list[i].point->sep + 2 > o->max_tokens ||
                     list[j].point->sep + 2 > o->max_tokens;
      int same = same_history(traces, &list[i], &list[j]);
      out->identical += same;
      out->pairs += !same;
      out->too_long += !same && too_long;
    }
  return 0;
}

int sw_release_count_pairs(const sw_release_options *o, sw_release_pairs *out,
                           sw_err *err) {
  memset(out, 0, sizeof *out);
  return sw_release_visit(o, count_formula, out, err);
}
