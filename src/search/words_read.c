/* Reading conversations back (see words.h): headings cut a message into parts,
 * the greedy reader turns each part into tokens, and an assistant's number is
 * the token of that choice. Whatever does not read is an error that names the
 * message and the text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "search/words.h"
#include "search/words_text.h"

typedef struct entry {
  char text[SW_PHRASE_ROOM];
  size_t length;
  int32_t token;
} entry;

struct sw_language {
  const sw_domain *domain;
  entry *phrase, *choice; /* by first two characters, longest first */
  int32_t vocab;
  char *rules;
};

static int by_start(const void *a, const void *b) {
  const entry *x = a, *y = b;
  int order = strncmp(x->text, y->text, 2);
  if (order) return order;
  if (x->length != y->length) return x->length > y->length ? -1 : 1;
  return (x->token > y->token) - (x->token < y->token);
}

static int by_text(const void *a, const void *b) {
  return strcmp(((const entry *)a)->text, ((const entry *)b)->text);
}

int sw_language_new(sw_language **out, const sw_domain *domain,
                    const sw_domain_options *options, sw_err *err) {
  *out = NULL;
  if (!domain->lexicon)
    return sw_fail(err, SW_USAGE, "domain `%s` has no words", domain->name);
  sw_language *l = calloc(1, sizeof *l);
  if (!l) return sw_no_memory(err);
  l->domain = domain;
  l->vocab = domain->vocab_size(options);
  l->phrase = calloc((size_t)l->vocab, sizeof *l->phrase);
  l->choice = calloc((size_t)l->vocab, sizeof *l->choice);
  int code = l->phrase && l->choice ? SW_OK : sw_no_memory(err);
  if (!code) code = sw_words_rules(domain, options, &l->rules, err);
  if (code) {
    sw_language_free(l);
    return code;
  }
  for (int32_t t = 0; t < l->vocab; t++) {
    domain->lexicon->phrase(domain, t, l->phrase[t].text, SW_PHRASE_ROOM);
    domain->lexicon->choice(domain, t, l->choice[t].text, SW_PHRASE_ROOM);
    l->phrase[t].token = l->choice[t].token = t;
    l->phrase[t].length = strlen(l->phrase[t].text);
    l->choice[t].length = strlen(l->choice[t].text);
  }
  qsort(l->phrase, (size_t)l->vocab, sizeof *l->phrase, by_start);
  qsort(l->choice, (size_t)l->vocab, sizeof *l->choice, by_text);
  *out = l;
  return SW_OK;
}

void sw_language_free(sw_language *l) {
  if (!l) return;
  free(l->phrase);
  free(l->choice);
  free(l->rules);
  free(l);
}

/* First entry whose first two characters are not before those of `at`. */
static int32_t lower(const sw_language *l, const char *at) {
  int32_t low = 0, high = l->vocab;
  while (low < high) {
    int32_t middle = (low + high) / 2;
    if (strncmp(l->phrase[middle].text, at, 2) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* The longest phrase at the beginning of the text, or NULL. A phrase of one
 * character sorts before those it begins, so both places are looked at. */
static const entry *longest(const sw_language *l, const char *at, size_t left) {
  char two[3] = {at[0], left > 1 ? at[1] : 0, 0}, one[3] = {at[0], 0, 0};
  const char *starts[] = {two, one};
  for (int k = 0; k < 2; k++) {
    if (k && !two[1]) break;
    for (int32_t i = lower(l, starts[k]);
         i < l->vocab && !strncmp(l->phrase[i].text, starts[k], 2); i++) {
      const entry *e = &l->phrase[i];
      if (e->length && e->length <= left && !memcmp(e->text, at, e->length))
        return e;
    }
  }
  return NULL;
}

int sw_language_read(const sw_language *l, const char *text, size_t bytes,
                     sw_trace *trace, sw_err *err) {
  for (size_t at = 0; at < bytes;) {
    const entry *e = longest(l, text + at, bytes - at);
    if (!e) {
      size_t show = bytes - at < 40 ? bytes - at : 40;
      return sw_fail(err, SW_DATA,
                     "`%.*s` is not said in the language of domain `%s`",
                     (int)show, text + at, l->domain->name);
    }
    sw_trace_put(trace, e->token, 0);
    at += e->length;
  }
  return trace->failed ? sw_no_memory(err) : SW_OK;
}

/* ---- one user message ---- */

/* The next empty line; not strstr, which reads to the text's end under the
 * address sanitizer. */
static const char *empty_line(const char *at) {
  while ((at = strchr(at, '\n')) && at[1] != '\n') at++;
  return at;
}

/* The next heading behind an empty line at or after `at` (`first`: at `at`
 * itself): its name's index, or -1; *text is behind it, *begin where the part
 * before it ends. Looks at no byte behind it, so that a message of many parts
 * is read in one pass. */
static int next_part(const char *at, int first, const char **begin,
                     const char **text) {
  static const char *const names[] = {SW_HEAD_PROBLEM, SW_HEAD_THEN,
                                      SW_HEAD_OPENED, SW_HEAD_SITUATION,
                                      SW_HEAD_CHOICES};
  if (!first) at = empty_line(at);
  for (; at; at = empty_line(at + 1)) {
    const char *head = first ? at : at + 2;
    for (int i = 0; i < 5; i++) {
      size_t length = strlen(names[i]);
      if (strncmp(head, names[i], length) || head[length] != '\n') continue;
      *begin = at;
      *text = head + length + 1;
      return i;
    }
    if (first) break;
  }
  return -1;
}

static int32_t choice_token(const sw_language *l, const char *text,
                            size_t length) {
  entry key = {.token = 0};
  if (length >= sizeof key.text) return -1;
  memcpy(key.text, text, length);
  const entry *found =
      bsearch(&key, l->choice, (size_t)l->vocab, sizeof *l->choice, by_text);
  return found ? found->token : -1;
}

static int read_choices(const sw_language *l, const char *text,
                        int32_t *candidate, int32_t *count, sw_err *err) {
  *count = 0;
  while (strcmp(text, SW_WORDS_ASK)) {
    char *rest;
    size_t line = strcspn(text, "\n");
    long number = sw_is_digit(*text) ? strtol(text, &rest, 10) : 0;
    int32_t token = -1;
    if (number == *count + 1 && !strncmp(rest, ". ", 2) && text[line] &&
        *count < SW_WORDS_CHOICES)
      token = choice_token(l, rest + 2, (size_t)(text + line - rest - 2));
    if (token < 0)
      return sw_fail(err, SW_DATA,
                     "`%.*s` is not choice number %d of domain"
                     " `%s`",
                     (int)(line < 60 ? line : 60), text, (int)*count + 1,
                     l->domain->name);
    candidate[(*count)++] = token;
    text += line + 1;
  }
  return *count ? SW_OK : sw_fail(err, SW_DATA, "there is no choice");
}

enum { PROBLEM, THEN, OPENED, SITUATION, CHOICES };

/* May a part of this kind follow what has been read? */
static int in_order(int kind, int previous, int64_t blocks, int32_t answer) {
  if (kind == PROBLEM) return blocks == 0;
  if (blocks == 0) return 0;
  if (kind == THEN || kind == OPENED) return previous < 0 && answer >= 0;
  return 1;
}

/* `answer` is the token of the answer before this message (-1: none), which is
 * not in the trace yet: the message says whether it opened a block. */
static int read_user(const sw_language *l, const char *message, int32_t answer,
                     sw_trace *trace, int32_t *candidate, int32_t *count,
                     sw_err *err) {
  const char *begin = message, *text = message;
  int previous = -1, kind = next_part(message, 1, &begin, &text);
  if (answer >= 0) {
    if (kind == OPENED) sw_trace_begin_block(trace);
    sw_trace_put(trace, answer, 0);
  }
  while (kind >= 0 && kind != CHOICES) {
    const char *end = NULL, *after = NULL;
    int next = next_part(text, 0, &end, &after);
    if (!in_order(kind, previous, trace->blocks, answer) || next < 0) break;
    if (kind == PROBLEM || kind == SITUATION) sw_trace_begin_block(trace);
    SW_TRY(sw_language_read(l, text, (size_t)(end - text), trace, err));
    previous = kind;
    kind = next;
    text = after;
  }
  if (kind != CHOICES)
    return sw_fail(err, SW_DATA, "`%.40s` is not how a question is written",
                   text);
  if (trace->blocks < 2)
    return sw_fail(err, SW_DATA, "no problem or situation came before");
  return read_choices(l, text, candidate, count, err);
}

/* ---- the whole ---- */

int sw_language_owns(const sw_language *l, const sw_messages *m) {
  return m->count && m->item[0].role == SW_SYSTEM &&
         !strcmp(m->item[0].text, l->rules);
}

static int read_answer(const char *text, const int32_t *candidate,
                       int32_t count, int32_t *token, sw_err *err) {
  char *end;
  long number = strtol(text, &end, 10);
  while (sw_is_space(*end)) end++;
  if (end == text || *end || number < 1 || number > count)
    return sw_fail(err, SW_DATA, "`%.40s` is not the number of a choice", text);
  *token = candidate[number - 1];
  return SW_OK;
}

int sw_words_read(const sw_language *l, const sw_messages *m, sw_trace *trace,
                  int32_t *candidate, int32_t *count, sw_err *err) {
  int32_t i = 0, answer = -1;
  sw_trace_clear(trace);
  *count = 0;
  if (m->count && m->item[0].role == SW_SYSTEM) {
    if (!sw_language_owns(l, m)) {
      sw_fail(err, SW_DATA,
              "the system message is not the rules of domain `%s`"
              " as this model plays it",
              l->domain->name);
      return sw_hint(err, "a model's format and options are part of the rules");
    }
    i++;
  }
  int32_t first = i;
  if (i == m->count || m->item[m->count - 1].role != SW_USER)
    return sw_fail(err, SW_DATA, "the last message asks no question");
  for (; i < m->count; i++) {
    sw_role want = (i - first) % 2 ? SW_ASSISTANT : SW_USER;
    int code = SW_OK;
    if (m->item[i].role != want)
      code = sw_fail(err, SW_DATA, "it is the %s's turn", sw_role_name(want));
    else if (want == SW_USER)
      code =
          read_user(l, m->item[i].text, answer, trace, candidate, count, err);
    else code = read_answer(m->item[i].text, candidate, *count, &answer, err);
    if (code) {
      sw_context(err, "message %d", (int)i + 1);
      return code;
    }
  }
  return trace->failed ? sw_no_memory(err) : SW_OK;
}
