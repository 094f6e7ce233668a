/* Fuzz target: any text as a JSON file that the report reads (run cards, probe
 * results, metrics), and every member as number and text. */
#include "fuzz.h"
#include "report/read_json.h"

static void use(const json_t *value, int depth) {
  const char *key;
  json_t *member;
  size_t at;
  if (depth > 8) return;
  json_array_foreach(value, at, member) use(member, depth + 1);
  json_object_foreach((json_t *)(uintptr_t)value, key, member) {
    (void)sw_member_int(value, key, 0);
    (void)sw_member_real(value, key, 0);
    const char *text = sw_member_text(value, key, "");
    fuzz_touch(text, strlen(text));
    use(member, depth + 1);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  json_t *object;
  sw_err err;
  if (sw_read_json(fuzz_file(bytes, length), &object, &err)) return 0;
  use(object, 0);
  json_decref(object);
  return 0;
}
