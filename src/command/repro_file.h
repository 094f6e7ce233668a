/* A user's own experiment (`repro FILE.yaml`), ours as text (`--show`), and
 * runs that are divided (`--shard I/N`, `--merge`). */
#ifndef SW_COMMAND_REPRO_FILE_H
#define SW_COMMAND_REPRO_FILE_H
#include "command/io.h"
#include "base/yaml.h"
#include "repro/answers.h"

/* Is this argument a file, and no id? */
int sw_repro_is_file(const char *argument);
/* Adds the file's experiment and its models to those that can be found, until
 * sw_repro_file_leave. */
int sw_repro_file_enter(sw_experiment_file *file, const char *path,
                        sw_err *err);
void sw_repro_file_leave(sw_experiment_file *file);
/* Tells how much the experiment will train, before it begins. */
void sw_repro_file_size(sw_command_io *io, const sw_experiment *e,
                        const sw_repro_options *options);

int sw_repro_show(sw_command_io *io, const char *id, sw_err *err);

/* "2/4"; both 0 where text is NULL. */
int sw_repro_shard(const char *text, int *shard, int *shards, sw_err *err);
/* Where the answers of a run go, inside OUT/ID; of a shard (shards > 0) into a
 * file of its own. */
void sw_repro_answers_path(const char *directory, int shard, int shards,
                           char *path, size_t room);
int sw_repro_write_answers(const sw_repro_result *result, const char *path,
                           sw_err *err);
/* All shards in a directory together, in an empty result. */
int sw_repro_merge(sw_command_io *io, const char *directory,
                   sw_repro_result *result, sw_err *err);

#endif
