/* Conditions of --fail-if (see judge.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "audit/judge.h"
#include "base/text.h"

typedef struct condition {
  char figure[24];
  int above; /* 1: >, 0: < */
  double bound;
} condition;

static int parse(const char *text, condition *c, sw_err *err) {
  static const char *const figures[] = {"changes", "faults", "shift",
                                        "unreadable", "slope"};
  const size_t count = sizeof figures / sizeof *figures;
  char number[40];
  size_t n = strcspn(text, " <>"), i = 0;
  const char *rest = text + n + strspn(text + n, " ");
  while (i < count && (strlen(figures[i]) != n || strncmp(text, figures[i], n)))
    i++;
  if (i < count && (*rest == '>' || *rest == '<')) {
    snprintf(c->figure, sizeof c->figure, "%s", figures[i]);
    c->above = *rest++ == '>';
    rest += strspn(rest, " ");
    snprintf(number, sizeof number, "%.38s", rest);
    size_t end = strlen(number);
    int share = end && number[end - 1] == '%';
    while (end && (number[end - 1] == '%' || number[end - 1] == ' '))
      number[--end] = 0;
    if (sw_text_is_real(number, &c->bound)) {
      if (share) c->bound /= 100;
      return SW_OK;
    }
  }
  sw_fail(err, SW_USAGE, "`%.60s` is not a condition", text);
  return sw_hint(err,
                 "for example --fail-if \"changes > 5%%\"; figures are "
                 "changes, faults, shift, unreadable and slope");
}

int sw_fail_if_check(const char *text, sw_err *err) {
  condition c;
  return parse(text, &c, err);
}

int sw_fail_if(const char *text, const sw_conclusion *v,
               const sw_interval *slope, int *fails, sw_err *err) {
  condition c;
  sw_interval figure = {NAN, NAN, NAN};
  SW_TRY(parse(text, &c, err));
  if (!strcmp(c.figure, "slope") && slope) figure = *slope;
  if (v && !strcmp(c.figure, "unreadable"))
    figure.low = figure.high = v->gate.unreadable;
  if (v && v->primary && !strcmp(c.figure, "changes"))
    figure = v->primary->flips;
  if (v && v->enough.cases && !strcmp(c.figure, "faults"))
    figure = v->enough.flips;
  if (v && v->primary && !strcmp(c.figure, "shift")) figure = v->primary->shift;
  if (isnan(figure.low)) {
    sw_fail(err, SW_USAGE, "this audit has no figure `%s`", c.figure);
    return sw_hint(
        err,
        "slope comes with --dose, changes and shift without, faults with "
        "--sufficient");
  }
  *fails = c.above ? figure.low > c.bound : figure.high < c.bound;
  return SW_OK;
}
