/* Fuzz target: any tokens as a trace that is read as states (training on
 * features and figures, on graphs and on choices): the instance from its
 * prefix, then the search replayed along the trace. The first byte chooses
 * domain and way; the rest are tokens of two bytes, the high bit for a target;
 * 0xffff begins a block. */
#include <stdio.h>
#include "fuzz.h"
#include "train/records.h"

static const char *const domains[] = {"sat", "coloring", "blocks"};
enum { TOKENS = 2048, BLOCKS = 64 };

typedef struct columns {
  int32_t token[TOKENS];
  uint8_t supervised[TOKENS];
  int64_t trace_start[2], trace_block[2], block_start[BLOCKS + 1];
  int32_t n, terminal, decisions, conflicts;
  int32_t length, blocks;
} columns;

static void read_tokens(columns *c, const uint8_t *bytes, size_t length) {
  c->blocks = 1;
  for (size_t i = 0; i + 1 < length && c->length < TOKENS; i += 2) {
    int value = bytes[i] | bytes[i + 1] << 8;
    if (value == 0xffff && c->blocks < BLOCKS && c->length) {
      c->block_start[c->blocks++] = c->length;
    } else {
      c->supervised[c->length] = (uint8_t)(value >> 15);
      c->token[c->length++] = value & 0x7fff;
    }
  }
  c->block_start[c->blocks] = c->trace_start[1] = c->length;
  c->trace_block[1] = c->blocks;
}

static void put(FILE *header, FILE *data, const char *name, const char *dtype,
                const void *from, size_t bytes, size_t size) {
  fprintf(header,
          ", \"%s\": {\"dtype\": \"%s\", \"shape\": [%zu], \"data_offsets\": "
          "[%ld, %ld]}",
          name, dtype, bytes / size, ftell(data), ftell(data) + (long)bytes);
  fwrite(from, 1, bytes, data);
}

/* The trace as a data set in memory. */
static uint8_t *data_set(const columns *c, const char *domain, size_t *whole) {
  char *text = NULL, *body = NULL;
  size_t head, tail;
  FILE *header = open_memstream(&text, &head);
  FILE *data = open_memstream(&body, &tail);
  if (!header || !data) abort();
  fprintf(header,
          "{\"__metadata__\": {\"domain\": \"%s\", \"domain_options\": \"{}\"}",
          domain);
  const size_t length = (size_t)c->length, blocks = (size_t)c->blocks;
  put(header, data, "tokens", "I32", c->token, 4 * length, 4);
  put(header, data, "supervised", "U8", c->supervised, length, 1);
  put(header, data, "trace_start", "I64", c->trace_start, 16, 8);
  put(header, data, "trace_block", "I64", c->trace_block, 16, 8);
  put(header, data, "block_start", "I64", c->block_start, 8 * blocks + 8, 8);
  put(header, data, "n", "I32", &c->n, 4, 4);
  put(header, data, "terminal", "I32", &c->terminal, 4, 4);
  put(header, data, "decisions", "I32", &c->decisions, 4, 4);
  put(header, data, "conflicts", "I32", &c->conflicts, 4, 4);
  fputc('}', header);
  fclose(header);
  fclose(data);
  uint64_t size = head;
  *whole = 8 + head + tail;
  uint8_t *built = malloc(*whole);
  if (!built) abort();
  memcpy(built, &size, 8);
  memcpy(built + 8, text, head);
  memcpy(built + 8 + head, body, tail);
  free(text);
  free(body);
  return built;
}

static void use(sw_records *r, int way) {
  static const int sets[] = {SW_FEATURES_STATE,  SW_FEATURES_PUBLISHED,
                             SW_FEATURES_CHOICE, SW_FEATURES_STATE,
                             SW_FEATURES_COUNTS, SW_FEATURES_LOOKAHEAD};
  sw_state_layout layout = {.set = sets[way]};
  sw_graph graph = {0};
  sw_err err;
  if (sw_records_sizes(r, &layout.n, &layout.m, &err) ||
      r->domain->state->layout(&layout, &err))
    return;
  r->choices = layout.set == SW_FEATURES_CHOICE;
  r->verdicts = sw_features_judge(layout.set);
  if (sw_records_make(r, way == 3, &err)) return;
  float *x = malloc(sizeof *x * (size_t)layout.features);
  if (!x) abort();
  for (int64_t i = 0; i < r->count; i++) {
    sw_records_features(r, i, &layout, x);
    fuzz_touch(x, sizeof *x * (size_t)layout.features);
    if (way == 3 && r->domain->state->graph)
      (void)sw_records_graph(r, i, &graph, &err);
    for (int h = 0; h < SW_STATE_HEADS; h++)
      if (r->record[i].target[h] >= layout.classes[h] && !r->record[i].solved)
        abort();
  }
  sw_graph_release(&graph);
  free(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  columns c = {0};
  sw_dataset set;
  sw_records records;
  size_t whole;
  sw_err err;
  if (length < 2) return 0;
  c.n = bytes[1];
  read_tokens(&c, bytes + 2, length - 2);
  uint8_t *built = data_set(&c, domains[bytes[0] % 3], &whole);
  if (!sw_dataset_parse(&set, built, whole, "fuzz", &err)) {
    int way = bytes[0] / 3 % 6;
    if (!sw_records_open(&records, &set, &err)) use(&records, way);
    sw_records_close(&records);
    sw_dataset_close(&set);
  }
  free(built);
  return 0;
}
