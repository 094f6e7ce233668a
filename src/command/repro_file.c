/* Own experiments and divided runs (see repro_file.h). */
#include "command/repro_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

/* ---- a file ---- */

static int ends_with(const char *text, const char *end) {
  size_t length = strlen(text), own = strlen(end);
  return length > own && !strcmp(text + length - own, end);
}

int sw_repro_is_file(const char *argument) {
  return ends_with(argument, ".yaml") || ends_with(argument, ".yml");
}

int sw_repro_file_enter(sw_experiment_file *file, const char *path,
                        sw_err *err) {
  char *bytes;
  size_t count;
  memset(file, 0, sizeof *file);
  SW_TRY(sw_read_file(path, SW_YAML_BYTES + 1, &bytes, &count, err));
  int code = sw_experiment_file_read(file, path, bytes, count, 1, err);
  free(bytes);
  if (!code) sw_experiments_use(file);
  return code;
}

void sw_repro_file_leave(sw_experiment_file *file) {
  sw_experiments_use(NULL);
  sw_experiment_file_free(file);
}

/* Models of the rows that are wanted; each once. */
void sw_repro_file_size(sw_command_io *io, const sw_experiment *e,
                        const sw_repro_options *o) {
  int rows = 0, trainings = 0;
  double hours = 0;
  for (int i = 0; e->row[i].id; i++) {
    const sw_repro_row *row = &e->row[i];
    const sw_trained *t = row->model ? sw_trained_find(row->model) : NULL;
    int seen = !t, wanted = !o->rows.count;
    for (int k = 0; k < o->rows.count; k++)
      wanted |= !strcmp(o->rows.item[k], row->id);
    if (!wanted) continue;
    for (int k = 0; k < i && !seen; k++)
      seen = e->row[k].model && !strcmp(e->row[k].model, row->model);
    rows++;
    if (seen || sw_row_needs(row)) continue;
    int seeds = sw_row_seeds(e, row, o->scale, (int)o->seeds);
    trainings += seeds;
    hours += seeds * t->hours[o->scale];
  }
  char about[60] = "";
  if (hours > 0)
    snprintf(about, sizeof about, ", about %.1f hours on two cores", hours);
  sw_note(io, "%s: %d row%s, %d column%s, %d model%s to train%s", e->id, rows,
          rows == 1 ? "" : "s", sw_experiment_columns(e),
          sw_experiment_columns(e) == 1 ? "" : "s", trainings,
          trainings == 1 ? "" : "s", about);
}

int sw_repro_show(sw_command_io *io, const char *id, sw_err *err) {
  size_t bytes;
  const char *text = sw_experiment_text(id, &bytes);
  if (!text) {
    sw_fail(err, SW_USAGE, "there is no experiment `%s`", id);
    return sw_hint(err,
                   "statewise repro --list names them; `models` shows "
                   "what they train");
  }
  if (fwrite(text, 1, bytes, io->out) != bytes)
    return sw_fail(err, SW_IO, "cannot write the text");
  return SW_OK;
}

/* ---- shards ---- */

int sw_repro_shard(const char *text, int *shard, int *shards, sw_err *err) {
  enum { MOST = 10000 };
  char first[16];
  int64_t i = 0, n = 0;
  *shard = *shards = 0;
  if (!text) return SW_OK;
  size_t length = strcspn(text, "/");
  snprintf(first, sizeof first, "%.*s", length < 16 ? (int)length : 15, text);
  if (!text[length] || !sw_text_integer(text + length + 1, 1, MOST, &n) ||
      !sw_text_integer(first, 1, n, &i)) {
    sw_fail(err, SW_USAGE, "--shard: \"%.40s\" is not of the form I/N", text);
    return sw_hint(err, "--shard 2/4 is the second of four");
  }
  *shard = (int)i;
  *shards = (int)n;
  return SW_OK;
}

void sw_repro_answers_path(const char *directory, int shard, int shards,
                           char *path, size_t room) {
  if (shards)
    snprintf(path, room, "%s/shard-%d-of-%d.jsonl", directory, shard, shards);
  else snprintf(path, room, "%s/answers.jsonl", directory);
}

int sw_repro_write_answers(const sw_repro_result *result, const char *path,
                           sw_err *err) {
  sw_answers answers;
  sw_answers_begin(&answers);
  int code = sw_answers_take(&answers, result, err);
  if (!code) code = sw_answers_write_file(&answers, path, err);
  sw_answers_free(&answers);
  return code;
}

/* The answers of every shard; how many there are, and of how many. */
static int read_shards(const char *directory, sw_answers *answers, int *found,
                       int *of, sw_err *err) {
  struct dirent **entry;
  int count, code = SW_OK;
  *found = *of = 0;
  SW_TRY(sw_list_directory(directory, &entry, &count, err));
  for (int i = 0; i < count; i++) {
    char path[1400];
    int shard, shards, end = 0;
    if (sscanf(entry[i]->d_name, "shard-%9d-of-%9d.jsonl%n", &shard, &shards,
               &end) == 2 &&
        end && !entry[i]->d_name[end] && !code) {
      snprintf(path, sizeof path, "%s/%s", directory, entry[i]->d_name);
      code = sw_answers_read_file(answers, path, err);
      if (!code && *of && *of != shards)
        code = sw_fail(err, SW_DATA, "%s: shards of %d and of %d", directory,
                       *of, shards);
      *of = shards;
      ++*found;
    }
    free(entry[i]);
  }
  free(entry);
  return code;
}

int sw_repro_merge(sw_command_io *io, const char *directory,
                   sw_repro_result *result, sw_err *err) {
  int found, of;
  sw_answers answers;
  sw_answers_begin(&answers);
  int code = read_shards(directory, &answers, &found, &of, err);
  if (!code && !found) {
    code = sw_fail(err, SW_NOFILE, "%s: no shard is there", directory);
    sw_hint(err, "--shard 1/4 to --shard 4/4 make them");
  }
  if (!code) code = sw_answers_fill(&answers, result->experiment, result, err);
  sw_answers_free(&answers);
  if (!code && found < of)
    sw_note(io, "%d of %d shards are there; the others' cells stay empty",
            found, of);
  return code;
}
