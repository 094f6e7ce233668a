/* The safetensors reader. The file is hostile until every check has passed:
 * header size and syntax (jansson, duplicates rejected), each entry's dtype,
 * shape and offsets with overflow-safe arithmetic, then all ranges together:
 * sorted by offset they must cover the data exactly, without gap or overlap.
 * Names and metadata live in the JSON tree, which the file owns. */
#include "base/safetensors.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/json_read.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "safetensors are read in place: a little-endian host is needed"
#endif

enum { HEADER_MAX = 16 << 20, LENGTH_BYTES = 8 };

struct sw_st_file {
  sw_content content; /* empty when the bytes belong to the caller */
  json_t *root;
  sw_st_tensor *tensor; /* by offset */
  int count;
  json_t *meta;
};

static const struct {
  const char *name;
  size_t size;
} dtypes[] = {
#define X(name, size) {#name, size},
    SW_ST_DTYPES(X)
#undef X
};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

size_t sw_st_dtype_size(sw_st_dtype dtype) {
  return (unsigned)dtype < DTYPES ? dtypes[dtype].size : 0;
}

const char *sw_st_dtype_name(sw_st_dtype dtype) {
  return (unsigned)dtype < DTYPES ? dtypes[dtype].name : "?";
}

static int dtype_from(const json_t *value) {
  const char *name = json_string_value(value);
  for (int i = 0; name && i < DTYPES; i++)
    if (strcmp(dtypes[i].name, name) == 0) return i;
  return -1;
}

/* shape: at most SW_ST_MAX_DIMS whole numbers whose product times the element
 * size fits. A zero anywhere makes the product 0, whatever the rest. */
static int read_shape(const json_t *value, sw_st_tensor *t, const char *label,
                      sw_err *err) {
  if (!json_is_array(value))
    return sw_fail(err, SW_DATA, "%s: tensor \"%.80s\" has no shape", label,
                   t->name);
  size_t dims = json_array_size(value);
  if (dims > SW_ST_MAX_DIMS)
    return sw_fail(err, SW_LIMIT,
                   "%s: tensor \"%.80s\" has %zu dimensions, at most %d", label,
                   t->name, dims, SW_ST_MAX_DIMS);
  t->dims = (int)dims;
  t->count = 1;
  int empty = 0, overflow = 0;
  for (size_t i = 0; i < dims; i++) {
    const json_t *size = json_array_get(value, i);
    json_int_t n = json_integer_value(size);
    if (!json_is_integer(size) || n < 0)
      return sw_fail(err, SW_DATA,
                     "%s: tensor \"%.80s\": dimension %zu is not a size", label,
                     t->name, i);
    t->shape[i] = n;
    if (n == 0) empty = 1;
    else overflow |= __builtin_mul_overflow(t->count, n, &t->count);
  }
  if (empty) t->count = 0;
  int64_t bytes;
  overflow |= __builtin_mul_overflow(
      t->count, (int64_t)sw_st_dtype_size(t->dtype), &bytes);
  if (overflow && !empty)
    return sw_fail(err, SW_DATA, "%s: tensor \"%.80s\": the shape overflows",
                   label, t->name);
  t->bytes = empty ? 0 : (size_t)bytes;
  return SW_OK;
}

static int read_range(const json_t *value, sw_st_tensor *t,
                      const unsigned char *data, size_t data_bytes,
                      const char *label, sw_err *err) {
  const json_t *from = json_array_get(value, 0), *to = json_array_get(value, 1);
  if (json_array_size(value) != 2 || !json_is_integer(from) ||
      !json_is_integer(to))
    return sw_fail(err, SW_DATA, "%s: tensor \"%.80s\" has no data_offsets",
                   label, t->name);
  json_int_t begin = json_integer_value(from), end = json_integer_value(to);
  if (begin < 0 || end < begin || (uint64_t)end > data_bytes)
    return sw_fail(err, SW_DATA,
                   "%s: tensor \"%.80s\": bytes %lld to %lld of %zu", label,
                   t->name, (long long)begin, (long long)end, data_bytes);
  if ((size_t)(end - begin) != t->bytes)
    return sw_fail(
        err, SW_DATA,
        "%s: tensor \"%.80s\": %lld bytes stored, its shape needs %zu", label,
        t->name, (long long)(end - begin), t->bytes);
  t->data = data + begin;
  return SW_OK;
}

static int read_tensor(const char *name, const json_t *entry, sw_st_tensor *t,
                       const unsigned char *data, size_t data_bytes,
                       const char *label, sw_err *err) {
  t->name = name;
  if (!json_is_object(entry))
    return sw_fail(err, SW_DATA, "%s: tensor \"%.80s\" is not described", label,
                   name);
  int dtype = dtype_from(json_object_get(entry, "dtype"));
  if (dtype < 0)
    return sw_fail(err, SW_DATA, "%s: tensor \"%.80s\" has an unknown dtype",
                   label, name);
  t->dtype = (sw_st_dtype)dtype;
  SW_TRY(read_shape(json_object_get(entry, "shape"), t, label, err));
  return read_range(json_object_get(entry, "data_offsets"), t, data, data_bytes,
                    label, err);
}

static int by_offset(const void *a, const void *b) {
  const sw_st_tensor *x = a, *y = b;
  if (x->data != y->data) return x->data < y->data ? -1 : 1;
  return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static int check_cover(const sw_st_file *file, const unsigned char *data,
                       size_t data_bytes, const char *label, sw_err *err) {
  const unsigned char *at = data;
  for (int i = 0; i < file->count; i++) {
    const sw_st_tensor *t = &file->tensor[i];
    if (t->data != at)
      return sw_fail(err, SW_DATA, "%s: tensor \"%.80s\" starts %zu bytes %s",
                     label, t->name,
                     (size_t)(t->data < at ? at - t->data : t->data - at),
                     t->data < at ? "inside the one before"
                                  : "after the end of the one before");
    at += t->bytes;
  }
  if (at != data + data_bytes)
    return sw_fail(err, SW_DATA, "%s: %zu bytes after the last tensor", label,
                   (size_t)(data + data_bytes - at));
  return SW_OK;
}

static int check_meta(const json_t *meta, const char *label, sw_err *err) {
  if (!meta) return SW_OK;
  if (!json_is_object(meta))
    return sw_fail(err, SW_DATA, "%s: __metadata__ is not an object", label);
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)meta, key, value) if (
      !json_is_string(
          value)) return sw_fail(err, SW_DATA,
                                 "%s: __metadata__ \"%.80s\" is not a string",
                                 label, key);
  return SW_OK;
}

static int read_header(sw_st_file *file, const unsigned char *bytes,
                       size_t header, size_t length, const char *label,
                       sw_err *err) {
  json_error_t why;
  const char *text = (const char *)bytes + LENGTH_BYTES;
  int code =
      sw_json_read(&file->root, text, header, JSON_REJECT_DUPLICATES, &why);
  if (code == SW_MEMORY) return sw_no_memory_for(err, "%s", label);
  if (code)
    return sw_fail(err, SW_DATA, "%s: header byte %d: %.120s", label,
                   why.position, why.text);
  if (!json_is_object(file->root))
    return sw_fail(err, SW_DATA, "%s: the header is not an object", label);
  file->meta = json_object_get(file->root, "__metadata__");
  SW_TRY(check_meta(file->meta, label, err));
  size_t count = json_object_size(file->root) - (file->meta ? 1 : 0);
  file->tensor = calloc(count ? count : 1, sizeof *file->tensor);
  if (!file->tensor) return sw_no_memory_for(err, "%s", label);
  const unsigned char *data = bytes + LENGTH_BYTES + header;
  size_t data_bytes = length - LENGTH_BYTES - header;
  const char *key;
  json_t *entry;
  json_object_foreach(file->root, key, entry) {
    if (entry == file->meta) continue;
    SW_TRY(read_tensor(key, entry, &file->tensor[file->count], data, data_bytes,
                       label, err));
    file->count++;
  }
  if (file->count)
    qsort(file->tensor, (size_t)file->count, sizeof *file->tensor, by_offset);
  return check_cover(file, data, data_bytes, label, err);
}

int sw_st_parse(sw_st_file **out, const void *bytes, size_t length,
                const char *label, sw_err *err) {
  *out = NULL;
  uint64_t header;
  if (length < LENGTH_BYTES)
    return sw_fail(err, SW_DATA, "%s: %zu bytes are too short for safetensors",
                   label, length);
  memcpy(&header, bytes, LENGTH_BYTES);
  if (header > length - LENGTH_BYTES) {
    sw_fail(err, SW_DATA,
            "%s: the header would have %llu bytes, the file has %zu", label,
            (unsigned long long)header, length);
    return sw_hint(err, "truncated, or not a safetensors file");
  }
  if (header > HEADER_MAX)
    return sw_fail(err, SW_LIMIT,
                   "%s: a header of %llu bytes, at most %d are read", label,
                   (unsigned long long)header, (int)HEADER_MAX);
  sw_st_file *file = calloc(1, sizeof *file);
  if (!file) return sw_no_memory_for(err, "%s", label);
  int code = read_header(file, bytes, (size_t)header, length, label, err);
  if (code) {
    sw_st_close(file);
    return code;
  }
  *out = file;
  return SW_OK;
}

int sw_st_open(sw_st_file **out, const char *path, sw_err *err) {
  sw_content content;
  *out = NULL;
  SW_TRY(sw_content_read(&content, path, err));
  int code = sw_st_parse(out, content.data, content.bytes, path, err);
  if (code) sw_content_free(&content);
  else (*out)->content = content;
  return code;
}

void sw_st_close(sw_st_file *file) {
  if (!file) return;
  json_decref(file->root);
  free(file->tensor);
  sw_content_free(&file->content);
  free(file);
}

int sw_st_count(const sw_st_file *file) { return file->count; }

const sw_st_tensor *sw_st_at(const sw_st_file *file, int index) {
  return index >= 0 && index < file->count ? &file->tensor[index] : NULL;
}

const sw_st_tensor *sw_st_find(const sw_st_file *file, const char *name) {
  for (int i = 0; i < file->count; i++)
    if (strcmp(file->tensor[i].name, name) == 0) return &file->tensor[i];
  return NULL;
}

const char *sw_st_meta(const sw_st_file *file, const char *key) {
  return json_string_value(json_object_get(file->meta, key));
}

int sw_st_check_format(const sw_st_file *file, const char *kind,
                       const char *label, sw_err *err) {
  static const char ours[] = "statewise-";
  const char *version = sw_st_meta(file, "format_version");
  char known[48];
  snprintf(known, sizeof known, "%s%s-1", ours, kind);
  if (!version || strncmp(version, ours, sizeof ours - 1) ||
      !strcmp(version, known))
    return SW_OK;
  sw_fail(err, SW_DATA, "%s: its format is %.40s, this program reads %s", label,
          version, known);
  return strncmp(version, known, strlen(known) - 1)
             ? sw_hint(err, "it is another kind of file")
             : sw_hint(err, "a newer version of the program wrote it");
}

int sw_st_meta_count(const sw_st_file *file) {
  return (int)json_object_size(file->meta);
}

void sw_st_meta_at(const sw_st_file *file, int index, const char **key,
                   const char **value) {
  *key = *value = NULL;
  const char *name;
  json_t *text;
  json_object_foreach(file->meta, name, text) {
    if (index-- != 0) continue;
    *key = name;
    *value = json_string_value(text);
    return;
  }
}

int sw_st_copy_f32(const sw_st_tensor *tensor, float *out, int64_t count,
                   sw_err *err) {
  if (tensor->dtype != SW_ST_F32 && tensor->dtype != SW_ST_F64)
    return sw_fail(err, SW_DATA, "tensor \"%.80s\" is %s, expected F32 or F64",
                   tensor->name, sw_st_dtype_name(tensor->dtype));
  if (tensor->count != count)
    return sw_fail(err, SW_DATA,
                   "tensor \"%.80s\" has %lld elements, expected %lld",
                   tensor->name, (long long)tensor->count, (long long)count);
  if (tensor->dtype == SW_ST_F32) {
    if (tensor->bytes) memcpy(out, tensor->data, tensor->bytes);
  } else {
    for (int64_t i = 0; i < count; i++) {
      double wide;
      memcpy(&wide, tensor->data + 8 * i, 8);
      out[i] = (float)wide;
    }
  }
  for (int64_t i = 0; i < count; i++)
    if (!isfinite(out[i]))
      return sw_fail(err, SW_DATA,
                     "tensor \"%.80s\": element %lld is not finite",
                     tensor->name, (long long)i);
  return SW_OK;
}
