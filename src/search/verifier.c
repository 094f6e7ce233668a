/* The table of verifiers, and opening one by its text (see verifier.h). */
#include "search/verifier.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"

static const sw_verifier_kind *const kinds[] = {
    &sw_verifier_never,     &sw_verifier_exact,   &sw_verifier_model,
    &sw_verifier_oracle,    &sw_verifier_noise,   &sw_verifier_cdcl,
    &sw_verifier_sidecar,   &sw_verifier_confirm, &sw_verifier_any,
    &sw_verifier_head,      &sw_verifier_random,  &sw_verifier_depth,
    &sw_verifier_viability, &sw_verifier_size,
};
/* What stands inside another draws as it would alone; of two beside each other
 * the second has a stream of its own. */
static const uint64_t BESIDE = UINT64_C(0x9e3779b97f4a7c15);
enum {
  KINDS = sizeof kinds / sizeof *kinds,
  ADDED = 16,
  MOST = 1000000000 /* of conflicts, of decisions */
};
static const sw_verifier_kind *added[ADDED];
static int added_count;

int sw_verifier_add_kind(const sw_verifier_kind *kind, sw_err *err) {
  if (added_count == ADDED)
    return sw_fail(err, SW_LIMIT, "more than %d kinds of verifier", ADDED);
  added[added_count++] = kind;
  return SW_OK;
}

const sw_verifier_kind *sw_verifier_kind_at(int i) {
  return i < KINDS                 ? kinds[i]
         : i < KINDS + added_count ? added[i - KINDS]
                                   : NULL;
}

static int has(const sw_domain *domain, const sw_verifier_kind *kind) {
  return !domain || !kind->can || kind->can(domain);
}

void sw_verifier_names(const sw_domain *domain, char *text, size_t room) {
  size_t used = 0;
  text[0] = 0;
  for (int i = 0; sw_verifier_kind_at(i) && used < room; i++)
    if (has(domain, sw_verifier_kind_at(i)))
      used += (size_t)snprintf(text + used, room - used, "%s%s%s%s",
                               used ? " " : "", sw_verifier_kind_at(i)->name,
                               sw_verifier_kind_at(i)->args[0] ? ":" : "",
                               sw_verifier_kind_at(i)->args);
}

static int refuse(const sw_domain *domain, const char *text, const char *why,
                  sw_err *err) {
  char names[200];
  sw_verifier_names(domain, names, sizeof names);
  sw_fail(err, SW_USAGE, "verifier `%.100s`: %s", text, why);
  return sw_hint(err, "`%s` has: %s", domain->name, names);
}

int sw_verifier_rate(const sw_verifier *verifier, const char **text,
                     double *rate, sw_err *err) {
  char *end;
  *rate = sw_text_real(*text, &end) + 0.0; /* no negative zero */
  if (end == *text || !(*rate >= 0 && *rate <= 1))
    return refuse(verifier->domain, verifier->text, "a rate is 0 to 1", err);
  *text = end;
  return SW_OK;
}

void sw_verifier_real(double number, char text[32]) {
  for (int digits = 6; digits <= 17; digits++) {
    sw_real_text(text, 32, digits, number);
    if (sw_text_real(text, NULL) == number) return;
  }
}

int sw_verifier_number(const sw_verifier *verifier, const char *what,
                       const char **text, int64_t *number, sw_err *err) {
  char why[80];
  const char *at = *text;
  int64_t value = 0;
  for (; sw_is_digit(*at); at++) /* to the last digit, and no overflow */
    if (value <= MOST) value = 10 * value + (*at - '0');
  snprintf(why, sizeof why, "a number of %s is 0 to %d", what, MOST);
  if (at == *text || value > MOST)
    return refuse(verifier->domain, verifier->text, why, err);
  *number = value;
  *text = at;
  return SW_OK;
}

int sw_verifier_misread(const sw_verifier *verifier, const char *example,
                        sw_err *err) {
  sw_fail(err, SW_USAGE, "verifier `%s`: it is written %s:%s", verifier->text,
          verifier->kind->name, verifier->kind->args);
  return sw_hint(err, "for example %s", example);
}

int sw_verifier_call(sw_verifier *verifier, sw_err *err, const char *format,
                     ...) {
  char text[2 * SW_VERIFIER_TEXT];
  va_list values;
  va_start(values, format);
  int length = vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (length < 0 || length >= SW_VERIFIER_TEXT)
    return refuse(verifier->domain, verifier->text, "too long", err);
  memcpy(verifier->text, text, (size_t)length + 1);
  return SW_OK;
}

static const sw_verifier_kind *find(const char *name, size_t length) {
  for (int i = 0; sw_verifier_kind_at(i); i++)
    if (strlen(sw_verifier_kind_at(i)->name) == length &&
        !memcmp(sw_verifier_kind_at(i)->name, name, length))
      return sw_verifier_kind_at(i);
  return NULL;
}

/* `(...)` around the whole text is taken off. */
static int unwrap(const char *text, char *plain) {
  size_t length = strlen(text);
  if (length >= SW_VERIFIER_TEXT) return 0;
  memcpy(plain, text, length + 1);
  while (length > 1 && plain[0] == '(' && plain[length - 1] == ')') {
    int depth = 0;
    for (size_t i = 0; i + 1 < length; i++) {
      depth += (plain[i] == '(') - (plain[i] == ')');
      if (depth == 0) return 1; /* it closes before the end */
    }
    memmove(plain, plain + 1, length - 2);
    plain[length -= 2] = 0;
  }
  return 1;
}

static int fill(sw_verifier *v, const char *args, sw_err *err) {
  if (v->kind->open) return v->kind->open(v, args, err);
  if (*args) return refuse(v->domain, v->text, "it has no arguments", err);
  snprintf(v->text, sizeof v->text, "%s", v->kind->name);
  return SW_OK;
}

int sw_verifier_open(sw_verifier **verifier, const sw_domain *domain,
                     const char *text, sw_err *err) {
  SW_ASSERT(verifier && domain && text);
  char plain[SW_VERIFIER_TEXT];
  *verifier = NULL;
  SW_TRY(sw_domain_searchable(domain, err));
  if (!unwrap(text, plain)) return refuse(domain, text, "too long", err);
  size_t length = strcspn(plain, ":");
  const sw_verifier_kind *kind = find(plain, length);
  if (!kind) return refuse(domain, text, "there is no such verifier", err);
  if (!has(domain, kind))
    return refuse(domain, text, "this domain does not have it", err);
  sw_verifier *v = calloc(1, kind->bytes ? kind->bytes : sizeof *v);
  if (!v) return sw_no_memory(err);
  v->kind = kind;
  v->domain = domain;
  v->needs_scores = kind->needs_scores;
  v->needs_verdicts = kind->needs_verdicts;
  v->midway = kind->midway;
  v->sound = kind->sound;
  v->certain = kind->certain;
  v->yields = kind->yields;
  v->of_policy = kind->of_policy;
  snprintf(v->text, sizeof v->text, "%s", plain);
  int code = fill(v, plain[length] ? plain + length + 1 : "", err);
  if (code) {
    sw_verifier_close(v);
    return code;
  }
  for (int i = 0; i < 2; i++)
    if (v->inner[i]) {
      v->needs_verdicts |= v->inner[i]->needs_verdicts;
      v->of_policy |= v->inner[i]->of_policy;
    }
  *verifier = v;
  return SW_OK;
}

int sw_verifier_unshown(const sw_verifier *v, const sw_domain_options *options,
                        int meant, sw_err *err) {
  const sw_search_ops *search = v->domain->search;
  if (meant || !v->of_policy || !search->shows_verdict ||
      !search->shows_verdict(options))
    return SW_OK;
  sw_fail(err, SW_USAGE,
          "format `%s` shows the verdict itself, so with verifier `%s` an open "
          "loop proves nothing",
          options->format, v->text);
  return sw_hint(err, "--verdict-shown if that is meant, or --verifier exact");
}

void sw_verifier_close(sw_verifier *v) {
  if (!v) return;
  for (int i = 0; i < 2; i++) sw_verifier_close(v->inner[i]);
  if (v->kind->close) v->kind->close(v);
  free(v);
}

void sw_verifier_start(sw_verifier *v, uint64_t seed) {
  v->cost = (sw_verifier_cost){0};
  if (v->kind->start) v->kind->start(v, seed);
  for (int i = 0; i < 2; i++)
    if (v->inner[i]) sw_verifier_start(v->inner[i], i ? seed + BESIDE : seed);
}

sw_verdict sw_verifier_judge(sw_verifier *v, sw_game *game, const float *score,
                             int32_t *token) {
  SW_ASSERT(v && game && token);
  return v->kind->judge(v, game, score, token);
}

sw_verifier_cost sw_verifier_spent(const sw_verifier *v) {
  sw_verifier_cost sum = v->cost;
  for (int i = 0; i < 2; i++)
    if (v->inner[i]) {
      sw_verifier_cost one = sw_verifier_spent(v->inner[i]);
      sum.queries += one.queries;
      sum.conflicts += one.conflicts;
    }
  return sum;
}
