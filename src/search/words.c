/* Messages, the list of questions, and writing a search in words (see
 * words.h). Reading is in words_read.c. */
#include "search/words.h"

#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/grow.h"
#include "search/words_text.h"

const char *sw_role_name(sw_role role) {
  static const char *const names[] = {"system", "user", "assistant"};
  return names[role];
}

/* ---- messages ---- */

void sw_messages_free(sw_messages *m) {
  for (int32_t i = 0; i < m->count; i++) free(m->item[i].text);
  free(m->item);
  memset(m, 0, sizeof *m);
}

void sw_messages_add(sw_messages *m, sw_role role, const char *text,
                     size_t bytes) {
  if (m->failed || !sw_grow(&m->item, &m->room, m->count + 1, sizeof *m->item))
    m->failed = 1;
  char *copy = m->failed ? NULL : malloc(bytes + 1);
  if (!copy) {
    m->failed = 1;
    return;
  }
  memcpy(copy, text, bytes);
  copy[bytes] = 0;
  m->item[m->count++] = (sw_message){role, copy};
}

static const char *const FLAT[] = {"### System\n", "### User\n",
                                   "### Assistant\n"};

char *sw_messages_flat(const sw_messages *m) {
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) return NULL;
  for (int32_t i = 0; i < m->count; i++)
    fprintf(out, "%s%s\n", FLAT[m->item[i].role], m->item[i].text);
  fputs(FLAT[SW_ASSISTANT], out);
  return sw_memory_close(out, &text) ? text : NULL;
}

/* The heading that a line starts with, or -1. */
static int heading(const char *line) {
  for (int r = 0; r < 3; r++)
    if (!strncmp(line, FLAT[r], strlen(FLAT[r]))) return r;
  return -1;
}

int sw_messages_split(sw_messages *m, const char *prompt, sw_err *err) {
  const char *at = prompt;
  int role = heading(at);
  if (role < 0) {
    sw_fail(err, SW_DATA,
            "the prompt does not begin with `### System` or"
            " `### User`");
    return sw_hint(err, "docs/audit.md shows what this endpoint reads");
  }
  while (role >= 0) {
    const char *text = at + strlen(FLAT[role]), *end = text;
    int next = *end ? heading(end) : -1;
    while (*end && next < 0) {
      end += strcspn(end, "\n");
      if (*end) next = heading(++end);
    }
    size_t bytes = (size_t)(end - text);
    if (bytes && next >= 0 && text[bytes - 1] == '\n') bytes--;
    /* The open turn of the assistant at the end is no message. */
    if (*end || role != SW_ASSISTANT || bytes)
      sw_messages_add(m, (sw_role)role, text, bytes);
    at = end;
    role = *end ? next : -1;
  }
  return m->failed ? sw_no_memory(err) : SW_OK;
}

/* ---- questions ---- */

void sw_asked_free(sw_asked *a) {
  free(a->position);
  free(a->first);
  free(a->token);
  memset(a, 0, sizeof *a);
}

void sw_asked_clear(sw_asked *a) { a->count = 0; }

int sw_asked_note(sw_asked *a, int64_t position, const sw_cand *cands,
                  int count) {
  int32_t used = a->count ? a->first[a->count] : 0;
  if (!sw_grow(&a->position, &a->room, a->count + 1, sizeof *a->position) ||
      !sw_grow(&a->first, &a->first_room, a->count + 2, sizeof *a->first) ||
      !sw_grow(&a->token, &a->token_room, used + count, sizeof *a->token))
    return 0;
  a->position[a->count] = position;
  a->first[a->count] = used;
  for (int i = 0; i < count; i++) a->token[used + i] = cands[i].token;
  a->first[++a->count] = used + count;
  return 1;
}

/* ---- writing ---- */

typedef struct teller {
  const sw_told *told;
  sw_messages *out;
  FILE *file; /* the open user message */
  char *text;
  size_t bytes;
  int parts; /* of the open message */
} teller;

static int open_message(teller *t, sw_err *err) {
  t->parts = 0;
  t->file = open_memstream(&t->text, &t->bytes);
  return t->file ? SW_OK : sw_no_memory(err);
}

static int close_message(teller *t, sw_err *err) {
  int failed = !sw_memory_close(t->file, &t->text);
  t->file = NULL;
  if (!failed) sw_messages_add(t->out, SW_USER, t->text, t->bytes);
  free(t->text);
  t->text = NULL;
  return failed || t->out->failed ? sw_no_memory(err) : SW_OK;
}

static void part(teller *t, const char *name) {
  fprintf(t->file, "%s%s\n", t->parts++ ? "\n\n" : "", name);
}

/* Tokens [from, to) with a heading where a block begins, and at the beginning
 * when they go on with an open one. */
static void tell(teller *t, int64_t from, int64_t to) {
  const sw_trace *trace = t->told->trace;
  char phrase[SW_PHRASE_ROOM];
  if (from >= to) return;
  int64_t block = sw_trace_block_of(trace, from);
  for (int64_t i = from; i < to; i++) {
    while (block + 1 < trace->blocks && trace->block_start[block + 1] <= i)
      block++;
    if (trace->block_start[block] == i)
      part(t, block ? SW_HEAD_SITUATION : SW_HEAD_PROBLEM);
    else if (i == from && !t->parts) part(t, SW_HEAD_THEN);
    t->told->domain->lexicon->phrase(t->told->domain, trace->token[i], phrase,
                                     sizeof phrase);
    fputs(phrase, t->file);
  }
}

static void ask(teller *t, const int32_t *token, const sw_cand *cand,
                int32_t count) {
  char text[SW_PHRASE_ROOM];
  part(t, SW_HEAD_CHOICES);
  for (int32_t i = 0; i < count; i++) {
    int32_t at = t->told->reversed ? count - 1 - i : i;
    t->told->domain->lexicon->choice(
        t->told->domain, token ? token[at] : cand[at].token, text, sizeof text);
    fprintf(t->file, "%d. %s\n", (int)i + 1, text);
  }
  fputs(SW_WORDS_ASK, t->file);
}

/* The number in question q of the token that was taken. 0: the search did
 * something that was no choice, so there is no answer to tell. */
static int answer_of(const sw_told *told, int32_t q) {
  const sw_asked *a = told->asked;
  if (a->position[q] >= told->trace->length) return 0;
  int32_t done = told->trace->token[a->position[q]];
  for (int32_t i = a->first[q]; i < a->first[q + 1]; i++)
    if (a->token[i] == done)
      return (int)(told->reversed ? a->first[q + 1] - i : i - a->first[q] + 1);
  return 0;
}

static int tell_all(teller *t, int64_t from, sw_err *err) {
  const sw_told *told = t->told;
  const sw_asked *a = told->asked;
  SW_TRY(open_message(t, err));
  if (told->rebuilt && told->trace->blocks > 1)
    tell(t, 0, told->trace->block_start[1]);
  for (int32_t q = 0; a && q < a->count; q++) {
    int answer = a->position[q] > from ? answer_of(told, q) : 0;
    if (!answer) continue;
    char number[16];
    tell(t, from, a->position[q]);
    ask(t, a->token + a->first[q], NULL, a->first[q + 1] - a->first[q]);
    SW_TRY(close_message(t, err));
    int length = snprintf(number, sizeof number, "%d", answer);
    sw_messages_add(t->out, SW_ASSISTANT, number, (size_t)length);
    SW_TRY(open_message(t, err));
    from = a->position[q];
    if (told->trace->block_start[sw_trace_block_of(told->trace, from)] == from)
      part(t, SW_HEAD_OPENED);
    from++;
  }
  tell(t, from, told->trace->length);
  ask(t, NULL, told->cand, told->count);
  return close_message(t, err);
}

int sw_words_rules(const sw_domain *domain, const sw_domain_options *options,
                   char **text, sw_err *err) {
  size_t bytes;
  *text = NULL;
  FILE *out = open_memstream(text, &bytes);
  if (!out) return sw_no_memory(err);
  domain->lexicon->rules(options, out);
  fputs(SW_WORDS_MANNER, out);
  if (sw_memory_close(out, text)) return SW_OK;
  return sw_no_memory(err);
}

int sw_words_write(const sw_told *told, sw_messages *out, sw_err *err) {
  char *rules;
  const sw_trace *trace = told->trace;
  if (!told->domain->lexicon)
    return sw_fail(err, SW_USAGE, "domain `%s` has no words",
                   told->domain->name);
  SW_TRY(sw_words_rules(told->domain, told->options, &rules, err));
  sw_messages_add(out, SW_SYSTEM, rules, strlen(rules));
  free(rules);
  teller t = {.told = told, .out = out};
  int64_t from = told->rebuilt && trace->blocks > 1
                     ? trace->block_start[trace->blocks - 1]
                     : 0;
  int code = tell_all(&t, from, err);
  if (t.file && sw_memory_close(t.file, &t.text)) free(t.text);
  return code;
}
