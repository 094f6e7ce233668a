/* A data set that a model is asked about (see data.h). */
#include "probe/data.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/options.h"
#include "domains/of_file.h"
#include "domains/registry.h"

enum { PART_AUTO, PART_TRAIN, PART_VALID, PART_TEST, PART_ALL };

static int no_memory(const char *path, sw_err *err) {
  return sw_no_memory_for(err, "%s", path);
}

int64_t sw_data_blocks(const sw_dataset *set, int64_t trace) {
  return set->trace_block[trace + 1] - set->trace_block[trace];
}

sw_data_step sw_data_step_of(const sw_dataset *set, int64_t trace,
                             int64_t block) {
  int64_t at = set->trace_block[trace] + block;
  sw_data_step step = {set->block_start[at], set->block_start[at + 1], -1};
  int64_t first = step.begin;
  while (first < step.end && !set->supervised[first]) first++;
  /* Where the state's tokens are targets too, a judged set stores the end of
   * the state. */
  if (set->query && set->query[at] > 0) {
    int64_t query = step.begin + set->query[at];
    if (query < step.end && set->supervised[query]) first = query;
  }
  if (first < step.end && first > step.begin) step.first = first;
  return step;
}

/* ---- which traces ---- */

typedef struct problem {
  uint64_t hash;
  int64_t trace;
} problem;

static int by_hash(const void *a, const void *b) {
  const problem *x = a, *y = b;
  if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
  return (x->trace > y->trace) - (x->trace < y->trace);
}

/* Traces with the same prefix are of one problem, called after the first. */
static int find_problems(sw_probe_data *d, sw_err *err) {
  const sw_dataset *set = &d->set;
  problem *all = malloc(sizeof *all * ((size_t)set->traces + 1));
  if (!all) return no_memory(d->path, err);
  for (int64_t i = 0; i < set->traces; i++) {
    int64_t begin = set->trace_start[i];
    int64_t end = set->block_start[set->trace_block[i] + 1];
    size_t bytes = sizeof *set->tokens * (size_t)(end - begin);
    all[i] = (problem){sw_xxh64(set->tokens + begin, bytes, 41), i};
  }
  qsort(all, (size_t)set->traces, sizeof *all, by_hash);
  for (int64_t i = 0, first = 0; i < set->traces; i++) {
    if (all[i].hash != all[first].hash) first = i;
    d->problem[all[i].trace] = all[first].trace;
  }
  free(all);
  return SW_OK;
}

static int compare_i64(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int count_clusters(sw_probe_data *d, sw_err *err) {
  int64_t *seen = malloc(sizeof *seen * ((size_t)d->traces + 1));
  if (!seen) return no_memory(d->path, err);
  for (int64_t i = 0; i < d->traces; i++) seen[i] = d->cluster[d->trace[i]];
  qsort(seen, (size_t)d->traces, sizeof *seen, compare_i64);
  for (int64_t i = 0; i < d->traces; i++)
    d->clusters += i == 0 || seen[i] != seen[i - 1];
  free(seen);
  return SW_OK;
}

static int choose_traces(sw_probe_data *d, int part, sw_err *err) {
  const sw_dataset *set = &d->set;
  static const int of[] = {[PART_TRAIN] = SW_PART_TRAIN,
                           [PART_VALID] = SW_PART_VALID,
                           [PART_TEST] = SW_PART_TEST};
  if (part == PART_AUTO) {
    part = PART_ALL;
    for (int64_t i = 0; set->part && i < set->traces && part == PART_ALL; i++)
      if (set->part[i] == SW_PART_TEST) part = PART_TEST;
  }
  if (part != PART_ALL && !set->part) {
    sw_fail(err, SW_USAGE, "%s: its traces have no parts", d->path);
    return sw_hint(err, "statewise import makes sets of three parts");
  }
  d->part = part == PART_ALL ? "all" : sw_part_name(of[part]);
  for (int64_t i = 0; i < set->traces; i++)
    if (part == PART_ALL || set->part[i] == of[part]) d->trace[d->traces++] = i;
  if (d->traces) return SW_OK;
  return sw_fail(err, SW_DATA, "%s: no trace of the part %s", d->path, d->part);
}

/* ---- what steps choose from, and what a word tells ---- */

/* Models learn from every part but the test part. */
static int learned(const sw_dataset *set, int64_t trace) {
  return !set->part || set->part[trace] != SW_PART_TEST;
}

static int64_t *count_firsts(sw_probe_data *d, sw_tells *tells) {
  const sw_dataset *set = &d->set;
  int64_t *count = calloc((size_t)set->max_token + 1, 2 * sizeof *count);
  int64_t *usual = count ? count + set->max_token + 1 : NULL;
  int ok = count != NULL;
  for (int64_t i = 0; i < set->traces && ok; i++)
    for (int64_t b = 1; b < sw_data_blocks(set, i) && ok; b++) {
      sw_data_step s = sw_data_step_of(set, i, b);
      if (s.first < 0) continue;
      int32_t token = set->tokens[s.first];
      count[token]++;
      if (!learned(set, i)) continue;
      usual[token]++;
      if (d->back >= 0)
        ok = sw_tells_step(tells, set->tokens + s.begin, s.first - s.begin,
                           token == d->back);
    }
  if (ok) return count;
  free(count);
  return NULL;
}

static int list_offered(sw_probe_data *d, const int64_t *count, sw_err *err) {
  int32_t tokens = d->set.max_token + 1, back = 0;
  const int64_t *usual = count + tokens;
  d->offered = malloc(sizeof *d->offered * ((size_t)tokens + 1));
  if (!d->offered) return no_memory(d->path, err);
  d->usual = -1;
  for (int32_t t = 0; t < tokens; t++) {
    if (usual[t] > (d->usual < 0 ? 0 : usual[d->usual])) d->usual = t;
    if (count[t] && t != d->back) d->offered[d->offers++] = t;
    back |= count[t] && t == d->back;
  }
  if (back) d->offered[d->offers++] = d->back;
  else d->back = -1; /* no step goes back */
  if (d->offers) return SW_OK;
  sw_fail(err, SW_DATA, "%s: no step has a state before its first target",
          d->path);
  return sw_hint(err, d->domain->words
                          ? "mark the words of the action as targets, not the "
                            "state"
                          : "statewise gen --viability says where states end");
}

static int look_at_words(sw_probe_data *d, sw_err *err) {
  sw_words words;
  sw_tells tells = {0};
  SW_TRY(sw_words_of_meta(d->set.file, (int64_t)d->set.max_token + 1, d->path,
                          &words, err));
  d->back = sw_words_back(&words);
  int64_t *count = count_firsts(d, &tells);
  int code = count ? list_offered(d, count, err) : no_memory(d->path, err);
  sw_tells_verdict(&tells, &words, &d->gives);
  free(count);
  sw_tells_free(&tells);
  sw_words_free(&words);
  return code;
}

int sw_probe_data_open(sw_probe_data *d, const char *path, int part,
                       sw_err *err) {
  memset(d, 0, sizeof *d);
  d->path = path;
  SW_TRY(sw_dataset_open(&d->set, path, err));
  size_t traces = (size_t)d->set.traces + 1;
  d->trace = malloc(sizeof *d->trace * traces);
  d->cluster = malloc(sizeof *d->cluster * traces);
  d->problem = malloc(sizeof *d->problem * traces);
  int code =
      d->trace && d->cluster && d->problem ? SW_OK : no_memory(path, err);
  if (!code) code = sw_domain_of_set(&d->set, path, &d->domain, err);
  if (!code) code = choose_traces(d, part, err);
  if (!code) code = find_problems(d, err);
  for (int64_t i = 0; !code && i < d->set.traces; i++)
    d->cluster[i] = d->set.group ? d->set.group[i] : d->problem[i];
  if (!code) code = count_clusters(d, err);
  if (!code) code = look_at_words(d, err);
  if (code) sw_probe_data_close(d);
  return code;
}

void sw_probe_data_close(sw_probe_data *d) {
  if (!d->set.file) return;
  sw_domain_release(d->domain);
  sw_dataset_close(&d->set);
  free(d->trace);
  free(d->cluster);
  free(d->problem);
  free(d->offered);
  memset(d, 0, sizeof *d);
}

/* ---- set and model ---- */

static int other_words(const sw_probe_data *d, const sw_loaded *loaded,
                       const sw_words *model, sw_err *err) {
  sw_words words;
  int32_t at = -1;
  SW_TRY(sw_words_of_meta(d->set.file, (int64_t)d->set.max_token + 1, d->path,
                          &words, err));
  for (int32_t t = 0; t <= d->set.max_token && at < 0; t++) {
    const char *here = sw_words_text(&words, t);
    const char *there = sw_words_text(model, t);
    if (!here || !there || strcmp(here, there) != 0) at = t;
  }
  int code = SW_OK;
  if (at >= 0) {
    const char *there = sw_words_text(model, at);
    code = sw_fail(err, SW_USAGE,
                   "%s: token %d is \"%.60s\", but \"%.60s\" to the model %s",
                   d->path, at, sw_words_text(&words, at),
                   there ? there : "(none)", loaded->path);
    sw_hint(err, "statewise import --vocabulary %s uses its words",
            loaded->path);
  }
  sw_words_free(&words);
  return code;
}

int sw_probe_data_suits(const sw_probe_data *d, const sw_loaded *loaded,
                        sw_err *err) {
  const char *format = sw_dataset_meta(&d->set, "format");
  sw_words words;
  if (d->domain == loaded->domain) {
    if (d->domain->words || !format || !loaded->options.format ||
        !strcmp(format, loaded->options.format))
      return SW_OK;
    return sw_fail(err, SW_USAGE, "%s: format %.40s, but the model %s reads %s",
                   d->path, format, loaded->path, loaded->options.format);
  }
  if (loaded->domain->words)
    return other_words(d, loaded, loaded->domain->words, err);
  int32_t vocab = loaded->domain->vocab_size(&loaded->options);
  SW_TRY(sw_words_of_domain(loaded->domain, vocab, &words, err));
  int code = other_words(d, loaded, &words, err);
  sw_words_free(&words);
  return code;
}

int sw_probe_data_for(sw_probe_data *d, const char *path, int part,
                      const sw_loaded *loaded, sw_err *err) {
  if (!d->set.file) SW_TRY(sw_probe_data_open(d, path, part, err));
  SW_TRY(sw_probe_data_suits(d, loaded, err));
  if (strcmp(loaded->model->family->reads, "tokens") ||
      d->set.max_token < loaded->model->outputs)
    return SW_OK;
  return sw_fail(err, SW_DATA, "%s: token %d, but %s has %d", path,
                 d->set.max_token, loaded->path, loaded->model->outputs);
}

int sw_probe_data_seen(const sw_probe_data *d, const sw_loaded *loaded) {
  const char *hash = sw_st_meta(loaded->file, "data_hash");
  return hash && !strcmp(hash, d->set.hash) && strcmp(d->part, "test") != 0;
}

void sw_gives_words(const sw_gives_away *g, char *text, size_t room) {
  *text = 0;
  if (g->shown)
    snprintf(text, room,
             "verdict shown: the %s of the word \"%s\" tells when to go back "
             "(%.1f%% right)",
             g->absent ? "absence" : "presence", g->word, 100 * g->balanced);
}

void sw_probe_data_json(const sw_probe_data *d, sw_json *json) {
  if (!d->set.file) return;
  sw_json_string(json, "data", d->path);
  sw_json_string(json, "data_hash", d->set.hash);
  sw_json_string(json, "part", d->part);
  sw_json_int(json, "traces", d->traces);
  sw_json_int(json, "groups", d->clusters);
  sw_json_string(json, "verdict_shown", d->gives.shown ? d->gives.word : NULL);
}
