/* The result of an experiment as one JSON object
 * (docs/notebook/experiment-json.md): what a run leaves in its output directory
 * and what pages are made of; and how it is judged. Values are kept as answers
 * (answers.h), without weights. */
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
/* The same object for those who read it at once. */
int sw_kept_document(const sw_repro_result *result, json_t **document,
                     sw_err *err);

/* What a row, a column and a model are, as name and text (NULL: not set): what
 * is written, and what must be equal for a recipe to be the same. */
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
/* A result is kept when every cell has a value from as many models as its row
 * should have, all with today's recipes. */
sw_kept_state sw_kept_state_of(const sw_repro_result *result);

typedef void sw_tell_fn(void *context, const char *line);
/* Compares what was made now with what is kept, cell by cell and seed by seed;
 * seconds, dates and machines do not count, nor what was not made now. Tells
 * each difference; returns how many there are. `compared` (or NULL) receives
 * the number of values that both have. */
int sw_kept_compare(const sw_repro_result *kept, const sw_repro_result *fresh,
                    void *context, sw_tell_fn *tell, int *compared);

#endif
