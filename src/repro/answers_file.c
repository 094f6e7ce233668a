/* Answers as JSON Lines (see answers.h). */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/json_read.h"
#include "report/read_json.h"
#include "repro/answers.h"

/* ---- reading: what a line says ---- */

/* A file is hostile: lists longer than any real run makes would cost memory,
 * and time that grows with their square. */
enum { MOST = 5000 };

static const char *copy(sw_answers *a, const char *text) {
  return sw_arena_strdup(&a->text, text);
}

static int read_run(sw_answers *a, const json_t *line) {
  sw_repro_origin o;
  memset(&o, 0, sizeof o);
#define TAKE(name) \
  snprintf(o.name, sizeof o.name, "%s", sw_member_text(line, #name, ""))
  TAKE(command);
  TAKE(over);
  TAKE(program);
  TAKE(kernels);
  TAKE(machine);
  TAKE(date);
#undef TAKE
  o.seconds = sw_member_real(line, "seconds", 0);
  o.counting = sw_member_int(line, "counting", 0);
  if (a->runs >= MOST) return SW_DATA;
  return sw_answers_add_run(a, &o) ? SW_OK : SW_MEMORY;
}

static int read_table(sw_answers *a, const json_t *line, const char *id) {
  if (a->tables >= MOST) return SW_DATA;
  return sw_answers_set_table(a, id, sw_member_text(line, "scale", "small"),
                              sw_member_text(line, "over", ""))
             ? SW_OK
             : SW_MEMORY;
}

static int is_file_name(const char *name) {
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-+._";
  size_t length = strlen(name);
  return length > 0 && length < 200 && *name != '.' &&
         strspn(name, letters) == length;
}

static int read_subject(sw_answers *a, const json_t *line, const char *name) {
  const json_t *pin;
  size_t at;
  sw_subject *s = a->subjects < MOST ? sw_answers_add_subject(a, name) : NULL;
  if (!s) return a->subjects < MOST ? SW_MEMORY : SW_DATA;
  s->seed = sw_member_int(line, "seed", 0);
#define X(member)                                  \
  s->member = sw_member_text(line, #member, NULL); \
  if (s->member && !(s->member = copy(a, s->member))) return SW_MEMORY;
  SW_SUBJECT_TEXTS(X)
#undef X
  json_array_foreach(json_object_get(line, "pins"), at, pin) {
    if (!json_is_string(pin)) continue;
    if (s->pins >= MOST) return SW_DATA;
    if (!sw_answers_pin(a, s, json_string_value(pin))) return SW_MEMORY;
  }
  return SW_OK;
}

static int read_answer(sw_answers *a, const json_t *line, const char *name) {
  const char *question = sw_member_text(line, "question", NULL), *figure;
  const char *by = sw_member_text(line, "by", NULL);
  json_t *one;
  sw_subject *s = a->subjects < MOST ? sw_answers_add_subject(a, name) : NULL;
  if (!s) return a->subjects < MOST ? SW_MEMORY : SW_DATA;
  if (!question || s->answers >= MOST) return SW_DATA;
  json_object_foreach(json_object_get(line, "figures"), figure, one) {
    sw_answer_figure f = {.name = figure,
                          .value = sw_member_real(one, "value", NAN),
                          .low = sw_member_real(one, "low", NAN),
                          .high = sw_member_real(one, "high", NAN),
                          .instances = sw_member_int(one, "instances", 0),
                          .each = sw_member_text(one, "each", NULL),
                          .by = sw_member_text(one, "by", by)};
    if (f.instances < 0) f.instances = 0;
    if (!sw_answers_put(a, s, question, &f)) return SW_MEMORY;
  }
  return SW_OK;
}

static int read_statistic(sw_answers *a, const json_t *line,
                          const char *title) {
  sw_answer_statistic s = {.title = title,
                           .table = sw_member_text(line, "in", ""),
                           .value = sw_member_real(line, "value", NAN),
                           .low = sw_member_real(line, "low", NAN),
                           .high = sw_member_real(line, "high", NAN),
                           .p = sw_member_real(line, "p", NAN)};
  int64_t pairs = sw_member_int(line, "pairs", 0);
  s.pairs = pairs > 0 && pairs < INT32_MAX ? (int)pairs : 0;
  if (a->statistics >= MOST) return SW_DATA;
  return sw_answers_add_statistic(a, &s) ? SW_OK : SW_MEMORY;
}

static int read_line(sw_answers *a, const json_t *line) {
  const char *name;
  if (sw_member_text(line, "run", NULL)) return read_run(a, line);
  if ((name = sw_member_text(line, "table", NULL)))
    return read_table(a, line, name);
  if ((name = sw_member_text(line, "statistic", NULL)))
    return read_statistic(a, line, name);
  if ((name = sw_member_text(line, "subject", NULL)))
    return is_file_name(name) ? read_subject(a, line, name) : SW_DATA;
  if ((name = sw_member_text(line, "of", NULL)))
    return is_file_name(name) ? read_answer(a, line, name) : SW_DATA;
  return SW_DATA;
}

int sw_answers_parse(sw_answers *a, const char *name, const char *text,
                     size_t bytes, sw_err *err) {
  const char *end = text + bytes;
  for (int number = 1; text < end; number++) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    size_t length = (size_t)((stop ? stop : end) - text);
    json_t *line = NULL;
    int code = SW_OK;
    if (length) {
      code = sw_json_read(&line, text, length, 0, NULL);
      if (!code) code = read_line(a, line);
      json_decref(line);
    }
    if (code == SW_MEMORY) return sw_no_memory(err);
    if (code) {
      sw_fail(err, SW_DATA, "%s:%d: no answer, subject, table or run", name,
              number);
      return sw_hint(err, "docs/formats.md says what a line is");
    }
    text += length + 1;
  }
  return SW_OK;
}

int sw_answers_read_file(sw_answers *a, const char *path, sw_err *err) {
  char *text;
  size_t bytes;
  SW_TRY(sw_read_file(path, 0, &text, &bytes, err));
  int code = sw_answers_parse(a, path, text, bytes, err);
  free(text);
  return code;
}

static int read_all_in(sw_answers *a, const char *directory, sw_err *err) {
  struct dirent **entry;
  int count, code = SW_OK;
  SW_TRY(sw_list_directory(directory, &entry, &count, err));
  for (int i = 0; i < count; i++) {
    char path[1700];
    size_t length = strlen(entry[i]->d_name);
    snprintf(path, sizeof path, "%s/%s", directory, entry[i]->d_name);
    if (!code && length > 6 && *entry[i]->d_name != '.' &&
        !strcmp(entry[i]->d_name + length - 6, ".jsonl"))
      code = sw_answers_read_file(a, path, err);
    free(entry[i]);
  }
  free(entry);
  return code;
}

/* Runs are read first: their dates decide which of two answers is newer. */
int sw_answers_read(sw_answers *a, const char *directory, sw_err *err) {
  static const char *const names[] = {"origins", "subjects"};
  char path[1400];
  if (!*directory) return SW_OK;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s.jsonl", directory, names[i]);
    if (sw_path_exists(path)) SW_TRY(sw_answers_read_file(a, path, err));
  }
  snprintf(path, sizeof path, "%s/answers", directory);
  SW_TRY(read_all_in(a, path, err));
  for (int i = 0; i < a->subjects; i++) a->subject[i].changed = 0;
  return SW_OK;
}

/* ---- writing ---- */

/* Lines that are sorted when they are written. */
typedef struct lines {
  char **line;
  int32_t count, room;
  int failed;
} lines;

static void add_line(lines *l, sw_json *json) {
  if (json->failed ||
      !sw_grow(&l->line, &l->room, l->count + 1, sizeof *l->line)) {
    l->failed = 1;
    sw_json_free(json);
    return;
  }
  l->line[l->count++] = json->text;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted, and gone. */
static int print_lines(lines *l, FILE *out, sw_err *err) {
  int failed = l->failed;
  if (l->count > 1) qsort(l->line, (size_t)l->count, sizeof *l->line, by_text);
  for (int i = 0; i < l->count; i++) {
    if (!failed) fprintf(out, "%s\n", l->line[i]);
    free(l->line[i]);
  }
  free(l->line);
  memset(l, 0, sizeof *l);
  return failed ? sw_no_memory(err) : SW_OK;
}

static int write_lines(lines *l, const char *path, sw_err *err) {
  sw_out_file file;
  int code = sw_out_open(&file, path, err);
  if (code) {
    l->failed = 1;
    (void)print_lines(l, NULL, NULL);
    return code;
  }
  code = print_lines(l, file.stream, err);
  if (!code) return sw_out_commit(&file, err);
  sw_out_abort(&file);
  return code;
}

static void text(sw_json *json, const char *key, const char *value) {
  if (value) sw_json_string(json, key, value);
}

static void run_lines(const sw_answers *a, lines *l) {
  for (int i = 0; i < a->runs; i++) {
    const sw_repro_origin *o = &a->run[i].origin;
    sw_json json;
    sw_json_to_text(&json);
    sw_json_object(&json, NULL);
    sw_json_string(&json, "run", a->run[i].id);
    sw_json_string(&json, "command", o->command);
    if (*o->over) sw_json_string(&json, "over", o->over);
    sw_json_string(&json, "program", o->program);
    sw_json_string(&json, "kernels", o->kernels);
    sw_json_string(&json, "machine", o->machine);
    if (o->counting) sw_json_int(&json, "counting", o->counting);
    sw_json_real(&json, "seconds", o->seconds);
    sw_json_string(&json, "date", o->date);
    sw_json_end(&json);
    add_line(l, &json);
  }
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void statistic_lines(const sw_answers *a, lines *l) {
  for (int i = 0; i < a->statistics; i++) {
    const sw_answer_statistic *s = &a->statistic[i];
    sw_json json;
    sw_json_to_text(&json);
    sw_json_object(&json, NULL);
    sw_json_string(&json, "statistic", s->title);
    sw_json_string(&json, "in", s->table);
    sw_json_real(&json, "value", s->value);
    sw_json_real(&json, "low", s->low);
    sw_json_real(&json, "high", s->high);
    sw_json_real(&json, "p", s->p);
    sw_json_int(&json, "pairs", s->pairs);
    sw_json_end(&json);
    add_line(l, &json);
  }
}

static void subject_lines(const sw_answers *a, lines *l) {
  for (int i = 0; i < a->tables; i++) {
    sw_json json;
    sw_json_to_text(&json);
    sw_json_object(&json, NULL);
    sw_json_string(&json, "table", a->table[i].id);
    sw_json_string(&json, "scale", a->table[i].scale);
    sw_json_string(&json, "over", a->table[i].over);
    sw_json_end(&json);
    add_line(l, &json);
  }
  for (int i = 0; i < a->subjects; i++) {
    const sw_subject *s = &a->subject[i];
    sw_json json;
    sw_json_to_text(&json);
    sw_json_object(&json, NULL);
    sw_json_string(&json, "subject", s->name);
    if (s->model) sw_json_int(&json, "seed", s->seed);
#define X(member) text(&json, #member, s->member);
    SW_SUBJECT_TEXTS(X)
#undef X
    sw_json_array(&json, "pins");
    if (s->pins > 1) /* only their order changes */
      qsort((void *)s->pin, (size_t)s->pins, sizeof *s->pin, by_name);
    for (int p = 0; p < s->pins; p++) sw_json_string(&json, NULL, s->pin[p]);
    sw_json_end(&json);
    sw_json_end(&json);
    add_line(l, &json);
  }
}

static int by_figure(const void *a, const void *b) {
  return strcmp(((const sw_answer_figure *)a)->name,
                ((const sw_answer_figure *)b)->name);
}

static void figure(const sw_answer_figure *f, const char *by, sw_json *json) {
  sw_json_object(json, f->name);
  sw_json_real(json, "value", f->value);
  if (!isnan(f->low)) sw_json_real(json, "low", f->low);
  if (!isnan(f->high)) sw_json_real(json, "high", f->high);
  if (f->instances) sw_json_int(json, "instances", f->instances);
  text(json, "each", f->each);
  if (f->by && (!by || strcmp(f->by, by) != 0))
    sw_json_string(json, "by", f->by);
  sw_json_end(json);
}

static void answer_lines(const sw_subject *s, lines *l) {
  for (int i = 0; i < s->answers; i++) {
    const sw_kept_answer *answer = &s->answer[i];
    if (!answer->figures) continue;
    sw_json json;
    sw_json_to_text(&json);
    sw_json_object(&json, NULL);
    sw_json_string(&json, "of", s->name);
    sw_json_string(&json, "question", answer->question);
    qsort(answer->figure, (size_t)answer->figures, sizeof *answer->figure,
          by_figure);
    const char *by = answer->figure[0].by;
    text(&json, "by", by);
    sw_json_object(&json, "figures");
    for (int f = 0; f < answer->figures; f++)
      figure(&answer->figure[f], by, &json);
    sw_json_end(&json);
    sw_json_end(&json);
    add_line(l, &json);
  }
}

int sw_answers_write(const sw_answers *a, const char *directory, sw_err *err) {
  char path[1400];
  lines l = {0};
  snprintf(path, sizeof path, "%s/answers", directory);
  SW_TRY(sw_make_dirs(path, err));
  run_lines(a, &l);
  snprintf(path, sizeof path, "%s/origins.jsonl", directory);
  SW_TRY(write_lines(&l, path, err));
  for (int i = 0; i < a->subjects; i++) {
    if (!a->subject[i].changed || !a->subject[i].answers) continue;
    answer_lines(&a->subject[i], &l);
    snprintf(path, sizeof path, "%s/answers/%s.jsonl", directory,
             a->subject[i].name);
    SW_TRY(write_lines(&l, path, err));
  }
  statistic_lines(a, &l);
  subject_lines(a, &l);
  snprintf(path, sizeof path, "%s/subjects.jsonl", directory);
  return write_lines(&l, path, err);
}

int sw_answers_print(const sw_answers *a, FILE *out, sw_err *err) {
  lines l = {0};
  run_lines(a, &l);
  statistic_lines(a, &l);
  subject_lines(a, &l);
  for (int i = 0; i < a->subjects; i++) answer_lines(&a->subject[i], &l);
  return print_lines(&l, out, err);
}

int sw_answers_write_file(const sw_answers *a, const char *path, sw_err *err) {
  sw_out_file file;
  SW_TRY(sw_out_open(&file, path, err));
  int code = sw_answers_print(a, file.stream, err);
  if (!code) return sw_out_commit(&file, err);
  sw_out_abort(&file);
  return code;
}
