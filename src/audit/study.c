/* Running a study (see study.h). */
#include "audit/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int add_arm(sw_study *s, const char *name, sw_err *err) {
  if (s->arms == SW_ARMS)
    return sw_fail(err, SW_USAGE, "more than %d conditions", SW_ARMS);
  for (int i = 0; i < s->arms; i++)
    if (!strcmp(s->arm[i].name, name)) return SW_OK;
  SW_TRY(sw_arm_parse(&s->arm[s->arms], name, err));
  s->arms++;
  return SW_OK;
}

static int applies(const sw_audit_cases *cases, const char *name) {
  sw_arm arm;
  if (sw_arm_parse(&arm, name, NULL)) return 0;
  for (int64_t i = 0; i < cases->count; i++)
    if (sw_arm_applies(&arm, cases, i)) return 1;
  return 0;
}

/* The condition own comes first, then those asked for, or the usual ones that
 * some case has. A model that reads one search at a time cannot be shown other
 * searches. */
static int make_arms(sw_study *s, const sw_study_options *o, sw_err *err) {
  static const char *const usual[] = {"own2", "none", "other", "demo:4"};
  size_t count = s->manner.own_words ? 2 : 4;
  SW_TRY(add_arm(s, "own", err));
  for (int i = 0; i < o->conditions; i++) {
    SW_TRY(add_arm(s, o->condition[i], err));
    if (applies(&s->cases, o->condition[i])) continue;
    sw_fail(err, SW_USAGE, "no case can be asked under `%.60s`",
            o->condition[i]);
    return sw_hint(err,
                   "own2 and history:NAME need a second history, other and "
                   "demo other cases, demo their right choices");
  }
  for (size_t i = 0; i < count && !o->conditions; i++)
    if (applies(&s->cases, usual[i])) SW_TRY(add_arm(s, usual[i], err));
  return SW_OK;
}

/* Noise is measured on both sides of the main contrast: a condition that is
 * surer than the other repeats itself more often (energy distance). Answers
 * that are drawn are repeated under every condition. */
static void mark_repeated(const sw_study *s, sw_survey_options *o) {
  int primary = sw_survey_primary(s->arm, s->arms);
  int drawn = s->manner.temperature > 0 && !s->manner.top;
  for (int i = 0; i < s->arms; i++)
    o->repeated[i] = drawn || !i || i == primary;
}

static int survey(sw_study *s, const sw_study_options *o, sw_err *err) {
  sw_survey_options so = {.manner = s->manner,
                          .arm = s->arm,
                          .arms = s->arms,
                          .repeats = o->dose ? 0 : o->repeats,
                          .orders = o->orders,
                          .sample = o->sample > 0 ? o->sample : 0,
                          .none = o->sample == 0,
                          .progress = o->progress,
                          .stop = o->stop,
                          .context = o->context};
  mark_repeated(s, &so);
  return sw_survey_run(&s->survey, &s->cases, &so, o->client, err);
}

/* The marks come before the questions, so an unreachable judge costs
 * nothing. */
static int find_sufficient(sw_study *s, const sw_study_options *o,
                           sw_err *err) {
  sw_survey_options so = {.sample = o->sample > 0 ? o->sample : 0,
                          .none = o->sample == 0,
                          .progress = o->progress,
                          .stop = o->stop,
                          .context = o->context};
  if (o->sufficient && !strcmp(o->sufficient, "all"))
    sw_sufficient_all(&s->cases);
  else if (o->sufficient)
    SW_TRY(sw_sufficient_read(&s->cases, o->sufficient, err));
  if (o->judge && !s->dosed)
    SW_TRY(sw_sufficient_ask(&s->sufficiency, &s->cases, &so, o->judge, err));
  sw_sufficient_count(&s->sufficiency, &s->cases);
  return SW_OK;
}

static int conclude(sw_study *s, const sw_study_options *o, sw_err *err) {
  if (s->dry) return SW_OK;
  if (s->dosed) return sw_dose_fit(&s->dose, &s->survey, o->action, err);
  return sw_judge(&s->verdict, &s->survey, &s->measured, s->model,
                  s->sufficiency.judge[0] ? s->sufficiency.judge : NULL, err);
}

static int check_fail_if(sw_study *s, const sw_study_options *o, sw_err *err) {
  sw_interval slope = isnan(s->dose.nats.point) ? s->dose.share : s->dose.nats;
  for (int i = 0; i < o->fail_ifs && !s->dry; i++) {
    int fails;
    SW_TRY(sw_fail_if(o->fail_if[i], s->dosed ? NULL : &s->verdict,
                      s->dosed ? &slope : NULL, &fails, err));
    if (fails && !s->failed[0])
      snprintf(s->failed, sizeof s->failed, "%.120s", o->fail_if[i]);
  }
  return SW_OK;
}

static json_t *first_tools(const sw_audit_cases *cases) {
  for (int64_t i = 0; i < cases->count; i++)
    if (cases->item[i].tools) return cases->item[i].tools;
  return NULL;
}

int sw_study_run(sw_study *s, const sw_study_options *o, sw_err *err) {
  snprintf(s->address, sizeof s->address, "%s", sw_client_address(o->client));
  snprintf(s->model, sizeof s->model, "%s", sw_client_model(o->client));
  s->dosed = o->dose;
  s->dry = o->sample >= 0;
  s->manner = o->manner;
  s->prices = o->prices;
  s->seed = o->seed;
  for (int i = 0; i < o->fail_ifs; i++)
    SW_TRY(sw_fail_if_check(o->fail_if[i], err));
  SW_TRY(sw_arm_prepare(&s->cases, err));
  SW_TRY(sw_manner_find(&s->manner, o->client, first_tools(&s->cases), err));
  if (o->dose) SW_TRY(sw_dose_arms(&s->cases, s->arm, &s->arms, err));
  else SW_TRY(make_arms(s, o, err));
  if (!s->manner.max_tokens)
    s->manner.max_tokens = s->manner.form == SW_FORM_PLAIN ? 512 : 16;
  SW_TRY(find_sufficient(s, o, err));
  SW_TRY(survey(s, o, err));
  SW_TRY(sw_measure(&s->measured, &s->survey, &o->prices, err));
  SW_TRY(conclude(s, o, err));
  s->spent = sw_client_spent(o->client);
  return check_fail_if(s, o, err);
}

void sw_study_free(sw_study *s) {
  sw_sufficiency_free(&s->sufficiency);
  sw_measured_free(&s->measured);
  sw_survey_free(&s->survey);
  sw_audit_cases_free(&s->cases);
}

static sw_study_cost cost_of(const sw_survey *survey, int arm) {
  sw_study_cost c = {0};
  for (int64_t i = 0; i < survey->count; i++) {
    const sw_question_plan *q = &survey->plan[i];
    if (arm >= 0 && q->arm != arm) continue;
    c.requests++;
    c.prompt_tokens += sw_survey_tokens(survey, q);
    c.answer_tokens += sw_survey_answer_tokens(survey, q);
  }
  return c;
}

sw_study_cost sw_study_cost_of(const sw_study *s, int arm) {
  sw_study_cost c = cost_of(&s->survey, arm);
  c.price =
      (c.prompt_tokens * s->prices.in + c.answer_tokens * s->prices.out) / 1e6;
  return c;
}

sw_study_cost sw_study_cost_of_judge(const sw_study *s) {
  return cost_of(&s->sufficiency.survey, -1);
}

/* A constant player (always or never the action) has a flat curve too. */
static int is_one_answer(const sw_dose *d) {
  double share = (double)d->taken / (double)(d->answers - d->unreadable);
  return share > 0.97 || share < 0.03;
}

void sw_study_headline(const sw_study *s, char *text, size_t room) {
  const sw_dose *d = &s->dose;
  if (!s->dosed) {
    snprintf(text, room, "%s", s->verdict.headline);
    return;
  }
  const sw_dose_point *a = &d->point[0], *b = &d->point[d->points - 1];
  if (10 * d->unreadable > d->answers || !d->situations) {
    snprintf(
        text, room,
        "%.1f %% of the answers of %s could not be read, so nothing can "
        "be said of its history.",
        d->answers ? 100 * (double)d->unreadable / (double)d->answers : 100.0,
        s->model);
  } else if (d->same_bits && is_one_answer(d)) {
    snprintf(text, room,
             "%s chooses `%.60s` in %.1f %% of its answers, right or wrong. "
             "That this does not change says nothing of its history.",
             s->model, d->action,
             100 * (double)d->taken / (double)(d->answers - d->unreadable));
  } else if (d->same_bits) {
    snprintf(text, room,
             "Exactly flat: %s gives the same answer, bit for bit, in all %lld "
             "situations whatever happened before (at most %.1f %% could "
             "move).",
             s->model, (long long)d->situations, 100 * d->moved.high);
  } else if (!isnan(d->nats.point) && d->nats.low <= 0 && d->nats.high >= 0 &&
             d->moved.low > 0.05) {
    snprintf(text, room,
             "No steady slope (%+.2f nats [%+.2f, %+.2f] each), but the answer "
             "in the same situation changes with the number of past `%.60s` in "
             "%.1f %% [%.1f, %.1f] of %lld situations.",
             d->nats.point, d->nats.low, d->nats.high, d->action,
             100 * d->moved.point, 100 * d->moved.low, 100 * d->moved.high,
             (long long)d->situations);
  } else if (!isnan(d->nats.point)) {
    snprintf(text, room,
             "Each past `%.60s` multiplies the odds of the next one by %.3g "
             "(%+.2f nats [%+.2f, %+.2f]) in the same situation: its "
             "probability goes from %.1f %% after %g of them to %.1f %% after "
             "%g (%lld of %lld situations rise).",
             d->action, exp(d->nats.point), d->nats.point, d->nats.low,
             d->nats.high, 100 * a->p.point, a->count, 100 * b->p.point,
             b->count, (long long)d->rising, (long long)d->situations);
  } else {
    snprintf(text, room,
             "Each past `%.60s` changes how often it is chosen next by %+.1f "
             "points [%+.1f, %+.1f] in the same situation (%s "
             "log-probabilities are given).",
             d->action, 100 * d->share.point, 100 * d->share.low,
             100 * d->share.high, d->graded ? "not all" : "no");
  }
}
