/* `statewise solve FILE`: SAT-competition output for any problem file that a
 * domain recognises. Standard output has only c, s and v lines. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/stop.h"
#include "command/commands.h"
#include "search/guide_family.h"
#include "search/solve.h"

/* clang-format off */
#define SOLVE_OPTIONS(X)                                                       \
  X(model, TEXT, "model", "", 0, 0, "", "run directory or weights; default: the domain's shipped model") \
  X(domain, TEXT, "domain", "", 0, 0, "", "domain; default: by the file's name and content") \
  X(seconds, REAL, "time", "60", 0, 1e9, "", "wall-clock limit in seconds; 0: none") \
  X(decisions, LONG, "decisions", "2000", 0, 1e12, "", "decision budget of the guided search") \
  X(tokens, LONG, "tokens", "0", 0, 1e15, "", "token budget of the guided search; 0: none") \
  X(guided_only, FLAG, "guided-only", "0", 0, 0, "", "answer UNKNOWN rather than use the direct solver") \
  X(no_model, FLAG, "no-model", "0", 0, 0, "", "use the direct solver at once") \
  X(rule, TEXT, "rule", "", 0, 0, "", "a policy without a model as the guide") \
  X(verifier, TEXT, "verifier", "exact", 0, 0, "", "what says when to go back; UNSATISFIABLE needs one that never goes back from a viable state (never, exact, oracle)") \
  X(verdict_shown, FLAG, "verdict-shown", "0", 0, 0, "", "let the guide itself decide when to go back although the format shows the verdict") \
  SW_THREADS_ROW(X, "threads; 0: all cores")         \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object instead of c, s and v lines")
/* clang-format on */

typedef struct solve_values {
  SOLVE_OPTIONS(SW_OPTION_FIELD)
  sw_pairs task; /* options of the domain, as given */
} solve_values;

static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(solve_values, __VA_ARGS__)
    SOLVE_OPTIONS(X)
#undef X
};
enum { COUNT = sizeof table / sizeof *table };

static const sw_domain *recognise(const char *path, const char *text,
                                  size_t bytes) {
  for (int i = 0; sw_domains[i]; i++)
    if (sw_domains[i]->file.recognises &&
        sw_domains[i]->file.recognises(sw_domains[i], path, text, bytes))
      return sw_domains[i];
  return NULL;
}

typedef struct solving {
  sw_command_io *io;
  solve_values v;
  const sw_domain *domain;
  sw_domain_options options;
  sw_instance *instance;
  sw_loaded loaded;
  int has_model;
  sw_guide *guide;
  sw_team *team;
  sw_solution solution;
  char *text; /* of the file */
  size_t bytes;
} solving;

static int open_file(solving *s, const char *path, sw_err *err) {
  if (s->v.domain) SW_TRY(sw_domain_named(s->v.domain, &s->domain, err));
  SW_TRY(sw_read_file(path, 0, &s->text, &s->bytes, err));
  size_t bytes = s->bytes;
  if (!s->v.domain) s->domain = recognise(path, s->text, bytes);
  if (!s->domain) {
    sw_fail(err, SW_DATA, "%s: no domain recognises this file", path);
    return sw_hint(err,
                   "DIMACS .cnf, DIMACS .col and PDDL problems are read;"
                   " --domain NAME forces one");
  }
  if (!s->domain->file.parse)
    return sw_fail(err, SW_USAGE, "domain `%s` reads no files",
                   s->domain->name);
  sw_domain_defaults(s->domain, &s->options);
  SW_TRY(sw_domain_apply(s->domain, &s->v.task, &s->options, err));
  return s->domain->file.parse(&s->instance, path, s->text, bytes, &s->options,
                               err);
}

/* A comment line, or a remark beside the JSON object. */
static void remark(const solving *s, const char *format, const char *what) {
  char text[400];
  snprintf(text, sizeof text, format, what);
  if (s->v.json) sw_note(s->io, "%s", text);
  else fprintf(s->io->out, "c %s\n", text);
}

static const char *status_of(const sw_solution *x) {
  return x->verdict == 10   ? "SATISFIABLE"
         : x->verdict == 20 ? "UNSATISFIABLE"
                            : "UNKNOWN";
}

static void print_json(const solving *s, const char *path) {
  const sw_solution *x = &s->solution;
  sw_json json;
  sw_json_to_file(&json, s->io->out);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "file", path);
  sw_json_string(&json, "domain", s->domain->name);
  sw_json_string(&json, "status", status_of(x));
  sw_json_int(&json, "verdict", x->verdict);
  sw_json_string(&json, "answer", x->verdict == 10 ? x->answer : NULL);
  sw_json_string(&json, "answered_by", x->guide[0] ? x->guide : NULL);
  sw_json_string(&json, "note", x->note[0] ? x->note : NULL);
  sw_json_string(&json, "verifier", s->v.verifier);
  sw_json_real(&json, "seconds", x->seconds);
  sw_json_object(&json, "counts");
#define X(name, since, text) sw_json_int(&json, #name, x->outcome.name);
  SW_OUTCOME_COUNTERS(X)
#undef X
  sw_json_end(&json);
  sw_json_end(&json);
}

static int open_model(solving *s, sw_err *err) {
  char path[1024];
  if (s->v.no_model || s->v.rule) return SW_OK;
  if (s->v.model) {
    snprintf(path, sizeof path, "%s", s->v.model);
  } else if (sw_shipped_model(s->domain->name, path, sizeof path, NULL)) {
    remark(s, "no shipped model for %s: solving without one", s->domain->name);
    return SW_OK;
  }
  SW_TRY(sw_loaded_open(&s->loaded, path, err));
  s->has_model = 1;
  if (s->loaded.domain != s->domain)
    return sw_fail(err, SW_USAGE, "%s is a model for `%s`, this file is `%s`",
                   path, s->loaded.domain->name, s->domain->name);
  /* What is given counts above what the model was trained with, as in eval. */
  SW_TRY(sw_domain_apply(s->domain, &s->v.task, &s->loaded.options, err));
  if (s->domain->file.as_read)
    s->domain->file.as_read(&s->loaded.options, &s->options);
  return SW_OK;
}

static void print_solution(const solving *s) {
  const sw_solution *x = &s->solution;
  const sw_outcome *o = &x->outcome;
  if (x->note[0]) fprintf(s->io->out, "c %s\n", x->note);
  if (x->guide[0]) fprintf(s->io->out, "c answered by: %s\n", x->guide);
  fprintf(s->io->out,
          "c decisions %" PRId64 ", backtracks %" PRId64 " and %" PRId64
          " silent, values put right %" PRId64 ", tokens %" PRId64 "\n",
          o->decisions, o->backs, o->silent_backs, o->repeats + o->illegal,
          o->tokens);
  if (strcmp(s->v.verifier, "exact")) { /* it may be wrong: how often it was */
    fprintf(s->io->out,
            "c verifier %s: missed %" PRId64 " of %" PRId64
            " conflicts, gave up %" PRId64 " of %" PRId64 " other states",
            s->v.verifier, o->missed_conflicts, o->conflict_queries,
            o->false_prunes + o->early_backs, o->viable_queries);
    if (s->domain->search->truth.doomed)
      fprintf(s->io->out, " (%" PRId64 " of them lost)\n", o->early_backs);
    else fputs(" (which of them were lost is not known here)\n", s->io->out);
  }
  fprintf(s->io->out, "c wall time %.3f s\n", x->seconds);
  fprintf(s->io->out, "s %s\n", status_of(x));
  if (x->verdict == 10 && x->answer) {
    size_t length = strlen(x->answer);
    fputs(x->answer, s->io->out);
    if (length && x->answer[length - 1] != '\n') fputc('\n', s->io->out);
  }
}

static int solve(solving *s, const char *path, sw_err *err) {
  SW_TRY(open_file(s, path, err));
  const char *note =
      s->domain->file.note ? s->domain->file.note(s->instance) : NULL;
  if (note) remark(s, "warning: %s", note);
  SW_TRY(open_model(s, err));
  sw_solve_limits limits = {.seconds = s->v.seconds,
                            .decisions = s->v.decisions,
                            .tokens = s->v.tokens,
                            .guided_only = s->v.guided_only,
                            .verifier = s->v.verifier,
                            .verdict_shown = s->v.verdict_shown};
  SW_TRY(sw_team_new(&s->team, s->v.threads, err));
  if (s->v.rule) SW_TRY(sw_guide_named(&s->guide, s->domain, s->v.rule, err));
  else if (s->has_model)
    SW_TRY(sw_guide_model(&s->guide, &s->loaded, NULL, s->team, err));
  SW_TRY(sw_solve(s->domain, s->instance, &s->options, s->guide,
                  s->has_model ? &s->loaded.options : NULL, &limits,
                  sw_stop_asked, &s->solution, err));
  if (s->solution.verdict != 10 || !s->domain->file.verify) return SW_OK;
  return s->domain->file.verify(s->text, s->bytes, &s->options,
                                s->solution.answer, err);
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  solving s = {.io = io};
  sw_list rest = {0};
  SW_TRY(sw_command_parse_task(self, argc, argv, &s.v, NULL, &rest, &s.v.task,
                               err));
  if (rest.count != 1) {
    sw_fail(err, SW_USAGE, "one problem file is needed");
    return sw_hint(err, "statewise solve FILE");
  }
  sw_stop_scope limit; /* reading the file counts too */
  sw_stop_enter(&limit, s.v.seconds, NULL, NULL);
  int code = solve(&s, rest.item[0], err);
  if (!code) {
    if (s.v.json) print_json(&s, rest.item[0]);
    else print_solution(&s);
    io->exit_code = s.solution.verdict;
  }
  sw_stop_leave(&limit);
  if (s.instance) s.domain->instance_free(s.instance);
  sw_guide_close(s.guide);
  if (s.has_model) sw_loaded_close(&s.loaded);
  sw_team_free(s.team);
  free(s.solution.answer);
  free(s.text);
  return code;
}

const sw_command sw_command_solve = {
    .name = "solve",
    .usage = "FILE [--model DIR] [--time S] [--decisions N]",
    .words = "FILE",
    .summary =
        "Solve a DIMACS .cnf, DIMACS .col or PDDL file with a guided search",
    .details =
        "Prints c, s and v lines; exit code 10 satisfiable, 20 unsatisfiable, "
        "0 unknown.\nAn answer is checked before it is printed. "
        "UNSATISFIABLE is said only when the search is exhausted (every prune "
        "proven by propagation) or the direct solver proved it.",
    .options = table,
    .option_count = COUNT,
    .run = run,
    .takes_task = 1,
    .stoppable = 1};
