/* SAT in English (domains/lexicon.h). Literals keep their signs: a model that
 * reads text has met them in every DIMACS file. */
#include <stdio.h>
#include <string.h>
#include "domains/domain.h"
#include "domains/sat/sat_env.h"
#include "domains/sat/tokens.h"

/* Fixed tokens that are not just their printed name after a blank. */
static const struct {
  int32_t token;
  const char *phrase;
} phrases[] = {{SW_SAT_BOS, "Formula"},
               {SW_SAT_CLAUSES, ", clause after clause:"},
               {SW_SAT_SEARCH, "This is all of it."},
               {SW_SAT_EOS, " End."},
               {SW_SAT_SEP, ".\n"},
               {SW_SAT_STATE, "State:"},
               {SW_SAT_PROP, " Look at clause"},
               {SW_SAT_PROP_END, " ;\n"},
               {SW_SAT_COLON, ":"},
               {SW_SAT_OK, " Done:"},
               {SW_SAT_SOLVED, " Solved!"},
               {SW_SAT_FAILED, " Nothing is left to try."},
               {SW_SAT_CONFLICT, " Contradiction in"},
               {SW_SAT_BJ, ", so back to"},
               {SW_SAT_T, " true"},
               {SW_SAT_F, " false"},
               {SW_SAT_U, " open"},
               {SW_SAT_HIDDEN, " unknown"},
               {SW_SAT_UNIT, " (one literal is left)"},
               {SW_SAT_SAT_OK, " (not contradicted)"},
               {SW_SAT_FREE, " Left to try:"}};

static int phrase(const sw_domain *domain, int32_t token, char *buffer,
                  size_t room) {
  for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
    if (phrases[i].token == token)
      return snprintf(buffer, room, "%s", phrases[i].phrase);
  if (token >= SW_SAT_LEVEL && token < SW_SAT_LEVEL + SW_SAT_MAX_LEVELS)
    return snprintf(buffer, room, " level %d", (int)(token - SW_SAT_LEVEL));
  char word[SW_PHRASE_ROOM];
  sw_sat_token_text(domain, token, word, sizeof word);
  return snprintf(buffer, room, " %s", word);
}

static int choice(const sw_domain *domain, int32_t token, char *buffer,
                  size_t room) {
  if (token == SW_SAT_CONFLICT) return snprintf(buffer, room, "go back");
  if (token == SW_SAT_T) return snprintf(buffer, room, "true");
  if (token == SW_SAT_F) return snprintf(buffer, room, "false");
  return sw_sat_token_text(domain, token, buffer, room);
}

static void rules(const sw_domain_options *options, FILE *out) {
  int retry = sw_sat_own(options)->retry_mark > 0;
  fputs(
      "You guide a backtracking search for an assignment that makes a formula "
      "true. Each clause (C0, C1, ...) needs at least one true literal: +v3 is "
      "true when variable v3 is true, -v3 when v3 is false. A decision gives a "
      "variable a value; what follows from it by unit propagation is done for "
      "you. In a state +v3 says that v3 is true, -v3 that v3 is false, and "
      "\"v3 open\" that v3 has no value yet; \"v3 true\" or \"v3 false\" that "
      "v3 is open but only this value is left for it.",
      out);
  if (options->format && (!strcmp(options->format, "evidence") ||
                          !strcmp(options->format, "prop")))
    fputs(
        " \"Look at clause\" shows the clause that matters most, with each of "
        "its literals as true, false or open.",
        out);
  if (retry)
    fputs(
        " \"Left to try: v3 true\" says that the other value of v3 has "
        "already failed in this state.",
        out);
  fputs(
      " If some clause has only false literals the state is a dead end: go "
      "back. If not, going back would throw a possible solution away: choose "
      "an open variable, then its value.",
      out);
}

/* Clauses as DIMACS literals; of each variable its value (1, -1, 0) and whether
 * it was decided. */
static void picture(const sw_env *env, sw_json *json) {
  const sw_instance *f = env->instance;
  const sw_sat_search *s = &env->search;
  sw_json_string(json, "kind", "cnf");
  sw_json_array(json, "clauses");
  for (int32_t c = 0; c < f->m; c++) {
    sw_json_array(json, NULL);
    for (int32_t i = f->start[c]; i < f->start[c + 1]; i++)
      sw_json_int(json, NULL, sw_sat_to_dimacs(f->literal[i]));
    sw_json_end(json);
  }
  sw_json_end(json);
  sw_json_array(json, "value");
  for (int32_t v = 0; v < f->n; v++) sw_json_int(json, NULL, s->value[2 * v]);
  sw_json_end(json);
  sw_json_array(json, "decided");
  for (int32_t d = 0; d < s->depth; d++)
    if (s->value[2 * s->frame[d].var]) sw_json_int(json, NULL, s->frame[d].var);
  sw_json_end(json);
  sw_json_int(json, "open", sw_sat_open_var(s));
}

const sw_lexicon sw_sat_lexicon = {phrase, choice, rules, picture};
