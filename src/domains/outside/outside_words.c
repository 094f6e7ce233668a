/* An environment's domain in English: words are what it consists of (see
 * domains/word_lexicon.h). */
#include <stdlib.h>

#include "domains/outside/outside.h"
#include "domains/word_lexicon.h"

static void rules(const sw_domain_options *options, FILE *out) {
  const sw_outside *of = sw_outside_of(options->domain);
  sw_word_rules(&of->domain, of->rules, out);
}

static char *text_of(const sw_outside *of, const int32_t *token,
                     int32_t count) {
  return sw_word_sentence(&of->words, token, count);
}

char *sw_outside_state_words(sw_env *e) {
  return text_of(e->of, e->now.token, e->now.state);
}

static void picture(const sw_env *e, sw_json *json) {
  char *problem = text_of(e->of, e->instance->token, e->instance->tokens);
  char *state = text_of(e->of, e->now.token, e->now.state);
  sw_json_string(json, "kind", "words");
  sw_json_string(json, "problem", problem ? problem : "");
  sw_json_string(json, "state", state ? state : "");
  sw_json_array(json, "path");
  for (int32_t i = 0; i < e->depth; i++)
    sw_json_string(json, NULL, e->path + e->level[i]);
  sw_json_end(json);
  free(problem);
  free(state);
}

const sw_lexicon sw_outside_lexicon = {.phrase = sw_word_phrase,
                                       .choice = sw_word_text,
                                       .rules = rules,
                                       .picture = picture};
