/* AdamW, or Muon for the matrices, with global-norm clipping, a schedule
 * (warm-up, then a cosine, or constant with a linear tail), and the exact
 * optimizer state that a checkpoint keeps. */
#ifndef SW_MODEL_OPTIM_H
#define SW_MODEL_OPTIM_H
#include <stdint.h>
#include "model/family.h"

/* How the layers' matrices step; the rest is always AdamW (muon.h). */
typedef enum { SW_OPTIM_ADAMW, SW_OPTIM_MUON } sw_optim_kind;

typedef struct sw_optim_config {
  double lr, beta1, beta2, eps, weight_decay, clip, warmup;
  int64_t steps; /* of the whole schedule; the warm-up is a share of them */
  int constant;  /* 1: no cosine; constant until the tail begins */
  int64_t tail_begin, tail_steps; /* constant: linear to zero; 0 steps: the
                                     tail has not begun */
  sw_optim_kind kind;
  double momentum;    /* Muon's */
  double matrix_rate; /* Muon: rate of the matrices over lr */
} sw_optim_config;

typedef struct sw_optim sw_optim;
int sw_optim_new(sw_optim **optim, sw_net *net, sw_team *team,
                 const sw_optim_config *config, sw_err *err);
void sw_optim_free(sw_optim *optim);
double sw_schedule(const sw_optim_config *config, int64_t step); /* factor */
/* One step from the summed gradient (zeroed afterwards). Parameters that no
 * loss reaches (verify head) are neither stepped nor decayed. */
void sw_optim_step(sw_optim *optim, float *gradient, double *norm, double *lr);
/* Begins the tail of a constant schedule (train/flat.h decides when). */
void sw_optim_begin_tail(sw_optim *optim, int64_t begin, int64_t steps);
/* The two halves of sw_optim_step, for parameters that several optimizers
 * share: the norm needs the whole gradient, the step only this one's part. */
double sw_optim_norm(sw_optim *optim, float *gradient);
void sw_optim_step_by_norm(sw_optim *optim, float *gradient, double norm,
                           double *lr);
/* Parts begin[i] .. begin[i + 1] of the parameters that cost about the same;
 * no matrix of Muon is in two of them. */
int sw_optim_split(const sw_optim *optim, int parts, size_t *begin,
                   sw_err *err);
/* From now on steps only from .. to and keeps only their moments; earlier
 * moments are dropped. The moments are arrays over all parameters, of which
 * this range is in use. */
int sw_optim_own(sw_optim *optim, size_t from, size_t to, sw_err *err);
float *sw_optim_first_moments(sw_optim *optim);
float *sw_optim_second_moments(sw_optim *optim);
void sw_optim_set_steps(sw_optim *optim, int64_t steps);
int64_t sw_optim_steps_done(const sw_optim *optim);
/* State file: m (Muon: the momentum), v, step, their hash and whatever the
 * trainer adds as metadata. Loading compares the hash where there is one. */
int sw_optim_save(const sw_optim *optim, const char *path,
                  const char *const *meta, int meta_pairs, sw_err *err);
int sw_optim_load(sw_optim *optim, const char *path, sw_err *err);

#endif
