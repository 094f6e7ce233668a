/* A guide scores the candidates of a query: a model, a rule, the expert, or
 * whatever else can sit in the closed loop. It knows nothing of verdicts,
 * budgets or errors (loop.h), and the loop knows nothing of it but this:
 *
 *   reserve  so many games will sit with it
 *   start    a game sits down in a seat
 *   show     the game has moved on; SW_LIMIT: the guide cannot read any further
 *   ask      a score for each candidate of each waiting game
 *   close
 *
 * A guide is opened once and used by many games in lock-step. What it says to
 * one game must not depend on the others. A new kind of guide is one file with
 * its functions and one row in sw_guide_kinds (guide.c). */
#ifndef SW_SEARCH_GUIDE_H
#define SW_SEARCH_GUIDE_H
#include "domains/domain.h"

typedef struct sw_game sw_game; /* loop.h */
typedef struct sw_guide sw_guide;
struct sw_verifier; /* verifier.h */

/* One waiting game: `score` has room for all its candidates. A guide that has
 * no answer (it cannot read so much, or nothing sensible came back) says why in
 * `reason` instead, and the game ends with that. */
typedef struct sw_question {
  int32_t seat;
  const sw_game *game;
  float *score;
  const char *reason; /* NULL: the scores count */
  float *dead; /* NULL, or for guides that verify: their verify head's word on
                  the state */
} sw_question;

typedef struct sw_guide_ops {
  const char *name; /* the kind's name: column `guide` of the result store */
  int (*reserve)(sw_guide *guide, int32_t seats, sw_err *err);
  int (*start)(sw_guide *guide, int32_t seat, const sw_game *game, sw_err *err);
  int (*show)(sw_guide *guide, int32_t seat, const sw_game *game, sw_err *err);
  int (*ask)(sw_guide *guide, sw_question *question, int32_t count,
             sw_err *err);
  /* NULL: next to nothing. Bytes for the answer to this seat's game, and giving
   * them back: they are taken again when it is asked the next time. */
  int64_t (*need)(const sw_guide *guide, int32_t seat);
  void (*forget)(sw_guide *guide, int32_t seat);
  void (*close)(sw_guide *guide);
  int draws;     /* 1: it uses the game's random draws (loop.h) */
  int32_t width; /* games in lock-step that suit it; 0: one */
} sw_guide_ops;

/* The head of every guide; a kind puts its own fields behind it. What names
 * the guide in tables and in the key of a result is here. */
struct sw_guide {
  const sw_guide_ops *ops;
  const sw_domain *domain;
  char label[96];   /* as tables show it */
  char hash[24];    /* of the weights, hexadecimal; "": it has none */
  const char *mask; /* as run; "": it has none */
  const char *positions;
  int64_t train_seed;
  int verifies;  /* 1: it has a verify head */
  int32_t seats; /* reserved so far */
};

void sw_guide_close(sw_guide *guide);
/* Seats for so many games; more than before forgets the games that sit. */
int sw_guide_reserve(sw_guide *guide, int32_t seats, sw_err *err);
/* SW_USAGE when the verifier needs a verify head that the guide lacks. */
int sw_guide_suits(const sw_guide *guide, const struct sw_verifier *verifier,
                   sw_err *err);
int sw_guide_start(sw_guide *guide, int32_t seat, const sw_game *game,
                   sw_err *err);
/* Asks about games that were shown. SW_DATA: a score is not a number. */
int sw_guide_ask_all(sw_guide *guide, sw_question *question, int32_t count,
                     sw_err *err);
/* One game alone: shows what is new and asks; scores go to game->score.
 * SW_LIMIT: the guide has no answer. */
int sw_guide_ask(sw_guide *guide, int32_t seat, sw_game *game, sw_err *err);
/* The next question of a game that is played alone: *asked is 1 when the guide
 * has answered it, 0 when the game is over; without an answer the game ends for
 * want of room. SW_STOPPED when it is time to stop. */
int sw_guide_next(sw_guide *guide, sw_game *game, int *asked, sw_err *err);

/* ---- guides by name: what needs no weights ---- */
typedef struct sw_guide_kind {
  const char *name, *help;
  int (*open)(sw_guide **guide, const sw_domain *domain, sw_err *err);
} sw_guide_kind;
/* `expert`, a kind that was added, or a rule of the domain. SW_USAGE names the
 * nearest one. */
int sw_guide_named(sw_guide **guide, const sw_domain *domain, const char *name,
                   sw_err *err);
int sw_guide_rule(sw_guide **guide, const sw_domain *domain, int rule,
                  sw_err *err);
int sw_guide_expert(sw_guide **guide, const sw_domain *domain, sw_err *err);
/* Adds a kind for this process (not while guides are being opened). */
int sw_guide_add_kind(const sw_guide_kind *kind, sw_err *err);
/* Index of a rule by name in the domain's list; -1: unknown. */
int sw_rule_find(const sw_domain *domain, const char *name);

#endif
