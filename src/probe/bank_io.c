/* State bank files: one safetensors file with a tensor a column. Loading treats
 * the file as hostile: sw_bank_check verifies every index before use. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/safetensors.h"
#include "base/text.h"
#include "domains/domain.h"
#include "domains/produced.h"
#include "probe/bank.h"

/* A *_start column: entries + 1 values, ascending from 0 to `end`. */
static int check_starts(const char *name, const int64_t *start, int64_t count,
                        int64_t entries, int64_t end, sw_err *err) {
  if (entries == 0 && count == 0) return 0;
  if (count != entries + 1)
    return sw_fail(err, SW_DATA,
                   "bank column %s has %" PRId64 " entries, not %" PRId64, name,
                   count, entries + 1);
  if (start[0] != 0 || start[entries] != end)
    return sw_fail(err, SW_DATA,
                   "bank column %s does not run from 0 to %" PRId64, name, end);
  for (int64_t i = 0; i < entries; i++)
    if (start[i] > start[i + 1])
      return sw_fail(err, SW_DATA, "bank column %s falls at entry %" PRId64,
                     name, i + 1);
  return 0;
}

static int check_counts(const sw_bank *bank, sw_err *err) {
  const struct {
    sw_bank_col col;
    int64_t want;
    const char *name;
  } row[] = {
      {SW_BANK_COL_instance, bank->states, "instance"},
      {SW_BANK_COL_label, bank->states, "label"},
      {SW_BANK_COL_retry, bank->states, "retry"},
      {SW_BANK_COL_depth, bank->states, "depth"},
      {SW_BANK_COL_size, bank->states, "size"},
      {SW_BANK_COL_probe_id, 20 * bank->states, "probe_id"},
      {SW_BANK_COL_state_start, bank->histories, "state_start"},
      {SW_BANK_COL_history_trace, bank->histories, "history_trace"},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    if (bank->count[row[i].col] != row[i].want)
      return sw_fail(err, SW_DATA,
                     "bank column %s has %" PRId64 " entries, not %" PRId64,
                     row[i].name, bank->count[row[i].col], row[i].want);
  return 0;
}

/* clang-format off */
#define STARTS(name, entries, end) \
  SW_TRY(check_starts(#name, bank->name, bank->count[SW_BANK_COL_##name], entries, end, err))
/* clang-format on */

static int check_histories(const sw_bank *bank, sw_err *err) {
  for (int64_t h = 0; h < bank->histories; h++) {
    int64_t length = bank->history_start[h + 1] - bank->history_start[h];
    int64_t first = bank->history_block[h], last = bank->history_block[h + 1];
    int ok = first < last && bank->block_start[first] == 0;
    for (int64_t b = first; ok && b < last; b++)
      ok = bank->block_start[b] <
           (b + 1 < last ? bank->block_start[b + 1] : length);
    if (!ok || bank->state_start[h] < bank->block_start[last - 1] ||
        bank->state_start[h] >= length)
      return sw_fail(err, SW_DATA,
                     "history %" PRId64 " of the bank has inconsistent blocks",
                     h);
  }
  return 0;
}

static int check_tokens(const char *name, const int32_t *token, int64_t count,
                        sw_err *err) {
  for (int64_t i = 0; i < count; i++)
    if (token[i] < 0)
      return sw_fail(err, SW_DATA, "bank column %s: token %d at %" PRId64, name,
                     token[i], i);
  return 0;
}

static int check_pairs(const sw_bank *bank, sw_err *err) {
  int64_t pairs = 0;
  for (int64_t p = 0; p < bank->states; p++) {
    int64_t k = bank->probe_history[p + 1] - bank->probe_history[p];
    if (k <= SW_BANK_PAIRS) pairs += k * (k - 1) / 2;
    if (k > SW_BANK_PAIRS || pairs > SW_BANK_PAIRS)
      return sw_fail(err, SW_LIMIT,
                     "state %" PRId64 " of the bank has %" PRId64
                     " histories: more than %d pairs in all",
                     p, k, SW_BANK_PAIRS);
  }
  return 0;
}

int sw_bank_check(const sw_bank *bank, sw_err *err) {
  if (bank->failed) return sw_no_memory_for(err, "building the bank");
  SW_TRY(check_counts(bank, err));
  STARTS(prefix_start, bank->instances, bank->count[SW_BANK_COL_prefix_tokens]);
  STARTS(probe_history, bank->states, bank->histories);
  STARTS(probe_allowed, bank->states, bank->count[SW_BANK_COL_allowed]);
  STARTS(probe_action, bank->states, bank->count[SW_BANK_COL_action] / 2);
  STARTS(history_start, bank->histories, bank->count[SW_BANK_COL_tokens]);
  STARTS(history_block, bank->histories, bank->count[SW_BANK_COL_block_start]);
  SW_TRY(check_histories(bank, err));
  for (int64_t p = 0; p < bank->states; p++) {
    if (bank->instance[p] < 0 || bank->instance[p] >= bank->instances ||
        bank->label[p] > 1)
      return sw_fail(
          err, SW_DATA,
          "state %" PRId64 " of the bank: instance or label out of range", p);
    if (bank->probe_history[p] == bank->probe_history[p + 1])
      return sw_fail(err, SW_DATA,
                     "state %" PRId64 " of the bank has no history", p);
  }
  SW_TRY(check_pairs(bank, err));
  SW_TRY(check_tokens("prefix_tokens", bank->prefix_tokens,
                      bank->count[SW_BANK_COL_prefix_tokens], err));
  SW_TRY(check_tokens("allowed", bank->allowed,
                      bank->count[SW_BANK_COL_allowed], err));
  return check_tokens("tokens", bank->tokens, bank->count[SW_BANK_COL_tokens],
                      err);
}

/* Options that change how the block of a given state is written. */
static int changes_tokens(const char *name) {
  static const char *const names[] = {"format", "layout",  "retry-mark",
                                      "tried",  "grammar", "grammar-hash"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i], name)) return 1;
  return 0;
}

/* A model that is asked about blocks written in another form answers at random,
 * and no figure would show the reason. */
int sw_bank_alike(const char *written, const sw_domain *domain,
                  const sw_domain_options *options, sw_err *err) {
  sw_option_change change;
  char theirs[64];
  SW_TRY(sw_produced_change(domain, options, written, "the bank",
                            changes_tokens, &change, err));
  if (!*change.name) return SW_OK;
  sw_clean_text(theirs, sizeof theirs, change.theirs);
  sw_fail(err, SW_USAGE,
          "the bank's states are written with %s %s, the model's with %s",
          change.name, theirs, change.ours);
  return sw_hint(err,
                 "probe bank build --model DIR makes a bank for a model; --%s "
                 "%s asks it about this one all the same",
                 change.name, theirs);
}

int sw_bank_suits(const sw_bank *bank, const sw_domain *domain,
                  const sw_domain_options *options, sw_err *err) {
  char seen[40];
  if (strcmp(bank->domain, domain->name)) {
    sw_clean_text(seen, sizeof seen, bank->domain);
    return sw_fail(err, SW_USAGE,
                   "the model is one for `%s`, the bank is for `%s`",
                   domain->name, seen);
  }
  int known = 0;
  for (int i = 0; domain->formats[i]; i++)
    known |= !strcmp(domain->formats[i], bank->format);
  if (!known) {
    sw_clean_text(seen, sizeof seen, bank->format);
    return sw_fail(err, SW_DATA, "the bank's format `%s` is not one of `%s`",
                   seen, domain->name);
  }
  if (bank->back_token != domain->back_token)
    return sw_fail(err, SW_DATA,
                   "the bank's back token is %d, that of `%s` is %d",
                   bank->back_token, domain->name, domain->back_token);
  return bank->domain_options
             ? sw_bank_alike(bank->domain_options, domain, options, err)
             : SW_OK;
}

int sw_bank_save(const sw_bank *bank, const char *path, sw_err *err) {
  SW_TRY(sw_bank_check(bank, err));
  static const char empty[8];
  sw_st_spec spec[SW_BANK_COLS];
  memset(spec, 0, sizeof spec);
#define X(id, type, tensor_type, text)          \
  spec[SW_BANK_COL_##id] = (sw_st_spec){        \
      .name = #id,                              \
      .dtype = SW_ST_##tensor_type,             \
      .dims = 1,                                \
      .shape = {bank->count[SW_BANK_COL_##id]}, \
      .data = bank->id ? (const void *)bank->id : (const void *)empty};
  SW_BANK_COLUMNS(X)
#undef X
  char back[16];
  snprintf(back, sizeof back, "%d", bank->back_token);
  const char *meta[] = {"kind",           "statewise state bank",
                        "domain",         bank->domain,
                        "construction",   bank->construction,
                        "format",         bank->format,
                        "back_token",     back,
                        "options",        bank->options ? bank->options : "{}",
                        "domain_options", bank->domain_options};
  int pairs = sizeof meta / sizeof *meta / 2;
  return sw_st_write(path, spec, SW_BANK_COLS, meta,
                     bank->domain_options ? pairs : pairs - 1, err);
}

/* Copies one tensor into a column. */
static int load_column(const sw_st_file *file, const char *name,
                       sw_st_dtype dtype, size_t size, void **column,
                       int64_t *count, sw_err *err) {
  const sw_st_tensor *t = sw_st_find(file, name);
  if (!t || t->dtype != dtype || t->dims != 1)
    return sw_fail(err, SW_DATA,
                   "not a state bank: tensor %s is missing or of another type",
                   name);
  *column = malloc(size * (size_t)t->count + 8);
  if (!*column) return sw_no_memory_for(err, "loading the bank");
  memcpy(*column, t->data, t->bytes);
  *count = t->count;
  return 0;
}

static const char *meta_or(const sw_st_file *file, const char *key,
                           const char *fallback) {
  const char *value = sw_st_meta(file, key);
  return value ? value : fallback;
}

static int load_all(sw_bank *bank, const sw_st_file *file, sw_err *err) {
  int64_t back;
  SW_TRY(sw_st_check_format(file, "bank", "the state bank", err));
  const char *text = meta_or(file, "back_token", "-1");
  if (!sw_text_integer(text, -1, INT32_MAX, &back))
    return sw_fail(err, SW_DATA, "not a state bank: back_token \"%.40s\"",
                   text);
  sw_bank_init(bank, meta_or(file, "domain", ""),
               meta_or(file, "construction", ""), meta_or(file, "format", ""),
               (int32_t)back);
#define X(id, type, dtype, text)                                        \
  {                                                                     \
    void *column = NULL;                                                \
    SW_TRY(load_column(file, #id, SW_ST_##dtype, sizeof(type), &column, \
                       &bank->count[SW_BANK_COL_##id], err));           \
    bank->id = column;                                                  \
    bank->room[SW_BANK_COL_##id] = bank->count[SW_BANK_COL_##id];       \
  }
  SW_BANK_COLUMNS(X)
#undef X
  bank->states = bank->count[SW_BANK_COL_label];
  bank->histories = bank->count[SW_BANK_COL_state_start];
  int64_t starts = bank->count[SW_BANK_COL_prefix_start];
  bank->instances = starts > 0 ? starts - 1 : 0;
  const char *written = sw_st_meta(file, "domain_options");
  bank->options = strdup(meta_or(file, "options", "{}"));
  bank->domain_options = written ? strdup(written) : NULL;
  return bank->options && (bank->domain_options || !written)
             ? sw_bank_check(bank, err)
             : sw_no_memory_for(err, "loading the bank");
}

int sw_bank_load(sw_bank *bank, const char *path, sw_err *err) {
  sw_st_file *file;
  memset(bank, 0, sizeof *bank);
  SW_TRY(sw_st_open(&file, path, err));
  int code = load_all(bank, file, err);
  if (code) {
    sw_context(err, "%s", path);
    sw_bank_free(bank);
  }
  sw_st_close(file);
  return code;
}
