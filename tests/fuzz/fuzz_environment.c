/* Fuzz target: any situations that an environment may describe, and any
 * choices among what is then offered. The bytes are lines: a situation is
 * "state|choice;choice|tried;tried|flags" with a key behind a second `|`, and
 * the first byte of a line chooses what is done there. The same bytes are then
 * a file of problems. */
#include "fuzz.h"
#include "domains/outside/outside.h"

enum { MOST = 40 };
static char *lines[MOST];
static int count, at;

static int hello(void *context, statewise_hello *h, statewise_error *error) {
  static const char *const words[] = {"a", "b", "c", "d", "BACK", NULL};
  (void)context;
  (void)error;
  *h = (statewise_hello){.name = "fuzzed",
                         .words = words,
                         .back = "BACK",
                         .seeded = 1,
                         .expert = 1,
                         .doomed = 1,
                         .check = 1};
  return 0;
}

static const char *next_line(void) { return at < count ? lines[at++] : ""; }

typedef struct search {
  char text[5000];
  const char *choices[MOST + 1], *tried[MOST + 1];
} search;

static int start(void *context, const statewise_task *task, void **out,
                 statewise_problem *problem, statewise_error *error) {
  (void)context;
  (void)task;
  (void)error;
  *out = calloc(1, sizeof(search));
  if (!*out) abort();
  problem->problem = "a b";
  at = 0;
  return 0;
}

/* Cuts at `mark`; what is behind it. */
static char *cut(char *text, char mark) {
  char *end = text ? strchr(text, mark) : NULL;
  if (!end) return NULL;
  *end = 0;
  return end + 1;
}

static void list(char *text, const char **out) {
  int i = 0;
  for (; text && *text && i < MOST; i++) {
    char *next = cut(text, ';');
    out[i] = text;
    text = next;
  }
  out[i] = NULL;
}

static int look(void *of, statewise_situation *s, statewise_error *error) {
  search *x = of;
  (void)error;
  snprintf(x->text, sizeof x->text, "%s", next_line());
  char *state = x->text[0] ? x->text + 1 : x->text;
  char *choices = cut(state, '|'), *tried = cut(choices, '|'),
       *flags = cut(tried, '|'), *key = cut(flags, '|');
  list(choices, x->choices);
  list(tried, x->tried);
  s->state = state;
  s->choices = x->choices;
  s->tried = tried ? x->tried : NULL;
  s->conflict = flags && strchr(flags, 'c') != NULL;
  s->key = key;
  s->over = !flags               ? NULL
            : strchr(flags, 's') ? "solved"
            : strchr(flags, 'e') ? "exhausted"
            : strchr(flags, 'f') ? "failed"
            : strchr(flags, 'w') ? "won"
                                 : NULL;
  return 0;
}

static int take(void *of, const char *choice, const char **refused,
                statewise_error *error) {
  (void)of;
  (void)error;
  fuzz_touch(choice, strlen(choice));
  if (choice[0] == 'd') *refused = "no d";
  return 0;
}

static int back(void *of, int *silent, statewise_error *error) {
  (void)of;
  (void)error;
  *silent = at % 3 - 1;
  return 0;
}

static int expert(void *of, const char **choice, statewise_error *error) {
  const search *x = of;
  (void)error;
  *choice = at % 5 ? x->choices[0] : "BACK";
  return 0;
}

static int doomed(void *of, int *says, statewise_error *error) {
  (void)of;
  (void)error;
  *says = at & 1;
  return 0;
}

static int check(void *of, statewise_checked *checked, statewise_error *error) {
  const search *x = of;
  (void)error;
  checked->right = at & 1;
  checked->answer = at & 2 ? x->text : NULL;
  return 0;
}

static const statewise_environment table = {.size = sizeof table,
                                            .hello = hello,
                                            .start = start,
                                            .look = look,
                                            .take = take,
                                            .back = back,
                                            .end = free,
                                            .expert = expert,
                                            .doomed = doomed,
                                            .check = check};

static void step(const sw_domain *d, sw_env *env, sw_trace *trace, sw_mt *mt,
                 unsigned how, sw_env_status *status) {
  int number;
  uint64_t key[2];
  const sw_cand *cand = d->search->candidates(env, &number);
  for (int i = 0; i < number; i++)
    if (cand[i].token < 0 || cand[i].token > 4) abort();
  d->search->state_key(env, key);
  free(d->search->tell.state(env));
  int32_t token = how % 5 == 1   ? d->search->expert_choice(env)
                  : how % 5 == 2 ? d->search->rule.choose(env, 0, mt)
                  : how % 5 == 3 ? d->search->rule.choose(env, 1, mt)
                  : number > 0   ? cand[how / 5 % (unsigned)number].token
                                 : -1;
  (void)d->search->truth.doomed(env);
  if (d->search->trouble(env, NULL)) *status = SW_ENV_ERROR;
  else if (how % 5 == 4) *status = d->search->go_back(env, trace);
  else if (token < 0) *status = SW_ENV_FAILED;
  else *status = d->search->feed(env, token, trace);
}

static void play(const sw_domain *d, const sw_instance *instance,
                 const sw_domain_options *options) {
  static const sw_rules rules = {0};
  sw_env *env;
  sw_trace trace;
  sw_mt mt;
  sw_err err = {0};
  char *answer = NULL;
  sw_mt_seed(&mt, 1);
  sw_trace_init(&trace);
  if (d->search->env_new(&env, options, &rules, NULL)) abort();
  int code = d->search->env_reset(env, instance, &err);
  sw_env_status status = code ? SW_ENV_ERROR : SW_ENV_BLOCK_END;
  if (!code) d->search->write_prefix(env, &trace);
  for (int i = 0; i < 4 * MOST; i++) {
    if (status == SW_ENV_BLOCK_END) status = d->search->prompt(env, &trace);
    if (status != SW_ENV_QUERY) break;
    unsigned how = at <= count && at > 0 ? (unsigned char)lines[at - 1][0] : 0;
    step(d, env, &trace, &mt, how + (unsigned)i, &status);
  }
  if (status == SW_ENV_SOLVED && d->search->check_solution(env))
    (void)d->search->tell.answer(env, &answer, NULL);
  free(answer);
  if (d->search->trouble(env, &err) && !err.text[0]) abort();
  for (const char *p = err.text; *p; p++)
    if (*p == '\n') abort(); /* every error is one line */
  d->search->env_free(env);
  sw_trace_free(&trace);
}

/* The same bytes as a file with a problem a line. */
static void draw(const sw_domain *d, sw_domain_options options,
                 const char *path) {
  sw_stream *stream;
  sw_instance *instance;
  sw_err err;
  sw_outside_own_edit(&options)->problems = path;
  if (d->resolve(&options, &err)) abort();
  if (d->stream_new(&stream, &options, 1, SW_SPLIT_TRAIN, &err)) return;
  for (int i = 0; i < MOST && !d->stream_next(stream, &instance, &err); i++)
    d->instance_free(instance);
  d->stream_free(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static const sw_domain *domain;
  static sw_instance *instance;
  static sw_domain_options options;
  char *text = fuzz_text(bytes, length), *rest = text;
  if (!domain) {
    if (sw_outside_register(&table, &domain, NULL)) abort();
    sw_domain_defaults(domain, &options);
    options.exclude = 0;
    if (domain->resolve(&options, NULL)) abort();
    if (domain->file.parse(&instance, "p", "x", 1, &options, NULL)) abort();
  }
  for (count = 0; rest && count < MOST; count++) {
    lines[count] = rest;
    rest = cut(rest, '\n');
  }
  play(domain, instance, &options);
  draw(domain, options, fuzz_file(bytes, length));
  free(text);
  return 0;
}
