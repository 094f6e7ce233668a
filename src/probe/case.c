/* The search shown step by step (see case.h). */
#include "probe/case.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "probe/case_ask.h"
#include "probe/states.h"

typedef struct finder {
  const sw_loaded *model;
  sw_case *c;
  sw_states states;
  sw_case_asker subject, reference;
} finder;

/* ---- choosing the state ---- */

/* Both choices sure, a change between going on and going back, short. */
static double worth(const sw_answer *a, const sw_answer *b, const sw_point *x,
                    const sw_point *y) {
  double sure = a->best[0].p < b->best[0].p ? a->best[0].p : b->best[0].p;
  int of_kind =
      (a->best[0].kind == SW_CAND_BACK) != (b->best[0].kind == SW_CAND_BACK);
  int viable = !x->conflict;
  return sure + of_kind + 0.25 * viable - 0.02 * (double)(x->block + y->block);
}

static int try_group(finder *f, const sw_state_group *g, double *best,
                     sw_err *err) {
  enum { MEMBERS = 4 };
  sw_answer answer[MEMBERS];
  int changed = 0;
  int64_t count = g->count < MEMBERS ? g->count : MEMBERS;
  const int64_t *member = &f->states.order[g->first];
  for (int64_t i = 0; i < count; i++)
    SW_TRY(sw_case_ask(&f->subject, member[i], 0, 0, &answer[i], err));
  for (int64_t i = 0; i < count; i++)
    for (int64_t j = 0; j < i; j++) {
      if (!answer[i].asked || !answer[j].asked ||
          !strcmp(answer[i].best[0].text, answer[j].best[0].text))
        continue;
      const sw_point *x = &f->states.point[member[i]];
      const sw_point *y = &f->states.point[member[j]];
      double value = worth(&answer[i], &answer[j], x, y);
      changed = 1;
      if (f->c->found && value <= *best) continue;
      *best = value;
      f->c->found = 1;
      /* The search with the longer history is the one shown step by step. */
      f->c->history[0].point = x->block >= y->block ? member[i] : member[j];
      f->c->history[1].point = x->block >= y->block ? member[j] : member[i];
    }
  f->c->states++;
  f->c->changed += changed;
  return SW_OK;
}

/* ---- describing it ---- */

static void move_text(const sw_domain *domain, const sw_rollout *r,
                      const sw_move *move, char *text, size_t room) {
  if (move->tokens == 0) {
    snprintf(text, room, "go back");
    return;
  }
  text[0] = 0;
  for (int32_t k = 0; k < move->tokens; k++) {
    char word[40];
    size_t used = strlen(text);
    domain->token_text(domain, r->played[move->first + k], word, sizeof word);
    snprintf(text + used, room - used, "%s%s", k ? " " : "", word);
  }
}

/* The first few and the last moves; what is between them is counted. */
static void list_moves(const finder *f, sw_case_history *h) {
  enum { FIRST = 4, LAST = 12 };
  const sw_point *p = &f->states.point[h->point];
  const sw_rollout *r = &f->states.rollout[p->rollout];
  int64_t count = p->block - 1;
  h->blocks = count;
  h->tokens = r->trace.block_start[p->block] - r->trace.block_start[1];
  for (int64_t i = 0; i < count; i++) {
    if (count > FIRST + LAST && i >= FIRST && i < count - LAST) {
      h->left_out++;
      continue;
    }
    move_text(f->states.domain, r, &r->move[i], h->move[h->moves],
              sizeof h->move[0]);
    h->moves++;
  }
}

static int describe_state(finder *f, sw_err *err) {
  sw_case *c = f->c;
  sw_case_asker *a = &f->subject;
  const sw_domain *domain = f->states.domain;
  const sw_point *p = &f->states.point[c->history[0].point];
  SW_TRY(sw_states_replay(&f->states, c->history[0].point, a->env, &a->trace,
                          err));
  const sw_trace *t = &a->trace;
  c->conflict = p->conflict;
  c->depth = p->depth;
  c->problem = sw_case_tokens(domain, t, 0, t->block_start[1]);
  c->state =
      sw_case_tokens(domain, t, t->block_start[t->blocks - 1], t->length);
  if (!c->problem || !c->state) return sw_no_memory(err);
  if (domain->search->tell.state) c->words = domain->search->tell.state(a->env);
  return SW_OK;
}

static int describe_histories(finder *f, sw_err *err) {
  sw_case *c = f->c;
  size_t vocab = 0;
  float *kept = NULL;
  if (c->reference >= 0) {
    vocab = (size_t)sw_asker_vocab(f->reference.asker);
    kept = malloc(vocab * sizeof *kept);
    if (!kept) return sw_no_memory(err);
  }
  int code = SW_OK;
  for (int i = 0; i < 2 && !code; i++) {
    sw_case_history *h = &c->history[i];
    list_moves(f, h);
    code = sw_case_ask(&f->subject, h->point, 0, 1, &h->subject, err);
    if (code || c->reference < 0) continue;
    code = sw_case_ask(&f->reference, h->point, 0, 1, &h->reference, err);
    if (code) break;
    if (i == 0) memcpy(kept, f->reference.first, vocab * sizeof *kept);
    else
      c->reference_identical =
          h->reference.asked &&
          !memcmp(kept, f->reference.first, vocab * sizeof *kept);
  }
  free(kept);
  return code;
}

/* The point of block `block` of a rollout, or -1. */
static int64_t point_of(const sw_states *s, int64_t rollout, int64_t block) {
  for (int64_t i = 0; i < s->points; i++)
    if (s->point[i].rollout == rollout && s->point[i].block == block) return i;
  return -1;
}

static int describe_step(finder *f, int64_t point, sw_case_step *step,
                         sw_err *err) {
  const sw_point *p = &f->states.point[point];
  const sw_rollout *r = &f->states.rollout[p->rollout];
  step->number = p->block;
  step->depth = p->depth;
  step->conflict = p->conflict;
  SW_TRY(sw_case_ask(&f->subject, point, 0, 1, &step->subject, err));
  SW_TRY(sw_case_ask(&f->subject, point, 1, 1, &step->rebuilt, err));
  if (f->c->reference >= 0)
    SW_TRY(sw_case_ask(&f->reference, point, 0, 1, &step->reference, err));
  step->state = sw_case_tokens(f->states.domain, &r->trace,
                               r->trace.block_start[p->block], p->last + 1);
  if (!step->state) return sw_no_memory(err);
  if (p->block <= r->moves)
    move_text(f->states.domain, r, &r->move[p->block - 1], step->done,
              sizeof step->done);
  return SW_OK;
}

/* The last steps of the search up to the state. */
static int describe_search(finder *f, sw_err *err) {
  const sw_point *end = &f->states.point[f->c->history[0].point];
  int64_t from = end->block - SW_CASE_STEPS + 1;
  for (int64_t b = from < 1 ? 1 : from; b <= end->block; b++) {
    int64_t point = point_of(&f->states, end->rollout, b);
    if (point < 0) continue;
    SW_TRY(describe_step(f, point, &f->c->step[f->c->steps++], err));
  }
  return SW_OK;
}

static int describe(finder *f, sw_err *err) {
  SW_TRY(describe_state(f, err));
  SW_TRY(describe_histories(f, err));
  return describe_search(f, err);
}

/* ---- the whole ---- */

/* The first model of a kind: leaky ones only when there is no other. */
static int first_of(const sw_loaded *model, int models, int block_local) {
  for (int leaks = 0; leaks < 2; leaks++)
    for (int i = 0; i < models; i++)
      if (model[i].domain->search &&
          sw_mask_block_local(model[i].reading.mask) == block_local &&
          sw_mask_leaks(model[i].reading.mask) == leaks)
        return i;
  return -1;
}

static void choose_models(sw_case *c, const sw_loaded *model, int models) {
  c->subject = first_of(model, models, 0);
  c->reference = first_of(model, models, 1);
  if (c->reference >= 0 && c->subject >= 0 &&
      model[c->reference].domain != model[c->subject].domain)
    c->reference = -1;
}

static int search(finder *f, const sw_case_options *options, sw_team *team,
                  sw_err *err) {
  const sw_loaded *subject = &f->model[f->c->subject];
  int32_t blocks = subject->options.max_blocks;
  sw_states_options o = {.domain = subject->domain,
                         .domain_options = subject->options,
                         .seed = options->seed,
                         .split = SW_SPLIT_TEST,
                         .instances = options->instances,
                         .rollouts = 8,
                         .max_blocks = blocks > 0 && blocks < 24 ? blocks : 24,
                         .random_choice = 0.3,
                         .reorder = 1,
                         .max_histories = 3,
                         .states_wanted = options->states};
  double best = 0;
  SW_TRY(sw_states_collect(&f->states, &o, err));
  SW_TRY(sw_case_asker_new(&f->subject, &f->states, subject, team, err));
  if (f->c->reference >= 0)
    SW_TRY(sw_case_asker_new(&f->reference, &f->states,
                             &f->model[f->c->reference], team, err));
  for (int64_t g = 0; g < f->states.groups && g < options->states; g++)
    SW_TRY(try_group(f, &f->states.group[g], &best, err));
  return f->c->found ? describe(f, err) : SW_OK;
}

int sw_case_find(sw_case *c, const sw_loaded *model, int models,
                 const sw_case_options *options, sw_team *team, sw_err *err) {
  memset(c, 0, sizeof *c);
  choose_models(c, model, models);
  if (c->subject < 0) return SW_OK;
  finder f = {.model = model, .c = c};
  int code = search(&f, options, team, err);
  sw_case_asker_free(&f.subject);
  sw_case_asker_free(&f.reference);
  if (f.states.domain) sw_states_free(&f.states);
  if (code) sw_case_free(c);
  return code;
}

void sw_case_free(sw_case *c) {
  free(c->problem);
  free(c->state);
  free(c->words);
  for (int i = 0; i < c->steps; i++) free(c->step[i].state);
  memset(c, 0, sizeof *c);
}
