/* Asking at a state (see case_ask.h). */
#include "probe/case_ask.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/grow.h"
#include "search/pick.h"

int sw_case_asker_new(sw_case_asker *a, const sw_states *states,
                      const sw_loaded *loaded, sw_team *team, sw_err *err) {
  memset(a, 0, sizeof *a);
  a->states = states;
  a->mask = loaded->reading.mask;
  sw_trace_init(&a->trace);
  sw_trace_init(&a->shown);
  sw_rules rules = {0};
  sw_ask_options o = {.model = loaded->model,
                      .reading = loaded->reading,
                      .domain = loaded->domain,
                      .domain_options = &loaded->options};
  int code =
      states->domain->search->env_new(&a->env, &loaded->options, &rules, err);
  if (!code) code = sw_asker_new(&a->asker, &o, team, err);
  if (!code) {
    size_t vocab = (size_t)sw_asker_vocab(a->asker);
    a->first = malloc(vocab * sizeof *a->first);
    if (!a->first) code = sw_no_memory(err);
  }
  if (code) sw_case_asker_free(a);
  return code;
}

void sw_case_asker_free(sw_case_asker *a) {
  if (a->env) a->states->domain->search->env_free(a->env);
  sw_asker_free(a->asker);
  sw_trace_free(&a->trace);
  sw_trace_free(&a->shown);
  free(a->first);
  free(a->p);
  memset(a, 0, sizeof *a);
}

/* What the model is shown of the replayed trace. */
static const sw_trace *shown(sw_case_asker *a, int rebuilt) {
  const sw_trace *t = &a->trace;
  if (!rebuilt || t->blocks < 3) return t;
  sw_trace_clear(&a->shown);
  sw_trace_begin_block(&a->shown);
  for (int64_t i = 0; i < t->block_start[1]; i++)
    sw_trace_put(&a->shown, t->token[i], 0);
  sw_trace_begin_block(&a->shown);
  for (int64_t i = t->block_start[t->blocks - 1]; i < t->length; i++)
    sw_trace_put(&a->shown, t->token[i], 0);
  return &a->shown;
}

/* Keeps the most probable candidates, best first. */
static void keep_top(const sw_domain *domain, const sw_cand *cand,
                     const double *p, int count, sw_answer *answer) {
  answer->top = 0;
  int taken[SW_CASE_TOP];
  while (answer->top < SW_CASE_TOP && answer->top < count) {
    int best = -1;
    for (int i = 0; i < count; i++) {
      int known = 0;
      for (int k = 0; k < answer->top; k++) known |= taken[k] == i;
      if (!known && (best < 0 || p[i] > p[best])) best = i;
    }
    int at = answer->top++;
    taken[at] = best;
    answer->best[at].kind = cand[best].kind;
    answer->best[at].p = p[best];
    if (cand[best].kind == SW_CAND_BACK)
      snprintf(answer->best[at].text, sizeof answer->best[at].text, "go back");
    else
      domain->token_text(domain, cand[best].token, answer->best[at].text,
                         sizeof answer->best[at].text);
  }
}

static int softmax(const float *logits, const sw_cand *cand, int count,
                   double *p) {
  int best = sw_pick_logits(cand, count, logits, SW_PICK_ANY);
  double sum = 0;
  for (int i = 0; i < count; i++)
    sum += p[i] =
        exp((double)logits[cand[i].token] - (double)logits[cand[best].token]);
  for (int i = 0; i < count; i++) p[i] /= sum;
  return best;
}

static void describe(const sw_domain *domain, const sw_cand *chosen,
                     sw_answer *answer) {
  char text[48];
  size_t used = strlen(answer->action);
  if (chosen->kind == SW_CAND_BACK) snprintf(text, sizeof text, "go back");
  else domain->token_text(domain, chosen->token, text, sizeof text);
  snprintf(answer->action + used, sizeof answer->action - used, "%s%s%s",
           used ? " " : "", text,
           chosen->kind == SW_CAND_REPEAT   ? " (has already failed)"
           : chosen->kind == SW_CAND_MISSED ? " (overlooks the conflict)"
                                            : "");
}

int sw_case_ask(sw_case_asker *a, int64_t point, int rebuilt, int whole,
                sw_answer *answer, sw_err *err) {
  const sw_domain *domain = a->states->domain;
  memset(answer, 0, sizeof *answer);
  SW_TRY(sw_states_replay(a->states, point, a->env, &a->trace, err));
  sw_env_status status = SW_ENV_QUERY;
  for (int query = 0; status == SW_ENV_QUERY; query++) {
    const float *logits;
    int count, best;
    const sw_cand *cand;
    SW_TRY(sw_domain_candidates(domain, a->env, &cand, &count, err));
    const sw_trace *input = shown(a, rebuilt);
    if (a->trace.failed || input->failed) return sw_no_memory(err);
    if (count < 1) return SW_OK;
    if (!sw_ask_fits(a->asker, input)) return SW_OK;
    if (!sw_grow(&a->p, &a->p_room, count, sizeof *a->p))
      return sw_no_memory(err);
    sw_ask_of(a->asker, &a->trace);
    SW_TRY(sw_ask(a->asker, input, &logits, err));
    best = softmax(logits, cand, count, a->p);
    if (query == 0) {
      keep_top(domain, cand, a->p, count, answer);
      memcpy(a->first, logits,
             sizeof *a->first * (size_t)sw_asker_vocab(a->asker));
      answer->asked = 1;
    }
    describe(domain, &cand[best], answer);
    if (!whole || cand[best].kind != SW_CAND_CONTINUE) return SW_OK;
    status = domain->search->feed(a->env, cand[best].token, &a->trace);
  }
  SW_TRY(sw_domain_trouble(domain, a->env, err));
  return SW_OK;
}

char *sw_case_tokens(const sw_domain *domain, const sw_trace *trace,
                     int64_t begin, int64_t end) {
  char *text = NULL, word[64];
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) return NULL;
  for (int64_t i = begin; i < end; i++) {
    domain->token_text(domain, trace->token[i], word, sizeof word);
    fprintf(out, "%s%s", i > begin ? " " : "", word);
  }
  return sw_memory_close(out, &text) ? text : NULL;
}
