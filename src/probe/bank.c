/* State bank: building, inputs and statistics (see bank.h). */
#include "probe/bank.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/hash.h"
#include "probe/metrics.h"

void sw_bank_init(sw_bank *bank, const char *domain, const char *construction,
                  const char *format, int32_t back_token) {
  memset(bank, 0, sizeof *bank);
  snprintf(bank->domain, sizeof bank->domain, "%s", domain);
  snprintf(bank->construction, sizeof bank->construction, "%s", construction);
  snprintf(bank->format, sizeof bank->format, "%s", format);
  bank->back_token = back_token;
}

void sw_bank_free(sw_bank *bank) {
#define X(name, type, dtype, text) free(bank->name);
  SW_BANK_COLUMNS(X)
#undef X
  free(bank->options);
  free(bank->domain_options);
  memset(bank, 0, sizeof *bank);
}

/* Appends `count` elements of `size` bytes to a column. */
static void append(sw_bank *bank, void **column, sw_bank_col col, size_t size,
                   const void *data, int64_t count) {
  if (bank->failed) return;
  int64_t used = bank->count[col];
  if (!sw_grow64(column, &bank->room[col], used + count, size)) {
    bank->failed = 1;
    return;
  }
  if (count > 0)
    memcpy((char *)*column + size * (size_t)used, data, size * (size_t)count);
  bank->count[col] = used + count;
}

#define APPEND(name, data, number)                                             \
  do {                                                                         \
    void *append_column = bank->name;                                          \
    append(bank, &append_column, SW_BANK_COL_##name, sizeof *bank->name, data, \
           number);                                                            \
    bank->name = append_column;                                                \
  } while (0)
#define PUT_I64(name, value)     \
  do {                           \
    int64_t put_value = (value); \
    APPEND(name, &put_value, 1); \
  } while (0)
#define PUT_I32(name, value)     \
  do {                           \
    int32_t put_value = (value); \
    APPEND(name, &put_value, 1); \
  } while (0)
#define PUT_U8(name, value)               \
  do {                                    \
    uint8_t put_value = (uint8_t)(value); \
    APPEND(name, &put_value, 1);          \
  } while (0)
#define COUNT(name) (bank->count[SW_BANK_COL_##name])

int64_t sw_bank_add_instance(sw_bank *bank, const int32_t *prefix,
                             int64_t count) {
  if (COUNT(prefix_start) == 0) PUT_I64(prefix_start, 0);
  APPEND(prefix_tokens, prefix, count);
  PUT_I64(prefix_start, COUNT(prefix_tokens));
  return bank->instances++;
}

static void hash_id(const char *text, uint8_t raw[20]) {
  sw_sha sha;
  char hex[41];
  sw_sha1_init(&sha);
  sw_sha_update(&sha, text, strlen(text));
  sw_sha_hex(&sha, hex);
  for (int i = 0; i < 20; i++) {
    unsigned byte;
    sscanf(hex + 2 * i, "%2x", &byte);
    raw[i] = (uint8_t)byte;
  }
}

void sw_bank_begin_state(sw_bank *bank, int64_t instance, int label, int retry,
                         int32_t depth, int32_t size, const char *id_text) {
  uint8_t raw[20];
  hash_id(id_text, raw);
  if (bank->states == 0) {
    PUT_I64(probe_history, 0);
    PUT_I64(probe_allowed, 0);
    PUT_I64(probe_action, 0);
    PUT_I64(history_start, 0);
    PUT_I64(history_block, 0);
  }
  PUT_I64(instance, instance);
  PUT_U8(label, label);
  PUT_U8(retry, retry);
  PUT_I32(depth, depth);
  PUT_I32(size, size);
  APPEND(probe_id, raw, 20);
  bank->states++;
}

void sw_bank_add_history(sw_bank *bank, const sw_trace *trace, int64_t block,
                         int64_t last, int32_t rollout) {
  int64_t prefix = trace->blocks > 1 ? trace->block_start[1] : trace->length;
  for (int64_t b = 1; b <= block; b++)
    PUT_I64(block_start, trace->block_start[b] - prefix);
  APPEND(tokens, trace->token + prefix, last + 1 - prefix);
  PUT_I64(history_start, COUNT(tokens));
  PUT_I64(history_block, COUNT(block_start));
  PUT_I64(state_start, trace->block_start[block] - prefix);
  PUT_I32(history_trace, rollout);
  bank->histories++;
}

void sw_bank_allow(sw_bank *bank, int32_t token) { PUT_I32(allowed, token); }

void sw_bank_add_action(sw_bank *bank, int32_t var, int32_t value) {
  int32_t pair[2] = {var, value};
  APPEND(action, pair, 2);
}

void sw_bank_end_state(sw_bank *bank) {
  PUT_I64(probe_history, bank->histories);
  PUT_I64(probe_allowed, COUNT(allowed));
  PUT_I64(probe_action, COUNT(action) / 2);
}

/* ---- reading ---- */

int sw_bank_input(const sw_bank *bank, int64_t state, int64_t history,
                  int rebuilt, sw_trace *out, sw_err *err) {
  int64_t instance = bank->instance[state];
  sw_trace_clear(out);
  sw_trace_begin_block(out);
  for (int64_t i = bank->prefix_start[instance];
       i < bank->prefix_start[instance + 1]; i++)
    sw_trace_put(out, bank->prefix_tokens[i], 0);
  int64_t begin = bank->history_start[history],
          end = bank->history_start[history + 1];
  if (rebuilt) {
    sw_trace_begin_block(out);
    for (int64_t i = begin + bank->state_start[history]; i < end; i++)
      sw_trace_put(out, bank->tokens[i], 0);
  } else {
    int64_t first = bank->history_block[history],
            last = bank->history_block[history + 1];
    for (int64_t b = first; b < last; b++) {
      int64_t stop = b + 1 < last ? begin + bank->block_start[b + 1] : end;
      sw_trace_begin_block(out);
      for (int64_t i = begin + bank->block_start[b]; i < stop; i++)
        sw_trace_put(out, bank->tokens[i], 0);
    }
  }
  return out->failed ? sw_no_memory_for(err, "a bank input") : 0;
}

int sw_bank_same_history(const sw_bank *bank, int64_t a, int64_t b) {
  int64_t size = bank->state_start[a];
  return size == bank->state_start[b] &&
         memcmp(bank->tokens + bank->history_start[a],
                bank->tokens + bank->history_start[b],
                sizeof(int32_t) * (size_t)size) == 0;
}

void sw_bank_id_hex(const sw_bank *bank, int64_t state, char hex[41]) {
  for (int i = 0; i < 20; i++)
    snprintf(hex + 2 * i, 3, "%02x", bank->probe_id[20 * state + i]);
}

static int compare_u64(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Distinct (instance, state tokens) inputs, by 64-bit content hash. */
static int count_inputs(const sw_bank *bank, int64_t *out) {
  uint64_t *hash = malloc(sizeof *hash * (size_t)(bank->states + 1));
  if (!hash) return SW_MEMORY;
  for (int64_t p = 0; p < bank->states; p++) {
    int64_t h = bank->probe_history[p];
    int64_t begin = bank->history_start[h] + bank->state_start[h],
            end = bank->history_start[h + 1];
    hash[p] =
        sw_xxh64(bank->tokens + begin, sizeof(int32_t) * (size_t)(end - begin),
                 (uint64_t)bank->instance[p]);
  }
  qsort(hash, (size_t)bank->states, sizeof *hash, compare_u64);
  *out = 0;
  for (int64_t p = 0; p < bank->states; p++)
    *out += p == 0 || hash[p] != hash[p - 1];
  free(hash);
  return 0;
}

static void count_pairs(const sw_bank *bank, sw_bank_stats *out) {
  double history_tokens = 0;
  int64_t sizes[2] = {0, 0};
  int fair = strcmp(bank->construction, "fair") == 0;
  for (int64_t p = 0; p < bank->states; p++) {
    int64_t first = bank->probe_history[p], last = bank->probe_history[p + 1],
            k = last - first;
    int conflict = bank->label[p] != 0;
    *(conflict ? &out->conflicts : &out->viable) += 1;
    out->retries += bank->retry[p] != 0;
    int sized = !fair || !bank->retry[p];
    out->mean_size[conflict] += sized ? bank->size[p] : 0;
    sizes[conflict] += sized;
    out->pairs += k * (k - 1) / 2;
    out->histories_of[k < 4 ? k : 4]++;
    for (int64_t a = first; a < last; a++) {
      history_tokens += (double)bank->state_start[a];
      for (int64_t b = a + 1; b < last; b++)
        out->distinct_pairs += !sw_bank_same_history(bank, a, b);
    }
  }
  if (bank->histories)
    out->mean_history = history_tokens / (double)bank->histories;
  for (int k = 0; k < 2; k++)
    if (sizes[k]) out->mean_size[k] /= (double)sizes[k];
}

static void hash_ids(const sw_bank *bank, char hex[41]) {
  sw_sha sha;
  sw_sha1_init(&sha);
  for (int64_t p = 0; p < bank->states; p++) {
    char id[41];
    sw_bank_id_hex(bank, p, id);
    if (p > 0) sw_sha_update(&sha, ",", 1);
    sw_sha_update(&sha, id, 40);
  }
  sw_sha_hex(&sha, hex);
}

int sw_bank_stats_of(const sw_bank *bank, sw_bank_stats *out, sw_err *err) {
  memset(out, 0, sizeof *out);
  out->instances = bank->instances;
  out->states = bank->states;
  double *value = malloc(sizeof *value * (size_t)(bank->states + 1));
  if (!value || count_inputs(bank, &out->inputs)) {
    free(value);
    return sw_no_memory_for(err, "statistics of %lld states",
                            (long long)bank->states);
  }
  count_pairs(bank, out);
  hash_ids(bank, out->id_hash);
  for (int64_t p = 0; p < bank->states; p++) value[p] = bank->depth[p];
  int code =
      sw_quartile_thresholds(value, bank->states, out->depth_quartile, err);
  for (int64_t p = 0; p < bank->states; p++) value[p] = bank->size[p];
  if (!code)
    code = sw_quartile_thresholds(value, bank->states, out->size_quartile, err);
  free(value);
  return code;
}
