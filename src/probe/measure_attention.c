/* The measure `attention`: what a model looks at on the way to a verdict. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "probe/measured.h"

typedef sw_attention_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_ATTENTION_OPTIONS)};

static int ask_bank(session *s, const sw_loaded *loaded, const sw_bank *bank,
                    sw_err *err) {
  sw_probe *p = &s->probe;
  sw_attention_task task = {
      .bank = bank, .domain = loaded->domain, .items = s->items};
  int code = sw_probe_open(p, loaded, 1, &task.cached, err);
  if (!code) code = sw_probe_open(p, loaded, 0, &task.full, err);
  sw_probe_begin(p, "states", bank->states);
  if (!code)
    code =
        sw_attention_ask(&task, sw_probe_step, s, &s->result[p->models], err);
  sw_probe_end(p);
  sw_asker_free(task.cached);
  sw_asker_free(task.full);
  return code;
}

static int ask(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_bank bank = {0};
  sw_bank_fair_options o = {.viable = s->viable,
                            .conflicts = s->conflicts,
                            .max_instances = s->instances,
                            .rollouts = s->rollouts,
                            .max_histories = 2,
                            .error = 0.15};
  if (strcmp(loaded->model->family->reads, "tokens"))
    return sw_fail(err, SW_USAGE, "%s reads %s, not tokens", loaded->path,
                   loaded->model->family->reads);
  if (!loaded->domain->token.parts)
    return sw_fail(err, SW_USAGE,
                   "the domain %s does not say what its tokens belong to",
                   loaded->domain->name);
  SW_TRY(sw_refuse_pads(loaded->domain, s->probe.options.format, err));
  int code = sw_probe_fair_bank(&s->probe, loaded->domain, &loaded->options, &o,
                                s->fewer, &bank, err);
  if (!code) code = ask_bank(s, loaded, &bank, err);
  sw_bank_free(&bank);
  return code;
}

static void lefts_json(sw_json *json, const char *key, const double *value) {
  sw_json_object(json, key);
  for (int c = 0; c < SW_LEFTS; c++)
    sw_json_real(json, sw_left_name(c), value[c]);
  sw_json_end(json);
}

static void counts_json(sw_json *json, const char *key, const int64_t *value) {
  sw_json_object(json, key);
  for (int c = 0; c < SW_LEFTS; c++)
    sw_json_int(json, sw_left_name(c), value[c]);
  sw_json_end(json);
}

static void looks_json(const sw_looks *k, sw_json *json) {
#define X(name, text) sw_json_real(json, #name, k->name);
  SW_LOOKS(X)
#undef X
  lefts_json(json, "by_left", k->by_left);
  lefts_json(json, "score", k->score);
}

/* The head that looks most at what is asked about stands for the model; none
 * where that was not asked. */
static void most_json(const sw_attention_result *r, const char *key,
                      size_t field, sw_json *json) {
  double most = NAN;
  int32_t best = -1;
  for (int32_t h = 0; h < r->layers * r->heads; h++) {
    double value;
    memcpy(&value, (const char *)&r->head[h] + field, sizeof value);
    if (isnan(value) || (best >= 0 && value <= most)) continue;
    best = h;
    most = value;
  }
  if (best < 0) return;
  sw_json_object(json, key);
  sw_json_int(json, "layer", best / r->heads + 1);
  sw_json_int(json, "head", best % r->heads + 1);
  looks_json(&r->head[best], json);
  sw_json_end(json);
}
#define MOST(field) \
  most_json(r, "most_" #field, offsetof(sw_looks, field), json)

static void members(const void *context, int m, sw_json *json) {
  static const char *const kind[] = {
#define X(id, name) name,
      SW_FACT_KINDS(X)
#undef X
  };
  const session *s = context;
  const sw_attention_result *r = &s->result[m];
  sw_json_int(json, "states", r->states);
  sw_json_int(json, "skipped", r->skipped);
  sw_json_int(json, "literals", r->literals);
  sw_json_int(json, "ends", r->ends);
  sw_json_int(json, "openings", r->openings);
  counts_json(json, "items", r->items);
  counts_json(json, "states_by_least", r->states_of);
  lefts_json(json, "verdict_log_odds", r->verdict);
  sw_json_object(json, "facts");
  for (int k = 0; k < SW_FACT_COUNT; k++)
    sw_json_real(json, kind[k],
                 r->facts[k] ? (double)r->right[k] / (double)r->facts[k] : NAN);
  sw_json_end(json);
  if (!r->head) return;
  sw_json_object(json, "even");
  looks_json(&r->head[r->layers * r->heads], json);
  sw_json_end(json);
  MOST(home);
  MOST(inside);
  MOST(opening_least);
  MOST(question_least);
  sw_json_array(json, "by_head");
  for (int32_t h = 0; h < r->layers * r->heads; h++) {
    sw_json_object(json, NULL);
    sw_json_int(json, "layer", h / r->heads + 1);
    sw_json_int(json, "head", h % r->heads + 1);
    looks_json(&r->head[h], json);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void clear(void *context) {
  session *s = context;
  for (int m = 0; m < SW_LIST_MAX; m++) sw_attention_free(&s->result[m]);
}

const sw_measure sw_measure_attention = {
    .name = "attention",
    .bytes = sizeof(session),
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .ask = ask,
    .members = members,
    .clear = clear};
