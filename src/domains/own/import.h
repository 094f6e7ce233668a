/* Own searches to a data set and back: `statewise import` and `export`
 * (docs/your-own.md). Files are read line by line; what stays in memory is a
 * few numbers a step. The data set is of domain `own` and keeps its words
 * (trace/words.h), and what a word gives away, in its metadata. */
#ifndef SW_DOMAINS_OWN_IMPORT_H
#define SW_DOMAINS_OWN_IMPORT_H
#include "base/hooks.h"
#include "base/json.h"
#include "domains/of_file.h"
#include "trace/dataset.h"
#include "trace/tells.h"
#include "trace/words.h"

#define SW_DEFAULT_BACK "BACK"

typedef struct sw_import_options {
  const char *const *file;
  int files;
  const char *output;
  const char *back;           /* NULL: SW_DEFAULT_BACK, or the vocabulary's */
  const sw_words *vocabulary; /* NULL: that of the files */
  const char *vocabulary_path;
  double test_share, valid_share; /* of the groups, where no part is said */
  uint64_t seed;                  /* which groups */
} sw_import_options;

typedef struct sw_import_hooks {
  void *context;
  sw_progress_fn progress; /* of searches; no total is known */
} sw_import_hooks;

/* X(name): counts of an import. */
#define SW_IMPORT_COUNTS(X)                                     \
  X(searches)                                                   \
  X(train)                                                      \
  X(valid)                                                      \
  X(test)                                                       \
  X(groups)                                                     \
  X(steps)                                                      \
  X(back_steps)                                                 \
  X(words)                                                      \
  X(tokens)                                                     \
  X(targets)                                                    \
  X(solved)                                                     \
  X(viable)                                                     \
  X(dead)                                                       \
  X(test_states)      /* different ones: problem and state */   \
  X(test_states_seen) /* of them, in the training part too */   \
  X(test_words)       /* the same by the state's words alone */ \
  X(test_words_seen)                                            \
  X(states)           /* different ones, of all parts */        \
  X(states_met_twice) /* of them, after different steps */      \
  X(states_both_ways) /* of them, with steps that go back and that go on */

typedef struct sw_import_stats {
#define X(name) int64_t name;
  SW_IMPORT_COUNTS(X)
#undef X
  int parts_said; /* some search said its part */
  char back[256]; /* empty: no step goes back */
  sw_gives_away gives;
  char hash[17];
} sw_import_stats;

/* Members of the open object. */
void sw_import_stats_json(const sw_import_stats *stats, sw_json *json);
int sw_import(const sw_import_options *options, const sw_import_hooks *hooks,
              sw_import_stats *stats, sw_err *err);

/* The words of a data set, as its metadata says or its domain prints its
 * tokens; sets of unknown domains without words get their numbers as words. */
int sw_dataset_words(const sw_dataset *set, const char *path, sw_words *words,
                     sw_err *err);
/* The same of a data set or weights, by path: what --vocabulary names. */
int sw_words_of_file(const char *path, sw_words *words, sw_err *err);

/* Writes a data set as lines; the number of searches. */
int sw_export(const char *path, const char *output,
              const sw_import_hooks *hooks, int64_t *searches, sw_err *err);

/* ---- between the files of this folder ---- */

/* A step, as overlap and pairs see it: hashes. */
typedef struct sw_step_seen {
  uint64_t words, state, history; /* of the state's words, with the problem, of
                                     what came before */
  int32_t search;
  int is_back;
} sw_step_seen;
/* Counts states (the last seven of the table); sorts the list. */
void sw_count_states(sw_step_seen *step, int64_t count, const uint8_t *part,
                     sw_import_stats *stats);

/* Groups: searches with the same problem or the same `group`. */
typedef struct sw_groups sw_groups;
sw_groups *sw_groups_new(void);
void sw_groups_free(sw_groups *groups);
/* Adds a search; 0: out of memory. */
int sw_groups_add(sw_groups *groups, uint64_t problem, uint64_t group);
/* Numbers the groups in the order they come and draws a part for groups that
 * name none. said[i]: sw_part_of_set of search i, or 255. *other: a search
 * whose group names another part than before; -1: none. */
int sw_groups_split(sw_groups *groups, const sw_import_options *options,
                    uint8_t *said, int32_t *group, int64_t *count,
                    int64_t *other, sw_err *err);

#endif
