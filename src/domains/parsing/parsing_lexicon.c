/* Backtracking parsing in English (domains/lexicon.h), with the names of the
 * published grammar. */
#include <stdio.h>
#include <string.h>
#include "domains/lexicon.h"
#include "domains/parsing/parsing_env.h"

static const struct {
  int32_t token;
  const char *phrase;
} phrases[] = {{SW_PARSING_BOS, "Sentence:"},    {SW_PARSING_EOS, " End."},
               {SW_PARSING_SEP, " .\n"},         {SW_PARSING_STATE, "State:"},
               {SW_PARSING_BACKTRACK, " Back."}, {SW_PARSING_CURSOR, " ^"},
               {SW_PARSING_COLON, " |"}};

static int phrase(const sw_domain *domain, int32_t token, char *buffer,
                  size_t room) {
  char word[SW_PHRASE_ROOM];
  for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
    if (phrases[i].token == token)
      return snprintf(buffer, room, "%s", phrases[i].phrase);
  if (token >= SW_PARSING_ALT && token < SW_PARSING_VOCAB)
    return snprintf(buffer, room, " alternative-%d",
                    (int)(token - SW_PARSING_ALT));
  domain->token_text(domain, token, word, sizeof word);
  if (token >= SW_PARSING_SYMBOL && token < SW_PARSING_ALT)
    return snprintf(buffer, room, " <%s>", word + (word[0] == '$'));
  return snprintf(buffer, room, " %s", word);
}

static int choice(const sw_domain *domain, int32_t token, char *buffer,
                  size_t room) {
  if (token == SW_PARSING_BACKTRACK) return snprintf(buffer, room, "go back");
  if (token >= SW_PARSING_ALT && token < SW_PARSING_VOCAB)
    return snprintf(buffer, room, "alternative %d",
                    (int)(token - SW_PARSING_ALT));
  return domain->token_text(domain, token, buffer, room);
}

static void rules(const sw_domain_options *options, FILE *out) {
  fputs(
      "You guide a backtracking parser. A state shows the sentence with ^ "
      "before the next word to read, then after | the stack of symbols still "
      "to be found, the first one next, then after another | the alternatives "
      "that have already failed for it here. The grammar, with alternatives "
      "numbered from 0:\n"
      "expr: 0 call, 1 index, 2 tuple, 3 paren, 4 neg, 5 atom\n"
      "call: IDENT ( arglist )\nindex: IDENT [ expr ]\n"
      "tuple: ( expr , exprlist )\nparen: ( expr )\nneg: - expr\n"
      "atom: 0 IDENT, 1 NUMBER\narglist, exprlist: one to three of expr, "
      "separated by ,\nIDENT is a letter, NUMBER a digit. What can be read "
      "without a choice is read for you. If the first symbol is a word that "
      "does not match the next word, or its alternatives have all failed, the "
      "state is a dead end: go back. If not, choose an alternative for it, "
      "the lowest one that can still lead to a parse.",
      out);
  const char *grammar = sw_parsing_own(options)->grammar;
  if (grammar && grammar[0])
    fprintf(out, " (This search uses another grammar: %s.)", grammar);
}

/* The words, where the parser stands, its stack and what has failed there. */
static void picture(const sw_env *env, sw_json *json) {
  const sw_parse_machine *m = &env->machine;
  sw_json_string(json, "kind", "parse");
  sw_json_array(json, "words");
  for (int32_t i = 0; i < m->length; i++)
    sw_json_string(json, NULL, env->grammar->input[m->input[i]]);
  sw_json_end(json);
  sw_json_int(json, "cursor", m->shown_cursor);
  sw_json_array(json, "stack");
  for (int32_t i = 0; i < m->shown_count; i++)
    sw_json_string(json, NULL, env->grammar->symbol[m->shown[i]].name);
  sw_json_end(json);
  uint32_t failed = sw_parse_failed(m);
  sw_json_array(json, "failed");
  for (int a = 0; failed >> a; a++)
    if (failed >> a & 1) sw_json_int(json, NULL, a);
  sw_json_end(json);
}

const sw_lexicon sw_parsing_lexicon = {phrase, choice, rules, picture};
