/* Fuzz target: any bytes as the optimizer half of a checkpoint (state, numbers
 * of the run, the curve of --until flat), and as the marker LATEST. */
#include <stdio.h>
#include <sys/stat.h>
#include "fuzz.h"
#include "model/decoder/model.h"
#include "train/checkpoint.h"

static char directory[64];
static sw_net *net;
static sw_optim *optim;
static sw_team *team;

static void clean_up(void) {
  char path[160];
  static const char *const names[] = {"step-00000005.optim.safetensors",
                                      "step-00000005.model.safetensors",
                                      "LATEST"};
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s", directory, names[i]);
    unlink(path);
  }
  rmdir(directory);
}

/* A directory in which the optimizer's file and the marker are the input. */
static void prepare(const char *input) {
  sw_model_config config = {.vocab = 8,
                            .d = 4,
                            .layers = 1,
                            .heads = 1,
                            .ffn = 4,
                            .slots = 0,
                            .positions = 8};
  sw_optim_config plan = {.lr = 1, .beta1 = 0.9, .beta2 = 0.9, .steps = 9};
  char path[160];
  sw_err err;
  snprintf(directory, sizeof directory, "/tmp/statewise-fuzz-%d",
           (int)getpid());
  mkdir(directory, 0700);
  atexit(clean_up);
  if (sw_team_new(&team, 1, &err) ||
      sw_net_new(&net, sw_family_at(0), &config, NULL, 1, &err) ||
      sw_optim_new(&optim, net, team, &plan, &err))
    abort();
  snprintf(path, sizeof path, "%s/step-00000005.model.safetensors", directory);
  if (sw_net_save(net, path, NULL, 0, &err)) abort();
  snprintf(path, sizeof path, "%s/step-00000005.optim.safetensors", directory);
  if (symlink(input, path)) abort();
  snprintf(path, sizeof path, "%s/LATEST", directory);
  if (symlink(input, path)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  size_t whole;
  uint8_t *built = fuzz_tensors(bytes, length, &whole);
  const char *input =
      built ? fuzz_file(built, whole) : fuzz_file(bytes, length);
  if (!net) prepare(input);
  sw_err err;
  int64_t step;
  sw_progress_state state = {0};
  sw_flat_init(&state.flat, 9, 0);
  if (!sw_checkpoint_latest(directory, &step, &err) && step < 0) abort();
  (void)sw_checkpoint_load(directory, 5, net, optim, &state, 1, &err);
  sw_flat_free(&state.flat);
  free(built);
  return 0;
}
