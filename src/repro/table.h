/* Short forms for the tables of experiments (experiments_*.c). */
#ifndef SW_REPRO_TABLE_H
#define SW_REPRO_TABLE_H
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
/* What a model costs: two columns. */
#define SIZES \
  CARD("parameters", "parameters", ""), CARD("training time", "seconds", "s")
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

/* Curves over rows (experiment.h): columns x and y, then the series. */
#define CURVES(...) ((const sw_repro_curve[]){__VA_ARGS__, {0}})
#define CURVE(name, text, across, up, ...)           \
  {                                                  \
    .id = name, .title = text, .x = across, .y = up, \
    .series = (const sw_repro_series[]) {            \
      __VA_ARGS__, { 0 }                             \
    }                                                \
  }
#define SERIES(begin, text, path) \
  { .prefix = begin, .label = text, .bound = path }

/* Rows. */
#define MODEL(name, text, which, ...) \
  { .id = name, .label = text, .model = which, __VA_ARGS__ }
#define RULE(name, text, which, ...) \
  { .id = name, .label = text, .rule = which, __VA_ARGS__ }

#define SHIPPED(name, text, which, ...) \
  { .id = name, .label = text, .shipped = which, __VA_ARGS__ }
#define RULE_OF(name, text, which, of, ...) \
  { .id = name, .label = text, .rule = which, .domain = of, __VA_ARGS__ }

/* As the paper plays: the infrastructure goes back, limited context. */
#define CUM(tokens) "protocol=cumulative loop=masked tokens=" tokens
#define SR(tokens) "protocol=rebuilt loop=masked tokens=" tokens
#define SR_RANDOM(tokens) SR(tokens) " variables=random"
/* The model itself goes back. */
#define CUM_OPEN(tokens) "protocol=cumulative loop=open tokens=" tokens
#define SR_OPEN(tokens) "protocol=rebuilt loop=open tokens=" tokens

#endif
