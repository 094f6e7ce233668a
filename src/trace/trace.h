/* A trace: a problem prefix (block 0) followed by decision blocks, as tokens
 * with a supervision flag each. `supervised[i]` marks token i as a target (it
 * is predicted from position i-1). A block starts where sw_trace_begin_block is
 * called; block b covers [block_start[b], block_start[b+1]). Grows by doubling,
 * so a reused trace allocates nothing per step. On allocation failure `failed`
 * is set, later appends are ignored and the caller checks once at the end.
 * A block may carry a verdict: whether the state that it shows can still be
 * completed to a solution (`gen --viability`). */
#ifndef SW_TRACE_TRACE_H
#define SW_TRACE_TRACE_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/err.h"
#include "base/viability.h"

typedef struct sw_trace {
  int32_t *token;
  uint8_t *supervised;
  int64_t length, room;
  int64_t *block_start; /* blocks entries are valid; block 0 is the prefix */
  uint8_t *verdict;     /* [blocks] sw_viability of the state that it shows */
  int32_t *query;       /* [blocks] tokens of the state, before the decision */
  int64_t blocks, block_room;
  int judged; /* some block has a verdict */
  int failed;
  /* What the data set keeps of a trace. */
  int32_t n, terminal, decisions, conflicts;
  /* Further counters of a generator (silent backtracks, injected errors). */
  int32_t backtracks, forced_errors, propagations, attempt;
} sw_trace;

/* terminal, by name and number */
#define SW_TRACE_ENDS "running|solved|unsatisfiable|cut|limit"
enum {
  SW_TRACE_RUNNING = 0,
  SW_TRACE_SOLVED = 1,
  SW_TRACE_UNSAT = 2,
  SW_TRACE_CUT = 3,
  SW_TRACE_LIMIT = 4
};

void sw_trace_init(sw_trace *trace);
void sw_trace_clear(sw_trace *trace); /* empty, memory kept */
void sw_trace_free(sw_trace *trace);
/* Base/check.h: room for what it holds, blocks in order. */
const char *sw_trace_check(const sw_trace *trace);
void sw_trace_begin_block(sw_trace *trace); /* first call opens the prefix */
void sw_trace_put(sw_trace *trace, int32_t token, int supervised);
/* The verdict on the state of a block, whose first `query` tokens show it. */
void sw_trace_judge(sw_trace *trace, int64_t block, sw_viability verdict,
                    int32_t query);
/* The first `length` tokens and their blocks, without supervision, in place of
 * what `to` held. */
void sw_trace_copy(sw_trace *to, const sw_trace *from, int64_t length);
void sw_trace_truncate_blocks(sw_trace *trace, int64_t blocks); /* keep first */
/* Where a block ends: the next one's start, or the trace's end. */
int64_t sw_trace_block_end(const sw_trace *trace, int64_t block);
int32_t sw_trace_block_of(const sw_trace *trace, int64_t position);
/* Block ids of every token, 0 for the prefix. */
void sw_trace_block_ids(const sw_trace *trace, int32_t *ids);
/* All of a trace as bytes for another process of the same program, and back;
 * *at moves behind it. The trace is overwritten. */
void sw_trace_pack(const sw_trace *trace, FILE *out);
int sw_trace_unpack(sw_trace *trace, const char **at, sw_err *err);

#endif
