/* Plain domains: players without a model, ground truth, traces, answers and
 * English (see plain.h). */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/hashset.h"
#include "base/stop.h"
#include "domains/plain_inside.h"
#include "domains/resolve.h"
#include "domains/word_lexicon.h"

enum { FIRST, RANDOM };
const char *const sw_plain_rules[] = {"first", "random", NULL};

static int open_choices(const sw_env *e, int32_t open[SW_PLAIN_CHOICES]) {
  int count = 0;
  for (int i = 0; i < e->choices; i++)
    if (!(e->level[e->depth].tried >> i & 1)) open[count++] = e->choice[i];
  return count;
}

int32_t sw_plain_expert(sw_env *e) {
  const sw_plain *p = e->of->plain;
  int32_t open[SW_PLAIN_CHOICES];
  if (!e->asking) return -1;
  int count = open_choices(e, open), i = 0;
  if (!count) return e->of->back;
  if (p->expert)
    i = p->expert(e->instance->problem, sw_plain_state(e), open, count);
  return open[i >= 0 && i < count ? i : 0];
}

int32_t sw_plain_rule(sw_env *e, int rule, sw_mt *mt) {
  int32_t open[SW_PLAIN_CHOICES];
  if (!e->asking) return -1;
  int count = open_choices(e, open);
  if (!count) return e->of->back;
  return open[rule == RANDOM ? sw_mt_below(mt, (uint32_t)count) : 0];
}

/* ---- ground truth: every state behind this one, each once ---- */

enum { STATES_MOST = 1 << 20 };

typedef struct walk {
  const sw_plain *plain;
  const void *problem;
  sw_hashset met;
  int trouble;
} walk;

/* Can a solution be reached by one of these choices? */
static int reaches(walk *w, const void *state, const int32_t *choice,
                   int count) {
  size_t bytes = w->plain->state_bytes;
  unsigned char *next = malloc(bytes);
  int found = 0;
  if (!next) w->trouble = SW_MEMORY;
  for (int i = 0; i < count && !found && !w->trouble; i++) {
    int32_t further[SW_PLAIN_CHOICES];
    memcpy(next, state, bytes);
    w->plain->take(w->problem, next, choice[i]);
    int added = sw_hashset_add(&w->met, sw_xxh64(next, bytes, 0));
    if (added < 0) w->trouble = SW_MEMORY;
    if (added < 1) continue;
    if (sw_time_to_stop() || w->met.count > STATES_MOST)
      w->trouble = SW_STOPPED;
    found =
        w->plain->solved(w->problem, next) ||
        reaches(w, next, further, w->plain->choices(w->problem, next, further));
  }
  free(next);
  return found;
}

int sw_plain_doomed(sw_env *e) {
  int32_t open[SW_PLAIN_CHOICES];
  walk w = {.plain = e->of->plain, .problem = e->instance->problem};
  if (e->status != SW_ENV_QUERY && e->status != SW_ENV_BLOCK_END) return 0;
  int count = open_choices(e, open);
  if (!count) return 0; /* an exposed conflict is not asked about here */
  int found = reaches(&w, sw_plain_state(e), open, count);
  sw_hashset_free(&w.met);
  if (w.trouble) e->trouble = w.trouble;
  return !found && !w.trouble;
}

/* ---- answers ---- */

/* Do these tokens lead from the problem to a solution? */
static int leads(const sw_plain *p, const void *problem, const int32_t *token,
                 int32_t count) {
  unsigned char *state = calloc(1, p->state_bytes);
  int right = state != NULL;
  if (right) p->start(problem, state);
  for (int32_t i = 0; right && i < count; i++) {
    int32_t choice[SW_PLAIN_CHOICES];
    int choices = p->choices(problem, state, choice), known = 0;
    for (int k = 0; k < choices; k++) known |= choice[k] == token[i];
    right = known;
    if (right) p->take(problem, state, token[i]);
  }
  right = right && p->solved(problem, state);
  free(state);
  return right;
}

/* The choices that stand, malloc'd. */
static int32_t *path_of(const sw_env *e) {
  const sw_plain *p = e->of->plain;
  int32_t *path = malloc(sizeof *path * ((size_t)e->depth + 1));
  for (int32_t d = 0; path && d < e->depth; d++) {
    int32_t choice[SW_PLAIN_CHOICES];
    p->choices(e->instance->problem, e->bytes + (size_t)d * p->state_bytes,
               choice);
    path[d] = choice[e->level[d].taken];
  }
  return path;
}

int sw_plain_check(const sw_env *e) {
  int32_t *path = path_of(e);
  int right = path && leads(e->of->plain, e->instance->problem, path, e->depth);
  free(path);
  return right;
}

int sw_plain_answer(const sw_env *e, char **text, sw_err *err) {
  size_t bytes;
  *text = NULL;
  if (!sw_plain_check(e))
    return sw_fail(err, SW_INTERNAL, "the answer does not solve the problem");
  int32_t *path = path_of(e);
  FILE *out = path ? open_memstream(text, &bytes) : NULL;
  if (out) fputs("v", out);
  for (int32_t i = 0; out && i < e->depth; i++)
    fprintf(out, " %s", sw_words_text(&e->of->words, path[i]));
  if (out) fputs("\n", out);
  free(path);
  return out && sw_memory_close(out, text) ? SW_OK : sw_no_memory(err);
}

/* The words behind `v`, judged without an environment. */
int sw_plain_verify(const char *text, size_t bytes, const sw_domain_options *o,
                    const char *answer, sw_err *err) {
  const sw_plain_domain *of = o->domain->self;
  sw_instance *instance;
  SW_TRY(sw_plain_parse(&instance, "the problem", text, bytes, o, err));
  int32_t *path = malloc(sizeof *path * (strlen(answer) + 1)), count = 0;
  int right = path != NULL;
  for (const char *at = answer; right && *at;) {
    at += strspn(at, " \t\r\n");
    size_t length = strcspn(at, " \t\r\n");
    int mark = length == 1 && *at == 'v';
    if (length && !mark) {
      path[count] = sw_words_find(&of->words, at, length);
      right = path[count++] >= 0;
    }
    at += length;
  }
  right = right && leads(of->plain, instance->problem, path, count);
  free(path);
  o->domain->instance_free(instance);
  return right
             ? SW_OK
             : sw_fail(err, SW_DATA, "these choices do not solve the problem");
}

/* ---- traces ---- */

static int shorten(const sw_domain_options *o, sw_trace *t, sw_err *err) {
  if (!strcmp(o->too_long, "cut") && t->blocks > 2) {
    sw_trace_truncate_blocks(t, t->blocks - 1);
    t->terminal = SW_TRACE_CUT;
    return SW_OK;
  }
  return sw_fail(err, SW_LIMIT, "a trace of more than %lld tokens, %lld blocks",
                 (long long)t->length, (long long)t->blocks - 1);
}

static int run(sw_env *e, const sw_domain_options *o, sw_trace *t,
               sw_err *err) {
  const sw_search_ops *search = &sw_plain_search;
  sw_env_status status = e->status;
  search->write_prefix(e, t);
  while (status == SW_ENV_BLOCK_END && !t->failed) {
    status = search->prompt(e, t);
    if (status == SW_ENV_QUERY) status = search->feed(e, sw_plain_expert(e), t);
    SW_TRY(sw_plain_search.trouble(e, err));
    if (sw_trace_too_long(o, t)) return shorten(o, t, err);
  }
  t->terminal = status == SW_ENV_SOLVED      ? SW_TRACE_SOLVED
                : status == SW_ENV_EXHAUSTED ? SW_TRACE_UNSAT
                                             : SW_TRACE_LIMIT;
  return SW_OK;
}

int sw_plain_write_trace(const sw_instance *instance,
                         const sw_domain_options *options, sw_mt *mt,
                         sw_trace *trace, sw_err *err) {
  static const sw_rules rules = {.writing_trace = 1};
  sw_env *e;
  (void)mt;
  sw_trace_clear(trace);
  SW_TRY(sw_plain_env_new(&e, options, &rules, err));
  int code = sw_plain_env_reset(e, instance, err);
  if (!code) code = run(e, options, trace, err);
  if (!code && trace->failed) code = sw_no_memory(err);
  trace->decisions = trace->conflicts = 0;
  for (int64_t b = 1; b < trace->blocks; b++) {
    int back = trace->token[sw_trace_block_end(trace, b) - 1] == e->of->back;
    trace->conflicts += back;
    trace->decisions += !back;
  }
  trace->backtracks = (int32_t)e->explicit_back;
  sw_plain_env_free(e);
  return code;
}

/* ---- English ---- */

static void rules(const sw_domain_options *options, FILE *out) {
  const sw_plain_domain *of = options->domain->self;
  sw_word_rules(&of->domain, of->plain->rules, out);
}

static char *state_text(const sw_env *e, int problem) {
  char *text = NULL;
  sw_trace shown;
  sw_trace_init(&shown);
  sw_trace_begin_block(&shown);
  if (problem) e->of->plain->show_problem(e->instance->problem, &shown);
  else sw_plain_show_state(e, &shown);
  if (!shown.failed)
    text = sw_word_sentence(&e->of->words, shown.token, shown.length);
  sw_trace_free(&shown);
  return text;
}

char *sw_plain_state_words(sw_env *e) { return state_text(e, 0); }

static void picture(const sw_env *e, sw_json *json) {
  char *problem = state_text(e, 1), *state = state_text(e, 0);
  int32_t *path = path_of(e);
  sw_json_string(json, "kind", "words");
  sw_json_string(json, "problem", problem ? problem : "");
  sw_json_string(json, "state", state ? state : "");
  sw_json_array(json, "path");
  for (int32_t i = 0; path && i < e->depth; i++)
    sw_json_string(json, NULL, sw_words_text(&e->of->words, path[i]));
  sw_json_end(json);
  free(problem);
  free(state);
  free(path);
}

const sw_lexicon sw_plain_lexicon = {.phrase = sw_word_phrase,
                                     .choice = sw_word_text,
                                     .rules = rules,
                                     .picture = picture};
