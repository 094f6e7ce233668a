/* Fuzz target: any text as a kept result (results/ID.json): its tables in every
 * format, the scripts of its figures, taking its values over, and the
 * comparison of two results (the second begins at a line of dashes). A label
 * must not end its quotes. */
#include <stdio.h>
#include "fuzz.h"
#include "report/figures.h"
#include "report/tables.h"
#include "repro/kept.h"

static void hear(void *context, const char *difference) {
  (void)context;
  fuzz_touch(difference, strlen(difference));
}

static void tables(const json_t *kept, FILE *out) {
  sw_table_list list = {0};
  sw_experiment_glance(kept, &list);
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

/* Taken over into an empty result of the experiment it says it is of. */
static void merge(const json_t *kept) {
  const json_t *id = json_object_get(kept, "experiment");
  const sw_experiment *e =
      json_is_string(id) ? sw_experiment_find(json_string_value(id)) : NULL;
  sw_repro_result r = {.experiment = e ? e : sw_experiments[0]};
  sw_repro_options options = {.test_seed = 42, .instances = -1};
  sw_json json;
  if (sw_origin_begin(&r, &options, NULL)) return;
  if (!sw_kept_merge(&r, kept, NULL, hear, NULL)) {
    sw_json_to_text(&json);
    sw_kept_json(&r, "../", &json);
    if (json.text) fuzz_touch(json.text, json.length);
    sw_json_free(&json);
  }
  sw_repro_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  char *text = fuzz_text(bytes, length), *written;
  const char *cut = strstr(text, "\n---");
  size_t first = cut ? (size_t)(cut - text) : strlen(text), size;
  json_t *kept = json_loadb(text, first, 0, NULL);
  json_t *fresh = cut ? json_loads(cut + 4, 0, NULL) : NULL;
  FILE *out = kept ? open_memstream(&written, &size) : NULL;
  if (out) {
    tables(kept, out);
    figures(kept, out);
    fclose(out);
    fuzz_touch(written, size);
    free(written);
    merge(kept);
    (void)sw_kept_compare(kept, kept, NULL, hear, NULL);
    if (fresh) (void)sw_kept_compare(kept, fresh, NULL, hear, NULL);
  }
  json_decref(kept);
  json_decref(fresh);
  free(text);
  return 0;
}
