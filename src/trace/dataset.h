/* Data sets: one safetensors file of traces (docs/formats.md).
 *   tokens I32[T] supervised U8[T] trace_start I64[N+1] block_start I64[B+1]
 *   trace_block I64[N+1] and per-trace columns n, terminal, decisions,
 *   conflicts I32[N]; __metadata__: domain, format, generator version,
 *   effective options, seed, content hash (see SW_DATASET_COLUMNS).
 *   Judged sets also: viability U8[B] (0 unknown, 1 viable, 2 dead) and query
 *   I32[B], the tokens of the block before its decision.
 * block_start holds absolute token positions of every block (prefix included)
 * of every trace, with a closing entry T. */
#ifndef SW_TRACE_DATASET_H
#define SW_TRACE_DATASET_H
#include "base/err.h"
#include "base/safetensors.h"
#include "trace/trace.h"

/* The columns: X(name, dtype, type). The content hash is XXH64 chained over
 * them in this order: h = xxh64(bytes of the column, seed = h), from h = 0. */
#define SW_DATASET_COLUMNS(X)  \
  X(tokens, I32, int32_t)      \
  X(supervised, U8, uint8_t)   \
  X(trace_start, I64, int64_t) \
  X(block_start, I64, int64_t) \
  X(trace_block, I64, int64_t) \
  X(n, I32, int32_t)           \
  X(terminal, I32, int32_t)    \
  X(decisions, I32, int32_t)   \
  X(conflicts, I32, int32_t)

/* Columns that a judged data set has beside them, hashed behind them: whether
 * the state of a block can be completed (sw_viability), and how many of the
 * block's tokens show it. All of them, or none. */
#define SW_DATASET_OPTIONAL(X) \
  X(viability, U8, uint8_t)    \
  X(query, I32, int32_t)

/* Columns of sets whose traces belong together, hashed behind the others:
 * whether a trace is trained on, validates or tests (sw_part_of_set), and which
 * group it is of. Groups are never split. Both, or none. */
#define SW_DATASET_GROUPED(X) \
  X(part, U8, uint8_t)        \
  X(group, I32, int32_t)
typedef enum {
  SW_PART_TRAIN,
  SW_PART_VALID,
  SW_PART_TEST,
  SW_PARTS
} sw_part_of_set;
const char *sw_part_name(int part); /* "train", "valid", "test" */

/* Writer: traces are appended in order; columns stream to temporary files
 * beside the target and are assembled by sw_dataset_finish. A writer that is
 * dropped or killed leaves the target as it was (temporaries are removed by
 * sw_dataset_abort or, after a kill, by the next writer of the same target). */
typedef struct sw_dataset_writer sw_dataset_writer;
int sw_dataset_create(sw_dataset_writer **writer, const char *path,
                      sw_err *err);
int sw_dataset_append(sw_dataset_writer *writer, const sw_trace *trace,
                      sw_err *err);
/* Before finish: part and group of every trace appended (copied at finish). */
void sw_dataset_grouped(sw_dataset_writer *writer, const uint8_t *part,
                        const int32_t *group);
/* Before finish: the verdicts of the traces are dropped. */
void sw_dataset_unjudge(sw_dataset_writer *writer);
int sw_dataset_finish(sw_dataset_writer *writer, const char *const *meta,
                      int meta_pairs, char content_hash[17], sw_err *err);
void sw_dataset_abort(sw_dataset_writer *writer);
/* finish and abort release the writer; a failed append leaves it to abort. */

/* Reader: the whole file in memory; every index is checked once at opening. */
typedef struct sw_dataset {
  sw_st_file *file;
  const int32_t *tokens;
  const uint8_t *supervised;
  const int64_t *trace_start, *block_start, *trace_block;
  const int32_t *n, *terminal, *decisions, *conflicts;
  const uint8_t *viability; /* [blocks]; NULL: not judged */
  const int32_t *query;     /* [blocks]; NULL: not judged */
  const uint8_t *part;      /* [traces]; NULL: not grouped */
  const int32_t *group;     /* [traces]; NULL: not grouped */
  int64_t traces, blocks, length;
  int32_t max_token;
  char hash[17];
  struct sw_dataset_extra *extra; /* aligned copies, index of state views */
} sw_dataset;
int sw_dataset_open(sw_dataset *set, const char *path, sw_err *err);
/* The same checks on bytes in memory (not owned): the fuzz entry. */
int sw_dataset_parse(sw_dataset *set, const void *bytes, size_t length,
                     const char *label, sw_err *err);
void sw_dataset_close(sw_dataset *set);
const char *sw_dataset_check(const sw_dataset *set); /* base/check.h */
const char *sw_dataset_meta(const sw_dataset *set, const char *key);

/* Views: what a consumer sees of a trace, decided at reading time. The state
 * views show the prefix (unsupervised) and one supervised decision block. Their
 * items are ordered by the block's place in its trace, then by trace. */
typedef enum { SW_VIEW_FULL, SW_VIEW_STATE_ONE, SW_VIEW_STATE_ALL } sw_view;
typedef struct sw_view_options {
  sw_view view;       /* STATE_ONE: prefix + one supervised block, uniform by
                         (seed, trace); STATE_ALL: items are (trace, block) */
  int64_t max_blocks; /* 0: no limit; decision blocks kept from the start */
  uint64_t seed;
  int64_t sample; /* STATE_ALL: uniform sample of that many; 0: all */
} sw_view_options;
/* Number of items of the view, and item `index` copied into *out. */
int64_t sw_dataset_items(const sw_dataset *set, const sw_view_options *view);
/* The trace that item `index` of the view comes from. */
int64_t sw_dataset_item_trace(const sw_dataset *set,
                              const sw_view_options *view, int64_t index);
/* The block that item `index` of a state view shows, counted over the whole
 * data set as block_start does; -1: none (STATE_ONE of a trace without
 * targets). */
int64_t sw_dataset_item_block(const sw_dataset *set,
                              const sw_view_options *view, int64_t index);
int sw_dataset_item(const sw_dataset *set, const sw_view_options *view,
                    int64_t index, sw_trace *out, sw_err *err);

/* Entropy (nats) of the targets of the first `traces` traces: the loss of a
 * model that has learned nothing but how often each token is a target. */
int sw_unigram_floor(const sw_dataset *set, int32_t vocab, int64_t traces,
                     double *floor, sw_err *err);

#endif
