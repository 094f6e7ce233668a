/* What a session has been shown of a game, and showing it the rest. The asker
 * (ask.h) follows a game with it; this is the one place that turns the game's
 * dialogue into session calls.
 *
 * Protocol rebuilt: the prefix once, then the current block alone; blocks that
 * passed without a query are never shown. Protocol cumulative: every block,
 * with the rest of an older one that was written after its last query - except
 * where no later token could tell: under a block-local mask, unless positions
 * count through the whole dialogue (standard). Protocol rebuilt-in-place: as
 * rebuilt, with the positions of cumulative. Protocol foreign: as cumulative,
 * each block replaced by one of another search when it is over (foreign.h).
 *
 * A zeroed sw_shown with its first three members set belongs to a game that has
 * just started. Showing is incremental and changes nothing when there is
 * nothing new, so a caller may show the prefix early (to learn of a limit) or
 * not. */
#ifndef SW_SEARCH_SHOWN_H
#define SW_SEARCH_SHOWN_H
#include "model/family.h"
#include "search/loop.h"

typedef struct sw_shown {
  sw_seats *session;
  int32_t sequence;   /* of the session */
  sw_reading reading; /* the session's */
  int begun;          /* the prefix is there */
  int64_t block;      /* the trace's block that the session has open */
  int64_t pushed;     /* tokens of the trace that are dealt with */
  int64_t tokens;     /* tokens of blocks that were really shown */
} sw_shown;

/* Shows what is new since the last call, up to the query that waits. SW_LIMIT:
 * the position table ends; the game cannot be asked further. */
int sw_show(sw_shown *shown, const sw_game *game, sw_err *err);

#endif
