/* What `bench train` and `bench decide` measure: a model of any family, and for
 * families that read states the states to show it. */
#ifndef SW_COMMAND_BENCH_MODEL_H
#define SW_COMMAND_BENCH_MODEL_H
#include "model/family.h"

/* clang-format off */
#define SW_BENCH_MODEL(X)                                                      \
  X(architecture, TEXT, "architecture", "slot-decoder", 0, 0, "", "family of the model; it takes those of the sizes below that it has") \
  X(model_option, LIST, "model-option", "", 0, 0, "", "NAME=VALUE: an option of the family; may be repeated") \
  X(n, INT, "n", "50", 3, 250, "", "variables of the 3-SAT states, for families that read states") \
  X(clauses, INT, "clauses", "200", 1, 1500, "", "and their clauses")          \
  X(features, TEXT, "features", "published", 0, 0, "", "columns of a state: published or state")
/* clang-format on */

/* The states of the expert's searches on planted formulas, captured as the
 * trainer keeps them: features and graphs are made when they are shown. */
typedef struct sw_bench_states sw_bench_states;
int sw_bench_states_new(sw_bench_states **states, int n, int clauses,
                        int32_t least, sw_err *err);
void sw_bench_states_free(sw_bench_states *states);
/* `batch` states from number `from` on (counted around) as items of a step:
 * *items of them, with targets. Valid until the next call. */
int sw_bench_states_items(sw_bench_states *states, const sw_net *net,
                          int64_t from, int32_t batch, sw_item *item,
                          int32_t *items, sw_err *err);
/* One state, as a session is told it; valid until the next call. */
int sw_bench_states_record(sw_bench_states *states, const sw_net *net,
                           int64_t at, sw_record *record, sw_err *err);

/* A model: of the options in the bench's table (`values`) those that its
 * family's table has too, then `own`. The demand is the caller's; for families
 * that read states it is that of `states`. */
int sw_bench_model(sw_net **net, const sw_family *family,
                   const sw_option *table, int count, const void *values,
                   const sw_list *own, sw_demand *demand,
                   const sw_bench_states *states, sw_err *err);

/* 1: it is shown states, not tokens. */
int sw_bench_reads_states(const sw_family *family);

#endif
