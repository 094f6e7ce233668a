/* `statewise gen DOMAIN`: writes a data set of the expert's traces, or of
 * searches (--play). All of it is sw_produce; this file parses, resolves and
 * prints. No domain is named. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "command/io.h"
#include "command/command.h"
#include "base/stop.h"
#include "domains/produce.h"
#include "search/played.h"

#define GEN_OPTIONS(X)                                                      \
  X(output, TEXT, "out", "", 0, 0, "output",                                \
    "data set to write (safetensors)")                                      \
  X(count, LONG, "count", "1000", 1, 1e9, "", "traces to keep")             \
  X(attempts, LONG, "attempts", "0", 0, 1e12, "",                           \
    "stop after that many instances; 0: until count is reached")            \
  SW_SEED_ROW(X, "42", "seed of instances and injected errors")             \
  X(split, CHOICE, "split", "train", 0, 0, "train|valid|test",              \
    "which stream: disjoint under fair, one under release")                 \
  X(viability, FLAG, "viability", "0", 0, 1, "",                            \
    "judge every state by the domain's complete solver: can it be solved?") \
  X(play, TEXT, "play", "", 0, 0, "",                                       \
    "write the searches of this rule instead of the expert's")              \
  X(verifier, TEXT, "verifier", "exact", 0, 0, "",                          \
    "with --play: what says when to go back")                               \
  X(verdict_shown, FLAG, "verdict-shown", "0", 0, 1, "",                    \
    "with --play: let the rule itself decide when to go back although the " \
    "format shows the verdict")                                             \
  X(add, TEXT, "add", "", 0, 0, "",                                         \
    "a data set whose traces come first; it is of another seed or split")   \
  X(threads, INT, "threads", "0", 0, 1024, "",                              \
    "threads; 0: all cores (release writes in order, with one)")            \
  X(progress, CHOICE, "progress", "auto", 0, 0, "auto|plain|none|json",     \
    "progress on standard error")                                           \
  X(json, FLAG, "json", "0", 0, 1, "",                                      \
    "print one JSON object on standard output")

typedef struct gen_options {
  GEN_OPTIONS(SW_OPTION_FIELD)
  sw_pairs task; /* as given */
  sw_domain_options domain;
} gen_options;

static const sw_option option_table[] = {
#define X(...) SW_OPTION_ROW(gen_options, __VA_ARGS__)
    GEN_OPTIONS(X)
#undef X
};

static double share(int64_t part, int64_t whole) {
  return whole ? (double)part / (double)whole : 0;
}

static void print_json(sw_command_io *io, const gen_options *o,
                       const sw_domain *domain, const sw_produce_stats *s) {
  sw_json json;
  sw_json_to_file(&json, io->out);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "domain", domain->name);
  sw_json_string(&json, "output", o->output);
  sw_json_string(&json, "hash", s->hash);
#define COUNT(field) sw_json_int(&json, #field, s->field)
  COUNT(kept);
  COUNT(attempts);
  COUNT(dropped);
  COUNT(cut);
  COUNT(solved);
  COUNT(tokens);
  COUNT(supervised);
  COUNT(blocks);
  COUNT(decisions);
  COUNT(conflicts);
  if (o->add) COUNT(earlier);
  if (o->viability) {
    COUNT(viable);
    COUNT(dead);
  }
#undef COUNT
  sw_json_real(&json, "drop_rate", share(s->dropped, s->attempts));
  sw_json_real(&json, "cut_rate", share(s->cut, s->kept));
  sw_json_real(&json, "seconds", s->seconds);
  sw_json_object(&json, "options");
  sw_options_json(domain->options, domain->option_count, &o->domain, &json);
  sw_json_end(&json);
  sw_json_end(&json);
}

static void print_text(sw_command_io *io, const gen_options *o,
                       const sw_produce_stats *s) {
  fprintf(io->out,
          "%s: %lld traces, %lld tokens (%lld supervised), %lld blocks\n",
          o->output, (long long)s->kept, (long long)s->tokens,
          (long long)s->supervised, (long long)s->blocks);
  fprintf(io->out,
          "solved %lld, cut %lld (%.1f%%), dropped %lld of %lld attempts "
          "(%.1f%%)\n",
          (long long)s->solved, (long long)s->cut, 100 * share(s->cut, s->kept),
          (long long)s->dropped, (long long)s->attempts,
          100 * share(s->dropped, s->attempts));
  if (o->viability)
    fprintf(io->out, "judged: %lld states viable, %lld dead\n",
            (long long)s->viable, (long long)s->dead);
  if (o->add)
    fprintf(io->out, "behind %lld traces of %s\n", (long long)s->earlier,
            o->add);
  fprintf(io->out, "content hash %s, %.2f s\n", s->hash, s->seconds);
}

/* The domain named by the first argument, with its options resolved. */
static int choose_domain(const sw_list *rest, gen_options *o,
                         const sw_domain **domain, sw_err *err) {
  if (rest->count != 1) {
    sw_fail(err, SW_USAGE, "gen needs one domain");
    return sw_hint(err, "statewise gen sat -o traces.safetensors");
  }
  SW_TRY(sw_domain_named(rest->item[0], domain, err));
  if (!o->output) {
    sw_fail(err, SW_USAGE, "no output file");
    return sw_hint(err, "-o traces.safetensors");
  }
  sw_domain_defaults(*domain, &o->domain);
  SW_TRY(sw_domain_apply(*domain, &o->task, &o->domain, err));
  return (*domain)->resolve(&o->domain, err);
}

static int run_gen(const sw_command *self, sw_command_io *io, int argc,
                   char **argv, sw_err *err) {
  gen_options o;
  sw_list rest = {0};
  const sw_domain *domain = NULL;
  SW_TRY(
      sw_command_parse_task(self, argc, argv, &o, NULL, &rest, &o.task, err));
  SW_TRY(choose_domain(&rest, &o, &domain, err));
  sw_produce_options produce = {.count = o.count,
                                .attempts = o.attempts,
                                .seed = (uint64_t)o.seed,
                                .split = (sw_split)o.split,
                                .threads = o.threads,
                                .viability = o.viability,
                                .before = o.add};
  char played[400];
  sw_played player = {.domain = domain,
                      .options = &o.domain,
                      .rule = o.play,
                      .verifier = o.verifier,
                      .seed = (uint64_t)o.seed,
                      .verdict_shown = o.verdict_shown};
  int judged = strcmp(o.verifier, "exact") != 0;
  if (!o.play && (judged || o.verdict_shown)) {
    return sw_fail(err, SW_USAGE, "--%s is for the searches of --play RULE",
                   judged ? "verifier" : "verdict-shown");
  }
  if (o.play) {
    SW_TRY(sw_played_check(&player, err));
    snprintf(played, sizeof played, "%s, %s", o.play, o.verifier);
    produce.write = sw_played_write;
    produce.context = &player;
    produce.played = played;
  }
  SW_TRY(sw_make_parents(o.output, err));
  sw_progress progress;
  sw_produce_hooks hooks = {&progress, sw_progress_show, sw_stop_asked};
  sw_produce_stats stats;
  sw_progress_begin(&progress, io, (sw_progress_mode)o.progress, "traces",
                    o.count);
  int code =
      sw_produce(domain, &o.domain, &produce, o.output, &hooks, &stats, err);
  sw_progress_end(&progress);
  SW_TRY(code);
  if (o.json) print_json(io, &o, domain, &stats);
  else print_text(io, &o, &stats);
  return 0;
}

const sw_command sw_command_gen = {
    .name = "gen",
    .usage = "DOMAIN -o FILE [--OPTION VALUE]...",
    .words = "DOMAIN",
    .summary = "Write a data set of traces",
    .details =
        "The same domain, options, count, seed and split give the same "
        "content\n"
        "hash for any number of threads. Under the preset `release` one "
        "random\n"
        "stream runs through all traces, so they are written one after the\n"
        "other; under `fair` each trace has its own. Nothing is left behind "
        "by\n"
        "a run that fails or is stopped.\n"
        "With --play the traces are searches of a rule under a verifier: "
        "with\n"
        "--viability and --add, what a learned verifier meets is added to "
        "what\n"
        "it was trained on.",
    .options = option_table,
    .option_count = sizeof option_table / sizeof option_table[0],
    .run = run_gen,
    .takes_task = 1,
    .over_ranks = 1,
    .stoppable = 1,
};
