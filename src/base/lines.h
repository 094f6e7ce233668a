/* Text line by line, from a file of any size, a pipe or memory; .gz and .xz by
 * content. One line is in memory at a time, and no line is longer than the
 * limit. */
#ifndef SW_BASE_LINES_H
#define SW_BASE_LINES_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

typedef struct sw_lines sw_lines;
/* `most`: bytes of the longest line that is accepted. */
int sw_lines_open(sw_lines **lines, const char *path, size_t most, sw_err *err);
/* The same on bytes in memory (not owned). */
int sw_lines_memory(sw_lines **lines, const char *label, const void *data,
                    size_t bytes, size_t most, sw_err *err);
void sw_lines_close(sw_lines *lines);
/* The next line without its end, NUL-terminated, good until the next call;
 * *line is NULL behind the last one. */
int sw_lines_next(sw_lines *lines, const char **line, size_t *bytes,
                  sw_err *err);
int64_t sw_lines_number(const sw_lines *lines); /* of that line, from 1 */

#endif
