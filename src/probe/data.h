/* A data set that a model is asked about: which of its traces, which of them
 * belong together, and what a step of it can choose from. For measures with
 * `--data`: nothing here needs the rules of a domain. */
#ifndef SW_PROBE_DATA_H
#define SW_PROBE_DATA_H
#include "base/json.h"
#include "search/loaded.h"
#include "trace/dataset.h"
#include "trace/tells.h"

/* Which traces: the test part where the set has one, else all; or a named part.
 */
#define SW_DATA_PARTS "auto|train|valid|test|all"

typedef struct sw_probe_data {
  sw_dataset set;
  const char *path;        /* the caller's */
  const sw_domain *domain; /* held */
  int64_t *trace, traces;  /* those asked about, in order */
  int64_t *problem;        /* [set.traces] the first trace with its prefix */
  int64_t *cluster; /* [set.traces] its group: the set's, else its problem */
  int64_t clusters; /* among those asked about */
  const char *part; /* "test", ...; "all" */
  int32_t back;     /* token of going back, -1: none */
  int32_t *offered; /* first targets of steps, going back last if it is one */
  int32_t offers;
  int32_t usual;       /* the first target of most steps; -1: no step */
  sw_gives_away gives; /* what one word of a state tells */
} sw_probe_data;

/* `part` is an index into SW_DATA_PARTS. Telling words and the usual target are
 * counted on the traces that models learn from: all but the test part. */
int sw_probe_data_open(sw_probe_data *data, const char *path, int part,
                       sw_err *err);
void sw_probe_data_close(sw_probe_data *data); /* also of one not opened */

/* Does the model's vocabulary give the set's tokens the same meaning? */
int sw_probe_data_suits(const sw_probe_data *data, const sw_loaded *loaded,
                        sw_err *err);
/* Opens it, unless it is open, and checks the model: for sessions of several
 * models. */
int sw_probe_data_for(sw_probe_data *data, const char *path, int part,
                      const sw_loaded *loaded, sw_err *err);
/* 1: the model was trained on this set, and the asked part is not its test
 * part. */
int sw_probe_data_seen(const sw_probe_data *data, const sw_loaded *loaded);

/* A step: block `block` (from 1) of a trace, in tokens of the whole set. */
typedef struct sw_data_step {
  int64_t begin, end;
  int64_t first; /* its first target behind the state; -1: no state stands
                    before one */
} sw_data_step;
sw_data_step sw_data_step_of(const sw_dataset *set, int64_t trace,
                             int64_t block);
int64_t sw_data_blocks(const sw_dataset *set, int64_t trace);

/* Members that say what was asked about. */
void sw_probe_data_json(const sw_probe_data *data, sw_json *json);
/* One sentence where a single word tells the verdict, else "". */
void sw_gives_words(const sw_gives_away *gives, char *text, size_t room);

#endif
