/* Steps a learned search, one decision at a time, through the public C API.
 *
 *     cc step_search.c -o step_search $(pkg-config --cflags --libs statewise)
 *     ./step_search MODEL PROBLEM [STEPS]
 *
 * MODEL is a shipped model or a run directory of `statewise train`, PROBLEM a
 * file of its domain (DIMACS .cnf for the SAT model). The first STEPS decisions
 * are printed (default 8). Exit code: 0 solved, 1 not solved, 2 an error. */
#include <statewise.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const statewise_error *error) {
  fprintf(stderr, "error: %s\n", error->text);
  if (error->hint[0]) fprintf(stderr, "hint: %s\n", error->hint);
  return 2;
}

static const char *meaning(statewise_kind kind) {
  switch (kind) {
    case STATEWISE_GO_ON:
      return "go on";
    case STATEWISE_GO_BACK:
      return "go back";
    case STATEWISE_REPEAT:
      return "repeat a failed value";
    default:
      return "overlook the conflict";
  }
}

static void show(const statewise_query *query, long step) {
  const statewise_candidate *best = &query->candidate[query->best];
  printf("%4ld  depth %-3d %-9s %3d candidates  ->  %-10s %s\n", step,
         query->depth, query->in_conflict ? "conflict" : "viable", query->count,
         best->text, meaning(best->kind));
}

/* Returns the exit code. The model decides; a program of your own would look
 * at query.candidate and may choose otherwise. */
static int walk(statewise_search *search, long steps) {
  statewise_error error;
  statewise_query query;
  int more;
  for (long step = 1;
       (more = statewise_search_next(search, &query, &error)) == 1; step++) {
    if (step <= steps) show(&query, step);
    if (statewise_search_choose(search, query.best, &error))
      return fail(&error);
  }
  if (more < 0) return fail(&error);

  statewise_counters counters;
  statewise_search_counters(search, &counters);
  printf("%s after %lld decisions, %lld steps back\n",
         statewise_search_reason(search), (long long)counters.decisions,
         (long long)counters.backtracks);
  if (statewise_search_status(search) != STATEWISE_SOLVED) return 1;
  fputs(statewise_search_answer(search), stdout); /* ends its line itself */
  return 0;
}

int main(int argc, char **argv) {
  statewise_error error;
  statewise *model = NULL;
  statewise_search *search = NULL;
  if (argc < 3) {
    fprintf(stderr, "usage: %s MODEL PROBLEM [STEPS]\n", argv[0]);
    return 2;
  }
  int code = 2;
  if (statewise_open(&model, argv[1], 0, &error) ||
      statewise_search_open(&search, model, argv[2], &error)) {
    fail(&error);
  } else {
    printf("%s model, mask %s, %lld parameters\n", statewise_domain(model),
           statewise_mask(model), (long long)statewise_parameters(model));
    code = walk(search, argc > 3 ? strtol(argv[3], NULL, 10) : 8);
  }
  statewise_search_close(search);
  statewise_close(model);
  return code;
}
