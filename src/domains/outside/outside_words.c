/* An environment's domain in English: words are what it consists of (see
 * domains/lexicon.h). A phrase is a blank and the word; no word has a blank. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "domains/outside/outside.h"

static const char *word(const sw_domain *domain, int32_t token) {
  const char *text = sw_words_text(domain->words, token);
  return text ? text : "?";
}

static int phrase(const sw_domain *domain, int32_t token, char *buffer,
                  size_t room) {
  return snprintf(buffer, room, " %s", word(domain, token));
}

static int choice(const sw_domain *domain, int32_t token, char *buffer,
                  size_t room) {
  return snprintf(buffer, room, "%s", word(domain, token));
}

static void rules(const sw_domain_options *options, FILE *out) {
  const sw_outside *of = sw_outside_of(options->domain);
  if (of->rules) {
    fputs(of->rules, out);
    return;
  }
  fprintf(out,
          "You solve problems of \"%s\" by searching with backtracking. Each "
          "situation is shown in words. Choose how to go on, or %s, which "
          "undoes the last choice, where nothing leads to a solution.",
          of->name, word(&of->domain, of->domain.back_token));
}

static char *text_of(const sw_outside *of, const int32_t *token,
                     int32_t count) {
  char *text;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) return NULL;
  for (int32_t i = 0; i < count; i++)
    fprintf(out, "%s%s", i ? " " : "", word(&of->domain, token[i]));
  return sw_memory_close(out, &text) ? text : NULL;
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

const sw_lexicon sw_outside_lexicon = {
    .phrase = phrase, .choice = choice, .rules = rules, .picture = picture};
