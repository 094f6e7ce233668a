/* `statewise show model FILE|DIR`: config, metadata and tensors of a model of
 * any family. */
#include <inttypes.h>
#include <stdio.h>
#include "base/json.h"
#include "base/text.h"
#include "base/safetensors.h"
#include "command/commands.h"
#include "model/family.h"
#include "search/loaded.h"

#define OPTIONS(X)                                                        \
  X(heads, INT, "heads", "0", 0, 64, "", "heads, when the file has none") \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object")

typedef struct show_values {
  OPTIONS(SW_OPTION_FIELD)
} show_values;
static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(show_values, __VA_ARGS__)
    OPTIONS(X)
#undef X
};
enum { COUNT = sizeof table / sizeof *table };

static void print_json(sw_command_io *io, const sw_st_file *file,
                       const sw_net *net) {
  const sw_family *f = net->family;
  sw_json json;
  char hash[24];
  sw_json_to_file(&json, io->out);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "architecture", f->name);
  sw_json_object(&json, "config");
  sw_options_json(f->options, f->option_count, net->config, &json);
  sw_json_end(&json);
  sw_json_int(&json, "parameters", sw_net_parameters(net));
  snprintf(hash, sizeof hash, "%016" PRIx64, sw_net_hash(net));
  sw_json_string(&json, "hash", hash);
  sw_json_object(&json, "metadata");
  for (int i = 0; i < sw_st_meta_count(file); i++) {
    const char *key, *value;
    sw_st_meta_at(file, i, &key, &value);
    sw_json_string(&json, key, value);
  }
  sw_json_end(&json);
  sw_json_array(&json, "tensors");
  for (int i = 0; i < sw_st_count(file); i++) {
    const sw_st_tensor *t = sw_st_at(file, i);
    sw_json_object(&json, NULL);
    sw_json_string(&json, "name", t->name);
    sw_json_string(&json, "dtype", sw_st_dtype_name(t->dtype));
    sw_json_array(&json, "shape");
    for (int k = 0; k < t->dims; k++) sw_json_int(&json, NULL, t->shape[k]);
    sw_json_end(&json);
    sw_json_end(&json);
  }
  sw_json_end(&json);
  sw_json_end(&json);
}

static void print_text(sw_command_io *io, const sw_st_file *file,
                       const sw_net *net, const char *path) {
  char sizes[300];
  sw_net_sizes(net->family, net->config, sizes, sizeof sizes);
  fprintf(io->out,
          "%s: %s, %" PRId64 " parameters, hash %016" PRIx64 "\n  %s\n", path,
          net->family->name, sw_net_parameters(net), sw_net_hash(net), sizes);
  fprintf(io->out, "metadata\n");
  for (int i = 0; i < sw_st_meta_count(file); i++) {
    const char *key, *value;
    sw_st_meta_at(file, i, &key, &value);
    char shown[2][512]; /* a file may hold escape sequences */
    sw_clean_text(shown[0], sizeof shown[0], key);
    sw_clean_text(shown[1], sizeof shown[1], value);
    fprintf(io->out, "  %-24s %s\n", shown[0], shown[1]);
  }
  fprintf(io->out, "tensors\n");
  for (int i = 0; i < sw_st_count(file); i++) {
    const sw_st_tensor *t = sw_st_at(file, i);
    char name[128];
    sw_clean_text(name, sizeof name, t->name);
    fprintf(io->out, "  %-36s %-5s (", name, sw_st_dtype_name(t->dtype));
    for (int k = 0; k < t->dims; k++)
      fprintf(io->out, "%s%" PRId64, k ? ", " : "", t->shape[k]);
    fprintf(io->out, ")\n");
  }
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  show_values v;
  sw_list rest = {0};
  sw_net *net = NULL;
  sw_st_file *file = NULL;
  char path[1200];
  SW_TRY(sw_command_parse(self, argc, argv, &v, NULL, &rest, err));
  if (rest.count != 1) {
    return sw_fail(err, SW_USAGE,
                   "show model wants one weight file or run directory");
  }
  int code = sw_model_path(rest.item[0], path, sizeof path, err);
  if (!code) code = sw_st_open(&file, path, err);
  if (!code) code = sw_net_read(&net, file, path, v.heads, err);
  if (!code && v.json) print_json(io, file, net);
  else if (!code) print_text(io, file, net, path);
  sw_net_free(net);
  sw_st_close(file);
  return code;
}

const sw_command sw_command_show_model = {
    .name = "show model",
    .usage = "FILE|DIR [--heads N] [--json]",
    .words = "MODEL",
    .summary = "config, metadata and tensors of a weight file or run directory",
    .details = NULL,
    .options = table,
    .option_count = COUNT,
    .run = run,
};
