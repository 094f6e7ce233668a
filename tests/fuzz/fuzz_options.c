/* Fuzz target: the option parser. The input's lines are the arguments. Values
 * that are accepted must be in range. */
#include "base/options.h"
#include "fuzz.h"

#define FUZZ_OPTIONS(X)                                             \
  X(flag, FLAG, "flag", "0", 0, 0, "", "a flag")                    \
  X(whole, INT, "whole", "3", -5, 10, "", "a whole number")         \
  X(large, LONG, "large", "0", 0, 1e15, "", "a large number")       \
  X(real, REAL, "real-one", "0.5", 0, 1, "", "a number")            \
  X(text, TEXT, "text", "", 0, 0, "", "a text")                     \
  X(name, TEXT, "name", "default", 0, 0, "", "a text, never empty") \
  X(output, TEXT, "out", "", 0, 0, "output", "a file")              \
  X(choice, CHOICE, "choice", "b", 0, 0, "a|b|cc", "a choice")      \
  X(list, LIST, "list", "x", 0, 0, "", "several")

typedef struct fuzz_values {
  FUZZ_OPTIONS(SW_OPTION_FIELD)
} fuzz_values;
static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(fuzz_values, __VA_ARGS__)
    FUZZ_OPTIONS(X)
#undef X
};
enum { COUNT = sizeof table / sizeof *table, ARGUMENTS = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  char *text = fuzz_text(bytes, length), *argv[ARGUMENTS + 1] = {text};
  int argc = 1, help;
  for (char *line = text; argc < ARGUMENTS; line++) {
    argv[argc++] = line;
    line += strcspn(line, "\n");
    if (!*line) break;
    *line = 0;
  }
  fuzz_values v;
  unsigned char given[COUNT];
  sw_list rest;
  sw_err err;
  sw_options_defaults(table, COUNT, &v);
  if (!sw_options_parse(table, COUNT, argc, argv, &v, given, NULL, &rest, &help,
                        &err)) {
    if (v.whole < -5 || v.whole > 10 || v.large < 0 || !(v.real >= 0) ||
        v.real > 1 || v.choice < 0 || v.choice > 2 || !v.name ||
        (v.flag != 0 && v.flag != 1))
      abort();
    for (int i = 0; i < v.list.count; i++)
      fuzz_touch(v.list.item[i], strlen(v.list.item[i]));
    sw_json json;
    sw_json_to_text(&json);
    sw_json_object(&json, NULL);
    sw_options_json(table, COUNT, &v, &json);
    sw_json_end(&json);
    sw_json_free(&json);
  } else {
    fuzz_touch(err.text, strlen(err.text));
    fuzz_touch(err.hint, strlen(err.hint));
  }
  free(text);
  return 0;
}
