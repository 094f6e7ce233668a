/* `import`: lines to a data set (see import.h). Traces go to the writer as they
 * are read; groups, parts and what the words give away are known at the end. */
#include "domains/own/import.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/hash.h"
#include "base/lines.h"
#include "base/stop.h"
#include "domains/own/search_line.h"

#define GENERATOR_VERSION "statewise-1"
enum { LINE_MAX_BYTES = 64 << 20, UNSAID = 255 };

typedef struct import {
  const sw_import_options *o;
  sw_import_stats *stats;
  sw_words words;
  sw_search_reader reader;
  sw_search_line line;
  sw_dataset_writer *writer;
  sw_groups *groups;
  sw_tells tells;
  uint8_t *part; /* [searches] */
  int32_t *group;
  int64_t part_room, group_room;
  sw_step_seen *step;
  int64_t steps, step_room;
  int judged;
} import;

static int no_memory(sw_err *err) {
  return sw_no_memory_for(err, "the searches");
}

/* Steps: what their states show, whether they go back, what came before. */
static int note_steps(import *m, sw_err *err) {
  const sw_trace *t = &m->line.trace;
  const char *back = m->reader.back;
  int32_t back_token = sw_words_find(&m->words, back, strlen(back));
  int64_t prefix = sw_trace_block_end(t, 0);
  for (int64_t b = 1; b < t->blocks; b++) {
    int64_t begin = t->block_start[b], i = begin;
    int64_t end = sw_trace_block_end(t, b);
    while (i < end && !t->supervised[i]) i++;
    if (i == end || i == begin) continue;
    int is_back = t->token[i] == back_token;
    if (!sw_tells_step(&m->tells, t->token + begin, i - begin, is_back) ||
        !sw_grow64(&m->step, &m->step_room, m->steps + 1, sizeof *m->step))
      return no_memory(err);
    size_t size = sizeof *t->token;
    uint64_t words = sw_xxh64(t->token + begin, size * (size_t)(i - begin), 31);
    m->step[m->steps++] =
        (sw_step_seen){.words = words,
                       .state = sw_xxh64(&words, sizeof words, m->line.problem),
                       .history = sw_xxh64(t->token + prefix,
                                           size * (size_t)(begin - prefix), 32),
                       .search = (int32_t)m->stats->searches,
                       .is_back = is_back};
    m->stats->back_steps += is_back;
  }
  return SW_OK;
}

static void count(import *m) {
  const sw_trace *t = &m->line.trace;
  sw_import_stats *s = m->stats;
  s->searches++;
  s->steps += t->blocks - 1;
  s->tokens += t->length;
  s->solved += t->terminal == SW_TRACE_SOLVED;
  for (int64_t i = 0; i < t->length; i++) s->targets += t->supervised[i];
  for (int64_t b = 0; b < t->blocks; b++) {
    s->viable += t->verdict[b] == SW_VIABLE;
    s->dead += t->verdict[b] == SW_DEAD;
  }
  m->judged |= m->line.verdicts > 0;
}

static int take_line(import *m, const char *text, size_t bytes, sw_err *err) {
  int64_t at = m->stats->searches;
  SW_TRY(sw_search_line_read(&m->reader, text, bytes, &m->line, err));
  if (at >= INT32_MAX) return sw_fail(err, SW_LIMIT, "more than 2^31 searches");
  if (!sw_grow64(&m->part, &m->part_room, at + 1, sizeof *m->part) ||
      !sw_grow64(&m->group, &m->group_room, at + 1, sizeof *m->group) ||
      !sw_groups_add(m->groups, m->line.problem, m->line.group))
    return no_memory(err);
  m->part[at] = m->line.part < 0 ? UNSAID : (uint8_t)m->line.part;
  m->stats->parts_said |= m->line.part >= 0;
  SW_TRY(note_steps(m, err));
  SW_TRY(sw_dataset_append(m->writer, &m->line.trace, err));
  count(m);
  return SW_OK;
}

static int is_blank(const char *text, size_t bytes) {
  return strspn(text, " \t\r") == bytes;
}

static int take_file(import *m, const char *path, const sw_import_hooks *hooks,
                     sw_err *err) {
  sw_lines *lines;
  const char *text;
  size_t bytes;
  SW_TRY(sw_lines_open(&lines, path, LINE_MAX_BYTES, err));
  int code = SW_OK;
  int64_t before = m->stats->searches;
  while (!code && !(code = sw_lines_next(lines, &text, &bytes, err)) && text) {
    if (is_blank(text, bytes)) continue;
    code = take_line(m, text, bytes, err);
    if (code)
      sw_context(err, "%s:%lld", path, (long long)sw_lines_number(lines));
    if (!code && sw_time_to_stop()) code = sw_fail_stopped(err, path);
    if (hooks && hooks->progress && !code)
      hooks->progress(hooks->context, NULL, m->stats->searches, 0);
  }
  sw_lines_close(lines);
  if (!code && m->stats->searches == before)
    code = sw_fail(err, SW_DATA, "%s: no search in it", path);
  return code;
}

/* Which word goes back, and whether any step does. */
static int settle_back(import *m, sw_err *err) {
  const char *back = m->reader.back;
  int known = sw_words_find(&m->words, back, strlen(back)) >= 0;
  if (known && m->o->back && !m->stats->back_steps) {
    sw_fail(err, SW_USAGE, "--back %.60s: no action begins with this word",
            back);
    return sw_hint(err,
                   "the first word of an action says whether it goes back");
  }
  if (known && (m->stats->back_steps || m->o->vocabulary)) {
    SW_TRY(sw_words_set_back(&m->words, back, err));
    snprintf(m->stats->back, sizeof m->stats->back, "%s", back);
    return SW_OK;
  }
  if (!m->o->back) return SW_OK;
  sw_fail(err, SW_USAGE, "--back %.60s: no search has this word", back);
  return sw_hint(err, "which action says that the last one is taken back?");
}

static int settle_parts(import *m, sw_err *err) {
  sw_import_stats *s = m->stats;
  int64_t other;
  SW_TRY(sw_groups_split(m->groups, m->o, m->part, m->group, &s->groups, &other,
                         err));
  if (other >= 0) {
    sw_fail(err, SW_DATA,
            "search %lld says another `part` than an earlier one of the same "
            "problem or group",
            (long long)other + 1);
    return sw_hint(err, "a group is never split: give all of it one part");
  }
  for (int64_t i = 0; i < s->searches; i++) {
    s->train += m->part[i] == SW_PART_TRAIN;
    s->valid += m->part[i] == SW_PART_VALID;
    s->test += m->part[i] == SW_PART_TEST;
  }
  sw_count_states(m->step, m->steps, m->part, s);
  sw_tells_verdict(&m->tells, &m->words, &s->gives);
  s->words = m->words.count;
  if (m->words.back <= 0) s->gives = (sw_gives_away){.token = -1};
  return SW_OK;
}

void sw_import_stats_json(const sw_import_stats *s, sw_json *json) {
#define X(name) sw_json_int(json, #name, s->name);
  SW_IMPORT_COUNTS(X)
#undef X
  sw_json_string(json, "back", s->back[0] ? s->back : NULL);
  sw_json_object(json, "gives_away");
  sw_json_string(json, "word", s->gives.word[0] ? s->gives.word : NULL);
  sw_json_bool(json, "absent", s->gives.absent);
  sw_json_real(json, "balanced_accuracy", s->gives.balanced);
  sw_json_bool(json, "verdict_shown", s->gives.shown);
  sw_json_end(json);
}

static int finish(import *m, sw_err *err) {
  sw_import_stats *s = m->stats;
  char vocab[24], searches[24], seed[24];
  const char *meta[24];
  int pairs = 0;
  sw_json json;
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  sw_import_stats_json(s, &json);
  sw_json_end(&json);
  char *words = sw_words_json(&m->words);
  snprintf(vocab, sizeof vocab, "%d", m->words.count);
  snprintf(searches, sizeof searches, "%lld", (long long)s->searches);
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)m->o->seed);
#define META(key, value) \
  (meta[2 * pairs] = (key), meta[2 * pairs++ + 1] = (value))
  META("domain", SW_OWN_DOMAIN);
  META("format", "words");
  META("domain_options", "{}");
  META("vocab", vocab);
  META("count", searches);
  META("seed", seed);
  META("generator", GENERATOR_VERSION);
  META("words", words);
  META("imported", json.text);
  if (s->back[0]) META("back", s->back);
  if (s->gives.shown) META("verdict_shown", s->gives.word);
#undef META
  int code = words && !json.failed ? SW_OK : no_memory(err);
  if (!code) {
    sw_dataset_grouped(m->writer, m->part, m->group);
    if (!m->judged) sw_dataset_unjudge(m->writer);
    code = sw_dataset_finish(m->writer, meta, pairs, s->hash, err);
    m->writer = NULL;
  }
  free(words);
  sw_json_free(&json);
  return code;
}

static int run(import *m, const sw_import_hooks *hooks, sw_err *err) {
  const sw_import_options *o = m->o;
  m->groups = sw_groups_new();
  if (!m->groups) return no_memory(err);
  if (!o->files) return sw_fail(err, SW_USAGE, "no file of searches");
  if (o->vocabulary) SW_TRY(sw_words_copy(&m->words, o->vocabulary, err));
  const char *known = sw_words_text(&m->words, sw_words_back(&m->words));
  char back[SW_WORD_BYTES + 1];
  snprintf(back, sizeof back, "%s",
           o->back ? o->back
           : known ? known
                   : SW_DEFAULT_BACK);
  m->reader = (sw_search_reader){
      .words = &m->words,
      .vocabulary = o->vocabulary ? o->vocabulary_path : NULL,
      .back = back};
  SW_TRY(sw_dataset_create(&m->writer, o->output, err));
  for (int i = 0; i < o->files; i++)
    SW_TRY(take_file(m, o->file[i], hooks, err));
  SW_TRY(settle_back(m, err));
  SW_TRY(settle_parts(m, err));
  return finish(m, err);
}

int sw_import(const sw_import_options *options, const sw_import_hooks *hooks,
              sw_import_stats *stats, sw_err *err) {
import m = {.o = options, .stats = stats };
  memset(stats, 0, sizeof *stats);
  sw_search_line_init(&m.line);
  int code = run(&m, hooks, err);
  sw_dataset_abort(m.writer);
  sw_groups_free(m.groups);
  sw_tells_free(&m.tells);
  sw_search_line_free(&m.line);
  sw_words_free(&m.words);
  free(m.part);
  free(m.group);
  free(m.step);
  return code;
}
