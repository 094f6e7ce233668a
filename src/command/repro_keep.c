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
#include "repro/plateau.h"

int sw_repro_read_kept(sw_answers *answers, int to_keep, sw_err *err) {
  char directory[1024];
  sw_answers_begin(answers);
  if (to_keep) sw_kept_directory_to_keep(directory, sizeof directory);
  else sw_kept_directory(directory, sizeof directory);
  return sw_answers_read(answers, directory, err);
}

/* -1: the directory cannot be opened. */
static int lock_kept(const char *directory) {
  int lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (lock >= 0 && flock(lock, LOCK_EX) && errno == EINTR) {
  }
  return lock;
}

int sw_repro_mark_plateaus(sw_repro_result *result, int beside_kept,
                           sw_err *err) {
  sw_answers answers;
  sw_known_losses known = {0};
  int code = SW_OK;
  if (beside_kept) code = sw_repro_read_kept(&answers, 0, err);
  else sw_answers_begin(&answers);
  if (!code) code = sw_losses_of_answers(&known, &answers, err);
  if (!code) code = sw_losses_of_result(&known, result, err);
  if (!code) code = sw_plateaus_mark(result, &known, err);
  sw_losses_free(&known);
  sw_answers_free(&answers);
  return code;
}

/* A table has one scale: its kept values of another scale are left out. */
static void tell_scale(sw_command_io *io, const sw_answers *answers,
                       const sw_repro_result *r) {
  const sw_answer_table *was = sw_answers_table(answers, r->experiment->id);
  const char *scale = r->scale ? "paper" : "small";
  if (was && strcmp(was->scale, scale) != 0)
    sw_note(io, "note: kept values are left out: their scale is %s, not %s",
            strcmp(was->scale, "paper") ? "small" : "paper", scale);
}

int sw_repro_keep(sw_command_io *io, const sw_repro_result *result,
                  sw_err *err) {
  char directory[1024];
  sw_answers answers;
  sw_kept_directory_to_keep(directory, sizeof directory);
  SW_TRY(sw_make_dirs(directory, err));
  int lock = lock_kept(directory);
  if (lock < 0) return sw_fail_errno(err, directory, "open");
  sw_answers_begin(&answers);
  int code = sw_answers_read(&answers, directory, err);
  if (!code) tell_scale(io, &answers, result);
  if (!code) code = sw_answers_take(&answers, result, err);
  if (!code) code = sw_answers_write(&answers, directory, err);
  sw_answers_free(&answers);
  close(lock);
  return code;
}

/* ---- pages ---- */

static void tell_stale(sw_command_io *io, const sw_answers *answers) {
  for (int i = 0; i < answers->subjects; i++) {
    const sw_subject *s = &answers->subject[i];
    const char *why = s->pins ? sw_subject_stale(s) : NULL;
    if (why)
      sw_note(io, "note: %s is stale: its %s has changed since; not counted",
              s->name, why);
  }
}

/* *kept is NULL where there is nothing to show. */
static int fill_entry(const sw_answers *answers, const sw_known_losses *known,
                      const sw_experiment *e, sw_kept_entry *entry,
                      json_t **kept, sw_err *err) {
  sw_repro_result r;
  int code = sw_answers_fill(answers, e, &r, err);
  if (!code) code = sw_plateaus_mark(&r, known, err);
  sw_kept_state state = code ? SW_NEVER_RUN : sw_kept_state_of(&r);
  *entry = (sw_kept_entry){.file = e->id,
                           .section = e->section,
                           .place = e->place,
                           .title = e->title,
                           .aliases = e->aliases,
                           .finding = e->finding,
                           .seeds = e->seeds[0],
                           .state = sw_kept_state_name(state),
                           .older = r.older};
  if (!code && state != SW_NEVER_RUN) code = sw_kept_document(&r, kept, err);
  sw_repro_free(&r);
  return code;
}

static int write_pages(const char *directory, const char *site,
                       const sw_kept_entry *entry, int count,
                       json_t *const *kept, sw_err *err) {
  SW_TRY(sw_kept_pages(directory, SW_KEPT_MARKDOWN, entry, count, kept, err));
  if (!site) return SW_OK;
  return sw_kept_pages(site, SW_KEPT_SITE, entry, count, kept, err);
}

static int make_pages(sw_command_io *io, const char *directory,
                      const char *site, sw_err *err) {
  sw_answers answers;
  sw_known_losses known = {0};
  int count = sw_experiment_count();
  sw_kept_entry *entry = calloc((size_t)count + 1, sizeof *entry);
  json_t **kept = calloc((size_t)count + 1, sizeof(json_t *));
  int code =
      entry && kept ? sw_repro_read_kept(&answers, 0, err) : sw_no_memory(err);
  if (!entry || !kept) sw_answers_begin(&answers);
  if (!code) code = sw_losses_of_answers(&known, &answers, err);
  for (int i = 0; i < count && !code; i++)
    code = fill_entry(&answers, &known, sw_experiments()[i], &entry[i],
                      &kept[i], err);
  if (!code) tell_stale(io, &answers);
  if (!code) code = write_pages(directory, site, entry, count, kept, err);
  for (int i = 0; kept && i < count; i++) json_decref(kept[i]);
  free(kept);
  free(entry);
  sw_losses_free(&known);
  sw_answers_free(&answers);
  return code;
}

int sw_repro_pages(sw_command_io *io, const char *site, int as_json,
                   sw_err *err) {
  char directory[1024], page[1100];
  /* Pages beside the answers are written, so not into installed results. */
  if (site) sw_kept_directory(directory, sizeof directory);
  else sw_kept_directory_to_keep(directory, sizeof directory);
  if (!sw_is_directory(directory)) {
    sw_fail(err, SW_NOFILE, "there is no directory `results`");
    return sw_hint(err, "statewise repro ID --keep makes it");
  }
  SW_TRY(make_pages(io, directory, site, err));
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
