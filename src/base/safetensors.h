/* safetensors files: 8-byte little-endian header length, JSON header, data.
 * Reader: the file is read whole and treated as hostile (header size,
 * overlaps, gaps, overflow, duplicate names, shape x dtype against the range);
 * tensors may have any alignment, so copy with sw_st_copy_f32 rather than cast
 * unless the pointer is aligned. Writer: data starts at a multiple of 64 and
 * tensors whose size is a multiple of 64 come first, so every one of those is
 * 64-byte aligned; written to a temporary name, synced, renamed. */
#ifndef SW_BASE_SAFETENSORS_H
#define SW_BASE_SAFETENSORS_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/file.h"

/* clang-format off */
#define SW_ST_DTYPES(X) \
  X(F64, 8) X(F32, 4) X(I64, 8) X(I32, 4) X(I16, 2) X(I8, 1) X(U8, 1) \
  X(U16, 2) X(U32, 4) X(U64, 8) X(BOOL, 1) X(F16, 2) X(BF16, 2)
/* clang-format on */
typedef enum {
#define X(name, size) SW_ST_##name,
  SW_ST_DTYPES(X)
#undef X
} sw_st_dtype;
enum { SW_ST_MAX_DIMS = 8 };

typedef struct sw_st_tensor {
  const char *name;
  sw_st_dtype dtype;
  int dims;
  int64_t shape[SW_ST_MAX_DIMS];
  const unsigned char *data; /* into the content; any alignment */
  size_t bytes;
  int64_t count; /* product of the shape */
} sw_st_tensor;

typedef struct sw_st_file sw_st_file;
int sw_st_open(sw_st_file **file, const char *path, sw_err *err);
/* The same checks on bytes in memory (not owned): the fuzz entry. */
int sw_st_parse(sw_st_file **file, const void *bytes, size_t length,
                const char *label, sw_err *err);
void sw_st_close(sw_st_file *file);
int sw_st_count(const sw_st_file *file);
const sw_st_tensor *sw_st_at(const sw_st_file *file, int index);
const sw_st_tensor *sw_st_find(const sw_st_file *file, const char *name);
const char *sw_st_meta(const sw_st_file *file, const char *key); /* or NULL */
/* Is this a file of ours of the kind ("dataset", "weights", "optimizer",
 * "bank") that this program reads? `format_version` decides. A file without one
 * passes, and so does one whose writer gives it another meaning. */
int sw_st_check_format(const sw_st_file *file, const char *kind,
                       const char *label, sw_err *err);
int sw_st_meta_count(const sw_st_file *file);
void sw_st_meta_at(const sw_st_file *file, int index, const char **key,
                   const char **value);
/* Copies an F32 or F64 tensor of exactly `count` elements; non-finite values
 * are an SW_DATA error that names the tensor and the index. */
int sw_st_copy_f32(const sw_st_tensor *tensor, float *out, int64_t count,
                   sw_err *err);
size_t sw_st_dtype_size(sw_st_dtype dtype);
const char *sw_st_dtype_name(sw_st_dtype dtype);

/* Writer: describe all tensors and metadata first, then write in one call.
 * `fill` streams the data (called once a tensor in file order). */
typedef struct sw_st_spec {
  const char *name;
  sw_st_dtype dtype;
  int dims;
  int64_t shape[SW_ST_MAX_DIMS];
  const void *data; /* in memory, or NULL: taken from `from_path`, which goes */
  const char *from_path;
} sw_st_spec;
int sw_st_write(const char *path, const sw_st_spec *tensors, int count,
                const char *const *meta_key_value, int meta_pairs, sw_err *err);

#endif
