/* Reading weight files: ours, and the release's state dict under the same
 * names. Foreign files without metadata are read by their shapes; then only the
 * number of heads must come from the caller. Writing is net_file.c's. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/safetensors.h"
#include "model/decoder/internal.h"

/* Config fields and their metadata keys (ours, then the release's). */
#define CONFIG_FIELDS(X)                            \
  X(vocab, "vocab", "vocab_size")                   \
  X(d, "d", "d_model")                              \
  X(layers, "layers", "n_layers")                   \
  X(heads, "heads", "n_heads")                      \
  X(ffn, "ffn", "ffn_width")                        \
  X(slots, "slots", "n_slots")                      \
  X(positions, "positions", "max_seq_len")          \
  X(places, "places", "places")                     \
  X(rotary, "rotary", "rotary")                     \
  X(memory, "memory", "memory_slots")               \
  X(memory_width, "memory_width", "memory_size")    \
  X(memory_shared, "memory_shared", "memory_leaks") \
  X(verify, "verify", "verify")                     \
  X(memory_heads, "memory_heads", "memory_heads")
enum { CONFIG_COUNT = 14 };

/* A tensor by its plain name, or with the "param." of exchange files. */
static const sw_st_tensor *find(const sw_st_file *file, const char *name) {
  char prefixed[80];
  const sw_st_tensor *t = sw_st_find(file, name);
  if (t) return t;
  snprintf(prefixed, sizeof prefixed, "param.%s", name);
  return sw_st_find(file, prefixed);
}

static int dimension(const sw_st_file *file, const char *path, const char *name,
                     int axis, int32_t *value, sw_err *err) {
  const sw_st_tensor *t = find(file, name);
  if (!t) return sw_fail(err, SW_DATA, "%s: tensor %s is missing", path, name);
  if (t->dims <= axis || t->shape[axis] > INT32_MAX)
    return sw_fail(err, SW_DATA, "%s: tensor %s has an unexpected shape", path,
                   name);
  *value = (int32_t)t->shape[axis];
  return SW_OK;
}

static int config_from_shapes(const sw_st_file *file, const char *path,
                              sw_model_config *c, sw_err *err) {
  const char *token = find(file, "token_embedding.weight")
                          ? "token_embedding.weight"
                          : "lm_head.weight";
  SW_TRY(dimension(file, path, token, 0, &c->vocab, err));
  SW_TRY(dimension(file, path, token, 1, &c->d, err));
  SW_TRY(dimension(file, path, "position_embedding.weight", 0, &c->positions,
                   err));
  SW_TRY(dimension(file, path, "blocks.0.mlp.fc_in.weight", 0, &c->ffn, err));
  c->places = 0; /* most models have no such table */
  if (find(file, "place_embedding.weight"))
    SW_TRY(dimension(file, path, "place_embedding.weight", 0, &c->places, err));
  c->slots = 0; /* a model without slots may lack the tensor */
  if (find(file, "slot_embedding"))
    SW_TRY(dimension(file, path, "slot_embedding", 1, &c->slots, err));
  for (c->layers = 0; c->layers <= 64; c->layers++) {
    char name[48];
    snprintf(name, sizeof name, "blocks.%d.ln1.weight", c->layers);
    if (!find(file, name)) break;
  }
  return SW_OK;
}

/* The memory's sizes are metadata only, so its row must have their size before
 * anything is allocated for them. */
static int check_memory(const sw_st_file *file, const char *path,
                        sw_model_config *c, sw_err *err) {
  const sw_st_tensor *row = find(file, "slot_memory");
  if (!row && c->memory == 0) return SW_OK;
  SW_TRY(sw_config_check(c, err));
  if (!row || row->count != sw_memory_floats(c))
    return sw_fail(err, SW_DATA,
                   "%s: metadata says %d registers of width %d, slot_memory "
                   "has another size",
                   path, c->memory, c->memory_width);
  return SW_OK;
}

/* Metadata must agree with the shapes; it alone knows heads, memory and
 * whether positions rotate. */
static int check_metadata(const sw_st_file *file, const char *path,
                          sw_model_config *c, sw_err *err) {
  const struct {
    const char *key, *foreign;
    int32_t *value;
  } field[] = {
#define X(name, key, foreign) {key, foreign, &c->name},
      CONFIG_FIELDS(X)
#undef X
  };
  for (int i = 0; i < CONFIG_COUNT; i++) {
    const char *text = sw_st_meta(file, field[i].key);
    if (!text) text = sw_st_meta(file, field[i].foreign);
    if (!text) continue;
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || *end || end == text || value < 0 || value > INT32_MAX)
      return sw_fail(err, SW_DATA,
                     "%s: metadata %s = \"%.40s\" is not a number", path,
                     field[i].key, text);
    int shapes_tell =
        field[i].value != &c->heads && field[i].value != &c->rotary &&
        field[i].value != &c->memory && field[i].value != &c->memory_width &&
        field[i].value != &c->memory_shared && field[i].value != &c->verify &&
        field[i].value != &c->memory_heads;
    if (!shapes_tell && *field[i].value == 0) *field[i].value = (int32_t)value;
    else if (shapes_tell && *field[i].value != value)
      return sw_fail(err, SW_DATA,
                     "%s: metadata says %s = %ld, the tensors say %d", path,
                     field[i].key, value, *field[i].value);
  }
  if (c->heads == 0) {
    sw_fail(err, SW_USAGE, "%s: the number of heads is not in the metadata",
            path);
    sw_hint(err, "give it, as with --heads 8");
    return SW_USAGE;
  }
  return check_memory(file, path, c, err);
}

static int load_tensor(const sw_st_file *file, const char *path, float *out,
                       const sw_tensor *p, sw_err *err) {
  const sw_st_tensor *t = find(file, p->name);
  if (!t && !strcmp(p->name, "token_embedding.weight"))
    t = find(file, "lm_head.weight"); /* the tied alias */
  if (!t && p->count == 0) return SW_OK;
  if (!t && !p->trained) { /* files of main experiments may lack the head */
    for (int64_t i = 0; i < p->count; i++)
      out[i] = p->init == SW_INIT_ONE ? 1.0f : 0.0f;
    return SW_OK;
  }
  if (!t)
    return sw_fail(err, SW_DATA, "%s: tensor %s is missing", path, p->name);
  int same = t->dims == p->dims;
  for (int i = 0; i < p->dims && same; i++) same = t->shape[i] == p->shape[i];
  if (!same)
    return sw_fail(err, SW_DATA,
                   "%s: tensor %s has %lld elements in %d dimensions, the "
                   "model needs %lld in %d",
                   path, p->name, (long long)t->count, t->dims,
                   (long long)p->count, p->dims);
  int code = sw_st_copy_f32(t, out, p->count, err);
  if (code) sw_context(err, "%s", path);
  return code;
}

/* lm_head.weight is an alias: a file in which it differs is another model. */
static int check_alias(const sw_st_file *file, const char *path,
                       const sw_model *model, sw_err *err) {
  const sw_st_tensor *head = find(file, "lm_head.weight");
  const sw_st_tensor *token = find(file, "token_embedding.weight");
  if (!head || !token) return SW_OK;
  if (head->bytes != token->bytes || head->dtype != token->dtype ||
      memcmp(head->data, token->data, head->bytes))
    return sw_fail(err, SW_DATA,
                   "%s: lm_head.weight differs from token_embedding.weight "
                   "(width %d): the output head is not tied",
                   path, model->config.d);
  return SW_OK;
}

static int load_all(const sw_st_file *file, const char *path, sw_model *model,
                    sw_err *err) {
  for (int i = 0; i < model->net.tensors; i++) {
    const sw_tensor *t = &model->net.tensor[i];
    SW_TRY(load_tensor(file, path, model->weights + t->offset, t, err));
  }
  return check_alias(file, path, model, err);
}

int sw_model_read(sw_model **out, const sw_st_file *file, const char *path,
                  int heads, sw_err *err) {
  sw_model *model = NULL;
  sw_model_config config = {.heads = heads};
  *out = NULL;
  int code = config_from_shapes(file, path, &config, err);
  if (!code) code = check_metadata(file, path, &config, err);
  if (!code && (code = sw_model_alloc(&model, &config, err)))
    sw_context(err, "%s", path);
  if (!code) code = load_all(file, path, model, err);
  if (code) {
    sw_model_free(model);
    return code;
  }
  *out = model;
  return SW_OK;
}

int sw_model_load(sw_model **out, const char *path, int heads, sw_err *err) {
  sw_st_file *file = NULL;
  *out = NULL;
  SW_TRY(sw_st_open(&file, path, err));
  int code = sw_model_read(out, file, path, heads, err);
  sw_st_close(file);
  return code;
}
