/* The checker of printed derivations. It reads the sentence and the `v` line
 * again and checks every node against the grammar's rules and the leaves
 * against the words. It shares no code with the parsing machine. `solve` prints
 * no derivation that it rejects. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "domains/parsing/parsing_env.h"
#include "domains/parsing/parsing_options.h"

/* Children on a stack: an input word (>= 0), or -1 - rule for a node. An open
 * node remembers its rule and where its children begin. */
typedef struct judge {
  const sw_grammar *g;
  int32_t *child, children, child_room;
  int32_t *open, opens, open_room; /* pairs: rule, first child */
  const int16_t *word;
  int32_t words, seen;
  sw_err *err;
} judge;

static int wrong(judge *j, const char *what) {
  return sw_fail(j->err, SW_INTERNAL,
                 "a wrong derivation was not printed: %s (word %d)", what,
                 (int)j->seen);
}

/* Is the child what the symbol asks for? */
static int matches(const sw_grammar *g, int symbol, int32_t child) {
  const sw_grammar_symbol *s = &g->symbol[symbol];
  if (s->rule >= 0) return child == -1 - s->rule;
  return child >= 0 && (s->words >> child & 1);
}

static int allowed(const sw_grammar *g, const sw_grammar_rule *rule,
                   const int32_t *child, int32_t count) {
  const sw_grammar_alt *alt = &g->alt[rule->first];
  if (rule->kind == SW_RULE_LIST) {
    int good = count % 2 == 1;
    for (int32_t i = 0; good && i < count; i++)
      good = matches(g, g->item[alt->first + i % 2], child[i]);
    return good;
  }
  for (int a = 0; a < rule->count; a++, alt++) {
    int good = alt->count == count;
    for (int32_t i = 0; good && i < count; i++)
      good = matches(g, g->item[alt->first + i], child[i]);
    if (good) return 1;
  }
  return 0;
}

static int push(judge *j, int32_t child) {
  if (!sw_grow(&j->child, &j->child_room, j->children + 1, sizeof *j->child))
    return sw_no_memory(j->err);
  j->child[j->children++] = child;
  return SW_OK;
}

static int open_node(judge *j, const char *name, size_t length) {
  for (int i = 0; i < j->g->symbols; i++) {
    const sw_grammar_symbol *s = &j->g->symbol[i];
    if (s->rule < 0 || strlen(s->name) != length ||
        memcmp(s->name, name, length))
      continue;
    if (!sw_grow(&j->open, &j->open_room, j->opens + 2, sizeof *j->open))
      return sw_no_memory(j->err);
    j->open[j->opens++] = s->rule;
    j->open[j->opens++] = j->children;
    return SW_OK;
  }
  return wrong(j, "an unknown rule");
}

static int close_node(judge *j) {
  if (!j->opens) return wrong(j, "a parenthesis too many");
  int32_t first = j->open[--j->opens], rule = j->open[--j->opens];
  if (!allowed(j->g, &j->g->rule[rule], j->child + first, j->children - first))
    return wrong(j, "a node that matches no alternative of its rule");
  j->children = first;
  return push(j, -1 - rule);
}

static int leaf(judge *j, const char *text, size_t length) {
  int word = sw_grammar_find_input(j->g, text, length);
  if (word < 0 || j->seen >= j->words || j->word[j->seen] != word)
    return wrong(j, "another word than the sentence has");
  j->seen++;
  return push(j, word);
}

/* One blank-separated piece: "(rule", or a word and the nodes it closes. The
 * words "(" and ")" stand at the beginning of theirs. */
static int piece(judge *j, const char *text, size_t length) {
  if (length > 1 && text[0] == '(' && text[1] != ')')
    return open_node(j, text + 1, length - 1);
  size_t word = 1;
  while (text[0] != '(' && text[0] != ')' && word < length && text[word] != ')')
    word++;
  SW_TRY(leaf(j, text, word));
  for (; word < length; word++)
    if (text[word] != ')') return wrong(j, "something after a word");
    else SW_TRY(close_node(j));
  return SW_OK;
}

static int read_derivation(judge *j, const char *answer) {
  if (*answer++ != 'v') return wrong(j, "no v line");
  while (*answer) {
    while (sw_is_space(*answer)) answer++;
    size_t length = 0;
    while (answer[length] && !sw_is_space(answer[length])) length++;
    if (length) SW_TRY(piece(j, answer, length));
    answer += length;
  }
  if (j->opens || j->seen != j->words || j->children != 1 ||
      !matches(j->g, j->g->start, j->child[0]))
    return wrong(j, "it is not whole");
  return SW_OK;
}

/* Long words with parentheses in them make the printed form ambiguous, and so
 * does a rule whose name makes "(" with it look like that word and an end. */
static int readable(const sw_grammar *g) {
  for (int i = 0; i < g->inputs; i++)
    if (strlen(g->input[i]) > 1 && strpbrk(g->input[i], "()")) return 0;
  for (int i = 0; i < g->rules; i++)
    if (g->symbol[i].name[0] == ')') return 0;
  return 1;
}

int sw_parsing_verify(const char *text, size_t bytes,
                      const sw_domain_options *options, const char *answer,
                      sw_err *err) {
  sw_instance *sentence;
  sw_grammar *grammar = NULL;
  SW_TRY(
      sw_parsing_instance_parse(&sentence, "file", text, bytes, options, err));
  int code = sw_grammar_load(&grammar, sw_parsing_own(options)->grammar, err);
  if (!code && readable(grammar)) {
    judge j = {.g = grammar,
               .word = sentence->word,
               .words = sentence->length,
               .err = err};
    code = read_derivation(&j, answer);
    free(j.child);
    free(j.open);
  }
  free(grammar);
  sw_parsing_instance_free(sentence);
  return code;
}

void sw_parsing_as_read(sw_domain_options *options,
                        const sw_domain_options *read_with) {
  *sw_parsing_own_edit(options) = *sw_parsing_own(read_with);
}
