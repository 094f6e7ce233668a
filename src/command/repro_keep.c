/* Kept results on disk (see repro_keep.h). */
#include "command/repro_keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "report/kept_pages.h"
#include "report/read_json.h"
#include "repro/cell_question.h"
#include "repro/plateau.h"

int sw_repro_read_kept(const sw_experiment *e, const char *directory,
                       char *path, size_t room, json_t **kept, sw_err *err) {
  snprintf(path, room, "%s/%s.json", *directory ? directory : "results", e->id);
  return sw_read_json(path, kept, err);
}

static void note(void *io, const char *text) {
  char line[400];
  sw_clean_text(line, sizeof line, text);
  sw_note(io, "note: %s", line);
}

/* -1: the directory cannot be opened. */
static int lock_kept(const char *directory) {
  int lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (lock >= 0 && flock(lock, LOCK_EX) && errno == EINTR) {
  }
  return lock;
}

static int mark(const sw_kept_shelf *shelf, sw_repro_result *result,
                sw_err *err) {
  sw_known_losses known = {0};
  int code = sw_losses_of_result(&known, result, err);
  for (int i = 0; shelf && shelf->experiment[i] && !code; i++)
    code = sw_losses_of_kept(&known, shelf->kept[i], err);
  if (!code) code = sw_plateaus_mark(result, &known, err);
  sw_losses_free(&known);
  return code;
}

int sw_repro_mark_plateaus(sw_repro_result *result, int beside_kept,
                           sw_err *err) {
  char directory[1024];
  sw_kept_shelf shelf = {.experiment = sw_experiments(),
                         .directory = directory};
  if (!beside_kept) return mark(NULL, result, err);
  sw_kept_directory(directory, sizeof directory);
  SW_TRY(sw_kept_shelf_read(&shelf, err));
  int code = mark(&shelf, result, err);
  sw_kept_shelf_free(&shelf);
  return code;
}

int sw_repro_keep(sw_command_io *io, const sw_experiment *e,
                  sw_repro_result *result, sw_err *err) {
  char directory[1024], path[1200];
  json_t *kept = NULL;
  sw_kept_directory_to_keep(directory, sizeof directory);
  SW_TRY(sw_make_dirs(directory, err));
  int lock = lock_kept(directory);
  if (lock < 0) return sw_fail_errno(err, directory, "open");
  int code = sw_repro_read_kept(e, directory, path, sizeof path, &kept, err);
  if (!code) code = sw_kept_merge(result, kept, io, note, err);
  if (!code) code = sw_repro_mark_plateaus(result, 1, err);
  if (!code) code = sw_kept_write(result, "../", path, err);
  json_decref(kept);
  close(lock);
  return code;
}

/* ---- what other tables keep ---- */

/* Lines of a json_t array: said once the file is written. */
static void collect(void *lines, const char *line) {
  (void)json_array_append_new(lines, json_string(line));
}

static void say(const sw_command_io *io, const json_t *lines) {
  const json_t *line;
  size_t at;
  json_array_foreach(lines, at, line)
      sw_note(io, "%s", json_string_value(line));
}

static int take_over(sw_command_io *io, const sw_kept_shelf *shelf,
                     const sw_experiment *e, sw_err *err) {
  char path[1200];
  json_t *kept = NULL, *enlarged = NULL, *lines = NULL;
  sw_repro_result r = {.experiment = e, .scale = shelf->scale};
  int lock = lock_kept(shelf->directory);
  if (lock < 0) return sw_fail_errno(err, shelf->directory, "open");
  int code =
      sw_repro_read_kept(e, shelf->directory, path, sizeof path, &kept, err);
  if (!code) lines = json_array();
  if (!code)
    code = sw_kept_share(shelf, e, kept, &enlarged, lines, collect, err);
  if (!code && enlarged) { /* else somebody else has done so meanwhile */
    code = sw_kept_merge(&r, enlarged, io, note, err);
    if (!code) code = sw_kept_write(&r, "../", path, err);
    if (!code) say(io, lines);
  }
  sw_repro_free(&r);
  json_decref(enlarged);
  json_decref(kept);
  json_decref(lines);
  close(lock);
  return code;
}

int sw_repro_take_over(sw_command_io *io, const sw_kept_shelf *shelf,
                       const sw_experiment *const *only, int count,
                       sw_err *err) {
  for (int i = 0; shelf->experiment[i]; i++) {
    const sw_experiment *e = shelf->experiment[i];
    json_t *enlarged;
    int wanted = !count;
    for (int k = 0; k < count; k++) wanted |= only[k] == e;
    if (!wanted) continue;
    SW_TRY(sw_kept_share(shelf, e, shelf->kept[i], &enlarged, NULL, NULL, err));
    if (!enlarged) continue; /* nothing to lock the others out for */
    json_decref(enlarged);
    SW_TRY(take_over(io, shelf, e, err));
  }
  return SW_OK;
}

/* ---- pages ---- */

static void count_lines(void *context, const char *line) {
  (void)line;
  ++*(int *)context;
}

/* The result of what is kept and of what others keep for it; a file of which
 * something would be left out stays as it is. */
static int sum_up(sw_command_io *io, const sw_experiment *e,
                  const sw_kept_shelf *shelf, const json_t *kept,
                  const char *path, sw_err *err) {
  int left_out = 0;
  json_t *enlarged = NULL, *lines = json_array();
  sw_repro_result r = {.experiment = e, .scale = shelf->scale};
  int code = sw_kept_share(shelf, e, kept, &enlarged, lines, collect, err);
  if (!code && (kept || enlarged)) {
    code = sw_kept_merge(&r, enlarged ? enlarged : kept, &left_out, count_lines,
                         err);
    if (!code && !left_out) code = mark(shelf, &r, err);
    if (!code && !left_out) {
      code = sw_kept_write(&r, "../", path, err);
      if (!code) say(io, lines);
    } else if (!code)
      sw_note(io,
              "note: %s: settings have changed since; its numbers stay as "
              "they were summed up then",
              e->id);
  }
  sw_repro_free(&r);
  json_decref(enlarged);
  json_decref(lines);
  return code;
}

/* Means, intervals and statistics of what is kept, from its values. What is
 * drawn from another experiment is taken from there. */
static int sum_up_again(sw_command_io *io, const sw_experiment *e,
                        const sw_kept_shelf *shelf, sw_err *err) {
  const sw_experiment *from =
      e->drawn_from ? sw_experiment_find(e->drawn_from) : e;
  char path[1200];
  json_t *kept = NULL;
  sw_kept_shelf own = *shelf;
  int lock = lock_kept(shelf->directory);
  if (lock < 0) return sw_fail_errno(err, shelf->directory, "open");
  int code =
      sw_repro_read_kept(from, shelf->directory, path, sizeof path, &kept, err);
  snprintf(path, sizeof path, "%s/%s.json", shelf->directory, e->id);
  own.scale = sw_kept_scale(kept);
  if (!code) code = sum_up(io, e, &own, kept, path, err);
  json_decref(kept);
  close(lock);
  return code;
}

/* Those that are drawn from others behind them. */
static int sum_all_up(sw_command_io *io, const char *directory, sw_err *err) {
  sw_kept_shelf shelf = {.experiment = sw_experiments(),
                         .directory = directory};
  SW_TRY(sw_kept_shelf_read(&shelf, err));
  int code = SW_OK;
  for (int drawn = 0; drawn < 2; drawn++)
    for (int i = 0; sw_experiments()[i] && !code; i++)
      if (drawn == (sw_experiments()[i]->drawn_from != NULL))
        code = sum_up_again(io, sw_experiments()[i], &shelf, err);
  sw_kept_shelf_free(&shelf);
  return code;
}

int sw_repro_pages(sw_command_io *io, const char *site, int as_json,
                   sw_err *err) {
  char directory[1024];
  int count = sw_experiment_count();
  sw_kept_directory_to_keep(directory, sizeof directory);
  if (!sw_is_directory(directory)) {
    sw_fail(err, SW_NOFILE, "there is no directory `results`");
    return sw_hint(err, "statewise repro ID --keep makes it");
  }
  sw_kept_entry *entry = calloc((size_t)count, sizeof *entry);
  if (!entry) return sw_no_memory(err);
  int code = sum_all_up(io, directory, err);
  for (int i = 0; i < count; i++) {
    const sw_experiment *e = sw_experiments()[i];
    entry[i] = (sw_kept_entry){.file = e->id,
                               .finding = e->finding,
                               .section = e->section,
                               .place = e->place,
                               .title = e->title,
                               .aliases = e->aliases,
                               .seeds = e->seeds[0]};
    entry[i].state =
        sw_kept_state_name(sw_kept_state_of(e, directory, &entry[i].older));
  }
  if (!code)
    code = sw_kept_pages(directory, directory, SW_KEPT_MARKDOWN, entry, count,
                         &sw_cell_questions, err);
  if (!code && site)
    code = sw_kept_pages(directory, site, SW_KEPT_SITE, entry, count,
                         &sw_cell_questions, err);
  free(entry);
  if (code) return code;
  char page[1100];
  snprintf(page, sizeof page, "%s/index.%s", site ? site : directory,
           site ? "html" : "md");
  if (as_json) {
    sw_json json;
    sw_json_to_file(&json, io->out);
    sw_json_object(&json, NULL);
    sw_json_string(&json, "page", page);
    sw_json_end(&json);
  } else {
    fprintf(io->out, "%s\n", page);
  }
  return SW_OK;
}
