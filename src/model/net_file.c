/* Weight files of any family: the tensors of its table under their names, its
 * architecture and config in __metadata__. A family that reads files of others
 * too has its own `load`; for the rest the tables say everything. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/net.h"

static int write_tensors(const sw_net *net, const char *path,
                         const char *const *meta, int pairs, sw_err *err) {
  sw_st_spec *spec = calloc((size_t)net->tensors, sizeof *spec);
  if (!spec) return sw_no_memory_for(err, "%s", path);
  for (int i = 0; i < net->tensors; i++) {
    const sw_tensor *t = &net->tensor[i];
    spec[i] = (sw_st_spec){.name = t->name,
                           .dtype = SW_ST_F32,
                           .dims = t->dims,
                           .data = net->weights + t->offset};
    memcpy(spec[i].shape, t->shape, sizeof t->shape);
  }
  int code = sw_st_write(path, spec, net->tensors, meta, pairs, err);
  free(spec);
  return code;
}

/* An option's name as a metadata key: memory-width is memory_width. */
static void key_of(const sw_option *option, char *key, size_t room) {
  snprintf(key, room, "%s", option->name);
  for (char *c = key; *c; c++)
    if (*c == '-') *c = '_';
}

int sw_net_save(const sw_net *net, const char *path, const char *const *meta,
                int meta_pairs, sw_err *err) {
  const sw_family *f = net->family;
  struct {
    char key[48], value[48];
  } *text = calloc((size_t)f->option_count + 1, sizeof *text);
  const char **all =
      calloc(2 * (size_t)(meta_pairs + f->option_count + 2), sizeof *all);
  int pairs = 0;
  int code = text && all ? SW_OK : sw_no_memory_for(err, "%s", path);
  if (!code) {
    for (int i = 0; i < f->option_count; i++, pairs++) {
      key_of(&f->options[i], text[i].key, sizeof text[i].key);
      sw_option_text(&f->options[i], net->config, text[i].value,
                     sizeof text[i].value);
      all[2 * pairs] = text[i].key;
      all[2 * pairs + 1] = text[i].value;
    }
    snprintf(text[f->option_count].value, sizeof text[0].value, "%016" PRIx64,
             sw_net_hash(net));
    all[2 * pairs] = "weights_xxh64";
    all[2 * pairs++ + 1] = text[f->option_count].value;
    all[2 * pairs] = "architecture";
    all[2 * pairs++ + 1] = f->name;
    for (int i = 0; i < 2 * meta_pairs; i++) all[2 * pairs + i] = meta[i];
    code = write_tensors(net, path, all, pairs + meta_pairs, err);
  }
  free(all);
  free(text);
  return code;
}

/* ---- loading ---- */

static int read_config(const sw_family *f, const sw_st_file *file,
                       const char *path, void *config, sw_err *err) {
  sw_options_defaults(f->options, f->option_count, config);
  for (int i = 0; i < f->option_count; i++) {
    char key[48];
    key_of(&f->options[i], key, sizeof key);
    const char *value = sw_st_meta(file, key);
    sw_err inner = {0};
    if (!value)
      return sw_fail(err, SW_DATA, "%s: the metadata has no `%s`", path, key);
    if (sw_options_set(f->options, f->option_count, f->options[i].name, value,
                       config, &inner))
      return sw_fail(err, SW_DATA, "%s: metadata %s = \"%.40s\": %s", path, key,
                     value, inner.text);
  }
  return SW_OK;
}

/* The file's tensor of a row, of exactly its shape. */
static int find_tensor(const sw_st_file *file, const char *path,
                       const sw_tensor *row, const sw_st_tensor **found,
                       sw_err *err) {
  const sw_st_tensor *t = *found = sw_st_find(file, row->name);
  if (!t)
    return sw_fail(err, SW_DATA, "%s: tensor %s is missing", path, row->name);
  int same = t->dims == row->dims;
  for (int i = 0; i < row->dims && same; i++)
    same = t->shape[i] == row->shape[i];
  if (same) return SW_OK;
  return sw_fail(err, SW_DATA,
                 "%s: tensor %s has %lld elements in %d dimensions, the model "
                 "needs %lld in %d",
                 path, row->name, (long long)t->count, t->dims,
                 (long long)row->count, row->dims);
}

/* By the tables: every shape is checked before anything is allocated for the
 * weights. */
static int read_plain(sw_net **net, const sw_family *f, const sw_st_file *file,
                      const char *path, sw_err *err) {
  void *config = calloc(1, f->config_bytes);
  if (!config) return sw_no_memory_for(err, "%s", path);
  const sw_st_tensor *t = NULL;
  int code = read_config(f, file, path, config, err);
  if (!code && (code = f->create(net, config, err)))
    sw_context(err, "%s", path);
  free(config);
  if (code) return code;
  for (int i = 0; i < (*net)->tensors && !code; i++)
    code = find_tensor(file, path, &(*net)->tensor[i], &t, err);
  if (!code && !(*net)->weights) code = sw_net_allocate(*net, err);
  for (int i = 0; i < (*net)->tensors && !code; i++) {
    const sw_tensor *row = &(*net)->tensor[i];
    code = find_tensor(file, path, row, &t, err);
    if (!code && (code = sw_st_copy_f32(t, (*net)->weights + row->offset,
                                        row->count, err)))
      sw_context(err, "%s", path);
  }
  if (!code) return SW_OK;
  sw_net_free(*net);
  *net = NULL;
  return code;
}

/* The weights must be those that the metadata belongs to. Foreign files have no
 * hash. A number of heads given by the caller changes the hash,
 * so it is not compared. */
static int check_hash(const sw_net *net, const sw_st_file *file,
                      const char *path, int heads, sw_err *err) {
  const char *kept = sw_st_meta(file, "weights_xxh64");
  char hash[24];
  if (!kept || heads) return SW_OK;
  snprintf(hash, sizeof hash, "%016" PRIx64, sw_net_hash(net));
  if (!strcmp(kept, hash)) return SW_OK;
  sw_fail(err, SW_DATA, "%s: the weights' hash is %s, the metadata says %.40s",
          path, hash, kept);
  return sw_hint(err, "the file is damaged or was edited");
}

int sw_net_read(sw_net **net, const sw_st_file *file, const char *path,
                int heads, sw_err *err) {
  const char *name = sw_st_meta(file, "architecture");
  *net = NULL;
  SW_TRY(sw_st_check_format(file, "weights", path, err));
  const sw_family *f = sw_family_find(name ? name : "slot-decoder");
  if (!f) {
    sw_fail(err, SW_DATA, "%s: unknown architecture `%.60s`", path, name);
    return sw_hint(err, "it may be the work of a newer version");
  }
  SW_TRY(f->load ? f->load(net, file, path, heads, err)
                 : read_plain(net, f, file, path, err));
  int code = check_hash(*net, file, path, heads, err);
  if (code) {
    sw_net_free(*net);
    *net = NULL;
    return code;
  }
  sw_net_changed(*net);
  return SW_OK;
}

int sw_net_load(sw_net **net, const char *path, int heads, sw_err *err) {
  sw_st_file *file = NULL;
  *net = NULL;
  SW_TRY(sw_st_open(&file, path, err));
  int code = sw_net_read(net, file, path, heads, err);
  sw_st_close(file);
  return code;
}
