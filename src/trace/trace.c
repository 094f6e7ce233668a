/* Growing traces: what generators, environments and the data set reader write
 * into. See trace.h for the failure rule (`failed`, checked once at the end).
 */
#include "trace/trace.h"
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "base/grow.h"

void sw_trace_init(sw_trace *trace) { memset(trace, 0, sizeof *trace); }

void sw_trace_clear(sw_trace *trace) {
  SW_CHECK(sw_trace_check(trace));
  sw_trace kept = {.token = trace->token,
                   .supervised = trace->supervised,
                   .room = trace->room,
                   .block_start = trace->block_start,
                   .verdict = trace->verdict,
                   .query = trace->query,
                   .block_room = trace->block_room};
  *trace = kept;
}

void sw_trace_free(sw_trace *trace) {
  free(trace->token);
  free(trace->supervised);
  free(trace->block_start);
  free(trace->verdict);
  free(trace->query);
  sw_trace_init(trace);
}

static int grow_tokens(sw_trace *trace) {
  int64_t room = trace->room ? trace->room * 2 : 256;
  int32_t *token = realloc(trace->token, (size_t)room * sizeof *token);
  if (token) trace->token = token;
  uint8_t *supervised = realloc(trace->supervised, (size_t)room);
  if (supervised) trace->supervised = supervised;
  if (!token || !supervised) return -1;
  trace->room = room;
  return 0;
}

static int grow_blocks(sw_trace *trace) {
  int64_t room = trace->block_room ? trace->block_room * 2 : 32;
  int64_t *start = realloc(trace->block_start, (size_t)room * sizeof *start);
  if (start) trace->block_start = start;
  uint8_t *verdict = realloc(trace->verdict, (size_t)room);
  if (verdict) trace->verdict = verdict;
  int32_t *query = realloc(trace->query, (size_t)room * sizeof *query);
  if (query) trace->query = query;
  if (!start || !verdict || !query) return -1;
  trace->block_room = room;
  return 0;
}

void sw_trace_begin_block(sw_trace *trace) {
  SW_ASSERT(trace && (trace->blocks || !trace->length || trace->failed));
  if (trace->failed) return;
  if (trace->blocks == trace->block_room && grow_blocks(trace)) {
    trace->failed = 1;
    return;
  }
  trace->verdict[trace->blocks] = SW_UNJUDGED;
  trace->query[trace->blocks] = 0;
  trace->block_start[trace->blocks++] = trace->length;
}

void sw_trace_judge(sw_trace *trace, int64_t block, sw_viability verdict,
                    int32_t query) {
  SW_ASSERT(trace && verdict < SW_VIABILITIES);
  SW_ASSERT(query >= 0);
  if (trace->failed || block < 0 || block >= trace->blocks) return;
  trace->verdict[block] = (uint8_t)verdict;
  trace->query[block] = query;
  trace->judged = 1;
}

void sw_trace_put(sw_trace *trace, int32_t token, int supervised) {
  SW_ASSERT(trace && (trace->blocks > 0 || trace->failed));
  if (trace->failed) return;
  if (trace->length == trace->room && grow_tokens(trace)) {
    trace->failed = 1;
    return;
  }
  trace->token[trace->length] = token;
  trace->supervised[trace->length++] = supervised != 0;
}

void sw_trace_copy(sw_trace *to, const sw_trace *from, int64_t length) {
  SW_ASSERT(to != from);
  SW_CHECK(sw_trace_check(from));
  SW_ASSERT(length >= 0 && (length <= from->length || from->failed));
  sw_trace_clear(to);
  for (int64_t b = 0; b < from->blocks && from->block_start[b] < length; b++) {
    int64_t end = sw_trace_block_end(from, b);
    sw_trace_begin_block(to);
    for (int64_t i = from->block_start[b]; i < end && i < length; i++)
      sw_trace_put(to, from->token[i], 0);
  }
}

void sw_trace_truncate_blocks(sw_trace *trace, int64_t blocks) {
  if (blocks < 0 || blocks >= trace->blocks) return;
  trace->length = trace->block_start[blocks];
  trace->blocks = blocks;
}

int64_t sw_trace_block_end(const sw_trace *t, int64_t block) {
  SW_ASSERT(block >= 0 && (block < t->blocks || t->failed));
  return block + 1 < t->blocks ? t->block_start[block + 1] : t->length;
}

int32_t sw_trace_block_of(const sw_trace *trace, int64_t position) {
  SW_ASSERT(position >= 0);
  int64_t low = 0, high = trace->blocks; /* last block with start <= position */
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    if (trace->block_start[middle] <= position) low = middle;
    else high = middle;
  }
  return (int32_t)low;
}

void sw_trace_block_ids(const sw_trace *trace, int32_t *ids) {
  SW_CHECK(sw_trace_check(trace));
  SW_ASSERT(ids || !trace->length);
  int64_t block = 0;
  for (int64_t i = 0; i < trace->length; i++) {
    while (block + 1 < trace->blocks && trace->block_start[block + 1] <= i)
      block++;
    ids[i] = (int32_t)block;
  }
}

void sw_trace_pack(const sw_trace *t, FILE *out) {
  SW_CHECK(sw_trace_check(t));
  SW_ASSERT(out);
  fwrite(t, sizeof *t, 1, out); /* its pointers mean nothing over there */
  fwrite(t->token, sizeof *t->token, (size_t)t->length, out);
  fwrite(t->supervised, sizeof *t->supervised, (size_t)t->length, out);
  fwrite(t->block_start, sizeof *t->block_start, (size_t)t->blocks, out);
  fwrite(t->verdict, 1, (size_t)t->blocks, out);
  fwrite(t->query, sizeof *t->query, (size_t)t->blocks, out);
}

static const char *take(void *to, const char *from, size_t bytes) {
  if (bytes) memcpy(to, from, bytes);
  return from + bytes;
}

int sw_trace_unpack(sw_trace *t, const char **at, sw_err *err) {
  sw_trace said;
  sw_trace_clear(t);
  const char *from = take(&said, *at, sizeof said);
  int64_t room = t->room, blocks = t->block_room, more = t->block_room;
  if (!sw_grow64(&t->token, &room, said.length, sizeof *t->token) ||
      !sw_grow64(&t->supervised, &t->room, said.length, 1) ||
      !sw_grow64(&t->block_start, &blocks, said.blocks,
                 sizeof *t->block_start) ||
      !sw_grow64(&t->verdict, &more, said.blocks, 1) ||
      !sw_grow64(&t->query, &t->block_room, said.blocks, sizeof *t->query))
    return sw_no_memory_for(err, "a trace of %lld tokens",
                            (long long)said.length);
  from = take(t->token, from, sizeof *t->token * (size_t)said.length);
  from = take(t->supervised, from, (size_t)said.length);
  from =
      take(t->block_start, from, sizeof *t->block_start * (size_t)said.blocks);
  from = take(t->verdict, from, (size_t)said.blocks);
  *at = take(t->query, from, sizeof *t->query * (size_t)said.blocks);
  said.token = t->token;
  said.supervised = t->supervised;
  said.room = t->room;
  said.block_start = t->block_start;
  said.verdict = t->verdict;
  said.query = t->query;
  said.block_room = t->block_room;
  *t = said;
  return SW_OK;
}

#ifdef SW_DEBUG
const char *sw_trace_check(const sw_trace *t) {
  if (!t) return "no trace";
  if (t->failed) return NULL; /* what it holds counts no more */
  if (t->length < 0 || t->length > t->room) return "more tokens than room";
  if (t->blocks < 0 || t->blocks > t->block_room)
    return "more blocks than room";
  if (t->length && (!t->blocks || !t->token)) return "tokens without a block";
  if (t->blocks && t->block_start[0]) return "the prefix does not begin at 0";
  for (int64_t b = 1; b < t->blocks; b++)
    if (t->block_start[b] < t->block_start[b - 1] ||
        t->block_start[b] > t->length)
      return "a block out of order";
  return NULL;
}
#endif
