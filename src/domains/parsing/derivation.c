/* Derivations along a trail (see machine.h). Rules nest as deep as the sentence
 * has words, with up to forty rules in between. So what is still to be followed
 * lies on a stack of the machine, not on the program's. */
#include "base/grow.h"
#include "domains/parsing/machine.h"

/* On the stack: a symbol, the end of a node, or (MORE - rule) what is left of
 * a list. */
enum { NODE_END = -1, MORE = -2 };

int sw_parse_follow_room(sw_parse_machine *m, int64_t pending) {
  enum { SPARE = 4 }; /* the first symbol, a separator */
  return pending < INT32_MAX - SPARE &&
         sw_grow(&m->follow, &m->follow_room, (int32_t)pending + SPARE,
                 sizeof *m->follow);
}

/* The walk: positions in the trail and in the input, and the stack. */
typedef struct walk {
  const sw_parse_machine *m;
  int32_t at, cursor, count;
  FILE *out;
} walk;

static int push(walk *w, int32_t what) {
  if (w->count >= w->m->follow_room) return 0;
  w->m->follow[w->count++] = what;
  return 1;
}

static int follow_word(walk *w, const sw_grammar_symbol *s) {
  const sw_parse_machine *m = w->m;
  if (w->cursor >= m->length || !(s->words >> m->input[w->cursor] & 1))
    return 0;
  if (w->out) fprintf(w->out, " %s", m->grammar->input[m->input[w->cursor]]);
  w->cursor++;
  return 1;
}

/* Another item of a list, or its end. */
static int follow_list(walk *w, int32_t rule) {
  const sw_grammar *g = w->m->grammar;
  const sw_grammar_alt *alt = &g->alt[g->rule[rule].first];
  if (w->at >= w->m->trails) return 0;
  if (w->m->trail[w->at++] != 1) return 1;
  return push(w, MORE - rule) && push(w, g->item[alt->first]) &&
         push(w, g->item[alt->first + 1]);
}

static int follow_rule(walk *w, const sw_grammar_symbol *s) {
  const sw_grammar *g = w->m->grammar;
  const sw_grammar_rule *rule = &g->rule[s->rule];
  const sw_grammar_alt *alt = &g->alt[rule->first];
  if (w->out) fprintf(w->out, " (%s", s->name);
  if (!push(w, NODE_END)) return 0;
  if (rule->kind == SW_RULE_LIST)
    return push(w, MORE - s->rule) && push(w, g->item[alt->first]);
  if (rule->kind == SW_RULE_CHOICE) {
    int choice = w->at < w->m->trails ? w->m->trail[w->at++] : -1;
    if (choice < 0 || choice >= rule->count) return 0;
    alt += choice;
  }
  for (int i = alt->count - 1; i >= 0; i--)
    if (!push(w, g->item[alt->first + i])) return 0;
  return 1;
}

int sw_parse_derive(const sw_parse_machine *m, FILE *out) {
  walk w = {m, 0, 0, 0, out};
  if (m->event != SW_PARSE_PARSED || !push(&w, m->grammar->start)) return 0;
  while (w.count) {
    int good = 1;
    int32_t top = m->follow[--w.count];
    const sw_grammar_symbol *s = top >= 0 ? &m->grammar->symbol[top] : NULL;
    if (top == NODE_END && out) fputc(')', out);
    if (top <= MORE) good = follow_list(&w, MORE - top);
    else if (s) good = s->rule < 0 ? follow_word(&w, s) : follow_rule(&w, s);
    if (!good) return 0;
  }
  return w.at == m->trails && w.cursor == m->length;
}
