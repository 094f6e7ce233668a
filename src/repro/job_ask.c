/* What an experiment asks of its models (see job.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ranks.h"
#include "base/file.h"
#include "base/hash.h"
#include "probe/measure.h"
#include "repro/cell_question.h"
#include "repro/figure.h"
#include "repro/job.h"
#include "report/read_json.h"

/* ---- searches ---- */

typedef struct search {
  sw_guide *guide;
  const sw_domain_options *task;
  const char *settings[2]; /* the column's, the row's */
  const char *test;
  const sw_repro_row *row;
  const char *verifier; /* over the settings', or NULL */
  int64_t seed;         /* of the test instances */
} search;

/* A row that names a verifier is about it: --verifier does not replace it. */
static int names_verifier(const char *settings, int *named, sw_err *err) {
  sw_settings own;
  SW_TRY(sw_settings_read(&own, settings, NULL, err));
  *named = 0;
  for (int i = 0; i < own.count; i++)
    if (!strcmp(own.pair[2 * i], "verifier")) *named = 1;
  sw_settings_free(&own);
  return SW_OK;
}

static int play(sw_job *j, const search *what, sw_score_row *row, sw_err *err) {
  sw_settings loop, test;
  sw_condition_options options;
  sw_domain_options task = *what->task;
  sw_condition c;
  sw_score_hooks hooks = {.context = j->hooks->context,
                          .progress = j->hooks->progress,
                          .stop = j->hooks->stop};
  int own;
  SW_TRY(names_verifier(what->settings[1], &own, err));
  SW_TRY(sw_settings_read(&loop, what->settings[0], what->settings[1], err));
  int code = sw_settings_read(&test, what->test, NULL, err);
  sw_condition_defaults(&options);
  options.seed = what->seed;
  if (!code)
    code = sw_apply_settings(what->guide->domain->options,
                             what->guide->domain->option_count, test.pair, NULL,
                             &task, err);
  if (!code)
    code = sw_apply_settings(sw_condition_table, sw_condition_table_count,
                             loop.pair, NULL, &options, err);
  if (j->options->instances >= 0) options.instances = j->options->instances;
  const char *asked = own ? NULL : j->options->verifier;
  if (what->verifier || asked) {
    options.verifier = what->verifier ? what->verifier : asked;
    options.loop = NULL;
  }
  char verifier[2 * SW_VERIFIER_TEXT];
  if (!code && !asked && sw_verifier_varies(options.verifier)) {
    code = sw_job_verifier(j, what->row, options.verifier, verifier,
                           sizeof verifier, err);
    options.verifier = verifier;
  }
  if (!code) code = sw_condition_make(&c, &options, what->guide, &task, err);
  if (!code) {
    j->hooks->begin(j->hooks->context, "searches");
    code = sw_score(&c, j->results, &hooks, row, err);
    j->hooks->end(j->hooks->context);
  }
  sw_settings_free(&loop);
  sw_settings_free(&test);
  return code;
}

/* All test streams of a column, one after the other, in one list. */
static int play_all(sw_job *j, const search *what, const char *seeds,
                    sw_repro_value *v, sw_err *err) {
  search one = *what;
  char usual[24];
  snprintf(usual, sizeof usual, "%" PRId64, j->options->test_seed);
  const char *at = seeds ? seeds : usual;
  while (*at) {
    char *end;
    sw_score_row row;
    one.seed = strtoll(at, &end, 10);
    if (end == at) return sw_fail(err, SW_INTERNAL, "test seeds `%s`", seeds);
    at = end + strspn(end, " ");
    memset(&row, 0, sizeof row);
    SW_TRY(play(j, &one, &row, err));
    int64_t n = row.summary.n;
    sw_outcome *all =
        realloc(v->outcome, sizeof *all * (size_t)(v->outcomes + n + 1));
    if (all) {
      memcpy(all + v->outcomes, row.outcomes, sizeof *all * (size_t)n);
      v->outcome = all;
      v->outcomes += n;
    }
    sw_score_free(&row);
    if (!all) return sw_no_memory(err);
  }
  return SW_OK;
}

static int take_figure(const sw_repro_column *c, sw_repro_value *v,
                       sw_err *err) {
  const char *figure = c->figure ? c->figure : "solve_rate";
  if (!sw_search_figure_known(figure))
    return sw_fail(err, SW_INTERNAL, "no figure `%s` of a search", figure);
  v->each = malloc(sizeof *v->each * (size_t)(v->outcomes + 1));
  if (!v->each) return sw_no_memory(err);
  v->value = sw_search_figure(figure, v->outcome, v->outcomes, v->each);
  for (int64_t i = 0; i < v->outcomes; i++)
    if (isnan(v->each[i])) {
      free(v->each);
      v->each = NULL;
      break;
    }
  return SW_OK;
}

int sw_job_search(sw_job *j, const sw_repro_row *row, int column,
                  const sw_model_at_hand *m, sw_repro_value *v, sw_err *err) {
  const sw_repro_column *c = &j->experiment->column[column];
  const sw_domain *domain;
  sw_domain_options task;
  search what = {.guide = m->guide,
                 .task = &m->loaded.options,
                 .settings = {c->settings, row->search},
                 .row = row,
                 .test = row->test};
  if (m->guide) {
    SW_TRY(play_all(j, &what, c->test_seeds, v, err));
  } else {
    SW_TRY(sw_job_task(j, row, &domain, &task, err));
    SW_TRY(sw_guide_named(&what.guide, domain, row->rule, err));
    what.task = &task;
    int code = play_all(j, &what, c->test_seeds, v, err);
    sw_guide_close(what.guide);
    if (code) return code;
  }
  return take_figure(c, v, err);
}

/* ---- rules beside a column ---- */

static const char *rule_of(const sw_search_ops *s, int role) {
  switch (role) {
    case SW_REPRO_trivial:
      return s->rule.trivial;
    case SW_REPRO_floor:
      return s->rule.onward;
    case SW_REPRO_rule:
      return s->rule.exact;
    default:
      return s->rule.best;
  }
}

static int play_beside(sw_job *j, sw_repro_cell *cell, int role,
                       const sw_domain *domain, const sw_domain_options *task,
                       sw_err *err) {
  const sw_repro_column *c = &j->experiment->column[cell->column];
  const char *name = rule_of(domain->search, role);
  sw_repro_value v = {.value = NAN};
  if (!name) return SW_OK;
  search what = {.task = task,
                 .settings = {c->settings, cell->row->search},
                 .row = cell->row,
                 .test = cell->row->test,
                 .verifier = role == SW_REPRO_floor ? "never" : NULL};
  SW_TRY(sw_guide_named(&what.guide, domain, name, err));
  int code = play_all(j, &what, c->test_seeds, &v, err);
  if (!code) code = take_figure(c, &v, err);
  if (!code) cell->beside[role] = v.value;
  sw_guide_close(what.guide);
  if (role == SW_REPRO_rule && !code) {
    cell->exact = v;
    return SW_OK;
  }
  free(v.outcome);
  free(v.each);
  return code;
}

static const sw_domain *domain_of(const sw_repro_result *r,
                                  const sw_repro_row *row) {
  const char *named = row->domain ? row->domain : row->shipped;
  const sw_trained *t = row->model ? sw_trained_find(row->model) : NULL;
  const sw_experiment *e = r->experiment;
  if (named) return sw_domain_find(named);
  for (int i = 0; !t && e->row[i].id; i++) /* a rule: as others */
    if (e->row[i].model) t = sw_trained_find(e->row[i].model);
  const sw_preset *p =
      t ? sw_preset_find(t->preset[r->scale] ? t->preset[r->scale]
                                             : t->preset[0])
        : NULL;
  return p ? sw_domain_find(p->domain) : NULL;
}

static int can_judge(const char *verifier, const sw_domain *domain,
                     sw_err *err) {
  sw_verifier *v;
  if (!domain) return SW_OK;
  SW_TRY(sw_verifier_open(&v, domain, verifier, err));
  sw_verifier_close(v);
  return SW_OK;
}

int sw_job_check_verifier(sw_job *j, sw_err *err) {
  const char *verifier = j->options->verifier;
  const sw_domain *before = NULL, *unused = NULL;
  if (!verifier || !*verifier) return SW_OK;
  for (int i = 0; j->experiment->row[i].id; i++) {
    const sw_repro_row *row = &j->experiment->row[i];
    const sw_domain *domain = domain_of(j->result, row);
    int own;
    if (!sw_job_wants(j, row->id) || sw_row_needs(row)) continue;
    SW_TRY(names_verifier(row->search, &own, err));
    if (own) unused = domain;
    else if (domain != before) {
      SW_TRY(can_judge(verifier, domain, err));
      before = domain;
    }
  }
  /* When no row takes the verifier, it must at least exist and fit the
   * domain. */
  return before ? SW_OK : can_judge(verifier, unused, err);
}

static void add_name(char *names, size_t room, const char *name) {
  size_t used = strlen(names);
  const char *at = names;
  while ((at = strstr(at, name))) { /* a whole one of the list? */
    char end = at[strlen(name)];
    if ((at == names || at[-1] == ' ') && (!end || end == ',')) return;
    at++;
  }
  snprintf(names + used, room - used, "%s%s", used ? ", " : "", name);
}

void sw_repro_name_rules(sw_repro_result *r) {
  memset(r->policy, 0, sizeof r->policy);
  if (r->experiment->beside == SW_BESIDE_NONE) return;
  for (int i = 0; i < r->cells; i++) {
    const sw_repro_cell *cell = &r->cell[i];
    const sw_domain *domain = domain_of(r, cell->row);
    if (r->experiment->column[cell->column].source != SW_SOURCE_SEARCH ||
        !cell->values || !domain || !domain->search)
      continue;
    for (int role = 0; role < SW_REPRO_ROLES; role++) {
      const char *name = rule_of(domain->search, role);
      if (name &&
          (r->experiment->beside == SW_BESIDE_ALL || role == SW_REPRO_rule))
        add_name(r->policy[role], sizeof r->policy[role], name);
    }
  }
}

const char *sw_repro_rule_beside(const sw_repro_result *r,
                                 const sw_repro_row *row, int role) {
  sw_beside beside = r->experiment->beside;
  const sw_domain *domain = domain_of(r, row);
  if (beside == SW_BESIDE_NONE || !domain || !domain->search ||
      (beside == SW_BESIDE_EXACT && role != SW_REPRO_rule))
    return NULL;
  return rule_of(domain->search, role);
}

const char *sw_repro_beside_more(int role) {
  return role == SW_REPRO_floor ? "verifier=never" : NULL;
}

/* Cells with equal conditions share their searches: each condition is played
 * once, and the store answers the others. */
int sw_job_beside(sw_job *j, sw_err *err) {
  if (j->experiment->beside == SW_BESIDE_NONE) return SW_OK;
  for (int i = 0; i < j->result->cells; i++) {
    sw_repro_cell *cell = &j->result->cell[i];
    const sw_domain *domain;
    sw_domain_options task;
    if (j->experiment->column[cell->column].source != SW_SOURCE_SEARCH ||
        !cell->values)
      continue;
    SW_TRY(sw_job_task(j, cell->row, &domain, &task, err));
    for (int role = 0; role < SW_REPRO_ROLES; role++)
      if (j->experiment->beside == SW_BESIDE_ALL || role == SW_REPRO_rule)
        SW_TRY(play_beside(j, cell, role, domain, &task, err));
  }
  return SW_OK;
}

/* ---- measures ---- */

static void begin(void *context, const char *what, int64_t total) {
  const sw_repro_hooks *h = context;
  (void)total;
  h->begin(h->context, what);
}
static void step(void *context, const char *label, int64_t done,
                 int64_t total) {
  const sw_repro_hooks *h = context;
  h->progress(h->context, label, done, total);
}
static void end(void *context) {
  const sw_repro_hooks *h = context;
  h->end(h->context);
}

/* RUN/NAME.json, with hashes of question and weights in the name where runs are
 * shared, so that what another experiment measured is found. The file says both
 * in full (is_answer): a name alone proves nothing. */
static void file_of(const sw_job *j, const sw_repro_column *c,
                    const sw_model_at_hand *m, const char *question, char *name,
                    size_t room) {
  uint64_t hash = sw_xxh64(question, strlen(question), 0);
  if (j->options->flat) snprintf(name, room, "%s", c->probe);
  else snprintf(name, room, "%s-%016" PRIx64 "-%.8s", c->probe, hash, m->hash);
}

/* Is this file the answer of these weights to this question? */
static int is_answer(const char *path, const sw_model_at_hand *m,
                     const char *question) {
  json_t *found;
  if (!sw_path_exists(path) || sw_read_json(path, &found, NULL)) return 0;
  int same = !strcmp(sw_member_text(found, "question", ""), question) &&
             !strcmp(sw_member_text(found, "weights", ""), m->hash);
  json_decref(found);
  return same;
}

/* "name=value" where the measure has such an option. */
static int set_over(sw_probe *p, const char *pair, sw_err *err) {
  char name[64];
  const char *equals = strchr(pair, '=');
  if (!equals || (size_t)(equals - pair) >= sizeof name)
    return sw_fail(err, SW_USAGE, "`%s` is not name=value", pair);
  snprintf(name, sizeof name, "%.*s", (int)(equals - pair), pair);
  for (int i = 0; i < p->measure->option_count; i++)
    if (!strcmp(p->measure->options[i].name, name))
      return sw_measure_set(p, name, equals + 1, err);
  return SW_OK;
}

/* The row's task and reading, then the column's settings over them. The
 * measure borrows the texts. */
static int set_all(sw_probe *p, const sw_repro_row *row,
                   const sw_settings *settings, sw_err *err) {
  if (row->mask) SW_TRY(sw_measure_set(p, "eval-mask", row->mask, err));
  if (row->positions)
    SW_TRY(sw_measure_set(p, "eval-positions", row->positions, err));
  for (int i = 0; i < settings->count; i++)
    SW_TRY(sw_measure_set(p, settings->pair[2 * i], settings->pair[2 * i + 1],
                          err));
  return SW_OK;
}

static int take_measure(sw_job *j, const sw_repro_row *row,
                        const sw_repro_column *c, const sw_model_at_hand *m,
                        const char *question, const char *name, sw_err *err) {
  const sw_measure *measure = sw_measure_find(c->probe);
  sw_measure_hooks hooks = {
      .context = (void *)j->hooks, .begin = begin, .step = step, .end = end};
  sw_settings settings;
  sw_probe *p = NULL;
  const char *model = m->weights;
  if (!measure) return sw_fail(err, SW_INTERNAL, "no measure `%s`", c->probe);
  SW_TRY(sw_settings_read(&settings, row->test, c->settings, err));
  int code = sw_measure_new(&p, measure, j->team, &hooks, err);
  if (!code) code = set_all(p, row, &settings, err);
  for (int i = 0; i < j->options->measure.count && !code; i++)
    code = set_over(p, j->options->measure.item[i], err);
  if (!code) {
    p->question = question;
    p->weights = m->hash;
    code = sw_measure_take(p, &model, 1, err);
  }
  if (!code && sw_ranks_me() == 0)
    code = sw_measure_write_as(p, m->run, name, err);
  sw_measure_free(p);
  sw_settings_free(&settings);
  return code;
}

static int take_value(const sw_repro_column *c, const char *path,
                      sw_repro_value *v, sw_err *err) {
  char other[96];
  json_t *found;
  SW_TRY(sw_read_json(path, &found, err));
  v->value = sw_member_real(found, c->figure, NAN);
  if (c->interval) {
    snprintf(other, sizeof other, "%s.0", c->interval);
    v->low = sw_member_real(found, other, NAN);
    snprintf(other, sizeof other, "%s.1", c->interval);
    v->high = sw_member_real(found, other, NAN);
  }
  json_decref(found);
  return SW_OK;
}

static int measured(sw_job *j, const sw_repro_row *row,
                    const sw_repro_column *c, const sw_model_at_hand *m,
                    const char *question, sw_repro_value *v, sw_err *err) {
  char name[96], path[1500];
  file_of(j, c, m, question, name, sizeof name);
  snprintf(path, sizeof path, "%s/%s.json", m->run, name);
  int have = !j->options->flat && is_answer(path, m, question);
  SW_TRY(sw_ranks_share(&have, sizeof have, 0, err)); /* all do the same */
  if (!have) SW_TRY(take_measure(j, row, c, m, question, name, err));
  SW_TRY(sw_ranks_share(&have, sizeof have, 0, err)); /* it is written */
  return take_value(c, path, v, err);
}

int sw_job_probe(sw_job *j, const sw_repro_row *row, const sw_repro_column *c,
                 const sw_model_at_hand *m, sw_repro_value *v, sw_err *err) {
  sw_cell_asked asked = sw_cell_asked_of(row, c);
  char *question;
  if (!m->hash[0]) return SW_OK; /* a rule has nothing to measure */
  SW_TRY(sw_cell_question(&asked, &j->options->measure, &question, err));
  int code = measured(j, row, c, m, question, v, err);
  free(question);
  return code;
}

int sw_job_card(const sw_repro_column *c, const sw_model_at_hand *m,
                sw_repro_value *v, sw_err *err) {
  char path[1400];
  json_t *card;
  if (!m->hash[0]) return SW_OK;
  if (m->at_step && !strcmp(c->figure, "valid_loss")) {
    v->value = m->at_loss;
    return SW_OK;
  }
  if (m->at_step && !strcmp(c->figure, "tokens")) {
    v->value = (double)m->at_tokens;
    return SW_OK;
  }
  if (m->at_step && !strcmp(c->figure, "steps")) {
    v->value = (double)m->at_step;
    return SW_OK;
  }
  snprintf(path, sizeof path, "%s/run.json", m->run);
  SW_TRY(sw_read_json(path, &card, err));
  v->value = sw_member_real(card, c->figure, NAN);
  json_decref(card);
  return SW_OK;
}
