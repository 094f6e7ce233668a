/* `statewise audit` of cases, recorded conversations and the dose curve; called
 * by audit.c. */
#ifndef SW_COMMAND_AUDIT_STUDY_H
#define SW_COMMAND_AUDIT_STUDY_H
#include "command/io.h"
#include "audit/study.h"
#include "domains/domain.h"
#include "base/options.h"

/* clang-format off */
#define SW_STUDY_OPTIONS(X)                                                    \
  X(cases, TEXT, "cases", "", 0, 0, "", "file of situations with their histories (docs/audit.md)") \
  X(logs, TEXT, "logs", "", 0, 0, "", "recorded conversations: a file or a directory of them") \
  X(state, TEXT, "state", "last-user", 0, 0, "", "the situation in a log: last-user, last-tool, system+last, /POINTER") \
  X(most, LONG, "most", "0", 0, 1e9, "", "most cases taken from logs; 0: all") \
  X(dose, FLAG, "dose", "0", 0, 0, "", "measure how past uses of an action pull the next decision") \
  X(dose_action, TEXT, "dose-action", "", 0, 0, "", "the choice that the histories' counts are about") \
  X(situations, LONG, "situations", "0", 0, 1e6, "", "situations that are made; 0: 24 of --dose, else 80") \
  X(turns, INT, "turns", "4", 1, 16, "", "past turns of --dose") \
  X(condition, LIST, "condition", "", 0, 0, "", "what stands before a situation: own2, none, last:N, ...") \
  X(orders, INT, "orders", "2", 1, 2, "", "orders of the choices in which each question is asked") \
  X(repeats, INT, "repeats", "1", 0, 3, "", "repeats of each question under its own history") \
  X(labels, CHOICE, "labels", "numbers", 0, 0, "numbers|words", "a choice is answered by its number or by its words") \
  X(answers, CHOICE, "answers", "auto", 0, 0, "schema|grammar|structured|tool|plain|auto", "how answers are constrained; auto: try each") \
  X(max_tokens, INT, "max-tokens", "0", 0, 1000000, "", "most tokens of an answer; 0: 16 if constrained, else 512") \
  X(temperature, REAL, "temperature", "0", 0, 2, "", "temperature of the answers") \
  X(sufficient, TEXT, "sufficient", "", 0, 0, "", "marks of sufficient situations: all, FILE or a judge's URL") \
  X(judge_model, TEXT, "judge-model", "", 0, 0, "", "name of the judge's model; default: the first it lists") \
  X(judge_key, TEXT, "judge-key", "STATEWISE_JUDGE_KEY", 0, 0, "", "environment variable that holds the judge's key") \
  X(dry_run, FLAG, "dry-run", "0", 0, 0, "", "say what it would take, and ask only a few questions") \
  X(dry_sample, INT, "dry-sample", "8", 0, 1000, "", "questions that a dry run asks, to count tokens by") \
  X(price_in, REAL, "price-in", "0", 0, 1e6, "", "price of a million tokens of questions") \
  X(price_cached, REAL, "price-cached", "0", 0, 1e6, "", "the same where a prefix cache has them") \
  X(price_out, REAL, "price-out", "0", 0, 1e6, "", "price of a million tokens of answers") \
  X(fail_if, LIST, "fail-if", "", 0, 0, "", "exit with 1 if this surely holds, as \"changes > 5%\"")
/* clang-format on */

typedef struct study_values {
  SW_STUDY_OPTIONS(SW_OPTION_FIELD)
} study_values;

/* The searches of --domain; domain NULL: the cases are from elsewhere. */
typedef struct study_search {
  const sw_domain *domain;
  sw_domain_options task;
} study_search;
int study_of_searches(const study_values *v, const char *domain);

/* The model that is audited, and the judge of its situations or NULL. */
typedef struct study_clients {
  sw_client *model, *judge;
} study_clients;
/* Is --sufficient the address of a judge? */
int study_has_judge(const study_values *v);

/* Fills study->cases and everything else. */
int study_run(const study_values *v, const study_search *search, uint64_t seed,
              const study_clients *clients, sw_progress_fn progress,
              void *context, sw_study *study, sw_err *err);
/* audit.json, index.html and the CSV files. */
int study_write(sw_command_io *io, const sw_study *study, const char *output,
                int json, sw_err *err);
void study_print(sw_command_io *io, const sw_study *study, const char *output);

#endif
