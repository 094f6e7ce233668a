/* Fuzz target: lines of own searches. What is accepted is written and read
 * again, and must be the same trace. */
#include "base/lines.h"
#include "domains/own/search_line.h"
#include "fuzz.h"

static void same(const sw_trace *a, const sw_trace *b) {
  if (a->length != b->length || a->blocks != b->blocks || a->n != b->n ||
      a->terminal != b->terminal || a->decisions != b->decisions ||
      a->conflicts != b->conflicts)
    abort();
  if (memcmp(a->token, b->token, sizeof *a->token * (size_t)a->length) ||
      memcmp(a->supervised, b->supervised, (size_t)a->length) ||
      memcmp(a->verdict, b->verdict, (size_t)a->blocks) ||
      memcmp(a->block_start, b->block_start,
             sizeof *a->block_start * (size_t)a->blocks))
    abort();
}

static void again(const sw_search_reader *reader, const sw_search_line *line) {
  sw_json json;
  sw_err err;
  sw_search_line second;
  sw_search_line_init(&second);
  sw_json_to_text(&json);
  if (sw_search_line_write(reader->words, &line->trace, line->part, -1, &json,
                           &err) ||
      sw_search_line_read(reader, json.text, json.length, &second, &err))
    abort();
  same(&line->trace, &second.trace);
  if (line->part != second.part) abort();
  sw_json_free(&json);
  sw_search_line_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  sw_words words = {0};
  sw_search_reader reader = {.words = &words, .back = "BACK"};
  sw_search_line line;
  sw_lines *lines;
  sw_err err;
  const char *text;
  size_t size;
  uint8_t *copy = fuzz_copy(bytes, length);
  sw_search_line_init(&line);
  if (!sw_lines_memory(&lines, "fuzz", copy, length, 1 << 20, &err)) {
    while (!sw_lines_next(lines, &text, &size, &err) && text)
      if (!sw_search_line_read(&reader, text, size, &line, &err))
        again(&reader, &line);
    sw_lines_close(lines);
  }
  sw_search_line_free(&line);
  sw_words_free(&words);
  free(copy);
  return 0;
}
