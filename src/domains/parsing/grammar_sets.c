/* What follows from a grammar's rules: the words that can start and continue
 * an alternative, heights of derivations; and the drawing of sentences. */
#include "domains/parsing/grammar.h"

enum { NO_HEIGHT = 1 << 20 };

typedef struct sets {
  uint64_t starts, seconds;
  int short_form, height;
} sets;

static sets of_symbol(const sw_grammar *g, int symbol) {
  const sw_grammar_symbol *s = &g->symbol[symbol];
  if (s->rule < 0) return (sets){s->words, 0, 1, 0};
  const sw_grammar_rule *r = &g->rule[s->rule];
  return (sets){r->starts, r->seconds, r->short_form, r->height};
}

static int join_alt(sw_grammar *g, sw_grammar_alt *alt, int is_list) {
  sets first = of_symbol(g, g->item[alt->first]);
  sw_grammar_alt now = *alt;
  now.starts = first.starts;
  now.seconds = first.seconds;
  now.height = first.height;
  now.short_form = first.short_form && (alt->count == 1 || is_list);
  if (first.short_form && alt->count > 1)
    now.seconds |= of_symbol(g, g->item[alt->first + 1]).starts;
  for (int i = 1; i < alt->count && !is_list; i++) {
    int height = of_symbol(g, g->item[alt->first + i]).height;
    if (height > now.height) now.height = height;
  }
  int changed = now.starts != alt->starts || now.seconds != alt->seconds ||
                now.height != alt->height || now.short_form != alt->short_form;
  *alt = now;
  return changed;
}

/* The rule's own entry stays as it was until the end: its alternatives may
 * mention the rule itself. */
static int join_rule(sw_grammar *g, sw_grammar_rule *rule) {
  int changed = 0;
  sets all = {0, 0, 0, NO_HEIGHT};
  for (int i = 0; i < rule->count; i++) {
    sw_grammar_alt *alt = &g->alt[rule->first + i];
    changed |= join_alt(g, alt, rule->kind == SW_RULE_LIST);
    all.starts |= alt->starts;
    all.seconds |= alt->seconds;
    all.short_form |= alt->short_form;
    int height = alt->height + (rule->kind == SW_RULE_CHOICE);
    if (height < all.height) all.height = height;
  }
  changed |= all.starts != rule->starts || all.seconds != rule->seconds ||
             all.short_form != rule->short_form || all.height != rule->height;
  rule->starts = all.starts;
  rule->seconds = all.seconds;
  rule->short_form = all.short_form;
  rule->height = all.height;
  return changed;
}

/* Rules that an alternative of `rule` starts with, as a bit set. */
static uint64_t first_rules(const sw_grammar *g, int rule) {
  uint64_t set = 0;
  for (int a = 0; a < g->rule[rule].count; a++) {
    int symbol = g->item[g->alt[g->rule[rule].first + a].first];
    if (g->symbol[symbol].rule >= 0)
      set |= (uint64_t)1 << g->symbol[symbol].rule;
  }
  return set;
}

/* Can `rule` start with itself? Nothing is ever empty, so only the first
 * symbol of an alternative matters. */
static int left_recursive(const sw_grammar *g, int rule) {
  uint64_t reached = first_rules(g, rule), before = 0;
  while (reached != before) {
    before = reached;
    for (int i = 0; i < g->rules; i++)
      if (before >> i & 1) reached |= first_rules(g, i);
  }
  return (int)(reached >> rule & 1);
}

int sw_grammar_finish(sw_grammar *g, const char *path, sw_err *err) {
  for (int i = 0; i < g->rules; i++)
    if (left_recursive(g, i)) {
      sw_fail(err, SW_DATA, "%s:%d: `%s` can start with itself", path,
              g->rule[i].line, g->symbol[i].name);
      return sw_hint(err,
                     "write repetition as a list, or recurse on the right");
    }
  for (int i = 0; i < g->rules; i++) g->rule[i].height = NO_HEIGHT;
  for (int changed = 1; changed;) {
    changed = 0;
    for (int i = 0; i < g->rules; i++) changed |= join_rule(g, &g->rule[i]);
  }
  for (int i = 0; i < g->rules; i++)
    if (g->rule[i].height >= NO_HEIGHT)
      return sw_fail(err, SW_DATA, "%s:%d: `%s` has no finite sentence", path,
                     g->rule[i].line, g->symbol[i].name);
  return SW_OK;
}

typedef struct drawing {
  const sw_grammar *g;
  sw_mt *mt;
  int16_t *words;
  int64_t room, length;
} drawing;

/* A grammar may describe sentences too long to draw; those are cut off. */
enum { LONGEST = 100000 };

static void draw_symbol(drawing *d, int symbol, int depth, int length);

static void emit(drawing *d, uint64_t words) {
  int count = __builtin_popcountll(words), pick = 0;
  if (count > 1) pick = (int)sw_mt_below(d->mt, (uint32_t)count);
  while (pick-- > 0) words &= words - 1;
  if (d->length < d->room)
    d->words[d->length] = (int16_t)__builtin_ctzll(words);
  d->length++;
}

/* The lengths of all lists of an alternative are drawn before its first rule
 * is expanded, as the published generator draws them. */
static void draw_lengths(drawing *d, const sw_grammar_alt *alt, int *length) {
  for (int i = 0; i < alt->count; i++) {
    int rule = d->g->symbol[d->g->item[alt->first + i]].rule;
    if (rule >= 0 && d->g->rule[rule].kind == SW_RULE_LIST)
      length[i] = (int)sw_mt_randint(d->mt, d->g->rule[rule].low,
                                     d->g->rule[rule].high);
  }
}

static void draw_alt(drawing *d, const sw_grammar_alt *alt, int depth) {
  int length[SW_GRAMMAR_ITEMS] = {0}, drawn = 0;
  for (int i = 0; i < alt->count; i++) {
    int symbol = d->g->item[alt->first + i];
    if (!drawn && d->g->symbol[symbol].rule >= 0) {
      draw_lengths(d, alt, length);
      drawn = 1;
    }
    draw_symbol(d, symbol, depth, length[i]);
  }
}

static int draw_choice(drawing *d, const sw_grammar_rule *rule, int depth) {
  const sw_grammar *g = d->g;
  int lowest = 0, count = 0;
  if (depth <= 0) {
    for (int i = 0; i < rule->count; i++)
      if (g->alt[rule->first + i].height == rule->height - 1) {
        lowest = i;
        count++;
      }
    if (count == 1) return lowest;
  }
  double u = sw_mt_random(d->mt);
  for (int i = 0; i < rule->weighted; i++) {
    int a = rule->order[i];
    if (depth <= 0 && g->alt[rule->first + a].height != rule->height - 1)
      continue;
    lowest = a;
    if (u <= rule->share[i]) return a;
  }
  return lowest;
}

static void draw_symbol(drawing *d, int symbol, int depth, int length) {
  const sw_grammar *g = d->g;
  const sw_grammar_symbol *s = &g->symbol[symbol];
  if (d->length > LONGEST) return;
  if (s->rule < 0) {
    emit(d, s->words);
    return;
  }
  const sw_grammar_rule *rule = &g->rule[s->rule];
  const sw_grammar_alt *alt = &g->alt[rule->first];
  if (rule->kind == SW_RULE_CHOICE) {
    draw_alt(d, alt + draw_choice(d, rule, depth), depth - 1);
  } else if (rule->kind == SW_RULE_SEQUENCE) {
    draw_alt(d, alt, depth);
  } else {
    for (int i = 0; i < length; i++) {
      if (i) emit(d, g->symbol[g->item[alt->first + 1]].words);
      draw_symbol(d, g->item[alt->first], depth, 1);
    }
  }
}

int64_t sw_grammar_draw(const sw_grammar *grammar, sw_mt *mt, int16_t *words,
                        int64_t room) {
  drawing d = {grammar, mt, words, room, 0};
  draw_symbol(&d, grammar->start, grammar->depth, 1);
  return d.length;
}
