/* Entry points of a pass over one trace: checks, plan, memory, then one region
 * of the team. See pass.h for the phases. */
#include "model/decoder/pass_memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "model/decoder/verify.h"
#include "trace/mask.h"

int sw_pass_new(sw_pass **out, sw_model *model, sw_team *team, sw_err *err) {
  sw_pass *pass = calloc(1, sizeof *pass);
  *out = pass;
  if (!pass) return sw_no_memory_for(err, "a pass");
  pass->model = model;
  pass->team = team;
  pass->members = sw_team_size(team);
  sw_arena_init(&pass->arena, 1 << 20);
  return SW_OK;
}

void sw_pass_free(sw_pass *pass) {
  if (!pass) return;
  sw_plan_free(&pass->plan);
  sw_pass_memory_free(pass);
  sw_arena_free(&pass->arena);
  sw_aligned_free(pass->kept_room);
  free(pass->wanted);
  free(pass->asked);
  free(pass);
}

size_t sw_pass_bytes(const sw_pass *pass) { return pass->bytes; }

double sw_pass_last_flops(const sw_pass *pass) { return pass->flops; }

void sw_pass_last_tally(const sw_pass *pass, sw_tally tally[SW_LOSS_KINDS]) {
  memcpy(tally, pass->tally, sizeof pass->tally);
}

/* 2 flops a multiply-add; training = 3 times the linear part (forward, dX, dW)
 * and 3.5 times attention's (its backward has five products to two). */
double sw_count_flops(const sw_model *model, double rows, double live,
                      double pairs, double last_pairs, double head_rows,
                      int backward) {
  const sw_model_config *c = &model->config;
  double d = c->d, ffn = c->ffn, below = c->layers - 1;
  double kv = 2 * rows * 2 * d * d; /* keys, values of the last layer */
  double row = 2 * (4 * d * d + 2 * d * ffn); /* a row through a whole layer */
  double linear = below * rows * row + kv + live * (row - 4 * d * d) +
                  2 * head_rows * d * c->vocab;
  double attention = 4 * d * (below * pairs + last_pairs);
  linear += sw_memory_flops(c, rows);
  return backward ? 3 * linear + 3.5 * attention : linear + attention;
}

double sw_pass_flops(const sw_model *model, const sw_mask *mask,
                     int32_t supervised, int backward) {
  double rows = (double)mask->slots + mask->length;
  double pairs = (double)sw_mask_pairs(mask);
  return sw_count_flops(model, rows, supervised, pairs,
                        rows > 0 ? pairs * supervised / rows : 0, supervised,
                        backward);
}

static int check(const sw_model *model, const sw_example *ex, sw_err *err) {
  const sw_model_config *c = &model->config;
  if (ex->mask->slots != c->slots || ex->mask->length != ex->length) {
    sw_fail(err, SW_USAGE,
            "mask %s was built for %d slots and %d tokens, the model has %d "
            "slots and the sequence %d tokens",
            sw_mask_name(ex->mask->kind), ex->mask->slots, ex->mask->length,
            c->slots, ex->length);
    if (ex->mask->slots != c->slots)
      sw_hint(err, "build the mask with the model's number of slots");
    return SW_USAGE;
  }
  for (int32_t t = 0; t < ex->length; t++) {
    if (ex->token[t] < 0 || ex->token[t] >= c->vocab)
      return sw_fail(err, SW_DATA,
                     "token %d at position %d is outside the vocabulary of %d",
                     ex->token[t], t, c->vocab);
    if (ex->fact && (ex->fact[t] < 0 || ex->fact[t] >= c->vocab)) {
      sw_fail(err, SW_DATA,
              "the fact %d at position %d is outside the vocabulary of %d",
              ex->fact[t], t, c->vocab);
      return sw_hint(err,
                     "the traces are not of the domain they name; train "
                     "without --facts");
    }
    if (ex->position[t] < 0 ||
        (c->positions && ex->position[t] >= c->positions))
      return sw_fail(err, SW_LIMIT,
                     "position id %d of token %d is outside the table of %d",
                     ex->position[t], t, c->positions);
    if (c->places && ex->position[ex->length + t] >= c->places)
      return sw_fail(err, SW_LIMIT,
                     "token %d is number %d of its block, the table of places"
                     " has %d",
                     t, ex->position[ex->length + t], c->places);
  }
  return SW_OK;
}

static int set_dropout(sw_job *job, const sw_pass_options *o, sw_err *err) {
  for (int k = 0; k < SW_LOSS_KINDS; k++)
    job->weight[k] = o ? o->weight[k] : 0.0f;
  if (!o) job->weight[SW_LOSS_TARGET] = job->weight[SW_LOSS_DECISION] = 1;
  if (!o || o->dropout == 0) return SW_OK;
  if (!(o->dropout > 0 && o->dropout < 1))
    return sw_fail(err, SW_USAGE, "dropout %g is outside [0, 1)", o->dropout);
  uint64_t key = sw_philox_u64(o->seed, o->step, o->trace);
  job->drop.key[0] = (uint32_t)key;
  job->drop.key[1] = (uint32_t)(key >> 32);
  job->drop.threshold = (uint32_t)lrint(o->dropout * 65536.0);
  job->drop.scale = (float)(1.0 / (1.0 - o->dropout));
  return SW_OK;
}

static void clear(float *gradient, int64_t offset, int64_t count) {
  memset(gradient + offset, 0, sizeof(float) * (size_t)count);
}

/* What every member of the team runs. */
static void region(void *context, int rank, int size) {
  sw_job *job = context;
  sw_pass *pass = job->pass;
  nn_set_float_mode();
  for (int direction = SW_FORWARD; direction <= SW_BACKWARD; direction++)
    if (job->stale[direction])
      sw_packed_fill(pass->model, direction, rank, size);
  if (job->stale[SW_FORWARD] || job->stale[SW_BACKWARD])
    sw_team_barrier(pass->team);
  sw_embed_forward(job, rank, size);
  sw_layers_forward(job, rank, size);
  sw_team_barrier(pass->team);
  sw_head(job, rank, size);
  if (!job->training || job->code) return;
  sw_team_barrier(pass->team);
  sw_layers_backward(job, rank, size);
  sw_embed_backward(job, rank, size);
}

int32_t sw_position_rows(const sw_model *model, const sw_example *example) {
  int32_t rows = 0;
  for (int32_t t = 0; t < example->length && model->config.positions; t++)
    rows = example->position[t] >= rows ? example->position[t] + 1 : rows;
  return rows;
}

/* Layers and token rows are assigned where they lie; the rest is added to. */
static void clear_alone(sw_job *job) {
  sw_pass *pass = job->pass;
  const sw_params *p = &pass->model->params;
  int64_t d = pass->model->config.d;
  int64_t behind = p->layout.layer_begin +
                   p->layout.layer_stride * pass->model->config.layers;
  pass->token_grad = job->gradient + p->offset[SW_P_TOKEN];
  clear(job->gradient, p->offset[SW_P_SLOT], pass->model->config.slots * d);
  int64_t rows = pass->model->config.positions;
  if (pass->few_positions) rows = sw_position_rows(pass->model, job->example);
  clear(job->gradient, p->offset[SW_P_POSITION], rows * d);
  clear(job->gradient, p->offset[SW_P_PLACE], pass->model->config.places * d);
  clear(job->gradient, behind, p->layout.trained - behind);
}

/* The rows' position ids, and the angles for them. */
static int number_rows(sw_job *job, sw_err *err) {
  sw_pass *pass = job->pass;
  const sw_plan *plan = &pass->plan;
  int slots = pass->model->config.slots;
  int64_t highest = 0;
  if (!pass->model->rotation) return SW_OK;
  for (int r = 0; r < plan->rows; r++) {
    int32_t id = r < slots ? -1 : job->example->position[r - slots];
    pass->row_id[r] = id;
    if (id > highest) highest = id;
  }
  for (int i = 0; i < plan->live; i++)
    pass->live_id[i] = pass->row_id[plan->live_row[i]];
  return sw_rotation_reserve(pass->model->rotation, highest + 1, err);
}

static int execute(sw_job *job, sw_err *err) {
  sw_pass *pass = job->pass;
  sw_model *model = pass->model;
  SW_TRY(check(model, job->example, err));
  SW_TRY(sw_pass_memory_reserve(pass, job->example, err));
  const int32_t *alive = pass->memory ? pass->memory->all_rows : job->wanted;
  SW_TRY(sw_plan_build(&pass->plan, job->example->mask, alive,
                       pass->memory ? job->example->length : job->count, err));
  pass->flops = 0;
  pass->verify.count = 0;
  if (job->count == 0) return SW_OK;
  int32_t at_once = job->kind == SW_JOB_CUSTOM || job->count < SW_HEAD_ROWS
                        ? job->count
                        : SW_HEAD_ROWS;
  SW_TRY(sw_pass_reserve(pass, job->count, at_once, job->training, err));
  SW_TRY(number_rows(job, err));
  pass->kept = NULL;
  if (job->training && job->drop.threshold)
    SW_TRY(sw_pass_reserve_kept(pass, err));
  for (int way = SW_FORWARD; way <= job->training; way++) {
    SW_TRY(sw_packed_reserve(model, way, err));
    job->stale[way] = !model->fresh[way];
  }
  const sw_plan *plan = &pass->plan;
  for (int32_t i = 0; i < job->count; i++)
    pass->head_row[i] = plan->live_index[model->config.slots + job->wanted[i]];
  if (job->kind == SW_JOB_LOSS)
    for (int32_t i = 0; i < job->count; i++)
      pass->target[i] = pass->asked[i] == SW_LOSS_FACT
                            ? job->example->fact[job->wanted[i]]
                            : job->example->token[job->wanted[i] + 1];
  sw_verify_plan(job);
  job->err = err;
  pass->layer_grad = pass->layer_room;
  pass->token_grad = pass->token_room;
  if (job->alone) clear_alone(job);
  sw_team_run(pass->team, region, job);
  for (int way = SW_FORWARD; way <= SW_BACKWARD; way++)
    if (job->stale[way]) model->fresh[way] = 1;
  pass->flops = sw_count_flops(model, plan->high - plan->low, plan->live,
                               (double)plan->pairs, (double)plan->last_pairs,
                               job->kind == SW_JOB_HIDDEN ? 0 : job->count,
                               job->training);
  return job->code;
}

int sw_pass_logits(sw_pass *pass, const sw_example *example,
                   const int32_t *rows, int32_t count, float *out,
                   sw_err *err) {
  sw_job job = {.pass = pass,
                .example = example,
                .wanted = rows,
                .count = count,
                .kind = SW_JOB_LOGITS,
                .rows_out = out};
  return execute(&job, err);
}

int sw_pass_hidden(sw_pass *pass, const sw_example *example,
                   const int32_t *rows, int32_t count, float *out,
                   sw_err *err) {
  sw_job job = {.pass = pass,
                .example = example,
                .wanted = rows,
                .count = count,
                .kind = SW_JOB_HIDDEN,
                .rows_out = out};
  return execute(&job, err);
}

int sw_pass_custom(sw_pass *pass, const sw_example *example,
                   const sw_pass_options *options, const int32_t *rows,
                   int32_t count, sw_logit_gradient fn, void *context,
                   float *gradient, sw_err *err) {
  sw_job job = {.pass = pass,
                .example = example,
                .wanted = rows,
                .count = count,
                .kind = SW_JOB_CUSTOM,
                .custom = fn,
                .context = context,
                .gradient = gradient,
                .training = gradient != NULL};
  SW_TRY(set_dropout(&job, options, err));
  return execute(&job, err);
}

/* Rows that predict a supervised token (the row before it), and rows that are
 * asked for a fact. */
static int targets_of(sw_pass *pass, const sw_example *ex, int32_t *count,
                      sw_err *err) {
  if (ex->length > pass->room_wanted) {
    free(pass->wanted);
    free(pass->asked);
    pass->wanted = malloc(sizeof(int32_t) * (size_t)ex->length);
    pass->asked = malloc((size_t)ex->length);
    int whole = pass->wanted && pass->asked;
    pass->room_wanted = whole ? ex->length : 0;
    if (!whole) return sw_no_memory_for(err, "%d targets", ex->length);
  }
  *count = 0;
  for (int32_t t = 1; t < ex->length && ex->supervised; t++) {
    int target = ex->supervised[t];
    int fact = !target && ex->fact && ex->fact[t - 1];
    if (!target && !fact) continue;
    pass->asked[*count] = fact                            ? SW_LOSS_FACT
                          : ex->decides && ex->decides[t] ? SW_LOSS_DECISION
                                                          : SW_LOSS_TARGET;
    pass->wanted[(*count)++] = t - 1;
  }
  return SW_OK;
}

/* Runs the job with the example's targets and sums losses and hits. */
static void count_one(sw_tally *to, const sw_tally *one) {
  to->loss += one->loss;
  to->count++;
  to->hits += one->hits;
}

static int run_loss(sw_job *job, const sw_pass_options *options,
                    double *loss_sum, int64_t *targets, int64_t *hits,
                    sw_err *err) {
  sw_pass *pass = job->pass;
  job->kind = SW_JOB_LOSS;
  job->training = job->gradient != NULL;
  SW_TRY(set_dropout(job, options, err));
  SW_TRY(targets_of(pass, job->example, &job->count, err));
  job->wanted = pass->wanted;
  if (job->alone && job->count == 0) /* no pass may run to clear it */
    clear(job->gradient, 0, pass->model->params.layout.trained);
  SW_TRY(execute(job, err));
  sw_tally *tally = pass->tally;
  memset(tally, 0, sizeof pass->tally);
  for (int32_t i = 0; i < job->count; i++) { /* in their order */
    int kind = pass->asked[i], fact = kind == SW_LOSS_FACT;
    sw_tally one = {pass->loss[i], 1, pass->best[i] == pass->target[i]};
    count_one(&tally[fact ? SW_LOSS_FACT : SW_LOSS_TARGET], &one);
    if (kind == SW_LOSS_DECISION) count_one(&tally[SW_LOSS_DECISION], &one);
  }
  if (pass->verify.count)
    tally[SW_LOSS_VERDICT] = (sw_tally){pass->verify.loss_sum,
                                        pass->verify.count, pass->verify.hits};
  if (loss_sum) *loss_sum = tally[SW_LOSS_TARGET].loss;
  if (targets) *targets = tally[SW_LOSS_TARGET].count;
  if (hits) *hits = tally[SW_LOSS_TARGET].hits;
  if (!isfinite(tally[SW_LOSS_TARGET].loss) ||
      !isfinite(tally[SW_LOSS_FACT].loss) ||
      !isfinite(tally[SW_LOSS_VERDICT].loss))
    return sw_fail(err, SW_DIVERGED,
                   "the loss is not finite: the weights have "
                   "diverged or the learning rate is too high");
  return SW_OK;
}

int sw_pass_loss(sw_pass *pass, const sw_example *example,
                 const sw_pass_options *options, float *gradient,
                 double *loss_sum, int64_t *targets, int64_t *hits,
                 sw_err *err) {
  sw_job job = {.pass = pass, .example = example, .gradient = gradient};
  return run_loss(&job, options, loss_sum, targets, hits, err);
}

int sw_pass_loss_alone(sw_pass *pass, const sw_example *example,
                       const sw_pass_options *options, float *gradient,
                       double *loss_sum, int64_t *targets, int64_t *hits,
                       sw_err *err) {
  sw_job job = {.pass = pass,
                .example = example,
                .gradient = gradient,
                .alone = gradient != NULL};
  return run_loss(&job, options, loss_sum, targets, hits, err);
}

static void refresh_region(void *context, int rank, int size) {
  const sw_job *job = context;
  for (int way = SW_FORWARD; way <= SW_BACKWARD; way++)
    if (job->stale[way]) sw_packed_fill(job->pass->model, way, rank, size);
}

int sw_packed_refresh(sw_pass *pass, int training, sw_err *err) {
  sw_job job = {.pass = pass};
  for (int way = SW_FORWARD; way <= training; way++) {
    SW_TRY(sw_packed_reserve(pass->model, way, err));
    job.stale[way] = !pass->model->fresh[way];
  }
  if (job.stale[SW_FORWARD] || job.stale[SW_BACKWARD])
    sw_team_run(pass->team, refresh_region, &job);
  for (int way = SW_FORWARD; way <= training; way++)
    pass->model->fresh[way] = 1;
  return SW_OK;
}
