/* The paper's experiments as data. An experiment has rows (a trained model, or
 * a rule), columns (a figure of a search under a condition, a figure of a
 * measure, or a member of the run card), the seeds of models and of test
 * instances, statistics between cells, figures, and the paper's number beside
 * every cell that has one. `statewise repro ID` makes what is missing and
 * prints it; `quickstart` is one of them. Models are rows of one training
 * matrix (experiments/models.yaml), so that experiments share them. Settings
 * are written as on the command line without the dashes: "mask=causal
 * lr=2.5e-3". An `@` in those of a row's search is the number of the
 * repetition, 1 to the number of seeds: "verifier=noise:0.1,0,@:oracle" draws
 * each time anew, and rows without models are then played as often too. A `#ID`
 * in it is a model of the matrix that judges:
 * "verifier=confirm:50:viability:#judge50:0.9"; it is trained with the
 * repetition's seed. Experiments are written as text (experiments/,
 * experiment_file.h), or as structs by tests. */
#ifndef SW_REPRO_EXPERIMENT_H
#define SW_REPRO_EXPERIMENT_H
#include <stdint.h>

/* Of an experiment, at most; rows and figures choose among the first 32. */
enum { SW_EXPERIMENT_COLUMNS = 128 };

typedef enum { SW_SCALE_SMALL, SW_SCALE_PAPER, SW_SCALES } sw_scale;
#define SW_SCALE_NAMES "small|paper"

/* What is trained. Both scales have the settings of `train`. */
typedef struct sw_trained {
  const char *id;                /* of its run directories */
  const char *label;             /* in stores and on pages */
  const char *preset[SW_SCALES]; /* train/preset.h */
  const char *gen;               /* domain options over the preset's */
  const char *train;             /* training options over the preset's */
  const char *recipe;            /* more of them, small scale only */
  double hours[SW_SCALES];       /* one seed on two cores, estimated */
  const char *needs;             /* what the program lacks; NULL: nothing */
  const char *data; /* a data set that is there; NULL: the preset's is made */
} sw_trained;

/* A model that judges, trained on the states of searches: of a rule under a
 * verifier, behind what another model of the same preset was trained on
 * (`from`; NULL: nothing). `#` in the verifier is that model: its hard
 * negatives. */
typedef struct sw_mined {
  const char *id, *from; /* rows of the matrix */
  const char *rule, *verifier;
} sw_mined;

/* Where a column's values come from. X(id, name in kept files, what it is) */
#define SW_SOURCES(X)                                                         \
  X(SEARCH, "search", "a figure of the closed loop (figure.h)")               \
  X(PROBE, "measure", "a member of a measure's JSON")                         \
  X(CARD, "run card", "a member of run.json")                                 \
  X(PUBLISHED, "published loop",                                              \
    "a share of the published loop of verification alone, played by a rule")  \
  X(TRACES, "linear test on traces",                                          \
    "what a linear classifier of features says of traces, without a model")   \
  X(CHANGE, "change", "column `a` minus column `b` of the same row")          \
  X(GAP, "gap",                                                               \
    "of column `a`: how much of the way from the row `from` to the row `to` " \
    "this row has gone")
typedef enum {
#define X(id, name, text) SW_SOURCE_##id,
  SW_SOURCES(X)
#undef X
} sw_source;

typedef struct sw_repro_column {
  const char *title; /* NULL ends the list */
  sw_source source;
  const char *settings;   /* of the search or of the measure */
  const char *figure;     /* NULL: solve_rate; dotted path for probe and card */
  const char *probe;      /* name of the measure */
  const char *interval;   /* path of its own interval; NULL: none */
  const char *unit;       /* NULL: a share, shown in percent */
  const char *test_seeds; /* "100 200 300": pooled; NULL: 42 */
  double x;               /* place in a figure of lines */
  int counts;             /* 1: says how much was asked or trained: shown beside
                             the paper's, not judged against it */
  int a, b;               /* of a change; a: of a gap */
  const char *from, *to;  /* ids of rows, of a gap */
  const char *id;         /* by which a file's other parts name it */
} sw_repro_column;

typedef struct sw_repro_row {
  const char *id; /* of --row; NULL ends the list */
  const char *label;
  const char *model; /* id in the matrix; NULL: a rule */
  const char *rule;
  const char *shipped; /* instead of both: this file of models/ */
  const char *domain;  /* of a rule, NULL: that of the experiment's models; of a
                          shipped model, NULL: its name is the domain's */
  const char *search;  /* settings over every column's */
  const char *test;    /* domain options of its test instances */
  const char *mask, *positions; /* read under others than trained with */
  const char *const *paper; /* one per column, NULL: not there; "" ends it */
  const char *note;         /* how its set-up differs from the paper's */
  int unjudged; /* 1: so much that its numbers only stand beside the paper's */
  unsigned columns;  /* bit c: column c applies; 0: all do */
  const char *needs; /* what the program lacks; NULL: nothing */
  int seeds; /* at the small scale no more models than that; 0: as many as the
                experiment has */
  const char *at; /* weights kept on the way instead of the last: "step 500", or
                     "loss ID": the first with a validation loss no higher than
                     that model's at its end; the last ones where
                     there are none; NULL: the last */
} sw_repro_row;

typedef enum {
  SW_TEST_PAIRED_T,    /* a - b over seeds */
  SW_TEST_WELCH_T,     /* the same, unpaired */
  SW_TEST_SEEDS,       /* a - b, bootstrap over seeds in common */
  SW_TEST_INSTANCES,   /* a - b over test instances in common: bootstrap; of
                          several seeds t, and their spread too */
  SW_TEST_INTERACTION, /* (a - b) - (c - d), t over seeds */
} sw_test_kind;

typedef struct sw_repro_statistic {
  const char *title; /* NULL ends the list */
  sw_test_kind kind;
  int column;
  const char *a, *b, *c, *d; /* ids of rows */
  int other;                 /* column of b (and d) where it is another one,
                                plus 1; 0: the same */
  const char *paper;
} sw_repro_statistic;

typedef enum { SW_PLOT_LINES, SW_PLOT_BARS, SW_PLOT_SEEDS } sw_plot_kind;
typedef struct sw_repro_figure {
  const char *id; /* NULL ends the list */
  const char *title;
  sw_plot_kind kind;
  const char *x, *y; /* axes */
  unsigned columns;  /* bit c: column c is drawn; 0: all */
} sw_repro_figure;

/* A curve over rows: every row whose id begins with a series' prefix is a
 * point, x and y the means of two columns. A series in alpha_v (bound >= 0)
 * gets the multi-path fit 1 - (1 - (1 - x)^M)^R by least squares, and the
 * per-path bound (1 - x)^bound; bound 0: the mean number of decisions (column
 * `decisions`) of the row with x = 0. The paper's cells of the rows are points
 * too. */
typedef struct sw_repro_series {
  const char *prefix; /* NULL ends the list */
  const char *label;
  double bound; /* -1: neither fit nor bound */
} sw_repro_series;
typedef struct sw_repro_curve {
  const char *id; /* NULL ends the list */
  const char *title;
  int x, y; /* columns */
  const sw_repro_series *series;
} sw_repro_curve;

/* Rules without a model that are played beside every search column. */
typedef enum { SW_BESIDE_ALL, SW_BESIDE_EXACT, SW_BESIDE_NONE } sw_beside;

typedef struct sw_experiment {
  const char *id;
  const char *aliases; /* "T8 verifier-swap": other names, and the paper's */
  const char *section; /* heading of the list */
  const char *place;   /* in the paper */
  const char *title;
  const char *note;       /* how the paper's set-up differs from ours */
  const char *finding;    /* what was found, in words; "{ROW:INDEX}" is the kept
                             number of a row in a column; NULL: not said */
  const char *judged_in;  /* the experiment that judges the paper's numbers that
                             are shown here again; NULL: this one */
  const char *drawn_from; /* the experiment that makes and keeps the same rows:
                             what is kept here follows from there; NULL: none */
  const sw_repro_column *column;
  const sw_repro_row *row;
  const sw_repro_statistic *statistic; /* or NULL */
  const sw_repro_figure *figure;       /* or NULL */
  const sw_repro_curve *curve;         /* or NULL */
  int seeds[SW_SCALES];                /* models per row */
  sw_beside beside;
} sw_experiment;

/* Model seeds in the order in which --seeds takes them; past the end they
 * count on. */
int64_t sw_repro_seed(int index);

int sw_experiment_columns(const sw_experiment *e);
int sw_experiment_rows(const sw_experiment *e);
/* What the program lacks for this row, or NULL. */
const char *sw_row_needs(const sw_repro_row *row);
int sw_row_has(const sw_repro_row *row, int column);
/* 1: the column follows from others (a change, a gap) and is never asked. */
int sw_column_follows(const sw_repro_column *column);
/* Models of a row; `asked` over what the tables say, unless it is 0. */
int sw_row_seeds(const sw_experiment *e, const sw_repro_row *row,
                 sw_scale scale, int asked);
/* The paper's number of a cell, or NULL. */
const char *sw_row_paper(const sw_repro_row *row, int column);
/* Hours on two cores for the models it needs; `seeds` as above. */
double sw_experiment_hours(const sw_experiment *e, sw_scale scale, int seeds);

#endif
