/* The published loop of verification alone (release/isolated.h) as columns of a
 * rule: what the paper's table says of a model comes out of a rule that reads
 * nothing but the block (see job.h). A column's settings are those of the
 * loop; its figure is one of the shares below. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "release/isolated.h"
#include "repro/figure.h"
#include "repro/job.h"

/* X(figure, of, over, heading, help) of the sums over graphs. */
#define SHARES(X)                                                          \
  X(accuracy, untried, open, "right choices", "of choices that were open") \
  X(repeats, repeats, retries, "repeats", "of choices that had failed")    \
  X(false_backs, false_back, open, "false backtracks",                     \
    "of choices that were open")                                           \
  X(right_backs, right_back, exhausted, "right backtracks",                \
    "of choices with nothing left")

const sw_figure sw_published_figures[] = {{.name = "solved",
                                           .kind = SW_FIGURE_SHARE,
                                           .heading = "solved",
                                           .help = "graphs coloured"},
#define X(figure, part, of, heading_, help_) \
  {.name = #figure,                          \
   .kind = SW_FIGURE_SHARE,                  \
   .heading = heading_,                      \
   .help = help_},
                                          SHARES(X)
#undef X
                                              {0}};

static double share(int64_t part, int64_t of) {
  return of > 0 ? (double)part / (double)of : NAN;
}

static double figure_of(const char *figure, const sw_isolated_sums *s,
                        int64_t graphs) {
#define X(name, part, of, heading, help) \
  if (!strcmp(figure, #name)) return share(s->part, s->of);
  SHARES(X)
#undef X
  return share(s->ended[SW_ISOLATED_solved], graphs);
}

/* "tokens=2048 steps=500 repair=0" */
static int read_loop(const char *text, sw_isolated_options *o, sw_err *err) {
  sw_settings s;
  int64_t repair = 0;
  int code = SW_OK;
  SW_TRY(sw_settings_read(&s, text, NULL, err));
  *o = (sw_isolated_options){.max_steps = 500, .budget = 2048};
  for (int i = 0; i < s.count && !code; i++) {
    const char *name = s.pair[2 * i];
    int64_t *to = !strcmp(name, "tokens")   ? &o->budget
                  : !strcmp(name, "steps")  ? &o->max_steps
                  : !strcmp(name, "repair") ? &repair
                                            : NULL;
    if (!to || !sw_text_integer(s.pair[2 * i + 1], 0, INT32_MAX, to))
      code = sw_fail(err, SW_INTERNAL, "no setting %s=%s of the published loop",
                     name, s.pair[2 * i + 1]);
  }
  o->repair = repair != 0;
  sw_settings_free(&s);
  return code;
}

/* The graphs of the published table: release streams, seed 42, n = 30. */
static int play_all(const sw_isolated_options *o, int64_t graphs,
                    sw_isolated_sums *sums, sw_err *err) {
  const sw_domain *d = sw_domain_find("coloring");
  sw_domain_options task;
  sw_stream *stream;
  sw_domain_defaults(d, &task);
  SW_TRY(sw_domain_set(d, "preset", "release", &task, err));
  SW_TRY(sw_domain_set(d, "n", "30", &task, err));
  SW_TRY(d->resolve(&task, err));
  SW_TRY(d->stream_new(&stream, &task, 42, SW_SPLIT_TEST, err));
  int code = SW_OK;
  for (int64_t i = 0; i < graphs && !code; i++) {
    sw_instance *graph;
    code = d->stream_next(stream, &graph, err);
    if (code) break;
    code = sw_isolated_play(graph, o, sw_isolated_rule, NULL, sums, err);
    d->instance_free(graph);
  }
  d->stream_free(stream);
  return code;
}

int sw_job_published(sw_job *j, const sw_repro_column *c,
                     const sw_model_at_hand *m, sw_repro_value *v,
                     sw_err *err) {
  enum { PUBLISHED = 200 };
  int64_t graphs =
      j->options->instances > 0 ? j->options->instances : PUBLISHED;
  sw_isolated_options o;
  sw_isolated_sums sums = {0};
  if (m->hash[0]) return SW_OK; /* the loop's answers here are the rule's */
  SW_TRY(read_loop(c->settings, &o, err));
  SW_TRY(play_all(&o, graphs, &sums, err));
  v->value = figure_of(c->figure, &sums, graphs);
  return SW_OK;
}
