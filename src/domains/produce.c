/* Producing data sets (see produce.h). Instances are drawn one after the other
 * into a chunk, the teams of all ranks write the chunk's traces, and rank 0
 * appends the kept ones in order. */
#include "domains/produce.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/ranks.h"
#include "base/threads.h"
#include "domains/drawn.h"
#include "domains/judge.h"
#include "domains/replay.h"
#include "domains/produced.h"
#include "domains/resolve.h"
#include "trace/dataset.h"

#define GENERATOR_VERSION "statewise-1"
enum { CHUNK = 128 };

typedef struct chunk {
  const sw_domain *domain;
  const sw_domain_options *options;
  const sw_produce_options *produce;
  sw_mt shared;  /* release */
  int64_t first; /* index of instance[0] in the stream */
  int count, room,
      dropped_in_a_row; /* dropped_in_a_row: dropped since the last one kept */
  sw_instance **instance; /* [room], and so on */
  sw_trace *trace;
  int *code;
  sw_err *err;
  char *streams; /* of the sets before, "42 43"; NULL: there are none */
  char *drawn;   /* what tests must leave out: the instances of these sets, or
                  * of all (drawn.h) */
} chunk;

static int chunk_new(chunk **out, sw_err *err) {
  chunk *c = *out = calloc(1, sizeof *c);
  if (!c) return sw_no_memory(err);
  size_t room = CHUNK * (size_t)sw_ranks_count();
  c->instance = calloc(room, sizeof *c->instance);
  c->trace = calloc(room, sizeof *c->trace);
  c->code = calloc(room, sizeof *c->code);
  c->err = calloc(room, sizeof *c->err);
  if (!c->instance || !c->trace || !c->code || !c->err)
    return sw_no_memory(err);
  c->room = (int)room;
  for (int i = 0; i < c->room; i++) sw_trace_init(&c->trace[i]);
  return SW_OK;
}

static int in_order(const sw_domain_options *options) {
  return options->preset != 0;
}

static void write_one(chunk *c, int i) {
  sw_mt own, *mt = &c->shared;
  if (!in_order(c->options)) {
    uint64_t stream = ((uint64_t)c->produce->split << 32) + 0x7472;
    sw_mt_seed(&own, sw_philox_u64(c->produce->seed, stream,
                                   (uint64_t)(c->first + i)));
    mt = &own;
  }
  sw_trace_clear(&c->trace[i]);
  const sw_produce_options *p = c->produce;
  c->code[i] = p->write ? p->write(p->context, c->instance[i], c->first + i,
                                   &c->trace[i], &c->err[i])
                        : c->domain->write_trace(c->instance[i], c->options, mt,
                                                 &c->trace[i], &c->err[i]);
  if (p->viability && !c->code[i]) {
    static const sw_rules search = {0};
    c->code[i] = sw_judge_trace(c->domain, c->options,
                                p->write ? &search : &sw_rules_of_expert,
                                c->instance[i], &c->trace[i], &c->err[i]);
  }
  c->trace[i].attempt = (int32_t)(c->first + i);
}

/* Item i is that of rank i % ranks; threads of a rank take turns in its own. */
static void write_share(void *context, int rank, int size) {
  chunk *c = context;
  int ranks = sw_ranks_count();
  for (int i = sw_ranks_me() + ranks * rank; i < c->count; i += ranks * size)
    write_one(c, i);
}

/* Rank 0 gets what the others wrote. */
static int gather_chunk(chunk *c, sw_err *err) {
  int ranks = sw_ranks_count(), me = sw_ranks_me();
  if (ranks == 1) return SW_OK;
  char *mine = NULL, *all = NULL;
  size_t bytes = 0, total = 0;
  FILE *out = open_memstream(&mine, &bytes);
  if (!out) return sw_no_memory(err);
  for (int i = me; i < c->count && me; i += ranks) {
    fwrite(&c->code[i], sizeof *c->code, 1, out);
    if (c->code[i]) fwrite(&c->err[i], sizeof *c->err, 1, out);
    else sw_trace_pack(&c->trace[i], out);
  }
  int code = sw_memory_close(out, &mine)
                 ? sw_ranks_gather(mine, bytes, &all, &total, err)
                 : sw_no_memory(err);
  const char *at = all;
  for (int r = 1; r < ranks && !code && !me; r++)
    for (int i = r; i < c->count && !code; i += ranks) {
      memcpy(&c->code[i], at, sizeof *c->code);
      at += sizeof *c->code;
      if (c->code[i]) memcpy(&c->err[i], at, sizeof *c->err);
      if (c->code[i]) at += sizeof *c->err;
      else code = sw_trace_unpack(&c->trace[i], &at, err);
    }
  free(mine);
  free(all);
  return code;
}

/* All ranks go on, or stop, together. */
static int agree(sw_produce_stats *stats, int *stop, sw_err *err) {
  unsigned any;
  SW_TRY(sw_ranks_agree(*stop != 0, &any, err));
  *stop = any != 0;
  return sw_ranks_share(stats, sizeof *stats, 0, err);
}

static int draw_chunk(chunk *c, sw_stream *stream, int64_t most, sw_err *err) {
  c->first += c->count;
  c->count = 0;
  while (c->count < c->room && c->count < most) {
    SW_TRY(c->domain->stream_next(stream, &c->instance[c->count], err));
    c->count++;
  }
  return SW_OK;
}

static void free_instances(chunk *c) {
  for (int i = 0; i < c->count; i++) c->domain->instance_free(c->instance[i]);
  memset(c->instance, 0, sizeof *c->instance * (size_t)c->room);
}

static void count_trace(sw_produce_stats *s, const sw_trace *t) {
  s->kept++;
  s->tokens += t->length;
  s->blocks += t->blocks > 0 ? t->blocks - 1 : 0;
  s->decisions += t->decisions;
  s->conflicts += t->conflicts;
  s->cut += t->terminal == SW_TRACE_CUT;
  s->solved += t->terminal == SW_TRACE_SOLVED;
  for (int64_t i = 0; i < t->length; i++)
    s->supervised += t->supervised[i] != 0;
  for (int64_t b = 1; b < t->blocks; b++) {
    s->viable += t->verdict[b] == SW_VIABLE;
    s->dead += t->verdict[b] == SW_DEAD;
  }
}

/* Appends the chunk's kept traces in order, up to the number asked for. */
static int take_chunk(chunk *c, sw_dataset_writer *writer,
                      sw_produce_stats *stats, sw_err *err) {
  for (int i = 0; i < c->count && stats->kept < c->produce->count; i++) {
    stats->attempts++;
    if (c->code[i] == SW_LIMIT) {
      stats->dropped++;
      if (++c->dropped_in_a_row < SW_DROPPED_MAX) continue;
      if (err) *err = c->err[i];
      sw_context(err, "%d traces in a row were dropped, the last because",
                 SW_DROPPED_MAX);
      return sw_hint(err, "allow longer traces, or --too-long cut");
    }
    c->dropped_in_a_row = 0;
    if (c->code[i]) {
      if (err) *err = c->err[i];
      return c->code[i];
    }
    if (c->trace[i].failed) return sw_no_memory(err);
    if (writer) SW_TRY(sw_dataset_append(writer, &c->trace[i], err));
    count_trace(stats, &c->trace[i]);
  }
  return SW_OK;
}

/* Options that decide how a state is written. All others decide only which
 * states there are. */
static int written(const char *name) {
  static const char *const names[] = {"format", "layout",  "retry-mark",
                                      "stacks", "tried",   "colors",
                                      "loss",   "grammar", "grammar-hash"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i], name)) return 1;
  return 0;
}

static const char *const splits[] = {"train", "valid", "test"};

/* The stream that a set's own traces were drawn from; 0: it does not say. */
static int stream_of(const chunk *c, const sw_dataset *set, uint64_t *stream) {
  const char *seed = sw_dataset_meta(set, "seed");
  const char *split = sw_dataset_meta(set, "split");
  int which = SW_SPLIT_TRAIN;
  if (!seed) return 0;
  for (int i = 0; split && i < 3; i++)
    if (!strcmp(split, splits[i])) which = i;
  *stream =
      sw_stream_seed(c->options, strtoull(seed, NULL, 10), (sw_split)which);
  return 1;
}

/* Refuses a stream that was drawn from before and remembers all streams. An
 * instance that came twice could be both trained on and validated on, since the
 * split is by trace. */
static int check_streams(chunk *c, const sw_dataset *set, sw_err *err) {
  const char *before = sw_dataset_meta(set, "streams");
  const sw_produce_options *p = c->produce;
  uint64_t own = sw_stream_seed(c->options, p->seed, p->split), last;
  size_t room = (before ? strlen(before) : 0) + 32;
  c->streams = malloc(room);
  if (!c->streams) return sw_no_memory(err);
  snprintf(c->streams, room, "%s", before ? before : "");
  size_t used = strlen(c->streams);
  if (stream_of(c, set, &last))
    snprintf(c->streams + used, room - used, "%s%llu", used ? " " : "",
             (unsigned long long)last);
  for (char *at = c->streams, *end; *at; at = end) {
    uint64_t there = strtoull(at, &end, 10);
    if (end == at)
      return sw_fail(err, SW_DATA, "%s: its `streams` are damaged: %.40s",
                     p->before, at);
    if (there != own) continue;
    sw_fail(err, SW_USAGE,
            "%s: has the instances of seed %llu and split %s already",
            p->before, (unsigned long long)p->seed, splits[p->split]);
    return sw_hint(err, "give another --seed");
  }
  return SW_OK;
}

/* Do the earlier traces mean the same by the same tokens? The metadata of a
 * data set holds for all of its traces. */
static int check_earlier(const chunk *c, const sw_dataset *set, sw_err *err) {
  const char *path = c->produce->before;
  const char *domain = sw_dataset_meta(set, "domain");
  const char *meta = sw_dataset_meta(set, "domain_options");
  sw_option_change change;
  if (!domain || !meta || strcmp(domain, c->domain->name))
    return sw_fail(err, SW_USAGE, "%s: traces of another domain", path);
  if (!set->viability != !c->produce->viability)
    return sw_fail(err, SW_USAGE, "%s: its states are %s", path,
                   set->viability ? "judged; say --viability" : "not judged");
  int32_t vocab = c->domain->vocab_size(c->options);
  if (set->max_token >= vocab)
    return sw_fail(err, SW_USAGE, "%s: token %d, these options have %d tokens",
                   path, set->max_token, vocab);
  SW_TRY(sw_produced_change(c->domain, c->options, meta, path, written, &change,
                            err));
  if (!*change.name) return SW_OK;
  if (!strcmp(change.name, "grammar-hash"))
    return sw_fail(err, SW_USAGE,
                   "%s: the grammar file has been edited since its traces were "
                   "written",
                   path);
  sw_fail(err, SW_USAGE, "%s: traces of another %s", path, change.name);
  return sw_hint(err, "give --%s as they have it", change.name);
}

/* The traces of the set before, as they are. */
static int take_earlier(chunk *c, sw_dataset_writer *writer,
                        const sw_produce_hooks *hooks, sw_produce_stats *stats,
                        sw_err *err) {
  static const sw_view_options whole = {.view = SW_VIEW_FULL};
  sw_dataset set;
  sw_trace trace;
  SW_TRY(sw_dataset_open(&set, c->produce->before, err));
  int code = check_earlier(c, &set, err);
  if (!code) code = check_streams(c, &set, err);
  if (!code && c->options->exclude > 0)
    code = sw_drawn_of_set(c->domain, &set, c->produce->before, &c->drawn, err);
  sw_trace_init(&trace);
  for (int64_t i = 0; i < set.traces && !code; i++) {
    code = sw_dataset_item(&set, &whole, i, &trace, err);
    if (!code) code = sw_dataset_append(writer, &trace, err);
    if (!code && hooks->stop && hooks->stop(hooks->context))
      code = sw_fail(err, SW_STOPPED, "stopped; no file was written");
    stats->earlier += !code;
  }
  sw_trace_free(&trace);
  sw_dataset_close(&set);
  return code;
}

/* Does the expert make errors? With errors other instances are kept, so the
 * first `exclude` kept traces are not those of an expert without errors. */
static int errs(const chunk *c) {
  const sw_option *row =
      sw_options_find(c->domain->options, c->domain->option_count, "error");
  return row && *(const double *)((const char *)c->options + row->offset) > 0;
}

/* A test of this set's models must leave out all of its instances. */
static int leave_for_tests(chunk *c, const sw_produce_stats *stats,
                           sw_domain_options *kept, sw_err *err) {
  const sw_produce_options *p = c->produce;
  if (p->split == SW_SPLIT_TRAIN && kept->exclude > 0) {
    kept->exclude_seed = (int64_t)p->seed;
    if (kept->exclude < stats->kept && stats->kept < INT_MAX)
      kept->exclude = (int)stats->kept;
    if (p->before || p->write || errs(c)) {
      char *all = sw_drawn_and(c->drawn, p->seed, stats->attempts);
      if (!all) return sw_no_memory(err);
      free(c->drawn);
      c->drawn = all;
    }
  }
  if (c->drawn && *c->drawn) kept->exclude_drawn = c->drawn;
  return SW_OK;
}

static int finish_file(chunk *c, sw_dataset_writer *writer,
                       sw_produce_stats *stats, sw_err *err) {
  char vocab[16], count[24], seed[24], attempts[24], dropped[24];
  sw_domain_options kept = *c->options;
  int left = leave_for_tests(c, stats, &kept, err);
  char *options = left ? NULL : sw_domain_options_json(c->domain, &kept);
  if (!options) {
    sw_dataset_abort(writer);
    return left ? left : sw_no_memory(err);
  }
  snprintf(vocab, sizeof vocab, "%d", c->domain->vocab_size(c->options));
  snprintf(count, sizeof count, "%lld",
           (long long)(stats->kept + stats->earlier));
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)c->produce->seed);
  snprintf(attempts, sizeof attempts, "%lld", (long long)stats->attempts);
  snprintf(dropped, sizeof dropped, "%lld", (long long)stats->dropped);
  char *words = c->domain->words ? sw_words_json(c->domain->words) : NULL;
  if (c->domain->words && !words) {
    sw_dataset_abort(writer);
    free(options);
    return sw_no_memory(err);
  }
  const char *meta[32] = {
      "domain",         c->domain->name,
      "format",         c->options->format ? c->options->format : "",
      "domain_options", options,
      "vocab",          vocab,
      "count",          count,
      "seed",           seed,
      "split",          splits[c->produce->split],
      "attempts",       attempts,
      "dropped",        dropped,
      "generator",      GENERATOR_VERSION};
  int pairs = 10;
  if (c->produce->played) {
    meta[2 * pairs] = "played";
    meta[2 * pairs++ + 1] = c->produce->played;
  }
  if (c->streams) {
    meta[2 * pairs] = "streams";
    meta[2 * pairs++ + 1] = c->streams;
  }
  if (words) {
    meta[2 * pairs] = "words";
    meta[2 * pairs++ + 1] = words;
    meta[2 * pairs] = "back";
    meta[2 * pairs++ + 1] =
        sw_words_text(c->domain->words, c->domain->back_token);
  }
  int code = sw_dataset_finish(writer, meta, pairs, stats->hash, err);
  free(words);
  free(options);
  return code;
}

static int produce_all(chunk *c, sw_stream *stream, sw_team *team,
                       sw_dataset_writer *writer, const sw_produce_hooks *hooks,
                       sw_produce_stats *stats, sw_err *err) {
  const sw_produce_options *p = c->produce;
  while (stats->kept < p->count &&
         (!p->attempts || stats->attempts < p->attempts)) {
    int64_t most = p->count - stats->kept;
    if (p->attempts && p->attempts - stats->attempts < most)
      most = p->attempts - stats->attempts;
    /* Release streams may not be consumed past the last kept trace's chunk:
     * nothing follows, so a chunk larger than needed only costs time. */
    SW_TRY(draw_chunk(c, stream, most, err));
    if (!in_order(c->options)) {
      sw_team_run(team, write_share, c);
      SW_TRY(gather_chunk(c, err));
    } else if (sw_ranks_me() == 0) {
      for (int i = 0; i < c->count; i++) write_one(c, i);
    }
    if (sw_ranks_me() == 0) SW_TRY(take_chunk(c, writer, stats, err));
    free_instances(c);
    int stop = hooks->stop && hooks->stop(hooks->context);
    SW_TRY(agree(stats, &stop, err));
    if (hooks->progress)
      hooks->progress(hooks->context, NULL, stats->kept, p->count);
    if (stop) return sw_fail(err, SW_STOPPED, "stopped; no file was written");
  }
  return SW_OK;
}

static void chunk_free(chunk *c) {
  if (!c) return;
  if (c->instance) free_instances(c);
  for (int i = 0; i < c->room; i++) sw_trace_free(&c->trace[i]);
  free(c->instance);
  free(c->trace);
  free(c->code);
  free(c->err);
  free(c->streams);
  free(c->drawn);
  free(c);
}

int sw_produce(const sw_domain *domain, const sw_domain_options *options,
               const sw_produce_options *produce, const char *path,
               const sw_produce_hooks *hooks, sw_produce_stats *stats,
               sw_err *err) {
  static const sw_produce_hooks none;
  double begin = sw_now();
  if (!hooks) hooks = &none;
  memset(stats, 0, sizeof *stats);
  chunk *c = NULL;
  sw_stream *stream = NULL;
  sw_team *team = NULL;
  sw_dataset_writer *writer = NULL;
  int code = chunk_new(&c, err), stop = 0;
  if (!code) {
    c->domain = domain;
    c->options = options;
    c->produce = produce;
    sw_mt_seed(&c->shared, produce->seed);
    code = domain->stream_new(&stream, options, produce->seed, produce->split,
                              err);
  }
  if (!code) code = sw_team_new(&team, produce->threads, err);
  if (!code && path && sw_ranks_me() == 0)
    code = sw_dataset_create(&writer, path, err);
  if (!code && writer && produce->before)
    code = take_earlier(c, writer, hooks, stats, err);
  if (!code) code = produce_all(c, stream, team, writer, hooks, stats, err);
  if (writer) {
    if (code) sw_dataset_abort(writer);
    else code = finish_file(c, writer, stats, err);
  }
  if (!code) code = agree(stats, &stop, err); /* the file is there for all */
  chunk_free(c);
  if (stream) domain->stream_free(stream);
  sw_team_free(team);
  stats->seconds = sw_now() - begin;
  return code;
}
