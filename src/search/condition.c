/* Making conditions (see condition.h). */
#include "search/condition.h"
#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/produce.h"
#include "search/question.h"

const sw_option sw_condition_table[] = {
#define X(...) SW_OPTION_ROW(sw_condition_options, __VA_ARGS__)
    SW_LOOP_OPTIONS(X) SW_CONDITION_OPTIONS(X)
#undef X
};
const int sw_condition_table_count =
    sizeof sw_condition_table / sizeof *sw_condition_table;

void sw_condition_defaults(sw_condition_options *options) {
  sw_options_defaults(sw_condition_table, sw_condition_table_count, options);
}

/* The condition's verifier by its canonical name, if guide and format suit it.
 */
static int name_verifier(sw_condition *c, sw_err *err) {
  const char *text;
  sw_verifier *verifier;
  SW_TRY(sw_loop_verifier(&c->loop, &text, err));
  SW_TRY(sw_verifier_open(&verifier, c->domain, text, err));
  snprintf(c->verifier, sizeof c->verifier, "%s", verifier->text);
  int code = sw_guide_suits(c->guide, verifier, err);
  if (!code)
    code =
        sw_verifier_unshown(verifier, &c->options, c->loop.verdict_shown, err);
  sw_verifier_close(verifier);
  return code;
}

int sw_condition_make(sw_condition *c, const sw_condition_options *options,
                      sw_guide *guide, const sw_domain_options *domain_options,
                      sw_err *err) {
  SW_ASSERT(c && options && guide && domain_options);
  const sw_domain *domain = guide->domain;
  memset(c, 0, sizeof *c);
  SW_TRY(sw_domain_searchable(domain, err));
  c->domain = domain;
  c->guide = guide;
  c->options = *domain_options;
  SW_TRY(domain->resolve(&c->options, err));
#define X(field, ...) c->loop.field = options->field;
  SW_LOOP_OPTIONS(X)
#undef X
  SW_TRY(name_verifier(c, err));
  int64_t decisions, tokens, instances;
  domain->search->budgets(&c->options, &decisions, &tokens, &instances);
  if (c->loop.max_decisions < 0) c->loop.max_decisions = decisions;
  if (c->loop.max_tokens < 0) c->loop.max_tokens = tokens;
  c->instances = options->instances < 0 ? instances : options->instances;
  c->seed = (uint64_t)options->seed;
  c->split = (sw_split)options->split;
  c->shared_draws = options->shared_draws;
  c->width = options->width;
  c->memory = (int64_t)(options->memory * (1 << 30));
  return SW_OK;
}

int sw_condition_draws(const sw_condition *c) {
  return c->guide->ops->draws || c->loop.variables == SW_VARIABLES_RANDOM;
}

/* The loop's name as scripts know it: its two short forms stay. */
static void name_loop(const sw_condition *c, sw_condition_key *key) {
  const char *loop = sw_question_short(SW_ASKS_SEARCH, "verifier", c->verifier);
  if (!loop) loop = c->verifier;
  snprintf(key->text, sizeof key->text, "%s%s%s%s", loop,
           c->loop.release_layout ? "-release" : "",
           c->loop.variables ? "-" : "",
           c->loop.variables == SW_VARIABLES_RANDOM   ? "random-variables"
           : c->loop.variables == SW_VARIABLES_EXPERT ? "expert-variables"
                                                      : "");
  key->loop = key->text;
}

int sw_condition_key_of(const sw_condition *c, sw_condition_key *key,
                        sw_err *err) {
  SW_CHECK(sw_condition_check(c));
  SW_ASSERT(key);
  static const char *const errors[] = {"fail", "rescue", "execute"};
  static const char *const splits[] = {"train", "valid", "test"};
  static const char *const variables[] = {"policy", "random", "expert"};
  const sw_guide *guide = c->guide;
  char *options = sw_domain_options_json(c->domain, &c->options);
  if (!options) return sw_no_memory(err);
  *key = (sw_condition_key){
      .domain = c->domain->name,
      .policy = guide->label,
      .model_hash = guide->hash,
      .format = c->options.format ? c->options.format : "",
      .protocol = sw_protocol_name((sw_protocol)c->loop.protocol),
      .on_error = errors[c->loop.on_error],
      .mask = guide->mask,
      .positions = guide->positions,
      .options = options,
      .split = splits[c->split],
      .n = c->options.n,
      .seed = (int64_t)c->seed,
      .train_seed = guide->train_seed,
      .max_decisions = c->loop.max_decisions,
      .max_tokens = c->loop.max_tokens,
      .guide = guide->ops->name,
      .verifier = c->verifier,
      .variables = variables[c->loop.variables],
      .layout = c->loop.release_layout ? "release" : "training",
      .draws = !sw_condition_draws(c) ? "none"
               : c->shared_draws      ? "shared"
                                      : "instance",
      .counting = SW_COUNTING,
      .owned = options};
  name_loop(c, key);
  return SW_OK;
}

void sw_condition_key_free(sw_condition_key *key) {
  free(key->owned);
  key->owned = NULL;
}

#ifdef SW_DEBUG
const char *sw_condition_check(const sw_condition *c) {
  if (!c || !c->domain || !c->guide) return "it has no player";
  if (!c->guide->ops) return "a guide without operations";
  if (c->width < 0 || c->memory < 0) return "a size below 0";
  if ((unsigned)c->loop.protocol > SW_FOREIGN) return "no such protocol";
  if ((unsigned)c->loop.on_error > SW_ON_ERROR_EXECUTE) return "no such rule";
  return (unsigned)c->split > SW_SPLIT_TEST ? "no such split" : NULL;
}
#endif
