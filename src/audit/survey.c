/* The plan of a survey, and asking it (see survey.h). */
#include "audit/survey.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/threads.h"

int sw_survey_primary(const sw_arm *arm, int arms) {
  int other = -1;
  for (int i = arms - 1; i > 0; i--)
    if (arm[i].kind == SW_ARM_OTHER) other = i;
  for (int i = 1; i < arms; i++)
    if (arm[i].kind == SW_ARM_HISTORY) return i;
  return other;
}

/* ---- the plan ---- */

static int64_t place(const sw_survey *s, int64_t at, int arm, int order,
                     int repeat) {
  return ((at * s->o.arms + arm) * s->o.orders + order) * (s->o.repeats + 1) +
         repeat;
}

static void plan_case(sw_survey *s, int64_t at, int arm) {
  if (!sw_arm_applies(&s->o.arm[arm], s->cases, at)) return;
  for (int order = 0; order < s->o.orders; order++)
    for (int r = 0; r <= (s->o.repeated[arm] ? s->o.repeats : 0); r++) {
      s->index[place(s, at, arm, order, r)] = s->count;
      s->plan[s->count++] =
          (sw_question_plan){.at = at, .arm = arm, .order = order, .repeat = r};
    }
}

static int make_plan(sw_survey *s, sw_err *err) {
  int64_t most = place(s, s->cases->count, 0, 0, 0);
  s->plan = calloc((size_t)most + 1, sizeof *s->plan);
  s->index = malloc(sizeof *s->index * (size_t)(most + 1));
  if (!s->plan || !s->index) return sw_no_memory(err);
  for (int64_t i = 0; i < most; i++) s->index[i] = -1;
  /* Condition by condition within a group, so that questions with one history
   * follow each other and the endpoint can go on from what it has read. */
  for (int64_t from = 0, to; from < s->cases->count; from = to) {
    to = from + 1;
    while (to < s->cases->count &&
           !strcmp(s->cases->item[to].group, s->cases->item[from].group))
      to++;
    for (int arm = 0; arm < s->o.arms; arm++)
      for (int64_t at = from; at < to; at++) plan_case(s, at, arm);
  }
  return SW_OK;
}

const sw_said *sw_survey_said(const sw_survey *s, int64_t at, int arm,
                              int order, int repeat) {
  if (arm >= s->o.arms || order >= s->o.orders || repeat > s->o.repeats)
    return NULL;
  int64_t i = s->index[place(s, at, arm, order, repeat)];
  return i >= 0 && s->plan[i].said.asked ? &s->plan[i].said : NULL;
}

/* ---- asking ---- */

typedef struct asking {
  sw_survey *s;
  sw_client *client;
  uint8_t *is_wanted; /* by place in the plan */
  int64_t next, done, wanted;
  int code;
  sw_err err;
  pthread_mutex_t lock;
} asking;

typedef struct reading {
  const sw_survey *s;
  sw_question_plan *q;
} reading;

static int usable(const char *reply, size_t bytes, void *context,
                  int64_t tokens[2], sw_err *err) {
  reading *r = context;
  const sw_audit_cases *cases = r->s->cases;
  int code =
      sw_said_read(reply, bytes, &r->s->o.manner, cases, &cases->item[r->q->at],
                   r->q->order, &r->q->said, err);
  tokens[0] = r->q->said.prompt_tokens;
  tokens[1] = r->q->said.answer_tokens;
  return code;
}

static int make_body(const sw_survey *s, sw_question_plan *q, const char *model,
                     char **body, sw_err *err) {
  json_t *messages;
  size_t i;
  json_t *m;
  SW_TRY(sw_arm_messages(&s->o.arm[q->arm], s->cases, q->at, q->order,
                         &messages, err));
  *body = sw_manner_body(&s->o.manner, model, messages, s->cases,
                         &s->cases->item[q->at], q->order);
  q->bytes = 0;
  json_array_foreach(messages, i, m) {
    const json_t *content = json_object_get(m, "content");
    q->bytes += json_is_string(content)
                    ? (int64_t)json_string_length(content)
                    : (int64_t)json_dumpb(m, NULL, 0, JSON_COMPACT);
  }
  json_decref(messages);
  return *body ? SW_OK : sw_no_memory(err);
}

static int ask_one(asking *a, int member, sw_question_plan *q, sw_err *err) {
  char *body, salt[32] = "";
  reading r = {a->s, q};
  SW_TRY(make_body(a->s, q, sw_client_model(a->client), &body, err));
  if (q->repeat) snprintf(salt, sizeof salt, "repeat %d", q->repeat);
  sw_post post = {.body = body, .salt = salt, .usable = usable, .context = &r};
  int code = sw_client_post(a->client, member, &post, err);
  free(body);
  if (code == SW_LIMIT) { /* does not fit: an outcome of the condition */
    memset(&q->said, 0, sizeof q->said);
    q->said.asked = q->said.overflow = 1;
    q->said.choice = -1;
    code = SW_OK;
  }
  return code;
}

/* A dry run asks a few questions of each condition, spread over its cases,
 * because the lengths of conditions differ. */
static void mark_wanted(asking *a) {
  const sw_survey *s = a->s;
  for (int arm = 0; arm < s->o.arms && !s->o.none; arm++) {
    int64_t all = 0, at = 0, few = s->o.sample / s->o.arms;
    if (few < 2) few = 2;
    for (int64_t i = 0; i < s->count; i++) all += s->plan[i].arm == arm;
    for (int64_t i = 0; i < s->count; i++) {
      if (s->plan[i].arm != arm) continue;
      int64_t next = at + 1;
      a->is_wanted[i] =
          !s->o.sample || few >= all || next * few / all != at * few / all;
      a->wanted += a->is_wanted[i];
      at = next;
    }
  }
}

static void members(void *context, int rank, int size) {
  asking *a = context;
  (void)size;
  for (;;) {
    pthread_mutex_lock(&a->lock);
    while (a->next < a->s->count && !a->is_wanted[a->next]) a->next++;
    int64_t at = a->code ? a->s->count : a->next++;
    pthread_mutex_unlock(&a->lock);
    if (at >= a->s->count) return;
    sw_err err = {0};
    int stopped = a->s->o.stop && a->s->o.stop(a->s->o.context);
    int code = stopped ? sw_fail(&err, SW_STOPPED, "stopped")
                       : ask_one(a, rank, &a->s->plan[at], &err);
    pthread_mutex_lock(&a->lock);
    if (code && !a->code) {
      a->code = code;
      a->err = err;
    }
    a->done += !code;
    if (!code && a->s->o.progress)
      a->s->o.progress(a->s->o.context, "questions", a->done, a->wanted);
    pthread_mutex_unlock(&a->lock);
  }
}

/* ---- tokens of a dry run ---- */

/* Tokens a byte under each condition, from the questions that were asked; where
 * none was counted that of all, or four bytes a token. */
static void fit_tokens(sw_survey *s) {
  double bytes[SW_ARMS + 1] = {0}, tokens[SW_ARMS + 1] = {0};
  for (int64_t i = 0; i < s->count; i++) {
    const sw_question_plan *q = &s->plan[i];
    if (!q->said.asked || q->said.prompt_tokens < 1) continue;
    const int of[] = {q->arm, SW_ARMS};
    for (int k = 0; k < 2; k++) {
      bytes[of[k]] += (double)q->bytes;
      tokens[of[k]] += (double)q->said.prompt_tokens;
    }
  }
  double all = bytes[SW_ARMS] > 0 ? tokens[SW_ARMS] / bytes[SW_ARMS] : 0.25;
  for (int i = 0; i < s->o.arms; i++)
    s->per_byte[i] = bytes[i] > 0 ? tokens[i] / bytes[i] : all;
}

double sw_survey_tokens(const sw_survey *s, const sw_question_plan *q) {
  if (q->said.asked && q->said.prompt_tokens > 0)
    return (double)q->said.prompt_tokens;
  return s->per_byte[q->arm] * (double)q->bytes;
}

/* The answer's tokens of a question that was not asked: the mean of the asked
 * ones; 1 if there is none. */
double sw_survey_answer_tokens(const sw_survey *s, const sw_question_plan *q) {
  double sum = 0, n = 0;
  if (q->said.asked) return (double)q->said.answer_tokens;
  for (int64_t i = 0; i < s->count; i++) {
    if (!s->plan[i].said.asked) continue;
    sum += (double)s->plan[i].said.answer_tokens;
    n++;
  }
  return n > 0 ? sum / n : 1;
}

/* Lengths of what a dry run does not ask. */
static int measure_rest(sw_survey *s, const char *model, sw_err *err) {
  for (int64_t i = 0; i < s->count; i++) {
    char *body;
    if (s->plan[i].said.asked) continue;
    SW_TRY(make_body(s, &s->plan[i], model, &body, err));
    free(body);
  }
  return SW_OK;
}

int sw_survey_run(sw_survey *s, const sw_audit_cases *cases,
                  const sw_survey_options *options, sw_client *client,
                  sw_err *err) {
  sw_team *team;
  memset(s, 0, sizeof *s);
  s->cases = cases;
  s->o = *options;
  SW_TRY(make_plan(s, err));
  SW_TRY(sw_team_new(&team, sw_client_parallel(client), err));
  asking a = {.s = s, .client = client};
  a.is_wanted = calloc((size_t)s->count + 1, 1);
  if (!a.is_wanted) {
    sw_team_free(team);
    return sw_no_memory(err);
  }
  mark_wanted(&a);
  pthread_mutex_init(&a.lock, NULL);
  sw_team_run(team, members, &a);
  pthread_mutex_destroy(&a.lock);
  sw_team_free(team);
  free(a.is_wanted);
  s->asked = a.done;
  if (a.code) {
    if (err) *err = a.err;
    return a.code;
  }
  if (s->o.sample || s->o.none)
    SW_TRY(measure_rest(s, sw_client_model(client), err));
  fit_tokens(s);
  return SW_OK;
}

void sw_survey_free(sw_survey *s) {
  free(s->plan);
  free(s->index);
  memset(s, 0, sizeof *s);
}
