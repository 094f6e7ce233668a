/* Replaying traces (see replay.h). The dialogue is written a second time beside
 * the first; any difference means that the trace belongs to another instance,
 * format or version. */
#include "domains/replay.h"
#include "base/check.h"

#include <string.h>

const sw_rules sw_rules_of_expert = {.writing_trace = 1};

/* One walk along a trace. */
typedef struct walk {
  sw_replay *r;
  const sw_trace *trace;
  const sw_replay_watch *watch;
  sw_env_status status;
} walk;

int sw_replay_open(sw_replay *r, const sw_domain *domain,
                   const sw_domain_options *options, const sw_rules *rules,
                   sw_err *err) {
  SW_ASSERT(r && domain && options && rules);
  memset(r, 0, sizeof *r);
  SW_TRY(sw_domain_searchable(domain, err));
  SW_TRY(domain->search->env_new(&r->env, options, rules, err));
  r->domain = domain;
  sw_trace_init(&r->out);
  return SW_OK;
}

void sw_replay_close(sw_replay *r) {
  if (!r->domain) return;
  r->domain->search->env_free(r->env);
  sw_trace_free(&r->out);
  memset(r, 0, sizeof *r);
}

static int differs(const walk *w, sw_err *err) {
  const sw_replay *r = w->r;
  const sw_domain *d = r->domain;
  char was[64], is[64];
  d->token_text(d, w->trace->token[r->same], was, sizeof was);
  d->token_text(d, r->out.token[r->same], is, sizeof is);
  sw_fail(err, SW_DATA,
          "the search does not follow its trace: token %lld, in block %lld, is "
          "`%s`, the environment writes `%s`",
          (long long)r->same, (long long)r->out.blocks - 1, was, is);
  return sw_hint(err,
                 "traces in a published layout or of another version cannot be "
                 "replayed");
}

/* Compares what is new. A trace that was cut ends before the environment. */
static int compare(const walk *w, sw_err *err) {
  sw_replay *r = w->r;
  const sw_trace *t = w->trace;
  SW_TRY(sw_domain_trouble(r->domain, r->env, err));
  if (r->out.failed) return sw_no_memory(err);
  for (; r->same < r->out.length && r->same < t->length; r->same++)
    if (r->out.token[r->same] != t->token[r->same]) return differs(w, err);
  return SW_OK;
}

/* Was the token on offer? Going back midway is allowed although the list does
 * not offer it. */
static int offered(const sw_replay *r, int32_t token, int *yes, sw_err *err) {
  const sw_cand *list;
  int count;
  SW_TRY(sw_domain_candidates(r->domain, r->env, &list, &count, err));
  *yes = sw_cands_find(list, count, token) >= 0 ||
         (r->domain->search->back_midway && token == r->domain->back_token);
  return SW_OK;
}

static int refuse(const walk *w, int64_t at, const char *what,
                  const char *reason, sw_err *err) {
  return sw_fail(err, SW_DATA, "block %lld: the trace %s at token %lld%s%s%s",
                 (long long)w->r->out.blocks - 1, what, (long long)at,
                 *reason ? " (" : "", reason, *reason ? ")" : "");
}

/* The next token of the trace answers the query; `pad`: of a scratchpad, where
 * any token may stand. */
static int take(walk *w, int pad, sw_err *err) {
  sw_replay *r = w->r;
  const sw_search_ops *search = r->domain->search;
  int64_t at = r->out.length;
  int32_t token = w->trace->token[at];
  int exact = w->watch && w->watch->as_written, yes = 1;
  if (exact && !pad) SW_TRY(offered(r, token, &yes, err));
  if (!yes) return refuse(w, at, "chooses what is not on offer", "", err);
  if (w->watch && w->watch->answer)
    SW_TRY(w->watch->answer(w->watch->context, r->env, at, w->trace, err));
  w->status = !pad && token == r->domain->back_token
                  ? search->go_back(r->env, &r->out)
                  : search->feed(r->env, token, &r->out);
  SW_TRY(compare(w, err));
  if (r->out.length == at)
    return refuse(w, at, "goes back where it cannot", "", err);
  if (w->status == SW_ENV_FAILED && !exact)
    return refuse(w, at, "chooses what it may not", search->reason(r->env),
                  err);
  return SW_OK;
}

static int writes_pad(const sw_replay *r) {
  const sw_pad_ops *pad = &r->domain->search->pad;
  return pad->writes && pad->writes(r->env);
}

/* One decision: the environment waits at its first query. */
static int decide(walk *w, sw_err *err) {
  sw_replay *r = w->r;
  const sw_replay_watch *watch = w->watch;
  int64_t end = w->trace->length;
  if (watch && watch->state && r->out.length < end)
    SW_TRY(watch->state(watch->context, r->env, r->out.length, err));
  while (w->status == SW_ENV_QUERY && r->out.length < end && writes_pad(r))
    SW_TRY(take(w, 1, err));
  if (watch && watch->decides)
    SW_TRY(watch->decides(watch->context, r->env, r->out.length, err));
  while (w->status == SW_ENV_QUERY && r->out.length < end)
    SW_TRY(take(w, writes_pad(r), err));
  return SW_OK;
}

/* The environment opens a block and shows its state. */
static int open_block(walk *w, sw_err *err) {
  sw_replay *r = w->r;
  const sw_trace *t = w->trace;
  int64_t from = r->out.length, block = r->out.blocks;
  w->status = r->domain->search->prompt(r->env, &r->out);
  SW_TRY(compare(w, err));
  if (w->watch && w->watch->as_written && w->status == SW_ENV_QUERY &&
      from != t->block_start[block])
    return refuse(w, from, "opens no block", "", err);
  return SW_OK;
}

/* 1: the trace goes on behind what is written. */
static int goes_on(const walk *w) {
  const sw_trace *t = w->trace, *out = &w->r->out;
  if (w->status != SW_ENV_BLOCK_END) return 0;
  return w->watch && w->watch->as_written ? out->blocks < t->blocks
                                          : out->length <= t->length;
}

int sw_replay_trace(sw_replay *r, const sw_instance *instance,
                    const sw_trace *t, const sw_replay_watch *watch, int *waits,
                    sw_err *err) {
  SW_ASSERT(r->domain && r->env);
  SW_CHECK(sw_trace_check(t));
  SW_ASSERT(instance && waits);
  const sw_search_ops *search = r->domain->search;
  walk w = {.r = r, .trace = t, .watch = watch, .status = SW_ENV_BLOCK_END};
  *waits = 0;
  SW_TRY(search->env_reset(r->env, instance, err));
  sw_trace_clear(&r->out);
  r->same = 0;
  search->write_prefix(r->env, &r->out);
  SW_TRY(compare(&w, err));
  while (goes_on(&w)) {
    SW_TRY(open_block(&w, err));
    if (w.status != SW_ENV_QUERY) break;
    SW_TRY(decide(&w, err));
  }
  *waits = w.status == SW_ENV_QUERY && r->out.length == t->length;
  if (w.status == SW_ENV_SOLVED && r->out.length <= t->length && watch &&
      watch->solved)
    return watch->solved(watch->context, r->env, err);
  return SW_OK;
}
