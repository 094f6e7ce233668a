/* The SAT environment (env.h): prompt, query, feed, go back, in the training
 * layout (a conflict is a block of its own) and in the release's closed-loop
 * layout (CONFLICT BJ inside the decision block). */
#include "domains/sat/sat_env.h"

#include <stdlib.h>
#include <string.h>

#include "domains/sat/cdcl.h"
#include "domains/sat/tokens.h"

enum { TRACE_STEPS = 5000 }; /* the release's cap on a trace */

int sw_sat_env_new(sw_env **env, const sw_domain_options *options,
                   const sw_rules *rules, sw_err *err) {
  *env = NULL;
  const sw_sat_format *format = sw_sat_format_find(options->format);
  int expert = sw_sat_expert_find(options->expert);
  if (!format || expert < 0)
    return sw_fail(err, SW_USAGE, "unknown SAT format '%s' or expert '%s'",
                   options->format, options->expert);
  sw_env *e = calloc(1, sizeof *e);
  if (!e) return sw_no_memory_for(err, "an environment");
  e->format = format;
  e->expert = (sw_sat_expert)expert;
  e->retry_mark = sw_sat_own(options)->retry_mark;
  e->reread = sw_sat_own(options)->layout;
  sw_sat_pad_init(&e->pad);
  e->fair = options->preset == 0;
  e->rules = *rules;
  e->asking = SW_SAT_ENDED;
  sw_sat_search_init(&e->search);
  *env = e;
  return SW_OK;
}

void sw_sat_env_free(sw_env *e) {
  if (!e) return;
  sw_sat_search_free(&e->search);
  sw_cands_free(&e->cands);
  sw_cands_free(&e->any);
  sw_sat_pad_free(&e->pad);
  sw_sat_oracle_free(&e->oracle);
  free(e->solution);
  free(e->score);
  free(e);
}

static int make_room(sw_env *e, int32_t n, sw_err *err) {
  if (n <= e->room) return SW_OK;
  int8_t *solution = realloc(e->solution, (size_t)n);
  if (solution) e->solution = solution;
  double *score = realloc(e->score, sizeof *score * 2 * (size_t)n);
  if (score) e->score = score;
  if (!solution || !score) return sw_no_memory_for(err, "%d variables", n);
  e->room = n;
  return SW_OK;
}

/* The expert `solution` follows the planted solution, else any. */
static int find_solution(sw_env *e, sw_err *err) {
  const sw_instance *f = e->instance;
  int verdict = SW_CDCL_SAT;
  if (f->solution) memcpy(e->solution, f->solution, (size_t)f->n);
  else SW_TRY(sw_cdcl_decide(f, e->solution, &verdict, err));
  e->has_solution = verdict == SW_CDCL_SAT;
  return SW_OK;
}

int sw_sat_env_reset(sw_env *e, const sw_instance *instance, sw_err *err) {
  char why[160];
  e->asking = SW_SAT_ENDED;
  if (!sw_sat_fits(instance, why, sizeof why))
    return sw_fail(err, SW_LIMIT,
                   "the formula does not fit the SAT vocabulary: %s", why);
  SW_TRY(make_room(e, instance->n, err));
  SW_TRY(sw_sat_search_reset(&e->search, instance, err));
  SW_TRY(sw_sat_oracle_reset(&e->oracle, instance, err));
  e->instance = instance;
  e->has_solution = 0;
  if (e->expert == SW_SAT_EXPERT_SOLUTION) SW_TRY(find_solution(e, err));
  e->search.strict = e->rules.release_layout;
  e->search.max_steps = 0;
  if (e->rules.writing_trace)
    e->search.max_steps =
        40 * instance->n > TRACE_STEPS ? 40 * instance->n : TRACE_STEPS;
  e->asking = SW_SAT_BETWEEN;
  e->status = SW_ENV_QUERY;
  e->reason = "running";
  e->key_clause = -1;
  e->decisions = e->conflicts = e->explicit_back = e->silent_back = 0;
  memset(e->pads, 0, sizeof e->pads);
  return SW_OK;
}

void sw_sat_env_prefix(sw_env *e, sw_trace *out) {
  sw_sat_put_prefix(e->instance, e->reread, out);
  e->prefix_tokens = out->length;
  out->n = e->instance->n;
}

int sw_sat_env_in_conflict(const sw_env *e) {
  return e->search.conflict != SW_SAT_NO_CONFLICT;
}

int sw_sat_env_at_root(const sw_env *e) { return e->search.depth == 0; }

int sw_sat_env_is_retry(const sw_env *e) {
  return e->asking == SW_SAT_ASK_VALUE && sw_sat_open_var(&e->search) >= 0;
}

int sw_sat_env_executed(const sw_env *e) { return e->executed; }

int sw_sat_env_refute(sw_env *e, int32_t token, int64_t conflicts,
                      int64_t *spent) {
  int32_t literal = -1;
  if (e->asking == SW_SAT_ASK_VALUE && (token == SW_SAT_T || token == SW_SAT_F))
    literal = 2 * e->search.selected + (token == SW_SAT_F);
  return sw_sat_oracle_dead(&e->oracle, &e->search, literal, conflicts, spent);
}

int sw_sat_env_doomed(sw_env *e) {
  int64_t spent = 0;
  return e->asking != SW_SAT_ENDED && !sw_sat_env_in_conflict(e) &&
         sw_sat_env_refute(e, -1, -1, &spent);
}

int sw_sat_env_trouble(const sw_env *e, sw_err *err) {
  return sw_trouble_told(e->oracle.trouble, err);
}

int32_t sw_sat_env_key_clause(sw_env *e) {
  if (e->key_clause < 0)
    e->key_clause = sw_sat_key_clause(e->instance, e->search.value);
  return e->key_clause;
}

static sw_env_status finish(sw_env *e, sw_env_status status,
                            const char *reason) {
  e->asking = SW_SAT_ENDED;
  e->status = status;
  e->reason = reason;
  return status;
}

/* Chunks are written, then measured: one that does not fit is taken back.
 * Only the release layout has a budget of its own (domain.h). */
typedef struct chunk {
  int64_t length, blocks;
} chunk;
static chunk chunk_begin(const sw_trace *out) {
  return (chunk){out->length, out->blocks};
}
static int chunk_fits(sw_env *e, chunk before, sw_trace *out) {
  if (!e->rules.release_layout || e->rules.token_budget <= 0 ||
      out->length <= e->rules.token_budget)
    return 1;
  out->length = before.length;
  out->blocks = before.blocks;
  finish(e, SW_ENV_FAILED, "budget");
  return 0;
}
static int put_chunk(sw_env *e, sw_trace *out, int32_t token, int supervised) {
  chunk before = chunk_begin(out);
  sw_trace_put(out, token, supervised);
  return chunk_fits(e, before, out);
}

static sw_env_status end_solved(sw_env *e, sw_trace *out) {
  if (!put_chunk(e, out, SW_SAT_SOLVED, 1)) return e->status;
  if (!e->rules.release_layout) sw_trace_put(out, SW_SAT_EOS, 0);
  sw_sat_step(&e->search, SW_SAT_DONE, 0);
  return finish(e, SW_ENV_SOLVED, "solved");
}

static sw_env_status end_exhausted(sw_env *e, sw_trace *out) {
  if (!e->rules.release_layout) {
    sw_trace_put(out, SW_SAT_FAILED, 1);
    sw_trace_put(out, SW_SAT_EOS, 0);
  }
  sw_sat_step(&e->search, SW_SAT_DONE, 0);
  return finish(e, SW_ENV_EXHAUSTED, "unsat");
}

/* The step cap of traces. The release labels such a trace FAILED. */
static sw_env_status end_timeout(sw_env *e, sw_trace *out) {
  if (!e->fair) {
    sw_trace_put(out, SW_SAT_FAILED, 1);
    sw_trace_put(out, SW_SAT_EOS, 0);
  }
  return finish(e, SW_ENV_FAILED, "timeout");
}

int sw_sat_env_writes(const sw_env *e) { return e->asking == SW_SAT_ASK_PAD; }

static void begin_pad(sw_env *e, sw_trace *out) {
  int64_t shown = e->prefix_tokens;
  if (out->blocks > 0) shown += out->length - out->block_start[out->blocks - 1];
  sw_sat_pad_begin(&e->pad, e->format, &e->view, shown);
  out->failed |= e->pad.exact.failed;
  e->asking = SW_SAT_ASK_PAD;
}

/* Any token is accepted. At the limit the environment adds the closing
 * token. */
static sw_env_status feed_pad(sw_env *e, int32_t token, sw_trace *out) {
  if (!put_chunk(e, out, token, 1)) return e->status;
  if (!sw_sat_pad_take(&e->pad, &e->view, token)) return SW_ENV_QUERY;
  if (token != SW_SAT_PROP_END) sw_trace_put(out, SW_SAT_PROP_END, 0);
  sw_sat_pad_count(&e->pad, sw_sat_env_in_conflict(e), e->pads);
  e->asking = SW_SAT_ASK_VARIABLE;
  return SW_ENV_QUERY;
}

/* The list of all tokens, made once. */
static const sw_cand *any_token(sw_env *e, int *count) {
  if (!e->any.count)
    for (int32_t t = 0; t < SW_SAT_VOCAB; t++)
      sw_cands_put(&e->any, t, SW_CAND_CONTINUE);
  *count = e->any.count;
  return e->any.item;
}

sw_env_status sw_sat_env_prompt(sw_env *e, sw_trace *out) {
  sw_sat_search *s = &e->search;
  if (e->asking == SW_SAT_ENDED) return e->status;
  if (e->asking != SW_SAT_BETWEEN) return SW_ENV_QUERY;
  if (s->ending == SW_SAT_END_TIMEOUT) return end_timeout(e, out);
  if (s->conflict != SW_SAT_NO_CONFLICT && s->depth == 0)
    return end_exhausted(e, out);
  if (s->conflict == SW_SAT_NO_CONFLICT && sw_sat_all_satisfied(s))
    return end_solved(e, out);
  e->key_clause = -1;
  sw_sat_view *view = &e->view;
  *view = (sw_sat_view){.formula = e->instance,
                        .value = s->value,
                        .order = s->order,
                        .open_var = sw_sat_open_var(s),
                        .retry_mark = e->retry_mark,
                        .reread = e->reread};
  if (view->open_var >= 0)
    view->open_value =
        (sw_sat_domain(s, view->open_var) & SW_SAT_BIT_TRUE) != 0;
  if (e->format->show != SW_SAT_SHOW_NOTHING)
    view->key_clause = sw_sat_env_key_clause(e);
  chunk before = chunk_begin(out);
  sw_sat_put_state(e->format, view, out);
  if (!chunk_fits(e, before, out)) return e->status;
  e->asking = SW_SAT_ASK_VARIABLE;
  if (sw_sat_writes_pad(e->format)) begin_pad(e, out);
  return SW_ENV_QUERY;
}

const sw_cand *sw_sat_env_candidates(sw_env *e, int *count) {
  const sw_sat_search *s = &e->search;
  sw_cands *list = &e->cands;
  if (e->asking == SW_SAT_ASK_PAD) return any_token(e, count);
  sw_cands_clear(list);
  if (e->asking == SW_SAT_ASK_VALUE) {
    int domain = sw_sat_domain(s, s->selected);
    for (int value = 1; value >= 0; value--)
      sw_cands_put(list, sw_sat_value_token(value),
                   domain & (1 << value) ? SW_CAND_CONTINUE : SW_CAND_REPEAT);
  } else if (e->asking == SW_SAT_ASK_VARIABLE) {
    int32_t open = sw_sat_open_var(s);
    int kind = sw_sat_env_in_conflict(e) ? SW_CAND_MISSED : SW_CAND_CONTINUE;
    if (e->rules.release_layout != SW_LAYOUT_RELEASE)
      sw_cands_put(list, SW_SAT_CONFLICT, SW_CAND_BACK);
    for (int32_t v = 0; v < s->n; v++)
      if (s->value[2 * v] == 0 && (open < 0 || open == v))
        sw_cands_put(list, SW_SAT_VARIABLE + v, kind);
  }
  *count = list->count; /* -1: out of memory */
  return list->item;
}

/* One level back, then over every frame with nothing left. Returns 0 when the
 * search is exhausted. `marks` receives the release layout's BJ tokens. */
static int backtrack(sw_env *e, sw_trace *marks) {
  sw_sat_search *s = &e->search;
  sw_sat_step(s, SW_SAT_BACKTRACK, 0);
  e->explicit_back++;
  for (;;) {
    int32_t open = sw_sat_open_var(s);
    if (s->depth == 0) return 0;
    if (open < 0 || sw_sat_domain(s, open)) return 1;
    if (marks && !put_chunk(e, marks, SW_SAT_BJ, 0)) return 1;
    if (!sw_sat_step(s, SW_SAT_BACKTRACK, 0)) return 1; /* step cap */
    e->silent_back++;
  }
}

sw_env_status sw_sat_env_go_back(sw_env *e, sw_trace *out) {
  sw_sat_search *s = &e->search;
  if (e->asking == SW_SAT_ENDED) return e->status;
  if (s->depth == 0 ||
      (e->asking != SW_SAT_ASK_VARIABLE && e->asking != SW_SAT_ASK_VALUE))
    return SW_ENV_QUERY;
  int32_t clause = s->conflict;
  if (clause < 0 || e->format->key_clause) clause = sw_sat_env_key_clause(e);
  e->conflicts += sw_sat_env_in_conflict(e);
  sw_sat_put_conflict(e->format, clause, s->depth - 1, out);
  e->asking = SW_SAT_BETWEEN;
  if (!backtrack(e, NULL)) return end_exhausted(e, out);
  if (s->ending == SW_SAT_END_TIMEOUT) return end_timeout(e, out);
  return SW_ENV_BLOCK_END;
}

/* After an ASSIGN, as the release's loop writes it. */
static sw_env_status close_release(sw_env *e, int32_t var, int value,
                                   sw_trace *out) {
  sw_sat_search *s = &e->search;
  chunk before = chunk_begin(out);
  sw_sat_step(s, SW_SAT_PROPAGATE, 0);
  e->decisions++;
  e->executed = 1;
  if (sw_sat_env_in_conflict(e)) {
    e->conflicts++;
    sw_trace_put(out, SW_SAT_CONFLICT, 0);
    sw_trace_put(out, SW_SAT_BJ, 0);
    if (!chunk_fits(e, before, out)) return e->status;
    if (!backtrack(e, out)) return end_exhausted(e, out);
    return e->asking == SW_SAT_ENDED ? e->status : SW_ENV_BLOCK_END;
  }
  if (sw_sat_all_satisfied(s)) return end_solved(e, out);
  sw_sat_put_ok(e->format, var, value, out);
  return chunk_fits(e, before, out) ? SW_ENV_BLOCK_END : e->status;
}

static sw_env_status close_training(sw_env *e, int32_t var, int value,
                                    sw_trace *out) {
  sw_sat_search *s = &e->search;
  sw_sat_put_ok(e->format, var, value, out);
  sw_sat_step(s, SW_SAT_PROPAGATE, 0);
  e->decisions++;
  e->executed = 1;
  if (s->ending == SW_SAT_END_TIMEOUT) return end_timeout(e, out);
  if (!sw_sat_env_in_conflict(e) && sw_sat_all_satisfied(s))
    return end_solved(e, out);
  return SW_ENV_BLOCK_END;
}

static sw_env_status feed_value(sw_env *e, int32_t token, sw_trace *out) {
  sw_sat_search *s = &e->search;
  int32_t var = s->selected;
  int value = token == SW_SAT_T;
  if (token != SW_SAT_T && token != SW_SAT_F)
    return finish(e, SW_ENV_FAILED, "invalid");
  if (!put_chunk(e, out, token, 1)) return e->status;
  e->asking = SW_SAT_BETWEEN;
  if (!sw_sat_step(s, SW_SAT_ASSIGN, value)) {
    if (s->max_steps && s->steps >= s->max_steps) return end_timeout(e, out);
    return finish(e, SW_ENV_FAILED, "invalid_assign");
  }
  if (e->rules.release_layout) return close_release(e, var, value, out);
  return close_training(e, var, value, out);
}

sw_env_status sw_sat_env_feed(sw_env *e, int32_t token, sw_trace *out) {
  if (e->asking == SW_SAT_ENDED) return e->status;
  e->executed = 0;
  if (e->asking == SW_SAT_ASK_PAD) return feed_pad(e, token, out);
  if (e->asking == SW_SAT_ASK_VALUE) return feed_value(e, token, out);
  if (e->asking != SW_SAT_ASK_VARIABLE) return SW_ENV_BLOCK_END;
  if (token == SW_SAT_CONFLICT) return sw_sat_env_go_back(e, out);
  int32_t var = token - SW_SAT_VARIABLE;
  if (!sw_sat_legal(&e->search, SW_SAT_SELECT, var))
    return finish(e, SW_ENV_FAILED,
                  sw_sat_env_in_conflict(e) ? "missed_conflict" : "invalid");
  if (!put_chunk(e, out, token, 1)) return e->status;
  sw_sat_step(&e->search, SW_SAT_SELECT, var);
  e->asking = SW_SAT_ASK_VALUE;
  return SW_ENV_QUERY;
}
