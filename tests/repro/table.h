/* Short forms for experiments as structs, as tests write them. */
#ifndef TESTS_REPRO_TABLE_H
#define TESTS_REPRO_TABLE_H
#include <stddef.h>
#include "repro/experiment.h"

#define COLUMNS(...) ((const sw_repro_column[]){__VA_ARGS__, {0}})
#define ROWS(...) ((const sw_repro_row[]){__VA_ARGS__, {0}})
#define TESTS(...) ((const sw_repro_statistic[]){__VA_ARGS__, {0}})
#define FIGURES(...) ((const sw_repro_figure[]){__VA_ARGS__, {0}})
/* The paper's numbers, one per column; NULL where it has none. "" ends them. */
#define PAPER(...) ((const char *const[]){__VA_ARGS__, ""})

/* Columns of searches: percent solved, or another figure of them. */
#define SOLVED(name, how) \
  { .title = name, .settings = how }
#define FIGURE(name, how, what) \
  { .title = name, .settings = how, .figure = what }
#define NUMBER(name, how, what) \
  { .title = name, .settings = how, .figure = what, .unit = "" }
/* What a search costs, beside how often it succeeds: eight columns. */
#define COSTS(name, how)                                             \
  FIGURE("timeouts, " name, how, "timeout_rate"),                    \
      FIGURE("wrongly exhausted, " name, how, "exhausted_rate"),     \
      FIGURE("repeats, " name, how, "repeat_rate"),                  \
      NUMBER("decisions, " name, how, "decisions"),                  \
      NUMBER("backs, " name, how, "mean_backs"),                     \
      NUMBER("states asked, " name, how, "states_asked"),            \
      NUMBER("tokens, " name, how, "tokens"), {                      \
    .title = "seconds, " name, .settings = how, .figure = "seconds", \
    .unit = "s"                                                      \
  }
/* Columns of measures and run cards. */
#define MEASURE(name, which, how, path, units)                                 \
  {                                                                            \
    .title = name, .source = SW_SOURCE_PROBE, .probe = which, .settings = how, \
    .figure = path, .unit = units                                              \
  }
#define CARD(name, path, units) \
  { .title = name, .source = SW_SOURCE_CARD, .figure = path, .unit = units }
#define CHANGE(name, from, to) \
  { .title = name, .source = SW_SOURCE_CHANGE, .a = to, .b = from }

#define GAP(name, of, bottom, top) \
  { .title = name, .source = SW_SOURCE_GAP, .a = of, .from = bottom, .to = top }

/* Statistics between rows a and b of one column; figures over columns (a set of
 * bits, 0: all). */
#define TEST(name, test, at, left, right, ...)                      \
  {                                                                 \
    .title = name, .kind = SW_TEST_##test, .column = at, .a = left, \
    .b = right, __VA_ARGS__                                         \
  }
#define PLOT(name, text, how, across, up, which)                            \
  {                                                                         \
    .id = name, .title = text, .kind = SW_PLOT_##how, .x = across, .y = up, \
    .columns = which                                                        \
  }

/* Rows. */
#define MODEL(name, text, which, ...) \
  { .id = name, .label = text, .model = which, __VA_ARGS__ }
#define RULE(name, text, which, ...) \
  { .id = name, .label = text, .rule = which, __VA_ARGS__ }

#define RULE_OF(name, text, which, of, ...) \
  { .id = name, .label = text, .rule = which, .domain = of, __VA_ARGS__ }

#endif
