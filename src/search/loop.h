/* The closed loop: a policy searches one instance of any domain.
 *
 *   protocol  cumulative  the policy is shown the whole dialogue so far
 *             rebuilt     it is shown the prefix and the current block only
 *   loop      masked      the infrastructure goes back at conflicts
 *             open        at every state the policy chooses among going back
 *                         and every legal continuation
 *   errors    fail        a missed conflict or a repeated value ends the search
 *             rescue      it is counted and put right
 *             execute     it is counted and done where the domain can do it
 *                         (blocks: a move tried before is still a move)
 *
 * A game holds one instance's search. sw_game_advance runs it to its next
 * query or its end; sw_game_answer takes the policy's choice. The caller owns
 * the order in which many games are asked, which changes nothing in any game.
 */
#ifndef SW_SEARCH_LOOP_H
#define SW_SEARCH_LOOP_H
#include "domains/domain.h"
#include "search/outcome.h"

typedef enum { SW_CUMULATIVE, SW_REBUILT } sw_protocol;
/* As in results.db, bank.json, the CSV files and --protocol. */
const char *sw_protocol_name(sw_protocol protocol);
typedef enum { SW_LOOP_MASKED, SW_LOOP_OPEN } sw_loop_kind;
typedef enum {
  SW_ON_ERROR_FAIL,
  SW_ON_ERROR_RESCUE,
  SW_ON_ERROR_EXECUTE
} sw_on_error;

/* clang-format off */
#define SW_LOOP_OPTIONS(X)                                                     \
  X(protocol, CHOICE, "protocol", "rebuilt", 0, 0, "cumulative|rebuilt", "what the policy is shown: the whole dialogue, or prefix and current block") \
  X(loop, CHOICE, "loop", "open", 0, 0, "masked|open", "who goes back: the infrastructure, or the policy") \
  X(on_error, CHOICE, "on-error", "fail", 0, 0, "fail|rescue|execute", "what a missed conflict or a repeated value does") \
  X(variables, CHOICE, "variables", "policy", 0, 0, "policy|random", "random: the first token of an action is drawn uniformly") \
  X(max_decisions, LONG, "decisions", "-1", -1, 1e12, "", "decision budget; -1: the domain's") \
  X(max_tokens, LONG, "tokens", "-1", -1, 1e12, "", "token budget of the shown context; 0: none, -1: the domain's") \
  X(release_layout, FLAG, "release-layout", "0", 0, 0, "", "write blocks as the release's evaluator does")
/* clang-format on */

typedef struct sw_loop_options {
  SW_LOOP_OPTIONS(SW_OPTION_FIELD)
} sw_loop_options;
extern const sw_option sw_loop_table[];
extern const int sw_loop_table_count;

typedef struct sw_game {
  const sw_domain *domain;
  const sw_loop_options *options;
  sw_env *env;
  sw_trace trace; /* the whole dialogue */
  sw_env_status status;
  int ended, asked; /* asked: a query of this block was answered */
  int erred;        /* execute: an error of this block is counted */
  int64_t prefix_length;
  int candidates;
  sw_cand candidate[SW_CANDS_MAX];
  sw_outcome outcome;
} sw_game;

int sw_game_new(sw_game *game, const sw_domain *domain,
                const sw_domain_options *domain_options,
                const sw_loop_options *options, sw_err *err);
void sw_game_free(sw_game *game);
int sw_game_start(sw_game *game, const sw_instance *instance, int64_t index,
                  sw_err *err);
/* 1: a query waits in game->candidate; 0: the game has ended. */
int sw_game_advance(sw_game *game);
/* Takes the chosen candidate. `fallback` is the best CONTINUE candidate, used
 * by rescue and by a prune at the root (-1: there is none). */
void sw_game_answer(sw_game *game, int chosen, int fallback);
void sw_game_stop(sw_game *game, const char *reason);
/* Tokens the policy is shown now. */
int64_t sw_game_context(const sw_game *game);

#endif
