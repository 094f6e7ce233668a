/* Asks a model about every step of recorded searches (see forced.h). Seats hold
 * traces side by side; the company of other traces changes no bit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/argmax.h"
#include "base/hash.h"
#include "base/stop.h"
#include "probe/forced.h"
#include "search/ask.h"
#include "search/shown.h"

enum { SEATS = 16 };

static int no_memory(sw_err *err) {
  return sw_no_memory_for(err, "teacher-forced evaluation");
}

/* One trace on its way through a seat. Positions count tokens of the set. */
typedef struct lane {
  int busy;
  int64_t trace, index; /* of the set, of those asked about */
  int64_t step, last;   /* the steps of the trace that are left */
  int64_t target;       /* that the waiting question is about */
  int64_t donor, next;  /* foreign: whose block comes next, from 1 */
} lane;

typedef struct asking {
  const sw_probe_data *data;
  const sw_forced_steps *steps;
  const sw_forced_how *how;
  sw_forced_answer *answer;
  sw_asker *asker;
  lane lane[SEATS];
  int64_t next, next_step; /* the next trace, and its first step */
  int64_t done;
} asking;

/* The lane that borrows blocks, and the trace that lends them. */
typedef struct borrower {
  const sw_probe_data *data;
  lane *lane;
} borrower;

/* ---- blocks of other searches ---- */

/* The block that ends a search is not borrowed. */
static int64_t blocks_to_borrow(const sw_dataset *set, int64_t trace) {
  int64_t blocks = sw_data_blocks(set, trace);
  return blocks > 2 ? blocks - 2 : 0;
}

/* The next search of another group with blocks to lend, from `index` on; -1:
 * none. */
static int64_t next_donor(const sw_probe_data *d, int64_t index,
                          int64_t cluster) {
  for (int64_t k = 0; k < d->traces; k++) {
    int64_t at = (index + k) % d->traces;
    if (d->cluster[d->trace[at]] != cluster &&
        blocks_to_borrow(&d->set, d->trace[at]))
      return at;
  }
  return -1;
}

int sw_forced_lends(const sw_probe_data *d) {
  for (int64_t i = 0; i < d->traces; i++)
    if (next_donor(d, 0, d->cluster[d->trace[i]]) < 0) return 0;
  return 1;
}

static const int32_t *borrow(void *context, int64_t block, int32_t *count) {
  const borrower *b = context;
  const sw_dataset *set = &b->data->set;
  lane *l = b->lane;
  (void)block; /* blocks are asked for in order */
  if (l->next > blocks_to_borrow(set, b->data->trace[l->donor])) {
    l->donor = next_donor(b->data, l->donor + 1, b->data->cluster[l->trace]);
    l->next = 1;
  }
  int64_t at = set->trace_block[b->data->trace[l->donor]] + l->next++;
  *count = (int32_t)(set->block_start[at + 1] - set->block_start[at]);
  return set->tokens + set->block_start[at];
}

/* ---- a lane ---- */

/* Shows the trace up to token `end`, which lies in `block`. */
static int show(asking *a, int32_t s, int64_t block, int64_t end, sw_err *err) {
  const sw_dataset *set = &a->data->set;
  borrower from = {.data = a->data, .lane = &a->lane[s]};
  const int64_t *start = set->block_start + set->trace_block[from.lane->trace];
  sw_dialogue dialogue = {.token = set->tokens,
                          .block_start = start,
                          .blocks = block + 1,
                          .prefix_end = start[1],
                          .end = end,
                          .protocol = a->how->protocol,
                          .borrow = borrow,
                          .context = &from};
  return sw_ask_follow_record(a->asker, s, &dialogue, err);
}

/* Shows the model the input of the next question; *waits 0: the trace is
 * over. */
static int advance(asking *a, int32_t s, int *waits, sw_err *err) {
  lane *l = &a->lane[s];
  const sw_dataset *set = &a->data->set;
  for (; l->step < l->last; l->step++, l->target = -1) {
    const sw_forced_step *step = &a->steps->step[l->step];
    sw_data_step where = sw_data_step_of(set, l->trace, step->block);
    int64_t next = l->target < 0 ? where.first : l->target + 1;
    while (next < where.end && !set->supervised[next]) next++;
    if (next == where.end) continue;
    SW_TRY(show(a, s, step->block, next, err));
    l->target = next;
    *waits = 1;
    return SW_OK;
  }
  *waits = 0;
  return SW_OK;
}

static void start(asking *a, int32_t s) {
  lane *l = &a->lane[s];
  const sw_probe_data *d = a->data;
  int64_t trace = d->trace[a->next];
  *l = (lane){.busy = 1,
              .trace = trace,
              .index = a->next,
              .step = a->next_step,
              .target = -1,
              .next = 1};
  while (a->next_step < a->steps->count &&
         a->steps->step[a->next_step].trace == trace)
    a->next_step++;
  l->last = a->next_step;
  a->next++;
  if (a->how->protocol == SW_FOREIGN)
    l->donor = next_donor(a->data, l->index + 1, d->cluster[trace]);
  sw_ask_sit(a->asker, s);
}

/* A trace that no longer fits ends, and the answers of its current step are
 * dropped. */
static void overflow(asking *a, lane *l) {
  if (l->step < l->last) a->answer[l->step].targets = 0;
  l->step = l->last;
}

/* Fills the seat with a question; leaves it empty when no trace is left. */
static int fill(asking *a, int32_t s, sw_err *err) {
  lane *l = &a->lane[s];
  for (;;) {
    int waits = 0;
    if (!l->busy) {
      if (a->next == a->data->traces) return SW_OK;
      start(a, s);
    }
    int code = advance(a, s, &waits, err);
    if (code == SW_LIMIT) overflow(a, l);
    else if (code || waits) return code;
    l->busy = 0;
    a->done++;
    if (a->how->progress)
      a->how->progress(a->how->context, NULL, a->done, a->data->traces);
  }
}

/* ---- what the model says ---- */

static double back_share(const sw_probe_data *d, const float *z) {
  double top = -INFINITY, sum = 0, back = 0;
  if (d->back < 0) return 0;
  for (int32_t i = 0; i < d->offers; i++)
    if ((double)z[d->offered[i]] > top) top = (double)z[d->offered[i]];
  for (int32_t i = 0; i < d->offers; i++) {
    double mass = exp((double)z[d->offered[i]] - top);
    sum += mass;
    if (d->offered[i] == d->back) back = mass;
  }
  return back / sum;
}

static void note(const sw_probe_data *d, const sw_forced_step *step,
                 int64_t target, const float *z, int32_t vocab,
                 sw_forced_answer *out) {
  int32_t choice = sw_argmax(z, vocab);
  sw_data_step where = sw_data_step_of(&d->set, step->trace, step->block);
  out->targets++;
  out->hits += choice == d->set.tokens[target];
  if (target != where.first) return;
  out->choice = choice;
  out->back = back_share(d, z);
  out->bits = sw_xxh64(z, sizeof *z * (size_t)vocab, 51);
}

static int ask_waiting(asking *a, int *any, sw_err *err) {
  int32_t seat[SEATS], count = 0;
  int32_t vocab = sw_asker_vocab(a->asker);
  for (int32_t s = 0; s < SEATS; s++)
    if (a->lane[s].busy) seat[count++] = s;
  *any = count > 0;
  if (!count) return SW_OK;
  SW_TRY(sw_ask_run(a->asker, seat, count, NULL, err));
  for (int32_t i = 0; i < count; i++) {
    lane *l = &a->lane[seat[i]];
    const float *z = sw_ask_row(a->asker, i);
    SW_TRY(sw_ask_numbers(a->asker, z, vocab, err));
    note(a->data, &a->steps->step[l->step], l->target, z, vocab,
         &a->answer[l->step]);
  }
  return SW_OK;
}

static int ask_tokens(asking *a, sw_err *err) {
  sw_ask_options o = {.model = a->how->loaded->model,
                      .reading = a->how->reading,
                      .cached = 1,
                      .seats = SEATS};
  int any = 1;
  SW_TRY(sw_asker_new(&a->asker, &o, a->how->team, err));
  int code = SW_OK;
  while (any && !code) {
    for (int32_t s = 0; s < SEATS && !code; s++) code = fill(a, s, err);
    if (!code) code = ask_waiting(a, &any, err);
    if (!code && sw_time_to_stop())
      code = sw_fail_stopped(err, "teacher-forced evaluation");
  }
  sw_asker_free(a->asker);
  return code;
}

/* ---- families that read states ---- */

/* One trace: its steps from `step` on. */
static int ask_trace(asking *a, int64_t step, int64_t last, sw_trace *trace,
                     sw_err *err) {
  static const sw_view_options whole = {.view = SW_VIEW_FULL};
  const sw_dataset *set = &a->data->set;
  int64_t at = a->steps->step[step].trace, begin = set->trace_start[at];
  SW_TRY(sw_dataset_item(set, &whole, at, trace, err));
  SW_TRY(sw_ask_questions(a->asker, trace, err));
  for (; step < last; step++) {
    const sw_forced_step *s = &a->steps->step[step];
    sw_data_step where = sw_data_step_of(set, at, s->block);
    for (int64_t i = where.first; i < where.end; i++) {
      int32_t row = (int32_t)(i - begin - 1);
      const float *z;
      if (!trace->supervised[i - begin]) continue;
      SW_TRY(sw_ask_rows(a->asker, trace, &row, 1, &z, err));
      note(a->data, s, i, z, sw_asker_vocab(a->asker), &a->answer[step]);
    }
  }
  return SW_OK;
}

static int ask_states(asking *a, sw_err *err) {
  const sw_loaded *l = a->how->loaded;
  sw_ask_options o = {.model = l->model,
                      .reading = a->how->reading,
                      .domain = l->domain,
                      .domain_options = &l->options};
  sw_trace trace;
  SW_TRY(sw_asker_new(&a->asker, &o, a->how->team, err));
  sw_trace_init(&trace);
  int code = SW_OK;
  for (int64_t i = 0, j; i < a->steps->count && !code; i = j) {
    for (j = i; j < a->steps->count &&
                a->steps->step[j].trace == a->steps->step[i].trace;)
      j++;
    code = ask_trace(a, i, j, &trace, err);
    if (a->how->progress)
      a->how->progress(a->how->context, NULL, j, a->steps->count);
  }
  sw_trace_free(&trace);
  sw_asker_free(a->asker);
  return code;
}

int sw_forced_ask(const sw_probe_data *data, const sw_forced_steps *steps,
                  const sw_forced_how *how, sw_forced_answer *answer,
                  sw_err *err) {
  asking *a = calloc(1, sizeof *a);
  if (!a) return no_memory(err);
  a->data = data;
  a->steps = steps;
  a->how = how;
  a->answer = answer;
  memset(answer, 0, sizeof *answer * (size_t)steps->count);
  int code = SW_OK,
      tokens = !strcmp(how->loaded->model->family->reads, "tokens");
  if (how->protocol == SW_FOREIGN && tokens && !sw_forced_lends(data)) {
    code =
        sw_fail(err, SW_USAGE,
                "%s: no search of another group lends its blocks", data->path);
    sw_hint(err, "protocol foreign needs searches of two problems");
  }
  if (!code) code = tokens ? ask_tokens(a, err) : ask_states(a, err);
  free(a);
  return code;
}
