/* Fuzz target: any text as kept answers (answers/SUBJECT.jsonl, subjects.jsonl,
 * origins.jsonl, a shard): a table filled from it, compared with itself and
 * written as a document; what was read is written as lines that say the same
 * when they are read again. */
#include <stdio.h>
#include <unistd.h>
#include "../repro/table.h"
#include "fuzz.h"
#include "repro/answers.h"
#include "repro/kept.h"

static const sw_experiment toy = {
    .id = "toy",
    .section = "toys",
    .place = "nowhere",
    .title = "A toy",
    .seeds = {2, 2},
    .column = COLUMNS(SOLVED("solved", "tokens=64"),
                      NUMBER("decisions", "tokens=64", "decisions"),
                      CARD("size", "parameters", "")),
    .row =
        ROWS(MODEL("model", "a model", "blocks7-ssa", 0),
             RULE("rule", "a rule", "first", .domain = "blocks", .columns = 1)),
    .statistic = TESTS(TEST("difference", INSTANCES, 0, "model", "rule", 0))};

static void hear(void *context, const char *line) {
  (void)context;
  fuzz_touch(line, strlen(line));
}

static void fill(const sw_answers *answers) {
  sw_repro_result r;
  sw_err err;
  json_t *document = NULL;
  if (!sw_answers_fill(answers, &toy, &r, &err)) {
    if (sw_kept_compare(&r, &r, NULL, hear, NULL)) abort();
    (void)sw_kept_state_of(&r);
    if (sw_kept_document(&r, &document, &err)) abort();
  }
  json_decref(document);
  sw_repro_free(&r);
}

/* Read, written, read and written again. */
static void round_trip(const sw_answers *answers) {
  sw_answers again;
  sw_err err;
  char *one = NULL, *two = NULL;
  size_t first = 0, second = 0;
  FILE *out = open_memstream(&one, &first);
  if (!out || sw_answers_print(answers, out, &err)) abort();
  fclose(out);
  sw_answers_begin(&again);
  if (sw_answers_parse(&again, "again", one, first, &err)) abort();
  out = open_memstream(&two, &second);
  if (!out || sw_answers_print(&again, out, &err)) abort();
  fclose(out);
  if (first != second || memcmp(one, two, first)) abort();
  free(one);
  free(two);
  sw_answers_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  sw_answers answers;
  sw_err err;
  sw_answers_begin(&answers);
  if (!sw_answers_parse(&answers, "input", (const char *)bytes, length, &err)) {
    fill(&answers);
    round_trip(&answers);
  }
  sw_answers_free(&answers);
  return 0;
}
