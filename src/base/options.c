/* The option parser: values from text into the struct the table describes,
 * and the nearest-name hints. Help and JSON output are in options_print.c. */
#include "base/options.h"
#include "base/check.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

/* '-' and '_' are the same in a name: run cards and --set use either. */
static int same_name(const char *a, const char *b, size_t length) {
  for (size_t i = 0; i < length; i++) {
    char x = a[i] == '_' ? '-' : a[i], y = b[i] == '_' ? '-' : b[i];
    if (x != y || !x) return 0;
  }
  return b[length] == 0;
}

const char *sw_option_alias(const sw_option *o) {
  return o->kind == SW_TEXT && *o->choices ? o->choices : NULL;
}

static const sw_option *find(const sw_option *table, int count,
                             const char *name, size_t length) {
  for (int i = 0; i < count; i++)
    if (same_name(name, table[i].name, length)) return &table[i];
  for (int i = 0; i < count; i++) {
    const char *old = sw_option_alias(&table[i]);
    if (old && same_name(name, old, length)) return &table[i];
  }
  return NULL;
}

const sw_option *sw_options_find(const sw_option *table, int count,
                                 const char *name) {
  return find(table, count, name, strlen(name));
}

static int min3(int a, int b, int c) {
  int m = a < b ? a : b;
  return m < c ? m : c;
}

/* Edit distance with transpositions; names longer than 63 are cut. */
static int distance(const char *a, const char *b) {
  int n = (int)strnlen(a, 63), m = (int)strnlen(b, 63);
  int row[3][64];
  for (int j = 0; j <= m; j++) row[0][j] = j;
  for (int i = 1; i <= n; i++) {
    int *now = row[i % 3], *one = row[(i + 2) % 3], *two = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= m; j++) {
      int cost = a[i - 1] != b[j - 1];
      now[j] = min3(one[j] + 1, now[j - 1] + 1, one[j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          two[j - 2] + 1 < now[j])
        now[j] = two[j - 2] + 1;
    }
  }
  return row[n % 3][m];
}

const char *sw_nearest(const char *name, const char *const *candidates,
                       int count) {
  const char *best = NULL;
  size_t length = strlen(name);
  int limit = length <= 3 ? 1 : length <= 6 ? 2 : 3, least = limit + 1;
  for (int i = 0; i < count; i++) {
    int d = distance(name, candidates[i]);
    /* A beginning of the name counts as one slip: "dom" for "domain". */
    if (length >= 2 && strncmp(name, candidates[i], length) == 0 && d > 1)
      d = 1;
    if (d < least) least = d, best = candidates[i];
  }
  return best;
}

/* The known names, older ones too, and at the same index what each is called
 * now. */
static int list_names(const sw_option *table, int count, const char **name,
                      const char **now, int known, int room) {
  for (int i = 0; i < count && known + 2 <= room; i++) {
    const char *old = sw_option_alias(&table[i]);
    name[known] = now[known] = table[i].name;
    known++;
    if (!old) continue;
    name[known] = old;
    now[known++] = table[i].name;
  }
  return known;
}

/* Names that other programs use for what an option here does. */
static const char *const other_names[][2] = {
    {"learning-rate", "lr"},  {"batch-size", "batch"},  {"output", "out"},
    {"num-layers", "layers"}, {"n-layers", "layers"},   {"num-heads", "heads"},
    {"hidden-size", "d"},     {"width", "d"},           {"max-steps", "steps"},
    {"num-epochs", "epochs"}, {"workers", "threads"},   {"jobs", "threads"},
    {"limit", "instances"},   {"samples", "instances"}, {"wd", "weight-decay"},
    {"checkpoint", "model"},  {"dataset", "data"},      {"log", "progress"}};

static int unknown(const sw_option *table, int count, const sw_later *later,
                   const char *given, sw_err *err) {
  const char *name[512], *now[512];
  int known = list_names(table, count, name, now, 0, 512);
  if (later)
    known = list_names(later->table, later->count, name, now, known, 512);
  sw_fail(err, SW_USAGE, "unknown option --%.80s", given);
  for (size_t k = 0; k < sizeof other_names / sizeof *other_names; k++)
    if (!strcmp(given, other_names[k][0]))
      for (int i = 0; i < known; i++)
        if (!strcmp(now[i], other_names[k][1]))
          return sw_hint(err, "did you mean --%s?", now[i]);
  const char *near = sw_nearest(given, name, known);
  for (int i = 0; near && i < known; i++)
    if (name[i] == near) return sw_hint(err, "did you mean --%s?", now[i]);
  return sw_hint(err, "--help lists the options");
}

int sw_choice_index(const char *choices, const char *name) {
  size_t length = strlen(name);
  for (int index = 0;; index++) {
    size_t n = strcspn(choices, "|");
    if (n == length && n && memcmp(choices, name, n) == 0) return index;
    if (!choices[n]) return -1;
    choices += n + 1;
  }
}

const char *sw_choice_name(const char *choices, int index, char *buffer,
                           size_t room) {
  SW_ASSERT(choices && index >= 0 && room > 0);
  for (; index > 0; index--) {
    choices += strcspn(choices, "|");
    if (*choices) choices++;
  }
  snprintf(buffer, room, "%.*s", (int)strcspn(choices, "|"), choices);
  return buffer;
}

static int wrong(const sw_option *o, const char *value, const char *what,
                 sw_err *err) {
  return sw_fail(err, SW_USAGE, "--%s: \"%.100s\" is not %s", o->name, value,
                 what);
}

/* Some bounds mean "none" (10^9 seconds) or "decided elsewhere" (-1 where that
 * is the default). They are not shown to the user. */
static int out_of_range(const sw_option *o, const char *value, double number,
                        sw_err *err) {
  int elsewhere = o->low == -1 && !strcmp(o->fallback, "-1");
  double low = elsewhere ? 0 : o->low;
  if (o->high >= 1e9 || o->low <= -1e9)
    return number > o->high
               ? sw_fail(err, SW_USAGE, "--%s: %.100s is too large", o->name,
                         value)
               : sw_fail(err, SW_USAGE, "--%s: %.100s is below %.15g", o->name,
                         value, low);
  return sw_fail(err, SW_USAGE, "--%s: %.100s is outside %.15g to %.15g",
                 o->name, value, low, o->high);
}

static double number_of(const sw_option *o, const void *values) {
  const char *field = (const char *)values + o->offset;
  int narrow;
  int64_t wide;
  double real;
  if (o->kind == SW_REAL) return memcpy(&real, field, sizeof real), real;
  if (o->kind == SW_LONG)
    return memcpy(&wide, field, sizeof wide), (double)wide;
  return memcpy(&narrow, field, sizeof narrow), narrow;
}

/* A field may lie in a buffer of bytes (a domain's own options). */
static int put(void *field, const void *value, size_t bytes) {
  memcpy(field, value, bytes);
  return SW_OK;
}

static int set_integer(const sw_option *o, const char *value, void *field,
                       sw_err *err) {
  char *end;
  errno = 0;
  long long number = strtoll(value, &end, 10);
  if (end == value || *end) return wrong(o, value, "a whole number", err);
  int fits = errno != ERANGE && (o->kind == SW_LONG ||
                                 (number >= INT32_MIN && number <= INT32_MAX));
  if (!fits) return wrong(o, value, "a number that fits", err);
  if (o->low <= o->high &&
      ((double)number < o->low || (double)number > o->high))
    return out_of_range(o, value, (double)number, err);
  if (o->kind == SW_LONG)
    return put(field, &(int64_t){number}, sizeof(int64_t));
  return put(field, &(int){(int)number}, sizeof(int));
}

static int set_real(const sw_option *o, const char *value, void *field,
                    sw_err *err) {
  double number;
  if (!sw_text_is_real(value, &number)) return wrong(o, value, "a number", err);
  if (o->low <= o->high && (number < o->low || number > o->high))
    return out_of_range(o, value, (double)number, err);
  return put(field, &number, sizeof number);
}

static int set_choice(const sw_option *o, const char *value, void *field,
                      sw_err *err) {
  int index = sw_choice_index(o->choices, value);
  if (index < 0) {
    wrong(o, value, "one of the choices", err);
    return sw_hint(err, "choose one of %s", o->choices);
  }
  return put(field, &index, sizeof index);
}

static int set_flag(const sw_option *o, const char *value, void *field,
                    sw_err *err) {
  static const char *const words[] = {"0",  "1",   "false", "true",
                                      "no", "yes", "off",   "on"};
  for (int i = 0; i < 8; i++)
    if (strcmp(value, words[i]) == 0)
      return put(field, &(int){i % 2}, sizeof(int));
  return wrong(o, value, "0 or 1", err);
}

static int set_list(const sw_option *o, const char *value, sw_list *list,
                    sw_err *err) {
  /* The first value given replaces the default. */
  if (list->count == 1 && list->item[0] == o->fallback) list->count = 0;
  if (list->count == SW_LIST_MAX)
    return sw_fail(err, SW_USAGE, "--%s: more than %d values", o->name,
                   SW_LIST_MAX);
  list->item[list->count++] = value;
  return SW_OK;
}

/* Only a text option whose default is empty may be empty. The readers of the
 * others do not expect NULL. */
static int set_text(const sw_option *o, const char *value, void *field,
                    sw_err *err) {
  if (!*value && *o->fallback) {
    sw_fail(err, SW_USAGE, "--%s: an empty text is not a value", o->name);
    return sw_hint(err, "the default is %s", o->fallback);
  }
  if (!*value) value = NULL;
  return put(field, &value, sizeof value);
}

static int set_value(const sw_option *o, const char *value, void *values,
                     sw_err *err) {
  void *field = (char *)values + o->offset;
  switch (o->kind) {
    case SW_FLAG:
      return set_flag(o, value, field, err);
    case SW_INT:
    case SW_LONG:
      return set_integer(o, value, field, err);
    case SW_REAL:
      return set_real(o, value, field, err);
    case SW_CHOICE:
      return set_choice(o, value, field, err);
    case SW_LIST:
      return set_list(o, value, field, err);
    case SW_TEXT:
      return set_text(o, value, field, err);
  }
  return sw_fail(err, SW_INTERNAL, "--%s: unknown kind of option", o->name);
}

void sw_options_defaults(const sw_option *table, int count, void *values) {
  SW_CHECK(sw_option_table_check(table, count));
  SW_ASSERT(values || !count);
  for (int i = 0; i < count; i++) {
    const sw_option *o = &table[i];
    if (o->kind == SW_LIST) {
      sw_list *list = (sw_list *)((char *)values + o->offset);
      list->count = *o->fallback ? 1 : 0;
      list->item[0] = o->fallback;
    } else {
      (void)set_value(o, o->fallback, values, NULL);
    }
  }
}

int sw_options_set(const sw_option *table, int count, const char *name,
                   const char *value, void *values, sw_err *err) {
  SW_ASSERT(table && name && value && values);
  const sw_option *o = find(table, count, name, strlen(name));
  return o ? set_value(o, value, values, err)
           : unknown(table, count, NULL, name, err);
}

typedef struct parser {
  const sw_option *table;
  int count, argc, at; /* at: index of the argument being read */
  char **argv;
  void *values;
  unsigned char *given;
  sw_later *later;
} parser;

/* In the table, or among those for later; NULL: unknown. */
static const sw_option *known(const parser *p, const char *name,
                              size_t length) {
  const sw_option *o = find(p->table, p->count, name, length);
  if (o || !p->later) return o;
  return find(p->later->table, p->later->count, name, length);
}

int sw_options_check(const sw_option *table, int count, const char *owner,
                     const void *values, sw_err *err) {
  for (int i = 0; i < count; i++) {
    const sw_option *o = &table[i];
    double value, low = o->low, high = o->high;
    if (o->kind == SW_TEXT || o->kind == SW_LIST) continue;
    value = number_of(o, values);
    if (o->kind == SW_FLAG) low = 0, high = 1;
    if (o->kind == SW_CHOICE) {
      low = high = 0;
      for (const char *c = o->choices; *c; c++) high += *c == '|';
    }
    if (low <= high && !(value >= low && value <= high))
      return sw_fail(err, SW_USAGE, "%s: %s = %.15g is outside %.15g..%.15g",
                     owner, o->name, value, low, high);
  }
  return SW_OK;
}

int sw_pairs_add(sw_pairs *pairs, const char *name, const char *value,
                 sw_err *err) {
  if (pairs->count == SW_LIST_MAX)
    return sw_fail(err, SW_USAGE, "more than %d options", SW_LIST_MAX);
  pairs->item[pairs->count].name = name;
  pairs->item[pairs->count++].value = value;
  return SW_OK;
}

static int store(parser *p, const sw_option *o, const char *value,
                 sw_err *err) {
  if (o < p->table || o >= p->table + p->count)
    return sw_pairs_add(&p->later->pairs, o->name, value, err);
  /* An empty text says what the default says, so it was not given. */
  if (p->given) p->given[o - p->table] = o->kind != SW_TEXT || *value;
  return set_value(o, value, p->values, err);
}

/* --set name=value, for tables without an option "set" of their own. */
static int parse_set(parser *p, const char *pair, sw_err *err) {
  const char *equals = strchr(pair, '=');
  if (!equals)
    return sw_fail(err, SW_USAGE, "`%.80s`: expected name=value", pair);
  const sw_option *o = known(p, pair, (size_t)(equals - pair));
  if (o) return store(p, o, equals + 1, err);
  char name[81];
  snprintf(name, sizeof name, "%.*s", (int)(equals - pair), pair);
  return unknown(p->table, p->count, p->later, name, err);
}

int sw_options_set_pair(const sw_option *table, int count, const char *pair,
                        void *values, sw_err *err) {
  parser p = {.table = table, .count = count, .values = values};
  return parse_set(&p, pair, err);
}

static int next_value(parser *p, const char *option, const char **value,
                      sw_err *err) {
  if (++p->at >= p->argc)
    return sw_fail(err, SW_USAGE, "%.80s needs a value", option);
  *value = p->argv[p->at];
  return SW_OK;
}

static int parse_long(parser *p, const char *argument, sw_err *err) {
  const char *name = argument + 2, *equals = strchr(name, '=');
  size_t length = equals ? (size_t)(equals - name) : strlen(name);
  const char *value = equals ? equals + 1 : NULL;
  const sw_option *o = known(p, name, length);
  if (!o && strncmp(name, "no-", 3) == 0 && !equals) {
    o = known(p, name + 3, length - 3);
    if (o && o->kind == SW_FLAG) return store(p, o, "0", err);
    o = NULL;
  }
  int is_set = !o && length == 3 && strncmp(name, "set", 3) == 0;
  if (!o && !is_set) {
    char shown[81];
    snprintf(shown, sizeof shown, "%.*s", (int)length, name);
    return unknown(p->table, p->count, p->later, shown, err);
  }
  if (o && o->kind == SW_FLAG && !value) value = "1";
  if (!value) SW_TRY(next_value(p, argument, &value, err));
  return is_set ? parse_set(p, value, err) : store(p, o, value, err);
}

static int parse_short(parser *p, const char *argument, sw_err *err) {
  const sw_option *o = argument[1] == 'o' && !argument[2]
                           ? find(p->table, p->count, SW_OUT, strlen(SW_OUT))
                           : NULL;
  const char *value = NULL;
  if (!o) {
    sw_fail(err, SW_USAGE, "unknown option %.80s", argument);
    return sw_hint(err, "long options start with two dashes");
  }
  SW_TRY(next_value(p, argument, &value, err));
  return store(p, o, value, err);
}

/* "-" and negative numbers are positional arguments. */
static int is_positional(const char *a) {
  return a[0] != '-' || !a[1] || (a[1] >= '0' && a[1] <= '9');
}

int sw_options_parse(const sw_option *table, int count, int argc, char **argv,
                     void *values, unsigned char *given, sw_later *later,
                     sw_list *rest, int *help, sw_err *err) {
  SW_CHECK(sw_option_table_check(table, count));
  SW_ASSERT(argc > 0 && argv);
  parser p = {table, count, argc, 1, argv, values, given, later};
  if (later) later->pairs.count = 0;
  if (given) memset(given, 0, (size_t)count);
  if (rest) rest->count = 0;
  if (help) *help = 0;
  int only_positional = 0;
  for (; p.at < argc; p.at++) {
    const char *a = argv[p.at];
    if (only_positional || is_positional(a)) {
      if (!rest)
        return sw_fail(err, SW_USAGE, "unexpected argument \"%.80s\"", a);
      if (rest->count == SW_LIST_MAX)
        return sw_fail(err, SW_USAGE, "more than %d arguments", SW_LIST_MAX);
      rest->item[rest->count++] = a;
    } else if (strcmp(a, "--") == 0) {
      only_positional = 1;
    } else if (help && (strcmp(a, "--help") == 0 || strcmp(a, "-h") == 0)) {
      *help = 1;
      return SW_OK;
    } else {
      SW_TRY(a[1] == '-' ? parse_long(&p, a, err) : parse_short(&p, a, err));
    }
  }
  return SW_OK;
}

#ifdef SW_DEBUG
const char *sw_option_table_check(const sw_option *table, int count) {
  if (count < 0 || (count && !table)) return "no table";
  for (int i = 0; i < count; i++) {
    const sw_option *o = &table[i];
    if (!o->name || !*o->name || !o->fallback || !o->help) return "a bare row";
    if (o->kind == SW_CHOICE && !*o->choices) return "nothing to choose from";
    for (int k = 0; k < i; k++)
      if (!strcmp(table[k].name, o->name)) return "a name twice";
  }
  return NULL;
}
#endif
