/* The asker's life, and games that are followed (see ask.h). */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/check.h"
#include "search/ask_inside.h"
#include "search/loop.h"

int sw_ask_memory(sw_err *err) {
  return sw_no_memory_for(err, "asking a model");
}

int sw_ask_numbers(const sw_asker *a, const float *score, int64_t count,
                   sw_err *err) {
  int bad = 0;
  for (int64_t i = 0; i < count; i++) bad |= score[i] != score[i];
  if (!bad) return SW_OK;
  sw_fail(err, SW_DATA, "the answer of the model (%s) is not a number",
          a->net->family->name);
  return sw_hint(err,
                 "its weights have grown too large: train it again with a "
                 "smaller --lr");
}

int sw_ask_room(sw_asker *a, size_t floats, sw_err *err) {
  if (floats <= a->out_room) return SW_OK;
  float *out = realloc(a->out, sizeof *out * floats);
  if (!out) return sw_ask_memory(err);
  a->out = out;
  a->out_room = floats;
  return SW_OK;
}

static int open_states(sw_asker *a, sw_err *err) {
  if (!a->o.domain)
    return sw_fail(err, SW_USAGE,
                   "models of the family %s read %s and cannot be asked this",
                   a->net->family->name, a->net->family->reads);
  a->states = 1;
  a->heads = malloc(sizeof *a->heads * (size_t)a->net->outputs);
  if (!a->heads) return sw_ask_memory(err);
  if (a->o.domain_options) {
    a->domain_options = *a->o.domain_options;
    a->o.domain_options = &a->domain_options;
  }
  return sw_state_reader_new(&a->reader, a->o.domain, a->net, err);
}

static int open_session(sw_asker *a, sw_err *err) {
  a->seats = a->o.seats > 0 ? a->o.seats : 1;
  a->seat = calloc((size_t)a->seats, sizeof *a->seat);
  a->row = calloc((size_t)a->seats, sizeof *a->row);
  if (!a->seat || !a->row) return sw_ask_memory(err);
  sw_session_options o = {.sequences = a->seats,
                          .reading = a->o.reading,
                          .cache_prefix = !a->o.recompute};
  return sw_seats_new(&a->session, a->net, a->team, &o, err);
}

int sw_asker_new(sw_asker **asker, const sw_ask_options *options, sw_team *team,
                 sw_err *err) {
  sw_asker *a = calloc(1, sizeof *a);
  *asker = NULL;
  if (!a) return sw_ask_memory(err);
  a->o = *options;
  a->net = options->model;
  a->team = team;
  sw_prepared_init(&a->prepared);
  sw_trace_init(&a->asked);
  int code = sw_net_suits(a->net, &options->reading, err);
  if (!code && strcmp(a->net->family->reads, "tokens"))
    code = open_states(a, err);
  if (!code)
    code = options->cached ? open_session(a, err)
                           : sw_work_new(&a->work, a->net, team, err);
  if (code) sw_asker_free(a);
  else *asker = a;
  return code;
}

void sw_asker_free(sw_asker *a) {
  if (!a) return;
  for (int32_t i = 0; a->seat && i < a->seats; i++) {
    sw_trace_free(&a->seat[i].seen);
    free(a->seat[i].bytes);
  }
  if (a->instance) a->o.domain->instance_free(a->instance);
  sw_replay_close(&a->replay);
  if (a->states) sw_state_reader_free(&a->reader);
  sw_work_free(a->work);
  sw_seats_free(a->session);
  sw_prepared_free(&a->prepared);
  sw_trace_free(&a->asked);
  free(a->seat);
  free(a->row);
  free(a->out);
  free(a->heads);
  free(a->logits);
  free(a->score);
  free(a->place);
  free(a);
}

int sw_asker_reads_states(const sw_asker *a) { return a->states; }

int32_t sw_asker_vocab(const sw_asker *a) {
  return a->states ? a->o.domain->vocab_size(a->o.domain_options)
                   : a->net->outputs;
}

/* ---- games ---- */

void sw_ask_sit(sw_asker *a, int32_t seat) {
  SW_CHECK(sw_asker_check(a));
  SW_ASSERT(seat >= 0 && seat < a->seats);
  sw_ask_seat *s = &a->seat[seat];
  s->shown = (sw_shown){
      .session = a->session, .sequence = seat, .reading = a->o.reading};
  s->used = 0;
  s->size = 0; /* another instance may have the same bytes */
}

/* Gives the session the state of a game, unless it has it already. */
static int follow_state(sw_asker *a, int32_t seat, const sw_game *game,
                        sw_err *err) {
  sw_ask_seat *own = &a->seat[seat];
  sw_state_reader *r = &a->reader;
  const sw_search_ops *search = a->o.domain->search;
  int64_t step = game->trace.blocks - 1;
  sw_record record;
  if (search->pad.writes && search->pad.writes(game->env)) {
    sw_fail(err, SW_USAGE,
            "the format asks for a scratchpad; models of the family %s read "
            "states and write no tokens",
            a->net->family->name);
    return sw_hint(err, "--format: one without a scratchpad");
  }
  SW_TRY(sw_state_capture(r, game->env, err));
  int counts = r->layout.step && own->step != step;
  if (!a->o.recompute && !counts && own->size == r->size &&
      !memcmp(own->bytes, r->bytes, r->size))
    return SW_OK;
  char *bytes = realloc(own->bytes, r->size);
  if (!bytes) return sw_ask_memory(err);
  own->bytes = bytes;
  memcpy(bytes, r->bytes, r->size);
  own->size = r->size;
  own->step = step;
  SW_TRY(sw_state_record_of(r, game->env, step, &record, err));
  return sw_seats_state(a->session, seat, &record, err);
}

int sw_ask_follow(sw_asker *a, int32_t seat, const sw_game *game, sw_err *err) {
  SW_ASSERT(a->session && seat >= 0 && seat < a->seats);
  SW_CHECK(sw_game_check(game));
  return a->states ? follow_state(a, seat, game, err)
                   : sw_show_game(&a->seat[seat].shown, game, err);
}

int sw_ask_follow_record(sw_asker *a, int32_t seat, const sw_dialogue *dialogue,
                         sw_err *err) {
  SW_ASSERT(a->session && seat >= 0 && seat < a->seats);
  SW_ASSERT(dialogue->blocks > 0);
  if (!a->states) return sw_show(&a->seat[seat].shown, dialogue, err);
  return sw_fail(err, SW_USAGE, "models of the family %s are asked of states",
                 a->net->family->name);
}

int sw_ask_run(sw_asker *a, const int32_t *seat, int32_t count, float *dead,
               sw_err *err) {
  SW_CHECK(sw_asker_check(a));
  SW_ASSERT(a->session && count >= 0 && count <= a->seats);
  int code = sw_seats_run(a->session, seat, count, a->row, err);
  for (int32_t i = 0; code && i < count; i++) a->seat[seat[i]].used = 0;
  if (!code && dead) code = sw_seats_verdicts(a->session, count, dead, err);
  return code;
}

const float *sw_ask_row(const sw_asker *a, int32_t i) {
  SW_ASSERT(i >= 0 && i < a->seats);
  return a->row[i];
}

void sw_ask_scores(const sw_asker *a, int32_t i, const sw_game *game,
                   float *score) {
  SW_ASSERT(i >= 0 && i < a->seats);
  SW_ASSERT(score || !game->candidates);
  if (a->states) {
    sw_state_scores(a->o.domain, a->net, game->env, game->candidate,
                    game->candidates, a->row[i], score);
    return;
  }
  for (int k = 0; k < game->candidates; k++)
    score[k] = a->row[i][game->candidate[k].token];
}

int64_t sw_ask_need(const sw_asker *a, int32_t seat) {
  return a->session && seat < a->seats ? sw_seats_need(a->session, seat) : 0;
}

void sw_ask_forget(sw_asker *a, int32_t seat) {
  if (a->session && seat < a->seats) sw_seats_forget(a->session, seat);
}

int64_t sw_ask_tokens_shown(const sw_asker *a, int32_t seat) {
  return seat < a->seats ? a->seat[seat].shown.tokens : 0;
}

/* ---- states ---- */

int sw_ask_record(sw_asker *a, const sw_record *record, int32_t count,
                  float *scores, sw_err *err) {
  SW_ASSERT(a->work && record && count >= 0);
  sw_item item = {.record = *record};
  if (!sw_grow(&a->place, &a->places, count, sizeof *a->place))
    return sw_ask_memory(err);
  for (int32_t i = 0; i < count; i++) a->place[i] = i;
  return sw_work_rows(a->work, &item, a->place, count, scores, err);
}

#ifdef SW_DEBUG
const char *sw_asker_check(const sw_asker *a) {
  if (!a || !a->net) return "no asker";
  if (!a->work == !a->session) return "not one path";
  if (a->session && (a->seats < 1 || !a->seat || !a->row)) return "no seats";
  if (a->states && !a->heads) return "no room for the answer";
  return a->last < 0 || (a->session && a->last >= a->seats)
             ? "the last seat is out of range"
             : NULL;
}
#endif
