/* The dialogue with an environment (see outside.h). After a take or a back the
 * next situation is asked for at once, so that an end is told by the call that
 * led to it, as in the domains of the program. */
#include "domains/outside/outside.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

int sw_outside_env_new(sw_env **env, const sw_domain_options *options,
                       const sw_rules *rules, sw_err *err) {
  *env = NULL;
  const sw_outside *of = sw_outside_of(options->domain);
  if (rules->release_layout) {
    sw_fail(err, SW_USAGE, "`%s` has no layout of a release", of->name);
    return sw_hint(err, "without --release-layout");
  }
  sw_env *e = calloc(1, sizeof *e);
  if (!e) return sw_no_memory(err);
  e->of = of;
  e->rules = *rules;
  e->trouble = calloc(1, sizeof *e->trouble);
  e->stamp = calloc((size_t)of->words.count, sizeof *e->stamp);
  if (!e->trouble || !e->stamp) {
    sw_outside_env_free(e);
    return sw_no_memory(err);
  }
  *env = e;
  return SW_OK;
}

static void end_search(sw_env *e) {
  if (e->search) e->of->calls.end(e->search);
  e->search = NULL;
}

void sw_outside_env_free(sw_env *e) {
  if (!e) return;
  end_search(e);
  sw_outside_seen_free(&e->now);
  sw_cands_free(&e->cands);
  free(e->trouble);
  free(e->stamp);
  free(e->action);
  free(e->path);
  free(e->level);
  free(e);
}

sw_env_status sw_outside_break(sw_env *e, const sw_err *err) {
  if (!e->trouble->code) *e->trouble = *err;
  e->asking = SW_OUT_ENDED;
  e->reason = "error";
  return e->status = SW_ENV_ERROR;
}

static sw_env_status finish(sw_env *e, sw_env_status status,
                            const char *reason) {
  e->asking = SW_OUT_ENDED;
  e->reason = reason;
  return e->status = status;
}

static sw_env_status say_end(sw_env *e) {
  return finish(e, e->now.over,
                e->now.over == SW_ENV_SOLVED      ? "solved"
                : e->now.over == SW_ENV_EXHAUSTED ? "exhausted"
                                                  : "failed");
}

/* The situation that the last call led to. */
static sw_env_status next_situation(sw_env *e) {
  sw_err err = {0};
  e->begun = e->expert = 0;
  e->asking = SW_OUT_BETWEEN;
  if (sw_outside_look(e, &err)) return sw_outside_break(e, &err);
  if (e->now.over != SW_ENV_QUERY) return say_end(e);
  return e->status = SW_ENV_BLOCK_END;
}

static int same_problem(const sw_instance *i, const statewise_problem *p,
                        sw_err *err) {
  if (!strcmp(p->id ? p->id : p->problem, i->id)) return SW_OK;
  sw_fail(err, SW_DATA,
          "the environment made the problem `%.80s` and then, asked for the "
          "same, `%.80s`",
          i->id, p->id ? p->id : p->problem);
  return sw_hint(err, "a problem must be a function of split, seed and index");
}

int sw_outside_env_reset(sw_env *e, const sw_instance *instance, sw_err *err) {
  statewise_problem problem = {0};
  end_search(e);
  *e->trouble = (sw_err){0};
  e->instance = instance;
  e->depth = 0;
  e->decisions = e->conflicts = e->explicit_back = e->silent_back = 0;
  e->path_bytes = 0;
  e->executed = 0;
  finish(e, SW_ENV_FAILED, "not begun");
  SW_TRY(sw_outside_start(instance, &e->search, &problem, err));
  SW_TRY(same_problem(instance, &problem, err));
  if (next_situation(e) != SW_ENV_ERROR) return SW_OK;
  if (err) *err = *e->trouble;
  return e->trouble->code;
}

void sw_outside_prefix(sw_env *e, sw_trace *out) {
  const sw_instance *i = e->instance;
  sw_trace_begin_block(out);
  for (int32_t k = 0; k < i->tokens; k++) sw_trace_put(out, i->token[k], 0);
  out->n = i->tokens;
}

sw_env_status sw_outside_prompt(sw_env *e, sw_trace *out) {
  if (e->asking == SW_OUT_ENDED) return e->status;
  if (e->asking == SW_OUT_ASKING) return SW_ENV_QUERY;
  sw_trace_begin_block(out);
  for (int32_t k = 0; k < e->now.state; k++)
    sw_trace_put(out, e->now.token[k], 0);
  e->asking = SW_OUT_ASKING;
  return e->status = SW_ENV_QUERY;
}

/* A token may begin several choices: it is legal if one of them is. */
static void offer(sw_env *e, const sw_choice *c) {
  int32_t token = e->now.token[c->first + e->begun], at = e->stamp[token] - 1;
  int kind = e->now.conflict ? SW_CAND_MISSED
             : c->tried      ? SW_CAND_REPEAT
                             : SW_CAND_CONTINUE;
  int known =
      at >= 0 && at < e->cands.count && e->cands.item[at].token == token;
  if (!known) {
    sw_cands_put(&e->cands, token, kind);
    if (e->cands.count > 0) e->stamp[token] = e->cands.count;
  } else if (kind == SW_CAND_CONTINUE) {
    e->cands.item[at].kind = kind;
  }
}

const sw_cand *sw_outside_candidates(sw_env *e, int *count) {
  const sw_seen *s = &e->now;
  sw_cands_clear(&e->cands);
  if (e->asking == SW_OUT_ASKING) {
    if (!e->begun)
      sw_cands_put(&e->cands, e->of->domain.back_token, SW_CAND_BACK);
    for (int32_t i = 0; i < s->choices; i++) {
      const sw_choice *c = &s->choice[i];
      if (c->tokens > e->begun &&
          sw_outside_fits(e, c, s->token[c->first + e->begun]))
        offer(e, c);
    }
  }
  *count = e->cands.count; /* -1: out of memory */
  return e->cands.item;
}

/* ---- acting ---- */

static int push_level(sw_env *e, const char *text) {
  int64_t bytes = (int64_t)strlen(text) + 1;
  if (!sw_grow64(&e->path, &e->path_room, e->path_bytes + bytes, 1) ||
      !sw_grow64(&e->level, &e->level_room, e->depth + 1, sizeof *e->level))
    return 0;
  memcpy(e->path + e->path_bytes, text, (size_t)bytes);
  e->level[e->depth++] = e->path_bytes;
  e->path_bytes += bytes;
  return 1;
}

static sw_env_status out_of_memory(sw_env *e) {
  sw_err err = {0};
  sw_no_memory(&err);
  return sw_outside_break(e, &err);
}

static sw_env_status take(sw_env *e, const sw_choice *c) {
  const char *refused = NULL, *text = e->now.texts + c->text;
  sw_err err = {0};
  int code = e->of->calls.take(e->search, text, &refused,
                               (statewise_error *)(void *)&err);
  if (code) {
    sw_outside_failed(code, "take", &err);
    return sw_outside_break(e, &err);
  }
  if (refused) return finish(e, SW_ENV_FAILED, "refused");
  if (!push_level(e, text)) return out_of_memory(e);
  e->decisions++;
  e->executed = 1;
  return next_situation(e);
}

/* The choice that goes on with `token`, an open one before a tried one; NULL:
 * there is none. */
static const sw_choice *going_on(const sw_env *e, int32_t token) {
  const sw_choice *found = NULL;
  for (int32_t i = 0; i < e->now.choices; i++) {
    const sw_choice *c = &e->now.choice[i];
    if (sw_outside_fits(e, c, token) && (!found || (found->tried && !c->tried)))
      found = c;
  }
  return found;
}

sw_env_status sw_outside_feed(sw_env *e, int32_t token, sw_trace *out) {
  if (e->asking == SW_OUT_ENDED) return e->status;
  e->executed = 0;
  if (e->asking != SW_OUT_ASKING) return SW_ENV_BLOCK_END;
  if (token == e->of->domain.back_token && !e->begun)
    return sw_outside_go_back(e, out);
  const sw_choice *c = going_on(e, token);
  if (!c) return finish(e, SW_ENV_FAILED, "invalid");
  if (e->now.conflict) return finish(e, SW_ENV_FAILED, "missed_conflict");
  int whole = c->tokens == e->begun + 1;
  if (whole && c->tried) return finish(e, SW_ENV_FAILED, "repeat");
  if (!sw_grow(&e->action, &e->action_room, e->begun + 1, sizeof *e->action))
    return out_of_memory(e);
  e->action[e->begun++] = token;
  sw_trace_put(out, token, 1);
  return whole ? take(e, c) : SW_ENV_QUERY;
}

sw_env_status sw_outside_go_back(sw_env *e, sw_trace *out) {
  int silent = 0;
  sw_err err = {0};
  if (e->asking == SW_OUT_ENDED) return e->status;
  if (!e->depth || e->asking != SW_OUT_ASKING || e->begun) return SW_ENV_QUERY;
  sw_trace_put(out, e->of->domain.back_token, 1);
  e->conflicts += e->now.conflict;
  e->explicit_back++;
  int code =
      e->of->calls.back(e->search, &silent, (statewise_error *)(void *)&err);
  if (code) sw_outside_failed(code, "back", &err);
  else if (silent < 0 || silent >= e->depth)
    sw_fail(&err, SW_DATA,
            "the environment went back %d further levels of %d (request: back)",
            silent, e->depth - 1);
  if (err.code) return sw_outside_break(e, &err);
  e->silent_back += silent;
  e->depth -= 1 + silent;
  e->path_bytes = e->level[e->depth];
  return next_situation(e);
}
