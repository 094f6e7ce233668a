/* The parsing dialogue (see env.h). In the release's masked loop only the
 * alternatives left at a choice are offered, and only going back at a failure;
 * otherwise every alternative is offered and the kinds of the candidates say
 * which of them is wrong. */
#include "domains/parsing/parsing_env.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/stop.h"

/* Events after which a look ahead along the expert's order gives up: deeply
 * nested parentheses cost the expert exponential time. */
enum { HOPE_EVENTS = 20000 };

int sw_parsing_env_new(sw_env **env, const sw_domain_options *options,
                       const sw_rules *rules, sw_err *err) {
  sw_env *e = *env = calloc(1, sizeof *e);
  if (!e) return sw_no_memory(err);
  int code =
      sw_grammar_load(&e->grammar, sw_parsing_own(options)->grammar, err);
  if (code) {
    free(e);
    *env = NULL;
    return code;
  }
  e->rules = *rules;
  e->show_tried = options->format && !strcmp(options->format, "tried");
  sw_parse_init(&e->machine, e->grammar, rules->writing_trace);
  sw_parse_init(&e->scratch, e->grammar, 0);
  return SW_OK;
}

void sw_parsing_env_free(sw_env *e) {
  if (!e) return;
  sw_parse_free(&e->machine);
  sw_parse_free(&e->scratch);
  sw_parse_reach_free(&e->reach);
  sw_cands_free(&e->cands);
  free(e->grammar);
  free(e);
}

int sw_parsing_env_reset(sw_env *e, const sw_instance *instance, sw_err *err) {
  for (int32_t i = 0; i < instance->length; i++)
    if (instance->word[i] < 0 || instance->word[i] >= e->grammar->inputs)
      return sw_fail(err, SW_DATA, "the sentence is of another grammar");
  e->instance = instance;
  e->reason = "";
  e->hope = -1;
  e->trouble = SW_OK;
  e->backs = 0;
  memset(&e->count, 0, sizeof e->count);
  sw_parse_reach_reset(&e->reach, e->grammar, instance->word, instance->length);
  sw_parse_start(&e->machine, instance->word, instance->length);
  e->status = SW_ENV_BLOCK_END;
  return SW_OK;
}

static sw_env_status end(sw_env *e, sw_env_status status, const char *reason) {
  e->reason = reason;
  return e->status = status;
}

/* What the machine's event means for the loop. Not an EXHAUSTED environment: a
 * rejection may come from a wrong commitment, so it proves nothing. */
static sw_env_status conclude(sw_env *e) {
  switch (e->machine.event) {
    case SW_PARSE_PARSED:
      return end(e, SW_ENV_SOLVED, "parsed");
    case SW_PARSE_REMAINING:
      return end(e, SW_ENV_FAILED, "input_remaining");
    case SW_PARSE_REJECTED:
      return end(e, SW_ENV_FAILED, "parse_failed");
    case SW_PARSE_MEMORY:
      return end(e, SW_ENV_FAILED, "memory");
    default:
      return e->status = SW_ENV_BLOCK_END;
  }
}

void sw_parsing_write_prefix(sw_env *e, sw_trace *out) {
  sw_trace_begin_block(out);
  out->n = e->instance->length;
  sw_trace_put(out, SW_PARSING_BOS, 0);
  for (int32_t i = 0; i < e->instance->length; i++)
    sw_trace_put(out, SW_PARSING_INPUT + e->instance->word[i], 0);
  sw_trace_put(out, SW_PARSING_SEP, 0);
}

static void put_state(sw_env *e, sw_trace *out) {
  const sw_parse_machine *m = &e->machine;
  uint32_t failed = sw_parse_failed(m);
  sw_trace_put(out, SW_PARSING_STATE, 0);
  for (int32_t i = 0; i <= m->length; i++) {
    if (i == m->shown_cursor) sw_trace_put(out, SW_PARSING_CURSOR, 0);
    if (i < m->length) sw_trace_put(out, SW_PARSING_INPUT + m->input[i], 0);
  }
  sw_trace_put(out, SW_PARSING_COLON, 0);
  for (int32_t i = 0; i < m->shown_count; i++)
    sw_trace_put(out, SW_PARSING_SYMBOL + m->shown[i], 0);
  if (e->show_tried && failed) {
    sw_trace_put(out, SW_PARSING_COLON, 0);
    for (int a = 0; failed >> a; a++)
      if (failed >> a & 1) sw_trace_put(out, SW_PARSING_ALT + a, 0);
  }
  sw_trace_put(out, SW_PARSING_SEP, 0);
}

static int64_t state_length(const sw_env *e) {
  uint32_t failed = e->show_tried ? sw_parse_failed(&e->machine) : 0;
  return e->machine.length + e->machine.shown_count + 4 +
         (failed ? 1 + __builtin_popcount(failed) : 0);
}

/* The release stops as soon as what is shown fills the budget. */
static int budget_full(const sw_env *e, int64_t length) {
  return e->rules.release_layout && e->rules.token_budget > 0 &&
         length >= e->rules.token_budget;
}

/* A question about the state got no answer: counts that rest on it must not be
 * kept. */
static void interrupted(sw_env *e) {
  e->trouble = sw_time_to_stop() ? SW_STOPPED : SW_MEMORY;
}

int sw_parsing_trouble(const sw_env *e, sw_err *err) {
  return sw_trouble_told(e->trouble, err);
}

/* Would the expert's order, continued from the machine's state, parse? */
static int hopeful(sw_env *e) {
  const sw_parse_machine *m = &e->scratch;
  if (!sw_parse_copy(&e->scratch, &e->machine)) return interrupted(e), 0;
  e->scratch.keep_failure = 0;
  int parsed = sw_parse_finish(&e->scratch, HOPE_EVENTS);
  int open = m->event == SW_PARSE_CHOICE || m->event == SW_PARSE_FAILURE;
  if (m->event == SW_PARSE_MEMORY || (open && sw_time_to_stop()))
    interrupted(e);
  return parsed;
}

sw_env_status sw_parsing_prompt(sw_env *e, sw_trace *out) {
  if (e->status != SW_ENV_BLOCK_END) return e->status;
  if (conclude(e) != SW_ENV_BLOCK_END) {
    if (e->rules.writing_trace) sw_trace_put(out, SW_PARSING_EOS, 0);
    return e->status;
  }
  if (budget_full(e, out->length + state_length(e)))
    return end(e, SW_ENV_FAILED, "budget");
  sw_trace_begin_block(out);
  int64_t first = out->length;
  put_state(e, out);
  if (!out->failed) {
    size_t bytes = (size_t)(out->length - first) * sizeof *out->token;
    e->key[0] = sw_xxh64(out->token + first, bytes, 0);
    e->key[1] = sw_xxh64(out->token + first, bytes, 1);
  }
  if (e->machine.event == SW_PARSE_CHOICE) {
    e->count.choices++;
    if (!e->rules.writing_trace &&
        e->rules.release_layout != SW_LAYOUT_RELEASE) {
      if (e->hope < 0) e->hope = hopeful(e);
      e->count.hopeful += e->hope;
    }
  } else {
    e->count.failures++;
  }
  return e->status = SW_ENV_QUERY;
}

int sw_parsing_in_conflict(const sw_env *e) {
  return e->status == SW_ENV_QUERY && e->machine.event == SW_PARSE_FAILURE;
}

int sw_parsing_at_root(const sw_env *e) {
  return e->machine.event == SW_PARSE_CHOICE && e->machine.frames == 1;
}

const sw_cand *sw_parsing_candidates(sw_env *e, int *count) {
  sw_cands_clear(&e->cands);
  if (e->status == SW_ENV_QUERY) {
    int conflict = sw_parsing_in_conflict(e);
    int only_legal = e->rules.release_layout == SW_LAYOUT_RELEASE;
    uint32_t available = sw_parse_available(&e->machine);
    if (conflict || !only_legal)
      sw_cands_put(&e->cands, SW_PARSING_BACKTRACK, SW_CAND_BACK);
    for (int a = 0; a < e->grammar->choices; a++) {
      int kind = conflict             ? SW_CAND_MISSED
                 : available >> a & 1 ? SW_CAND_CONTINUE
                                      : SW_CAND_REPEAT;
      if (kind != SW_CAND_CONTINUE && only_legal) continue;
      sw_cands_put(&e->cands, SW_PARSING_ALT + a, kind);
    }
  }
  *count = e->cands.count; /* -1: out of memory */
  return e->cands.item;
}

static sw_env_status next_status(sw_env *e, const sw_trace *out) {
  if (budget_full(e, out->length)) return end(e, SW_ENV_FAILED, "budget");
  /* A trace still needs its end token: prompt() writes it. */
  if (e->rules.writing_trace) return e->status = SW_ENV_BLOCK_END;
  return conclude(e);
}

sw_env_status sw_parsing_feed(sw_env *e, int32_t token, sw_trace *out) {
  if (e->status != SW_ENV_QUERY) return e->status;
  e->executed = 0;
  if (token == SW_PARSING_BACKTRACK) return sw_parsing_go_back(e, out);
  int alternative = token - SW_PARSING_ALT;
  uint32_t available = sw_parse_available(&e->machine);
  sw_trace_put(out, token, 1);
  if (sw_parsing_in_conflict(e)) {
    e->count.missed++;
    return end(e, SW_ENV_FAILED, "missed_conflict");
  }
  if (alternative < 0 || alternative >= SW_GRAMMAR_CHOICES ||
      !(available >> alternative & 1)) {
    e->count.invalid++;
    return end(e, SW_ENV_FAILED, "invalid_alt");
  }
  e->count.taken++;
  if (alternative != __builtin_ctz(available)) e->hope = -1;
  sw_parse_take(&e->machine, alternative);
  e->executed = 1;
  return next_status(e, out);
}

sw_env_status sw_parsing_go_back(sw_env *e, sw_trace *out) {
  if (e->status != SW_ENV_QUERY) return e->status;
  if (sw_parsing_at_root(e) && !e->rules.release_layout) return SW_ENV_QUERY;
  sw_trace_put(out, SW_PARSING_BACKTRACK, 1);
  e->backs++;
  if (e->machine.event == SW_PARSE_CHOICE) {
    if (sw_parsing_doomed(e)) e->count.early++;
    else e->count.false_prunes++;
    e->hope = -1;
  }
  sw_parse_back(&e->machine);
  return next_status(e, out);
}

/* No alternative that is left, with what must be matched behind it, fits the
 * rest of the sentence: whatever is chosen, this choice will fail. */
int sw_parsing_doomed(sw_env *e) {
  if (e->status != SW_ENV_QUERY || e->machine.event != SW_PARSE_CHOICE)
    return 0;
  int found = sw_parse_completable(&e->reach, &e->machine);
  if (found < 0) interrupted(e);
  return found == 0;
}

int32_t sw_parsing_expert_choice(sw_env *e) {
  return sw_parsing_rule_choice(e, SW_PARSING_RULE_LOWEST, NULL);
}

static const int8_t ORDER[][6] = {
#define X(id, name, ...) __VA_ARGS__,
    SW_PARSING_RULES(X)
#undef X
};

static int by_order(uint32_t available, const int8_t *order) {
  for (int i = 0; i < 6; i++)
    if (available >> order[i] & 1) return order[i];
  return __builtin_ctz(available);
}

static int at_random(uint32_t available, sw_mt *mt) {
  uint32_t pick = sw_mt_below(mt, (uint32_t)__builtin_popcount(available));
  while (pick--) available &= available - 1;
  return __builtin_ctz(available);
}

/* The first alternative whose second word can be the next one; else the first
 * that can be one word long; else the first. */
static int look_ahead(const sw_env *e, uint32_t available) {
  const sw_parse_machine *m = &e->machine;
  const sw_grammar *g = e->grammar;
  const sw_grammar_rule *rule = &g->rule[g->symbol[m->shown[0]].rule];
  int32_t next = m->shown_cursor + 1;
  uint64_t word = next < m->length ? (uint64_t)1 << m->input[next] : 0;
  for (int pass = 0; pass < 2; pass++)
    for (int a = 0; a < rule->count; a++) {
      const sw_grammar_alt *alt = &g->alt[rule->first + a];
      if ((available >> a & 1) &&
          (pass ? alt->short_form : (alt->seconds & word) != 0))
        return a;
    }
  return __builtin_ctz(available);
}

int32_t sw_parsing_rule_choice(sw_env *e, int rule, sw_mt *mt) {
  uint32_t available = sw_parse_available(&e->machine);
  if (sw_parsing_in_conflict(e))
    return rule == SW_PARSING_RULE_NEVER_BACK &&
                   e->rules.release_layout != SW_LAYOUT_RELEASE
               ? SW_PARSING_ALT
               : SW_PARSING_BACKTRACK;
  if (!available) return SW_PARSING_BACKTRACK;
  if (rule == SW_PARSING_RULE_RANDOM)
    return SW_PARSING_ALT + at_random(available, mt);
  if (rule == SW_PARSING_RULE_LOOK_AHEAD)
    return SW_PARSING_ALT + look_ahead(e, available);
  return SW_PARSING_ALT + by_order(available, ORDER[rule]);
}
