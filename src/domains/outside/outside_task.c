/* Options, streams and instances of environments (see outside.h). An instance
 * is what the environment is asked for; its words and id are found out by
 * beginning its search once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/text.h"
#include "domains/outside/outside.h"
#include "domains/resolve.h"

/* clang-format off */
const sw_option sw_outside_table[] = {
  SW_TASK_ROW(preset, CHOICE, "preset", "fair", 0, 0, "fair|release", "only fair")
  SW_TASK_ROW(max_tokens, INT, "max-tokens", "-1", -1, 100000000, "", "longest trace in tokens; 0: no limit")
  SW_TASK_ROW(too_long, TEXT, "too-long", "", 0, 0, "", "what happens to longer traces: cut (at a block) or drop")
  SW_TASK_BLOCK_ROWS SW_TASK_EXCLUDE_ROWS
#define X(...) SW_OWN_ROW(sw_outside_options, __VA_ARGS__)
  SW_OUTSIDE_OPTIONS(X)
#undef X
};
/* clang-format on */
_Static_assert(sizeof sw_outside_table / sizeof *sw_outside_table ==
                   SW_OUTSIDE_TABLE_COUNT,
               "count the rows");

enum { USUAL_DECISIONS = 1000, USUAL_INSTANCES = 200, USUAL_BLOCKS = 64 };

/* ---- a file of problems ---- */

enum { HASH_BITS = 52, PROBLEMS_BYTES = 1 << 30 };

static int read_problems(const sw_domain_options *o, char **text, size_t *bytes,
                         sw_err *err) {
  return sw_read_file(sw_outside_own(o)->problems, PROBLEMS_BYTES, text, bytes,
                      err);
}

/* The next line that says something, its end cut off; NULL: none is left. */
static char *next_line(char **at) {
  while (**at) {
    char *line = *at, *end = line + strcspn(line, "\r\n");
    *at = *end ? end + 1 : end;
    *end = 0;
    if (*(line + strspn(line, " \t"))) return line;
  }
  return NULL;
}

static int64_t count_lines(char *text) {
  int64_t lines = 0;
  for (char *at = text; next_line(&at);) lines++;
  return lines;
}

static int hash_problems(sw_domain_options *o, sw_err *err) {
  sw_outside_options *own = sw_outside_own_edit(o);
  char *text;
  size_t bytes;
  own->problems_hash = 0;
  if (!own->problems) return SW_OK;
  SW_TRY(read_problems(o, &text, &bytes, err));
  own->problems_hash =
      (int64_t)(sw_xxh64(text, bytes, 0) >> (64 - HASH_BITS)) + 1;
  free(text);
  return SW_OK;
}

int sw_outside_resolve(sw_domain_options *o, sw_err *err) {
  static const char *const too_long[] = {"cut", "drop", NULL};
  const sw_outside *of = sw_outside_of(o->domain);
  sw_outside_options *own = sw_outside_own_edit(o);
  if (o->preset) {
    sw_fail(err, SW_USAGE, "`%s` has no preset but fair", of->name);
    return sw_hint(err, "leave --preset out");
  }
  SW_TRY(hash_problems(o, err));
  own->hello_hash = of->hash;
  o->format = "words";
  o->expert = "";
  if (o->max_blocks < 0) o->max_blocks = USUAL_BLOCKS;
  if (o->max_tokens < 0) o->max_tokens = 0;
  /* Excluding one instance excludes all that a data set was made of
   * (produce.c). Problems of a file cannot be drawn again. */
  if (o->exclude < 0) o->exclude = own->problems == NULL;
  return sw_resolve_text(&o->too_long, of->name, "too-long", too_long, "cut",
                         err);
}

void sw_outside_budgets(const sw_domain_options *o, int64_t *decisions,
                        int64_t *tokens, int64_t *instances) {
  const sw_outside *of = sw_outside_of(o->domain);
  *decisions = of->decisions > 0 ? of->decisions : USUAL_DECISIONS;
  *tokens = of->tokens;
  *instances = of->instances > 0 ? of->instances : USUAL_INSTANCES;
  char *text;
  size_t bytes;
  if (!sw_outside_own(o)->problems || read_problems(o, &text, &bytes, NULL))
    return;
  int64_t lines = count_lines(text);
  if (lines < *instances) *instances = lines;
  free(text);
}

/* ---- instances ---- */

int sw_outside_start(const sw_instance *i, void **search,
                     statewise_problem *problem, sw_err *err) {
  static const char *const splits[] = {"train", "valid", "test"};
  const sw_outside *of = i->of;
  statewise_task task = {.seed = i->seed, .index = i->index};
  *problem = (statewise_problem){0};
  if (i->text) task.problem = i->text;
  else task.split = splits[i->split];
  if (err) memset(err, 0, sizeof *err);
  int code = of->calls.start(of->calls.context, &task, search, problem,
                             (statewise_error *)(void *)err);
  if (code) return sw_outside_failed(code, "new", err);
  if (problem->problem) return SW_OK;
  of->calls.end(*search);
  *search = NULL;
  return sw_fail(err, SW_DATA, "the environment's new says no problem");
}

void sw_outside_instance_free(sw_instance *i) {
  if (!i) return;
  free(i->text);
  free(i->token);
  free(i->id);
  free(i);
}

/* What the environment says of the problem. */
static int fill_in(sw_instance *i, sw_err *err) {
  statewise_problem problem;
  void *search;
  SW_TRY(sw_outside_start(i, &search, &problem, err));
  int code = sw_outside_tokens(i->of, "new", problem.problem, &i->token,
                               &i->tokens, &i->room, err);
  if (!code && !i->tokens)
    code = sw_fail(err, SW_DATA,
                   "the environment's new says a problem without a word");
  if (!code) {
    i->id = strdup(problem.id ? problem.id : problem.problem);
    if (!i->id) code = sw_no_memory(err);
    else i->hash = sw_xxh64(i->id, strlen(i->id), 0);
  }
  i->of->calls.end(search);
  return code;
}

static int make(const sw_instance *wanted, const char *text,
                sw_instance **instance, sw_err *err) {
  sw_instance *i = *instance = malloc(sizeof *i);
  if (!i) return sw_no_memory(err);
  *i = *wanted;
  i->text = text ? strdup(text) : NULL;
  int code = text && !i->text ? sw_no_memory(err) : fill_in(i, err);
  if (!code) return SW_OK;
  sw_outside_instance_free(i);
  *instance = NULL;
  return code;
}

int sw_outside_parse(sw_instance **instance, const char *path, const char *text,
                     size_t bytes, const sw_domain_options *o, sw_err *err) {
  const sw_instance wanted = {.of = sw_outside_of(o->domain)};
  *instance = NULL;
  while (bytes && sw_is_space(text[bytes - 1])) bytes--;
  if (memchr(text, 0, bytes))
    return sw_fail(err, SW_DATA, "%s: a problem with a NUL byte", path);
  char *trimmed = strndup(text, bytes);
  if (!trimmed) return sw_no_memory(err);
  int code = make(&wanted, trimmed, instance, err);
  free(trimmed);
  return code ? sw_context(err, "%s", path) : SW_OK;
}

/* ---- streams ---- */

struct sw_stream {
  sw_instance next; /* what is asked for; no instance itself */
  sw_hashset left_out;
  int64_t met; /* left-out instances */
  char *text, *at;
  const char *path;
};

static int leave_out(sw_stream *s, const sw_domain_options *o, sw_err *err) {
  sw_domain_options made = *o; /* by the environment, not read from a file */
  if (!s->next.of->seeded || o->exclude <= 0) return SW_OK;
  sw_outside_own_edit(&made)->problems = NULL;
  return sw_leave_out_training(o->domain, &made, s->next.seed, &s->left_out,
                               err);
}

static int open_stream(sw_stream *s, const sw_domain_options *o, sw_err *err) {
  size_t bytes;
  s->path = sw_outside_own(o)->problems;
  if (!s->path && !s->next.of->seeded) {
    sw_fail(err, SW_USAGE, "`%s` makes no problems (`seed` is not in its has)",
            s->next.of->name);
    return sw_hint(err, "--problems FILE has one a line");
  }
  if (s->path) {
    SW_TRY(read_problems(o, &s->text, &bytes, err));
    if (strlen(s->text) != bytes)
      return sw_fail(err, SW_DATA, "%s: has a NUL byte", s->path);
    s->at = s->text;
  }
  return s->next.split == SW_SPLIT_TEST ? leave_out(s, o, err) : SW_OK;
}

int sw_outside_stream_new(sw_stream **stream, const sw_domain_options *o,
                          uint64_t seed, sw_split split, sw_err *err) {
  sw_stream *s = *stream = calloc(1, sizeof *s);
  if (!s) return sw_no_memory(err);
  s->next = (sw_instance){
      .of = sw_outside_of(o->domain), .split = split, .seed = seed};
  int code = open_stream(s, o, err);
  if (!code) return SW_OK;
  sw_outside_stream_free(s);
  *stream = NULL;
  return code;
}

void sw_outside_stream_free(sw_stream *s) {
  if (!s) return;
  sw_hashset_free(&s->left_out);
  free(s->text);
  free(s);
}

int64_t sw_outside_left_out(const sw_stream *s) { return s->met; }

static int no_line_left(const sw_stream *s, sw_err *err) {
  sw_fail(err, SW_LIMIT, "%s: has %lld problems, %lld of them trained on",
          s->path, (long long)s->next.index, (long long)s->met);
  return sw_hint(err, "ask for fewer: --count or --instances %lld",
                 (long long)(s->next.index - s->met));
}

static int all_left_out(const sw_stream *s, sw_err *err) {
  sw_fail(err, SW_LIMIT,
          "`%s`: the last %d problems for tests were all trained on",
          s->next.of->name, SW_DROPPED_MAX);
  return sw_hint(err, "an environment with more problems, or --exclude 0");
}

int sw_outside_stream_next(sw_stream *s, sw_instance **instance, sw_err *err) {
  for (int tries = 0; tries < SW_DROPPED_MAX; tries++) {
    char *line = s->text ? next_line(&s->at) : NULL;
    *instance = NULL;
    if (s->text && !line) return no_line_left(s, err);
    int code = make(&s->next, line, instance, err);
    s->next.index++;
    if (code && line)
      sw_context(err, "%s: problem %lld", s->path, (long long)s->next.index);
    if (code) return code;
    if (!sw_hashset_has(&s->left_out, (*instance)->hash)) return SW_OK;
    s->met++;
    sw_outside_instance_free(*instance);
  }
  *instance = NULL;
  return all_left_out(s, err);
}

/* Nothing has to be asked where all are taken. */
int sw_outside_stream_skip(sw_stream *s, sw_err *err) {
  if (s->left_out.count || s->text) {
    sw_instance *passed;
    SW_TRY(sw_outside_stream_next(s, &passed, err));
    sw_outside_instance_free(passed);
    return SW_OK;
  }
  s->next.index++;
  return SW_OK;
}
