/* Players of an environment without a model: its expert, two rules, and the
 * writer of the expert's traces (see outside.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "domains/outside/outside.h"
#include "domains/outside/process.h"
#include "domains/resolve.h"

enum { FIRST, RANDOM };
const char *const sw_outside_rules[] = {"first", "random", NULL};
enum { EXPERT_BACK = -1 };

/* The expert's word on this state, asked once: the choice that it names. */
static int ask_expert(sw_env *e, sw_err *err) {
  const sw_outside *of = e->of;
  const char *said = NULL;
  int32_t *token = NULL, count = 0, room = 0;
  int code = of->calls.expert(e->search, &said, (statewise_error *)(void *)err);
  if (code) return sw_outside_failed(code, "expert", err);
  if (said)
    code = sw_outside_tokens(of, "expert", said, &token, &count, &room, err);
  if (!code && count == 1 && token[0] == of->domain.back_token && e->depth)
    e->expert = EXPERT_BACK;
  for (int32_t i = 0; !code && count && i < e->now.choices; i++) {
    const sw_choice *c = &e->now.choice[i];
    if (!c->tried && c->tokens == count &&
        !memcmp(e->now.token + c->first, token, sizeof *token * (size_t)count))
      e->expert = i + 1;
  }
  free(token);
  if (code || e->expert) return code;
  sw_process_fail(err, SW_DATA, "expert", said ? said : "",
                  "has an expert that chooses what is not among the choices");
  return sw_hint(err,
                 "one of `choices`, or the word of going back above "
                 "depth 0");
}

/* The first way on, or -1. */
static int32_t first_open(const sw_cand *list, int count) {
  for (int i = 0; i < count; i++)
    if (list[i].kind == SW_CAND_CONTINUE) return list[i].token;
  return -1;
}

int32_t sw_outside_expert(sw_env *e) {
  const sw_seen *s = &e->now;
  sw_err err = {0};
  int count;
  if (e->asking != SW_OUT_ASKING) return -1;
  if (s->conflict) return e->of->domain.back_token;
  if (!e->of->calls.expert) {
    sw_fail(&err, SW_USAGE, "`%s` has no expert", e->of->name);
    sw_hint(&err,
            "its rules are first and random (--play first, --rule "
            "first); or `expert` in its has");
    sw_outside_break(e, &err);
    return -1;
  }
  if (!e->expert && ask_expert(e, &err)) {
    sw_outside_break(e, &err);
    return -1;
  }
  if (e->expert == EXPERT_BACK && !e->begun) return e->of->domain.back_token;
  const sw_choice *c = e->expert > 0 ? &s->choice[e->expert - 1] : NULL;
  if (c && c->tokens > e->begun &&
      sw_outside_fits(e, c, s->token[c->first + e->begun]))
    return s->token[c->first + e->begun];
  /* The action was begun with a word that is not the expert's. */
  const sw_cand *list = sw_outside_candidates(e, &count);
  return first_open(list, count);
}

int32_t sw_outside_rule(sw_env *e, int rule, sw_mt *mt) {
  int count, open = 0;
  if (e->asking != SW_OUT_ASKING) return -1;
  if (e->now.conflict && !e->begun) return e->of->domain.back_token;
  const sw_cand *list = sw_outside_candidates(e, &count);
  if (rule == FIRST) return first_open(list, count);
  for (int i = 0; i < count; i++) open += list[i].kind == SW_CAND_CONTINUE;
  if (!open) return -1;
  uint32_t skip = sw_mt_below(mt, (uint32_t)open);
  for (int i = 0; i < count; i++)
    if (list[i].kind == SW_CAND_CONTINUE && skip-- == 0) return list[i].token;
  return -1;
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
  sw_env_status status = SW_ENV_BLOCK_END;
  sw_outside_prefix(e, t);
  while (status == SW_ENV_BLOCK_END && !t->failed) {
    status = sw_outside_prompt(e, t);
    while (status == SW_ENV_QUERY && !t->failed) {
      int32_t token = sw_outside_expert(e);
      if (token < 0) break;
      status = sw_outside_feed(e, token, t);
    }
    SW_TRY(sw_domain_trouble(&e->of->domain, e, err));
    if (sw_trace_too_long(o, t)) return shorten(o, t, err);
  }
  t->terminal = status == SW_ENV_SOLVED      ? SW_TRACE_SOLVED
                : status == SW_ENV_EXHAUSTED ? SW_TRACE_UNSAT
                                             : SW_TRACE_LIMIT;
  return SW_OK;
}

/* Counters of the kept blocks. */
static void count(const sw_env *e, sw_trace *t) {
  t->decisions = t->conflicts = 0;
  for (int64_t b = 1; b < t->blocks; b++) {
    int64_t end = sw_trace_block_end(t, b);
    int back = t->token[end - 1] == e->of->domain.back_token &&
               !(end - 2 >= t->block_start[b] && t->supervised[end - 2]);
    t->conflicts += back;
    t->decisions += !back;
  }
  t->n = e->instance->tokens;
  t->backtracks = (int32_t)(e->explicit_back + e->silent_back);
}

int sw_outside_write_trace(const sw_instance *instance,
                           const sw_domain_options *options, sw_mt *mt,
                           sw_trace *trace, sw_err *err) {
  static const sw_rules rules = {.writing_trace = 1};
  sw_env *e;
  (void)mt;
  sw_trace_clear(trace);
  SW_TRY(sw_outside_env_new(&e, options, &rules, err));
  int code = sw_outside_env_reset(e, instance, err);
  if (!code) code = run(e, options, trace, err);
  if (!code && trace->failed) code = sw_no_memory(err);
  if (!code) count(e, trace);
  sw_outside_env_free(e);
  return code;
}

/* ---- answers ---- */

/* Each line of a text behind "v ". */
static void put_lines(FILE *out, const char *text) {
  while (*text) {
    size_t length = strcspn(text, "\n");
    fprintf(out, "v %.*s\n", (int)length, text);
    text += length + (text[length] != 0);
  }
}

int sw_outside_answer(const sw_env *e, char **text, sw_err *err) {
  size_t bytes;
  statewise_checked checked = {0};
  *text = NULL;
  if (e->of->calls.check) {
    if (err) memset(err, 0, sizeof *err);
    int code =
        e->of->calls.check(e->search, &checked, (statewise_error *)(void *)err);
    if (code) return sw_outside_failed(code, "check", err);
    if (!checked.right)
      return sw_fail(err, SW_DATA,
                     "the environment says that its own solution is wrong");
  }
  FILE *out = open_memstream(text, &bytes);
  if (!out) return sw_no_memory(err);
  if (checked.answer) put_lines(out, checked.answer);
  else
    for (int32_t i = 0; i < e->depth; i++)
      fprintf(out, "v %s\n", e->path + e->level[i]);
  return sw_memory_close(out, text) ? SW_OK : sw_no_memory(err);
}
