/* What `statewise repro` keeps: results/ID.json and its pages. Writing is under
 * a lock on the directory, because others may be keeping at the same time. */
#ifndef SW_COMMAND_REPRO_KEEP_H
#define SW_COMMAND_REPRO_KEEP_H
#include "command/io.h"
#include "repro/kept.h"

/* What a directory keeps of an experiment (NULL: nothing), and its file. */
int sw_repro_read_kept(const sw_experiment *e, const char *directory,
                       char *path, size_t room, json_t **kept, sw_err *err);
/* Names how each model ended beside the lowest loss that is known on its
 * traces: of the result, and with `beside_kept` of all kept results. */
int sw_repro_mark_plateaus(sw_repro_result *result, int beside_kept,
                           sw_err *err);
/* What this run made, and what is kept already that it did not make. */
int sw_repro_keep(sw_command_io *io, const sw_experiment *e,
                  sw_repro_result *result, sw_err *err);
/* Adds to the files of the `count` experiments `only` (0: all) what others on
 * the shelf keep of the same models; tells each. */
int sw_repro_take_over(sw_command_io *io, const sw_kept_shelf *shelf,
                       const sw_experiment *const *only, int count,
                       sw_err *err);
/* Sums up all that is kept anew and writes its pages. */
int sw_repro_pages(sw_command_io *io, const char *site, int as_json,
                   sw_err *err);

#endif
