/* Blocks World as a domain: names, presets, streams, environment, answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "domains/blocks/blocks_env.h"
#include "domains/resolve.h"

static int32_t vocab_size(const sw_domain_options *o) {
  return o->n > SW_BLOCKS_VOCAB_BLOCKS
             ? SW_BLOCKS_VOCAB + o->n - SW_BLOCKS_VOCAB_BLOCKS
             : SW_BLOCKS_VOCAB;
}

static const char *const FORMATS[] = {"paper", NULL};
static const char *const EXPERTS[] = {"dfs", "goal", NULL};
static const char *const TRIED[] = {"shared", "executed", NULL};
static const char *const TOO_LONG[] = {"drop", "cut", NULL};
static const char *const RULES[] = {
#define X(id, name) name,
    SW_BLOCKS_RULES(X)
#undef X
        NULL};
static const char *const COUNTERS[] = {
#define X(field, name) name,
    SW_BLOCKS_COUNTERS(X)
#undef X
        NULL};

static int resolve(sw_domain_options *o, sw_err *err) {
  int fair = o->preset == 0;
  sw_blocks_options *own = sw_blocks_own_edit(o);
  if (o->n < 0) o->n = 5;
  if (own->stacks < 0) own->stacks = 3;
  if (own->error < 0) own->error = 0;
  if (o->max_blocks < 0) o->max_blocks = fair ? 96 : 0;
  if (o->max_tokens < 0) o->max_tokens = fair ? 0 : 2048;
  if (o->exclude < 0) o->exclude = fair ? 5000 : 0;
  if (o->n < 1 || o->n > SW_BLOCKS_MAX)
    return sw_fail(err, SW_USAGE, "blocks: --n %d is not in 1..%d", o->n,
                   SW_BLOCKS_MAX);
  if (own->stacks < 2 || own->stacks > SW_BLOCKS_STACKS_MAX)
    return sw_fail(err, SW_USAGE, "blocks: --stacks %d is not in 2..%d",
                   own->stacks, SW_BLOCKS_STACKS_MAX);
  SW_TRY(
      sw_resolve_text(&o->format, "blocks", "format", FORMATS, "paper", err));
  SW_TRY(sw_resolve_text(&o->expert, "blocks", "expert", EXPERTS, "dfs", err));
  SW_TRY(sw_resolve_text(&own->tried, "blocks", "tried", TRIED,
                         fair ? "shared" : "executed", err));
  return sw_resolve_text(&o->too_long, "blocks", "too-long", TOO_LONG, "drop",
                         err);
}

static void budgets(const sw_domain_options *o, int64_t *decisions,
                    int64_t *tokens, int64_t *instances) {
  *decisions = 500;
  *tokens = o->preset == 0 ? 0 : 2048;
  *instances = 200;
}

static int32_t instance_size(const sw_instance *instance) {
  return instance->problem ? instance->problem->n : instance->start.n;
}

static int instance_fits(const sw_instance *instance,
                         const sw_domain_options *options, char *why,
                         size_t room) {
  int32_t limit =
      options->n > SW_BLOCKS_VOCAB_BLOCKS ? options->n : SW_BLOCKS_VOCAB_BLOCKS;
  if (!instance->has_states) return snprintf(why, room, "%s", instance->why), 0;
  if (instance->start.n > limit)
    return snprintf(why, room, "it has %d blocks and the vocabulary %d",
                    instance->start.n, limit),
           0;
  return 1;
}

int sw_blocks_write_trace(sw_env *env, const sw_instance *instance,
                          const sw_domain_options *options, sw_mt *mt,
                          sw_trace *trace, sw_err *err) {
  SW_TRY(sw_blocks_expert_trace(env, instance, options, SW_BLOCKS_EXPERT_STEPS,
                                mt, trace, err));
  if (!strcmp(options->too_long, "cut")) return SW_OK;
  if (trace->terminal != SW_TRACE_SOLVED)
    return sw_fail(err, SW_LIMIT, "the expert did not reach the goal");
  if ((options->max_tokens > 0 && trace->length > options->max_tokens) ||
      (options->max_blocks > 0 && trace->blocks - 1 > options->max_blocks))
    return sw_fail(err, SW_LIMIT, "the trace has %lld tokens",
                   (long long)trace->length);
  return SW_OK;
}

static int write_trace(const sw_instance *instance,
                       const sw_domain_options *options, sw_mt *mt,
                       sw_trace *trace, sw_err *err) {
  static const sw_rules rules = {.writing_trace = 1};
  sw_env *env;
  SW_TRY(sw_blocks_env_new(&env, options, &rules, err));
  int code = sw_blocks_write_trace(env, instance, options, mt, trace, err);
  sw_blocks_env_free(env);
  return code;
}

/* Block and target may lead to a move that was tried; MOVE itself names none,
 * and where the block comes from is no choice. */
static int is_retry(const sw_env *e) {
  return e->status == SW_ENV_QUERY && e->walk.shown_count > 0 &&
         (e->stage == SW_BLOCKS_ASK_BLOCK || e->stage == SW_BLOCKS_ASK_TO);
}

static const char *reason(const sw_env *e) { return e->reason; }

static void counters(const sw_env *e, int64_t *explicit_back,
                     int64_t *silent_back) {
  *explicit_back = e->backs;
  *silent_back = 0;
}

static int check_solution(const sw_env *e) {
  return sw_blocks_walk_replay(&e->walk, &e->instance->start);
}

static void state_key(const sw_env *e, uint64_t key[2]) {
  key[0] = e->key[0];
  key[1] = e->key[1];
}

static int32_t depth(const sw_env *e) { return e->walk.depth; }

static void extra(const sw_env *e, int64_t *values) {
#define X(field, name) *values++ = e->count.field;
  SW_BLOCKS_COUNTERS(X)
#undef X
}

int sw_blocks_token_text(const sw_domain *domain, int32_t token, char *buffer,
                         size_t room) {
  (void)domain;
#define X(name, id)                     \
  if (token == id)                      \
    return snprintf(buffer, room, "%s", \
                    id == SW_BLOCKS_BACKTRACK ? "BT" : #name);
  SW_BLOCKS_WORDS(X)
#undef X
  if (token >= SW_BLOCKS_VOCAB)
    return snprintf(buffer, room, "B%d",
                    token - SW_BLOCKS_VOCAB + SW_BLOCKS_VOCAB_BLOCKS);
  if (token >= SW_BLOCKS_FIRST_STACK && token < SW_BLOCKS_FIRST_STACK + 10)
    return snprintf(buffer, room, "S%d", token - SW_BLOCKS_FIRST_STACK);
  if (token >= SW_BLOCKS_FIRST_BLOCK && token < SW_BLOCKS_FIRST_STACK)
    return snprintf(buffer, room, "B%d", token - SW_BLOCKS_FIRST_BLOCK);
  return snprintf(buffer, room, "<%d>", token);
}

/* Writes and checks the text of a plan; frees the plan. */
static int checked_plan(const sw_pddl *problem, sw_pddl_plan *plan, char **text,
                        int64_t *actions, sw_err *err) {
  int code = plan->failed ? sw_no_memory(err)
                          : sw_pddl_plan_text(problem, plan, text, err);
  sw_pddl_plan_free(plan);
  if (code) return code;
  code =
      sw_pddl_plan_check(problem, "plan", *text, strlen(*text), actions, err);
  if (!code) return SW_OK;
  free(*text);
  *text = NULL;
  if (code == SW_MEMORY) return code;
  sw_context(err, "our own plan is wrong");
  if (err) err->code = SW_INTERNAL;
  return SW_INTERNAL;
}

/* Moves between stacks, for instances that come from no file. */
static int moves_text(const sw_blocks_walk *w, char **text, sw_err *err) {
  size_t room = (size_t)w->depth * 40 + 1, length = 0;
  *text = malloc(room);
  if (!*text) return sw_no_memory(err);
  (*text)[0] = 0;
  for (int32_t i = 0; i < w->depth; i++)
    length +=
        (size_t)snprintf(*text + length, room - length, "(move b%d s%d s%d)\n",
                         w->path[i].block, w->path[i].from, w->path[i].to);
  return SW_OK;
}

static int answer(const sw_env *e, char **text, sw_err *err) {
  const sw_blocks_walk *w = &e->walk;
  const sw_instance *instance = e->instance;
  int64_t actions;
  *text = NULL;
  if (!check_solution(e))
    return sw_fail(err, SW_USAGE, "the search has not reached the goal");
  if (!instance->problem) return moves_text(w, text, err);
  sw_pddl_plan plan = {0};
  sw_blocks_state replay;
  SW_TRY(sw_blocks_state_init(&replay, w->now.n, w->now.stacks, err));
  sw_blocks_state_copy(&replay, &instance->start);
  for (int32_t i = 0; i < w->depth; i++) {
    int32_t target = replay.top[w->path[i].to];
    sw_pddl_plan_put(&plan, w->path[i].block,
                     target < 0 ? SW_PDDL_TABLE : target);
    sw_blocks_apply(&replay, w->path[i].from, w->path[i].to);
  }
  sw_blocks_state_free(&replay);
  return checked_plan(instance->problem, &plan, text, &actions, err);
}

/* An instance without a file, by the goal-aware rule in its own environment. */
static int solve_stacks(const sw_instance *instance,
                        const sw_domain_options *options, int *verdict,
                        char **text, sw_err *err) {
  static const sw_rules rules = {0};
  sw_env *env = NULL;
  sw_trace trace;
  sw_trace_init(&trace);
  int code = sw_blocks_env_new(&env, options, &rules, err);
  if (!code) code = sw_blocks_env_reset(env, instance, err);
  sw_env_status status = SW_ENV_BLOCK_END;
  for (int step = 0; !code && step < 100000; step++) {
    if (status == SW_ENV_BLOCK_END) {
      sw_trace_clear(&trace);
      status = sw_blocks_prompt(env, &trace);
    } else if (status == SW_ENV_QUERY) {
      status = sw_blocks_feed(
          env, sw_blocks_rule_choice(env, SW_BLOCKS_RULE_GOAL_AWARE, NULL),
          &trace);
    } else {
      break;
    }
  }
  *verdict = !code && status == SW_ENV_SOLVED ? 10 : 0;
  if (*verdict) code = answer(env, text, err);
  sw_blocks_env_free(env);
  sw_trace_free(&trace);
  return code;
}

static int solve_direct(const sw_instance *instance,
                        const sw_domain_options *options, double seconds,
                        int *verdict, char **text, char *note, size_t note_room,
                        sw_err *err) {
  const sw_pddl *p = instance->problem;
  *verdict = 0;
  *text = NULL;
  if (!p) {
    snprintf(note, note_room, "goal-aware search (A*)");
    return solve_stacks(instance, options, verdict, text, err);
  }
  if (p->impossible) {
    snprintf(note, note_room, "no plan exists: %s", p->why);
    return *verdict = 20, SW_OK;
  }
  sw_pddl_plan plan = {0};
  int optimal;
  int64_t actions;
  /* A state costs about n squared steps to expand; a second buys 200,000 small
   * ones. */
  if (seconds <= 0) seconds = 5;
  sw_stop_scope limit;
  sw_stop_enter(&limit, seconds, NULL, NULL);
  double states = seconds * 200000.0 * 64.0 / ((double)p->n * p->n + 64.0);
  int code = sw_blocks_plan(p, states > 1e6 ? 1000000 : (int32_t)states, &plan,
                            &optimal, err);
  sw_stop_leave(&limit);
  if (code) {
    sw_pddl_plan_free(&plan);
    if (code != SW_STOPPED) return code;
    snprintf(note, note_room, "no plan found in time");
    return SW_OK;
  }
  SW_TRY(checked_plan(p, &plan, text, &actions, err));
  *verdict = 10;
  snprintf(note, note_room, "%lld actions, %s", (long long)actions,
           optimal ? "a shortest plan (A*)" : "no block moves more than twice");
  return SW_OK;
}

/* The plan checker shares nothing with the searches; the problem is read from
 * the file again. */
static int verify(const char *text, size_t bytes,
                  const sw_domain_options *options, const char *answer,
                  sw_err *err) {
  (void)options;
  sw_pddl *problem;
  int64_t actions;
  SW_TRY(sw_pddl_read(&problem, "file", text, bytes, err));
  int code = sw_pddl_plan_check(problem, "plan", answer, strlen(answer),
                                &actions, err);
  sw_pddl_free(problem);
  if (code == SW_DATA) {
    sw_context(err, "a wrong plan was not printed");
    code = SW_INTERNAL;
    if (err) err->code = code;
  }
  return code;
}

static const sw_search_ops search = {
    .rule.names = RULES,
    .rule.exact = "first-untried",
    .rule.trivial = "random-legal",
    .rule.onward = "goal-aware",
    .rule.best = "goal-aware",
    .budgets = budgets,
    .env_new = sw_blocks_env_new,
    .env_reset = sw_blocks_env_reset,
    .env_free = sw_blocks_env_free,
    .write_prefix = sw_blocks_write_prefix,
    .prompt = sw_blocks_prompt,
    .candidates = sw_blocks_candidates,
    .in_conflict = sw_blocks_in_conflict,
    .at_root = sw_blocks_at_root,
    .feed = sw_blocks_feed,
    .go_back = sw_blocks_go_back,
    .is_retry = is_retry,
    .reason = reason,
    .counters = counters,
    .check_solution = check_solution,
    .state_key = state_key,
    .depth = depth,
    .expert_choice = sw_blocks_expert_choice,
    .rule.choose = sw_blocks_rule_choice,
    .back_counts = 1,
    .truth.doomed = sw_blocks_doomed,
    .tell.answer = answer,
    .tell.extra_names = COUNTERS,
    .tell.extra = extra,
    .trouble = sw_blocks_trouble,
};

static const sw_option option_table[] = {
    SW_TASK_ROWS("blocks") SW_TASK_BLOCK_ROWS SW_TASK_EXCLUDE_ROWS
#define X(...) SW_OWN_ROW(sw_blocks_options, __VA_ARGS__)
        SW_BLOCKS_OPTIONS(X)
#undef X
};

const sw_domain sw_domain_blocks = {
    .name = "blocks",
    .summary = "Blocks World: rebuild stacks of blocks by moving one at a time",
    .formats = FORMATS,
    .experts = EXPERTS,
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .vocab_size = vocab_size,
    .resolve = resolve,
    .stream_new = sw_blocks_stream_new,
    .stream_next = sw_blocks_stream_next,
    .stream_free = sw_blocks_stream_free,
    .file.recognises = sw_pddl_looks_like,
    .file.parse = sw_blocks_instance_parse,
    .instance_free = sw_blocks_instance_free,
    .instance_hash = sw_blocks_instance_hash,
    .instance_size = instance_size,
    .instance_fits = instance_fits,
    .write_trace = write_trace,
    .lexicon = &sw_blocks_lexicon,
    .token_text = sw_blocks_token_text,
    .back_token = SW_BLOCKS_BACKTRACK,
    .file.solve = solve_direct,
    .file.verify = verify,
    .search = &search,
    .state = &sw_blocks_state_numbers,
};
