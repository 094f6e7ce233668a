/* Asking a model at a collected state: replay, shown tokens, the most probable
 * action. Used by case.c only. */
#ifndef SW_PROBE_CASE_ASK_H
#define SW_PROBE_CASE_ASK_H
#include "search/ask.h"
#include "probe/case.h"
#include "probe/states.h"

typedef struct sw_case_asker {
  const sw_states *states;
  sw_env *env;
  sw_trace trace, shown;
  sw_asker *asker;
  sw_mask_kind mask;
  float *first; /* [vocab] logits of the last answer's first query */
  double *p;    /* [p_room] probabilities of the candidates */
  int32_t p_room;
} sw_case_asker;

int sw_case_asker_new(sw_case_asker *a, const sw_states *states,
                      const sw_loaded *loaded, sw_team *team, sw_err *err);
void sw_case_asker_free(sw_case_asker *a);
/* `rebuilt`: the model is shown the prefix and the current block only. `whole`:
 * the action is followed to its end (further queries), else only the first
 * query is asked. */
int sw_case_ask(sw_case_asker *a, int64_t point, int rebuilt, int whole,
                sw_answer *answer, sw_err *err);
/* Tokens [begin, end) as text, malloc'd; NULL: out of memory. */
char *sw_case_tokens(const sw_domain *domain, const sw_trace *trace,
                     int64_t begin, int64_t end);

#endif
