/* See audit_study.h. */
#include "command/audit_study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "audit/searches.h"
#include "base/file.h"
#include "base/stop.h"

enum { STORY_SITUATIONS = 24, SEARCH_SITUATIONS = 80 };

int study_of_searches(const study_values *v, const char *domain) {
  return domain || (!v->cases && !v->logs && !v->dose);
}

static int load_searches(const study_values *v, const study_search *search,
                         uint64_t seed, sw_study *s, sw_err *err) {
  sw_searches_options o = {.domain = search->domain,
                           .task = &search->task,
                           .states = v->situations ? v->situations
                                     : v->dose     ? STORY_SITUATIONS
                                                   : SEARCH_SITUATIONS,
                           .seed = seed,
                           .dose = v->dose};
  if (v->cases || v->logs)
    return sw_fail(err, SW_USAGE, "give --cases, --logs or --domain, one only");
  if (search->task.n > 0)
    snprintf(s->source, sizeof s->source, "searches of domain %.80s, size %d",
             search->domain->name, search->task.n);
  else
    snprintf(s->source, sizeof s->source, "searches of environment %.80s",
             search->domain->name);
  return sw_audit_searches(&s->cases, &o, s->back, err);
}

static int load(const study_values *v, const study_search *search,
                uint64_t seed, sw_study *s, sw_err *err) {
  sw_log_options log = {.most = v->most};
  if (search->domain) return load_searches(v, search, seed, s, err);
  if (v->cases && v->logs)
    return sw_fail(err, SW_USAGE, "give --cases or --logs, not both");
  if (v->cases) {
    snprintf(s->source, sizeof s->source, "cases of %.280s", v->cases);
    return sw_audit_cases_load(&s->cases, v->cases, err);
  }
  if (v->logs) {
    snprintf(s->source, sizeof s->source, "conversations of %.270s", v->logs);
    SW_TRY(sw_log_state_parse(&log, v->state, err));
    return sw_logs_load(&s->cases, v->logs, &log, &s->log, err);
  }
  snprintf(s->source, sizeof s->source, "a small search told in words");
  snprintf(s->back, sizeof s->back, "%s", SW_STORY_ACTION);
  return sw_dose_story(&s->cases,
                       v->situations ? v->situations : STORY_SITUATIONS,
                       v->turns, seed, err);
}

int study_has_judge(const study_values *v) {
  return v->sufficient && strstr(v->sufficient, "://") != NULL;
}

static int check_dose(const study_values *v, sw_err *err) {
  if (!v->dose || v->dose_action || (!v->cases && !v->logs)) return SW_OK;
  sw_fail(err, SW_USAGE, "--dose of your cases needs --dose-action TEXT");
  return sw_hint(err, "the choice that the counts of the histories are about");
}

int study_run(const study_values *v, const study_search *search, uint64_t seed,
              const study_clients *clients, sw_progress_fn progress,
              void *context, sw_study *s, sw_err *err) {
  sw_study_options o = {.client = clients->model,
                        .judge = clients->judge,
                        .manner = {.form = (sw_form)v->answers,
                                   .top = -1,
                                   .max_tokens = v->max_tokens,
                                   .temperature = v->temperature},
                        .condition = v->condition.item,
                        .conditions = v->condition.count,
                        .dose = v->dose,
                        .orders = v->orders,
                        .repeats = v->repeats,
                        .sufficient = clients->judge ? NULL : v->sufficient,
                        .sample = v->dry_run ? v->dry_sample : -1,
                        .prices = {v->price_in, v->price_cached, v->price_out},
                        .fail_if = v->fail_if.item,
                        .fail_ifs = v->fail_if.count,
                        .seed = seed,
                        .progress = progress,
                        .stop = sw_stop_asked,
                        .context = context};
  SW_TRY(check_dose(v, err));
  SW_TRY(load(v, search, seed, s, err));
  if (v->labels && !search->domain) s->cases.words = 1;
  o.action = v->dose_action ? v->dose_action : s->back;
  return sw_study_run(s, &o, err);
}

int study_write(sw_command_io *io, const sw_study *s, const char *output,
                int json, sw_err *err) {
  char path[1100];
  sw_json text;
  sw_json_to_text(&text);
  sw_study_json(s, &text);
  snprintf(path, sizeof path, "%.1000s/audit.json", output);
  int code = text.failed ? sw_no_memory(err) : SW_OK;
  if (!code && !s->dry) code = sw_write_file(path, text.text, text.length, err);
  if (!code && json) fprintf(io->out, "%s\n", text.text);
  sw_json_free(&text);
  if (code || s->dry) return code;
  SW_TRY(sw_study_csv(s, output, err));
  snprintf(path, sizeof path, "%.1000s/index.html", output);
  return sw_study_page(s, path, err);
}

/* ---- on the terminal ---- */

static void print_dry(sw_command_io *io, const sw_study *s) {
  fprintf(io->out, "%-28s %9s %14s %12s\n", "condition", "requests", "tokens",
          "price");
  for (int i = 0; i < s->arms; i++) {
    sw_study_cost c = sw_study_cost_of(s, i);
    fprintf(io->out, "%-28s %9lld %14.0f %12.4f\n", s->arm[i].name,
            (long long)c.requests, c.prompt_tokens + c.answer_tokens, c.price);
  }
  sw_study_cost all = sw_study_cost_of(s, -1),
                judge = sw_study_cost_of_judge(s);
  fprintf(io->out, "%-28s %9lld %14.0f %12.4f\n", "all",
          (long long)all.requests, all.prompt_tokens + all.answer_tokens,
          all.price);
  if (s->sufficiency.judge[0])
    fprintf(io->out, "%-28s %9lld %14.0f %12s\n", "the judge, beside that",
            (long long)judge.requests,
            judge.prompt_tokens + judge.answer_tokens, "not known");
  if (s->manner.temperature > 0 && !s->manner.top)
    fprintf(io->out,
            "Answers are drawn and no log-probabilities are given: if half of "
            "the answers differ on repeat, a change of 5 points takes about "
            "%.0f cases (there are %lld); if a tenth do, about %.0f.\n",
            sw_cases_needed(0.5, 0.05), (long long)s->cases.count,
            sw_cases_needed(0.1, 0.05));
  fprintf(io->out,
          "%lld questions were asked to count tokens; they are kept and will "
          "not be asked again.\n",
          (long long)s->survey.asked);
}

static void print_dose(sw_command_io *io, const sw_study *s) {
  fprintf(io->out, "past `%s`   P [95 %%]              chosen   log-odds\n",
          s->dose.action);
  for (int i = 0; i < s->dose.points; i++) {
    const sw_dose_point *p = &s->dose.point[i];
    fprintf(io->out, "%9g   %.3f [%.3f, %.3f]   %5.1f %%", p->count, p->p.point,
            p->p.low, p->p.high, 100 * p->chosen.point);
    if (isnan(p->log_odds)) fputs("   -\n", io->out);
    else fprintf(io->out, "   %+.2f\n", p->log_odds);
  }
}

static void print_contrast(sw_command_io *io, const sw_study *s,
                           const sw_contrast *k) {
  char name[2 * SW_ARM_NAME + 8];
  if (!k->cases) return;
  snprintf(name, sizeof name, "%s against %s", s->arm[k->b].name,
           s->arm[k->a].name);
  fprintf(io->out,
          "%-34s %5lld cases  changes %5.1f %% [%.1f, %.1f], beyond repeat "
          "%+.1f [%+.1f, %+.1f]",
          name, (long long)k->cases, 100 * k->flips_raw.point,
          100 * k->flips_raw.low, 100 * k->flips_raw.high, 100 * k->flips.point,
          100 * k->flips.low, 100 * k->flips.high);
  if (s->measured.graded)
    fprintf(io->out, "; shift %+.3f [%+.3f, %+.3f]", k->shift.point,
            k->shift.low, k->shift.high);
  if (k->known)
    fprintf(io->out, "; right %+.1f [%+.1f, %+.1f]", 100 * k->gain.point,
            100 * k->gain.low, 100 * k->gain.high);
  fprintf(io->out, "\n");
}

static void print_log(sw_command_io *io, const sw_log_counts *c) {
  char text[1200];
  sw_log_say(c, text, sizeof text);
  fprintf(io->out, "%s\n", text);
}

void study_print(sw_command_io *io, const sw_study *s, const char *output) {
  char text[1200];
  if (s->log.files) print_log(io, &s->log);
  if (s->dry) {
    print_dry(io, s);
    return;
  }
  sw_study_headline(s, text, sizeof text);
  fprintf(io->out, "%s\n", text);
  for (int i = 0; i < 4 && !s->dosed; i++)
    if (s->verdict.more[i][0]) fprintf(io->out, "%s\n", s->verdict.more[i]);
  if (s->dosed) print_dose(io, s);
  for (int i = 0; i < s->measured.contrasts && !s->dosed; i++)
    print_contrast(io, s, &s->measured.contrast[i]);
  fprintf(
      io->out,
      "asked %lld times (%lld requests, %lld repeated; %lld from the cache; "
      "answers: %s)\npage: %s/index.html\n",
      (long long)s->spent.answers, (long long)s->spent.requests,
      (long long)s->spent.repeats, (long long)s->spent.cached,
      sw_form_texts[s->manner.form], output);
  if (s->failed[0]) fprintf(io->out, "failed: %s\n", s->failed);
}
