/* A set of answers in memory (see answers.h). */
#include "repro/answers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/text.h"

void sw_answers_begin(sw_answers *a) {
  memset(a, 0, sizeof *a);
  sw_arena_init(&a->text, 1 << 16);
}

void sw_answers_free(sw_answers *a) {
  for (int s = 0; s < a->subjects; s++) {
    sw_subject *one = &a->subject[s];
    for (int i = 0; i < one->answers; i++) free(one->answer[i].figure);
    free(one->answer);
    free(one->pin);
  }
  free(a->subject);
  free(a->table);
  free(a->statistic);
  free(a->run);
  sw_arena_free(&a->text);
  memset(a, 0, sizeof *a);
}

/* ---- subjects ---- */

static sw_subject *find_subject(const sw_answers *a, const char *name) {
  for (int i = a->subjects; i-- > 0;)
    if (!strcmp(a->subject[i].name, name)) return &a->subject[i];
  return NULL;
}

const sw_subject *sw_answers_subject(const sw_answers *a, const char *name) {
  return find_subject(a, name);
}

sw_subject *sw_answers_add_subject(sw_answers *a, const char *name) {
  sw_subject *s = find_subject(a, name);
  if (s) return s;
  const char *own = sw_arena_strdup(&a->text, name);
  if (!own ||
      !sw_grow(&a->subject, &a->subject_room, a->subjects + 1, sizeof *s))
    return NULL;
  s = &a->subject[a->subjects++];
  memset(s, 0, sizeof *s);
  s->name = own;
  s->changed = 1;
  return s;
}

/* ---- answers ---- */

static sw_kept_answer *find_answer(const sw_subject *s, const char *question) {
  for (int i = s->answers; i-- > 0;)
    if (!strcmp(s->answer[i].question, question)) return &s->answer[i];
  return NULL;
}

static sw_kept_answer *add_answer(sw_answers *a, sw_subject *s,
                                  const char *question) {
  sw_kept_answer *found = find_answer(s, question);
  if (found) return found;
  const char *own = sw_arena_strdup(&a->text, question);
  if (!own ||
      !sw_grow(&s->answer, &s->answer_room, s->answers + 1, sizeof *s->answer))
    return NULL;
  found = &s->answer[s->answers++];
  memset(found, 0, sizeof *found);
  found->question = own;
  return found;
}

static sw_answer_figure *figure_of(const sw_kept_answer *answer,
                                   const char *name) {
  for (int i = 0; i < answer->figures; i++)
    if (!strcmp(answer->figure[i].name, name)) return &answer->figure[i];
  return NULL;
}

const sw_answer_figure *sw_subject_figure(const sw_subject *s,
                                          const char *question,
                                          const char *figure) {
  const sw_kept_answer *answer = find_answer(s, question);
  return answer ? figure_of(answer, figure) : NULL;
}

double sw_subject_loss(const sw_subject *s) {
  static const char card[] = "source(run%20card) ";
  for (int i = 0; i < s->answers; i++) {
    const sw_answer_figure *f =
        strncmp(s->answer[i].question, card, sizeof card - 1)
            ? NULL
            : figure_of(&s->answer[i], "valid_loss");
    if (f) return f->value;
  }
  return NAN;
}

static const char *date_of(const sw_answers *a, const char *by) {
  const sw_answer_run *run = by ? sw_answers_run(a, by) : NULL;
  return run ? run->origin.date : "";
}

/* Both absent, or the same number. */
static int same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* What was made earlier, or says no more of the same value, gives way to what
 * is there. */
static int gives_way(const sw_answers *a, const sw_answer_figure *old,
                     const sw_answer_figure *now) {
  if (same(old->value, now->value))
    return old->each || (!now->each && old->instances >= now->instances &&
                         (!isnan(old->low) || isnan(now->low)));
  return strcmp(date_of(a, now->by), date_of(a, old->by)) < 0;
}

int sw_answers_put(sw_answers *a, sw_subject *s, const char *question,
                   const sw_answer_figure *figure) {
  sw_kept_answer *answer = add_answer(a, s, question);
  if (!answer) return 0;
  sw_answer_figure *to = figure_of(answer, figure->name), own = *figure;
  if (to && gives_way(a, to, figure)) return 1;
  own.name = to ? to->name : sw_arena_strdup(&a->text, figure->name);
  if (figure->each) own.each = sw_arena_strdup(&a->text, figure->each);
  if (figure->by) own.by = sw_arena_strdup(&a->text, figure->by);
  if (!own.name || (figure->each && !own.each) || (figure->by && !own.by))
    return 0;
  if (!to) {
    if (!sw_grow(&answer->figure, &answer->room, answer->figures + 1,
                 sizeof *answer->figure))
      return 0;
    to = &answer->figure[answer->figures++];
  }
  *to = own;
  s->changed = 1;
  return 1;
}

/* ---- pins ---- */

int sw_subject_is_pinned(const sw_subject *s, const char *pin) {
  for (int i = 0; i < s->pins; i++)
    if (!strcmp(s->pin[i], pin)) return 1;
  return 0;
}

int sw_answers_pin(sw_answers *a, sw_subject *s, const char *pin) {
  if (sw_subject_is_pinned(s, pin)) return 1;
  const char *own = sw_arena_strdup(&a->text, pin);
  if (!own || !sw_grow(&s->pin, &s->pin_room, s->pins + 1, sizeof *s->pin))
    return 0;
  s->pin[s->pins++] = own;
  return 1;
}

void sw_subject_unpin(sw_subject *s, const char *pin) {
  int kept = 0;
  for (int i = 0; i < s->pins; i++)
    if (strcmp(s->pin[i], pin)) s->pin[kept++] = s->pin[i];
  s->pins = kept;
}

/* ---- runs and tables ---- */

const sw_answer_run *sw_answers_run(const sw_answers *a, const char *id) {
  for (int i = 0; i < a->runs; i++)
    if (!strcmp(a->run[i].id, id)) return &a->run[i];
  return NULL;
}

static void run_id(const sw_repro_origin *o, char id[12]) {
  char text[2400];
  snprintf(text, sizeof text, "%s|%s|%s|%s|%s|%s|%" PRId64, o->command, o->over,
           o->program, o->kernels, o->machine, o->date, o->counting);
  snprintf(id, 12, "%08" PRIx32, (uint32_t)sw_xxh64(text, strlen(text), 0));
}

const char *sw_answers_add_run(sw_answers *a, const sw_repro_origin *origin) {
  char id[12];
  run_id(origin, id);
  const sw_answer_run *known = sw_answers_run(a, id);
  if (known) return known->id;
  if (!sw_grow(&a->run, &a->run_room, a->runs + 1, sizeof *a->run)) return NULL;
  sw_answer_run *run = &a->run[a->runs++];
  memset(run, 0, sizeof *run);
  memcpy(run->id, id, sizeof run->id);
  run->origin = *origin;
  return run->id;
}

const sw_answer_table *sw_answers_table(const sw_answers *a, const char *id) {
  for (int i = 0; i < a->tables; i++)
    if (!strcmp(a->table[i].id, id)) return &a->table[i];
  return NULL;
}

int sw_answers_set_table(sw_answers *a, const char *id, const char *scale,
                         const char *over) {
  sw_answer_table *t = (sw_answer_table *)sw_answers_table(a, id);
  sw_answer_table now = {sw_arena_strdup(&a->text, id),
                         sw_arena_strdup(&a->text, scale),
                         sw_arena_strdup(&a->text, over)};
  if (!now.id || !now.scale || !now.over) return 0;
  if (!t) {
    if (!sw_grow(&a->table, &a->table_room, a->tables + 1, sizeof *t)) return 0;
    t = &a->table[a->tables++];
  }
  *t = now;
  return 1;
}

int sw_answers_add_statistic(sw_answers *a, const sw_answer_statistic *s) {
  sw_answer_statistic own = *s;
  own.table = sw_arena_strdup(&a->text, s->table);
  own.title = sw_arena_strdup(&a->text, s->title);
  if (!own.table || !own.title ||
      !sw_grow(&a->statistic, &a->statistic_room, a->statistics + 1,
               sizeof own))
    return 0;
  a->statistic[a->statistics++] = own;
  return 1;
}

/* ---- values of single instances ---- */

char *sw_each_text(const double *each, int64_t count) {
  int bits = 1;
  size_t used = 0, room = (size_t)count * 32 + 1;
  char *line = malloc(room);
  if (!line) return NULL;
  for (int64_t i = 0; i < count; i++) bits &= each[i] == 0 || each[i] == 1;
  for (int64_t i = 0; i < count; i++) {
    char number[32];
    for (int digits = 6; digits <= 17; digits++) {
      sw_real_text(number, sizeof number, digits, each[i]);
      if (sw_text_real(number, NULL) == each[i]) break;
    }
    used += (size_t)snprintf(line + used, room - used, "%s%s", number,
                             bits ? "" : " ");
  }
  line[used] = 0;
  return line;
}

int sw_each_read(const char *text, int64_t count, double **out, sw_err *err) {
  *out = NULL;
  if (!text || count < 1 || strlen(text) < (size_t)count) return SW_OK;
  double *each = malloc(sizeof *each * (size_t)count);
  if (!each) return sw_no_memory(err);
  int bits = !strchr(text, ' '), good = 1;
  if (bits) good = strlen(text) == (size_t)count;
  for (int64_t i = 0; i < count && good; i++) {
    char *end;
    if (bits) {
      good = text[i] == '0' || text[i] == '1';
      each[i] = text[i] - '0';
      continue;
    }
    each[i] = sw_text_real(text, &end);
    good = end != text && *end == ' ' && isfinite(each[i]);
    text = end + good;
  }
  if (good && (bits || !*text)) *out = each;
  else free(each);
  return SW_OK;
}
