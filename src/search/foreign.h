/* Histories of other searches, for the protocol `foreign`: at every block the
 * guide is shown its own problem and its own state, and between them as many
 * blocks as its search has had, but of the expert's searches on other
 * instances. The problem, the state, the number of blocks and the look of a
 * history are right; only what it tells is not about this search.
 *
 * The blocks of a donor are those that do not end it, in order; a game begins
 * with the donor of its index and goes on with the next one. Donors come from a
 * stream that no game of the evaluation is drawn from, so what a game is shown
 * is a function of (options, seed, index) alone. */
#ifndef SW_SEARCH_FOREIGN_H
#define SW_SEARCH_FOREIGN_H
#include "domains/domain.h"

typedef struct sw_foreign sw_foreign;

int sw_foreign_new(sw_foreign **foreign, const sw_domain *domain,
                   const sw_domain_options *options, uint64_t seed,
                   sw_err *err);
void sw_foreign_free(sw_foreign *foreign);
/* The block (from 0) of the history of game `index`: its tokens. */
const int32_t *sw_foreign_block(const sw_foreign *foreign, int64_t index,
                                int64_t block, int32_t *count);

#endif
