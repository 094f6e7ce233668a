/* The reader of grammar files (see grammar.h; the format is in
 * docs/parsing.md). Two passes over the lines: the first declares classes and
 * rules so that ids follow the file, the second reads right-hand sides. */
#include "domains/parsing/grammar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "domains/task_options.h"

typedef struct reader {
  sw_grammar *g;
  const char *path, *at; /* `at`: rest of the current line */
  int line;
  sw_err *err;
  char word[SW_GRAMMAR_NAME];
  int quoted;
  double weight[SW_GRAMMAR_RULES][SW_GRAMMAR_CHOICES]; /* < 0: * */
} reader;

static int bad(reader *r, const char *what, const char *value) {
  return sw_fail(r->err, SW_DATA, "%s:%d: %s%s%s%s", r->path, r->line, what,
                 *value ? " `" : "", value, *value ? "`" : "");
}

static int limit(reader *r, const char *what, int most) {
  return sw_fail(r->err, SW_LIMIT, "%s:%d: more than %d %s", r->path, r->line,
                 most, what);
}

static const char NO_WORD[] =
    "a word is too long, empty or not closed, or has a control character";

/* The next word of the line: 1, at its end 0, and -1 when it is none. A
 * literal is quoted; `:` and `|` stand by themselves. */
static int next_word(reader *r) {
  size_t length = 0;
  while (*r->at == ' ' || *r->at == '\t') r->at++;
  r->quoted = *r->at == '"';
  if (!*r->at || sw_is_line_end(*r->at) || *r->at == '#') return 0;
  if (*r->at == ':' || *r->at == '|') {
    r->word[0] = *r->at++;
    r->word[1] = 0;
    return 1;
  }
  if (r->quoted) r->at++;
  while (*r->at && !sw_is_line_end(*r->at) &&
         (r->quoted ? *r->at != '"' : !strchr(" \t\r:|\"#", *r->at))) {
    /* Words and names are printed: no blanks, no control characters. */
    size_t n = *r->at == ' ' ? 0 : sw_plain_length(r->at, 4);
    if (!n || length + n >= SW_GRAMMAR_NAME) return -1;
    for (; n; n--) r->word[length++] = *r->at++;
  }
  if (r->quoted && *r->at++ != '"') return -1;
  r->word[length] = 0;
  return length ? 1 : -1;
}

static int expect_word(reader *r, const char *what) {
  int got = next_word(r);
  if (got < 0) return bad(r, NO_WORD, "");
  return got ? SW_OK : bad(r, "the line ends before", what);
}

static int expect_mark(reader *r, const char *mark) {
  SW_TRY(expect_word(r, mark));
  return r->quoted || strcmp(r->word, mark) ? bad(r, "expected", mark) : SW_OK;
}

static int find_symbol(const sw_grammar *g, const char *name) {
  for (int i = 0; i < g->symbols; i++)
    if (!strcmp(g->symbol[i].name, name)) return i;
  return -1;
}

int sw_grammar_find_input(const sw_grammar *g, const char *word,
                          size_t length) {
  for (int i = 0; i < g->inputs; i++)
    if (strlen(g->input[i]) == length && !memcmp(g->input[i], word, length))
      return i;
  return -1;
}

static int add_symbol(reader *r, const char *name, int rule, uint64_t words) {
  sw_grammar *g = r->g;
  if (find_symbol(g, name) >= 0) return bad(r, "declared twice:", name);
  if (g->symbols == SW_GRAMMAR_SYMBOLS)
    return limit(r, "rules and terminals", SW_GRAMMAR_SYMBOLS);
  sw_grammar_symbol *s = &g->symbol[g->symbols++];
  snprintf(s->name, sizeof s->name, "%s", name);
  s->rule = rule;
  s->words = words;
  return SW_OK;
}

static int add_input(reader *r, const char *word, uint64_t *bit) {
  sw_grammar *g = r->g;
  if (sw_grammar_find_input(g, word, strlen(word)) >= 0)
    return bad(r, "input word used twice:", word);
  if (g->inputs == SW_GRAMMAR_INPUTS)
    return limit(r, "input words", SW_GRAMMAR_INPUTS);
  snprintf(g->input[g->inputs], SW_GRAMMAR_NAME, "%s", word);
  *bit = (uint64_t)1 << g->inputs++;
  return SW_OK;
}

static int declare_rule(reader *r, sw_rule_kind kind) {
  sw_grammar *g = r->g;
  SW_TRY(expect_word(r, "a rule's name"));
  if (r->quoted || strchr(":|", r->word[0]))
    return bad(r, "not a rule's name:", r->word);
  SW_TRY(add_symbol(r, r->word, g->rules, 0));
  g->rule[g->rules] =
      (sw_grammar_rule){.kind = kind, .low = 1, .high = 3, .line = r->line};
  g->rules++;
  return SW_OK;
}

/* Pass 1: names of rules, in order. */
static int declare_rules(reader *r) {
  if (!strcmp(r->word, "rule")) return declare_rule(r, SW_RULE_CHOICE);
  if (!strcmp(r->word, "list")) return declare_rule(r, SW_RULE_LIST);
  if (strcmp(r->word, "class") && strcmp(r->word, "start") &&
      strcmp(r->word, "weights") && strcmp(r->word, "depth")) {
    bad(r, "unknown statement", r->word);
    return sw_hint(r->err,
                   "a line starts with class, start, rule, list, weights or "
                   "depth");
  }
  return SW_OK;
}

/* Pass 2: classes with their words. */
static int declare_classes(reader *r) {
  char name[SW_GRAMMAR_NAME];
  uint64_t words = 0, bit;
  int got;
  if (strcmp(r->word, "class")) return SW_OK;
  SW_TRY(expect_word(r, "a class's name"));
  memcpy(name, r->word, sizeof name);
  SW_TRY(expect_mark(r, ":"));
  while ((got = next_word(r)) > 0) {
    SW_TRY(add_input(r, r->word, &bit));
    words |= bit;
  }
  if (got < 0) return bad(r, NO_WORD, "");
  if (!words) return bad(r, "a class without words:", name);
  return add_symbol(r, name, -1, words);
}

/* The symbol of the current word; a new literal is declared on the way. */
static int item_symbol(reader *r, int *symbol) {
  sw_grammar *g = r->g;
  if (!r->quoted) {
    *symbol = find_symbol(g, r->word);
    if (*symbol >= 0) return SW_OK;
    bad(r, "unknown rule or class", r->word);
    return sw_hint(r->err, "a literal word is written in double quotes");
  }
  for (*symbol = g->rules; *symbol < g->symbols; ++*symbol)
    if (!strcmp(g->symbol[*symbol].name, r->word)) return SW_OK;
  uint64_t bit;
  int known = sw_grammar_find_input(g, r->word, strlen(r->word));
  if (known >= 0) bit = (uint64_t)1 << known; /* one word of a class */
  else SW_TRY(add_input(r, r->word, &bit));
  return add_symbol(r, r->word, -1, bit);
}

static int add_item(reader *r, sw_grammar_alt *alt) {
  int symbol;
  SW_TRY(item_symbol(r, &symbol));
  if (r->g->items == SW_GRAMMAR_ITEMS)
    return limit(r, "symbols in rules", SW_GRAMMAR_ITEMS);
  r->g->item[r->g->items++] = (int16_t)symbol;
  alt->count++;
  return SW_OK;
}

static int begin_alt(reader *r, sw_grammar_rule *rule, sw_grammar_alt **alt) {
  sw_grammar *g = r->g;
  if (rule->count == SW_GRAMMAR_CHOICES)
    return limit(r, "alternatives of a rule", SW_GRAMMAR_CHOICES);
  if (g->alts == SW_GRAMMAR_ALTS)
    return limit(r, "alternatives", SW_GRAMMAR_ALTS);
  *alt = &g->alt[g->alts++];
  (*alt)->first = g->items;
  rule->count++;
  return SW_OK;
}

static int read_rule(reader *r, sw_grammar_rule *rule) {
  sw_grammar_alt *alt = NULL;
  int got;
  rule->first = r->g->alts;
  SW_TRY(begin_alt(r, rule, &alt));
  while ((got = next_word(r)) > 0) {
    if (!r->quoted && !strcmp(r->word, "|")) {
      if (!alt->count) return bad(r, "an alternative is empty", "");
      SW_TRY(begin_alt(r, rule, &alt));
    } else {
      SW_TRY(add_item(r, alt));
    }
  }
  if (got < 0) return bad(r, NO_WORD, "");
  if (!alt->count) return bad(r, "an alternative is empty", "");
  if (rule->count == 1) rule->kind = SW_RULE_SEQUENCE;
  if (rule->count > r->g->choices) r->g->choices = rule->count;
  return SW_OK;
}

static int read_number(reader *r, long low, long high, int *value) {
  int64_t number;
  if (!sw_text_integer(r->word, low, high, &number))
    return sw_fail(r->err, SW_DATA, "%s:%d: `%s` is not a number in %ld..%ld",
                   r->path, r->line, r->word, low, high);
  *value = (int)number;
  return SW_OK;
}

static int read_list(reader *r, sw_grammar_rule *rule) {
  sw_grammar_alt *alt = NULL;
  rule->first = r->g->alts;
  SW_TRY(begin_alt(r, rule, &alt));
  SW_TRY(expect_word(r, "the item"));
  SW_TRY(add_item(r, alt));
  SW_TRY(expect_word(r, "the separator"));
  SW_TRY(add_item(r, alt));
  if (r->g->symbol[r->g->item[alt->first + 1]].rule >= 0)
    return bad(r, "the separator must be a terminal, not", r->word);
  int got = next_word(r);
  if (got <= 0) return got ? bad(r, "a word is too long", "") : SW_OK;
  SW_TRY(read_number(r, 1, 16, &rule->low));
  SW_TRY(expect_word(r, "the longest length"));
  return read_number(r, rule->low, 16, &rule->high);
}

static int read_weights(reader *r, int index) {
  sw_grammar_rule *rule = &r->g->rule[index];
  int got;
  if (rule->weighted) return bad(r, "weights given twice", "");
  while ((got = next_word(r)) > 0) {
    int alternative = 0;
    double weight = -1; /* the `*` */
    if (rule->weighted == SW_GRAMMAR_CHOICES)
      return limit(r, "weights", SW_GRAMMAR_CHOICES);
    SW_TRY(read_number(r, 0, rule->count - 1, &alternative));
    SW_TRY(expect_word(r, "a weight"));
    if (strcmp(r->word, "*") &&
        (!sw_text_is_real(r->word, &weight) || weight < 0 || weight > 1e6))
      return bad(r, "not a weight:", r->word);
    for (int i = 0; i < rule->weighted; i++)
      if (rule->order[i] == alternative)
        return bad(r, "two weights for one alternative", "");
    rule->order[rule->weighted] = alternative;
    r->weight[index][rule->weighted++] = weight;
  }
  return got < 0 ? bad(r, NO_WORD, "") : SW_OK;
}

/* Pass 3: right-hand sides and settings. */
static int read_bodies(reader *r) {
  char statement[SW_GRAMMAR_NAME];
  memcpy(statement, r->word, sizeof statement);
  if (!strcmp(statement, "class")) return SW_OK;
  SW_TRY(expect_word(r, "a name"));
  if (!strcmp(statement, "depth")) return read_number(r, 0, 12, &r->g->depth);
  int symbol = find_symbol(r->g, r->word);
  if (symbol < 0 || r->g->symbol[symbol].rule < 0)
    return bad(r, "unknown rule", r->word);
  int index = r->g->symbol[symbol].rule;
  if (!strcmp(statement, "start")) return r->g->start = symbol, SW_OK;
  SW_TRY(expect_mark(r, ":"));
  if (!strcmp(statement, "rule")) return read_rule(r, &r->g->rule[index]);
  if (!strcmp(statement, "list")) return read_list(r, &r->g->rule[index]);
  return read_weights(r, index);
}

static int each_line(reader *r, const char *text, int (*act)(reader *)) {
  r->line = 0;
  for (const char *line = text; *line;) {
    r->line++;
    r->at = line;
    int got = next_word(r);
    if (got < 0) return bad(r, NO_WORD, "");
    if (got) SW_TRY(act(r));
    line += strcspn(line, "\r\n");
    line += line[0] == '\r' && line[1] == '\n' ? 2 : line[0] != 0;
  }
  return SW_OK;
}

/* Explicit weights, what is left to 1 shared by the `*` entries, normalised
 * and cumulated, all in the order written. */
static void share_weights(sw_grammar_rule *rule, const double *given) {
  double weight[SW_GRAMMAR_CHOICES], sum = 0, total = 0, running = 0;
  int stars = 0;
  if (!rule->weighted) {
    rule->weighted = rule->count;
    for (int i = 0; i < rule->count; i++) {
      rule->order[i] = i;
      weight[i] = 1;
    }
  } else {
    for (int i = 0; i < rule->weighted; i++) {
      stars += given[i] < 0;
      sum += given[i] < 0 ? 0 : given[i];
    }
    for (int i = 0; i < rule->weighted; i++) {
      double scale = stars && sum >= 1 ? 0.8 / sum : 1;
      double rest =
          sum < 1 ? (1 - sum) / (stars ? stars : 1) : 0.2 / (stars ? stars : 1);
      weight[i] = given[i] < 0 ? rest : given[i] * scale;
    }
  }
  for (int i = 0; i < rule->weighted; i++) total += weight[i];
  int kept = 0;
  for (int i = 0; i < rule->weighted; i++) {
    if (weight[i] <= 0) continue;
    running += weight[i] / total;
    rule->order[kept] = rule->order[i];
    rule->share[kept++] = running;
  }
  rule->weighted = kept;
}

static int read_all(reader *r, const char *text) {
  SW_TRY(each_line(r, text, declare_rules));
  if (!r->g->rules) return sw_fail(r->err, SW_DATA, "%s: no rule", r->path);
  SW_TRY(each_line(r, text, declare_classes));
  SW_TRY(each_line(r, text, read_bodies));
  for (int i = 0; i < r->g->rules; i++) {
    share_weights(&r->g->rule[i], r->weight[i]);
    if (!r->g->rule[i].weighted)
      return sw_fail(r->err, SW_DATA, "%s:%d: all weights are zero", r->path,
                     r->g->rule[i].line);
  }
  return sw_grammar_finish(r->g, r->path, r->err);
}

int sw_grammar_read(sw_grammar **grammar, const char *path, const char *text,
                    sw_err *err) {
  reader *r = calloc(1, sizeof *r);
  *grammar = calloc(1, sizeof **grammar);
  if (!r || !*grammar) {
    free(r);
    free(*grammar);
    *grammar = NULL;
    return sw_no_memory(err);
  }
  r->g = *grammar;
  r->g->depth = 4;
  r->path = path;
  r->err = err;
  int code = read_all(r, text);
  free(r);
  if (code) {
    free(*grammar);
    *grammar = NULL;
  }
  return code;
}

int sw_grammar_load(sw_grammar **grammar, const char *path, sw_err *err) {
  char *text;
  size_t bytes;
  if (!path || !*path)
    return sw_grammar_read(grammar, "published grammar", sw_grammar_published,
                           err);
  *grammar = NULL;
  if (!strcmp(path, SW_PATH_WITHHELD)) {
    sw_fail(err, SW_USAGE, "the model was trained with a grammar file");
    return sw_hint(err, "name it: --grammar FILE");
  }
  SW_TRY(sw_read_file(path, SW_GRAMMAR_BYTES, &text, &bytes, err));
  const char *zero = memchr(text, 0, bytes);
  int code = zero ? sw_fail(err, SW_DATA, "%s: a zero byte at offset %lld",
                            path, (long long)(zero - text))
                  : sw_grammar_read(grammar, path, text, err);
  free(text);
  return code;
}
