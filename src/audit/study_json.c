/* A study as JSON and CSV (see study.h; docs/audit.md lists the members). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "audit/study.h"
#include "base/file.h"

static void interval_json(sw_json *json, const char *key,
                          const sw_interval *i) {
  sw_json_object(json, key);
  sw_json_real(json, "point", i->point);
  sw_json_real(json, "low", i->low);
  sw_json_real(json, "high", i->high);
  sw_json_end(json);
}

static void condition_json(sw_json *json, const sw_study *s, int i) {
  const sw_arm_result *r = &s->measured.arm[i];
  sw_study_cost cost = sw_study_cost_of(s, i);
  sw_json_object(json, NULL);
  sw_json_string(json, "name", s->arm[i].name);
  sw_json_int(json, "cases", r->cases);
  sw_json_int(json, "requests", cost.requests);
  if (!s->dry) {
    sw_json_int(json, "unreadable", r->unreadable);
    sw_json_int(json, "overflow", r->overflow);
    sw_json_int(json, "known", r->known);
    interval_json(json, "right", &r->right);
  }
  sw_json_real(json, "prompt_tokens", r->prompt_tokens);
  sw_json_real(json, "answer_tokens",
               cost.requests ? cost.answer_tokens / (double)cost.requests : 0);
  sw_json_real(json, "cacheable", r->cacheable);
  sw_json_real(json, "price", cost.price);
  sw_json_real(json, "price_a_decision", r->price);
  sw_json_end(json);
}

static void contrast_json(sw_json *json, const sw_study *s,
                          const sw_contrast *k) {
  sw_json_object(json, NULL);
  sw_json_string(json, "of", s->arm[k->b].name);
  sw_json_string(json, "against", s->arm[k->a].name);
  sw_json_int(json, "cases", k->cases);
  interval_json(json, "shift", &k->shift);
  interval_json(json, "shift_raw", &k->shift_raw);
  interval_json(json, "shift_repeat", &k->shift_repeat);
  interval_json(json, "changes", &k->flips);
  interval_json(json, "changes_raw", &k->flips_raw);
  interval_json(json, "changes_repeat", &k->flips_repeat);
  sw_json_int(json, "known", k->known);
  interval_json(json, "gain", &k->gain);
  sw_json_end(json);
}

static void gate_json(sw_json *json, const sw_gate *g) {
  sw_json_object(json, "gate");
  sw_json_int(json, "known", g->known);
  interval_json(json, "right", &g->right);
  sw_json_real(json, "constant", g->constant);
  sw_json_string(json, "constant_is", g->constant_is);
  sw_json_real(json, "guess", g->guess);
  interval_json(json, "over_constant", &g->over_constant);
  interval_json(json, "over_guess", &g->over_guess);
  interval_json(json, "auroc", &g->auroc);
  sw_json_string(json, "auroc_of", g->auroc_is);
  sw_json_real(json, "unreadable", g->unreadable);
  sw_json_real(json, "same_answer", g->same);
  sw_json_string(json, "same_answer_is", g->same_is);
  sw_json_real(json, "worst_unreadable", g->worst_unreadable);
  sw_json_bool(json, "beats_both", g->beats);
  sw_json_end(json);
}

static void part_json(sw_json *json, const char *key,
                      const sw_contrast_part *part) {
  sw_json_object(json, key);
  sw_json_int(json, "cases", part->cases);
  if (part->cases) {
    interval_json(json, "changes", &part->flips);
    interval_json(json, "changes_raw", &part->flips_raw);
  }
  sw_json_end(json);
}

/* How many situations are marked, and by which judge. */
static void sufficient_json(sw_json *json, const sw_study *s) {
  const sw_sufficiency *u = &s->sufficiency;
  sw_json_object(json, "sufficient");
  sw_json_string(json, "judge", u->judge);
  sw_json_int(json, "enough", u->enough);
  sw_json_int(json, "lacking", u->lacking);
  sw_json_int(json, "open", u->open);
  sw_json_int(json, "unreadable", u->unreadable);
  if (u->judge[0])
    sw_json_int(json, "requests", sw_study_cost_of_judge(s).requests);
  if (!s->dry) {
    part_json(json, "where_enough", &s->verdict.enough);
    part_json(json, "where_lacking", &s->verdict.lacking);
  }
  sw_json_end(json);
}

static void verdict_json(sw_json *json, const sw_study *s) {
  const sw_conclusion *v = &s->verdict;
  sw_json_string(json, "finding", sw_found_names[v->found]);
  sw_json_array(json, "more");
  for (int i = 0; i < 4; i++)
    if (v->more[i][0]) sw_json_string(json, NULL, v->more[i]);
  sw_json_end(json);
  sw_json_string(json, "primary", v->primary ? s->arm[v->primary->b].name : "");
  gate_json(json, &v->gate);
  sw_json_array(json, "contrasts");
  for (int i = 0; i < s->measured.contrasts; i++)
    contrast_json(json, s, &s->measured.contrast[i]);
  sw_json_end(json);
}

static void dose_json(sw_json *json, const sw_dose *d) {
  sw_json_object(json, "dose");
  sw_json_string(json, "action", d->action);
  sw_json_int(json, "situations", d->situations);
  sw_json_int(json, "groups", d->groups);
  sw_json_int(json, "rising", d->rising);
  sw_json_int(json, "answers", d->answers);
  sw_json_int(json, "unreadable", d->unreadable);
  sw_json_int(json, "floored", d->floored);
  sw_json_int(json, "graded", d->graded);
  sw_json_bool(json, "same_bits", d->same_bits);
  interval_json(json, "nats_a_turn", &d->nats);
  interval_json(json, "nats_where_right", &d->nats_right);
  interval_json(json, "nats_where_wrong", &d->nats_wrong);
  interval_json(json, "share_a_turn", &d->share);
  interval_json(json, "moved", &d->moved);
  sw_json_array(json, "points");
  for (int i = 0; i < d->points; i++) {
    const sw_dose_point *p = &d->point[i];
    sw_json_object(json, NULL);
    sw_json_real(json, "count", p->count);
    sw_json_int(json, "situations", p->situations);
    interval_json(json, "p", &p->p);
    interval_json(json, "chosen", &p->chosen);
    sw_json_real(json, "log_odds", p->log_odds);
    sw_json_real(json, "p_where_right", p->p_right);
    sw_json_real(json, "p_where_wrong", p->p_wrong);
    sw_json_end(json);
  }
  sw_json_end(json);
  sw_json_end(json);
}

static void spent_json(sw_json *json, const sw_study *s) {
  sw_study_cost all = sw_study_cost_of(s, -1);
  sw_json_object(json, "spent");
  sw_json_int(json, "planned", all.requests);
  sw_json_real(json, "prompt_tokens", all.prompt_tokens);
  sw_json_real(json, "answer_tokens", all.answer_tokens);
  sw_json_real(json, "price", all.price);
  sw_json_end(json);
}

static void log_json(sw_json *json, const sw_log_counts *c) {
  sw_json_object(json, "log");
#define X(name) sw_json_int(json, #name, c->name);
  SW_LOG_COUNTS(X)
#undef X
  if (c->unread) sw_json_string(json, "unread_why", c->unread_why);
  sw_json_end(json);
}

void sw_study_json(const sw_study *s, sw_json *json) {
  char text[1200];
  sw_json_object(json, NULL);
  sw_json_string(json, "endpoint", s->address);
  sw_json_string(json, "model", s->model);
  sw_json_string(json, "source", s->source);
  sw_json_int(json, "cases", s->cases.count);
  sw_json_int(json, "seed", (int64_t)s->seed);
  sw_json_bool(json, "dry_run", s->dry);
  sw_json_string(json, "answers", sw_form_names[s->manner.form]);
  sw_json_int(json, "log_probabilities", s->manner.top);
  if (s->manner.no_tools) sw_json_bool(json, "tools_left_out", 1);
  if (s->log.files) log_json(json, &s->log);
  if (!s->dry) {
    sw_study_headline(s, text, sizeof text);
    sw_json_string(json, "headline", text);
    if (s->dosed) dose_json(json, &s->dose);
    else verdict_json(json, s);
    sw_json_string(json, "failed", s->failed);
  }
  if (!s->dosed) sufficient_json(json, s);
  sw_json_array(json, "conditions");
  for (int i = 0; i < s->arms; i++) condition_json(json, s, i);
  sw_json_end(json);
  spent_json(json, s);
  sw_json_end(json);
}

/* ---- CSV ---- */

static void csv_text(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"') fputc('"', out);
    fputc(*text, out);
  }
  fputc('"', out);
}

static void csv_interval(FILE *out, const sw_interval *i) {
  const double x[] = {i->point, i->low, i->high};
  for (int k = 0; k < 3; k++)
    if (isfinite(x[k])) fprintf(out, ",%.9g", x[k]);
    else fputc(',', out);
}

static void conditions_csv(const sw_study *s, FILE *out) {
  fputs(
      "condition,cases,questions,unreadable,overflow,right,right_low,"
      "right_high,prompt_tokens,cacheable,price_a_decision\n",
      out);
  for (int i = 0; i < s->arms; i++) {
    const sw_arm_result *r = &s->measured.arm[i];
    csv_text(out, s->arm[i].name);
    fprintf(out, ",%lld,%lld,%lld,%lld", (long long)r->cases,
            (long long)r->questions, (long long)r->unreadable,
            (long long)r->overflow);
    csv_interval(out, &r->right);
    fprintf(out, ",%.9g,%.9g,%.9g\n", r->prompt_tokens, r->cacheable, r->price);
  }
}

static void contrasts_csv(const sw_study *s, FILE *out) {
  fputs(
      "of,against,cases,shift,shift_low,shift_high,changes,changes_low,"
      "changes_high,changes_raw,changes_raw_low,changes_raw_high,"
      "changes_repeat,changes_repeat_low,changes_repeat_high,gain,gain_low,"
      "gain_high\n",
      out);
  for (int i = 0; i < s->measured.contrasts; i++) {
    const sw_contrast *k = &s->measured.contrast[i];
    csv_text(out, s->arm[k->b].name);
    fputc(',', out);
    csv_text(out, s->arm[k->a].name);
    fprintf(out, ",%lld", (long long)k->cases);
    csv_interval(out, &k->shift);
    csv_interval(out, &k->flips);
    csv_interval(out, &k->flips_raw);
    csv_interval(out, &k->flips_repeat);
    csv_interval(out, &k->gain);
    fputc('\n', out);
  }
}

/* An answer a line. */
static void answers_csv(const sw_study *s, FILE *out) {
  fputs(
      "case,group,condition,order,repeat,answer,right,p,prompt_tokens,"
      "cached_tokens,answer_tokens\n",
      out);
  for (int64_t i = 0; i < s->survey.count; i++) {
    const sw_question_plan *q = &s->survey.plan[i];
    const sw_audit_case *c = &s->cases.item[q->at];
    int choice = q->said.choice;
    if (!q->said.asked) continue;
    csv_text(out, c->id);
    fputc(',', out);
    csv_text(out, c->group);
    fputc(',', out);
    csv_text(out, s->arm[q->arm].name);
    fprintf(out, ",%d,%d,", q->order, q->repeat);
    csv_text(out, choice >= 0        ? c->choice[choice]
                  : q->said.overflow ? "(overflow)"
                                     : "(unreadable)");
    fprintf(out, ",%s,",
            !c->right || choice < 0 ? ""
            : c->right[choice]      ? "1"
                                    : "0");
    if (q->said.graded) fprintf(out, "%.9g", q->said.p[choice]);
    fprintf(out, ",%lld,%lld,%lld\n", (long long)q->said.prompt_tokens,
            (long long)q->said.cached_tokens, (long long)q->said.answer_tokens);
  }
}

static void dose_csv(const sw_study *s, FILE *out) {
  fputs(
      "count,situations,p,p_low,p_high,chosen,chosen_low,chosen_high,"
      "log_odds,p_where_right,p_where_wrong\n",
      out);
  for (int i = 0; i < s->dose.points; i++) {
    const sw_dose_point *p = &s->dose.point[i];
    fprintf(out, "%.9g,%lld", p->count, (long long)p->situations);
    csv_interval(out, &p->p);
    csv_interval(out, &p->chosen);
    fprintf(out, ",%.9g,%.9g,%.9g\n", p->log_odds, p->p_right, p->p_wrong);
  }
}

static int write_one(const sw_study *s, const char *directory, const char *name,
                     void (*write)(const sw_study *, FILE *), sw_err *err) {
  char path[1100];
  sw_out_file file;
  snprintf(path, sizeof path, "%.1000s/%s", directory, name);
  SW_TRY(sw_out_open(&file, path, err));
  write(s, file.stream);
  return sw_out_commit(&file, err);
}

int sw_study_csv(const sw_study *s, const char *directory, sw_err *err) {
  char path[1100];
  snprintf(path, sizeof path, "%.1000s/sufficient.jsonl", directory);
  if (!s->dosed) SW_TRY(sw_sufficient_write(&s->cases, path, err));
  SW_TRY(write_one(s, directory, "answers.csv", answers_csv, err));
  if (s->dosed) return write_one(s, directory, "dose.csv", dose_csv, err);
  SW_TRY(write_one(s, directory, "conditions.csv", conditions_csv, err));
  return write_one(s, directory, "contrasts.csv", contrasts_csv, err);
}
