/* How well a model traverses trees (docs/trees.md). Two views of the same test
 * trees:
 *   teacher-forced  every supervised token predicted from the true tokens
 *                   before it: policy (which child), verification (return or
 *                   go on), and the share of traces whose every return
 *                   decision is right, A(k);
 *   free-running    the model writes the trace greedily from prefix and start
 *                   tokens; how far does it get before the first wrong token?
 * Called by `statewise trees`. Sums only, so that scores of parts add up; the
 * rates are computed by the functions below (NAN when nothing was counted). */
#ifndef SW_PROBE_TREES_METRICS_H
#define SW_PROBE_TREES_METRICS_H
#include "domains/trees/tree.h"
#include "model/family.h"

enum { SW_TREE_CLASSES = 2 }; /* 0: continue, 1: return */

typedef struct sw_tree_scores {
  /* teacher-forced */
  int64_t trees, inputs;        /* inputs: tokens the model reads */
  int64_t tokens, tokens_right; /* supervised */
  int64_t policy, policy_right;
  int64_t decisions[SW_TREE_CLASSES], decisions_right[SW_TREE_CLASSES];
  int64_t all_correct; /* traces with no wrong decision */
  double token_loss, policy_loss, decision_loss[SW_TREE_CLASSES];
  /* free-running; never for `cover`, whose walk cannot be known beforehand */
  int64_t free_trees, perfect;
  int64_t prefix_tokens;  /* right tokens before the first wrong one */
  double prefix_fraction; /* the same as a share of the trace, summed */
} sw_tree_scores;

typedef struct sw_tree_eval {
  sw_net *model;
  sw_team *team;
  const sw_domain_options *options; /* of domain trees, resolved */
  sw_reading reading;
  uint64_t seed;
  sw_split split;
  int64_t trees, free_trees;
  int truncate; /* 1: teacher-forced logits after token i come from a pass over
                   tokens 0..i alone, so that nothing can leak; slow */
} sw_tree_eval;
int sw_tree_evaluate(const sw_tree_eval *eval, sw_tree_scores *scores,
                     sw_err *err);

/* Adds one trace. logits[i] are the predictions of the i-th supervised token
 * of the trace, [vocab] each. */
void sw_tree_score_trace(const sw_instance *tree, const sw_tree_format *format,
                         const sw_trace *trace, const sw_tree_marks *marks,
                         const float *logits, int32_t vocab,
                         sw_tree_scores *scores);

double sw_tree_all_correct(const sw_tree_scores *s); /* A(k) */
double sw_tree_decision_rate(const sw_tree_scores *s, int class_or_all);
double sw_tree_policy_loss(const sw_tree_scores *s);
double sw_tree_verifier_loss(const sw_tree_scores *s, int balanced);
double sw_tree_perfect_rate(const sw_tree_scores *s);
/* The retrieval estimate r = A(4)^(1/4) and its prediction r^k (NAN: no r). */
double sw_tree_retrieval(double all_correct_at_4);
double sw_tree_prediction(double retrieval, int32_t k);

#endif
