/* The history of another case that is most like a case's own in form (see
 * arms.h). */
#include <stdlib.h>
#include <string.h>
#include "audit/arms_inside.h"
#include "audit/logs_inside.h"
#include "base/hash.h"

size_t sw_arm_bytes(const json_t *list) {
  size_t sum = 0, i;
  json_t *m;
  json_array_foreach(list, i, m) {
    const json_t *content = json_object_get(m, "content");
    sum += json_is_string(content) ? json_string_length(content)
                                   : json_dumpb(m, NULL, 0, JSON_COMPACT);
  }
  return sum;
}

static size_t distance(size_t a, size_t b) { return a > b ? a - b : b - a; }

/* What makes two histories of one form: the tools that are called (a bit each,
 * by hash), then the number of messages, then the length. */
typedef struct form {
  uint64_t tools;
  size_t messages, bytes;
} form;

static uint64_t tools_of(const json_t *list) {
  uint64_t bits = 0;
  size_t i;
  json_t *m;
  json_array_foreach(list, i, m) {
    const char *name = sw_log_tool(m);
    if (name) bits |= (uint64_t)1 << (sw_xxh64(name, strlen(name), 0) & 63);
  }
  return bits;
}

static form form_of(const sw_audit_case *c) {
  const json_t *list = c->history[0].messages[0];
  return (form){tools_of(list), json_array_size(list), sw_arm_bytes(list)};
}

/* How unlike two histories are, one number behind the other. */
static int is_nearer(const form *own, const form *a, const form *b) {
  int tools_a = __builtin_popcountll(own->tools ^ a->tools),
      tools_b = __builtin_popcountll(own->tools ^ b->tools);
  if (tools_a != tools_b) return tools_a < tools_b;
  size_t more_a = distance(own->messages, a->messages),
         more_b = distance(own->messages, b->messages);
  if (more_a != more_b) return more_a < more_b;
  return distance(own->bytes, a->bytes) < distance(own->bytes, b->bytes);
}

/* The history of another group with the most similar form; of equal ones the
 * next after the case. `forms` NULL: forms are computed here. */
static int64_t look_for_other(const sw_audit_cases *cases, int64_t at,
                              const form *forms) {
  const sw_audit_case *c = &cases->item[at];
  int64_t best = -1;
  form nearest = {0, 0, 0};
  if (!c->histories) return -1;
  form own = forms ? forms[at] : form_of(c);
  for (int64_t step = 1; step < cases->count; step++) {
    int64_t i = (at + step) % cases->count;
    const sw_audit_case *o = &cases->item[i];
    if (!o->histories || !strcmp(o->group, c->group)) continue;
    form f = forms ? forms[i] : form_of(o);
    if (best >= 0 && !is_nearer(&own, &f, &nearest)) continue;
    nearest = f;
    best = i;
  }
  return best;
}

int64_t sw_arm_other(const sw_audit_cases *cases, int64_t at) {
  return cases->other ? cases->other[at] : look_for_other(cases, at, NULL);
}

int sw_arm_prepare(sw_audit_cases *cases, sw_err *err) {
  form *forms = calloc((size_t)cases->count + 1, sizeof *forms);
  cases->other = malloc(sizeof *cases->other * (size_t)(cases->count + 1));
  if (!forms || !cases->other) {
    free(forms);
    return sw_no_memory(err);
  }
  for (int64_t i = 0; i < cases->count; i++)
    if (cases->item[i].histories) forms[i] = form_of(&cases->item[i]);
  for (int64_t i = 0; i < cases->count; i++)
    cases->other[i] = look_for_other(cases, i, forms);
  free(forms);
  return SW_OK;
}
