/* Spans: which keys a range of query rows sees. The one type for it, from the
 * masks (trace/mask.h) down to the attention kernels (nn/nn.h). A run is a
 * range of consecutive key rows, full or causal, and may have a window; the
 * runs of one span ascend and never overlap. */
#ifndef SW_BASE_SPANS_H
#define SW_BASE_SPANS_H
#include <stdint.h>

enum { SW_RUNS_MAX = 4 };
typedef struct sw_run {
  int32_t begin, end; /* key rows [begin, end) */
  int32_t causal;     /* 1: only keys <= query row */
  int32_t window;     /* 0: none; else query row - key row < window */
} sw_run;
typedef struct sw_span {
  int32_t begin, end; /* query rows [begin, end) */
  int32_t runs;
  sw_run run[SW_RUNS_MAX];
  int32_t shift; /* kernels: its queries' key rows are this much further on, so
                    that the few rows asked for may lie together; 0 in a mask */
} sw_span;

/* Words of 64 bits that a bit for every key of the span takes, each run in
 * words of its own. */
static inline int sw_span_words(const sw_span *span) {
  int words = 0;
  for (int r = 0; r < span->runs; r++)
    words += (span->run[r].end - span->run[r].begin + 63) / 64;
  return words;
}

#endif
