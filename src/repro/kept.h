/* Results that are kept: an experiment's outcome as one JSON object
 * (docs/formats.md, experiment.json), in its output directory and, once it is
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
 * half-widths of the two ranges on the sides that face each other: about a test
 * of the difference at 5 %, while ranges that only touch are a far weaker one.
 * Ours is the 95 % interval (none, or NAN: 0). The paper's is two deviations,
 * for a share at least Wilson's interval over 200 instances, and always at
 * least half a unit of the last digit. `figure` is as printed: "93.4 ± 2.3" in
 * percent for shares. */
int sw_kept_agrees(const char *figure, int share, double mean, double low,
                   double high);
/* The same of a cell; -1 also where another experiment judges the paper's
 * numbers, or where its counters meant something else. */
int sw_kept_judge(const sw_repro_result *result, const sw_repro_cell *cell);

/* Where kept results are: $STATEWISE_RESULTS, ./results, or beside the
 * program; "" when there is no such directory. */
void sw_kept_directory(char *path, size_t room);
typedef enum { SW_NEVER_RUN, SW_PARTIAL, SW_KEPT } sw_kept_state;
const char *sw_kept_state_name(sw_kept_state state);
/* From DIRECTORY/ID.json; a file that cannot be read counts as never run. */
sw_kept_state sw_kept_state_of(const sw_experiment *e, const char *directory);

/* Compares what was made now with what is kept, cell by cell and seed by seed;
 * seconds, dates and machines do not count, nor what was not made now. Tells
 * each difference; returns how many there are. `compared` (or NULL) receives
 * the number of values that both have. */
int sw_kept_compare(const json_t *kept, const json_t *fresh, void *context,
                    sw_tell_fn *tell, int *compared);

#endif
