/* Token ids of the colouring domain (docs/coloring.md; 574 rows). The small
 * layout of 394 rows is the same with every id from 540 lowered by 180; it
 * exists only to reproduce published traces. */
#ifndef SW_DOMAINS_COLORING_VOCAB_H
#define SW_DOMAINS_COLORING_VOCAB_H
#include <stddef.h>
#include <stdint.h>

struct sw_domain;

#define SW_COL_TOKENS(X)             \
  X(PAD, 0, "[PAD]")                 \
  X(BOS, 1, "[BOS]")                 \
  X(EOS, 2, "[EOS]")                 \
  X(SEP, 3, "SEP")                   \
  X(GRAPH, 4, "[GRAPH]")             \
  X(STACK, 5, "[STACK]")             \
  X(CONFLICT, 6, "[CONFLICT]")       \
  X(THINK, 7, "[THINK]")             \
  X(TARGET, 8, "[TARGET]")           \
  X(COLON, 9, ":")                   \
  X(ARROW, 10, "->")                 \
  X(BEST, 11, "best")                \
  X(DEPTHS, 12, "depths")            \
  X(SECOND, 13, "second")            \
  X(ASSIGN, 14, "ASSIGN")            \
  X(BACKJUMP, 15, "BACKJUMP")        \
  X(SOLVED, 16, "SOLVED")            \
  X(FAILED, 17, "FAILED")            \
  X(SEARCH, 18, "[SEARCH]")          \
  X(CHECK, 19, "[CHECK]")            \
  X(NONE, 230, "NONE")               \
  X(EMPTY, 231, "EMPTY")             \
  X(NO_CONFLICT, 232, "NO_CONFLICT") \
  X(CANDIDATES, 233, "CANDIDATES")   \
  X(DECIDE, 234, "DECIDE")           \
  X(DOMAIN, 235, "DOMAIN")           \
  X(PICK, 236, "PICK")               \
  X(RESULT, 237, "RESULT")           \
  X(OK, 238, "OK")                   \
  X(LOCAL_LEGAL, 239, "LOCAL_LEGAL") \
  X(STATE, 556, "STATE")             \
  X(WITNESS, 562, "W")               \
  X(NO_WITNESS, 563, "W_NONE")       \
  X(CF, 564, "CF")                   \
  X(D_BLOCK, 567, "[D]")             \
  X(ACT, 568, "[ACT]")               \
  X(PROP, 569, "[PROP]")             \
  X(PROP_END, 570, "[/PROP]")        \
  X(FREE, 571, "FREE")               \
  X(TRIED, 572, "TRIED")             \
  X(END_TRIED, 573, "END_TRIED")

enum {
#define X(name, id, text) SW_T_##name = id,
  SW_COL_TOKENS(X)
#undef X
      SW_T_NODE = 20, /* + node 0..74 */
  SW_T_COLOR = 120,   /* + colour 1..4 */
  SW_T_DEPTH = 130,   /* + depth 0..99 */
  SW_T_PAIR = 240,    /* + 4*node + colour-1 */
  SW_T_MASK = 540,    /* + 4 bits, colour 1 the most significant */
  SW_T_SIZE = 557,    /* + domain size 0..4 */
  SW_COL_VOCAB = 574
};

/* A set of colours is a byte: bit c-1 for colour c. */
static inline int32_t sw_mask_token(unsigned colors) {
  return SW_T_MASK + (int32_t)((colors & 1) << 3 | (colors & 2) << 1 |
                               (colors & 4) >> 1 | (colors & 8) >> 3);
}

int sw_col_token_text(const struct sw_domain *domain, int32_t token,
                      char *buffer, size_t room);
#endif
