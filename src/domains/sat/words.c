/* A SAT state in words, for the report: what is assigned, what is open, the
 * clause that matters and how its literals stand. Names are the tokens' (v0 is
 * the first variable). */
#include <stdio.h>
#include <stdlib.h>
#include "domains/sat/sat_env.h"
#include "base/file.h"

static void assigned(const sw_sat_search *s, FILE *out) {
  int count = 0;
  fprintf(out, "Decided or forced so far: ");
  for (int32_t v = 0; v < s->n; v++)
    if (s->value[2 * v])
      fprintf(out, "%sv%d is %s", count++ ? ", " : "", v,
              s->value[2 * v] > 0 ? "true" : "false");
  if (!count) fputs("nothing", out);
  fputs(". Open: ", out);
  count = 0;
  for (int32_t v = 0; v < s->n; v++)
    if (!s->value[2 * v]) fprintf(out, "%sv%d", count++ ? ", " : "", v);
  fputs(count ? ". " : "nothing. ", out);
}

static void key_clause(sw_env *env, FILE *out) {
  const sw_instance *f = env->instance;
  const sw_sat_search *s = &env->search;
  if (!f->m) return;
  int32_t k = sw_sat_env_key_clause(env);
  fprintf(out, "The clause that matters, C%d: ", k);
  for (int32_t i = f->start[k]; i < f->start[k + 1]; i++) {
    int32_t literal = f->literal[i];
    int8_t truth = s->value[literal];
    fprintf(out, "%s%sv%d (%s)", i > f->start[k] ? " or " : "",
            literal & 1 ? "not " : "", literal / 2,
            truth > 0   ? "true"
            : truth < 0 ? "false"
                        : "open");
  }
  fputs(". ", out);
}

char *sw_sat_state_words(sw_env *env) {
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) return NULL;
  const sw_sat_search *s = &env->search;
  int32_t open = sw_sat_open_var(s);
  assigned(s, out);
  key_clause(env, out);
  if (sw_sat_env_in_conflict(env)) {
    fputs("No literal of it can become true: the right thing is to go back.",
          out);
  } else {
    fputs("Nothing is contradicted: the right thing is to go on.", out);
    if (open >= 0)
      fprintf(out, " v%d has failed with one value; only %s is left for it.",
              open,
              sw_sat_domain(s, open) == SW_SAT_BIT_TRUE ? "true" : "false");
  }
  return sw_memory_close(out, &text) ? text : NULL;
}
