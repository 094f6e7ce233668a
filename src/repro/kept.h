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
void sw_kept_json(const sw_repro_result *result, const char *command,
                  const char *up, sw_json *json);
int sw_kept_write(const sw_repro_result *result, const char *command,
                  const char *up, const char *path, sw_err *err);

/* Does our figure agree with the paper's? 1, 0, or -1: nothing to compare. It
 * does when our 95 % interval and the paper's mean with two deviations on each
 * side have a number in common (where it gives no deviation: Wilson's interval
 * over 200 instances for a share, a tenth of the number for others). `figure`
 * is as printed: "93.4 ± 2.3" in percent for shares. */
int sw_kept_agrees(const char *figure, int share, double low, double high);

/* Where kept results are: $STATEWISE_RESULTS, ./results, or beside the
 * program; "" when there is no such directory. */
void sw_kept_directory(char *path, size_t room);
typedef enum { SW_NEVER_RUN, SW_PARTIAL, SW_KEPT } sw_kept_state;
const char *sw_kept_state_name(sw_kept_state state);
/* From DIRECTORY/ID.json; a file that cannot be read counts as never run. */
sw_kept_state sw_kept_state_of(const sw_experiment *e, const char *directory);

/* Compares two such objects cell by cell and seed by seed; seconds, dates and
 * machines do not count. Tells each difference; returns how many there are. */
int sw_kept_compare(const json_t *kept, const json_t *fresh, void *context,
                    void (*tell)(void *context, const char *difference));
/* How many numbers such an object has: with none a comparison says nothing. */
int sw_kept_numbers(const json_t *kept);

#endif
