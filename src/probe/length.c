/* Teacher-forced accuracy against length (see length.h). */
#include "probe/length.h"
#include <stdlib.h>
#include <string.h>
#include "base/argmax.h"
#include "base/rng.h"
#include "probe/spread.h"

static const int64_t block_bins[SW_LENGTH_BLOCKS] = SW_LENGTH_BLOCK_BINS;
static const int64_t token_bins[SW_LENGTH_TOKENS] = SW_LENGTH_TOKEN_BINS;

static int bin_of(const int64_t *bins, int64_t value) {
  int k = 0;
  while (value > bins[k]) k++;
  return k;
}

typedef struct reader {
  sw_asker *asker;
  sw_length_result *out;
  sw_trace cut;
  int32_t *row;
  int64_t row_room;
} reader;

static void add(sw_length_cell *cell, int64_t targets, int64_t hits,
                int first) {
  cell->blocks++;
  cell->exact += hits == targets;
  cell->targets += targets;
  cell->hits += hits;
  cell->choices++;
  cell->right += first;
}

/* Scores blocks [first, last] from the logits of their supervised rows, in
 * order. */
static void score(reader *r, const sw_trace *t, int64_t first, int64_t last,
                  const float *z) {
  int32_t vocab = sw_asker_vocab(r->asker);
  for (int64_t b = first; b <= last; b++) {
    int64_t targets = 0, hits = 0;
    int first_right = 0;
    for (int64_t i = t->block_start[b]; i < sw_trace_block_end(t, b); i++) {
      if (!t->supervised[i]) continue;
      int hit = sw_argmax(z, vocab) == t->token[i];
      if (targets == 0) first_right = hit;
      targets++;
      hits += hit;
      z += vocab;
    }
    if (!targets) continue;
    add(&r->out->all, targets, hits, first_right);
    add(&r->out->by_block[bin_of(block_bins, b)], targets, hits, first_right);
    add(&r->out->by_tokens[bin_of(token_bins, sw_trace_block_end(t, b))],
        targets, hits, first_right);
  }
}

static int list_rows(reader *r, const sw_trace *t, int64_t first, int64_t last,
                     int32_t *count, sw_err *err) {
  if (t->length > r->row_room) {
    int32_t *row = realloc(r->row, sizeof *row * (size_t)t->length);
    if (!row) return sw_no_memory_for(err, "length probe");
    r->row = row;
    r->row_room = t->length;
  }
  *count = 0;
  for (int64_t i = t->block_start[first]; i < sw_trace_block_end(t, last); i++)
    if (t->supervised[i]) r->row[(*count)++] = (int32_t)(i - 1);
  return 0;
}

/* The first `blocks` blocks of a trace. */
static int cut_to(reader *r, const sw_trace *t, int64_t blocks, sw_err *err) {
  sw_trace_clear(&r->cut);
  for (int64_t b = 0; b < blocks; b++) {
    sw_trace_begin_block(&r->cut);
    for (int64_t i = t->block_start[b]; i < sw_trace_block_end(t, b); i++)
      sw_trace_put(&r->cut, t->token[i], t->supervised[i]);
  }
  return r->cut.failed ? sw_no_memory_for(err, "length probe") : 0;
}

static int ask_blocks(reader *r, int64_t first, int64_t last, sw_err *err) {
  const float *z;
  int32_t count = 0;
  SW_TRY(list_rows(r, &r->cut, first, last, &count, err));
  if (!count) return 0;
  SW_TRY(sw_ask_rows(r->asker, &r->cut, r->row, count, &z, err));
  score(r, &r->cut, first, last, z);
  return 0;
}

/* Under a leaky mask a row sees later tokens, its own target included. Only a
 * sequence that ends before the target is honest, so each target takes one
 * pass. */
static int ask_leaky(reader *r, const sw_trace *t, int64_t block, sw_err *err) {
  int32_t vocab = sw_asker_vocab(r->asker);
  int64_t targets = 0;
  float *z = NULL;
  SW_TRY(cut_to(r, t, block + 1, err));
  for (int64_t i = t->block_start[block]; i < sw_trace_block_end(t, block);
       i++) {
    const float *one;
    if (!t->supervised[i]) continue;
    r->cut.length = i;
    int32_t row = (int32_t)(i - 1);
    int code = sw_ask_rows(r->asker, &r->cut, &row, 1, &one, err);
    float *more =
        code ? NULL
             : realloc(z, sizeof *z * (size_t)(targets + 1) * (size_t)vocab);
    if (!code && !more) code = sw_no_memory_for(err, "length probe");
    if (code) {
      free(z);
      return code;
    }
    z = more;
    memcpy(z + (size_t)targets++ * (size_t)vocab, one,
           sizeof *z * (size_t)vocab);
  }
  if (targets) score(r, t, block, block, z);
  free(z);
  return 0;
}

static int read_trace(reader *r, const sw_trace *t, int leaky, sw_err *err) {
  int64_t blocks = t->blocks;
  for (; blocks > 1; blocks--) {
    SW_TRY(cut_to(r, t, blocks, err));
    if (sw_ask_fits(r->asker, &r->cut)) break;
    r->out->skipped_blocks++;
  }
  r->out->traces++;
  if (!leaky) return blocks > 1 ? ask_blocks(r, 1, blocks - 1, err) : 0;
  for (int64_t b = 1; b < blocks; b++) SW_TRY(ask_leaky(r, t, b, err));
  return 0;
}

/* This rank's traces. */
static int read_traces(reader *r, const sw_length_options *o, sw_stream *stream,
                       sw_progress_fn progress, void *context, sw_err *err) {
  sw_trace trace;
  int64_t from, to;
  sw_spread(o->traces, &from, &to);
  int code = sw_stream_skip(o->domain, stream, from, err);
  sw_trace_init(&trace);
  for (int64_t i = from; i < to && !code; i++) {
    sw_instance *instance;
    sw_mt mt;
    sw_mt_seed(&mt, o->seed + (uint64_t)i);
    code = o->domain->stream_next(stream, &instance, err);
    if (code) break;
    sw_trace_clear(&trace);
    code =
        o->domain->write_trace(instance, &o->domain_options, &mt, &trace, err);
    o->domain->instance_free(instance);
    int dropped = code == SW_LIMIT; /* as too long: the next one */
    if (dropped) code = 0;
    else if (!code) code = sw_ask_questions(r->asker, &trace, err);
    if (!code && !dropped) code = read_trace(r, &trace, o->leaky, err);
    if (progress) progress(context, NULL, i + 1 - from, to - from);
  }
  sw_trace_free(&trace);
  return code;
}

/* This rank's recorded searches. */
static int read_data(reader *r, const sw_length_options *o,
                     sw_progress_fn progress, void *context, sw_err *err) {
  static const sw_view_options whole = {.view = SW_VIEW_FULL};
  const sw_probe_data *d = o->data;
  int64_t from, to, count = d->traces < o->traces ? d->traces : o->traces;
  sw_trace trace;
  sw_trace_init(&trace);
  sw_spread(count, &from, &to);
  int code = SW_OK;
  for (int64_t i = from; i < to && !code; i++) {
    code = sw_dataset_item(&d->set, &whole, d->trace[i], &trace, err);
    if (!code) code = sw_ask_questions(r->asker, &trace, err);
    if (!code) code = read_trace(r, &trace, o->leaky, err);
    if (progress) progress(context, NULL, i + 1 - from, to - from);
  }
  sw_trace_free(&trace);
  return code;
}

static int read_expert(reader *r, const sw_length_options *o,
                       sw_progress_fn progress, void *context, sw_err *err) {
  sw_stream *stream;
  SW_TRY(o->domain->stream_new(&stream, &o->domain_options, o->seed, o->split,
                               err));
  int code = read_traces(r, o, stream, progress, context, err);
  o->domain->stream_free(stream);
  return code;
}

int sw_length(sw_asker *asker, const sw_length_options *o,
              sw_progress_fn progress, void *context, sw_length_result *out,
              sw_err *err) {
  _Static_assert(sizeof *out % sizeof(int64_t) == 0, "counts only");
  reader r = {.asker = asker, .out = out};
  memset(out, 0, sizeof *out);
  sw_trace_init(&r.cut);
  int code = o->data ? read_data(&r, o, progress, context, err)
                     : read_expert(&r, o, progress, context, err);
  if (!code)
    code = sw_spread_add((int64_t *)out, sizeof *out / sizeof(int64_t), err);
  sw_trace_free(&r.cut);
  free(r.row);
  return code;
}
