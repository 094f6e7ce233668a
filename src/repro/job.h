/* One experiment being run: its parts, each of which resumes by itself. Inside
 * src/repro only (runner.c puts them in order). */
#ifndef SW_REPRO_JOB_H
#define SW_REPRO_JOB_H
#include "probe/irrelevance.h"
#include "repro/runner.h"
#include "repro/settings.h"
#include "search/guide_family.h"
#include "search/score.h"
#include "train/preset.h"

/* A preset with the options of a row of the matrix over it. */
typedef struct sw_own_preset {
  const sw_trained *of;
  sw_preset preset;
  sw_settings gen; /* the text that options point into */
  const char **domain_settings;
} sw_own_preset;

enum { SW_LINEAR_SETS = 5 }; /* job_traces.c */

typedef struct sw_job {
  const sw_experiment *experiment;
  const sw_repro_options *options;
  const sw_repro_hooks *hooks;
  sw_repro_result *result;
  int seeds;
  int repetition; /* what `@` stands for, from 1 */
  int untrained;  /* the last failure: a model is missing and may not be made */
  sw_team *team;
  sw_results *results;
  sw_own_preset *preset; /* those used so far; options point into them */
  int32_t presets, preset_room;
  const char *linear_of; /* settings that `linear` is of; NULL: none yet */
  sw_irrelevance_result linear[SW_LINEAR_SETS];
} sw_job;

/* A trained model that is being asked; all zero for a rule. */
typedef struct sw_model_at_hand {
  int64_t seed;
  char run[1300];             /* its directory */
  char weights[1400];         /* the file in it that is opened */
  int64_t at_step, at_tokens; /* of weights kept on the way; 0: the last */
  double at_loss;             /* their validation loss */
  char hash[24];              /* of its weights; "": a rule */
  sw_loaded loaded;
  sw_guide *guide; /* NULL: its domain has no search */
} sw_model_at_hand;

int sw_job_wants(const sw_job *job, const char *row);
/* Of the index-th model, and the number of its repetition: 1 for the first seed
 * of the list. --seed begins elsewhere in the list, or at a number of its own.
 */
int64_t sw_job_seed(const sw_job *job, int index);
int sw_job_repetition(const sw_job *job, int index);

/* job_model.c: traces, training, opening. */
int sw_job_model(sw_job *job, const sw_repro_row *row, int64_t seed,
                 sw_model_at_hand *model, sw_err *err);
/* Traces and training alone: the directory of the run. `row` names a run in the
 * quickstart's layout; NULL elsewhere. */
int sw_job_trained(sw_job *job, const sw_trained *trained,
                   const sw_repro_row *row, int64_t seed, char *run,
                   size_t room, sw_err *err);
/* job_at.c: weights of the way instead of the last ones. */
int sw_job_at(sw_job *job, const sw_repro_row *row, sw_model_at_hand *model,
              sw_err *err);
/* The shipped model of a row. */
int sw_job_shipped(sw_job *job, const sw_repro_row *row,
                   sw_model_at_hand *model, sw_err *err);
void sw_job_model_close(sw_model_at_hand *model);
void sw_job_presets_free(sw_job *job);
/* The task of a row's model at this scale; its texts live as long as the job.
 */
int sw_job_task(sw_job *job, const sw_repro_row *row, const sw_domain **domain,
                sw_domain_options *options, sw_err *err);

/* job_judge.c: the verifier that a row's text stands for; does it change with
 * the repetition? */
int sw_job_verifier(sw_job *job, const sw_repro_row *row, const char *text,
                    char *out, size_t room, sw_err *err);
int sw_verifier_varies(const char *search);

/* job_ask.c: searches, measures, run cards, and the rules beside. */
int sw_job_search(sw_job *job, const sw_repro_row *row, int column,
                  const sw_model_at_hand *model, sw_repro_value *value,
                  sw_err *err);
int sw_job_probe(sw_job *job, const sw_repro_row *row,
                 const sw_repro_column *column, const sw_model_at_hand *model,
                 sw_repro_value *value, sw_err *err);
int sw_job_card(const sw_repro_column *column, const sw_model_at_hand *model,
                sw_repro_value *value, sw_err *err);
/* job_published.c: the published loop of verification alone, by a rule. */
int sw_job_published(sw_job *job, const sw_repro_column *column,
                     const sw_model_at_hand *model, sw_repro_value *value,
                     sw_err *err);
/* job_traces.c: the linear test on traces. */
int sw_job_traces(sw_job *job, const sw_repro_column *column,
                  const sw_model_at_hand *model, sw_repro_value *value,
                  sw_err *err);
int sw_job_beside(sw_job *job, sw_err *err);
/* --verifier is one that the rows asked for can have, before any work. */
int sw_job_check_verifier(sw_job *job, sw_err *err);

#endif
