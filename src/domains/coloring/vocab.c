/* Printed form of the colouring tokens (see vocab.h). */
#include "domains/coloring/vocab.h"
#include <stdio.h>
#include "domains/coloring/graph.h"

static const struct {
  int32_t id;
  const char *text;
} words[] = {
#define X(name, id, text) {id, text},
    SW_COL_TOKENS(X)
#undef X
};

int sw_col_token_text(const struct sw_domain *domain, int32_t token,
                      char *buffer, size_t room) {
  (void)domain;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i].id == token)
      return snprintf(buffer, room, "%s", words[i].text);
  if (token >= SW_T_NODE && token < SW_T_NODE + SW_COL_NODES_MAX)
    return snprintf(buffer, room, "N%d", token - SW_T_NODE);
  if (token > SW_T_COLOR && token <= SW_T_COLOR + SW_COL_COLORS_MAX)
    return snprintf(buffer, room, "C%d", token - SW_T_COLOR);
  if (token >= SW_T_DEPTH && token < SW_T_DEPTH + 100)
    return snprintf(buffer, room, "D%d", token - SW_T_DEPTH);
  if (token >= SW_T_PAIR && token < SW_T_MASK)
    return snprintf(buffer, room, "A_N%d_C%d", (token - SW_T_PAIR) / 4,
                    (token - SW_T_PAIR) % 4 + 1);
  if (token >= SW_T_MASK && token < SW_T_MASK + 16) {
    int m = token - SW_T_MASK;
    return snprintf(buffer, room, "M%d%d%d%d", m >> 3 & 1, m >> 2 & 1,
                    m >> 1 & 1, m & 1);
  }
  if (token >= SW_T_SIZE && token <= SW_T_SIZE + SW_COL_COLORS_MAX)
    return snprintf(buffer, room, "DS%d", token - SW_T_SIZE);
  return snprintf(buffer, room, "<%d>", token);
}
