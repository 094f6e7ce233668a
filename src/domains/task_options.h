/* The options of a domain. Each domain has one table (sw_domain.options) of
 *
 *   task rows   what every domain understands (SW_TASK_ROWS), as fields that
 *               any caller may read;
 *   own rows    what only this domain understands: a struct of its own, made
 *               from its X-macro in its own folder, kept in `own`.
 *
 * Parser, help, JSON and metadata come from that table, so an option that a
 * domain does not have is refused wherever it is given. Values travel as one
 * plain struct that is copied freely; -1 and an empty text stand for "the
 * preset's default" until the domain's resolve() has filled them in. */
#ifndef SW_DOMAINS_TASK_OPTIONS_H
#define SW_DOMAINS_TASK_OPTIONS_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/json.h"
#include "base/options.h"

struct sw_domain;
enum {
  SW_OWN_BYTES = 64,       /* room for a domain's own struct */
  SW_TASK_OPTIONS_MAX = 96 /* names, over all domains */
};

typedef struct sw_domain_options {
  const struct sw_domain *domain; /* whose they are: sw_domain_defaults */
  int preset;                     /* 0 fair, 1 release */
  int n;                          /* size of an instance */
  const char *format, *expert;    /* how traces look, who writes them */
  int max_blocks, max_tokens;     /* longest trace; 0: no limit */
  const char *too_long;           /* "cut" or "drop" */
  int exclude;                    /* training traces a test stream leaves out */
  int64_t exclude_seed;           /* and whose; -1: those of its own seed */
  const char *exclude_drawn;      /* and whole streams of instances (drawn.h) */
  _Alignas(8) unsigned char own[SW_OWN_BYTES];
} sw_domain_options;

/* clang-format off */
#define SW_TASK_ROW(...) SW_OPTION_ROW(sw_domain_options, __VA_ARGS__)
/* What every domain has; N is the help of --n. */
#define SW_TASK_ROWS(N)                                                        \
  SW_TASK_ROW(preset, CHOICE, "preset", "fair", 0, 0, "fair|release", "defaults for streams, split, formats and loop") \
  SW_TASK_ROW(n, INT, "n", "-1", -1, 4096, "", N)                              \
  SW_TASK_ROW(format, TEXT, "format", "", 0, 0, "", "trace format")            \
  SW_TASK_ROW(expert, TEXT, "expert", "", 0, 0, "", "expert that writes the traces") \
  SW_TASK_ROW(max_tokens, INT, "max-tokens", "-1", -1, 100000000, "", "longest trace in tokens; 0: no limit") \
  SW_TASK_ROW(too_long, TEXT, "too-long", "", 0, 0, "", "what happens to longer traces: cut (at a block) or drop")
/* Traces of many blocks. */
#define SW_TASK_BLOCK_ROWS                                                     \
  SW_TASK_ROW(max_blocks, INT, "max-blocks", "-1", -1, 1000000, "", "longest trace in decision blocks; 0: no limit")
/* So few instances that test and training could meet. */
#define SW_TASK_EXCLUDE_ROWS                                                   \
  SW_TASK_ROW(exclude, INT, "exclude", "-1", -1, 100000000, "", "test stream: leave out the instances of that many training traces") \
  SW_TASK_ROW(exclude_seed, LONG, "exclude-seed", "-1", -1, 9e15, "", "seed of those training traces, beside the stream's own (a model names its own)") \
  SW_TASK_ROW(exclude_drawn, TEXT, "exclude-drawn", "", 0, 0, "", "test stream: leave out so many instances of those training streams, SEED:INSTANCES by commas (a model names its own)")
/* A row of a domain's own struct. */
#define SW_OWN_ROW(STRUCT, field, KIND, name, fallback, low, high, choices, help) \
  {name, SW_##KIND, offsetof(sw_domain_options, own) + offsetof(STRUCT, field), fallback, low, high, choices, help},
/* clang-format on */

/* Defines STRUCT from the rows LIST, NAME(options) to read it and NAME_edit
 * to change it. It lies in a buffer of bytes, hence may_alias. */
#define SW_OWN_OPTIONS(STRUCT, LIST, NAME)                              \
  typedef struct STRUCT {                                               \
    LIST(SW_OPTION_FIELD)                                               \
  } __attribute__((may_alias)) STRUCT;                                  \
  _Static_assert(sizeof(STRUCT) <= SW_OWN_BYTES, "raise SW_OWN_BYTES"); \
  static inline const STRUCT *NAME(const sw_domain_options *o) {        \
    return (const STRUCT *)(const void *)o->own;                        \
  }                                                                     \
  static inline STRUCT *NAME##_edit(sw_domain_options *o) {             \
    return (STRUCT *)(void *)o->own;                                    \
  }

/* Replaces a path that a model's metadata names and that is never opened. The
 * user has to give the path where it is needed. */
#define SW_PATH_WITHHELD "(named by the model)"

/* Every option of the domain at its default. */
void sw_domain_defaults(const struct sw_domain *domain,
                        sw_domain_options *options);
/* One option by name; one that the domain does not have is SW_USAGE, with a
 * hint that says which domain has it and what this one has. */
int sw_domain_set(const struct sw_domain *domain, const char *name,
                  const char *value, sw_domain_options *options, sw_err *err);
/* What a command line held (sw_later of base/options.h). */
int sw_domain_apply(const struct sw_domain *domain, const sw_pairs *pairs,
                    sw_domain_options *options, sw_err *err);
/* One option as a file keeps it. Files written when all domains shared one
 * table hold every name: those that are not this domain's are skipped when
 * they say nothing (-1, 0, empty or the default), else refused. */
int sw_domain_set_stored(const struct sw_domain *domain, const char *name,
                         const char *value, sw_domain_options *options,
                         sw_err *err);
/* The options as the one JSON object kept in metadata and in the keys of
 * results; free() it. */
char *sw_domain_options_json(const struct sw_domain *domain,
                             const sw_domain_options *options);
/* The options of all domains, each name once, for a parser that does not know
 * the domain yet. Returns how many, at most `room`. */
int sw_domain_all_options(sw_option *table, int room);

#endif
