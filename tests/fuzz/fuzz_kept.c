/* Fuzz target: any text as a result (experiment.json): its tables in every
 * format and the scripts of its figures. A label must not end its quotes. */
#include <stdio.h>
#include "fuzz.h"
#include "report/figures.h"
#include "report/read_json.h"
#include "report/tables.h"

static void tables(const json_t *kept, FILE *out) {
  sw_table_list list = {0};
  sw_experiment_tables(kept, &list);
  for (int i = 0; i < list.count; i++)
    for (int form = 0; form < SW_TABLE_FORMS; form++)
      sw_table_write(&list.table[i], (sw_table_form)form, out);
  sw_table_list_free(&list);
}

static void figures(const json_t *kept, FILE *out) {
  const json_t *figure;
  size_t at;
  json_array_foreach(json_object_get(kept, "figures"), at, figure)(void)
      sw_experiment_figure(kept, figure, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  char *text = fuzz_text(bytes, length), *written;
  size_t size;
  json_t *kept = json_loads(text, 0, NULL);
  FILE *out = kept ? open_memstream(&written, &size) : NULL;
  if (out) {
    tables(kept, out);
    figures(kept, out);
    fclose(out);
    fuzz_touch(written, size);
    free(written);
  }
  json_decref(kept);
  free(text);
  return 0;
}
