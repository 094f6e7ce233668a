/* The published bank (see bank_build.h): the states that release/rollouts.h
 * gives, stored as they come. */
#include <string.h>
#include "probe/bank_build.h"

static void add_prefix(void *context, const int32_t *token, int64_t length) {
  sw_bank_add_instance(context, token, length);
}

static int add_state(void *context, const sw_release_state *s, sw_err *err) {
  sw_bank *bank = context;
  const sw_sat_point *p = s->point;
  (void)err;
  sw_bank_begin_state(bank, s->instance, p->label, s->retry, p->depth, p->size,
                      s->id);
  for (int i = 0; i < s->histories; i++) {
    const sw_release_entry *h = s->history[i];
    sw_bank_add_history(bank, &s->traces[h->trace], h->point->block,
                        h->point->sep, (int32_t)h->trace);
  }
  for (int32_t i = 0; i < p->actions; i++)
    sw_bank_add_action(bank, p->action[i].var, p->action[i].value);
  for (int32_t i = 0; i < s->allowed_count; i++)
    sw_bank_allow(bank, s->allowed[i]);
  sw_bank_end_state(bank);
  return SW_OK;
}

static void describe(sw_bank *bank, const sw_release_options *o) {
  sw_json json;
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  sw_json_int(&json, "instances", o->instances);
  sw_json_int(&json, "traces", o->traces);
  sw_json_int(&json, "n", o->n);
  sw_json_real(&json, "ratio", o->ratio);
  sw_json_int(&json, "seed", (int64_t)o->seed);
  sw_json_int(&json, "max_tokens", o->max_tokens);
  sw_json_string(&json, "order", o->by_activity ? "activity" : "index");
  sw_json_int(&json, "min_histories", o->min_histories);
  sw_json_int(&json, "max_histories", o->max_histories);
  sw_json_end(&json);
  bank->options = json.failed ? NULL : strdup(json.text);
  sw_json_free(&json);
}

int sw_bank_build_release(sw_bank *bank, const sw_release_options *o,
                          sw_err *err) {
  const sw_domain *sat = sw_domain_find("sat");
  if (!sat) return sw_fail(err, SW_INTERNAL, "the sat domain is missing");
  sw_bank_init(bank, "sat", "release", o->by_activity ? "enriched" : "lexical",
               sat->back_token);
  int code = sw_release_states(o, add_prefix, add_state, bank, err);
  describe(bank, o);
  if (!code) code = sw_bank_check(bank, err);
  if (code) sw_bank_free(bank);
  return code;
}
