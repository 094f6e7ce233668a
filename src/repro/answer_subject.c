/* Subjects and questions of a table's row and column (see answers.h). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/safetensors.h"
#include "repro/answers.h"
#include "repro/cell_question.h"
#include "repro/job.h"
#include "repro/kept.h"
#include "search/condition.h"
#include "search/loaded.h"
#include "search/question.h"

/* ---- the table ---- */

/* Sizes of training make another model, all others ask another question; words
 * without a name belong to the one before. */
static void split_over(sw_asker *k, const char *over) {
  char *to = k->asked;
  while (*over) {
    char *other = to;
    size_t length = strcspn(over, " ");
    if (!strncmp(over, "traces=", 7) || !strncmp(over, "train:", 6))
      other = k->made;
    else if (!strncmp(over, "measure:", 8) ||
             !strncmp(over, "instances=", 10) ||
             !strncmp(over, "verifier=", 9) || !strncmp(over, "test-seed=", 10))
      other = k->asked;
    to = other;
    size_t used = strlen(to);
    snprintf(to + used, sizeof k->made - used, "%s%.*s", used ? " " : "",
             (int)length, over);
    over += length;
    over += *over == ' ';
  }
}

void sw_asker_begin(sw_asker *k, const sw_answers *answers,
                    const sw_experiment *e, sw_scale scale, const char *over) {
  memset(k, 0, sizeof *k);
  k->answers = answers;
  k->e = e;
  k->scale = scale;
  split_over(k, over ? over : "");
}

void sw_asker_as_kept(sw_asker *k, const sw_answers *answers,
                      const sw_experiment *e) {
  const sw_answer_table *t =
      sw_answers_table(answers, e->drawn_from ? e->drawn_from : e->id);
  sw_asker_begin(
      k, answers, e,
      t && !strcmp(t->scale, "paper") ? SW_SCALE_PAPER : SW_SCALE_SMALL,
      t ? t->over : "");
}

void sw_asker_pin(const sw_asker *k, const sw_repro_row *row, char *pin,
                  size_t room) {
  snprintf(pin, room, "%s/%s", k->e->drawn_from ? k->e->drawn_from : k->e->id,
           row->id);
}

/* ---- models ---- */

static int same_text(const char *a, const char *b) {
  return a && b ? !strcmp(a, b) : a == b;
}

static const char *text_or(const char *text, const char *other) {
  return text ? text : other;
}

/* Have the weights of a shipped model changed since it was asked? Without the
 * model's file there is nothing to compare. */
static int shipped_changed(const sw_subject *s) {
  char path[1024];
  sw_st_file *file;
  if (sw_shipped_model(s->shipped, path, sizeof path, NULL) ||
      sw_st_open(&file, path, NULL))
    return 0;
  const char *now = sw_st_meta(file, "weights_xxh64");
  int other = strcmp(now ? now : "", text_or(s->weights, "")) != 0;
  sw_st_close(file);
  return other;
}

const char *sw_subject_stale(const sw_subject *s) {
  sw_kept_member member[SW_KEPT_MEMBERS];
  char now[24];
  if (s->shipped) return shipped_changed(s) ? "weights" : NULL;
  if (!s->model) return NULL;
  const sw_trained *t = sw_trained_find(s->model);
  sw_scale scale =
      s->scale && !strcmp(s->scale, "paper") ? SW_SCALE_PAPER : SW_SCALE_SMALL;
  if (!t) return "model";
  int count = sw_kept_model_members(t, scale, member);
  const char *const then[] = {s->preset, s->gen, s->train, s->recipe};
  for (int i = 0; i < count; i++)
    if (!sw_member_same(member[i].name, NULL, NULL, then[i], member[i].text))
      return member[i].name;
  sw_kept_preset_hash(t, scale, now);
  return s->preset_hash && *s->preset_hash && strcmp(s->preset_hash, now)
             ? "preset"
             : NULL;
}

static int is_of(const sw_asker *k, const sw_subject *s, const char *model,
                 const char *at, int64_t seed) {
  return s->model && !strcmp(s->model, model) && s->seed == seed &&
         same_text(s->at, at) &&
         same_text(s->over, *k->made ? k->made : NULL) &&
         !strcmp(text_or(s->scale, "small"), k->scale ? "paper" : "small");
}

/* The pinned one, else the first that is not stale. */
static const sw_subject *find_model(const sw_asker *k, const char *pin,
                                    const char *model, const char *at,
                                    int64_t seed, int *pinned) {
  const sw_subject *found = NULL;
  for (int i = 0; i < k->answers->subjects; i++) {
    const sw_subject *s = &k->answers->subject[i];
    if (!is_of(k, s, model, at, seed)) continue;
    *pinned = sw_subject_is_pinned(s, pin);
    if (*pinned) return s;
    if (!found || (strcmp(s->name, found->name) < 0 && !sw_subject_stale(s)))
      if (!sw_subject_stale(s)) found = s;
  }
  return found;
}

static const sw_subject *find_shipped(const sw_asker *k, const char *pin,
                                      const char *shipped, int *pinned) {
  const sw_subject *found = NULL;
  for (int i = 0; i < k->answers->subjects; i++) {
    const sw_subject *s = &k->answers->subject[i];
    if (!s->shipped || strcmp(s->shipped, shipped)) continue;
    *pinned = sw_subject_is_pinned(s, pin);
    if (*pinned) return s;
    if (!found && !sw_subject_stale(s)) found = s;
  }
  return found;
}

int sw_asker_subject(const sw_asker *k, const sw_repro_row *row, int64_t seed,
                     const sw_subject **subject, int *pinned, sw_err *err) {
  char pin[200], name[256], *task;
  *pinned = 0;
  sw_asker_pin(k, row, pin, sizeof pin);
  if (row->model || row->shipped) {
    *subject = row->model
                   ? find_model(k, pin, row->model, row->at, seed, pinned)
                   : find_shipped(k, pin, row->shipped, pinned);
    return SW_OK;
  }
  SW_TRY(sw_asker_rule(k, row, row->rule, name, sizeof name, &task, err));
  free(task);
  *subject = sw_answers_subject(k->answers, name);
  *pinned = *subject && sw_subject_is_pinned(*subject, pin);
  return SW_OK;
}

static const char ID_LETTERS[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

const sw_trained *sw_row_judge(const sw_repro_row *row, int index) {
  const char *mark = row->search;
  char id[64];
  while (mark && (mark = strchr(mark, '#'))) {
    mark++;
    if (index-- > 0) continue;
    snprintf(id, sizeof id, "%.*s", (int)strspn(mark, ID_LETTERS), mark);
    return sw_trained_find(id);
  }
  return NULL;
}

const sw_subject *sw_asker_judge(const sw_asker *k, const sw_repro_row *row,
                                 const sw_trained *judge, int64_t seed) {
  char pin[200];
  int pinned;
  sw_asker_pin(k, row, pin, sizeof pin);
  return find_model(k, pin, judge->id, NULL, seed, &pinned);
}

/* ---- rules ---- */

static const sw_trained *model_of(const sw_asker *k, const sw_repro_row *row) {
  const sw_trained *t = row->model ? sw_trained_find(row->model) : NULL;
  for (int i = 0; !t && k->e->row[i].id; i++) /* a rule: as others */
    if (k->e->row[i].model) t = sw_trained_find(k->e->row[i].model);
  return t;
}

static int write_preset(sw_question_text *q, const sw_trained *t,
                        sw_scale scale, sw_err *err) {
  const sw_preset *p =
      sw_preset_find(t->preset[scale] ? t->preset[scale] : t->preset[0]);
  sw_option task[SW_TASK_OPTIONS_MAX];
  sw_settings gen;
  if (!p) return sw_fail(err, SW_INTERNAL, "%s: no such preset", t->id);
  sw_question_table table = {SW_ASKS_TASK, task,
                             sw_domain_all_options(task, SW_TASK_OPTIONS_MAX)};
  sw_question_word(q, "domain", p->domain);
  SW_TRY(sw_settings_read(&gen, t->gen, NULL, err));
  const char **all = sw_settings_behind(&gen, p->domain_settings);
  int code = all ? sw_question_settings(q, "task", &table, 1, all, err)
                 : sw_no_memory(err);
  free(all);
  sw_settings_free(&gen);
  return code;
}

int sw_asker_rule(const sw_asker *k, const sw_repro_row *row, const char *rule,
                  char *name, size_t room, char **task, sw_err *err) {
  const char *domain = row->domain ? row->domain : row->shipped;
  const sw_trained *t = domain ? NULL : model_of(k, row);
  sw_question_text q;
  *task = NULL;
  SW_TRY(sw_question_begin(&q, err));
  int code = SW_OK;
  if (domain) sw_question_word(&q, "domain", domain);
  else if (t) code = write_preset(&q, t, k->scale, err);
  int ended = sw_question_end(&q, task, code ? NULL : err);
  if (code || ended) {
    free(*task);
    *task = NULL;
    return code ? code : ended;
  }
  /* "domain(sat) ..." */
  size_t length = strcspn(*task + 7 * !strncmp(*task, "domain(", 7), ")");
  snprintf(name, room, "%.*s-%s-%08" PRIx32, length < 60 ? (int)length : 60,
           *task + 7 * !strncmp(*task, "domain(", 7), rule ? rule : "none",
           (uint32_t)sw_xxh64(*task, strlen(*task), 0));
  for (char *p = name; *p; p++)
    if (!strchr(ID_LETTERS, *p) && *p != '+' && *p != '.') *p = '_';
  return SW_OK;
}

/* ---- questions ---- */

static int listed(int64_t seed) {
  enum { LISTED = 5 };
  for (int i = 0; i < LISTED; i++)
    if (sw_repro_seed(i) == seed) return i;
  return -1;
}

/* What `@` and `#ID` of a row's search stand for (experiment.h): the number of
 * the repetition, and the judge's own name. */
static int write_search(const sw_asker *k, const sw_repro_row *row,
                        int64_t seed, FILE *out) {
  const char *at = row->search;
  int own = !row->model && !strchr(at, '#'); /* the seed is the repetition */
  for (int judge = 0; *at; at++) {
    if (*at == '@' && own) fprintf(out, "%" PRId64, seed > 0 ? seed : 1);
    else if (*at == '@' && listed(seed) >= 0)
      fprintf(out, "%d", listed(seed) + 1);
    else if (*at == '@') fprintf(out, "@%" PRId64, seed);
    else putc(*at, out);
    if (*at != '#') continue;
    const sw_trained *t = sw_row_judge(row, judge++);
    const sw_subject *s = t ? sw_asker_judge(k, row, t, seed) : NULL;
    fputs(s ? s->name : "?", out);
    at += strspn(at + 1, ID_LETTERS);
  }
  return 0;
}

static char *search_of(const sw_asker *k, const sw_repro_row *row, int64_t seed,
                       const char *more) {
  char *text;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) return NULL;
  if (row->search) write_search(k, row, seed, out);
  if (more) fprintf(out, "%s%s", row->search ? " " : "", more);
  return sw_memory_close(out, &text) ? text : NULL;
}

int sw_asker_question(const sw_asker *k, const sw_repro_row *row,
                      const sw_repro_column *column, int64_t seed,
                      const char *more, char **text, sw_err *err) {
  sw_cell_asked asked = sw_cell_asked_of(row, column);
  char *search = NULL, *own = NULL;
  *text = NULL;
  if (row->search || more) {
    search = search_of(k, row, seed, more);
    if (!search) return sw_no_memory(err);
    asked.search = search;
  }
  if (!row->model && !row->shipped) asked.mask = asked.positions = NULL;
  asked.over = *k->asked ? k->asked : NULL;
  int code = sw_cell_question(&asked, NULL, &own, err);
  free(search);
  if (!code) *text = own;
  return code;
}

int sw_question_counted(char *text, int64_t counting) {
  char today[32], then[32];
  snprintf(today, sizeof today, " counting(%d) ", SW_COUNTING);
  snprintf(then, sizeof then, " counting(%" PRId64 ") ", counting);
  char *at = strstr(text, today);
  if (!at || counting < 0 || strlen(then) != strlen(today) ||
      !strcmp(then, today))
    return 0;
  memcpy(at, then, strlen(then));
  return 1;
}
