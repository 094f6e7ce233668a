/* A maze as a plain domain (domains/plain.h), which docs/domains.md makes step
 * by step. A problem is a square of cells of which some are open, a start and a
 * goal; a choice is the next cell; no cell is entered twice. */
#ifndef TESTS_MAZE_H
#define TESTS_MAZE_H
#include "domains/plain.h"

enum { MAZE_MOST = 8 };
typedef struct maze {
  int32_t n;
  uint64_t open; /* bit x + 8 y: cell (x, y) is open */
  int32_t start, goal;
} maze;
typedef struct maze_state {
  int32_t at;
  uint64_t been; /* cells of the path */
} maze_state;

extern const sw_plain maze_plain;

#endif
