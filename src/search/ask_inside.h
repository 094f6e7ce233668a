/* What the files of the asker share (ask.h): ask.c its life and games,
 * ask_trace.c traces, ask_state.c traces for families that read states. */
#ifndef SW_SEARCH_ASK_INSIDE_H
#define SW_SEARCH_ASK_INSIDE_H
#include "search/ask.h"
#include "search/shown.h"
#include "search/state_reader.h"
#include "train/feed.h"
#include "domains/replay.h"

typedef struct sw_ask_seat {
  sw_shown shown; /* of its game */
  sw_trace seen;  /* what it was shown of a trace */
  int64_t used;   /* clock of the last question; 0: it has seen nothing */
  char *bytes;    /* the state that the session has */
  size_t size;
  int64_t step;
} sw_ask_seat;

struct sw_asker {
  sw_ask_options o;
  sw_domain_options domain_options; /* what o.domain_options points at */
  sw_net *net;
  sw_team *team;
  sw_work *work;     /* the full path */
  sw_seats *session; /* the cached one */
  sw_ask_seat *seat; /* [seats] */
  const float **row; /* [seats] of the last run */
  int32_t seats;
  int32_t last; /* the seat of the last trace */
  int64_t clock;
  sw_prepared prepared;
  float *out;
  size_t out_room;
  /* Families that read states. */
  int states;
  sw_state_reader reader;
  sw_replay replay; /* opened for the first trace */
  sw_instance *instance;
  sw_trace asked;
  const sw_trace *told;   /* the last question, for those that follow it */
  const sw_trace *search; /* what they look at; NULL: at what is shown */
  int32_t vocab;
  float *heads;          /* [outputs] of the net */
  float *logits, *score; /* [vocab]; [candidates] */
  int32_t score_room;
  int32_t *place, places; /* 0, 1, 2, ...: the rows of a record */
};

int sw_ask_memory(sw_err *err);
int sw_ask_room(sw_asker *asker, size_t floats, sw_err *err);
/* Scores by token after the first `length` tokens of the trace and `count`
 * further ones, and the hidden vector there. A trace that does not begin at the
 * start of its search cannot be replayed: SW_DATA. */
int sw_ask_state(sw_asker *asker, const sw_trace *trace, int64_t length,
                 const int32_t *token, int32_t count, const float **scores,
                 sw_err *err);
int sw_ask_state_hidden(sw_asker *asker, const sw_trace *trace, int64_t length,
                        float *out, sw_err *err);
/* Leaves the supervision of a whole trace to the answers of its queries. */
int sw_ask_state_questions(sw_asker *asker, sw_trace *trace, sw_err *err);

#endif
