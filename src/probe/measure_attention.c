/* The measure `attention`: what a model looks at on the way to a verdict. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "probe/measured.h"

typedef sw_attention_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_ATTENTION_OPTIONS)};

static int ask_bank(session *s, const sw_loaded *loaded, const sw_bank *bank,
                    sw_err *err) {
  sw_probe *p = &s->probe;
  sw_attention_task task = {
      .bank = bank, .domain = loaded->domain, .items = s->items};
  int code = sw_probe_open(p, loaded, 1, &task.cached, err);
  if (!code) code = sw_probe_open(p, loaded, 0, &task.full, err);
  sw_probe_begin(p, "states", bank->states);
  if (!code)
    code =
        sw_attention_ask(&task, sw_probe_step, s, &s->result[p->models], err);
  sw_probe_end(p);
  sw_asker_free(task.cached);
  sw_asker_free(task.full);
  return code;
}

static int ask(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_bank bank = {0};
  sw_bank_fair_options o = {.viable = s->viable,
                            .conflicts = s->conflicts,
                            .max_instances = s->instances,
                            .rollouts = s->rollouts,
                            .max_histories = 2,
                            .error = 0.15};
  if (strcmp(loaded->model->family->reads, "tokens"))
    return sw_fail(err, SW_USAGE, "%s reads %s, not tokens", loaded->path,
                   loaded->model->family->reads);
  if (!loaded->domain->token.parts)
    return sw_fail(err, SW_USAGE,
                   "the domain %s does not say what its tokens belong to",
                   loaded->domain->name);
  SW_TRY(sw_refuse_pads(loaded->domain, s->probe.options.format, err));
  int code = sw_probe_fair_bank(&s->probe, loaded->domain, &loaded->options, &o,
                                s->fewer, &bank, err);
  if (!code) code = ask_bank(s, loaded, &bank, err);
  sw_bank_free(&bank);
  return code;
}

/* ---- what it finds ---- */

#define F(...) SW_FIGURE(__VA_ARGS__)
#define LEFT(KIND, STORED, i, name_, SHOWN, heading_)             \
  {                                                               \
    .name = name_, .kind = SW_FIGURE_##KIND, .heading = heading_, \
    .help = "of an item with that much left", .shown = SHOWN,     \
    .stored = SW_STORED_##STORED, .at = (i) * sizeof(double)      \
  }
#define LEFTS(KIND, STORED, SHOWN)                                    \
  {                                                                   \
    LEFT(KIND, STORED, 0, "left_0", SHOWN,                            \
         "question on an item with nothing left"),                    \
        LEFT(KIND, STORED, 1, "left_1", SHOWN * 2, "one choice"),     \
        LEFT(KIND, STORED, 2, "left_2", SHOWN * 3, "two"),            \
        LEFT(KIND, STORED, 3, "left_3", SHOWN * 4, "three"),          \
        LEFT(KIND, STORED, 4, "satisfied", SHOWN * 5, "satisfied"), { \
      0                                                               \
    }                                                                 \
  }
static const sw_figure weights[] = LEFTS(SCORE, REAL, 10),
                       scores[] = LEFTS(SCORE, REAL, 0),
                       counts[] = LEFTS(COUNT, COUNT, 0);

#define R sw_attention_shares
#define LOOK(m, SHOWN, heading, help) \
  { F(SCORE, R, m, #m, heading, help), .shown = SHOWN }
/* The caller writes a head's layer and number; `even` has neither. */
#define PLACE(name_, SHOWN)                                   \
  {                                                           \
    .name = name_, .kind = SW_FIGURE_COUNT, .heading = name_, \
    .help = "of the head, from 1", .shown = SHOWN             \
  }
static const sw_figure looks[] = {
    PLACE("layer", 1),
    PLACE("head", 2),
    LOOK(home, 3, "literal on its home",
         "of a literal on its variable in the state"),
    LOOK(inside, 4, "end on its item", "of an item's end on its own item"),
    LOOK(opening_least, 5, "opening on the least before",
         "of an item's opening on the least item before it"),
    LOOK(opening_other, 6, "on another", "on another item before it"),
    LOOK(question_least, 0, "question on the least",
         "of the question on the item that has least left"),
    LOOK(question_other, 0, "on another", "on another item"),
    {F(GROUP, R, by_left, "by_left", "question, by what is left",
       "of the question on one item, by what is left of it"),
     .part = weights},
    {F(GROUP, R, score, "score", "log attention",
       "the logarithm less the mean over the state's items"),
     .part = scores},
    {0}};
#undef R

/* The head with the most attention on the asked target stands for the model; no
 * head where that target was not asked. */
static void most_json(const sw_attention_result *r, const char *key,
                      size_t field, sw_json *json) {
  double most = NAN;
  int32_t best = -1;
  for (int32_t h = 0; h < r->layers * r->heads; h++) {
    double value;
    memcpy(&value, (const char *)&r->head[h] + field, sizeof value);
    if (isnan(value) || (best >= 0 && value <= most)) continue;
    best = h;
    most = value;
  }
  if (best < 0) return;
  sw_json_object(json, key);
  sw_json_int(json, "layer", best / r->heads + 1);
  sw_json_int(json, "head", best % r->heads + 1);
  sw_figures_json(looks, &r->head[best], json);
  sw_json_end(json);
}
#define MOST(field) \
  most_json(r, "most_" #field, offsetof(sw_attention_shares, field), json)

static void facts(const void *found, sw_json *json) {
  static const char *const kind[] = {
#define X(id, name) name,
      SW_FACT_KINDS(X)
#undef X
  };
  const sw_attention_result *r = found;
  sw_json_object(json, "facts");
  for (int k = 0; k < SW_FACT_COUNT; k++)
    sw_json_real(json, kind[k],
                 r->facts[k] ? (double)r->right[k] / (double)r->facts[k] : NAN);
  sw_json_end(json);
}

static void heads(const void *found, sw_json *json) {
  const sw_attention_result *r = found;
  if (!r->head) return;
  sw_json_object(json, "even");
  sw_figures_json(looks, &r->head[r->layers * r->heads], json);
  sw_json_end(json);
  MOST(home);
  MOST(inside);
  MOST(opening_least);
  MOST(question_least);
  sw_json_array(json, "by_head");
  for (int32_t h = 0; h < r->layers * r->heads; h++) {
    sw_json_object(json, NULL);
    sw_json_int(json, "layer", h / r->heads + 1);
    sw_json_int(json, "head", h % r->heads + 1);
    sw_figures_json(looks, &r->head[h], json);
    sw_json_end(json);
  }
  sw_json_end(json);
}

#define FACT(id, name_)     \
  {.name = name_,           \
   .kind = SW_FIGURE_SHARE, \
   .heading = name_,        \
   .help = "of the facts of this kind, those that it tells right"},
static const sw_figure fact_figures[] = {SW_FACT_KINDS(FACT){0}};

#define HEAD(name_, SHOWN, heading_, help_)                                    \
  {                                                                            \
    .name = name_, .kind = SW_FIGURE_VIEW, .heading = heading_, .help = help_, \
    .part = looks, .shown = SHOWN                                              \
  }
#define R sw_attention_result
static const sw_figure figures[] = {
    {F(COUNT, R, states, "states", "states", "states asked about")},
    {F(COUNT, R, skipped, "skipped", "skipped",
       "states that did not fit the position table")},
    {F(COUNT, R, literals, "literals", "literals", "tokens of literals asked")},
    {F(COUNT, R, ends, "ends", "ends", "ends of items asked")},
    {F(COUNT, R, openings, "openings", "openings", "openings of items asked")},
    {F(GROUP, R, items, "items", "items", "items, by what is left of them"),
     .part = counts},
    {F(GROUP, R, states_of, "states_by_least", "states",
       "states, by the least left of an item"),
     .part = counts},
    {F(GROUP, R, verdict, "verdict_log_odds", "verdict",
       "mean log odds of going back, by the same"),
     .part = scores},
    {.name = "facts",
     .kind = SW_FIGURE_GROUP,
     .heading = "facts",
     .help = "what the model's heads of facts tell right",
     .write = facts,
     .part = fact_figures},
    HEAD("even", 5, "all tokens alike", "a head that looks nowhere"),
    HEAD("most_home", 1, "literal on its home",
         "the head that looks most from a literal to its variable"),
    HEAD("most_inside", 2, "end of an item on the item",
         "the head that looks most from an end to its item"),
    HEAD("most_opening_least", 3, "opening of an item on the least before",
         "the head that looks most there"),
    HEAD("most_question_least", 4, "question on the least item",
         "the head that looks most there"),
    {.name = "by_head",
     .kind = SW_FIGURE_SERIES,
     .heading = "by head",
     .help = "all heads, layer by layer",
     .part = looks,
     .write = heads},
    {0}};
#undef R

static void clear(void *context) {
  session *s = context;
  for (int m = 0; m < SW_LIST_MAX; m++) sw_attention_free(&s->result[m]);
}

const sw_measure sw_measure_attention = {
    .name = "attention",
    .bytes = sizeof(session),
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .ask = ask,
    .figures = figures,
    SW_MEASURE_RESULT(session, result),
    .caption =
        "What the heads look at on the way to a verdict: mean attention, "
        "for each question the head that looks there most",
    .note =
        "An item is a clause; home: a literal's variable in the state; "
        "least: the item with the fewest choices left.",
    .clear = clear};
