/* A guide made of a trained model. The one place where src/search knows what
 * kinds of model there are; a family itself knows nothing of games. */
#ifndef SW_SEARCH_GUIDE_FAMILY_H
#define SW_SEARCH_GUIDE_FAMILY_H
#include "base/threads.h"
#include "search/guide.h"
#include "search/loaded.h"

typedef struct sw_guide_setup {
  const char *mask, *positions; /* NULL: those it was trained with */
  int no_cache; /* 1: recompute the whole context at each query */
} sw_guide_setup;

/* `loaded` and `team` must outlive the guide. setup NULL: as trained. */
int sw_guide_model(sw_guide **guide, const sw_loaded *loaded,
                   const sw_guide_setup *setup, sw_team *team, sw_err *err);
/* Tokens of blocks that the game in a seat was really shown. */
int64_t sw_guide_tokens_shown(const sw_guide *guide, int32_t seat);

#endif
