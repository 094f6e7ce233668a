/* The public C API (include/statewise.h) over the search and model layers.
 * Callers are strangers: every pointer that must be there is checked, an output
 * is set to NULL before anything can fail, and asking twice changes nothing. */
#include "api/inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/version.h"
#include "search/guide_family.h"
#include "search/loop.h"

/* For the counters: whether the caller went back from a lost state. */
enum { TRUTH_SECONDS = 1 };

struct statewise_search {
  statewise *model;
  sw_instance *instance;
  sw_loop_options loop;
  sw_game game;
  sw_guide *guide;
  statewise_candidate *candidate; /* [room] */
  int32_t room;
  statewise_query query; /* the last one given out */
  int waiting;           /* ... and it is not yet answered */
  int begun;             /* a query was asked for */
  char *answer;
};

_Static_assert(sizeof(statewise_error) == sizeof(sw_err),
               "the public error is the internal one");
_Static_assert((int)STATEWISE_DIVERGED == (int)SW_DIVERGED, "codes agree");

const char *statewise_version(void) { return SW_VERSION; }

int statewise_open(statewise **model, const char *path, int threads,
                   statewise_error *error) {
  KEEP_FLOAT_MODE;
  sw_err *err = api_error(error);
  SW_TRY(api_need(err, "statewise_open", model, path, path));
  *model = NULL;
  if (threads < 0)
    return sw_fail(err, SW_USAGE, "statewise_open: %d threads", threads);
  statewise *m = calloc(1, sizeof *m);
  if (!m) return sw_no_memory(err);
  int code = sw_loaded_open(&m->loaded, path, err);
  if (!code) code = sw_team_new(&m->team, threads, err);
  sw_ask_options how = {.model = m->loaded.model,
                        .reading = m->loaded.reading,
                        .domain = m->loaded.domain,
                        .domain_options = &m->loaded.options};
  if (!code) code = sw_asker_new(&m->asker, &how, m->team, err);
  if (code) {
    statewise_close(m);
    return code;
  }
  *model = m;
  return SW_OK;
}

void statewise_close(statewise *model) {
  if (!model) return;
  sw_asker_free(model->asker);
  sw_team_free(model->team);
  sw_loaded_close(&model->loaded);
  free(model);
}

const char *statewise_domain(const statewise *model) {
  return model ? model->loaded.domain->name : NULL;
}
const char *statewise_architecture(const statewise *model) {
  return model ? model->loaded.model->family->name : NULL;
}
const char *statewise_mask(const statewise *model) {
  if (!model) return NULL;
  return api_reads_tokens(model) ? sw_mask_name(model->loaded.reading.mask)
                                 : "";
}
int64_t statewise_parameters(const statewise *model) {
  return model ? sw_net_parameters(model->loaded.model) : 0;
}
int32_t statewise_vocabulary(const statewise *model) {
  return model && api_reads_tokens(model) ? model->loaded.model->outputs : 0;
}

/* ---- searches ---- */

static int begin(statewise_search *s, sw_err *err) {
  const sw_loaded *l = &s->model->loaded;
  char why[256];
  if (!l->domain->instance_fits(s->instance, &l->options, why, sizeof why))
    return sw_fail(err, SW_LIMIT, "%s", why);
  s->loop = (sw_loop_options){.protocol = SW_REBUILT,
                              .verifier = "model",
                              .on_error = SW_ON_ERROR_FAIL,
                              .max_decisions = INT64_MAX};
  SW_TRY(sw_game_new(&s->game, l->domain, &l->options, &s->loop, err));
  s->game.truth_seconds = TRUTH_SECONDS;
  SW_TRY(sw_game_start(&s->game, s->instance, 0, err));
  SW_TRY(sw_guide_model(&s->guide, l, NULL, s->model->team, err));
  SW_TRY(sw_guide_reserve(s->guide, 1, err));
  SW_TRY(sw_guide_start(s->guide, 0, &s->game, err));
  return s->guide->ops->show(s->guide, 0, &s->game, err); /* does it fit? */
}

static int open_text(statewise_search **search, statewise *model,
                     const char *label, const char *text, size_t bytes,
                     sw_err *err) {
  const sw_domain *domain = model->loaded.domain;
  if (!domain->file.parse || !domain->search)
    return sw_fail(err, SW_USAGE, "domain `%s` has no problem files to search",
                   domain->name);
  statewise_search *s = calloc(1, sizeof *s);
  if (!s) return sw_no_memory(err);
  s->model = model;
  int code = domain->file.parse(&s->instance, label, text, bytes,
                                &model->loaded.options, err);
  if (!code) code = begin(s, err);
  if (code) {
    statewise_search_close(s);
    return code;
  }
  *search = s;
  return SW_OK;
}

int statewise_search_open(statewise_search **search, statewise *model,
                          const char *path, statewise_error *error) {
  KEEP_FLOAT_MODE;
  sw_err *err = api_error(error);
  char *text;
  size_t bytes;
  SW_TRY(api_need(err, "statewise_search_open", search, model, path));
  *search = NULL;
  SW_TRY(sw_read_file(path, 0, &text, &bytes, err));
  int code = open_text(search, model, path, text, bytes, err);
  free(text);
  return code;
}

int statewise_search_text(statewise_search **search, statewise *model,
                          const char *text, size_t bytes,
                          statewise_error *error) {
  KEEP_FLOAT_MODE;
  sw_err *err = api_error(error);
  SW_TRY(api_need(err, "statewise_search_text", search, model, text));
  *search = NULL;
  return open_text(search, model, "text", text, bytes, err);
}

void statewise_search_close(statewise_search *search) {
  if (!search) return;
  sw_guide_close(search->guide);
  if (search->game.domain) sw_game_free(&search->game);
  if (search->instance)
    search->model->loaded.domain->instance_free(search->instance);
  free(search->candidate);
  free(search->answer);
  free(search);
}

int statewise_search_verifier(statewise_search *search, const char *verifier,
                              statewise_error *error) {
  KEEP_FLOAT_MODE;
  sw_err *err = api_error(error);
  SW_TRY(
      api_need(err, "statewise_search_verifier", search, verifier, verifier));
  if (search->begun) {
    sw_fail(err, SW_USAGE, "the search has begun");
    return sw_hint(err, "choose the verifier before the first query");
  }
  return sw_game_verifier(&search->game, search->guide, verifier, err);
}

static statewise_kind public_kind(int kind) {
  return kind == SW_CAND_CONTINUE ? STATEWISE_GO_ON
         : kind == SW_CAND_BACK   ? STATEWISE_GO_BACK
         : kind == SW_CAND_REPEAT ? STATEWISE_REPEAT
                                  : STATEWISE_MISSED;
}

static int fill_query(statewise_search *s, statewise_query *query,
                      sw_err *err) {
  sw_game *game = &s->game;
  const sw_domain *domain = game->domain;
  if (!sw_grow(&s->candidate, &s->room, game->candidates, sizeof *s->candidate))
    return sw_no_memory(err);
  for (int i = 0; i < game->candidates; i++) {
    statewise_candidate *c = &s->candidate[i];
    c->token = game->candidate[i].token;
    c->kind = public_kind(game->candidate[i].kind);
    c->logit = game->score[i];
    domain->token_text(domain, c->token, c->text, sizeof c->text);
  }
  int legal, best = sw_game_choice(game, &legal);
  *query = (statewise_query){
      .count = game->candidates,
      .candidate = s->candidate,
      .best = best,
      .best_legal = legal,
      .in_conflict = domain->search->in_conflict(game->env),
      .depth = domain->search->depth(game->env),
      .token = game->trace.token,
      .tokens = game->trace.length,
      .block = game->trace.block_start[game->trace.blocks - 1]};
  return SW_OK;
}

int statewise_search_next(statewise_search *search, statewise_query *query,
                          statewise_error *error) {
  KEEP_FLOAT_MODE;
  sw_err *err = api_error(error);
  int code = api_need(err, "statewise_search_next", search, query, query);
  if (code) return -code;
  search->begun = 1;
  if (!search->waiting) {
    if (!sw_game_advance(&search->game)) {
      return -sw_game_failure(&search->game, err);
    }
    code = sw_guide_ask(search->guide, 0, &search->game, err);
    if (!code) code = fill_query(search, &search->query, err);
    if (code) return -code;
    search->waiting = 1;
  }
  *query = search->query;
  return 1;
}

int statewise_search_choose(statewise_search *search, int index,
                            statewise_error *error) {
  sw_err *err = api_error(error);
  SW_TRY(api_need(err, "statewise_search_choose", search, search, search));
  if (!search->waiting) {
    sw_fail(err, SW_USAGE, "no query waits for an answer");
    return sw_hint(err, "call statewise_search_next before each choice");
  }
  if (index < 0 || index >= search->game.candidates)
    return sw_fail(err, SW_USAGE, "there is no candidate %d among %d", index,
                   search->game.candidates);
  search->waiting = 0;
  sw_game_answer(&search->game, index, search->query.best_legal);
  return SW_OK;
}

statewise_status statewise_search_status(const statewise_search *search) {
  if (!search) return STATEWISE_FAILED;
  if (!search->game.ended) return STATEWISE_RUNNING;
  if (search->game.outcome.solved) return STATEWISE_SOLVED;
  return strcmp(search->game.outcome.reason, "exhausted") ? STATEWISE_FAILED
                                                          : STATEWISE_EXHAUSTED;
}

const char *statewise_search_reason(const statewise_search *search) {
  return search ? search->game.outcome.reason : "no search";
}

const char *statewise_search_answer(const statewise_search *search) {
  if (statewise_search_status(search) != STATEWISE_SOLVED ||
      !search->game.domain->search->tell.answer)
    return NULL;
  /* The cached text is bookkeeping, not state a caller can see. */
  statewise_search *cache = (statewise_search *)(uintptr_t)search;
  if (!cache->answer)
    (void)search->game.domain->search->tell.answer(search->game.env,
                                                   &cache->answer, NULL);
  return cache->answer;
}

void statewise_search_counters(const statewise_search *search,
                               statewise_counters *counters) {
  if (!counters) return;
  memset(counters, 0, sizeof *counters);
  if (!search) return;
  const sw_outcome *o = &search->game.outcome;
  *counters = (statewise_counters){.decisions = o->decisions,
                                   .false_prunes = o->false_prunes,
                                   .missed_conflicts = o->missed_conflicts,
                                   .repeats = o->repeats + o->illegal,
                                   .early_backs = o->early_backs};
  search->game.domain->search->counters(search->game.env, &counters->backtracks,
                                        &counters->silent_backtracks);
}
