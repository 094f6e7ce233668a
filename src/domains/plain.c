/* Plain domains: options, instances and the table (see plain.h). */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "domains/plain_inside.h"
#include "domains/registry.h"
#include "domains/resolve.h"
#include "domains/word_lexicon.h"

enum { USUAL_BLOCKS = 64 };

/* clang-format off */
static const sw_option table[] = {
  SW_TASK_ROWS("size of a problem") SW_TASK_BLOCK_ROWS SW_TASK_EXCLUDE_ROWS
};
/* clang-format on */
static const char *const formats[] = {"words", NULL};
static const char *const experts[] = {"expert", NULL};

static const sw_plain_domain *of_options(const sw_domain_options *o) {
  return o->domain->self;
}

static int32_t vocab_size(const sw_domain_options *o) {
  return of_options(o)->words.count;
}

static int resolve(sw_domain_options *o, sw_err *err) {
  static const char *const too_long[] = {"cut", "drop", NULL};
  const sw_plain *plain = of_options(o)->plain;
  if (o->preset) {
    sw_fail(err, SW_USAGE, "`%s` has no preset but fair", plain->name);
    return sw_hint(err, "leave --preset out");
  }
  if (o->n < 0) o->n = plain->n;
  if (o->n < 1 || o->n > plain->most)
    return sw_fail(err, SW_USAGE, "%s: --n %d is not between 1 and %d",
                   plain->name, o->n, plain->most);
  if (o->max_blocks < 0) o->max_blocks = USUAL_BLOCKS;
  if (o->max_tokens < 0) o->max_tokens = 0;
  if (o->exclude < 0) o->exclude = 1; /* all that a data set was made of */
  SW_TRY(sw_resolve_text(&o->format, plain->name, "format", formats, "words",
                         err));
  SW_TRY(sw_resolve_text(&o->expert, plain->name, "expert", experts, "expert",
                         err));
  return sw_resolve_text(&o->too_long, plain->name, "too-long", too_long, "cut",
                         err);
}

/* ---- instances ---- */

static int new_instance(sw_instance **instance, const sw_plain_domain *of,
                        sw_err *err) {
  *instance = calloc(1, sizeof **instance + of->plain->problem_bytes);
  if (!*instance) return sw_no_memory(err);
  (*instance)->of = of;
  return SW_OK;
}

static void instance_free(sw_instance *i) { free(i); }

/* What follows from the problem. */
static int finish(sw_instance **instance, sw_err *err) {
  sw_instance *i = *instance;
  sw_trace shown;
  sw_trace_init(&shown);
  sw_trace_begin_block(&shown);
  i->of->plain->show_problem(i->problem, &shown);
  i->tokens = (int32_t)shown.length;
  i->hash =
      sw_xxh64(shown.token, sizeof *shown.token * (size_t)shown.length, 0);
  int failed = shown.failed;
  sw_trace_free(&shown);
  if (!failed) return SW_OK;
  instance_free(i);
  *instance = NULL;
  return sw_no_memory(err);
}

static uint64_t instance_hash(const sw_instance *i) { return i->hash; }
static int32_t instance_size(const sw_instance *i) { return i->tokens; }

static int instance_fits(const sw_instance *i, const sw_domain_options *o,
                         char *why, size_t room) {
  (void)i, (void)o;
  snprintf(why, room, "it fits");
  return 1;
}

int sw_plain_parse(sw_instance **instance, const char *path, const char *text,
                   size_t bytes, const sw_domain_options *o, sw_err *err) {
  const sw_plain *plain = of_options(o)->plain;
  *instance = NULL;
  if (!plain->parse)
    return sw_fail(err, SW_USAGE, "problems of `%s` have no files",
                   plain->name);
  if (memchr(text, 0, bytes))
    return sw_fail(err, SW_DATA, "%s: a problem with a NUL byte", path);
  char *copy = strndup(text, bytes);
  if (!copy) return sw_no_memory(err);
  int code = new_instance(instance, of_options(o), err);
  if (!code) code = plain->parse((*instance)->problem, copy, err);
  free(copy);
  if (!code) return finish(instance, err);
  free(*instance);
  *instance = NULL;
  return sw_context(err, "%s", path) ? code : code;
}

/* ---- streams: problem `index` is a function of (seed, split, index) ---- */

struct sw_stream {
  const sw_plain_domain *of;
  int n;
  uint64_t seed;
  uint64_t index;
  sw_hashset left_out;
  int64_t met; /* left-out instances */
};

static void stream_free(sw_stream *s) {
  if (!s) return;
  sw_hashset_free(&s->left_out);
  free(s);
}

static int stream_new(sw_stream **stream, const sw_domain_options *o,
                      uint64_t seed, sw_split split, sw_err *err) {
  sw_stream *s = *stream = calloc(1, sizeof *s);
  if (!s) return sw_no_memory(err);
  s->of = of_options(o);
  s->n = o->n;
  s->seed = sw_stream_seed(o, seed, split);
  int code = split == SW_SPLIT_TEST && o->exclude > 0
                 ? sw_leave_out_training(o->domain, o, seed, &s->left_out, err)
                 : SW_OK;
  if (!code) return SW_OK;
  stream_free(s);
  *stream = NULL;
  return code;
}

static int draw(sw_stream *s, sw_instance **instance, sw_err *err) {
  sw_xoshiro random;
  sw_xoshiro_seed(&random, sw_philox_u64(s->seed, 0, s->index));
  SW_TRY(new_instance(instance, s->of, err));
  s->index++;
  s->of->plain->draw((*instance)->problem, s->n, &random);
  return finish(instance, err);
}

static int stream_next(sw_stream *s, sw_instance **instance, sw_err *err) {
  for (int tries = 0; tries < SW_DROPPED_MAX; tries++) {
    SW_TRY(draw(s, instance, err));
    if (!sw_hashset_has(&s->left_out, (*instance)->hash)) return SW_OK;
    s->met++;
    instance_free(*instance);
  }
  *instance = NULL;
  sw_fail(err, SW_LIMIT,
          "`%s`: the last %d problems for tests were all "
          "trained on",
          s->of->plain->name, SW_DROPPED_MAX);
  return sw_hint(err, "a larger --n, or --exclude 0");
}

static int64_t left_out(const sw_stream *s) { return s->met; }

/* ---- the domain ---- */

static void close_domain(const sw_domain *domain) {
  sw_plain_domain *of = domain->self;
  sw_words_free(&of->words);
  free(of);
}

static const sw_domain shape = {
    .close = close_domain,
    .formats = formats,
    .experts = experts,
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .vocab_size = vocab_size,
    .resolve = resolve,
    .stream_new = stream_new,
    .stream_next = stream_next,
    .stream_free = stream_free,
    .stream_left_out = left_out,
    .instance_free = instance_free,
    .instance_hash = instance_hash,
    .instance_size = instance_size,
    .instance_fits = instance_fits,
    .write_trace = sw_plain_write_trace,
    .token_text = sw_word_text,
    .lexicon = &sw_plain_lexicon,
    .search = &sw_plain_search,
    .file = {.parse = sw_plain_parse, .verify = sw_plain_verify}};

static int take_words(sw_plain_domain *of, sw_err *err) {
  for (const char *const *w = of->plain->words; *w; w++)
    SW_TRY(sw_words_add(&of->words, *w, strlen(*w), err));
  of->back = of->words.count;
  of->tried = of->back + 1;
  SW_TRY(sw_words_add(&of->words, "back", 4, err));
  SW_TRY(sw_words_add(&of->words, "tried", 5, err));
  return sw_words_set_back(&of->words, "back", err);
}

int sw_plain_register(const sw_plain *p, const sw_domain **domain,
                      sw_err *err) {
  *domain = NULL;
  if (!p->name || !p->words || !p->draw || !p->show_problem || !p->start ||
      !p->show_state || !p->choices || !p->take || !p->solved)
    return sw_fail(err, SW_USAGE, "a plain domain lacks a required member");
  sw_plain_domain *of = calloc(1, sizeof *of);
  if (!of) return sw_no_memory(err);
  of->plain = p;
  of->domain = shape;
  of->domain.name = p->name;
  of->domain.summary = p->summary;
  of->domain.self = of;
  of->domain.words = &of->words;
  if (!p->parse) of->domain.file = (sw_file_ops){.parse = sw_plain_parse};
  int code = take_words(of, err);
  of->domain.back_token = of->back;
  if (!code) code = sw_domain_register(&of->domain, err);
  if (code) close_domain(&of->domain);
  else *domain = &of->domain;
  return code;
}
