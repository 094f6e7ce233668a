/* What may be said. A gate comes before any verdict: a model that beats neither
 * a constant answer nor guessing cannot do the task, and nothing is said of its
 * history. The verdict follows from all contrasts together: a clear effect of
 * clearing is never "decides by the situation". */
#ifndef SW_AUDIT_JUDGE_H
#define SW_AUDIT_JUDGE_H
#include "audit/measure.h"

typedef struct sw_gate {
  int64_t known;     /* answers with a known right choice */
  sw_interval right; /* of the model, under the first condition */
  double constant;   /* right answers of the best player of one answer */
  char constant_is[96];
  double guess; /* and of one who guesses */
  sw_interval over_constant, over_guess;
  sw_interval auroc; /* of the choice that is right in some cases only */
  char auroc_is[96];
  double unreadable; /* share of all answers */
  double same;       /* share of the model's most frequent answer */
  char same_is[96];
  double worst_unreadable; /* share that is sure under some condition */
  int arm;   /* the condition it was measured under: own, or none */
  int beats; /* 1: both are beaten */
} sw_gate;

#define SW_FINDINGS(X)                                                       \
  X(TOO_FEW, "too-few")       /* under 20 cases */                           \
  X(UNREADABLE, "unreadable") /* more than a tenth of the answers */         \
  X(ONE_ANSWER, "one-answer") /* always the same answer */                   \
  X(CANNOT, "cannot")         /* beats neither constant nor guess */         \
  X(CHANGES, "changes")       /* with the history, the situation as it is */ \
  X(SHIFTS, "shifts")         /* the probabilities, seldom the answer */     \
  X(ELSEWHERE, "changes-elsewhere") /* under another condition only */       \
  X(HELPS, "clearing-helps")                                                 \
  X(HISTORY, "needs-history")                                                \
  X(EXAMPLES, "needs-examples") /* which balanced ones serve as well */      \
  X(SITUATION, "by-situation")                                               \
  X(OPEN, "undecided")
typedef enum {
#define X(id, name) SW_FOUND_##id,
  SW_FINDINGS(X)
#undef X
} sw_found;
extern const char *const sw_found_names[];

typedef struct sw_conclusion {
  sw_gate gate;
  sw_found found;
  const sw_contrast *primary;   /* two histories of one situation; or NULL */
  const sw_contrast *elsewhere; /* another sure change; or NULL */
  sw_contrast_part enough,
      lacking;        /* primary, where the situation is said to hold all
                that the answer depends on, and where not */
  char headline[900]; /* the sentence that says it */
  char more[4][700];  /* what else follows, "" where nothing does */
} sw_conclusion;

/* `judge`: the model that marked the situations as sufficient, or NULL: what
 * marks there are the user made. A change is a fault only where a situation is
 * sufficient. */
int sw_judge(sw_conclusion *verdict, const sw_survey *survey,
             const sw_measured *measured, const char *model, const char *judge,
             sw_err *err);
/* The number of cases that shows a change (0.05: 5 points) four times in five,
 * when answers differ by themselves in a share `noise` of the repeats. */
double sw_cases_needed(double noise, double change);

/* "changes > 5%": against the lower bound of an interval. figures: changes,
 * faults (changes where the situation is said to be enough), shift, unreadable,
 * slope; 1 in *fails when the condition holds. SW_USAGE. */
int sw_fail_if(const char *condition, const sw_conclusion *verdict,
               const sw_interval *slope, int *fails, sw_err *err);
int sw_fail_if_check(const char *condition, sw_err *err);

#endif
