/* `statewise show logits`: the logits of every token of a given sequence, for
 * people who move weights between programs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "command/commands.h"
#include "model/family.h"
#include "search/ask.h"
#include "search/loaded.h"

/* clang-format off */
#define OPTIONS(X)                                                            \
  X(model, TEXT, "model", "", 0, 0, "", "weight file (safetensors)")          \
  X(tokens, TEXT, "tokens", "", 0, 0, "", "token ids, separated by spaces")   \
  X(blocks, TEXT, "blocks", "", 0, 0, "",                                     \
    "block id of every token, ascending from 0 (the prefix)")                 \
  X(mask, TEXT, "mask", "ssa", 0, 0, "", "attention mask")                    \
  X(positions, TEXT, "positions", "block-relative", 0, 0, "", "how tokens are numbered (statewise show mask)") \
  X(window, INT, "window", "256", 1, 1e9, "", "tokens of the swa masks")      \
  X(seed, LONG, "seed", "0", 0, 1e15, "", "draws of random-matched")          \
  X(heads, INT, "heads", "0", 0, 64, "", "heads, when the file has none")     \
  X(threads, INT, "threads", "1", 1, 256, "", "threads")                      \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object")
/* clang-format on */

typedef struct show_values {
  OPTIONS(SW_OPTION_FIELD)
} show_values;
static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(show_values, __VA_ARGS__)
    OPTIONS(X)
#undef X
};
enum { COUNT = sizeof table / sizeof *table };

typedef struct show {
  sw_command_io *io;
  const show_values *v;
  int32_t *token, *block, *row;
  int32_t length, block_length;
  sw_trace trace;
  sw_reading reading;
  sw_net *model;
  sw_team *team;
  sw_asker *asker;
  const float *logits;
} show;

static int parse_ids(const char *text, const char *what, int32_t **out,
                     int32_t *count, sw_err *err) {
  *out = malloc(sizeof(int32_t) * (strlen(text) / 2 + 1));
  *count = 0;
  if (!*out) return sw_no_memory_for(err, "%s", what);
  for (const char *at = text;;) {
    char *end;
    at += strspn(at, " ,\t\n");
    if (!*at) return SW_OK;
    errno = 0;
    long value = strtol(at, &end, 10);
    if (end == at || (*end && !strchr(" ,\t\n", *end)) || errno || value < 0 ||
        value > INT32_MAX)
      return sw_fail(err, SW_USAGE, "--%s: `%.20s` is not an id", what, at);
    (*out)[(*count)++] = (int32_t)value;
    at = end;
  }
}

/* Tokens and block ids as a trace: 0 first, never falling, no gaps needed. */
static int make_trace(show *s, sw_err *err) {
  if (s->block_length != s->length)
    return sw_fail(err, SW_USAGE, "%d tokens but %d block ids", s->length,
                   s->block_length);
  sw_trace_begin_block(&s->trace);
  for (int32_t t = 0; t < s->length; t++) {
    int32_t before = t ? s->block[t - 1] : 0;
    if (s->block[t] < before)
      return sw_fail(err, SW_USAGE, "block id %d after %d at token %d",
                     s->block[t], before, t);
    if (s->block[t] > before) sw_trace_begin_block(&s->trace);
    sw_trace_put(&s->trace, s->token[t], 0);
  }
  return s->trace.failed ? sw_no_memory(err) : SW_OK;
}

static int compute(show *s, sw_err *err) {
  const show_values *v = s->v;
  s->reading.window = v->window;
  SW_TRY(sw_reading_parse(&s->reading, v->mask, v->positions, err));
  if (!v->model || !v->tokens || !v->blocks)
    return sw_fail(err, SW_USAGE, "--model, --tokens and --blocks are needed");
  SW_TRY(parse_ids(v->tokens, "tokens", &s->token, &s->length, err));
  SW_TRY(parse_ids(v->blocks, "blocks", &s->block, &s->block_length, err));
  if (s->length == 0) return sw_fail(err, SW_USAGE, "--tokens is empty");
  SW_TRY(make_trace(s, err));
  char file[1100];
  SW_TRY(sw_model_path(v->model, file, sizeof file, err));
  SW_TRY(sw_net_load(&s->model, file, v->heads, err));
  if (strcmp(s->model->family->reads, "tokens"))
    return sw_fail(err, SW_USAGE,
                   "%s: models of the family %s have no logits of tokens", file,
                   s->model->family->name);
  s->row = malloc(sizeof *s->row * (size_t)s->length);
  if (!s->row) return sw_no_memory_for(err, "%d rows", s->length);
  for (int32_t t = 0; t < s->length; t++) s->row[t] = t;
  sw_ask_options how = {
      .model = s->model, .reading = s->reading, .mask_seed = (uint64_t)v->seed};
  SW_TRY(sw_team_new(&s->team, v->threads, err));
  SW_TRY(sw_asker_new(&s->asker, &how, s->team, err));
  return sw_ask_pass(s->asker, &s->trace, s->row, s->length, &s->logits, err);
}

static void print_all(const show *s) {
  int32_t vocab = s->model->outputs;
  if (!s->v->json) {
    for (int32_t t = 0; t < s->length; t++)
      for (int32_t i = 0; i < vocab; i++)
        fprintf(s->io->out, "%.9g%c",
                (double)s->logits[(size_t)t * (size_t)vocab + i],
                i + 1 < vocab ? ' ' : '\n');
    return;
  }
  sw_json json;
  sw_json_to_file(&json, s->io->out);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "mask", s->v->mask);
  sw_json_string(&json, "positions", sw_position_name(s->reading.positions));
  sw_json_int(&json, "tokens", s->length);
  sw_json_int(&json, "vocab", vocab);
  sw_json_array(&json, "logits");
  for (int32_t t = 0; t < s->length; t++) {
    sw_json_array(&json, NULL);
    for (int32_t i = 0; i < vocab; i++)
      sw_json_float9(&json, NULL,
                     (double)s->logits[(size_t)t * (size_t)vocab + i]);
    sw_json_end(&json);
  }
  sw_json_end(&json);
  sw_json_end(&json);
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  show_values v;
  SW_TRY(sw_command_parse(self, argc, argv, &v, NULL, NULL, err));
  show s = {.io = io, .v = &v};
  sw_trace_init(&s.trace);
  int code = compute(&s, err);
  if (!code && sw_mask_leaks(s.reading.mask))
    sw_note(io, "warning: mask %s lets tokens see the future", v.mask);
  if (!code) print_all(&s);
  sw_asker_free(s.asker);
  sw_team_free(s.team);
  sw_net_free(s.model);
  sw_trace_free(&s.trace);
  free(s.token);
  free(s.block);
  free(s.row);
  return code;
}

const sw_command sw_command_show_logits = {
    .name = "show logits",
    .usage = "--model FILE --tokens \"1 4 3\" --blocks \"0 0 1\" [options]",
    .summary = "logits of every token of a sequence, to compare programs",
    .details =
        "Sizes come from the file's shapes and metadata; --heads where the "
        "metadata has none. The JSON object has `logits`: one row a token, "
        "nine significant digits.",
    .options = table,
    .option_count = COUNT,
    .run = run,
};
