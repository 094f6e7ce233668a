/* Asking a model: the one place from which a model of any family is asked,
 * during a search, about a trace, or about a state. Guides, probes, the server
 * and the C API stand on it.
 *
 * Two paths that give the same bits:
 *   full     one forward pass over everything that is shown (sw_work): nothing
 *            is skipped, so equal bits are a fact about the mask, not about a
 *            cache that forgot the history
 *   cached   a session (sw_seats) with seats, each of which remembers what it
 *            was shown and computes only what is new
 *
 * Families that read tokens are asked for what comes next: scores of the whole
 * vocabulary. Families that read states are asked for the candidates of the
 * query where the game or the trace stands; the scores of a trace stand at the
 * candidates' tokens, all others far below, so that every family can be put the
 * same questions. A score that is not a number is an error (SW_DATA). */
#ifndef SW_SEARCH_ASK_H
#define SW_SEARCH_ASK_H
#include "base/err.h"
#include "base/threads.h"
#include "domains/domain.h"
#include "model/family.h"
#include "search/guide.h"
#include "trace/reading.h"
#include "trace/trace.h"

typedef struct sw_ask_options {
  sw_net *model;
  sw_reading reading;
  uint64_t mask_seed; /* draws of random-matched */
  int cached;         /* 0: the full path */
  int recompute;      /* cached: the session keeps no prefix (a baseline) */
  int skips_unseen;   /* cached: blocks that no later token can see are not
                         shown either (as the closed loop does) */
  int32_t seats;      /* cached: questions side by side; 0: one */
  /* Families that read states: the domain, and for questions about traces its
   * resolved options. NULL: such a family is refused. */
  const sw_domain *domain;
  const sw_domain_options *domain_options;
} sw_ask_options;

typedef struct sw_asker sw_asker;
int sw_asker_new(sw_asker **asker, const sw_ask_options *options, sw_team *team,
                 sw_err *err);
void sw_asker_free(sw_asker *asker);
int32_t sw_asker_vocab(const sw_asker *asker);
const char *sw_asker_check(const sw_asker *asker); /* base/check.h */

/* ---- games: a seat each, asked in lock-step (guide_family.c) ---- */
/* A game (or a recorded search) that has just started sits down. */
void sw_ask_sit(sw_asker *asker, int32_t seat);
/* Shows the seat what is new of its game. SW_LIMIT: the position table ends. */
int sw_ask_follow(sw_asker *asker, int32_t seat, const sw_game *game,
                  sw_err *err);
/* The same of a recorded search (shown.h); families that read tokens. */
struct sw_dialogue;
int sw_ask_follow_record(sw_asker *asker, int32_t seat,
                         const struct sw_dialogue *dialogue, sw_err *err);
/* Computes what the seats were shown in one pass. `dead`, [count] or NULL: the
 * verify head's word on each. */
int sw_ask_run(sw_asker *asker, const int32_t *seat, int32_t count, float *dead,
               sw_err *err);
/* Of the i-th seat of the last run: scores by token, or of the heads. */
const float *sw_ask_row(const sw_asker *asker, int32_t i);
/* SW_DATA where one of the scores is not a number. */
int sw_ask_numbers(const sw_asker *asker, const float *score, int64_t count,
                   sw_err *err);
/* Scores of the candidates of the query at which its game waits. */
void sw_ask_scores(const sw_asker *asker, int32_t i, const sw_game *game,
                   float *score);
/* Bytes that a seat holds once it has run, and giving them back: what is needed
 * of it is computed again by its next run, to the same bits. */
int64_t sw_ask_need(const sw_asker *asker, int32_t seat);
void sw_ask_forget(sw_asker *asker, int32_t seat);
/* Tokens of blocks that the game in a seat was really shown. */
int64_t sw_ask_tokens_shown(const sw_asker *asker, int32_t seat);

/* ---- traces ---- */
/* Families that read states (1: the model's is one) look at the search that a
 * trace tells. Where the traces to come show another one's blocks, or leave
 * some out, this is the search whose state they end with; NULL: what they show.
 * Families that read tokens read what is shown. */
int sw_asker_reads_states(const sw_asker *asker);
void sw_ask_of(sw_asker *asker, const sw_trace *search);
/* Takes the supervision from tokens at which such a model is never asked: what
 * the environment writes by itself, to close a block. */
int sw_ask_questions(sw_asker *asker, sw_trace *trace, sw_err *err);

/* Does the trace fit the position table (1), or not (0)? */
int sw_ask_fits(const sw_asker *asker, const sw_trace *trace);
/* Scores after the last token. The cached path takes the seat that has seen the
 * most of the trace. SW_LIMIT when it does not fit. */
int sw_ask(sw_asker *asker, const sw_trace *trace, const float **scores,
           sw_err *err);
/* Cached path: shows a seat of the caller's choice a trace (sw_ask_run asks),
 * as much of it as the seat has not seen. */
int sw_ask_show(sw_asker *asker, int32_t seat, const sw_trace *trace,
                sw_err *err);
/* Scores after each of the given tokens, [count][vocab], in one full pass
 * (several queries of one trace; wrong under a leaky mask, which is refused).
 * The answer stays valid until the next question. */
int sw_ask_rows(sw_asker *asker, const sw_trace *trace, const int32_t *rows,
                int32_t count, const float **out, sw_err *err);
/* The same as a training step sees them, whatever the mask. */
int sw_ask_pass(sw_asker *asker, const sw_trace *trace, const int32_t *rows,
                int32_t count, const float **out, sw_err *err);
/* Final hidden states of the same rows, [count][d]. */
int sw_ask_hidden(sw_asker *asker, const sw_trace *trace, const int32_t *rows,
                  int32_t count, const float **out, sw_err *err);

/* Follow-up questions. Scores after further tokens, which are put at the end of
 * the trace that was asked about and stay there. */
int sw_ask_more(sw_asker *asker, sw_trace *trace, const int32_t *token,
                int32_t count, const float **scores, sw_err *err);
int sw_ask_on(sw_asker *asker, sw_trace *trace, int32_t token,
              const float **scores, sw_err *err);
/* Scores after the last trace and `count` further tokens of its last block,
 * which are taken back. Cached path only. */
int sw_ask_after(sw_asker *asker, const int32_t *token, int32_t count,
                 const float **scores, sw_err *err);
/* Of the trace that was asked about last, cached path only: how likely the
 * verify head says its state is dead; and what its last token looked at
 * (sw_seats_attention), weights [layers][heads][rows] or NULL. */
int sw_ask_verdict(sw_asker *asker, float *dead, sw_err *err);
int sw_ask_attention(sw_asker *asker, sw_attention_shape *shape, float *weights,
                     sw_err *err);

/* ---- states: scores of the rows of a record, full path, not checked ---- */
int sw_ask_record(sw_asker *asker, const sw_record *record, int32_t count,
                  float *scores, sw_err *err);

#endif
