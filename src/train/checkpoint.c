/* Checkpoints (see checkpoint.h). */
#include "train/checkpoint.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/file.h"
#include "base/safetensors.h"
#include "base/text.h"

/* Larger than any number of steps or tokens, with room for sums in 64 bits. */
#define MOST (INT64_C(1) << 60)

static void name_file(char *path, size_t room, const char *directory,
                      int64_t step, const char *kind) {
  snprintf(path, room, "%s/step-%08" PRId64 ".%s.safetensors", directory, step,
           kind);
}

int sw_checkpoint_latest(const char *directory, int64_t *step, sw_err *err) {
  char path[1200], *text;
  size_t bytes;
  *step = -1;
  snprintf(path, sizeof path, "%s/LATEST", directory);
  if (!sw_path_exists(path)) return SW_OK;
  SW_TRY(sw_read_file(path, 64, &text, &bytes, err));
  if (bytes && text[bytes - 1] == '\n') text[--bytes] = 0;
  int good = strlen(text) == bytes && sw_text_integer(text, 0, MOST, step);
  if (!good) {
    *step = -1;
    sw_fail(err, SW_DATA, "%s: \"%.20s\" is not a step", path, text);
    sw_hint(err,
            "write the step of the newest step-*.model.safetensors into "
            "it, or remove the directory to start again");
  }
  free(text);
  return good ? SW_OK : SW_DATA;
}

int sw_checkpoint_save(const char *directory, const sw_net *net,
                       const sw_optim *optim, const sw_progress_state *state,
                       uint64_t fingerprint, sw_err *err) {
  SW_ASSERT(directory && optim && state);
  SW_CHECK(sw_net_check(net));
  SW_ASSERT(state->step >= 0 && state->tokens >= 0);
  char path[1200], text[7][48];
  snprintf(text[0], sizeof text[0], "%016" PRIx64, fingerprint);
  snprintf(text[1], sizeof text[1], "%" PRId64, state->tokens);
  sw_real_text(text[2], sizeof text[2], 17, state->best_loss);
  snprintf(text[3], sizeof text[3], "%" PRId64, state->best_step);
  sw_real_text(text[4], sizeof text[4], 15, state->seconds);
  sw_real_text(text[5], sizeof text[5], 17, state->train_loss);
  snprintf(text[6], sizeof text[6], "%016" PRIx64, state->init);
  char *flat = sw_flat_text(&state->flat);
  if (!flat) return sw_no_memory(err);
  const char *meta[] = {"fingerprint", text[0], "tokens",    text[1],
                        "best_loss",   text[2], "best_step", text[3],
                        "seconds",     text[4], "flat",      flat,
                        "train_loss",  text[5], "kernels",   net->kernels->name,
                        "init",        text[6]};
  int pairs = (int)(sizeof meta / sizeof *meta / 2) - !state->init;
  name_file(path, sizeof path, directory, state->step, "model");
  int code = sw_net_save(net, path, NULL, 0, err);
  name_file(path, sizeof path, directory, state->step, "optim");
  if (!code) code = sw_optim_save(optim, path, meta, pairs, err);
  free(flat);
  if (code) return code;
  char marker[32];
  int length = snprintf(marker, sizeof marker, "%" PRId64 "\n", state->step);
  snprintf(path, sizeof path, "%s/LATEST", directory);
  SW_TRY(sw_write_file(path, marker, (size_t)length, err));
  sw_checkpoint_keep_only(directory, state->step);
  return SW_OK;
}

/* step-N.model.safetensors or step-N.optim.safetensors, as written here. */
static int is_of_step(const char *name, int64_t *step) {
  char again[64];
  if (sscanf(name, "step-%" SCNd64, step) != 1) return 0;
  for (int kind = 0; kind < 2; kind++) {
    snprintf(again, sizeof again, "step-%08" PRId64 ".%s.safetensors", *step,
             kind ? "optim" : "model");
    if (!strcmp(name, again)) return 1;
  }
  return 0;
}

void sw_checkpoint_keep_only(const char *directory, int64_t step) {
  DIR *dir = opendir(directory);
  if (!dir) return;
  for (struct dirent *entry; (entry = readdir(dir));) {
    int64_t of;
    if (is_of_step(entry->d_name, &of) && of != step)
      unlinkat(dirfd(dir), entry->d_name, 0);
  }
  closedir(dir);
}

/* Another kernel set would give other bits. Older checkpoints do not name their
 * set. */
static int check_kernels(const sw_st_file *file, const char *path,
                         const sw_net *net, sw_err *err) {
  const char *kept = sw_st_meta(file, "kernels");
  if (!kept || !strcmp(kept, net->kernels->name)) return SW_OK;
  sw_fail(err, SW_USAGE, "%s was trained with the kernels %.20s, these are %s",
          path, kept, net->kernels->name);
  return sw_hint(err,
                 "set STATEWISE_KERNELS=%.20s to go on, or give another output "
                 "directory",
                 kept);
}

static int read_state(const char *path, int64_t step, uint64_t fingerprint,
                      const sw_net *net, sw_progress_state *state,
                      sw_err *err) {
  sw_st_file *file;
  SW_TRY(sw_st_open(&file, path, err));
  static const char *const keys[5] = {"fingerprint", "tokens", "best_loss",
                                      "best_step", "seconds"};
  const char *value[5];
  int code = SW_OK;
  for (int i = 0; i < 5 && !code; i++) {
    value[i] = sw_st_meta(file, keys[i]);
    if (!value[i])
      code =
          sw_fail(err, SW_DATA, "%s: no `%s` in the metadata", path, keys[i]);
  }
  if (!code && strtoull(value[0], NULL, 16) != fingerprint) {
    code = sw_fail(err, SW_USAGE,
                   "%s belongs to a run with other options or data", path);
    sw_hint(err, "give the same options again, or another output directory");
  }
  if (!code) code = check_kernels(file, path, net, err);
  if (!code) {
    char *end;
    state->step = step;
    state->best_loss = sw_text_real(value[2], &end); /* may be inf: none yet */
    if (*end || end == value[2] || isnan(state->best_loss) ||
        !sw_text_integer(value[1], 0, MOST, &state->tokens) ||
        !sw_text_integer(value[3], 0, MOST, &state->best_step) ||
        !sw_text_is_real(value[4], &state->seconds) || state->seconds < 0)
      code = sw_fail(err, SW_DATA,
                     "%s: a number in the metadata cannot be read", path);
    const char *flat = sw_st_meta(file, "flat"); /* older ones have neither */
    const char *loss = sw_st_meta(file, "train_loss");
    const char *init = sw_st_meta(file, "init");
    state->init = init ? strtoull(init, NULL, 16) : 0;
    if (loss) state->train_loss = sw_text_real(loss, &end);
    if (!code && loss && (*end || end == loss))
      code = sw_fail(err, SW_DATA, "%s: `train_loss` is not a number", path);
    if (!code && flat && state->flat.cap)
      code = sw_flat_read(&state->flat, flat, err);
  }
  sw_st_close(file);
  return code;
}

/* The error for another run's checkpoint. A different family of models is
 * reported first. */
static int strangers(const char *directory, int64_t step, const sw_net *net,
                     sw_err *err) {
  char path[1200];
  sw_st_file *file;
  name_file(path, sizeof path, directory, step, "model");
  if (sw_st_open(&file, path, NULL)) return SW_USAGE;
  const char *family = sw_st_meta(file, "architecture");
  if (family && strcmp(family, net->family->name)) {
    sw_fail(err, SW_USAGE, "%s is of a model of the family %s, not %s", path,
            family, net->family->name);
    sw_hint(err,
            "--architecture %s goes on with it; or give another output "
            "directory",
            family);
  }
  sw_st_close(file);
  return SW_USAGE;
}

int sw_checkpoint_load(const char *directory, int64_t step, sw_net *net,
                       sw_optim *optim, sw_progress_state *state,
                       uint64_t fingerprint, sw_err *err) {
  char path[1200];
  name_file(path, sizeof path, directory, step, "optim");
  int code = read_state(path, step, fingerprint, net, state, err);
  if (code == SW_USAGE) return strangers(directory, step, net, err);
  if (code) return code;
  SW_TRY(sw_optim_load(optim, path, err));
  name_file(path, sizeof path, directory, step, "model");
  sw_net *saved;
  SW_TRY(sw_net_load(&saved, path, 0, err));
  code = sw_net_copy(net, saved, path, err);
  sw_net_free(saved);
  return code;
}

/* Is this a whole line of the curve, of a step up to `step`? The buffer is
 * longer than any line; a crash leaves half a line or zero bytes. */
static int counts(const char *line, int64_t step) {
  size_t length = strlen(line);
  const char *at = strstr(line, "\"step\":");
  return length && line[length - 1] == '\n' && at &&
         strtoll(at + 7, NULL, 10) <= step;
}

int sw_metrics_trim(const char *directory, int64_t step, sw_err *err) {
  char path[1200], line[4096];
  FILE *curve;
  snprintf(path, sizeof path, "%s/metrics.jsonl", directory);
  if (!sw_path_exists(path)) return SW_OK;
  SW_TRY(sw_update_open(&curve, path, err));
  off_t keep = 0;
  while (fgets(line, sizeof line, curve) && counts(line, step))
    keep += (off_t)strlen(line);
  int code = ferror(curve) ? sw_fail_errno(err, path, "read") : SW_OK;
  if (!code) code = sw_log_cut(curve, keep, path, err);
  fclose(curve);
  return code;
}
