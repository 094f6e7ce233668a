/* Fuzz target: any bytes as the model of a search, of any family: through the
 * gate (metadata, options of the domain, layout), then a few decisions on an
 * instance of the domain that it names, as a guide and as the model of a
 * verifier. The input is the header of a weight file, a newline, and the first
 * of its bytes; the rest of what the header asks for is repeated from them, so
 * that a small input is a model of any size. */
#include <jansson.h>
#include <stdio.h>
#include "fuzz.h"
#include "search/guide_family.h"
#include "search/loop.h"

enum { MOST = 1 << 18 };

/* The end of the last tensor. */
static size_t data_end(const uint8_t *header, size_t length) {
  json_t *root = json_loadb((const char *)header, length, 0, NULL), *tensor;
  const char *name;
  json_int_t most = 0;
  json_object_foreach(root, name, tensor) {
    json_int_t end = json_integer_value(
        json_array_get(json_object_get(tensor, "data_offsets"), 1));
    if (end > most) most = end;
  }
  json_decref(root);
  return most > 0 && most <= MOST ? (size_t)most : 0;
}

static const char *model_file(const uint8_t *bytes, size_t length) {
  const uint8_t *newline = length ? memchr(bytes, '\n', length) : NULL;
  if (!newline) return fuzz_file(bytes, length);
  uint64_t header = (uint64_t)(newline - bytes);
  const uint8_t *data = newline + 1;
  size_t have = length - (size_t)header - 1;
  size_t wanted = data_end(bytes, (size_t)header);
  size_t fill = wanted > have ? wanted : have;
  uint8_t *built = malloc(8 + (size_t)header + fill);
  if (!built) abort();
  memcpy(built, &header, 8);
  memcpy(built + 8, bytes, (size_t)header);
  for (size_t i = 0; i < fill; i++)
    built[8 + header + i] = have ? data[i % have] : 0;
  const char *path = fuzz_file(built, 8 + (size_t)header + fill);
  free(built);
  return path;
}

static void play(sw_guide *guide, const sw_loaded *loaded,
                 const sw_domain_options *task, const char *verifier) {
  sw_loop_options loop = {
      .protocol = SW_REBUILT, .verifier = verifier, .max_decisions = 3};
  const sw_domain *domain = loaded->domain;
  sw_stream *stream = NULL;
  sw_instance *instance = NULL;
  sw_game game;
  sw_err err;
  int code = sw_game_new(&game, domain, task, &loop, &err);
  if (!code) code = domain->stream_new(&stream, task, 1, SW_SPLIT_TRAIN, &err);
  if (!code) code = domain->stream_next(stream, &instance, &err);
  if (!code) code = sw_game_start(&game, instance, 0, &err);
  if (!code) code = sw_guide_reserve(guide, 1, &err);
  if (!code) code = sw_guide_start(guide, 0, &game, &err);
  for (int i = 0; i < 8 && !code && sw_game_advance(&game); i++) {
    code = sw_guide_ask(guide, 0, &game, &err);
    if (!code) sw_game_take(&game);
  }
  if (instance) domain->instance_free(instance);
  if (stream) domain->stream_free(stream);
  sw_game_free(&game);
}

/* Small instances: how they are drawn is not what is tested here. */
static int small_task(const sw_loaded *loaded, sw_domain_options *task) {
  const sw_domain *domain = loaded->domain;
  *task = loaded->options;
  task->n = 4;
  task->exclude = 0;
  return domain->search && task->preset == 0 && !domain->resolve(task, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  const char *path = model_file(bytes, length);
  sw_domain_options task;
  static sw_team *team;
  sw_loaded loaded;
  sw_guide *guide;
  sw_err err;
  char verifier[80];
  if (!team && sw_team_new(&team, 1, &err)) abort();
  if (sw_loaded_open(&loaded, path, &err)) return 0;
  for (const char *p = loaded.label; *p; p++)
    if ((unsigned char)*p < 32 || *p == 127) abort();
  if (small_task(&loaded, &task)) {
    if (!sw_guide_model(&guide, &loaded, NULL, team, &err)) {
      play(guide, &loaded, &task, "exact");
      sw_guide_close(guide);
    }
    snprintf(verifier, sizeof verifier, "viability:%s:0.5", path);
    if (strcmp(loaded.model->family->reads, "tokens") &&
        !sw_guide_named(&guide, loaded.domain, "expert", &err)) {
      play(guide, &loaded, &task, verifier);
      sw_guide_close(guide);
    }
  }
  sw_loaded_close(&loaded);
  return 0;
}
