/* Compressed test data (see unpack.h). */
#include "unpack.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"

char *unpack_text(const char *path) {
  char *text;
  size_t bytes;
  return sw_read_file(path, 0, &text, &bytes, NULL) ? NULL : text;
}

char *unpack_file(const char *path) {
  const char *base = getenv("TMPDIR");
  char *text, name[1024];
  size_t bytes;
  if (sw_read_file(path, 0, &text, &bytes, NULL)) return NULL;
  snprintf(name, sizeof name, "%s/statewise-data-XXXXXX", base ? base : "/tmp");
  int fd = mkstemp(name);
  int whole = fd >= 0 && write(fd, text, bytes) == (ssize_t)bytes;
  if (fd >= 0) close(fd);
  free(text);
  return whole ? strdup(name) : NULL;
}

void unpack_remove(char *path) {
  if (path) unlink(path);
  free(path);
}

char *unpack_line(char **text) {
  char *line = *text;
  if (!line || !*line) return NULL;
  char *end = line + strcspn(line, "\n");
  *text = end + (*end == '\n');
  *end = 0;
  return line;
}
