/* The remote guide (see guide_remote.h). */
#include "remote/guide_remote.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/threads.h"

typedef struct remote {
  sw_guide head;
  sw_client *client;
  const sw_domain_options *options;
  sw_team *team;   /* one member a connection */
  sw_asked *asked; /* by seat: the game's questions so far */
} remote;

static int reserve(sw_guide *guide, int32_t seats, sw_err *err) {
  remote *r = (remote *)guide;
  sw_asked *grown = calloc((size_t)seats, sizeof *grown);
  if (!grown) return sw_no_memory(err);
  for (int32_t i = 0; i < guide->seats; i++) sw_asked_free(&r->asked[i]);
  free(r->asked);
  r->asked = grown;
  return SW_OK;
}

static int start(sw_guide *guide, int32_t seat, const sw_game *game,
                 sw_err *err) {
  int protocol = game->options->protocol;
  if (protocol != SW_CUMULATIVE && protocol != SW_REBUILT) {
    sw_fail(err, SW_USAGE, "a model behind a URL has no protocol `%s`",
            sw_protocol_name((sw_protocol)protocol));
    return sw_hint(err,
                   "it reads words, which have no positions: choose "
                   "cumulative or rebuilt");
  }
  sw_asked_clear(&((remote *)guide)->asked[seat]);
  return SW_OK;
}

/* ---- scores ---- */

/* Converts to floats in the order of the doubles. Where rounding would make two
 * different scores equal, the lower one goes down a step, because equal scores
 * are broken by token. */
static int score_ordered(const double *p, int count, float *score,
                         sw_err *err) {
  int *order = malloc(sizeof *order * (size_t)count);
  if (!order) return sw_no_memory(err);
  for (int i = 0; i < count; i++) {
    int at = i;
    for (; at > 0 && p[order[at - 1]] < p[i]; at--) order[at] = order[at - 1];
    order[at] = i;
  }
  for (int i = 0; i < count; i++) {
    float value = (float)p[order[i]];
    if (i && p[order[i]] < p[order[i - 1]] && value >= score[order[i - 1]])
      value = nextafterf(score[order[i - 1]], -INFINITY);
    else if (i && p[order[i]] == p[order[i - 1]]) value = score[order[i - 1]];
    score[order[i]] = value;
  }
  free(order);
  return SW_OK;
}

/* Every second game lists its choices in reverse, so that a model that prefers
 * one number is not taken for a model that goes back. */
static int reversed(const sw_game *game) { return game->outcome.instance & 1; }

/* The number under which candidate i was shown, from 0. */
static int shown_at(const sw_game *game, int i) {
  return reversed(game) ? game->candidates - 1 - i : i;
}

static int score(sw_remote_answer *a, sw_question *q, sw_err *err) {
  int count = q->game->candidates;
  double p[SW_REMOTE_CHOICES], low = 0;
  if (!a->has_logprobs) {
    for (int i = 0; i < count; i++)
      q->score[i] = shown_at(q->game, i) == a->choice - 1 ? 1.0f : 0.0f;
    return SW_OK;
  }
  for (int i = 0; i < count / 2 && reversed(q->game); i++) {
    double swap = a->log_p[i];
    a->log_p[i] = a->log_p[count - 1 - i];
    a->log_p[count - 1 - i] = swap;
  }
  for (int i = 0; i < count; i++)
    if (isfinite(a->log_p[i]) && a->log_p[i] < low) low = a->log_p[i];
  /* A choice that is not listed is less likely than all that are. */
  for (int i = 0; i < count; i++)
    p[i] = isfinite(a->log_p[i]) ? a->log_p[i] : low - 20;
  return score_ordered(p, count, q->score, err);
}

/* ---- asking ---- */

typedef struct round {
  remote *r;
  sw_question *question;
  int32_t count, next;
  int code;
  sw_err err;
  pthread_mutex_t lock;
} round_of;

static int ask_one(remote *r, int member, sw_question *q, sw_err *err) {
  const sw_game *game = q->game;
  sw_messages messages = {0};
  sw_asked *own = &r->asked[q->seat];
  sw_told told = {.domain = game->domain,
                  .options = r->options,
                  .trace = &game->trace,
                  .asked = game->asked ? game->asked : own,
                  .rebuilt = game->options->protocol == SW_REBUILT,
                  .reversed = reversed(game),
                  .cand = game->candidate,
                  .count = game->candidates};
  sw_remote_answer answer;
  int code = sw_words_write(&told, &messages, err);
  if (!code)
    code = sw_client_ask(r->client, member, &messages, game->candidates,
                         &answer, err);
  sw_messages_free(&messages);
  if (code == SW_LIMIT) {
    q->reason = "budget";
    return SW_OK;
  }
  SW_TRY(code);
  if (!answer.choice) {
    q->reason = "unreadable";
    return SW_OK;
  }
  if (!game->asked && !sw_asked_note(own, game->trace.length, game->candidate,
                                     game->candidates))
    return sw_no_memory(err);
  return score(&answer, q, err);
}

static void members(void *context, int rank, int size) {
  round_of *round = context;
  (void)size;
  for (;;) {
    pthread_mutex_lock(&round->lock);
    int32_t at = round->code ? round->count : round->next++;
    pthread_mutex_unlock(&round->lock);
    if (at >= round->count) return;
    sw_err err = {0};
    int code = ask_one(round->r, rank, &round->question[at], &err);
    if (!code) continue;
    pthread_mutex_lock(&round->lock);
    if (!round->code) {
      round->code = code;
      round->err = err;
    }
    pthread_mutex_unlock(&round->lock);
  }
}

static int ask(sw_guide *guide, sw_question *question, int32_t count,
               sw_err *err) {
  round_of round = {.r = (remote *)guide, .question = question, .count = count};
  pthread_mutex_init(&round.lock, NULL);
  if (count == 1) members(&round, 0, 1);
  else sw_team_run(round.r->team, members, &round);
  pthread_mutex_destroy(&round.lock);
  if (round.code && err) *err = round.err;
  return round.code;
}

static void close_remote(sw_guide *guide) {
  remote *r = (remote *)guide;
  for (int32_t i = 0; i < guide->seats; i++) sw_asked_free(&r->asked[i]);
  free(r->asked);
  sw_team_free(r->team);
  free(r);
}

static const sw_guide_ops ops = {.name = "remote",
                                 .reserve = reserve,
                                 .start = start,
                                 .ask = ask,
                                 .close = close_remote,
                                 .width = 8};

int sw_guide_remote(sw_guide **guide, sw_client *client,
                    const sw_domain *domain, const sw_domain_options *options,
                    sw_err *err) {
  *guide = NULL;
  if (!domain->lexicon)
    return sw_fail(err, SW_USAGE, "domain `%s` has no words", domain->name);
  if (sw_domain_has_pads(domain, options)) {
    sw_fail(err, SW_USAGE,
            "format `%s` asks for a scratchpad; a model behind a URL answers "
            "with the number of a choice and writes no tokens",
            options->format);
    return sw_hint(err, "--format: one without a scratchpad");
  }
  remote *r = calloc(1, sizeof *r);
  if (!r) return sw_no_memory(err);
  r->client = client;
  r->options = options;
  r->head.ops = &ops;
  r->head.domain = domain;
  r->head.mask = r->head.positions = "";
  snprintf(r->head.label, sizeof r->head.label, "%.90s",
           sw_client_model(client));
  /* There are no weights to hash: the address and the name stand for them. */
  const char *address = sw_client_address(client);
  const char *model = sw_client_model(client);
  uint64_t hash =
      sw_xxh64(model, strlen(model), sw_xxh64(address, strlen(address), 5));
  snprintf(r->head.hash, sizeof r->head.hash, "r%015" PRIx64, hash >> 4);
  int code = sw_team_new(&r->team, sw_client_parallel(client), err);
  if (code) {
    free(r);
    return code;
  }
  *guide = &r->head;
  return SW_OK;
}
