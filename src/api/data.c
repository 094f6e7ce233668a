/* The public C API: writing and checking data sets. */
#include <stdlib.h>
#include "api/inner.h"
#include "trace/dataset.h"

struct statewise_writer {
  sw_dataset_writer *out;
  sw_trace trace; /* reused */
  int64_t written;
  int judged; /* the traces have verdicts: all of them, or none */
};

int statewise_data_create(statewise_writer **writer, const char *path,
                          statewise_error *error) {
  sw_err *err = api_error(error);
  SW_TRY(api_need(err, "statewise_data_create", writer, path, path));
  *writer = NULL;
  statewise_writer *w = calloc(1, sizeof *w);
  if (!w) return sw_no_memory(err);
  sw_trace_init(&w->trace);
  int code = sw_dataset_create(&w->out, path, err);
  if (code) free(w);
  else *writer = w;
  return code;
}

void statewise_data_abort(statewise_writer *writer) {
  if (!writer) return;
  sw_dataset_abort(writer->out);
  sw_trace_free(&writer->trace);
  free(writer);
}

static int check_trace(const statewise_writer *w, const statewise_trace *t,
                       sw_err *err) {
  long long number = (long long)w->written;
  if (t->blocks < 1 || t->block_start[0] != 0)
    return sw_fail(err, SW_DATA,
                   "trace %lld: block 0, the problem, begins at token 0",
                   number);
  if (t->tokens < 1 || t->tokens > INT32_MAX)
    return sw_fail(err, SW_DATA, "trace %lld: %lld tokens", number,
                   (long long)t->tokens);
  for (int64_t b = 1; b <= t->blocks; b++) {
    int64_t end = b < t->blocks ? t->block_start[b] : t->tokens;
    if (end < t->block_start[b - 1] || end > t->tokens)
      return sw_fail(
          err, SW_DATA, "trace %lld: block %lld starts at %lld of %lld tokens",
          number, (long long)b, (long long)end, (long long)t->tokens);
  }
  for (int64_t i = 0; i < t->tokens; i++)
    if (t->token[i] < 0 || t->target[i] > 1 || (!i && t->target[i]))
      return sw_fail(err, SW_DATA,
                     "trace %lld: token %lld is %d, target %d (targets are 0 "
                     "or 1, the first token is none)",
                     number, (long long)i, t->token[i], t->target[i]);
  if (!t->viability != !t->query)
    return sw_fail(err, SW_USAGE, "trace %lld: viability without query",
                   number);
  if (w->written && w->judged != (t->viability != NULL))
    return sw_fail(err, SW_DATA,
                   "trace %lld: all traces have verdicts, or none", number);
  return SW_OK;
}

static int check_verdicts(const statewise_writer *w, const statewise_trace *t,
                          sw_err *err) {
  for (int64_t b = 0; t->viability && b < t->blocks; b++) {
    int64_t end = b + 1 < t->blocks ? t->block_start[b + 1] : t->tokens;
    if (t->viability[b] >= SW_VIABILITIES || t->query[b] < 0 ||
        t->query[b] > end - t->block_start[b])
      return sw_fail(
          err, SW_DATA, "trace %lld: block %lld has viability %d at query %d",
          (long long)w->written, (long long)b, t->viability[b], t->query[b]);
  }
  return SW_OK;
}

int statewise_data_append(statewise_writer *writer,
                          const statewise_trace *trace,
                          statewise_error *error) {
  sw_err *err = api_error(error);
  SW_TRY(api_need(err, "statewise_data_append", writer, trace, trace));
  SW_TRY(api_need(err, "statewise_data_append: members", trace->token,
                  trace->target, trace->block_start));
  SW_TRY(check_trace(writer, trace, err));
  SW_TRY(check_verdicts(writer, trace, err));
  sw_trace *t = &writer->trace;
  sw_trace_clear(t);
  for (int64_t b = 0; b < trace->blocks; b++) {
    int64_t end =
        b + 1 < trace->blocks ? trace->block_start[b + 1] : trace->tokens;
    sw_trace_begin_block(t);
    for (int64_t i = trace->block_start[b]; i < end; i++)
      sw_trace_put(t, trace->token[i], trace->target[i]);
    if (trace->viability)
      sw_trace_judge(t, b, (sw_viability)trace->viability[b], trace->query[b]);
  }
  t->judged = trace->viability != NULL;
  t->n = trace->n;
  t->terminal = trace->terminal;
  t->decisions = trace->decisions;
  t->conflicts = trace->conflicts;
  SW_TRY(sw_dataset_append(writer->out, t, err));
  writer->judged = t->judged;
  writer->written++;
  return SW_OK;
}

static int is_ours(const char *key) {
  return !strcmp(key, "format_version") || !strcmp(key, "content_hash");
}

int statewise_data_finish(statewise_writer *writer, const char *const *meta,
                          int pairs, char hash[17], statewise_error *error) {
  sw_err *err = api_error(error);
  SW_TRY(api_need(err, "statewise_data_finish", writer, writer, writer));
  int code =
      pairs < 0 || (pairs && !meta)
          ? sw_fail(err, SW_USAGE, "statewise_data_finish: %d pairs", pairs)
          : SW_OK;
  for (int i = 0; i < pairs && !code; i++)
    if (!meta[2 * i] || !meta[2 * i + 1] || is_ours(meta[2 * i]))
      code =
          sw_fail(err, SW_USAGE, "metadata `%.40s` is the library's to write",
                  meta[2 * i] ? meta[2 * i] : "NULL");
  if (!code) {
    code = sw_dataset_finish(writer->out, meta, pairs, hash, err);
    writer->out = NULL; /* finished or not, it is gone */
  }
  statewise_data_abort(writer);
  return code;
}

int statewise_data_check(const char *path, char hash[17],
                         statewise_error *error) {
  sw_err *err = api_error(error);
  sw_dataset set;
  SW_TRY(api_need(err, "statewise_data_check", path, path, path));
  SW_TRY(sw_dataset_open(&set, path, err));
  if (hash) memcpy(hash, set.hash, sizeof set.hash);
  sw_dataset_close(&set);
  return SW_OK;
}
