/* Fuzz target: any text as a kept result (results/ID.json): its tables in every
 * format, the scripts of its figures, and the comparison of two results (the
 * second begins at a line of dashes). A label must not end its quotes. */
#include <stdio.h>
#include "fuzz.h"
#include "report/figures.h"
#include "report/read_json.h"
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

/* Its values together with a run of the experiment it names that made none. */
static void merge(const json_t *kept) {
  const char *id = sw_member_text(kept, "experiment", "");
  const sw_experiment *e = sw_experiment_find(id);
  sw_repro_result r = {.experiment = e};
  sw_json json;
  sw_err err;
  if (!e) return;
  for (int i = 0; e->row[i].id && i < 3; i++)
    (void)sw_kept_has(kept, e, &e->row[i], SW_SCALE_SMALL, 42);
  sw_repro_options options = {
      .command = "fuzz", .instances = -1, .seed = -1, .test_seed = 42};
  if (sw_origin_begin(&r, &options, &err)) abort();
  if (!sw_kept_merge(&r, kept, NULL, hear, &err)) {
    sw_json_to_text(&json);
    sw_kept_json(&r, "../", &json);
    if (!json.failed) fuzz_touch(json.text, json.length);
    sw_json_free(&json);
  }
  sw_repro_free(&r);
}

/* Two objects beside each other, each of the experiment it names: what the
 * first takes over from the second. */
static void share(json_t *kept, json_t *fresh) {
  const sw_experiment *e =
      sw_experiment_find(sw_member_text(kept, "experiment", ""));
  const sw_experiment *other =
      sw_experiment_find(sw_member_text(fresh, "experiment", ""));
  const sw_experiment *const both[] = {e, other, NULL};
  json_t *files[] = {kept, fresh, NULL}, *enlarged;
  sw_kept_shelf shelf = {
      .experiment = both, .directory = "", .replace = 1, .kept = files};
  sw_err err;
  if (!e || !other || e == other) return;
  if (sw_kept_share(&shelf, e, kept, &enlarged, NULL, hear, &err)) return;
  if (enlarged) merge(enlarged);
  json_decref(enlarged);
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
    (void)sw_kept_compare(kept, kept, NULL, hear, NULL);
    merge(kept);
    if (fresh) (void)sw_kept_compare(kept, fresh, NULL, hear, NULL);
    if (fresh) share(kept, fresh);
  }
  json_decref(kept);
  json_decref(fresh);
  free(text);
  return 0;
}
