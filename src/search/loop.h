/* The closed loop: a guide (guide.h) searches one instance of any domain, and a
 * verifier (verifier.h) says when to go back.
 *
 *   protocol  cumulative  the guide is shown the whole dialogue so far
 *             rebuilt     it is shown the prefix and the current block only,
 *                         the block where the first one would stand
 *             rebuilt-in-place  the same, but the block keeps the positions
 *                         that it has in the dialogue
 *             foreign     as cumulative, with the blocks of other searches in
 *                         place of its own history (foreign.h)
 *   errors    fail        a missed conflict or a repeated value ends the search
 *             rescue      it is counted and put right
 *             execute     it is counted and done where the domain can do it
 *                         (blocks: a move tried before is still a move)
 *   variables policy      the guide names all of an action
 *             random      the first token of an action is drawn uniformly
 *             expert      the expert names it
 *
 * A game holds one instance's search. sw_game_advance runs it to the next
 * query that the guide must answer, or to its end; sw_game_take lets verifier
 * and scores decide. A caller that inspects or replaces a choice before it is
 * executed calls sw_game_choice and sw_game_answer instead. The caller owns
 * the order in which many games are asked, which changes nothing in any game.
 */
#ifndef SW_SEARCH_LOOP_H
#define SW_SEARCH_LOOP_H
#include "domains/domain.h"
#include "search/guide.h"
#include "search/outcome.h"
#include "search/verifier.h"

/* X(id, name) */
#define SW_PROTOCOLS(X)                   \
  X(CUMULATIVE, "cumulative")             \
  X(REBUILT, "rebuilt")                   \
  X(REBUILT_IN_PLACE, "rebuilt-in-place") \
  X(FOREIGN, "foreign")
typedef enum {
#define X(id, name) SW_##id,
  SW_PROTOCOLS(X)
#undef X
} sw_protocol;
/* As in results.db, bank.json, the CSV files and --protocol. */
const char *sw_protocol_name(sw_protocol protocol);
typedef enum {
  SW_ON_ERROR_FAIL,
  SW_ON_ERROR_RESCUE,
  SW_ON_ERROR_EXECUTE
} sw_on_error;
typedef enum {
  SW_VARIABLES_POLICY,
  SW_VARIABLES_RANDOM,
  SW_VARIABLES_EXPERT
} sw_variables;

/* clang-format off */
#define SW_LOOP_OPTIONS(X)                                                     \
  X(protocol, CHOICE, "protocol", "rebuilt", 0, 0, "cumulative|rebuilt|rebuilt-in-place|foreign", "what the policy is shown: the whole dialogue; prefix and current block; the same at the positions of the dialogue; or the history of other searches before the current block") \
  X(verifier, TEXT, "verifier", "", 0, 0, "", "who says when to go back: a name of the list below, with its arguments (default: model)") \
  X(loop, TEXT, "loop", "", 0, 0, "", "short forms: masked (--verifier exact), open (--verifier model)") \
  X(on_error, CHOICE, "on-error", "fail", 0, 0, "fail|rescue|execute", "what a missed conflict or a repeated value does") \
  X(variables, CHOICE, "variables", "policy", 0, 0, "policy|random|expert", "who names the first token of an action: the policy, a uniform draw, or the expert") \
  X(max_decisions, LONG, "decisions", "-1", -1, 1e12, "", "decision budget; -1: the domain's") \
  X(max_tokens, LONG, "tokens", "-1", -1, 1e12, "", "token budget of the shown context; 0: none, -1: the domain's") \
  X(verdict_shown, FLAG, "verdict-shown", "0", 0, 0, "", "let the policy itself decide although the format shows the verdict") \
  X(release_layout, FLAG, "release-layout", "0", 0, 0, "", "write blocks as the release's evaluator does (exact and model only)")
/* clang-format on */

typedef struct sw_loop_options {
  SW_LOOP_OPTIONS(SW_OPTION_FIELD)
} sw_loop_options;
/* The verifier's text that `verifier` and `loop` name together. */
int sw_loop_verifier(const sw_loop_options *options, const char **text,
                     sw_err *err);

struct sw_game {
  const sw_domain *domain;
  const sw_loop_options *options;
  sw_env *env;
  sw_verifier *verifier;
  /* Set before sw_game_start when random draws should not come from MT(0 +
   * index): the seed, or a stream that several games share. */
  uint64_t seed;
  sw_mt *shared_draws;
  const struct sw_foreign *foreign; /* protocol foreign: not NULL */
  /* Set likewise when a user waits for the answer: seconds that the ground
   * truth of one state may take; 0: no limit. */
  double truth_seconds;
  /* Questions asked before, where a game was brought here by hand (words.h);
   * NULL: a guide that tells them in words remembers its own. */
  const struct sw_asked *asked;

  sw_mt own_draws, *draws; /* for random rules and variables */
  sw_trace trace;          /* the whole dialogue */
  sw_env_status status;
  int ended;
  int counted; /* this block's state is counted as asked */
  int begun;   /* a token of this block's action is chosen */
  int erred;   /* an error of this block is counted */
  int retried; /* this block's choice is counted as a retry */
  int64_t prefix_length;
  int64_t borrowed_blocks, borrowed_tokens; /* protocol foreign: shown so far */
  /* The query that waits: what the guide may choose from. */
  const sw_cand *candidate;
  int candidates;
  float *score;   /* [candidates], filled by the guide */
  float dead;     /* by a guide that verifies: how likely the state is dead */
  int can_back;   /* going back is possible at this query */
  int added_back; /* it is on the list though the environment did not offer it,
                    for a verifier that goes back midway */
  int consulted;  /* the list is made, and the verifier asked if it can be */
  sw_cands kept;
  int32_t score_room;
  sw_err failure; /* .code: of a verifier that could not judge; ends the game */
  sw_outcome outcome;
};

int sw_game_new(sw_game *game, const sw_domain *domain,
                const sw_domain_options *domain_options,
                const sw_loop_options *options, sw_err *err);
void sw_game_free(sw_game *game);
int sw_game_start(sw_game *game, const sw_instance *instance, int64_t index,
                  sw_err *err);
/* Another verifier, for a game that sits with `guide` and has not yet advanced.
 * One that the guide does not suit is refused; the game then keeps its own. */
int sw_game_verifier(sw_game *game, const sw_guide *guide, const char *text,
                     sw_err *err);
/* 1: a query waits in game->candidate; 0: the game has ended. */
int sw_game_advance(sw_game *game);
/* What verifier and scores choose: an index, and in *fallback the best legal
 * candidate (-1: there is none). Judges, so it is called once a query. Where
 * only going back is left, that is the choice, whatever the verifier says. */
int sw_game_choice(sw_game *game, int *fallback);
/* Takes the chosen candidate. `fallback` is used by rescue and by a prune at
 * the root. */
void sw_game_answer(sw_game *game, int chosen, int fallback);
/* Both; and a verifier that would go on where only going back is left has
 * missed a conflict. */
void sw_game_take(sw_game *game);
void sw_game_stop(sw_game *game, const char *reason);
/* SW_OK, or why a game that ended has no outcome: out of memory, a verifier
 * that could not judge, or an oracle that was stopped. */
int sw_game_trouble(const sw_game *game, sw_err *err);
/* The same without the oracle: a deadline may stop it. */
int sw_game_failure(const sw_game *game, sw_err *err);
/* Ground truth of a state without an exposed conflict: 1 lost, 0 not lost, -1
 * unknown (the domain cannot tell, or time or memory ran out). */
int sw_game_lost(const sw_game *game);
/* Tokens the guide is shown now. */
int64_t sw_game_context(sw_game *game);
/* Base/check.h: a game that was started, its dialogue and its counters. */
const char *sw_game_check(const sw_game *game);

#endif
