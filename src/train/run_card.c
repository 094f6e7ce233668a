/* Run cards and saved weights (see run_card.h). */
#include "train/run_card.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/text.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json_read.h"
#include "base/safetensors.h"
#include "base/clock.h"
#include "domains/of_file.h"

int sw_run_save_model(const sw_train_plan *plan, const sw_dataset *set,
                      const sw_net *net, const sw_progress_state *state,
                      const double *copy, sw_err *err) {
  static const char *const copied[] = {
      "domain", "format", "domain_options", "generator",
      "words",  "back",   "verdict_shown"};
  enum { COPIED = sizeof copied / sizeof *copied };
  char step[24], loss[32], seed[24], path[1200];
  char file[48] = "model.safetensors";
  const char *meta[2 * (COPIED + SW_READING_PAIRS + 7)];
  int pairs = 0;
  for (int i = 0; i < COPIED; i++) {
    const char *value = sw_dataset_meta(set, copied[i]);
    if (!value && i == 0) value = SW_OWN_DOMAIN;
    if (!value) continue;
    meta[2 * pairs] = copied[i];
    meta[2 * pairs++ + 1] = value;
  }
  sw_reading_meta reading;
  sw_reading_save(&plan->reading, &reading);
  for (int i = 0; i < SW_READING_PAIRS; i++, pairs++) {
    meta[2 * pairs] = reading.pair[2 * i];
    meta[2 * pairs + 1] = reading.pair[2 * i + 1];
  }
  snprintf(step, sizeof step, "%" PRId64, state->step);
  sw_real_text(loss, sizeof loss, 9, state->best_loss);
  if (copy) sw_real_text(loss, sizeof loss, 17, *copy < 0 ? HUGE_VAL : *copy);
  snprintf(seed, sizeof seed, "%" PRId64, plan->options.seed);
  /* Another kernel set trains to other bits, so the file names its own. */
  const char *own[] = {"step",       step,
                       "valid_loss", loss,
                       "train_seed", seed,
                       "data_hash",  set->hash,
                       "kernels",    net->kernels->name,
                       "label",      sw_train_plan_label(plan)};
  for (size_t i = 0; i < sizeof own / sizeof *own; i += 2) {
    meta[2 * pairs] = own[i];
    meta[2 * pairs++ + 1] = own[i + 1];
  }
  if (copy && *copy >= 0) { /* older copies name a loss of other weights */
    meta[2 * pairs] = "valid_step";
    meta[2 * pairs++ + 1] = step;
  }
  if (copy)
    snprintf(file, sizeof file, "at-%08" PRId64 ".safetensors", state->step);
  snprintf(path, sizeof path, "%s/%s", plan->options.output, file);
  return sw_net_save(net, path, meta, pairs, err);
}

/* Is the kind asked for beside the ordinary loss? */
static int is_asked(const sw_train_plan *plan, int kind) {
  const sw_train_options *o = &plan->options;
  const int asked[SW_LOSS_KINDS] = {
      [SW_LOSS_VERDICT] = o->verify > 0,
      [SW_LOSS_FACT] = o->facts > 0,
      [SW_LOSS_DECISION] = o->decision_weight != 1};
  return asked[kind];
}

static void write_mean(sw_json *json, const char *before, int kind,
                       const sw_loss_mean *mean) {
  static const char *const name[] = {
#define X(id, text) text,
      SW_LOSSES(X)
#undef X
  };
  char key[64];
  snprintf(key, sizeof key, "%s%sloss", before, name[kind]);
  sw_json_real(json, key, mean->loss);
  snprintf(key, sizeof key, "%s%saccuracy", before, name[kind]);
  sw_json_real(json, key, mean->accuracy);
}

int sw_metrics_write(FILE *out, const sw_train_plan *plan,
                     const sw_train_report *report, int64_t tokens,
                     sw_err *err) {
  sw_json json;
  sw_json_to_file(&json, out);
  sw_json_object(&json, NULL);
  sw_json_int(&json, "step", report->step);
  sw_json_real(&json, "loss", report->loss);
  sw_json_real(&json, "accuracy", report->accuracy);
  sw_json_real(&json, "grad_norm", report->grad_norm);
  sw_json_real(&json, "lr", report->lr);
  sw_json_int(&json, "tokens", tokens);
  sw_json_real(&json, "seconds", report->seconds);
  if (report->valid_loss >= 0) {
    sw_json_real(&json, "valid_loss", report->valid_loss);
    sw_json_real(&json, "valid_accuracy", report->valid_accuracy);
  }
  for (int k = SW_LOSS_VERDICT; k < SW_LOSS_KINDS; k++)
    if (is_asked(plan, k)) write_mean(&json, "", k, &report->mean[k]);
  if (plan->options.verify > 0 && report->valid_loss >= 0)
    write_mean(&json, "valid_", SW_LOSS_VERDICT,
               &report->valid[SW_LOSS_VERDICT]);
  sw_json_end(&json);
  if (!fflush(out) && !json.failed) return SW_OK;
  char path[1200];
  snprintf(path, sizeof path, "%s/metrics.jsonl", plan->options.output);
  return sw_fail_errno(err, path, "write");
}

int sw_metrics_sync(FILE *out, const sw_train_plan *plan, sw_err *err) {
  char path[1200];
  snprintf(path, sizeof path, "%s/metrics.jsonl", plan->options.output);
  return sw_log_sync(out, path, err);
}

static void machine(sw_json *json) {
  struct utsname name;
  sw_json_object(json, "machine");
  if (!uname(&name)) {
    sw_json_string(json, "system", name.sysname);
    sw_json_string(json, "release", name.release);
    sw_json_string(json, "architecture", name.machine);
  }
  sw_json_int(json, "cores", sw_cpu_count());
  const nn_kernels *kernels = nn_select(NULL, NULL);
  if (kernels) sw_json_string(json, "kernels", kernels->name);
  sw_json_string(json, "compiler", __VERSION__);
  sw_json_end(json);
}

int sw_run_card_write(const sw_train_plan *plan, const sw_dataset *set,
                      const sw_net *net, const sw_train_result *result,
                      sw_err *err) {
  sw_json json;
  char text[32], path[1200];
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "status", "done");
  snprintf(text, sizeof text, "%016" PRIx64, plan->fingerprint);
  sw_json_string(&json, "fingerprint", text);
  snprintf(text, sizeof text, "%016" PRIx64, sw_net_hash(net));
  sw_json_string(&json, "final_weights", text);
  sw_json_string(&json, "data_hash", set->hash);
  snprintf(text, sizeof text, "%016" PRIx64, plan->init_hash);
  if (plan->init_hash) sw_json_string(&json, "init_weights", text);
  sw_json_object(&json, "options");
  sw_options_json(sw_train_table, sw_train_table_count, &plan->options, &json);
  sw_json_end(&json);
  sw_json_string(&json, "architecture", plan->family->name);
  sw_json_string(&json, "mask", sw_mask_name(plan->reading.mask));
  sw_json_string(&json, "positions", sw_position_name(plan->reading.positions));
  sw_json_int(&json, "parameters", result->parameters);
  sw_json_int(&json, "steps", result->steps);
  sw_json_int(&json, "tokens", result->tokens);
  sw_json_string(&json, "ended", sw_ending_name(result->ending));
  if (result->falling) sw_json_bool(&json, "still_falling", 1);
  sw_json_real(&json, "train_loss", result->train_loss);
  sw_json_real(&json, "valid_loss", result->valid_loss);
  sw_json_real(&json, "seconds", result->seconds);
  sw_json_int(&json, "peak_rss_kb", sw_peak_rss_kb());
  machine(&json);
  sw_json_end(&json);
  snprintf(path, sizeof path, "%s/run.json", plan->options.output);
  int code = json.failed ? sw_no_memory(err)
                         : sw_write_file(path, json.text, json.length, err);
  sw_json_free(&json);
  return code;
}

/* A loss that is not a finite number means that there was no validation. */
static double loss_of(const json_t *card, const char *key) {
  const json_t *loss = json_object_get(card, key);
  return json_is_number(loss) ? json_number_value(loss) : HUGE_VAL;
}

int sw_run_card_done(const sw_train_options *options, sw_train_result *result) {
  char path[1200], want[32];
  snprintf(path, sizeof path, "%s/run.json", options->output);
  if (!sw_path_exists(path)) return 0;
  sw_dataset set;
  sw_train_plan plan;
  if (sw_dataset_open(&set, options->data, NULL)) return 0;
  int code = sw_train_plan_make(&plan, options, &set, NULL);
  sw_dataset_close(&set);
  if (code) return 0;
  sw_content content;
  json_t *card = NULL;
  if (sw_content_read(&content, path, NULL)) return 0;
  if (content.data)
    (void)sw_json_read(&card, (const char *)content.data, content.bytes, 0,
                       NULL);
  sw_content_free(&content);
  const char *have = json_string_value(json_object_get(card, "fingerprint"));
  snprintf(want, sizeof want, "%016" PRIx64, plan.fingerprint);
  int done = have && !strcmp(have, want);
  /* The same --init with other weights in it is another run. Older cards do not
   * name the weights, and weights that are gone cannot be compared. */
  have = json_string_value(json_object_get(card, "init_weights"));
  snprintf(want, sizeof want, "%016" PRIx64, plan.init_hash);
  if (have && plan.init_hash) done = done && !strcmp(have, want);
  if (done) {
    result->steps = json_integer_value(json_object_get(card, "steps"));
    result->tokens = json_integer_value(json_object_get(card, "tokens"));
    result->ending = sw_ending_beside(
        sw_ending_from_name(json_string_value(json_object_get(card, "ended"))),
        loss_of(card, "valid_loss"), options->best_loss);
    result->falling = json_is_true(json_object_get(card, "still_falling"));
    result->parameters =
        json_integer_value(json_object_get(card, "parameters"));
    result->train_loss = loss_of(card, "train_loss");
    result->valid_loss = loss_of(card, "valid_loss");
    result->seconds = json_number_value(json_object_get(card, "seconds"));
  }
  json_decref(card);
  return done;
}

static void init_file(const char *path, char *file, size_t room) {
  snprintf(file, room, sw_is_directory(path) ? "%s/model.safetensors" : "%s",
           path);
}

/* Hashes the weights alone, so that other metadata change nothing. Files
 * without a hash, or with a wrong one, are hashed by their bytes. */
static int hash_file(const char *path, uint64_t *hash, sw_err *err) {
  sw_st_file *file;
  sw_net *net = NULL;
  sw_content content;
  SW_TRY(sw_st_open(&file, path, err));
  int code = SW_OK;
  if (sw_st_meta(file, "weights_xxh64"))
    code = sw_net_read(&net, file, path, 0, err);
  sw_st_close(file);
  if (net) {
    *hash = sw_net_hash(net);
    sw_net_free(net);
    return SW_OK;
  }
  if (code == SW_MEMORY) return code;
  SW_TRY(sw_content_read(&content, path, err));
  *hash = sw_xxh64(content.data, content.bytes, 0);
  sw_content_free(&content);
  return SW_OK;
}

int sw_run_init_hash(const char *path, uint64_t *hash, sw_err *err) {
  char file[1200];
  sw_err why = {0};
  *hash = 0;
  if (!path) return SW_OK;
  init_file(path, file, sizeof file);
  if (hash_file(file, hash, &why) != SW_MEMORY) return SW_OK;
  return sw_fail(err, SW_MEMORY, "%s", why.text);
}

int sw_run_init_weights(sw_net *net, const char *path, sw_err *err) {
  char file[1200];
  init_file(path, file, sizeof file);
  sw_net *from;
  SW_TRY(sw_net_load(&from, file, 0, err));
  int code = sw_net_copy(net, from, file, err);
  sw_net_free(from);
  return code;
}

typedef struct peak_run {
  const nn_kernels *kernels;
  double gflops[256];
} peak_run;

static void run_peak(void *context, int rank, int size) {
  peak_run *p = context;
  (void)size;
  if (rank < 256) p->gflops[rank] = p->kernels->fma_peak(0.04);
}

/* The peak belongs to the machine: one measurement serves all trainings of a
 * process with as many threads and the same kernels. */
double sw_run_peak_gflops(sw_team *team) {
  static pthread_mutex_t measuring = PTHREAD_MUTEX_INITIALIZER;
  static const nn_kernels *kernels;
  static double kept;
  static int threads;
  peak_run p = {.kernels = nn_select(NULL, NULL)};
  if (!p.kernels) return 0;
  pthread_mutex_lock(&measuring);
  if (kernels != p.kernels || threads != sw_team_size(team)) {
    sw_team_run(team, run_peak, &p);
    kernels = p.kernels;
    threads = sw_team_size(team);
    kept = 0;
    for (int i = 0; i < threads && i < 256; i++) kept += p.gflops[i];
  }
  double sum = kept;
  pthread_mutex_unlock(&measuring);
  return sum;
}
