/* History reductions (see transforms.h): the reductions of one trace, and the
 * item table that maps an index to a source trace and a current block. All
 * draws are Philox, keyed by seed and (epoch, item). */
#include "train/transforms.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "base/rng.h"

static const char *const history_names[] = {
#define X(id, name, text) name,
    SW_HISTORIES(X)
#undef X
};

const char *sw_history_name(sw_history_kind kind) {
  return (int)kind >= 0 && kind < SW_HISTORY_COUNT ? history_names[kind] : "?";
}

int sw_history_from_name(const char *name) {
  for (int i = 0; i < SW_HISTORY_COUNT; i++)
    if (strcmp(name, history_names[i]) == 0) return i;
  return -1;
}

double sw_draw_unit(sw_draw *draw) {
  return sw_philox_unit(draw->seed, draw->stream, draw->next++);
}

/* The high half of a 128-bit product: bias below 2^-32 for any data set. */
uint64_t sw_draw_below(sw_draw *draw, uint64_t bound) {
  SW_ASSERT(bound > 0);
  uint64_t x = sw_philox_u64(draw->seed, draw->stream, draw->next++);
  return (uint64_t)(((unsigned __int128)x * bound) >> 64);
}

/* ---- one trace ---- */

int64_t sw_current_block(const sw_trace *trace) {
  for (int64_t b = trace->blocks - 1; b > 0; b--)
    for (int64_t i = trace->block_start[b]; i < sw_trace_block_end(trace, b);
         i++)
      if (trace->supervised[i]) return b;
  return trace->blocks > 1 ? trace->blocks - 1 : 0;
}

/* Blanked tokens stay visible and keep their positions, as in the release. */
static void blank(sw_trace *trace, int64_t block, int32_t token) {
  for (int64_t i = trace->block_start[block];
       i < sw_trace_block_end(trace, block); i++) {
    trace->token[i] = token;
    trace->supervised[i] = 0;
  }
}

static void keep_only(sw_trace *trace, int64_t current) {
  int64_t from = trace->block_start[current],
          end = sw_trace_block_end(trace, current);
  int64_t prefix = trace->block_start[1], size = end - from;
  memmove(trace->token + prefix, trace->token + from,
          sizeof *trace->token * (size_t)size);
  memmove(trace->supervised + prefix, trace->supervised + from, (size_t)size);
  trace->length = prefix + size;
  trace->blocks = 2;
}

int sw_reduce_history(sw_trace *trace, int64_t current,
                      const sw_history_options *options, sw_draw *draw,
                      sw_err *err) {
  SW_CHECK(sw_trace_check(trace));
  if (trace->blocks <= 2 || options->kind == SW_HISTORY_FULL) return 0;
  if (current < 1 || current >= trace->blocks)
    return sw_fail(err, SW_USAGE, "current block %lld of %lld",
                   (long long)current, (long long)trace->blocks);
  for (int64_t b = 1; b < trace->blocks; b++) {
    if (b == current) continue;
    switch (options->kind) {
      case SW_HISTORY_BLOCK_DROPOUT:
        if (sw_draw_unit(draw) < options->probability)
          blank(trace, b, options->pad);
        break;
      case SW_HISTORY_SLIDING_WINDOW:
        if (b > current || b <= current - options->window)
          blank(trace, b, options->pad);
        break;
      case SW_HISTORY_NULL:
        blank(trace, b, options->placeholder);
        break;
      case SW_HISTORY_PREFIX_ONLY:
        break;
      default:
        return sw_fail(err, SW_USAGE, "'%s' is not a reduction of one trace",
                       sw_history_name(options->kind));
    }
  }
  if (options->kind == SW_HISTORY_PREFIX_ONLY) keep_only(trace, current);
  return 0;
}

static void append_block(sw_trace *out, const sw_trace *from, int64_t block,
                         int supervise) {
  sw_trace_begin_block(out);
  for (int64_t i = from->block_start[block];
       i < sw_trace_block_end(from, block); i++)
    sw_trace_put(out, from->token[i], supervise ? from->supervised[i] : 0);
}

static int finished(const sw_trace *out, sw_err *err) {
  return out->failed ? sw_no_memory_for(err, "a transformed trace") : 0;
}

static void copy_columns(sw_trace *out, const sw_trace *from) {
  out->n = from->n;
  out->terminal = from->terminal;
  out->decisions = from->decisions;
  out->conflicts = from->conflicts;
}

int sw_transplant_history(const sw_trace *source, int64_t current,
                          const sw_trace *donor, sw_trace *out, sw_err *err) {
  SW_CHECK(sw_trace_check(source));
  SW_CHECK(sw_trace_check(donor));
  if (current < 1 || current >= source->blocks || donor->blocks < current)
    return sw_fail(err, SW_USAGE,
                   "a donor of %lld blocks for block %lld of %lld",
                   (long long)donor->blocks, (long long)current,
                   (long long)source->blocks);
  sw_trace_clear(out);
  append_block(out, source, 0, 1);
  for (int64_t b = 1; b < current; b++) append_block(out, donor, b, 0);
  for (int64_t b = current; b < source->blocks; b++)
    append_block(out, source, b, 1);
  copy_columns(out, source);
  return finished(out, err);
}

/* ---- items of a data set ---- */

typedef struct item {
  int64_t trace, block;
} item; /* block 0: the last one */

struct sw_history {
  const sw_dataset *set;
  sw_history_options options;
  int64_t *trace, traces;
  item *items;
  int64_t count;
};

static int64_t blocks_of(const sw_history *h, int64_t trace) {
  int64_t blocks = h->set->trace_block[trace + 1] - h->set->trace_block[trace];
  int64_t most = h->options.max_blocks;
  return most > 0 && blocks > most + 1 ? most + 1 : blocks;
}

static const int64_t *starts_of(const sw_history *h, int64_t trace) {
  return h->set->block_start + h->set->trace_block[trace];
}

static int block_supervised(const sw_dataset *set, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; i++)
    if (set->supervised[i]) return 1;
  return 0;
}

/* Copies blocks [0, blocks) of a data set's trace. */
static int load(const sw_history *h, int64_t trace, int64_t blocks,
                sw_trace *out, sw_err *err) {
  const int64_t *start = starts_of(h, trace);
  sw_trace_clear(out);
  for (int64_t b = 0; b < blocks; b++) {
    sw_trace_begin_block(out);
    for (int64_t i = start[b]; i < start[b + 1]; i++)
      sw_trace_put(out, h->set->tokens[i], h->set->supervised[i]);
  }
  out->n = h->set->n[trace];
  out->terminal = h->set->terminal[trace];
  out->decisions = h->set->decisions[trace];
  out->conflicts = h->set->conflicts[trace];
  return finished(out, err);
}

static int list_items(sw_history *h, sw_err *err) {
  int64_t room = h->traces;
  if (h->options.matched)
    for (int64_t k = 0; k < h->traces; k++) room += blocks_of(h, h->trace[k]);
  h->items = malloc(sizeof *h->items * (size_t)(room + 1));
  if (!h->items)
    return sw_no_memory_for(err, "%lld training items", (long long)room);
  for (int64_t k = 0; k < h->traces; k++) {
    int64_t t = h->trace[k];
    if (!h->options.matched) {
      h->items[h->count++] = (item){t, 0};
      continue;
    }
    const int64_t *start = starts_of(h, t);
    for (int64_t b = 1; b < blocks_of(h, t); b++)
      if (block_supervised(h->set, start[b], start[b + 1]))
        h->items[h->count++] = (item){t, b};
  }
  return 0;
}

static int check_options(const sw_history_options *o, sw_err *err) {
  if ((int)o->kind < 0 || o->kind >= SW_HISTORY_COUNT)
    return sw_fail(err, SW_USAGE, "unknown history reduction %d", (int)o->kind);
  if (!(o->probability >= 0 && o->probability <= 1))
    return sw_fail(err, SW_USAGE, "history probability %g is not in [0, 1]",
                   o->probability);
  if (o->kind == SW_HISTORY_SLIDING_WINDOW && o->window < 1)
    return sw_fail(err, SW_USAGE, "a sliding window of %lld blocks",
                   (long long)o->window);
  return 0;
}

int sw_history_new(sw_history **history, const sw_dataset *set,
                   const int64_t *traces, int64_t count,
                   const sw_history_options *options, sw_err *err) {
  *history = NULL;
  SW_TRY(check_options(options, err));
  sw_history *h = calloc(1, sizeof *h);
  if (!h) return sw_no_memory_for(err, "history transform");
  h->set = set;
  h->options = *options;
  h->traces = traces ? count : set->traces;
  h->trace = malloc(sizeof *h->trace * (size_t)(h->traces + 1));
  int code = h->trace ? 0 : sw_no_memory_for(err, "history transform");
  for (int64_t k = 0; !code && k < h->traces; k++) {
    h->trace[k] = traces ? traces[k] : k;
    if (h->trace[k] < 0 || h->trace[k] >= set->traces)
      code = sw_fail(err, SW_USAGE, "trace %lld of a data set of %lld",
                     (long long)h->trace[k], (long long)set->traces);
  }
  if (!code) code = list_items(h, err);
  if (code) {
    sw_history_free(h);
    return code;
  }
  *history = h;
  return 0;
}

void sw_history_free(sw_history *history) {
  if (!history) return;
  free(history->trace);
  free(history->items);
  free(history);
}

int64_t sw_history_items(const sw_history *history) { return history->count; }

/* ---- donors ---- */

/* Tokens of decision blocks [first, last) of a trace. */
static int64_t span_tokens(const sw_history *h, int64_t trace, int64_t first,
                           int64_t last) {
  const int64_t *start = starts_of(h, trace);
  return start[last] - start[first];
}

/* What a donor must offer: blocks [first, last), different from the source's,
 * within `limit` tokens. */
typedef struct wanted {
  const sw_trace *source;
  int64_t first, last, limit; /* limit -1: none */
  int distinct;               /* refuse token-identical blocks */
} wanted;

static int qualifies(const sw_history *h, const wanted *w, int64_t trace) {
  if (blocks_of(h, trace) < w->last) return 0;
  int64_t tokens = span_tokens(h, trace, w->first, w->last);
  if (w->limit >= 0 && tokens > w->limit) return 0;
  if (!w->distinct) return 1;
  int64_t begin = w->source->block_start[w->first];
  int64_t size = (w->last < w->source->blocks ? w->source->block_start[w->last]
                                              : w->source->length) -
                 begin;
  return tokens != size ||
         memcmp(h->set->tokens + starts_of(h, trace)[w->first],
                w->source->token + begin, sizeof(int32_t) * (size_t)size) != 0;
}

/* A uniform draw over all qualifying donors, or -1: rejection first, then one
 * scan that counts them. */
static int64_t draw_donor(const sw_history *h, const wanted *w, sw_draw *draw) {
  for (int attempt = 0; attempt < 64 && h->traces > 0; attempt++) {
    int64_t t = h->trace[sw_draw_below(draw, (uint64_t)h->traces)];
    if (qualifies(h, w, t)) return t;
  }
  int64_t fit = 0;
  for (int64_t k = 0; k < h->traces; k++) fit += qualifies(h, w, h->trace[k]);
  if (fit == 0) return -1;
  int64_t pick = (int64_t)sw_draw_below(draw, (uint64_t)fit);
  for (int64_t k = 0; k < h->traces; k++)
    if (qualifies(h, w, h->trace[k]) && pick-- == 0) return h->trace[k];
  return -1;
}

/* Copies blocks [first, last) of a donor, unsupervised. */
static void append_donor(const sw_history *h, int64_t trace, int64_t first,
                         int64_t last, sw_trace *out) {
  const int64_t *start = starts_of(h, trace);
  for (int64_t b = first; b < last; b++) {
    sw_trace_begin_block(out);
    for (int64_t i = start[b]; i < start[b + 1]; i++)
      sw_trace_put(out, h->set->tokens[i], 0);
  }
}

/* *done 0: no donor fits and `out` was not written. */
static int transplant_full(const sw_history *h, const sw_trace *source,
                           int64_t current, sw_draw *draw, sw_trace *out,
                           int *done, sw_err *err) {
  int64_t own =
      source->block_start[1] + source->length - source->block_start[current];
  int64_t most = h->options.max_tokens;
  wanted w = {source, 1, current, most > 0 ? most - own : -1, 1};
  *done = 0;
  if (current < 2 || (most > 0 && w.limit < 0)) return 0;
  int64_t donor = draw_donor(h, &w, draw);
  if (donor < 0) {
    w.distinct = 0;
    donor = draw_donor(h, &w, draw);
  }
  if (donor < 0) return 0;
  sw_trace_clear(out);
  append_block(out, source, 0, 1);
  append_donor(h, donor, 1, current, out);
  for (int64_t b = current; b < source->blocks; b++)
    append_block(out, source, b, 1);
  copy_columns(out, source);
  *done = 1;
  return finished(out, err);
}

/* Replaces each history block by the same-numbered block of some donor with
 * the given probability; unreplaced blocks keep tokens and supervision. */
static int transplant_partial(const sw_history *h, const sw_trace *source,
                              int64_t current, sw_draw *draw, sw_trace *out,
                              int *done, sw_err *err) {
  int64_t own =
      source->block_start[1] + source->length - source->block_start[current];
  int64_t most = h->options.max_tokens;
  *done = 0;
  if (most > 0 && own > most) return 0;
  sw_trace_clear(out);
  append_block(out, source, 0, 1);
  for (int64_t b = 1; b < current; b++) {
    wanted w = {source, b, b + 1, most > 0 ? most - own : -1, 0};
    int64_t donor = -1;
    if (sw_draw_unit(draw) < h->options.probability)
      donor = draw_donor(h, &w, draw);
    if (donor >= 0) append_donor(h, donor, b, b + 1, out);
    else append_block(out, source, b, 1);
    *done |= donor >= 0;
  }
  for (int64_t b = current; b < source->blocks; b++)
    append_block(out, source, b, 1);
  copy_columns(out, source);
  if (most > 0 && out->length > most) *done = 0;
  return finished(out, err);
}

/* ---- items ---- */

static sw_draw draw_of(const sw_history *h, int64_t index, int64_t epoch) {
  uint64_t mix = (uint64_t)epoch * 0x9E3779B97F4A7C15u ^ (uint64_t)index;
  return (sw_draw){h->options.seed, sw_splitmix64(&mix), 0};
}

static int check_index(const sw_history *h, int64_t index, sw_err *err) {
  if (index >= 0 && index < h->count) return 0;
  return sw_fail(err, SW_USAGE, "training item %lld of %lld", (long long)index,
                 (long long)h->count);
}

/* The source of an item, cut after its current block in the matched version,
 * where only that block stays supervised. */
static int load_source(const sw_history *h, item it, sw_trace *out,
                       int64_t *current, sw_err *err) {
  SW_TRY(load(h, it.trace, it.block ? it.block + 1 : blocks_of(h, it.trace),
              out, err));
  *current = it.block ? it.block : sw_current_block(out);
  if (it.block) memset(out->supervised, 0, (size_t)out->block_start[it.block]);
  return 0;
}

int sw_history_item(const sw_history *h, int64_t index, int64_t epoch,
                    sw_trace *out, int64_t *trace, sw_err *err) {
  SW_ASSERT(epoch >= 0 && out);
  SW_TRY(check_index(h, index, err));
  item it = h->items[index];
  sw_draw draw = draw_of(h, index, epoch);
  int64_t current;
  if (trace) *trace = it.trace;
  SW_TRY(load_source(h, it, out, &current, err));
  int full = h->options.kind == SW_HISTORY_TRANSPLANT_FULL;
  if (!full && h->options.kind != SW_HISTORY_TRANSPLANT_PARTIAL)
    return sw_reduce_history(out, current, &h->options, &draw, err);
  if (out->blocks <= 2) return 0;
  if (full && !(sw_draw_unit(&draw) < h->options.probability)) return 0;
  sw_trace made;
  int done;
  sw_trace_init(&made);
  int code =
      full ? transplant_full(h, out, current, &draw, &made, &done, err)
           : transplant_partial(h, out, current, &draw, &made, &done, err);
  if (!code && done) {
    sw_trace keep = *out;
    *out = made;
    made = keep;
  }
  sw_trace_free(&made);
  return code;
}

/* A uniform draw over the supervised decision blocks; 0 when there is none. */
static int64_t draw_block(const sw_trace *trace, sw_draw *draw) {
  int64_t seen = 0, chosen = 0;
  for (int64_t b = 1; b < trace->blocks; b++) {
    int supervised = 0;
    for (int64_t i = trace->block_start[b]; i < sw_trace_block_end(trace, b);
         i++)
      supervised |= trace->supervised[i];
    if (supervised && sw_draw_below(draw, (uint64_t)++seen) == 0) chosen = b;
  }
  return chosen;
}

int sw_history_pair(const sw_history *h, int release, int64_t index,
                    int64_t epoch, sw_trace *source, sw_trace *pair,
                    int64_t *current, sw_err *err) {
  SW_TRY(check_index(h, index, err));
  if (h->options.matched)
    return sw_fail(err, SW_USAGE,
                   "contrastive pairs are built from whole traces");
  sw_draw draw = draw_of(h, index, epoch);
  int done = 0;
  SW_TRY(load_source(h, h->items[index], source, current, err));
  if (!release) *current = draw_block(source, &draw);
  if (*current > 0)
    SW_TRY(transplant_full(h, source, *current, &draw, pair, &done, err));
  if (!done) {
    sw_trace_clear(pair);
    for (int64_t b = 0; b < source->blocks; b++)
      append_block(pair, source, b, 1);
    copy_columns(pair, source);
  }
  if (!release && *current > 0) sw_trace_truncate_blocks(pair, *current + 1);
  return finished(pair, err);
}

/* ---- first K blocks ---- */

int64_t sw_matched_epochs(int64_t epochs, int64_t supervised_full,
                          int64_t supervised_cut) {
  if (supervised_cut < 1 || supervised_full < 1) return epochs;
  double want =
      (double)epochs * ((double)supervised_full / (double)supervised_cut);
  double below = floor(want), part = want - below;
  int64_t rounded =
      (int64_t)below + (part > .5 || (part == .5 && (int64_t)below % 2 != 0));
  return rounded < 1 ? 1 : rounded;
}

int64_t sw_supervised_tokens(const sw_dataset *set, const int64_t *traces,
                             int64_t count, int64_t max_blocks) {
  int64_t sum = 0;
  for (int64_t k = 0; k < (traces ? count : set->traces); k++) {
    int64_t t = traces ? traces[k] : k;
    int64_t blocks = set->trace_block[t + 1] - set->trace_block[t];
    if (max_blocks > 0 && blocks > max_blocks + 1) blocks = max_blocks + 1;
    const int64_t *start = set->block_start + set->trace_block[t];
    for (int64_t i = start[0]; i < start[blocks]; i++)
      sum += set->supervised[i] != 0;
  }
  return sum;
}
