/* What `statewise repro` keeps (repro/answers.h): results/ and its pages.
 * Writing is under a lock on the directory, because others may be keeping at
 * the same time. */
#ifndef SW_COMMAND_REPRO_KEEP_H
#define SW_COMMAND_REPRO_KEEP_H
#include "command/io.h"
#include "repro/answers.h"
#include "repro/kept.h"

/* All that is kept (to_keep: where more will be); sw_answers_free() it whatever
 * is returned. */
int sw_repro_read_kept(sw_answers *answers, int to_keep, sw_err *err);
/* Names how each model ended beside the lowest loss that is known on its
 * traces: of the result, and with `beside_kept` of all that is kept. */
int sw_repro_mark_plateaus(sw_repro_result *result, int beside_kept,
                           sw_err *err);
/* What this run made, beside what is kept already. */
int sw_repro_keep(sw_command_io *io, const sw_repro_result *result,
                  sw_err *err);
/* The pages of all that is kept. */
int sw_repro_pages(sw_command_io *io, const char *site, int as_json,
                   sw_err *err);

#endif
