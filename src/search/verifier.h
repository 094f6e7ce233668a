/* A verifier says when to go back. It is asked at every query of a block, also
 * where there is nothing to go back from (game->can_back), and is written by
 * name with arguments (`--verifier NAME[:ARGS]`):
 *
 *   never              never: the floor
 *   exact              when propagation has exposed a conflict
 *                      (short: --loop masked)
 *   model              when the guide's best candidate is to go back
 *                      (short: --loop open)
 *   head:TAU           when the guide's verify head gives the state more than
 *                      TAU of being dead
 *   viability:FILE:TAU when a model of state features does
 *   cdcl:C             when the complete solver proves the state dead within C
 *                      conflicts (0: by propagation alone)
 *   sidecar:C          probes every continuation of an action that was begun
 *                      (SAT: both values of the chosen variable) with C
 *                      conflicts: goes back when all are dead, names the one
 *                      that is left; elsewhere as `exact`
 *   oracle             when the state cannot be extended to a solution
 *   noise:FP,FN:INNER  as INNER, but viable states are called dead at rate FP
 *                      and dead ones viable at rate FN
 *   confirm:C:INNER    when INNER proposes it and the complete solver proves
 *                      the state dead within C conflicts; at exposed conflicts
 *                      always
 *   any:A+B            when one of the two does
 *   random:P, depth:D  with probability P; when D decisions stand: proposers
 *                      that do not look
 *   size:I:X           when the I-th size of the state is at least X
 *
 * INNER is any verifier, in parentheses where it would be misread. A new one is
 * one file with its functions and one row in verifier.c.
 *
 * Each game has a verifier of its own, so a verdict depends on the game alone:
 * on its state, on the guide's scores, and (noise) on a random stream seeded by
 * instance. */
#ifndef SW_SEARCH_VERIFIER_H
#define SW_SEARCH_VERIFIER_H
#include "domains/domain.h"

typedef struct sw_game sw_game; /* loop.h */
typedef struct sw_verifier sw_verifier;
typedef enum { SW_GO_ON, SW_GO_BACK, SW_FORCE } sw_verdict;

/* What a verifier has cost since its game began. */
typedef struct sw_verifier_cost {
  int64_t queries;   /* put to a complete solver */
  int64_t conflicts; /* spent by it */
} sw_verifier_cost;

typedef struct sw_verifier_kind {
  const char *name, *args, *help; /* args: "" or how they are written */
  size_t bytes;                   /* of the struct that begins with the head */
  /* Reads the arguments and opens inner verifiers; fills in the head. NULL:
   * it has no arguments. */
  int (*open)(sw_verifier *verifier, const char *args, sw_err *err);
  /* SW_FORCE names the token to take. `score` is by candidate, going back
   * included; NULL unless the verifier needs it. */
  sw_verdict (*judge)(sw_verifier *verifier, sw_game *game, const float *score,
                      int32_t *token);
  void (*start)(sw_verifier *verifier, uint64_t seed); /* may be NULL */
  void (*close)(sw_verifier *verifier); /* NULL: nothing but its memory */
  /* 1: the domain has what this needs. NULL: it needs nothing. */
  int (*can)(const sw_domain *domain);
  int needs_scores;   /* the guide is asked first, and offered going back */
  int needs_verdicts; /* the guide must have a verify head (game->dead) */
  int midway;         /* may go back from an action that was begun, where the
                         environment does not offer it (sw_search_ops
                         .back_midway) */
  int sound;          /* never goes back from a viable state */
  int certain;        /* never overlooks an exposed conflict, so that conflict
                         states are not counted as asked */
  int yields;         /* goes back where nothing else is on the list, so that
                         it need not be asked there */
  int of_policy;      /* the verdict is the guide's own word on what it is
                         shown */
} sw_verifier_kind;
/* The kinds in order, those that were added last; NULL behind the last. */
const sw_verifier_kind *sw_verifier_kind_at(int i);

enum { SW_VERIFIER_TEXT = 240 };
struct sw_verifier {
  const sw_verifier_kind *kind;
  const sw_domain *domain;
  int needs_scores, needs_verdicts, midway, sound, certain, yields,
      of_policy;               /* the kind's, or what the inner ones make */
  sw_verifier *inner[2];       /* owned; NULL: none */
  sw_verifier_cost cost;       /* of the whole, kept in the outermost */
  char text[SW_VERIFIER_TEXT]; /* canonical: the same verifier, the same
                                  text */
};

/* SW_USAGE with the list of those the domain has. */
int sw_verifier_open(sw_verifier **verifier, const sw_domain *domain,
                     const char *text, sw_err *err);
void sw_verifier_close(sw_verifier *verifier);
/* A game begins: `seed` is a function of (seed, instance). */
void sw_verifier_start(sw_verifier *verifier, uint64_t seed);
sw_verdict sw_verifier_judge(sw_verifier *verifier, sw_game *game,
                             const float *score, int32_t *token);
/* Where the format shows the verdict, a guide that goes back in the right
 * places reads and does not verify: SW_USAGE when the guide's own word counts
 * there, unless that is `meant` (--verdict-shown). `options` are resolved. */
int sw_verifier_unshown(const sw_verifier *verifier,
                        const sw_domain_options *options, int meant,
                        sw_err *err);
/* What was spent by it and by all inner ones. */
sw_verifier_cost sw_verifier_spent(const sw_verifier *verifier);
/* Names of those that a domain (NULL: any) has, joined by blanks. */
void sw_verifier_names(const sw_domain *domain, char *text, size_t room);
/* For a kind's open(): reads a rate, or a number of what `what` says; *text
 * moves past it. */
int sw_verifier_rate(const sw_verifier *verifier, const char **text,
                     double *rate, sw_err *err);
int sw_verifier_number(const sw_verifier *verifier, const char *what,
                       const char **text, int64_t *number, sw_err *err);
/* The shortest text that reads as this number, in any locale: two numbers never
 * look the same, which would mix their results in a store. */
void sw_verifier_real(double number, char text[32]);
/* The error of a kind whose arguments are not as its row says. */
int sw_verifier_misread(const sw_verifier *verifier, const char *example,
                        sw_err *err);
/* Writes the canonical text; SW_USAGE when it is too long. */
int sw_verifier_call(sw_verifier *verifier, sw_err *err, const char *format,
                     ...) __attribute__((format(printf, 3, 4)));

/* Adds a kind for this process (not while verifiers are being opened). */
int sw_verifier_add_kind(const sw_verifier_kind *kind, sw_err *err);

/* The rows. */
extern const sw_verifier_kind sw_verifier_never, sw_verifier_exact,
    sw_verifier_model, sw_verifier_oracle, sw_verifier_noise, sw_verifier_cdcl,
    sw_verifier_sidecar, sw_verifier_confirm, sw_verifier_any, sw_verifier_head,
    sw_verifier_random, sw_verifier_depth, sw_verifier_viability,
    sw_verifier_size;

#endif
