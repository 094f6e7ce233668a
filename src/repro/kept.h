/* Results that are kept: an experiment's outcome as one JSON object
 * (docs/notebook/experiment-json.md), in its output directory and, once it is
 * worth keeping, as results/ID.json in the repository, without weights. Tables,
 * pages and the list of experiments are made from these files alone. */
#ifndef SW_REPRO_KEPT_H
#define SW_REPRO_KEPT_H
#include <jansson.h>
#include "base/json.h"
#include "repro/runner.h"

/* The whole object. `up` leads from the file's folder to the output directory
 * ("../", or "" when it is the same). */
void sw_kept_json(const sw_repro_result *result, const char *up, sw_json *json);
int sw_kept_write(const sw_repro_result *result, const char *up,
                  const char *path, sw_err *err);

/* Takes over from a kept object every value that this run did not make, and
 * sums everything up anew, so that a table can grow row by row and seed by seed
 * over many runs and machines: the result is the same whatever the order of
 * the runs. Values of another scale, or of a row, column or model whose
 * settings are others by now, are left out, with a line to `tell`. Values that
 * were made with other sizes than this run's (--instances, --train) are an
 * error: nothing that took hours goes by mistake. */
typedef void sw_tell_fn(void *context, const char *line);
int sw_kept_merge(sw_repro_result *result, const json_t *kept, void *context,
                  sw_tell_fn *tell, sw_err *err);

/* Does a kept object (or NULL) have every figure of a row for a seed, with
 * today's settings? */
int sw_kept_has(const json_t *kept, const sw_experiment *e,
                const sw_repro_row *row, sw_scale scale, int64_t seed);

/* Is all that a kept object has made with the rows, columns, models and judges
 * that the tables have now? What it lacks does not matter. */
int sw_kept_is_todays(const json_t *kept, const sw_experiment *e);

/* The scale of a kept object. */
sw_scale sw_kept_scale(const json_t *kept);

/* The first member of a row or column that is another in a kept object than in
 * the tables, or NULL: the same, or the object does not say. */
const char *sw_kept_row_changed(const json_t *kept, const sw_repro_row *row);
const char *sw_kept_column_changed(const json_t *kept,
                                   const sw_repro_column *column);
/* The kept cell of a row and a column's title, or NULL. */
json_t *sw_kept_cell(const json_t *kept, const sw_repro_row *row,
                     const char *column);

/* ---- one model in several tables (kept_share.c) ----
 * Tables share models of the training matrix, and some ask them the same. What
 * one of them keeps of a model and seed need not be made again for another: it
 * is copied there, with the note of the model and of the run that made it, so
 * that a page names the command that its value really comes from. It is the
 * same when the model, its reading and task (`domain`, `test`, `mask`,
 * `positions`, `at`) and the sizes set over the experiment (`over`) are the
 * same, and every column of the row that is asked (not derived) has one there
 * with the same source, measure, figure, interval, test seeds and settings.
 * The settings of a search are the column's with the row's over them, as sets;
 * measures and run cards never see the row's. All columns of a row and seed
 * come from one row of one experiment, the first of the list that has them all
 * with today's settings (sw_kept_has), and replace what there was of that row
 * and seed: figures of one model never come from two trainings. What an
 * experiment only draws from another (`drawn_from`) is no part of this. */
typedef struct sw_kept_shelf {
  const sw_experiment *const *experiment; /* NULL-terminated */
  const char *directory;                  /* of the files; "": none */
  sw_scale scale;
  int seeds;        /* models per row; 0: each experiment's number */
  const char *over; /* what runs to come set over experiments: those without a
                       file are theirs; NULL: nothing */
  int replace;      /* 1: values that today's tables leave out give way where
                       others take their row or column; 0: such rows stay */
  json_t **kept;    /* of each experiment; NULL: no file, or not readable */
} sw_kept_shelf;
/* Reads every file once. One that is damaged counts as none: who needs it reads
 * it and is told. */
int sw_kept_shelf_read(sw_kept_shelf *shelf, sw_err *err);
void sw_kept_shelf_free(sw_kept_shelf *shelf);
/* *enlarged is `kept` (of e; or NULL) together with all that others on the
 * shelf have for it, or NULL where that is nothing. A line to `tell` (or NULL)
 * for each row and seed. sw_kept_merge of it into an empty result sums it up.
 */
int sw_kept_share(const sw_kept_shelf *shelf, const sw_experiment *e,
                  const json_t *kept, json_t **enlarged, void *context,
                  sw_tell_fn *tell, sw_err *err);

/* What a row, a column and a model are, as name and text (NULL: not set): what
 * is written, and what must be equal for values to be taken over. */
typedef struct sw_kept_member {
  const char *name, *text;
} sw_kept_member;
enum { SW_KEPT_MEMBERS = 10 };
int sw_kept_row_members(const sw_repro_row *row, sw_kept_member *member);
int sw_kept_column_members(const sw_repro_column *c, sw_kept_member *member);
int sw_kept_model_members(const sw_trained *t, sw_scale scale,
                          sw_kept_member *member);

/* Hash of all that a preset sets, its number of traces included: what its name
 * stands for may change. */
void sw_kept_preset_hash(const sw_trained *t, sw_scale scale, char out[24]);

/* Does our figure agree with the paper's? 1, 0, or -1: nothing to compare. It
 * does when the two differ by no more than sqrt(h1^2 + h2^2), h1 and h2 the
 * half-widths of the two ranges on the sides that face each other; that ranges
 * only touch is a far weaker demand. Ours is the 95 % interval (none, or NAN:
 * 0). The paper's is two deviations, for a share at least Wilson's interval
 * over 200 instances, and always at least half a unit of the last digit. Two
 * deviations are those of a single model: where both sides are means of several
 * it is lenient. `figure` is as printed: "93.4 ± 2.3". */
typedef enum { SW_NUMBER, SW_PERCENT, SW_FRACTION } sw_printed;
int sw_kept_agrees(const char *figure, sw_printed printed, double mean,
                   double low, double high);
/* The same of a cell; -1 also where another experiment judges the paper's
 * numbers, where its counters meant something else, or where ours has no
 * interval and should. */
int sw_kept_judge(const sw_repro_result *result, const sw_repro_cell *cell);

/* Where kept results are: $STATEWISE_RESULTS, ./results, or beside the
 * program; "" when there is no such directory. Installed ones are for reading:
 * the second gives `results`, to be made, in their place. */
void sw_kept_directory(char *path, size_t room);
void sw_kept_directory_to_keep(char *path, size_t room);
typedef enum { SW_NEVER_RUN, SW_PARTIAL, SW_KEPT } sw_kept_state;
const char *sw_kept_state_name(sw_kept_state state);
/* From DIRECTORY/ID.json; a file that cannot be read counts as never run. Kept
 * is what has every cell, with as many models as its row should have, all with
 * today's settings; *older says that some of it has others. */
sw_kept_state sw_kept_state_of(const sw_experiment *e, const char *directory,
                               int *older);
sw_kept_state sw_kept_state_at(const sw_experiment *e, const char *path,
                               int *older);

/* Compares what was made now with what is kept, cell by cell and seed by seed;
 * seconds, dates and machines do not count, nor what was not made now. Tells
 * each difference; returns how many there are. `compared` (or NULL) receives
 * the number of values that both have. */
int sw_kept_compare(const json_t *kept, const json_t *fresh, void *context,
                    sw_tell_fn *tell, int *compared);

#endif
