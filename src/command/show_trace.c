/* `statewise show trace`: one trace of a data set, block by block, in the
 * words of its domain, supervised tokens between *stars*. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command/commands.h"
#include "domains/of_file.h"
#include "domains/registry.h"
#include "trace/dataset.h"

#define SHOW_TRACE_OPTIONS(X)                                      \
  X(index, LONG, "index", "0", 0, 9e15, "", "which trace, from 0") \
  X(view, CHOICE, "view", "full", 0, 0, "full|one|all",            \
    "whole traces, one drawn state of each, or all states")        \
  X(max_blocks, LONG, "max-blocks", "0", 0, 9e15, "",              \
    "decision blocks kept; 0: all")                                \
  SW_SEED_ROW(X, "0", "seed of the view \"one\"")                  \
  X(ids, FLAG, "ids", "0", 0, 0, "", "token ids instead of words") \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object")

typedef struct show_options {
  SHOW_TRACE_OPTIONS(SW_OPTION_FIELD)
} show_options;
static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(show_options, __VA_ARGS__)
    SHOW_TRACE_OPTIONS(X)
#undef X
};

enum { WIDTH = 78, INDENT = 2 };
static const char *const ends[] = {"running", "solved", "unsatisfiable", "cut",
                                   "limit"};

static const char *end_name(int32_t terminal) {
  return terminal >= 0 && terminal < 5 ? ends[terminal] : "unknown";
}

static void token_text(const sw_domain *domain, int32_t token, char *text,
                       size_t room) {
  if (domain) domain->token_text(domain, token, text, room);
  else snprintf(text, room, "%d", token);
}

static void print_block(sw_command_io *io, const sw_trace *trace, int64_t block,
                        const sw_domain *domain, int color) {
  int64_t begin = trace->block_start[block];
  int64_t end = sw_trace_block_end(trace, block);
  if (block == 0)
    fprintf(io->out, "prefix, %lld tokens\n", (long long)(end - begin));
  else
    fprintf(io->out, "block %lld, tokens %lld to %lld\n", (long long)block,
            (long long)begin, (long long)end - 1);
  int column = fprintf(io->out, "%*s", INDENT, "");
  for (int64_t i = begin; i < end; i++) {
    char text[SW_WORD_BYTES + 1];
    token_text(domain, trace->token[i], text, sizeof text);
    int width = (int)strlen(text) + (trace->supervised[i] ? 2 : 0);
    if (column + width + 1 > WIDTH && column > INDENT) {
      fprintf(io->out, "\n");
      column = fprintf(io->out, "%*s", INDENT, "");
    }
    if (column > INDENT) column += fprintf(io->out, " ");
    if (trace->supervised[i])
      fprintf(io->out, color ? "\033[1;32m*%s*\033[0m" : "*%s*", text);
    else fprintf(io->out, "%s", text);
    column += width;
  }
  fprintf(io->out, "\n");
}

static void print_text(sw_command_io *io, const char *path,
                       const sw_dataset *set, int64_t index, int64_t items,
                       const sw_trace *trace, const sw_domain *domain) {
  const char *name = sw_dataset_meta(set, "domain");
  const char *format = sw_dataset_meta(set, "format");
  int64_t supervised = 0;
  for (int64_t i = 0; i < trace->length; i++)
    supervised += trace->supervised[i];
  fprintf(io->out,
          "%s: %lld of %lld (%s%s%s), n %d, %s, %d decisions, %d conflicts\n",
          path, (long long)index, (long long)items, name ? name : "no domain",
          format ? " " : "", format ? format : "", trace->n,
          end_name(trace->terminal), trace->decisions, trace->conflicts);
  fprintf(io->out,
          "%lld tokens, %lld blocks after the prefix, %lld *supervised*\n",
          (long long)trace->length, (long long)trace->blocks - 1,
          (long long)supervised);
  int color = isatty(1) && !getenv("NO_COLOR");
  for (int64_t b = 0; b < trace->blocks; b++)
    print_block(io, trace, b, domain, color);
}

static void print_json(sw_command_io *io, const sw_dataset *set, int64_t index,
                       int64_t items, const sw_trace *trace,
                       const sw_domain *domain) {
  sw_json json;
  sw_json_to_file(&json, io->out);
  sw_json_object(&json, NULL);
  sw_json_int(&json, "index", index);
  sw_json_int(&json, "items", items);
  sw_json_string(&json, "domain", sw_dataset_meta(set, "domain"));
  sw_json_string(&json, "format", sw_dataset_meta(set, "format"));
  sw_json_int(&json, "n", trace->n);
  sw_json_string(&json, "terminal", end_name(trace->terminal));
  sw_json_int(&json, "decisions", trace->decisions);
  sw_json_int(&json, "conflicts", trace->conflicts);
  sw_json_array(&json, "tokens");
  for (int64_t i = 0; i < trace->length; i++)
    sw_json_int(&json, NULL, trace->token[i]);
  sw_json_end(&json);
  sw_json_array(&json, "text");
  for (int64_t i = 0; i < trace->length; i++) {
    char text[SW_WORD_BYTES + 1];
    token_text(domain, trace->token[i], text, sizeof text);
    sw_json_string(&json, NULL, text);
  }
  sw_json_end(&json);
  sw_json_array(&json, "supervised");
  for (int64_t i = 0; i < trace->length; i++)
    sw_json_int(&json, NULL, trace->supervised[i]);
  sw_json_end(&json);
  sw_json_array(&json, "block_start");
  for (int64_t b = 0; b < trace->blocks; b++)
    sw_json_int(&json, NULL, trace->block_start[b]);
  sw_json_end(&json);
  sw_json_end(&json);
}

static int show(sw_command_io *io, const char *path,
                const show_options *options, const sw_dataset *set,
                sw_trace *trace, sw_err *err) {
  sw_view_options view = {(sw_view)options->view, options->max_blocks,
                          (uint64_t)options->seed, 0};
  int64_t items = sw_dataset_items(set, &view);
  if (items == 0) return sw_fail(err, SW_DATA, "%s: has no traces", path);
  if (options->index >= items) {
    sw_fail(err, SW_USAGE, "--index %lld: %s has %lld",
            (long long)options->index, path, (long long)items);
    return sw_hint(err, "0 to %lld", (long long)items - 1);
  }
  SW_TRY(sw_dataset_item(set, &view, options->index, trace, err));
  const sw_domain *domain = NULL;
  if (!options->ids) SW_TRY(sw_domain_of_set(set, path, &domain, err));
  if (options->json) print_json(io, set, options->index, items, trace, domain);
  else print_text(io, path, set, options->index, items, trace, domain);
  sw_domain_release(domain);
  return SW_OK;
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  show_options options;
  sw_list rest;
  SW_TRY(sw_command_parse(self, argc, argv, &options, NULL, &rest, err));
  if (rest.count != 1) {
    sw_fail(err, SW_USAGE, "show trace needs one data set");
    return sw_hint(err, "statewise show trace FILE --index I");
  }
  sw_dataset set;
  SW_TRY(sw_dataset_open(&set, rest.item[0], err));
  sw_trace trace;
  sw_trace_init(&trace);
  int code = show(io, rest.item[0], &options, &set, &trace, err);
  sw_trace_free(&trace);
  sw_dataset_close(&set);
  return code;
}

const sw_command sw_command_show_trace = {
    .name = "show trace",
    .usage = "FILE [--index I]",
    .words = "FILE",
    .summary = "Print a trace of a data set, block by block",
    .details =
        "Supervised tokens (what a model is trained to predict) stand between "
        "*stars*.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run};
