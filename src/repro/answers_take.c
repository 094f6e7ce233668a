/* What a run made, as answers (see answers.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "repro/answers.h"
#include "repro/kept.h"

typedef struct taking {
  sw_answers *a;
  const sw_repro_result *r;
  sw_asker asker;
} taking;

/* ---- sizes ---- */

static int is_kept(const taking *t) {
  const char *id = t->r->experiment->id;
  size_t length = strlen(id);
  for (int i = 0; i < t->a->subjects; i++)
    for (int p = 0; p < t->a->subject[i].pins; p++)
      if (!strncmp(t->a->subject[i].pin[p], id, length) &&
          t->a->subject[i].pin[p][length] == '/')
        return 1;
  return 0;
}

/* Values of other sizes never enter a kept table, so that a quick try cannot
 * replace hours of work. */
static int check_sizes(taking *t, sw_err *err) {
  const char *over = t->r->origins ? t->r->origin[0].over : "",
             *scale = t->r->scale ? "paper" : "small";
  const sw_experiment *e = t->r->experiment;
  const sw_answer_table *was = sw_answers_table(t->a, e->id);
  const char *before = was ? was->over : "";
  if (strcmp(before, over) != 0 && is_kept(t)) {
    sw_fail(err, SW_USAGE, "kept values of %s were made with %s, these with %s",
            e->id, *before ? before : "the experiment's sizes",
            *over ? over : "the experiment's sizes");
    return sw_hint(err,
                   "set STATEWISE_RESULTS to keep them elsewhere, or remove "
                   "what is kept of it");
  }
  if (!was && !*over && !t->r->scale) return SW_OK;
  return sw_answers_set_table(t->a, e->id, scale, over) ? SW_OK
                                                        : sw_no_memory(err);
}

/* ---- subjects ---- */

static void name_model(const sw_repro_model *m, const char *at, sw_scale scale,
                       char *name, size_t room) {
  char place[64] = "";
  if (at) snprintf(place, sizeof place, "-at-%s", at);
  for (char *p = place; *p; p++)
    if (*p == ' ' || *p == '/') *p = '-';
  if (m->trained)
    snprintf(name, room, "%s%s-%" PRId64 "%s-%.8s", m->trained->id,
             scale ? "-paper" : "", m->seed, place, m->hash);
  else snprintf(name, room, "shipped-%s-%.8s", m->row->shipped, m->hash);
}

static int set_texts(taking *t, sw_subject *s, const sw_repro_model *m,
                     const char *at) {
  sw_kept_member member[SW_KEPT_MEMBERS];
  const char **const to[] = {&s->preset, &s->gen, &s->train, &s->recipe};
  sw_arena *text = &t->a->text;
  int good = 1;
#define SET(to, from)                                          \
  do {                                                         \
    const char *own_ = (from);                                 \
    (to) = own_ && *own_ ? sw_arena_strdup(text, own_) : NULL; \
    good &= !own_ || !*own_ || (to);                           \
  } while (0)
  SET(s->weights, m->hash);
  if (!m->trained) {
    SET(s->shipped, m->row->shipped);
    return good;
  }
  s->seed = m->seed;
  SET(s->model, m->trained->id);
  SET(s->at, at);
  SET(s->scale, t->r->scale ? "paper" : "small");
  SET(s->data, m->data);
  SET(s->ended, m->ended);
  SET(s->preset_hash, m->preset);
  SET(s->over, t->asker.made);
  int count = sw_kept_model_members(m->trained, t->r->scale, member);
  for (int i = 0; i < count; i++) SET(*to[i], member[i].text);
#undef SET
  return good;
}

/* The row was pinned to another training of the same recipe and seed before. */
static void unpin_others(taking *t, const sw_subject *s, const char *pin) {
  for (int i = 0; i < t->a->subjects; i++) {
    sw_subject *other = &t->a->subject[i];
    int same = s->model ? other->model && !strcmp(other->model, s->model) &&
                              other->seed == s->seed
                        : other->shipped != NULL;
    if (other != s && same) sw_subject_unpin(other, pin);
  }
}

static int take_model(taking *t, const sw_repro_model *m, sw_err *err) {
  char name[256], pin[200];
  int judge = m->trained &&
              (!m->row->model || strcmp(m->trained->id, m->row->model) != 0);
  const char *at = judge ? NULL : m->row->at;
  name_model(m, at, t->r->scale, name, sizeof name);
  sw_subject *s = sw_answers_add_subject(t->a, name);
  if (!s || !set_texts(t, s, m, at)) return sw_no_memory(err);
  sw_asker_pin(&t->asker, m->row, pin, sizeof pin);
  unpin_others(t, s, pin);
  return sw_answers_pin(t->a, s, pin) ? SW_OK : sw_no_memory(err);
}

static int put(taking *t, sw_subject *s, char *question,
               const sw_repro_column *column, const sw_repro_value *v,
               sw_err *err);

/* The loss that the run card has of it, whether a column asks for it or not. */
static int take_loss(taking *t, const sw_repro_model *m, sw_err *err) {
  static const sw_repro_column card = {
      .source = SW_SOURCE_CARD, .figure = "valid_loss", .unit = ""};
  char name[256], *question;
  int judge = m->trained &&
              (!m->row->model || strcmp(m->trained->id, m->row->model) != 0);
  if (!m->trained || isnan(m->loss)) return SW_OK;
  name_model(m, judge ? NULL : m->row->at, t->r->scale, name, sizeof name);
  sw_subject *s = sw_answers_add_subject(t->a, name);
  if (!s) return sw_no_memory(err);
  sw_repro_value v = {
      .value = m->loss, .low = NAN, .high = NAN, .origin = m->origin};
  SW_TRY(sw_asker_question(&t->asker, m->row, &card, m->seed, NULL, &question,
                           err));
  int code = put(t, s, question, &card, &v, err);
  free(question);
  return code;
}

/* The subject of a rule is the rule with its task. `pin` is NULL for rules that
 * were played beside a model. */
static sw_subject *rule_subject(taking *t, const sw_repro_row *row,
                                const char *rule, const char *pin,
                                sw_err *err) {
  char name[256], *task;
  if (sw_asker_rule(&t->asker, row, rule, name, sizeof name, &task, err))
    return NULL;
  sw_subject *s = sw_answers_add_subject(t->a, name);
  if (s && !s->task) {
    s->task = sw_arena_strdup(&t->a->text, task);
    s->rule = sw_arena_strdup(&t->a->text, rule ? rule : "none");
  }
  free(task);
  if (s && s->task && s->rule && (!pin || sw_answers_pin(t->a, s, pin)))
    return s;
  sw_no_memory(err);
  return NULL;
}

/* ---- values ---- */

static const sw_repro_origin *origin_of(const taking *t,
                                        const sw_repro_value *v) {
  static const sw_repro_origin none;
  return v->origin < t->r->origins ? &t->r->origin[v->origin] : &none;
}

static int put(taking *t, sw_subject *s, char *question,
               const sw_repro_column *column, const sw_repro_value *v,
               sw_err *err) {
  enum { UNSAID = 3 }; /* runs that do not say how they counted */
  const sw_repro_origin *o = origin_of(t, v);
  int time = column->unit && !strcmp(column->unit, "s");
  sw_answer_figure f = {.name = column->figure ? column->figure : "solve_rate",
                        .value = v->value,
                        .low = v->low,
                        .high = v->high,
                        .instances = v->outcomes,
                        .by = sw_answers_add_run(t->a, o)};
  char *each = NULL;
  if (!f.by) return sw_no_memory(err);
  if (v->each && v->outcomes && !time &&
      !(each = sw_each_text(v->each, v->outcomes)))
    return sw_no_memory(err);
  f.each = each;
  sw_question_counted(question, o->counting ? o->counting : UNSAID);
  int good = sw_answers_put(t->a, s, question, &f);
  free(each);
  return good ? SW_OK : sw_no_memory(err);
}

static int take_value(taking *t, const sw_repro_cell *c,
                      const sw_repro_value *v, sw_err *err) {
  const sw_repro_column *column = &t->r->experiment->column[c->column];
  char pin[200], *question;
  int pinned;
  const sw_subject *found;
  sw_subject *s;
  sw_asker_pin(&t->asker, c->row, pin, sizeof pin);
  if (c->row->model || c->row->shipped) {
    SW_TRY(sw_asker_subject(&t->asker, c->row, v->seed, &found, &pinned, err));
    s = (sw_subject *)found;
  } else if (!(s = rule_subject(t, c->row, c->row->rule, pin, err)))
    return SW_MEMORY;
  if (!s)
    return sw_fail(err, SW_INTERNAL, "%s: no model of row %s, seed %" PRId64,
                   t->r->experiment->id, c->row->id, v->seed);
  SW_TRY(sw_asker_question(&t->asker, c->row, column, v->seed, NULL, &question,
                           err));
  int code = put(t, s, question, column, v, err);
  free(question);
  return code;
}

/* Rules beside a search: the figure alone is known. */
static int take_beside(taking *t, const sw_repro_cell *c, int role,
                       sw_err *err) {
  const sw_repro_column *column = &t->r->experiment->column[c->column];
  const char *rule = sw_repro_rule_beside(t->r, c->row, role);
  char *question;
  if (!rule || isnan(c->beside[role]) || !c->values) return SW_OK;
  sw_repro_value v = {.value = c->beside[role],
                      .low = NAN,
                      .high = NAN,
                      .origin = c->value[0].origin};
  sw_subject *s = rule_subject(t, c->row, rule, NULL, err);
  if (!s) return SW_MEMORY;
  SW_TRY(sw_asker_question(&t->asker, c->row, column, sw_row_first_seed(c->row),
                           sw_repro_beside_more(role), &question, err));
  int code = put(t, s, question, column, &v, err);
  free(question);
  return code;
}

int sw_answers_take(sw_answers *a, const sw_repro_result *r, sw_err *err) {
  taking t = {.a = a, .r = r};
  sw_asker_begin(&t.asker, a, r->experiment, r->scale,
                 r->origins ? r->origin[0].over : "");
  SW_TRY(check_sizes(&t, err));
  for (int i = 0; i < r->models; i++) SW_TRY(take_model(&t, &r->model[i], err));
  for (int i = 0; i < r->models; i++) SW_TRY(take_loss(&t, &r->model[i], err));
  for (int i = 0; i < r->cells; i++) {
    const sw_repro_cell *c = &r->cell[i];
    const sw_repro_column *column = &r->experiment->column[c->column];
    if (sw_column_follows(column)) continue;
    for (int v = 0; v < c->values; v++)
      SW_TRY(take_value(&t, c, &c->value[v], err));
    for (int role = 0; role < SW_REPRO_ROLES; role++)
      if (column->source == SW_SOURCE_SEARCH)
        SW_TRY(take_beside(&t, c, role, err));
  }
  return SW_OK;
}
