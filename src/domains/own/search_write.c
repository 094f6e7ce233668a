/* Writing a search as a line of JSON (see search_line.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/options.h"
#include "domains/own/search_line.h"
#include "trace/dataset.h"

/* The words between two places as one text. */
static int words_between(const sw_words *words, const sw_trace *trace,
                         const char *name, int64_t from, int64_t to,
                         sw_json *json, sw_err *err) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) return sw_no_memory(err);
  int32_t unknown = -1;
  for (int64_t i = from; i < to && unknown < 0; i++) {
    const char *word = sw_words_text(words, trace->token[i]);
    if (!word) unknown = trace->token[i];
    else fprintf(out, "%s%s", i > from ? " " : "", word);
  }
  int whole = sw_memory_close(out, &text);
  if (whole && unknown < 0) sw_json_string(json, name, text);
  free(text);
  if (!whole) return sw_no_memory(err);
  return unknown < 0 ? SW_OK
                     : sw_fail(err, SW_DATA, "token %d has no word", unknown);
}

/* First target of a block, or its end; *only: the targets are the rest of the
 * block from there. */
static int64_t first_target(const sw_trace *trace, int64_t begin, int64_t end,
                            int *only) {
  int64_t first = begin;
  while (first < end && !trace->supervised[first]) first++;
  *only = first < end;
  for (int64_t i = first; i < end; i++)
    if (!trace->supervised[i]) *only = 0;
  return first;
}

/* Places, counted from `begin`. */
static void write_targets(const sw_trace *trace, int64_t begin, int64_t end,
                          sw_json *json) {
  sw_json_array(json, "targets");
  for (int64_t i = begin; i < end; i++)
    if (trace->supervised[i]) sw_json_int(json, NULL, i - begin);
  sw_json_end(json);
}

static int write_step(const sw_words *words, const sw_trace *trace,
                      int64_t block, sw_json *json, sw_err *err) {
  int64_t begin = trace->block_start[block];
  int64_t end = sw_trace_block_end(trace, block);
  int only;
  int64_t first = first_target(trace, begin, end, &only);
  int judged = trace->judged && trace->verdict[block] != SW_UNJUDGED;
  int64_t query = trace->judged ? trace->query[block] : first - begin;
  sw_json_object(json, NULL);
  if (only && first > begin && query == first - begin) {
    SW_TRY(words_between(words, trace, "state", begin, first, json, err));
    SW_TRY(words_between(words, trace, "action", first, end, json, err));
  } else {
    SW_TRY(words_between(words, trace, "words", begin, end, json, err));
    write_targets(trace, begin, end, json);
    if (query != first - begin) sw_json_int(json, "query", query);
  }
  if (judged) sw_json_bool(json, "viable", trace->verdict[block] == SW_VIABLE);
  sw_json_end(json);
  return SW_OK;
}

int sw_search_line_write(const sw_words *words, const sw_trace *trace, int part,
                         int32_t group, sw_json *json, sw_err *err) {
  int64_t prefix = sw_trace_block_end(trace, 0);
  if (!prefix) return sw_fail(err, SW_DATA, "a trace without a problem");
  sw_json_object(json, NULL);
  SW_TRY(words_between(words, trace, "problem", 0, prefix, json, err));
  if (memchr(trace->supervised, 1, (size_t)prefix))
    write_targets(trace, 0, prefix, json);
  sw_json_array(json, "steps");
  for (int64_t b = 1; b < trace->blocks; b++)
    SW_TRY(write_step(words, trace, b, json, err));
  sw_json_end(json);
  char end[24];
  sw_json_bool(json, "solved", trace->terminal == SW_TRACE_SOLVED);
  if (trace->terminal != SW_TRACE_SOLVED && trace->terminal != SW_TRACE_RUNNING)
    sw_json_string(
        json, "terminal",
        sw_choice_name(SW_TRACE_ENDS, trace->terminal, end, sizeof end));
  sw_json_int(json, "n", trace->n);
  sw_json_int(json, "decisions", trace->decisions);
  sw_json_int(json, "conflicts", trace->conflicts);
  if (group >= 0) sw_json_int(json, "group", group);
  if (part >= 0) sw_json_string(json, "part", sw_part_name(part));
  sw_json_end(json);
  return json->failed ? sw_fail(err, SW_IO, "cannot be written") : SW_OK;
}
