/* What a model looks at on the way to a verdict: attention weights by layer and
 * head, over states of a bank, sorted by what the looked-at tokens are
 * (sw_domain.token.parts). Four kinds of token are asked:
 *   a literal      how much it looks at the place of its variable in the state
 *   an item's end  how much it looks at its own item (SAT: the clause's SEP)
 *   its opening    how much it looks at the item before it that has least left,
 *                  and at another one (SAT: C_k and the colon)
 *   the question   the block's last token, where the verdict is given: how much
 *                  it looks at an item, by what is left of it
 * and beside every head stands `even`, which looks at every token equally. The
 * first three can be asked only where the problem stands behind the state
 * (layout reread). Facts that the output head reads off at those tokens
 * (sw_domain.token.facts) are counted too. */
#ifndef SW_PROBE_ATTENTION_H
#define SW_PROBE_ATTENTION_H
#include "base/hooks.h"
#include "base/json.h"
#include "search/ask.h"
#include "probe/bank.h"

/* Classes of items: 0 to 3 (and more) choices left, and satisfied. */
enum { SW_LEFT_MOST = 3, SW_LEFT_DONE, SW_LEFTS };
const char *sw_left_name(int left); /* key in JSON */
static inline int sw_left_class(int32_t left) {
  return left < 0 ? SW_LEFT_DONE : left > SW_LEFT_MOST ? SW_LEFT_MOST : left;
}

/* What is asked of a head; sums while states are added, then means. */
#define SW_ATTENTION_SHARES(X)                                         \
  X(home, "of a literal on its variable in the state")                 \
  X(inside, "of an item's end on its own item")                        \
  X(opening_least, "of an item's opening on the least item before it") \
  X(opening_other, "on another item before it")                        \
  X(question_least, "of the question on the item that has least left") \
  X(question_other, "on another item")
typedef struct sw_attention_shares {
#define X(name, text) double name;
  SW_ATTENTION_SHARES(X)
#undef X
  double by_left[SW_LEFTS]; /* of the question on one item */
  double score[SW_LEFTS];   /* log weight less the mean of the state's items */
} sw_attention_shares;

/* Kinds of facts, by the token that has them. */
#define SW_FACT_KINDS(X)   \
  X(LITERAL, "literal")    \
  X(ITEM, "item")          \
  X(LEAST, "least_before") \
  X(POINTER, "which_is_least")
typedef enum {
#define X(id, name) SW_FACT_##id,
  SW_FACT_KINDS(X)
#undef X
      SW_FACT_COUNT
} sw_fact_kind;

typedef struct sw_attention_result {
  int32_t layers, heads;
  sw_attention_shares *head; /* [layers * heads + 1], `even` last; malloc'd */
  int64_t states, skipped;   /* skipped: longer than the position table */
  int64_t literals, ends, openings;             /* tokens that were asked */
  int64_t items[SW_LEFTS], states_of[SW_LEFTS]; /* states by the least left */
  double verdict[SW_LEFTS]; /* mean log odds of going back, by the same */
  int64_t facts[SW_FACT_COUNT], right[SW_FACT_COUNT];
} sw_attention_result;
void sw_attention_free(sw_attention_result *result);

/* One token's weights [layers][heads][rows] over `rows` rows, the last of which
 * is token `at` of the trace itself, added to what the heads look at; `parts`
 * as sw_domain.token.parts fills it. */
int sw_attention_add(sw_attention_result *result, const sw_part *part,
                     int32_t items, int64_t at, int question,
                     const sw_attention_shape *shape, const float *weights,
                     sw_err *err);
/* Sums become means. */
void sw_attention_finish(sw_attention_result *result);

typedef struct sw_attention_task {
  const sw_bank *bank;
  const sw_domain *domain;
  sw_asker *cached, *full; /* the same model by both paths */
  int32_t items;           /* of a state whose own tokens are asked */
} sw_attention_task;
int sw_attention_ask(const sw_attention_task *task, sw_progress_fn progress,
                     void *context, sw_attention_result *result, sw_err *err);

#endif
