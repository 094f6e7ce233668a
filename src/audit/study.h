/* A study: cases, a survey of them, and what it comes to; or the dose curve.
 * Everything that the command prints and writes is made from this struct. */
#ifndef SW_AUDIT_STUDY_H
#define SW_AUDIT_STUDY_H
#include "audit/dose.h"
#include "audit/judge.h"
#include "audit/logs.h"
#include "audit/sufficient.h"

typedef struct sw_study_options {
  sw_client *client;
  sw_manner manner;             /* form SW_FORM_COUNT and top -1: to be found */
  const char *const *condition; /* besides own; NULL-terminated or count */
  int conditions;
  int dose;           /* 1: the dose curve */
  const char *action; /* of the dose */
  int orders, repeats;
  const char
      *sufficient;  /* "all", or a file of marks; NULL: those of the cases */
  sw_client *judge; /* asked about cases without a mark; NULL: none */
  int sample;       /* questions to ask in a dry run; -1: not a dry run */
  sw_prices prices;
  const char *const *fail_if;
  int fail_ifs;
  uint64_t seed;
  sw_progress_fn progress;
  sw_stop_fn stop;
  void *context;
} sw_study_options;

typedef struct sw_study {
  sw_audit_cases cases; /* filled by the caller */
  sw_log_counts log;    /* of recorded conversations */
  char source[300];     /* where the cases are from, for the page */
  char back[64];        /* what going back is called; "": not known */
  char address[1024], model[256];
  sw_arm arm[SW_ARMS];
  int arms, dry, dosed;
  sw_manner manner;
  sw_survey survey;
  sw_measured measured;
  sw_sufficiency sufficiency;
  sw_conclusion verdict;
  sw_dose dose;
  sw_prices prices;
  sw_remote_spent spent;
  uint64_t seed;
  char failed[128]; /* the condition of --fail-if that holds; "" none */
} sw_study;

/* After an error, too, sw_study_free frees the study. */
int sw_study_run(sw_study *study, const sw_study_options *options, sw_err *err);
void sw_study_free(sw_study *study);

/* Requests, tokens and price by condition and together (dry runs too), and the
 * judge's, which have no price here. */
typedef struct sw_study_cost {
  int64_t requests;
  double prompt_tokens, answer_tokens, price;
} sw_study_cost;
sw_study_cost sw_study_cost_of(const sw_study *study, int arm); /* -1: all */
sw_study_cost sw_study_cost_of_judge(const sw_study *study);

/* The sentence that explains the verdict. */
void sw_study_headline(const sw_study *study, char *text, size_t room);
void sw_study_json(const sw_study *study, sw_json *json);
int sw_study_page(const sw_study *study, const char *path, sw_err *err);
/* answers.csv, conditions.csv, contrasts.csv (or dose.csv) and
 * sufficient.jsonl, in a directory. */
int sw_study_csv(const sw_study *study, const char *directory, sw_err *err);

#endif
