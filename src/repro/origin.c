/* Where the values of a result come from (see runner.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/grow.h"
#include "base/threads.h"
#include "base/version.h"
#include "nn/nn.h"
#include "repro/runner.h"
#include "search/condition.h"

static void add(char *text, size_t room, const char *name, const char *value) {
  size_t used = strlen(text);
  snprintf(text + used, room - used, "%s%s%s", used ? " " : "", name, value);
}

static void add_number(char *text, size_t room, const char *name,
                       int64_t value) {
  char number[32];
  snprintf(number, sizeof number, "%lld", (long long)value);
  add(text, room, name, number);
}

void sw_origin_over(const sw_repro_options *o, char *text, size_t room) {
  text[0] = 0;
  if (o->instances >= 0) add_number(text, room, "instances=", o->instances);
  if (o->traces) add_number(text, room, "traces=", o->traces);
  if (o->test_seed != 42) add_number(text, room, "test-seed=", o->test_seed);
  if (o->verifier && *o->verifier) add(text, room, "verifier=", o->verifier);
  for (int i = 0; i < o->settings.count; i++)
    add(text, room, "train:", o->settings.item[i]);
  for (int i = 0; i < o->measure.count; i++)
    add(text, room, "measure:", o->measure.item[i]);
}

int sw_origin_begin(sw_repro_result *r, const sw_repro_options *options,
                    sw_err *err) {
  struct utsname name;
  time_t now = time(NULL);
  struct tm day;
  const nn_kernels *kernels = nn_select(NULL, NULL);
  if (!sw_grow(&r->origin, &r->origin_room, 1, sizeof *r->origin))
    return sw_no_memory(err);
  sw_repro_origin *o = &r->origin[0];
  r->origins = 1;
  memset(o, 0, sizeof *o);
  snprintf(o->command, sizeof o->command, "%s",
           options->command ? options->command : "");
  sw_origin_over(options, o->over, sizeof o->over);
  snprintf(o->program, sizeof o->program, "statewise %s", SW_VERSION);
  snprintf(o->kernels, sizeof o->kernels, "%s", kernels ? kernels->name : "?");
  snprintf(o->machine, sizeof o->machine, "%.50s, %d cores",
           uname(&name) ? "?" : name.machine, sw_cpu_count());
  o->counting = SW_COUNTING;
  if (gmtime_r(&now, &day))
    (void)strftime(o->date, sizeof o->date, "%Y-%m-%d", &day);
  return SW_OK;
}

/* ---- order ---- */

static int in_order(const sw_repro_origin *a, const sw_repro_origin *b) {
  int c = strcmp(a->command, b->command);
  if (!c) c = strcmp(a->over, b->over);
  if (!c) c = strcmp(a->date, b->date);
  if (!c) c = strcmp(a->kernels, b->kernels);
  if (!c) c = strcmp(a->machine, b->machine);
  if (!c) c = strcmp(a->program, b->program);
  if (!c) c = (a->counting > b->counting) - (a->counting < b->counting);
  return c;
}

/* Replaces every mention of an origin. */
static void renumber(sw_repro_result *r, const int *place) {
  for (int i = 0; i < r->cells; i++)
    for (int v = 0; v < r->cell[i].values; v++)
      r->cell[i].value[v].origin = place[r->cell[i].value[v].origin];
  for (int i = 0; i < r->models; i++)
    r->model[i].origin = place[r->model[i].origin];
}

static void mark_used(const sw_repro_result *r, int *used) {
  for (int i = 0; i < r->cells; i++)
    for (int v = 0; v < r->cell[i].values; v++)
      used[r->cell[i].value[v].origin] = 1;
  for (int i = 0; i < r->models; i++) used[r->model[i].origin] = 1;
}

int sw_origin_tidy(sw_repro_result *r, sw_err *err) {
  int count = 0;
  sw_repro_origin *kept = calloc((size_t)r->origins + 1, sizeof *kept);
  int *place = calloc((size_t)r->origins + 1, sizeof *place);
  int *used = calloc((size_t)r->origins + 1, sizeof *used);
  if (!kept || !place || !used) {
    free(kept);
    free(place);
    free(used);
    return sw_no_memory(err);
  }
  mark_used(r, used);
  for (int i = 0; i < r->origins; i++) { /* by insertion: there are few */
    int at = count, equal = 0;
    if (!used[i]) continue;
    for (int k = 0; k < count && !equal; k++)
      equal = !in_order(&kept[k], &r->origin[i]);
    if (equal) continue;
    while (at > 0 && in_order(&kept[at - 1], &r->origin[i]) > 0) {
      kept[at] = kept[at - 1];
      at--;
    }
    kept[at] = r->origin[i];
    count++;
  }
  for (int i = 0; i < r->origins; i++)
    for (int k = 0; k < count; k++)
      if (!in_order(&kept[k], &r->origin[i])) place[i] = k;
  renumber(r, place);
  if (count) { /* else nothing was run at all: it stays as it is */
    memcpy(r->origin, kept, sizeof *kept * (size_t)count);
    r->origins = count;
  }
  free(kept);
  free(place);
  free(used);
  return SW_OK;
}
