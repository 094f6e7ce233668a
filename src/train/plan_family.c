/* The part of a plan that is the family's: which one, its options (those of the
 * training table that it has by the same name, then --model-option), what the
 * data ask of it. Called by sw_train_plan_make. */
#include <string.h>
#include "domains/domain.h"
#include "train/source.h"

/* The options of `train` that are a model's: a family need not have them all.
 */
static const sw_option shape_table[] = {
#define X(...) SW_OPTION_ROW(sw_train_options, __VA_ARGS__)
    SW_TRAIN_SHAPE_OPTIONS(X)
#undef X
};
enum { SHAPES = sizeof shape_table / sizeof *shape_table };

static const sw_option *find(const sw_option *table, int count,
                             const char *name, size_t length) {
  for (int i = 0; i < count; i++)
    if (strlen(table[i].name) == length && !memcmp(table[i].name, name, length))
      return &table[i];
  return NULL;
}

/* Copies what the training table and a family's table both have. */
static int copy_shared(const sw_train_options *o, const sw_option *table,
                       int count, void *values, sw_err *err) {
  sw_options_defaults(table, count, values);
  for (int i = 0; i < SHAPES; i++) {
    const sw_option *shared = &shape_table[i];
    char text[48];
    if (!find(table, count, shared->name, strlen(shared->name))) continue;
    sw_option_text(shared, o, text, sizeof text);
    SW_TRY(sw_options_set(table, count, shared->name, text, values, err));
  }
  return SW_OK;
}

static int has(const sw_family *f, const sw_option *o) {
  size_t length = strlen(o->name);
  return find(f->options, f->option_count, o->name, length) ||
         find(f->starts, f->start_count, o->name, length);
}

int sw_train_drop_shape(sw_train_options *options, const unsigned char *given,
                        sw_err *err) {
  const sw_family *f;
  SW_TRY(sw_family_named(
      &f, options->architecture ? options->architecture : "slot-decoder", err));
  for (int i = 0; i < SHAPES; i++) {
    const sw_option *o = &shape_table[i];
    int at = 0;
    while (strcmp(sw_train_table[at].name, o->name)) at++;
    if (has(f, o) || (given && given[at])) continue;
    SW_TRY(sw_options_set(shape_table, SHAPES, o->name, o->fallback, options,
                          err));
  }
  return SW_OK;
}

/* An option that the family does not have is refused, not ignored. */
static int refuse_others(const sw_train_plan *plan, sw_err *err) {
  const sw_family *f = plan->family;
  sw_train_options usual;
  sw_options_defaults(shape_table, SHAPES, &usual);
  for (int i = 0; i < SHAPES; i++) {
    const sw_option *o = &shape_table[i];
    char given[48], standard[48];
    if (has(f, o)) continue;
    sw_option_text(o, &plan->options, given, sizeof given);
    sw_option_text(o, &usual, standard, sizeof standard);
    if (!strcmp(given, standard)) continue;
    sw_fail(err, SW_USAGE, "--%s %s: the family %s has no such option", o->name,
            given, f->name);
    return sw_hint(err,
                   "statewise train --list-architectures shows what it has");
  }
  return SW_OK;
}

static int set_own(sw_train_plan *plan, sw_err *err) {
  const sw_family *f = plan->family;
  const sw_list *given = &plan->options.model_option;
  for (int i = 0; i < given->count; i++) {
    const char *pair = given->item[i];
    size_t length = strcspn(pair, "=");
    int starts = find(f->starts, f->start_count, pair, length) != NULL;
    int code = sw_options_set_pair(
        starts ? f->starts : f->options,
        starts ? f->start_count : f->option_count, pair,
        starts ? (void *)&plan->start : (void *)&plan->config, err);
    if (code) return sw_context(err, "--model-option");
  }
  return SW_OK;
}

/* --verify gives the model a verify head, of the families that know one. */
static int set_verify(sw_train_plan *plan, const sw_dataset *set, sw_err *err) {
  const sw_train_options *o = &plan->options;
  const sw_family *f = plan->family;
  int wanted = o->verify > 0;
  if (wanted && o->contrastive > 0)
    return sw_fail(err, SW_USAGE, "--verify does not go with --contrastive");
  if (wanted && o->history && strcmp(o->history, "full"))
    return sw_fail(err, SW_USAGE, "--verify goes with --history full");
  if (wanted && strcmp(f->reads, "tokens")) {
    /* a model of states has a verdict head; --verify changes what it learns */
    if (set->viability) return SW_OK;
    sw_fail(err, SW_USAGE,
            "--verify: models of the family %s learn which states are dead "
            "from a judged data set",
            f->name);
    return sw_hint(err, "write it with statewise gen --viability");
  }
  if (find(f->options, f->option_count, "verify", 6))
    return sw_options_set(f->options, f->option_count, "verify",
                          wanted ? "1" : "0", &plan->config, err);
  if (!wanted) return SW_OK;
  return sw_fail(err, SW_USAGE,
                 "--verify: models of the family %s have no verify head",
                 f->name);
}

/* The domain that a data set names; NULL: none that is known. Only domains of
 * the program have facts and scratchpads. */
static const sw_domain *domain_of(const sw_dataset *set, const char **name) {
  *name = sw_dataset_meta(set, "domain");
  const sw_domain *domain = *name ? sw_domain_find(*name) : NULL;
  if (!*name) *name = "of this data set";
  return domain;
}

/* --facts, of the families and domains that know some. */
static int set_facts(const sw_train_plan *plan, const sw_dataset *set,
                     sw_err *err) {
  const char *name;
  const sw_domain *domain = domain_of(set, &name);
  if (!(plan->options.facts > 0)) return SW_OK;
  if (plan->options.contrastive > 0)
    return sw_fail(err, SW_USAGE, "--facts does not go with --contrastive");
  if (!plan->family->learns_facts)
    return sw_fail(err, SW_USAGE, "--facts: models of the family %s learn none",
                   plan->family->name);
  if (domain && domain->token.facts) return SW_OK;
  return sw_fail(err, SW_USAGE, "--facts: the domain %s knows none", name);
}

/* Whether a scratchpad's end is a target somewhere. */
static int writes_pads(const sw_dataset *set, int32_t pad_end) {
  for (int64_t i = 0; pad_end && i < set->length; i++)
    if (set->supervised[i] && set->tokens[i] == pad_end) return 1;
  return 0;
}

/* --decision-weight, where there are scratchpads. */
static int check_decisions(const sw_train_plan *plan, const sw_dataset *set,
                           sw_err *err) {
  const char *name;
  const sw_domain *domain = domain_of(set, &name);
  if (plan->options.decision_weight == 1) return SW_OK;
  if (plan->options.contrastive > 0)
    return sw_fail(err, SW_USAGE,
                   "--decision-weight does not go with --contrastive");
  if (!plan->family->learns_facts)
    return sw_fail(err, SW_USAGE,
                   "--decision-weight: models of the family %s write no "
                   "scratchpad",
                   plan->family->name);
  if (!domain || !domain->pad_end)
    return sw_fail(err, SW_USAGE,
                   "--decision-weight: the domain %s has no scratchpads", name);
  if (writes_pads(set, domain->pad_end)) return SW_OK;
  sw_fail(err, SW_USAGE,
          "--decision-weight: no trace of this data set has a scratchpad that "
          "the model writes");
  return sw_hint(err, "formats that have one: self, self-scan");
}

static int check_init(const sw_train_options *o, sw_err *err) {
  if (!o->init_names || o->init) return SW_OK;
  return sw_fail(err, SW_USAGE,
                 "--init-names is for weights that --init starts from");
}

/* Families that read no tokens see one state at a time: whole traces become all
 * their blocks, and there is no history to reduce. */
static int single_states(sw_train_plan *plan, sw_err *err) {
  sw_train_options *o = &plan->options;
  if (!strcmp(plan->family->reads, "tokens")) return SW_OK;
  if (o->history && strcmp(o->history, "full")) {
    sw_fail(err, SW_USAGE,
            "--history %s: models of the family %s see no history", o->history,
            plan->family->name);
    return sw_hint(err, "leave --history out");
  }
  if (o->view == SW_VIEW_FULL) o->view = SW_VIEW_STATE_ALL;
  plan->keep_last = 0;
  return SW_OK;
}

int sw_train_plan_family(sw_train_plan *plan, const sw_dataset *set,
                         sw_err *err) {
  const sw_train_options *o = &plan->options;
  const sw_source_ops *source;
  sw_demand demand = {0};
  SW_TRY(sw_family_named(
      &plan->family, o->architecture ? o->architecture : "slot-decoder", err));
  const sw_family *f = plan->family;
  if (f->config_bytes > sizeof plan->config ||
      f->start_bytes > sizeof plan->start)
    return sw_fail(err, SW_INTERNAL,
                   "the options of the family %s are too large", f->name);
  SW_TRY(refuse_others(plan, err));
  SW_TRY(single_states(plan, err));
  SW_TRY(copy_shared(o, f->options, f->option_count, &plan->config, err));
  SW_TRY(copy_shared(o, f->starts, f->start_count, &plan->start, err));
  SW_TRY(set_own(plan, err));
  SW_TRY(set_verify(plan, set, err));
  SW_TRY(set_facts(plan, set, err));
  SW_TRY(check_decisions(plan, set, err));
  SW_TRY(check_init(o, err));
  if (f->reading) {
    SW_TRY(f->reading(&plan->config, &plan->reading, err));
    SW_TRY(sw_reading_parse(&plan->reading, NULL, o->position_kind, err));
  }
  SW_TRY(sw_source_for(&source, f, err));
  int code = source->measure(plan, set, &demand, err);
  if (code == SW_DATA) return sw_context(err, "%s", plan->options.data);
  SW_TRY(code);
  plan->vocab = demand.vocab;
  demand.hides_prefix = o->prefix_reveal > 0 || o->prefix_dropout > 0;
  if (!f->custom && o->contrastive > 0)
    return sw_fail(err, SW_USAGE,
                   "--contrastive: models of the family %s have no objective "
                   "but their own",
                   f->name);
  return f->resolve(&plan->config, &demand, err);
}

const char *sw_train_plan_label(const sw_train_plan *plan) {
  if (plan->options.label) return plan->options.label;
  return plan->family == sw_family_find("slot-decoder")
             ? sw_mask_name(plan->reading.mask)
             : plan->family->name;
}
