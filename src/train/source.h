/* Sources: where the items of a family come from. A family says in one word
 * what it reads; the source of that name makes it of the data set, so that the
 * trainer never knows what an item is. A source takes the order of items from
 * the feed (train/feed.h) and everything it makes is a function of (data,
 * options, seed, step), so a resumed run sees exactly what the uninterrupted
 * one would.
 *   tokens    whole traces, or what --view, --history and the curriculum leave
 *             of them, under the plan's reading (source_tokens.c)
 *   features  states as vectors, replayed from the traces (source_states.c)
 *   choices   all open choices of states as vectors, in the same way
 *   graph     states as constraint graphs, in the same way
 * A new kind is one file and one row of SW_SOURCES. */
#ifndef SW_TRAIN_SOURCE_H
#define SW_TRAIN_SOURCE_H
#include "train/feed.h"

typedef struct sw_source sw_source;
typedef struct sw_source_ops {
  const char *name; /* sw_family.reads */
  /* What the data ask of a model. */
  int (*measure)(const sw_train_plan *plan, const sw_dataset *set,
                 sw_demand *demand, sw_err *err);
  int (*open)(sw_source **source, const sw_train_plan *plan, sw_feed *feed,
              const sw_net *net, sw_err *err);
  void (*close)(sw_source *source);
  /* The items of a step, all options->batch of them: inputs and `targets` (0:
   * nothing to learn from it). They stay valid until the next call. */
  int (*step)(sw_source *source, int64_t step, sw_item *item, sw_err *err);
  /* Validation items [begin, begin + count). */
  int (*valid)(sw_source *source, int64_t begin, int32_t count, sw_item *item,
               sw_err *err);
  /* NULL: items are not vectors. Mean and deviation of each feature over the
   * training items (sw_family.standardise). */
  int (*moments)(sw_source *source, double *mean, double *deviation,
                 sw_err *err);
  /* NULL: those of tokens. Losses of models that have learned nothing, and
   * nothing but how often each answer occurs. */
  void (*floors)(sw_source *source, double *uniform, double *unigram);
} sw_source_ops;
struct sw_source { /* the head of a source's own */
  const sw_source_ops *ops;
};

/* SW_USAGE when nothing makes what `family` reads. */
int sw_source_for(const sw_source_ops **ops, const sw_family *family,
                  sw_err *err);
/* Adds a source for the rest of the process; -1: no room, or the name is
 * taken. */
int sw_source_add(const sw_source_ops *ops);

#define SW_SOURCES(X)   \
  X(sw_source_tokens)   \
  X(sw_source_features) \
  X(sw_source_choices)  \
  X(sw_source_graph)
#define X(source) extern const sw_source_ops source;
SW_SOURCES(X)
#undef X

#endif
