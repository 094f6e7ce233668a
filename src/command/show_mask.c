/* `statewise show mask`: draws which tokens see which on a small example trace,
 * in the terminal and as SVG. Rows are queries, columns keys. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "command/commands.h"
#include "report/mask_svg.h"
#include "trace/reading.h"

/* clang-format off */
#define SHOW_MASK_OPTIONS(X)                                                  \
  X(mask, TEXT, "mask", "ssa", 0, 0, "", "mask")                              \
  X(slots, INT, "slots", "2", 0, 64, "", "slots (0 with causal-noslot)")      \
  X(blocks, TEXT, "blocks", "3,3,3", 0, 0, "",                                \
    "lengths of the prefix and of each block")                                \
  X(window, INT, "window", "3", 1, 1024, "", "window of the swa masks")       \
  SW_SEED_ROW(X, "0", "seed of random-matched")           \
  X(svg, TEXT, "svg", "", 0, 0, "", "also write the picture to this file")    \
  X(beside, TEXT, "beside", "", 0, 0, "", "a second mask beside it in the picture") \
  X(list, FLAG, "list", "0", 0, 0, "", "list the masks and what each reads, as a Markdown table") \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object")
/* clang-format on */

typedef struct mask_options {
  SHOW_MASK_OPTIONS(SW_OPTION_FIELD)
} mask_options;
static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(mask_options, __VA_ARGS__)
    SHOW_MASK_OPTIONS(X)
#undef X
};
enum { BLOCKS_MAX = 32, LENGTH_MAX = 256 };

typedef struct example {
  int64_t start[BLOCKS_MAX];
  int64_t blocks, length;
} example;

static int read_lengths(const char *text, example *e, sw_err *err) {
  e->blocks = e->length = 0;
  for (const char *p = text; *p;) {
    char *end;
    long size = strtol(p, &end, 10);
    if (end == p || size < 0 || size > LENGTH_MAX || e->blocks == BLOCKS_MAX ||
        e->length + size > LENGTH_MAX) {
      sw_fail(err, SW_USAGE,
              "--blocks \"%.60s\": at most %d lengths, %d tokens", text,
              BLOCKS_MAX, LENGTH_MAX);
      return sw_hint(err, "for example --blocks 3,3,3");
    }
    e->start[e->blocks++] = e->length;
    e->length += size;
    p = end + strspn(end, " ,");
  }
  return SW_OK;
}

static int find_mask(const char *name, sw_mask_kind *kind, sw_err *err) {
  const char *names[64];
  int index = sw_mask_from_name(name), count = sw_mask_count();
  *kind = (sw_mask_kind)index;
  if (index >= 0) return SW_OK;
  for (int i = 0; i < count && i < 64; i++)
    names[i] = sw_mask_name((sw_mask_kind)i);
  sw_fail(err, SW_USAGE, "--mask: there is no mask \"%.60s\"", name);
  const char *near = sw_nearest(name, names, count < 64 ? count : 64);
  if (near) return sw_hint(err, "did you mean %s?", near);
  return sw_hint(err, "masks: %s", sw_mask_names());
}

/* The table of docs/masks.md. */
static void list_json(FILE *out) {
  static const char *const region[] = {"slots", "prefix", "block"};
  sw_json json;
  sw_json_to_file(&json, out);
  sw_json_object(&json, NULL);
  sw_json_array(&json, "masks");
  for (int i = 0; i < sw_mask_count(); i++) {
    const sw_mask_row *row = sw_mask_row_of((sw_mask_kind)i);
    char words[80];
    sw_json_object(&json, NULL);
    sw_json_string(&json, "name", row->name);
    if (row->draw) sw_json_string(&json, "text", row->text);
    for (int r = 0; r < 3 && !row->draw; r++) {
      sw_mask_words((sw_mask_kind)i, (sw_region)r, words, sizeof words);
      sw_json_string(&json, region[r], words);
    }
    sw_json_bool(&json, "leaks", sw_mask_leaks((sw_mask_kind)i));
    sw_json_end(&json);
  }
  sw_json_end(&json);
  sw_json_end(&json);
}

static void list_masks(sw_command_io *io) {
  fprintf(io->out,
          "| mask | slots read | prefix reads | a block reads |\n"
          "|---|---|---|---|\n");
  for (int i = 0; i < sw_mask_count(); i++) {
    const sw_mask_row *row = sw_mask_row_of((sw_mask_kind)i);
    const char *leaks = sw_mask_leaks((sw_mask_kind)i) ? ": **leaks**" : "";
    char words[3][80];
    for (int r = 0; r < 3; r++)
      sw_mask_words((sw_mask_kind)i, (sw_region)r, words[r], sizeof words[r]);
    if (row->draw)
      fprintf(io->out, "| `%s` | %s%s | | |\n", row->name, row->text, leaks);
    else
      fprintf(io->out, "| `%s` | %s%s | %s | %s |\n", row->name, words[0],
              leaks, words[1], words[2]);
  }
}

/* 1 when row `row` is the first of the prefix or of a block. */
static int is_border(const sw_mask *mask, const example *e, int32_t row) {
  for (int64_t b = 0; b < e->blocks; b++)
    if (row > 0 && row == mask->slots + e->start[b]) return 1;
  return 0;
}

static void row_name(const sw_mask *mask, const example *e, int32_t row,
                     char *text, size_t room) {
  int64_t block = 0;
  if (row < mask->slots) {
    snprintf(text, room, "slot %d", row);
    return;
  }
  int64_t token = row - mask->slots;
  while (block + 1 < e->blocks && e->start[block + 1] <= token) block++;
  if (block == 0) snprintf(text, room, "prefix %d", (int)token);
  else
    snprintf(text, room, "block %d.%d", (int)block,
             (int)(token - e->start[block]));
}

static void print_positions(sw_command_io *io, const example *e,
                            sw_position_kind kind) {
  int32_t position[2 * LENGTH_MAX]; /* `both` has two a token */
  sw_reading reading = {.positions = kind};
  if (sw_reading_positions(&reading, e->length, e->start, e->blocks, 0, 0,
                           position, NULL))
    return;
  fprintf(io->out, "  %-14s", sw_position_name(kind));
  for (int64_t i = 0; i < e->length; i++) fprintf(io->out, " %d", position[i]);
  fprintf(io->out, "\n");
}

static void print_text(sw_command_io *io, const sw_mask *mask,
                       const example *e) {
  int32_t rows = mask->slots + mask->length;
  fprintf(io->out, "%s: %s\n", sw_mask_name(mask->kind),
          sw_mask_row_of(mask->kind)->text);
  fprintf(io->out, "rows read columns; # sees, . does not\n\n");
  for (int32_t q = 0; q < rows; q++) {
    char name[32];
    if (is_border(mask, e, q)) fprintf(io->out, "\n");
    row_name(mask, e, q, name, sizeof name);
    fprintf(io->out, "%-12s", name);
    for (int32_t k = 0; k < rows; k++)
      fprintf(io->out, "%s%c", is_border(mask, e, k) ? "  " : " ",
              sw_mask_sees(mask, q, k) ? '#' : '.');
    fprintf(io->out, "\n");
  }
  int64_t all = (int64_t)rows * rows, pairs = sw_mask_pairs(mask);
  fprintf(io->out, "\n%lld of %lld pairs (%.0f %%)\npositions\n",
          (long long)pairs, (long long)all,
          all ? 100.0 * (double)pairs / (double)all : 0);
  for (int i = 0; i < SW_POS_COUNT; i++)
    print_positions(io, e, (sw_position_kind)i);
}

static void print_json(sw_command_io *io, const sw_mask *mask) {
  sw_json json;
  int32_t rows = mask->slots + mask->length;
  sw_json_to_file(&json, io->out);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "mask", sw_mask_name(mask->kind));
  sw_json_bool(&json, "leaks", sw_mask_leaks(mask->kind));
  sw_json_int(&json, "slots", mask->slots);
  sw_json_int(&json, "pairs", sw_mask_pairs(mask));
  sw_json_array(&json, "rows");
  for (int32_t q = 0; q < rows; q++) {
    char line[LENGTH_MAX + 65] = {0};
    for (int32_t k = 0; k < rows; k++)
      line[k] = sw_mask_sees(mask, q, k) ? '1' : '0';
    sw_json_string(&json, NULL, line);
  }
  sw_json_end(&json);
  sw_json_end(&json);
}

/* The picture, with a second mask of the same example where one is asked for.
 */
static int draw(const mask_options *options, const sw_mask *mask,
                const example *e, sw_err *err) {
  if (!options->beside)
    return sw_mask_svg(mask, e->start, e->blocks, options->svg, err);
  sw_mask second;
  sw_mask_kind kind;
  sw_out_file file;
  SW_TRY(find_mask(options->beside, &kind, err));
  sw_mask_init(&second);
  int code =
      sw_mask_build(&second, kind, mask->slots, e->length, e->start, e->blocks,
                    options->window, (uint64_t)options->seed, err);
  if (!code) code = sw_out_open(&file, options->svg, err);
  if (!code) {
    sw_mask_panel panel[2] = {
        {.mask = mask, .block_start = e->start, .blocks = e->blocks},
        {.mask = &second, .block_start = e->start, .blocks = e->blocks}};
    sw_mask_svg_write(file.stream, panel, 2, 0);
    code = sw_out_commit(&file, err);
  }
  sw_mask_free(&second);
  return code;
}

static int show(sw_command_io *io, const mask_options *options, int slots_given,
                sw_mask *mask, sw_err *err) {
  example e;
  sw_mask_kind kind;
  SW_TRY(find_mask(options->mask ? options->mask : "", &kind, err));
  SW_TRY(read_lengths(options->blocks ? options->blocks : "", &e, err));
  /* The default of two slots would only be an error here. */
  int slots = !sw_mask_has_slots(kind) && !slots_given ? 0 : options->slots;
  SW_TRY(sw_mask_build(mask, kind, slots, e.length, e.start, e.blocks,
                       options->window, (uint64_t)options->seed, err));
  if (sw_mask_leaks(kind))
    sw_note(io,
            "warning: %s leaks: tokens see later ones through the slots, so "
            "its training loss is too good",
            sw_mask_name(kind));
  if (options->svg) SW_TRY(draw(options, mask, &e, err));
  if (options->json) print_json(io, mask);
  else print_text(io, mask, &e);
  return SW_OK;
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  mask_options options;
  unsigned char given[sizeof table / sizeof *table];
  SW_TRY(sw_command_parse(self, argc, argv, &options, given, NULL, err));
  if (options.list) {
    if (options.json) list_json(io->out);
    else list_masks(io);
    return SW_OK;
  }
  sw_mask mask;
  sw_mask_init(&mask);
  int code = show(io, &options, given[1], &mask, err);
  sw_mask_free(&mask);
  return code;
}

const sw_command sw_command_show_mask = {
    .name = "show mask",
    .usage = "--mask NAME [--svg FILE] | --list",
    .summary =
        "Draw which tokens see which under a mask, in the terminal or as SVG",
    .details =
        "--list names the masks and what each reads. Those that let tokens "
        "see\n"
        "later ones print a warning.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run};
