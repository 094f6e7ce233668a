/* The ordinary driver of a fuzz target (make test): every file named, and every
 * file of a directory named, goes through the target once. Prints how many. A
 * failure is a crash or a sanitizer's report, as under libFuzzer. */
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include "fuzz.h"

static int replay_file(const char *path) {
  FILE *in = fopen(path, "rb");
  if (!in) return 0;
  static uint8_t bytes[1 << 20];
  size_t length = fread(bytes, 1, sizeof bytes, in);
  fclose(in);
  uint8_t *copy = fuzz_copy(bytes, length);
  (void)LLVMFuzzerTestOneInput(copy, length);
  free(copy);
  return 1;
}

static int replay(const char *path) {
  struct stat status;
  if (stat(path, &status)) return 0;
  if (!S_ISDIR(status.st_mode)) return replay_file(path);
  DIR *dir = opendir(path);
  int count = 0;
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    char inner[1200];
    if (entry->d_name[0] == '.') continue;
    snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
    count += replay_file(inner);
  }
  if (dir) closedir(dir);
  return count;
}

int main(int argc, char **argv) {
  int count = 0;
  for (int i = 1; i < argc; i++) count += replay(argv[i]);
  printf("%d inputs\n", count);
  return count == 0;
}
