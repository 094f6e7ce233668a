/* What a session has been shown of a search, and showing it the rest. The asker
 * (ask.h) follows games and recorded searches with it; this is the one place
 * that turns a dialogue and a protocol into session calls.
 *
 * Protocol rebuilt: the prefix once, then the current block alone; blocks that
 * passed without a query are never shown. Protocol cumulative: every block,
 * with the rest of an older one that was written after its last query - except
 * where no later token could tell: under a block-local mask, unless positions
 * count through the whole dialogue (standard). Protocol rebuilt-in-place: as
 * rebuilt, with the positions of cumulative. Protocol foreign: as cumulative,
 * each block replaced by one of another search when it is over (foreign.h).
 *
 * A zeroed sw_shown with its first three members set belongs to a search that
 * has just started. Showing is incremental and changes nothing when there is
 * nothing new, so a caller may show the prefix early (to learn of a limit) or
 * not. */
#ifndef SW_SEARCH_SHOWN_H
#define SW_SEARCH_SHOWN_H
#include "model/family.h"
#include "search/loop.h"

/* A dialogue as far as it has come, to a query. */
typedef struct sw_dialogue {
  const int32_t *token;
  const int64_t *block_start; /* [blocks] into `token`; block 0 is the prefix */
  int64_t blocks;
  int64_t prefix_end, end; /* into `token` */
  sw_protocol protocol;
  /* Protocol foreign: the tokens shown in place of decision block `block`. */
  const int32_t *(*borrow)(void *context, int64_t block, int32_t *count);
  void *context;
} sw_dialogue;

typedef struct sw_shown {
  sw_seats *session;
  int32_t sequence;   /* of the session */
  sw_reading reading; /* the session's */
  int begun;          /* the prefix is there */
  int64_t block;      /* the dialogue's block that the session has open */
  int64_t pushed;     /* tokens of the dialogue that are dealt with */
  int64_t tokens;     /* tokens of blocks that were really shown */
} sw_shown;

/* Shows what is new since the last call, up to the query that waits. SW_LIMIT:
 * the position table ends; the search cannot be asked about further. */
int sw_show(sw_shown *shown, const sw_dialogue *dialogue, sw_err *err);
int sw_show_game(sw_shown *shown, const sw_game *game, sw_err *err);

#endif
