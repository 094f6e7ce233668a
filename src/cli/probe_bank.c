/* `statewise probe bank build|eval`: the verifier-only benchmark. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/probe_common.h"
#include "probe/bank_build.h"
#include "probe/bank_eval.h"
#include "search/loop.h"

/* clang-format off */
#define BANK_OPTIONS(X)                                                        \
  X(construction, CHOICE, "construction", "fair", 0, 0, "fair|release", "repaired, or exactly as published (sat)") \
  X(domain, TEXT, "domain", "", 0, 0, "", "domain; default: the model's, or sat") \
  X(file, TEXT, "bank", "", 0, 0, "", "eval: the bank file; default: build one in memory") \
  X(output, TEXT, "output", "", 0, 0, "", "build: the file to write (-o)")     \
  X(instances, LONG, "instances", "-1", -1, 1e7, "", "instances (release: 200; fair: at most 4096)") \
  X(rollouts, LONG, "rollouts", "-1", -1, 1e6, "", "rollouts per instance (release: 4; fair: 16)") \
  X(viable, LONG, "viable", "2000", 1, 1e7, "", "fair: viable states, matched in size") \
  X(conflicts, LONG, "conflicts", "500", 1, 1e7, "", "fair: conflict states") \
  X(histories, INT, "histories", "4", 2, 64, "", "most histories per state")   \
  X(bank_error, REAL, "random-choice", "0.15", 0, 1, "", "fair: probability of a random legal choice in a rollout") \
  X(order, CHOICE, "order", "lexical", 0, 0, "lexical|vsids", "release: order of the state's variables") \
  X(path, CHOICE, "path", "cached", 0, 0, "cached|full", "how a model is asked: as in the closed loop, or one full pass")
/* clang-format on */

typedef struct session {
  sw_probe
      probe; /* `domain` is in the own options: without a model it is sat */
  BANK_OPTIONS(SW_OPTION_FIELD)
  sw_bank bank;
  sw_bank_stats stats;
  sw_bank_row trivial[SW_BANK_TRIVIALS];
  sw_bank_result result[SW_LIST_MAX];
} session;

static const sw_option table[] = {SW_PROBE_ROWS(BANK_OPTIONS)};

static int build_release(session *s, const sw_domain *domain, sw_err *err) {
  sw_release_options o = SW_RELEASE_DEFAULTS;
  SW_TRY(sw_release_task(domain, &s->probe.task, &o, err));
  if (s->instances >= 0) o.instances = s->instances;
  if (s->rollouts >= 0) o.traces = s->rollouts;
  o.seed = (uint64_t)s->probe.seed;
  o.by_activity = s->order;
  o.max_histories = s->histories;
  return sw_bank_build_release(&s->bank, &o, err);
}

/* Options of the model (NULL: defaults) with the command line's over them. */
static int build_fair(session *s, const sw_domain *domain,
                      const sw_domain_options *base, sw_err *err) {
  sw_bank_fair_options o = {
      .domain = domain,
      .seed = (uint64_t)s->probe.seed,
      .viable = s->viable,
      .conflicts = s->conflicts,
      .max_instances = s->instances >= 0 ? s->instances : 4096,
      .rollouts = s->rollouts >= 0 ? s->rollouts : 16,
      .max_histories = s->histories,
      .error = s->bank_error};
  SW_TRY(sw_probe_options(&s->probe, domain, base, &o.domain_options, err));
  o.max_blocks =
      o.domain_options.max_blocks > 0 ? o.domain_options.max_blocks : 96;
  return sw_bank_build_fair(&s->bank, &o, err);
}

static int build(session *s, const sw_domain *domain,
                 const sw_domain_options *base, sw_err *err) {
  if (s->construction == 1) return build_release(s, domain, err);
  return build_fair(s, domain, base, err);
}

static int score_model(session *s, const sw_loaded *loaded, sw_err *err) {
  sw_asker *asker;
  sw_bank_scores scores;
  SW_TRY(sw_probe_open(&s->probe, loaded, s->path == 0, &asker, err));
  sw_probe_begin(&s->probe, "states", s->bank.states);
  int code = sw_bank_ask(&s->bank, asker, &scores, sw_probe_step, s, err);
  sw_progress_end(&s->probe.line, NULL);
  if (!code) {
    code = sw_bank_evaluate(&s->bank, &scores, s->probe.resamples,
                            (uint64_t)s->probe.seed,
                            &s->result[s->probe.models], err);
    sw_bank_scores_free(&scores);
  }
  sw_asker_free(asker);
  if (!code) sw_probe_done(&s->probe, loaded);
  return code;
}

static int eval_models(session *s, sw_err *err) {
  char shipped[1024];
  int have = 0;
  if (s->file) {
    SW_TRY(sw_bank_load(&s->bank, s->file, err));
    have = 1;
  }
  if (!s->probe.model.count &&
      sw_shipped_model(s->domain ? s->domain : "sat", shipped, sizeof shipped,
                       NULL) == 0)
    s->probe.model.item[s->probe.model.count++] = shipped;
  for (int i = 0; i < s->probe.model.count; i++) {
    sw_loaded loaded;
    SW_TRY(sw_loaded_open(&loaded, s->probe.model.item[i], err));
    int code = have ? 0 : build(s, loaded.domain, &loaded.options, err);
    have = 1;
    if (!code && strcmp(loaded.domain->name, s->bank.domain) != 0)
      code =
          sw_fail(err, SW_USAGE, "%s is a model for `%s`, the bank is for `%s`",
                  s->probe.model.item[i], loaded.domain->name, s->bank.domain);
    if (!code) code = score_model(s, &loaded, err);
    sw_loaded_close(&loaded);
    if (code) return code;
  }
  if (have) return 0;
  const sw_domain *domain;
  SW_TRY(sw_domain_named(s->domain ? s->domain : "sat", &domain, err));
  return build(s, domain, NULL, err);
}

static int build_only(session *s, sw_err *err) {
  const sw_domain *domain;
  SW_TRY(sw_domain_named(s->domain ? s->domain : "sat", &domain, err));
  if (s->probe.model.count) {
    sw_loaded loaded;
    SW_TRY(sw_loaded_open(&loaded, s->probe.model.item[0], err));
    int code = build(s, loaded.domain, &loaded.options, err);
    sw_loaded_close(&loaded);
    if (code) return code;
  } else {
    SW_TRY(build(s, domain, NULL, err));
  }
  return s->output ? sw_bank_save(&s->bank, s->output, err) : 0;
}

static int finish(session *s, sw_err *err) {
  SW_TRY(sw_bank_stats_of(&s->bank, &s->stats, err));
  for (int k = 0; k < SW_BANK_TRIVIALS; k++)
    SW_TRY(sw_bank_trivial_row(&s->bank, k, s->probe.resamples,
                               (uint64_t)s->probe.seed, &s->trivial[k], err));
  return 0;
}

/* ---- printing ---- */

static void print_row(const char *label, const char *protocol,
                      const sw_bank_row *r, int calibrated) {
  char b[6][32];
  printf("%-30s %-10s %7.3f%% %7.3f%% %7s %7s %7s %7s %9s\n", label, protocol,
         100 * r->all.false_prune_rate, 100 * r->all.missed_conflict_rate,
         sw_probe_number(r->all.auroc, 4, b[0]),
         sw_probe_number(r->all.auprc, 4, b[1]),
         calibrated ? sw_probe_number(r->all.ece, 4, b[2]) : "-",
         calibrated ? sw_probe_number(r->all.brier, 4, b[3]) : "-",
         sw_probe_number(r->auroc_within_size, 4, b[4]));
}

static void print_stats(const session *s) {
  const sw_bank_stats *t = &s->stats;
  printf("%s bank of %s (%s): %" PRId64 " states from %" PRId64
         " instances, %" PRId64 " viable, %" PRId64 " conflict, %" PRId64
         " retries among the viable\n",
         s->bank.construction, s->bank.domain, s->bank.format, t->states,
         t->instances, t->viable, t->conflicts, t->retries);
  printf("histories: %" PRId64 " pairs, %" PRId64
         " of them token-distinct; %.0f tokens before the state on average\n",
         t->pairs, t->distinct_pairs, t->mean_history);
  printf("mean size: viable %.2f, conflict %.2f; distinct inputs %" PRId64
         "; id hash %s\n",
         t->mean_size[0], t->mean_size[1], t->inputs, t->id_hash);
}

static void print_table(const void *context) {
  const session *s = context;
  const sw_probe *p = &s->probe;
  print_stats(s);
  printf("\n%-30s %-10s %8s %8s %7s %7s %7s %7s %9s\n", "score", "protocol",
         "false pr.", "missed", "AUROC", "AUPRC", "ECE", "Brier", "same size");
  for (int m = 0; m < p->models; m++)
    for (int k = 0; k < SW_BANK_PROTOCOLS; k++) {
      const char *protocol = sw_protocol_name((sw_protocol)k);
      char label[128];
      print_row(p->label[m], protocol, &s->result[m].mass[k], 1);
      snprintf(label, sizeof label, "%.80s, size-free", p->label[m]);
      print_row(label, protocol, &s->result[m].free[k], 1);
    }
  for (int k = 0; k < SW_BANK_TRIVIALS; k++)
    print_row(sw_bank_trivial_name(k), "-", &s->trivial[k],
              k != SW_BANK_TRIVIAL_SIZE);
  for (int m = 0; m < p->models; m++) {
    const sw_bank_result *r = &s->result[m];
    const sw_interval *i = r->mass[0].interval;
    printf(
        "%s: protocol gap %.6g, largest difference of a history %.3g, "
        "bit-identical across protocols %.4g %%\n",
        p->label[m], r->protocol_gap, r->largest_gap,
        100 * r->exact_equal_rate);
    printf(
        "  95 %%: AUROC [%.4f, %.4f], false prunes [%.3f, %.3f] %%, missed "
        "[%.3f, %.3f] %%\n",
        i[2].low, i[2].high, 100 * i[0].low, 100 * i[0].high, 100 * i[1].low,
        100 * i[1].high);
    printf("  %" PRId64
           " distinct pairs: agreement %.4f, symmetric KL %.3g, entanglement "
           "%.3g [%.3g, %.3g]\n",
           r->pairs, r->agreement, r->symmetric_kl, r->entanglement.point,
           r->entanglement.low, r->entanglement.high);
    if (r->skipped)
      printf("  %" PRId64 " histories did not fit the position table\n",
             r->skipped);
  }
}

static void stats_json(const void *context, sw_json *json) {
  const session *s = context;
  const sw_bank_stats *t = &s->stats;
  sw_json_string(json, "domain", s->bank.domain);
  sw_json_string(json, "construction", s->bank.construction);
  sw_json_string(json, "format", s->bank.format);
  sw_json_int(json, "states", t->states);
  sw_json_int(json, "viable", t->viable);
  sw_json_int(json, "conflict", t->conflicts);
  sw_json_int(json, "retries", t->retries);
  sw_json_int(json, "instances", t->instances);
  sw_json_int(json, "history_pairs", t->pairs);
  sw_json_int(json, "distinct_pairs", t->distinct_pairs);
  sw_json_int(json, "distinct_inputs", t->inputs);
  sw_json_real(json, "mean_history_tokens", t->mean_history);
  sw_json_real(json, "mean_size_viable", t->mean_size[0]);
  sw_json_real(json, "mean_size_conflict", t->mean_size[1]);
  sw_json_string(json, "id_hash", t->id_hash);
}

static void model_json(const void *context, int m, sw_json *json) {
  const session *s = context;
  const sw_bank_result *r = &s->result[m];
  sw_json_real(json, "protocol_gap", r->protocol_gap);
  sw_json_real(json, "largest_gap", r->largest_gap);
  sw_json_real(json, "exact_equal_rate", r->exact_equal_rate);
  sw_json_real(json, "agreement", r->agreement);
  sw_json_real(json, "symmetric_kl", r->symmetric_kl);
  sw_json_real(json, "entanglement", r->entanglement.point);
  sw_probe_interval_json(json, "entanglement_interval", r->entanglement);
  sw_json_int(json, "pairs", r->pairs);
  sw_json_int(json, "unequal_pairs", r->unequal);
  sw_json_int(json, "skipped_histories", r->skipped);
  sw_bank_row_json(&r->mass[SW_BANK_CUMULATIVE], json);
  for (int p = 0; p < SW_BANK_PROTOCOLS; p++) {
    const char *protocol = sw_protocol_name((sw_protocol)p);
    char key[48];
    sw_json_object(json, protocol);
    sw_bank_row_json(&r->mass[p], json);
    sw_json_end(json);
    snprintf(key, sizeof key, "%s_size_free", protocol);
    sw_json_object(json, key);
    sw_bank_row_json(&r->free[p], json);
    sw_json_end(json);
  }
}

static void trivial_json(const void *context, sw_json *json) {
  const session *s = context;
  sw_json_array(json, "trivial");
  for (int k = 0; k < SW_BANK_TRIVIALS; k++) {
    sw_json_object(json, NULL);
    sw_json_string(json, "label", sw_bank_trivial_name(k));
    sw_bank_row_json(&s->trivial[k], json);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static int perform(void *context, const sw_list *rest, sw_err *err) {
  session *s = context;
  const char *what = rest->count == 1 ? rest->item[0] : "";
  int building = strcmp(what, "build") == 0;
  if (!building && strcmp(what, "eval") != 0) {
    sw_fail(err, SW_USAGE,
            "probe bank does one thing at a time: build or eval");
    return sw_hint(err, "statewise probe bank eval --model DIR");
  }
  SW_TRY(building ? build_only(s, err) : eval_models(s, err));
  return finish(s, err);
}

static void clear(void *context) {
  session *s = context;
  sw_bank_free(&s->bank);
}

static int run(const sw_command *self, int argc, char **argv) {
  static const sw_probe_kind kind = {.bytes = sizeof(session),
                                     .perform = perform,
                                     .text = print_table,
                                     .head = stats_json,
                                     .members = model_json,
                                     .tail = trivial_json,
                                     .clear = clear};
  return sw_probe_main(self, argc, argv, &kind);
}

const sw_command sw_command_probe_bank = {
    .name = "probe bank",
    .usage = "build|eval [--bank FILE] [--model DIR]... [-o FILE]",
    .summary =
        "Judge continue-or-go-back on labelled states with known histories",
    .details =
        "build writes a bank of states, each reached by several histories; "
        "eval asks models "
        "about every state, with its history (cumulative) and without "
        "(rebuilt), and prints the "
        "trivial scores in the same table. Scores: the published backtrack "
        "mass, and one that "
        "does not depend on the number of continuations (size-free).\n"
        "The fair bank has equal size distributions in both classes and at "
        "least two distinct "
        "histories per state; the release bank is the published one.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .takes_task = 1};
