/* The maze of maze.h as an environment (include/statewise.h): the same cells,
 * moves and expert, but the dialogue is its own: what was tried, going back,
 * conflicts, ground truth and words. */
#ifndef TESTS_MAZE_OUTSIDE_H
#define TESTS_MAZE_OUTSIDE_H
#include "maze.h"
#include "statewise.h"

enum {
  MAZE_OWN_WORDS = 69, /* of maze_plain; these two stand behind them */
  MAZE_BACK = MAZE_OWN_WORDS,
  MAZE_TRIED,
  MAZE_WORDS
};

/* Words of the plain domain's tokens, and the order they are announced in. */
typedef struct maze_vocabulary {
  const char *name;
  const char *word[MAZE_WORDS], *announced[MAZE_WORDS + 1];
} maze_vocabulary;

/* `maze` has the words of the plain domain in its order; `labyrinth` announces
 * them backwards and has its own for going back and for what was tried. */
maze_vocabulary maze_vocabulary_of(const char *name);

/* The vocabulary must stay. */
statewise_environment maze_environment(maze_vocabulary *words);

#endif
