/* `statewise import`: own searches, as lines of JSON, to a data set. All of it
 * is sw_import; this file parses and prints. */
#include <stdio.h>
#include <string.h>
#include "base/file.h"
#include "base/json.h"
#include "command/command.h"
#include "command/io.h"
#include "domains/own/import.h"

#define IMPORT_OPTIONS(X)                                               \
  X(output, TEXT, "out", "", 0, 0, "output",                            \
    "data set to write (safetensors)")                                  \
  X(back, TEXT, "back", "", 0, 0, "",                                   \
    "the action that goes back; default: BACK")                         \
  X(vocabulary, TEXT, "vocabulary", "", 0, 0, "",                       \
    "data set or weights whose words are used; a new one is an error")  \
  X(test_share, REAL, "test-share", "0.1", 0, 0.9, "",                  \
    "share of the groups that tests, where no part is given")           \
  X(valid_share, REAL, "valid-share", "0.1", 0, 0.9, "",                \
    "share of the other groups that validates")                         \
  SW_SEED_ROW(X, "42", "which groups those are")                        \
  X(progress, CHOICE, "progress", "auto", 0, 0, "auto|plain|none|json", \
    "progress on standard error")                                       \
  X(json, FLAG, "json", "0", 0, 1, "", "print one JSON object")

typedef struct import_values {
  IMPORT_OPTIONS(SW_OPTION_FIELD)
} import_values;
static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(import_values, __VA_ARGS__)
    IMPORT_OPTIONS(X)
#undef X
};

static void print_json(sw_command_io *io, const char *output,
                       const sw_import_stats *s) {
  sw_json json;
  sw_json_to_file(&json, io->out);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "output", output);
  sw_json_string(&json, "hash", s->hash);
  sw_import_stats_json(s, &json);
  sw_json_end(&json);
}

static void print_states(sw_command_io *io, const sw_import_stats *s) {
  if (s->test) {
    fprintf(io->out,
            "%lld of the %lld states of the test part occur in training",
            (long long)s->test_states_seen, (long long)s->test_states);
    fprintf(io->out, "; by their words alone %lld of %lld\n",
            (long long)s->test_words_seen, (long long)s->test_words);
  } else if (s->groups < 2) {
    fprintf(io->out,
            "no test part: all searches have one problem or group\n"
            "  (give several problems, or \"part\": \"test\" to some)\n");
  }
  fprintf(io->out, "%lld of %lld states occur after different steps",
          (long long)s->states_met_twice, (long long)s->states);
  fprintf(io->out,
          s->states_met_twice
              ? ": probes have pairs\n"
              : ": probes have no pairs\n"
                "  (they need a state twice in the searches of one problem)\n");
  if (s->states_both_ways)
    fprintf(io->out,
            "%lld of %lld states go back in one place and on in another: their "
            "words do not\n  say all that the verdict needs, or the searcher "
            "decided differently\n",
            (long long)s->states_both_ways, (long long)s->states);
}

static void print_text(sw_command_io *io, const char *output,
                       const sw_import_stats *s) {
  fprintf(io->out,
          "%s: %lld searches of %lld groups (%lld train, %lld valid, %lld "
          "test)\n",
          output, (long long)s->searches, (long long)s->groups,
          (long long)s->train, (long long)s->valid, (long long)s->test);
  fprintf(io->out, "%lld steps, %lld words of text, %lld different\n",
          (long long)s->steps, (long long)s->tokens, (long long)s->words);
  if (s->back[0])
    fprintf(io->out, "%lld steps go back (%s)\n", (long long)s->back_steps,
            s->back);
  else
    fprintf(io->out, "no step goes back (--back WORD says which word does)\n");
  print_states(io, s);
  if (s->gives.shown)
    fprintf(
        io->out,
        "verdict shown: %s of the word \"%s\" tells when to go back (%.1f%% "
        "right)\n",
        s->gives.absent ? "the absence" : "the presence", s->gives.word,
        100 * s->gives.balanced);
  fprintf(io->out, "content hash %s\n", s->hash);
}

static int load(const import_values *v, const sw_list *rest, sw_words *words,
                sw_err *err) {
  if (!rest->count) {
    sw_fail(err, SW_USAGE, "import needs files of searches");
    return sw_hint(err, "statewise import searches.jsonl -o own.safetensors");
  }
  if (!v->output) {
    sw_fail(err, SW_USAGE, "no output file");
    return sw_hint(err, "-o own.safetensors");
  }
  SW_TRY(sw_make_parents(v->output, err));
  return v->vocabulary ? sw_words_of_file(v->vocabulary, words, err) : SW_OK;
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  import_values v;
  sw_list rest = {0};
  sw_words words = {0};
  SW_TRY(sw_command_parse(self, argc, argv, &v, NULL, &rest, err));
  SW_TRY(load(&v, &rest, &words, err));
  sw_import_options o = {.file = rest.item,
                         .files = rest.count,
                         .output = v.output,
                         .back = v.back,
                         .vocabulary = v.vocabulary ? &words : NULL,
                         .vocabulary_path = v.vocabulary,
                         .test_share = v.test_share,
                         .valid_share = v.valid_share,
                         .seed = (uint64_t)v.seed};
  sw_progress progress;
  sw_import_hooks hooks = {&progress, sw_progress_show};
  sw_import_stats stats;
  sw_progress_begin(&progress, io, (sw_progress_mode)v.progress, "searches", 0);
  int code = sw_import(&o, &hooks, &stats, err);
  sw_progress_end(&progress);
  sw_words_free(&words);
  SW_TRY(code);
  if (v.json) print_json(io, v.output, &stats);
  else print_text(io, v.output, &stats);
  return 0;
}

const sw_command sw_command_import = {
    .name = "import",
    .usage = "FILE... -o DATA",
    .words = "FILE...",
    .summary = "Make a data set of your own searches",
    .details =
        "FILE has a search a line (JSON; .gz and .xz too):\n"
        "  {\"problem\": \"EDGE a b COLORS 2\", \"steps\": [\n"
        "     {\"state\": \"a=1 b=?\", \"action\": \"b=2\"}, ...], "
        "\"solved\": true}\n"
        "`group` and `part` (train, valid, test) say what stays together and "
        "where\n"
        "it goes; searches of one problem are one group. docs/your-own.md has "
        "all\n"
        "members. The outcome is a data set of the domain `own` for train, "
        "eval\n"
        "--data, probe and show trace.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .stoppable = 1};
