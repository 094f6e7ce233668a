/* The safetensors writer. The header is padded with blanks so that the data
 * starts at a multiple of 64, and tensors whose size is a multiple of 64 come
 * first, so each of those is aligned in a mapped file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/json.h"
#include "base/check.h"
#include "base/safetensors.h"

enum { ALIGN = 64 };

/* A tensor in file order with its bytes. */
typedef struct placed {
  const sw_st_spec *spec;
  int64_t bytes, begin;
} placed;

static int size_of(const sw_st_spec *spec, int64_t *bytes, sw_err *err) {
  *bytes = (int64_t)sw_st_dtype_size(spec->dtype);
  int bad = !*bytes || spec->dims < 0 || spec->dims > SW_ST_MAX_DIMS;
  for (int i = 0; !bad && i < spec->dims; i++)
    bad = spec->shape[i] < 0 ||
          __builtin_mul_overflow(*bytes, spec->shape[i], bytes);
  if (bad || !spec->name || !*spec->name ||
      strcmp(spec->name, "__metadata__") == 0)
    return sw_fail(err, SW_USAGE, "tensor \"%.80s\" cannot be described",
                   spec->name ? spec->name : "");
  return SW_OK;
}

static int place(const sw_st_spec *tensors, int count, placed *order,
                 sw_err *err) {
  int placed_count = 0;
  int64_t at = 0;
  for (int aligned = 1; aligned >= 0; aligned--)
    for (int i = 0; i < count; i++) {
      int64_t bytes;
      SW_TRY(size_of(&tensors[i], &bytes, err));
      if ((bytes % ALIGN == 0) != aligned) continue;
      order[placed_count++] = (placed){&tensors[i], bytes, at};
      if (__builtin_add_overflow(at, bytes, &at))
        return sw_fail(err, SW_LIMIT, "the tensors together overflow");
    }
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++)
      if (strcmp(tensors[i].name, tensors[j].name) == 0)
        return sw_fail(err, SW_USAGE, "two tensors are called \"%.80s\"",
                       tensors[i].name);
  return SW_OK;
}

static void header_json(sw_json *json, const placed *order, int count,
                        const char *const *meta, int pairs) {
  sw_json_to_text(json);
  sw_json_object(json, NULL);
  if (pairs > 0) {
    sw_json_object(json, "__metadata__");
    for (int i = 0; i < pairs; i++)
      sw_json_string(json, meta[2 * i], meta[2 * i + 1] ? meta[2 * i + 1] : "");
    sw_json_end(json);
  }
  for (int i = 0; i < count; i++) {
    const sw_st_spec *spec = order[i].spec;
    sw_json_object(json, spec->name);
    sw_json_string(json, "dtype", sw_st_dtype_name(spec->dtype));
    sw_json_array(json, "shape");
    for (int d = 0; d < spec->dims; d++)
      sw_json_int(json, NULL, spec->shape[d]);
    sw_json_end(json);
    sw_json_array(json, "data_offsets");
    sw_json_int(json, NULL, order[i].begin);
    sw_json_int(json, NULL, order[i].begin + order[i].bytes);
    sw_json_end(json);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static int write_header(sw_out_file *out, const placed *order, int count,
                        const char *const *meta, int pairs, sw_err *err) {
  sw_json json;
  header_json(&json, order, count, meta, pairs);
  if (json.failed) {
    sw_json_free(&json);
    return sw_no_memory_for(err, "%s", out->path);
  }
  uint64_t padded = (8 + json.length + ALIGN - 1) / ALIGN * ALIGN - 8;
  fwrite(&padded, 8, 1, out->stream);
  fwrite(json.text, 1, json.length, out->stream);
  for (uint64_t i = json.length; i < padded; i++) fputc(' ', out->stream);
  sw_json_free(&json);
  return SW_OK;
}

static int copy_from(sw_out_file *out, const placed *tensor, sw_err *err) {
  const char *path = tensor->spec->from_path;
  FILE *in = fopen(path, "rb");
  if (!in)
    return sw_fail(err, SW_IO, "%s: cannot read back: %s", path,
                   strerror(errno));
  static const size_t chunk = (size_t)1 << 18;
  char *buffer = malloc(chunk);
  int64_t copied = 0;
  int code = buffer ? SW_OK : sw_no_memory(err);
  while (!code) {
    size_t got = fread(buffer, 1, chunk, in);
    if (got == 0) break;
    copied += (int64_t)got;
    if (fwrite(buffer, 1, got, out->stream) != got) break; /* commit reports */
  }
  if (!code && !ferror(out->stream) && copied != tensor->bytes)
    code = sw_fail(err, SW_IO, "%s: %lld bytes instead of %lld", path,
                   (long long)copied, (long long)tensor->bytes);
  free(buffer);
  fclose(in);
  /* Removed before the rename. A process killed after the rename is not run
   * again, so nothing would remove the temporaries. */
  if (!code) unlink(path);
  return code;
}

static int write_all(sw_out_file *out, const placed *order, int count,
                     const char *const *meta, int pairs, sw_err *err) {
  SW_TRY(write_header(out, order, count, meta, pairs, err));
  for (int i = 0; i < count && !ferror(out->stream); i++) {
    const sw_st_spec *spec = order[i].spec;
    if (!spec->data && order[i].bytes) SW_TRY(copy_from(out, &order[i], err));
    else if (order[i].bytes)
      fwrite(spec->data, 1, (size_t)order[i].bytes, out->stream);
  }
  return SW_OK;
}

int sw_st_write(const char *path, const sw_st_spec *tensors, int count,
                const char *const *meta_key_value, int meta_pairs,
                sw_err *err) {
  SW_ASSERT(path && count >= 0 && (tensors || !count));
  SW_ASSERT(meta_pairs >= 0 && (meta_key_value || !meta_pairs));
  placed *order = calloc(count > 0 ? (size_t)count : 1, sizeof *order);
  if (!order) return sw_no_memory_for(err, "%s", path);
  sw_out_file out;
  int code = place(tensors, count, order, err);
  if (!code) code = sw_out_open(&out, path, err);
  if (!code) {
    code = write_all(&out, order, count, meta_key_value, meta_pairs, err);
    if (code) sw_out_abort(&out);
    else code = sw_out_commit(&out, err);
  }
  free(order);
  return code;
}
