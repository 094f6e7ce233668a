/* Canonical text of questions (see question.h). */
#include "search/question.h"

#include <stdlib.h>
#include <string.h>

/* Options whose neutral value is not their default, and those (NULL) that
 * change no answer. */
static const struct {
  sw_question_kind kind;
  const char *option, *neutral;
} special[] = {
    {SW_ASKS_SEARCH, "verifier", "model"}, /* of an empty text */
    {SW_ASKS_SEARCH, "width", NULL},
    {SW_ASKS_MEASURE, "domain", NULL}, /* only checked against the model's */
    {SW_ASKS_MEASURE, "model", NULL},  /* who is asked */
    {SW_ASKS_MEASURE, "into", NULL},
    {SW_ASKS_MEASURE, "out", NULL},
    {SW_ASKS_MEASURE, "threads", NULL},
    {SW_ASKS_MEASURE, "progress", NULL},
    {SW_ASKS_MEASURE, "json", NULL},
};
enum { SPECIAL = sizeof special / sizeof *special };

/* Settings that say the same as another. */
static const struct {
  sw_question_kind kind;
  const char *option, *value, *means, *to;
} synonym[] = {
    {SW_ASKS_SEARCH, "loop", "masked", "verifier", "exact"},
    {SW_ASKS_SEARCH, "loop", "open", "verifier", "model"},
};
enum { SYNONYMS = sizeof synonym / sizeof *synonym };

static int special_of(sw_question_kind kind, const char *option) {
  for (int i = 0; i < SPECIAL; i++)
    if (special[i].kind == kind && !strcmp(special[i].option, option)) return i;
  return -1;
}

int sw_question_silent(sw_question_kind kind, const char *option) {
  int at = special_of(kind, option);
  return at >= 0 && !special[at].neutral;
}

const char *sw_question_neutral(sw_question_kind kind,
                                const sw_option *option) {
  int at = special_of(kind, option->name);
  return at >= 0 && special[at].neutral ? special[at].neutral
                                        : option->fallback;
}

const char *sw_question_meaning(sw_question_kind kind, const char *option,
                                const char *value) {
  for (int i = 0; i < SYNONYMS; i++)
    if (synonym[i].kind == kind && !strcmp(synonym[i].option, option) &&
        !strcmp(synonym[i].value, value))
      return synonym[i].to;
  return NULL;
}

const char *sw_question_short(sw_question_kind kind, const char *option,
                              const char *value) {
  for (int i = 0; i < SYNONYMS; i++)
    if (synonym[i].kind == kind && !strcmp(synonym[i].means, option) &&
        !strcmp(synonym[i].to, value))
      return synonym[i].value;
  return NULL;
}

/* ---- one setting ---- */

enum { VALUE = 400 };
typedef struct setting {
  sw_question_kind kind;
  const sw_option *row; /* NULL: no table has it */
  const char *name, *value;
} setting;

static void resolve(setting *s, const sw_question_table *table, int tables) {
  for (int t = 0; t < tables; t++) {
    for (int i = 0; i < SYNONYMS; i++)
      if (synonym[i].kind == table[t].kind &&
          !strcmp(synonym[i].option, s->name) &&
          !strcmp(synonym[i].value, s->value)) {
        s->name = synonym[i].means;
        s->value = synonym[i].to;
      }
    s->row = sw_options_find(table[t].row, table[t].count, s->name);
    s->kind = table[t].kind;
    if (s->row) break;
  }
  if (s->row) s->name = s->row->name; /* '-' and '_' are the same */
}

/* The value as its table prints it: "1e3" and "1000" are one number. A value
 * that the option does not take stays as it is. */
static const char *canonical(const setting *s, const char *value,
                             char text[VALUE]) {
  _Alignas(8) unsigned char room[sizeof(sw_list)];
  sw_option alone = *s->row;
  memset(room, 0, sizeof room);
  alone.offset = 0;
  if (alone.kind == SW_TEXT || alone.kind == SW_LIST ||
      sw_options_set(&alone, 1, alone.name, value, room, NULL))
    return value;
  sw_option_text(&alone, room, text, VALUE);
  return text;
}

static int lies_over(sw_question_kind kind) {
  return kind == SW_ASKS_TASK || kind == SW_ASKS_TRAINING;
}

static int says_nothing(const setting *s) {
  char value[VALUE], neutral[VALUE];
  if (!s->row) return 0;
  if (sw_question_silent(s->kind, s->name)) return 1;
  return !lies_over(s->kind) &&
         !strcmp(canonical(s, s->value, value),
                 canonical(s, sw_question_neutral(s->kind, s->row), neutral));
}

/* Blanks, brackets and what quotes them are told apart from the text's own. */
static void put(FILE *out, const char *text) {
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c <= ' ' || c == '(' || c == ')' || c == '%' || c == 127)
      fprintf(out, "%%%02x", c);
    else putc(c, out);
  }
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const setting *)a)->name, ((const setting *)b)->name);
}

/* ---- a text ---- */

int sw_question_begin(sw_question_text *q, sw_err *err) {
  q->text = NULL;
  q->out = open_memstream(&q->text, &q->bytes);
  return q->out ? SW_OK : sw_no_memory(err);
}

void sw_question_word(sw_question_text *q, const char *label,
                      const char *value) {
  if (!value) return;
  fprintf(q->out, "%s(", label);
  put(q->out, value);
  fputs(") ", q->out);
}

/* The settings that say something, each name once. */
static int gather(setting *list, const sw_question_table *table, int tables,
                  const char *const *pair) {
  int count = 0, kept = 0;
  for (; pair && pair[0]; pair += 2) {
    setting one = {.name = pair[0], .value = pair[1]};
    int at = 0;
    resolve(&one, table, tables);
    while (at < count && strcmp(list[at].name, one.name)) at++;
    list[at] = one;
    count += at == count;
  }
  for (int i = 0; i < count; i++)
    if (!says_nothing(&list[i])) list[kept++] = list[i];
  qsort(list, (size_t)kept, sizeof *list, by_name);
  return kept;
}

int sw_question_settings(sw_question_text *q, const char *label,
                         const sw_question_table *table, int tables,
                         const char *const *pair, sw_err *err) {
  size_t pairs = 0;
  while (pair && pair[pairs]) pairs++;
  setting *list = malloc(sizeof *list * (pairs / 2 + 1));
  if (!list) return sw_no_memory(err);
  int count = gather(list, table, tables, pair);
  if (count) fprintf(q->out, "%s(", label);
  for (int i = 0; i < count; i++) {
    char value[VALUE];
    if (i) putc(' ', q->out);
    put(q->out, list[i].name);
    putc('=', q->out);
    put(q->out, list[i].row ? canonical(&list[i], list[i].value, value)
                            : list[i].value);
  }
  if (count) fputs(") ", q->out);
  free(list);
  return SW_OK;
}

int sw_question_end(sw_question_text *q, char **text, sw_err *err) {
  int failed = ferror(q->out);
  failed |= fclose(q->out) != 0 || !q->text;
  *text = NULL;
  if (failed) {
    free(q->text);
    return sw_no_memory(err);
  }
  *text = q->text;
  return SW_OK;
}
