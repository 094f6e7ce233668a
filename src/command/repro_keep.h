/* The results that `statewise repro` keeps (repro/answers.h): results/ and its
 * pages. Writing holds a lock on the directory, because other processes may
 * write at the same time. */
#ifndef SW_COMMAND_REPRO_KEEP_H
#define SW_COMMAND_REPRO_KEEP_H
#include "command/io.h"
#include "repro/answers.h"
#include "repro/kept.h"

/* Reads all kept results (to_keep: the caller will add some). The caller frees
 * them with sw_answers_free(), after an error too. */
int sw_repro_read_kept(sw_answers *answers, int to_keep, sw_err *err);
/* Marks how each model ended, beside the lowest known loss on its traces: known
 * from the result, and with `beside_kept` from all kept results. */
int sw_repro_mark_plateaus(sw_repro_result *result, int beside_kept,
                           sw_err *err);
/* Adds the answers of this run to the kept ones. */
int sw_repro_keep(sw_command_io *io, const sw_repro_result *result,
                  sw_err *err);
/* The pages of all that is kept. */
int sw_repro_pages(sw_command_io *io, const char *site, int as_json,
                   sw_err *err);

#endif
