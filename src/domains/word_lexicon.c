/* English for domains of words (see word_lexicon.h). */
#include "domains/word_lexicon.h"

#include "base/file.h"

static const char *word(const sw_words *words, int32_t token) {
  const char *text = sw_words_text(words, token);
  return text ? text : "?";
}

int sw_word_phrase(const sw_domain *domain, int32_t token, char *buffer,
                   size_t room) {
  return snprintf(buffer, room, " %s", word(domain->words, token));
}

int sw_word_text(const sw_domain *domain, int32_t token, char *buffer,
                 size_t room) {
  const char *text = sw_words_text(domain->words, token);
  return text ? snprintf(buffer, room, "%s", text)
              : snprintf(buffer, room, "%d", token);
}

void sw_word_rules(const sw_domain *domain, const char *rules, FILE *out) {
  if (rules) {
    fputs(rules, out);
    return;
  }
  fprintf(out,
          "You solve problems of \"%s\" by searching with backtracking. Each "
          "situation is shown in words. Choose how to go on, or %s, which "
          "undoes the last choice, where nothing leads to a solution.",
          domain->name, word(domain->words, domain->back_token));
}

char *sw_word_sentence(const sw_words *words, const int32_t *token,
                       int64_t count) {
  char *text;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) return NULL;
  for (int64_t i = 0; i < count; i++)
    fprintf(out, "%s%s", i ? " " : "", word(words, token[i]));
  return sw_memory_close(out, &text) ? text : NULL;
}
