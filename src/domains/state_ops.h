/* A state as numbers, for models that read no tokens: a vector of features, or
 * the constraint graph with the state on it. A domain that has them gives its
 * sw_state_ops in sw_domain.state; the rest (making training records of
 * traces, playing, probing) knows only this header.
 *
 * A state is first captured as plain bytes; features and graph are functions of
 * (instance, bytes) alone, so nothing of the history can get into them but what
 * a layout asks for by name (`step`). Captured states are small, so that those
 * of a whole data set fit in memory.
 *
 * The answer of a model is a class for each head: 0 the verdict (0 go on, 1 go
 * back), 1 what is acted on (variable, node, block), 2 what is done to it
 * (value, colour, target). */
#ifndef SW_DOMAINS_STATE_OPS_H
#define SW_DOMAINS_STATE_OPS_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "domains/task_options.h"
#include "trace/factor_graph.h"
#include "trace/state_layout.h"
#include "trace/trace.h"

struct sw_instance;
struct sw_env;

/* What a token of the current query means, as classes of heads. */
typedef struct sw_state_answer {
  int32_t count; /* 0: the query is not one of the heads' */
  struct {
    int32_t head, value;
  } part[2];
} sw_state_answer;

typedef struct sw_state_ops {
  /* The instance that a trace is about. */
  int (*read_instance)(struct sw_instance **instance, const sw_trace *trace,
                       const sw_domain_options *options, sw_err *err);
  void (*sizes)(const struct sw_instance *instance, int32_t *n, int32_t *m);
  /* Fills in width and classes; SW_USAGE: the domain has no such set. */
  int (*layout)(sw_state_layout *layout, sw_err *err);

  const struct sw_instance *(*instance)(const struct sw_env *env);
  size_t (*bytes)(const struct sw_instance *instance);
  /* Zeroed bytes in, the state of the environment out. */
  void (*capture)(const struct sw_env *env, void *state);
  /* All of out[layout->features]; `step`: the block's place in its trace. */
  void (*features)(const struct sw_instance *instance, const void *state,
                   int64_t step, const sw_state_layout *layout, float *out);
  /* NULL: the domain has no constraint graph. 0: out of memory. */
  int (*graph)(const struct sw_instance *instance, const void *state,
               sw_graph *out);
  void (*answer)(const struct sw_env *env, int32_t token,
                 sw_state_answer *answer);
  /* NULL: no choices (SW_FEATURES_CHOICE). A choice is (item, value) as one
   * number, 2 item + value; `features` gets it as `step`. Is it open in the
   * state? Is it dead: does taking it lead nowhere, as proven within so many
   * conflicts (0: by propagation; -1: no limit)? */
  int (*choice_open)(const struct sw_instance *instance, const void *state,
                     int32_t choice);
  int (*choice_dead)(struct sw_env *env, int32_t choice, int64_t conflicts);
  /* What the current query acts on, when that is chosen already; -1: not. */
  int32_t (*chosen)(const struct sw_env *env);
} sw_state_ops;

#endif
