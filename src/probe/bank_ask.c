/* Asking a model about every state of a bank (see bank_eval.h): what it is
 * shown, the scratchpad that it writes where its format has one, and the scores
 * of its verdict. Ranks share the states. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/argmax.h"
#include "base/ranks.h"
#include "probe/bank_eval.h"

void sw_bank_scores_free(sw_bank_scores *s) {
  for (int p = 0; p < SW_BANK_PROTOCOLS; p++) {
    free(s->mass[p]);
    free(s->free[p]);
  }
  memset(s, 0, sizeof *s);
}

static int no_memory(sw_err *err) {
  return sw_no_memory_for(err, "asking about the bank");
}

void sw_bank_score_logits(const float *z, int32_t vocab, int32_t back,
                          const int32_t *allowed, int64_t count, double *mass,
                          double *free_score) {
  double top = z[back];
  int64_t used = 0;
  for (int64_t i = 0; i < count; i++)
    if (allowed[i] < vocab && z[allowed[i]] > top) top = z[allowed[i]];
  double sum = 0, own = exp(z[back] - top);
  for (int64_t i = 0; i < count; i++) {
    if (allowed[i] >= vocab) continue;
    sum += exp(z[allowed[i]] - top);
    used++;
  }
  *mass = own / (own + sum);
  double mean = used ? sum / (double)used : 0;
  *free_score = own / (own + mean); /* logistic of z_back - log mean exp */
}

static int alloc_scores(const sw_bank *bank, sw_bank_scores *s, sw_err *err) {
  memset(s, 0, sizeof *s);
  s->states = bank->states;
  s->histories = bank->histories;
  for (int p = 0; p < SW_BANK_PROTOCOLS; p++) {
    s->mass[p] = malloc(sizeof(double) * (size_t)(bank->histories + 1));
    s->free[p] = malloc(sizeof(double) * (size_t)(bank->histories + 1));
    if (!s->mass[p] || !s->free[p]) {
      sw_bank_scores_free(s);
      return no_memory(err);
    }
  }
  return 0;
}

/* ---- another instance's problem ---- */

static int span(const sw_bank_asking *how, const int32_t *token, int64_t count,
                int64_t *from, int64_t *to) {
  return how->spans->token.problem_span(how->spans, token, count, from, to);
}

/* Finds an instance's problem: in its prefix, or in the block of its first
 * state. */
static int find_problem(const sw_bank *bank, const sw_bank_asking *how,
                        int64_t instance, const int32_t **token,
                        int64_t *count) {
  int64_t from, to, begin = bank->prefix_start[instance];
  *token = bank->prefix_tokens + begin;
  *count = bank->prefix_start[instance + 1] - begin;
  if (!how->spans) return 1; /* the whole prefix */
  if (span(how, *token, *count, &from, &to)) {
    *token += from;
    *count = to - from;
    return 1;
  }
  for (int64_t s = 0; s < bank->states; s++) {
    int64_t h = bank->probe_history[s];
    if (bank->instance[s] != instance) continue;
    begin = bank->history_start[h] + bank->state_start[h];
    if (!span(how, bank->tokens + begin, bank->history_start[h + 1] - begin,
              &from, &to))
      return 0;
    *token = bank->tokens + begin + from;
    *count = to - from;
    return 1;
  }
  return 0;
}

static void put_all(sw_trace *out, const int32_t *token, int64_t count) {
  for (int64_t i = 0; i < count; i++) sw_trace_put(out, token[i], 0);
}

/* Puts the problem of `instance` in place of the one that is shown. */
static int swap_problem(const sw_bank *bank, const sw_bank_asking *how,
                        int64_t instance, sw_trace *input, sw_err *err) {
  const int32_t *problem;
  int64_t size, swapped = 0;
  sw_trace copy;
  if (!find_problem(bank, how, instance, &problem, &size))
    return sw_fail(err, SW_DATA, "no problem is shown to instance %lld",
                   (long long)instance);
  sw_trace_init(&copy);
  for (int64_t b = 0; b < input->blocks; b++) {
    const int32_t *token = input->token + input->block_start[b];
    int64_t count = sw_trace_block_end(input, b) - input->block_start[b];
    int64_t from = 0, to = b == 0 && !how->spans ? count : 0;
    if (how->spans && !span(how, token, count, &from, &to)) from = to = 0;
    sw_trace_begin_block(&copy);
    put_all(&copy, token, from);
    if (to > from) put_all(&copy, problem, size);
    put_all(&copy, token + to, count - to);
    swapped += to > from;
  }
  int failed = copy.failed;
  sw_trace old = *input;
  *input = copy;
  sw_trace_free(&old);
  if (failed) return no_memory(err);
  return swapped
             ? SW_OK
             : sw_fail(err, SW_DATA, "a state is shown without its problem");
}

/* Logits at the verdict. Without a scratchpad they are those after the input.
 * Else the model writes its scratchpad first, its best token each time; at the
 * limit the scratchpad is closed for it, as in the closed loop. */
static int ask_verdict(const sw_bank_asking *how, sw_asker *asker,
                       sw_trace *input, const float **z, sw_err *err) {
  int32_t end = -1;
  int64_t block = input->block_start[input->blocks - 1];
  int64_t shown =
      (input->blocks > 1 ? input->block_start[1] : 0) + input->length - block;
  int64_t most = how->domain && how->domain->search->pad.limit
                     ? how->domain->search->pad.limit(how->options, shown, &end)
                     : 0;
  SW_TRY(sw_ask(asker, input, z, err));
  for (int64_t k = 0; k < most; k++) {
    int32_t token = (int32_t)sw_argmax(*z, sw_asker_vocab(asker));
    SW_TRY(sw_ask_on(asker, input, token, z, err));
    if (token == end) return SW_OK;
  }
  return most ? sw_ask_on(asker, input, end, z, err) : SW_OK;
}

/* One state: the rebuilt input once, every history cumulatively. */
static int ask_state(const sw_bank *bank, const sw_bank_asking *how,
                     int64_t state, sw_asker *asker, sw_bank_scores *s,
                     sw_trace *input, sw_trace *search, float *rebuilt,
                     sw_err *err) {
  int32_t vocab = sw_asker_vocab(asker);
  int64_t problem = bank->instance[state];
  if (how->foreign) problem = (problem + 1) % bank->instances;
  int64_t first = bank->probe_history[state],
          last = bank->probe_history[state + 1];
  const int32_t *allowed = bank->allowed + bank->probe_allowed[state];
  int64_t count = bank->probe_allowed[state + 1] - bank->probe_allowed[state];
  for (int64_t h = first; h < last; h++)
    for (int p = SW_BANK_PROTOCOLS - 1; p >= 0; p--) {
      const float *z;
      s->mass[p][h] = s->free[p][h] = NAN;
      if (p == SW_BANK_REBUILT && h > first) {
        s->mass[p][h] = s->mass[p][first];
        s->free[p][h] = s->free[p][first];
        continue;
      }
      if (p == SW_BANK_CUMULATIVE && how->rebuilt_only) continue;
      SW_TRY(sw_bank_input(bank, state, h, p == SW_BANK_REBUILT, input, err));
      if (sw_asker_reads_states(asker)) {
        SW_TRY(sw_bank_input(bank, state, h, 0, search, err));
        sw_ask_of(asker, search);
      }
      if (how->foreign) SW_TRY(swap_problem(bank, how, problem, input, err));
      int code = ask_verdict(how, asker, input, &z, err);
      if (code == SW_LIMIT) {
        s->skipped++;
        continue;
      }
      if (code) return code;
      sw_bank_score_logits(z, vocab, bank->back_token, allowed, count,
                           &s->mass[p][h], &s->free[p][h]);
      if (p == SW_BANK_REBUILT) {
        memcpy(rebuilt, z, sizeof *z * (size_t)vocab);
      } else if (!isnan(s->mass[SW_BANK_REBUILT][first])) {
        s->compared++;
        s->exact_equal += memcmp(rebuilt, z, sizeof *z * (size_t)vocab) == 0;
      }
    }
  return 0;
}

/* Each rank asks about a slice of the states; afterwards every rank has all
 * scores. */
static int share_scores(const sw_bank *bank, const size_t *slice,
                        sw_bank_scores *s, sw_err *err) {
  int ranks = sw_ranks_count(), me = sw_ranks_me();
  size_t *begin = calloc((size_t)ranks + 1, sizeof *begin);
  int64_t(*count)[3] = calloc((size_t)ranks, sizeof *count);
  int code = begin && count ? 0 : no_memory(err);
  for (int r = 0; r <= ranks && !code; r++)
    begin[r] = (size_t)bank->probe_history[slice[r]];
  for (int p = 0; p < SW_BANK_PROTOCOLS && !code; p++) {
    code = sw_ranks_join(s->mass[p], sizeof *s->mass[p], begin, err);
    if (!code) code = sw_ranks_join(s->free[p], sizeof *s->free[p], begin, err);
  }
  for (int r = 0; r <= ranks && !code; r++) begin[r] = (size_t)r;
  if (!code) {
    memcpy(count[me], (int64_t[]){s->skipped, s->compared, s->exact_equal},
           sizeof *count);
    code = sw_ranks_join(count, sizeof *count, begin, err);
    s->skipped = s->compared = s->exact_equal = 0;
  }
  for (int r = 0; r < ranks && !code; r++) {
    s->skipped += count[r][0];
    s->compared += count[r][1];
    s->exact_equal += count[r][2];
  }
  free(begin);
  free(count);
  return code;
}

/* Divides the states among ranks, weighted by their numbers of histories. */
static int slice_states(const sw_bank *bank, size_t **slice, sw_err *err) {
  double *cost = malloc(sizeof *cost * (size_t)(bank->states + 1));
  *slice = calloc((size_t)sw_ranks_count() + 1, sizeof **slice);
  int code = cost && *slice ? 0 : no_memory(err);
  for (int64_t i = 0; i < bank->states && !code; i++)
    cost[i] = 1 + (double)(bank->probe_history[i + 1] - bank->probe_history[i]);
  if (!code) sw_slices(cost, (size_t)bank->states, sw_ranks_count(), *slice);
  free(cost);
  return code;
}

int sw_bank_writes_pads(const sw_bank_asking *how) {
  return how->domain && sw_domain_has_pads(how->domain, how->options);
}

int sw_refuse_pads(const sw_domain *domain, const char *format, sw_err *err) {
  sw_domain_options options;
  sw_domain_defaults(domain, &options);
  options.format = format;
  if (!sw_domain_has_pads(domain, &options)) return SW_OK;
  return sw_fail(err, SW_USAGE,
                 "format `%s`: the verdict stands behind a scratchpad that the "
                 "model writes, which this question leaves out",
                 format);
}

/* A model that reads states gets them from the environment, so it cannot be
 * shown another problem and cannot write a scratchpad. */
static int suits_states(const sw_bank_asking *how, sw_err *err) {
  if (how->foreign)
    return sw_fail(err, SW_USAGE,
                   "a model that reads states cannot be shown another "
                   "instance's problem");
  if (sw_bank_writes_pads(how))
    return sw_fail(err, SW_USAGE,
                   "the format asks for a scratchpad; a model that reads "
                   "states writes no tokens");
  return SW_OK;
}

static int can_ask(const sw_bank *bank, const sw_bank_asking *how,
                   sw_asker *asker, sw_err *err) {
  if (sw_asker_reads_states(asker)) SW_TRY(suits_states(how, err));
  if (how->foreign && bank->instances < 2)
    return sw_fail(err, SW_USAGE,
                   "the bank has one instance, so there is no other problem");
  if (bank->back_token < 0 || bank->back_token >= sw_asker_vocab(asker))
    return sw_fail(err, SW_DATA,
                   "the bank's back token %d is outside the model's vocabulary",
                   bank->back_token);
  return SW_OK;
}

int sw_bank_ask(const sw_bank *bank, const sw_bank_asking *how, sw_asker *asker,
                sw_bank_scores *scores, sw_progress_fn progress, void *context,
                sw_err *err) {
  SW_TRY(can_ask(bank, how, asker, err));
  SW_TRY(alloc_scores(bank, scores, err));
  sw_trace input, search;
  sw_trace_init(&input);
  sw_trace_init(&search);
  float *rebuilt = malloc(sizeof *rebuilt * (size_t)sw_asker_vocab(asker));
  size_t *slice = NULL;
  int code = rebuilt ? slice_states(bank, &slice, err) : no_memory(err);
  int64_t from = code ? 0 : (int64_t)slice[sw_ranks_me()];
  int64_t to = code ? 0 : (int64_t)slice[sw_ranks_me() + 1];
  for (int64_t state = from; state < to && !code; state++) {
    code = ask_state(bank, how, state, asker, scores, &input, &search, rebuilt,
                     err);
    if (progress) progress(context, NULL, state + 1 - from, to - from);
  }
  if (!code) code = share_scores(bank, slice, scores, err);
  free(slice);
  free(rebuilt);
  sw_ask_of(asker, NULL);
  sw_trace_free(&input);
  sw_trace_free(&search);
  if (code) sw_bank_scores_free(scores);
  return code;
}
