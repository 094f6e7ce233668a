/* Replaying traces (see replay.h). */
#include "train/replay.h"

#include <stdlib.h>

struct sw_replay {
  const sw_domain *domain;
  sw_env *env;
  sw_trace out; /* what the environment has written */
  int64_t same; /* so many tokens of it are compared */
};

int sw_replay_new(sw_replay **replay, const sw_domain *domain,
                  const sw_domain_options *options, const sw_rules *rules,
                  sw_err *err) {
  *replay = NULL;
  if (!domain->state || !domain->search) {
    sw_fail(err, SW_USAGE,
            "states of the domain `%s` cannot be read as numbers",
            domain->name);
    return sw_hint(err, "a family that reads tokens can learn it");
  }
  sw_replay *r = calloc(1, sizeof *r);
  if (!r) return sw_fail(err, SW_MEMORY, "out of memory for a replay");
  r->domain = domain;
  sw_trace_init(&r->out);
  int code = domain->search->env_new(&r->env, options, rules, err);
  if (code) {
    sw_replay_free(r);
    return code;
  }
  *replay = r;
  return SW_OK;
}

void sw_replay_free(sw_replay *r) {
  if (!r) return;
  if (r->env) r->domain->search->env_free(r->env);
  sw_trace_free(&r->out);
  free(r);
}

sw_env *sw_replay_env(const sw_replay *r) { return r->env; }

/* Compares what is new. A trace that was cut ends before the environment. */
static int compare(sw_replay *r, const sw_trace *t, sw_err *err) {
  SW_TRY(sw_domain_trouble(r->domain, r->env, err));
  if (r->out.failed) return sw_fail(err, SW_MEMORY, "out of memory");
  for (; r->same < r->out.length && r->same < t->length; r->same++)
    if (r->out.token[r->same] != t->token[r->same]) {
      char was[64], is[64];
      r->domain->token_text(r->domain, t->token[r->same], was, sizeof was);
      r->domain->token_text(r->domain, r->out.token[r->same], is, sizeof is);
      sw_fail(err, SW_DATA,
              "the search does not follow its trace: token %lld is `%s`, the "
              "environment writes `%s`",
              (long long)r->same, was, is);
      return sw_hint(err,
                     "traces in a published layout or of another version "
                     "cannot be read as states");
    }
  return SW_OK;
}

/* The answers of one decision. */
static int follow(sw_replay *r, const sw_trace *t, const sw_replay_watch *watch,
                  sw_env_status *status, sw_err *err) {
  const sw_search_ops *search = r->domain->search;
  while (*status == SW_ENV_QUERY && r->out.length < t->length) {
    int64_t at = r->out.length;
    int32_t token = t->token[at];
    if (watch && watch->answer)
      watch->answer(watch->context, r->env, at, token, t->supervised[at]);
    *status = token == r->domain->back_token
                  ? search->go_back(r->env, &r->out)
                  : search->feed(r->env, token, &r->out);
    SW_TRY(compare(r, t, err));
    if (r->out.length == at)
      return sw_fail(err, SW_DATA,
                     "the trace goes back where it cannot, at "
                     "token %lld",
                     (long long)at);
    if (*status == SW_ENV_FAILED)
      return sw_fail(err, SW_DATA,
                     "the trace chooses what it may not, at "
                     "token %lld (%s)",
                     (long long)at, search->reason(r->env));
  }
  return SW_OK;
}

int sw_replay_trace(sw_replay *r, const sw_instance *instance,
                    const sw_trace *t, const sw_replay_watch *watch, int *waits,
                    sw_err *err) {
  const sw_search_ops *search = r->domain->search;
  sw_env_status status = SW_ENV_BLOCK_END;
  *waits = 0;
  SW_TRY(search->env_reset(r->env, instance, err));
  sw_trace_clear(&r->out);
  r->same = 0;
  search->write_prefix(r->env, &r->out);
  SW_TRY(compare(r, t, err));
  while (status == SW_ENV_BLOCK_END && r->out.length <= t->length) {
    status = search->prompt(r->env, &r->out);
    SW_TRY(compare(r, t, err));
    if (status != SW_ENV_QUERY || r->out.length > t->length) break;
    if (r->out.length == t->length) {
      *waits = 1;
      return SW_OK;
    }
    if (watch) SW_TRY(watch->state(watch->context, r->env, r->out.length, err));
    SW_TRY(follow(r, t, watch, &status, err));
  }
  *waits = status == SW_ENV_QUERY && r->out.length == t->length;
  if (status == SW_ENV_SOLVED && r->out.length <= t->length && watch &&
      watch->solved)
    return watch->solved(watch->context, r->env, err);
  return SW_OK;
}
