/* The list of experiments (see repro_list.h). */
#include "command/repro_list.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "repro/kept.h"

static int state_of(const sw_experiment *e, const sw_answers *answers,
                    const char **state, sw_err *err) {
  sw_repro_result r;
  int code = sw_answers_fill(answers, e, &r, err);
  if (!code) *state = sw_kept_state_name(sw_kept_state_of(&r));
  sw_repro_free(&r);
  return code;
}

int sw_repro_list_json(sw_command_io *io, const sw_answers *answers,
                       const sw_experiment *const *only, int count,
                       sw_err *err) {
  sw_json json;
  sw_json_to_file(&json, io->out);
  sw_json_object(&json, NULL);
  sw_json_array(&json, "experiments");
  for (int i = 0; i < (count ? count : sw_experiment_count()); i++) {
    const sw_experiment *e = count ? only[i] : sw_experiments()[i];
    const char *state;
    SW_TRY(state_of(e, answers, &state, err));
    sw_json_object(&json, NULL);
    sw_json_string(&json, "id", e->id);
    sw_json_string(&json, "place", e->place);
    sw_json_string(&json, "state", state);
    sw_json_string(&json, "section", e->section);
    sw_json_string(&json, "aliases", e->aliases ? e->aliases : "");
    sw_json_string(&json, "title", e->title);
    for (int s = 0; s < SW_SCALES; s++)
      sw_json_real(&json, s ? "hours_paper" : "hours_small",
                   sw_experiment_hours(e, (sw_scale)s, 0));
    sw_json_array(&json, "rows");
    for (int r = 0; e->row[r].id; r++) {
      const char *needs = sw_row_needs(&e->row[r]);
      sw_json_object(&json, NULL);
      sw_json_string(&json, "id", e->row[r].id);
      if (needs) sw_json_string(&json, "needs", needs);
      sw_json_end(&json);
    }
    sw_json_end(&json);
    sw_json_end(&json);
  }
  sw_json_end(&json);
  for (int s = 0; s < SW_SCALES; s++) {
    sw_json_real(&json, s ? "hours_paper" : "hours_small",
                 sw_todo_hours_of_all((sw_scale)s, 1));
    sw_json_real(&json, s ? "hours_paper_with_ours" : "hours_small_with_ours",
                 sw_todo_hours_of_all((sw_scale)s, 0));
  }
  sw_json_end(&json);
  return SW_OK;
}

static int list_one(sw_command_io *io, const sw_experiment *e,
                    const sw_answers *answers, sw_err *err) {
  const char *state;
  SW_TRY(state_of(e, answers, &state, err));
  fprintf(io->out, "%-22s %s\n%-22s %s; %s\n%-22s ", e->id, e->title, "",
          e->place, state, "");
  if (e->aliases) fprintf(io->out, "names: %s\n%-22s ", e->aliases, "");
  fprintf(io->out, "rows:");
  for (int r = 0; e->row[r].id; r++) fprintf(io->out, " %s", e->row[r].id);
  fprintf(
      io->out,
      "\n%-22s models: %.1f hours small (%d seed%s), about %.0f published\n",
      "", sw_experiment_hours(e, SW_SCALE_SMALL, 0), e->seeds[0],
      e->seeds[0] == 1 ? "" : "s", sw_experiment_hours(e, SW_SCALE_PAPER, 0));
  for (int r = 0; e->row[r].id; r++)
    if (sw_row_needs(&e->row[r]))
      fprintf(io->out, "%-22s row %s needs %s\n", "", e->row[r].id,
              sw_row_needs(&e->row[r]));
  return SW_OK;
}

/* Grouped by section, each in the order of the table; those named as they are.
 */
int sw_repro_list_text(sw_command_io *io, const sw_answers *answers,
                       const sw_experiment *const *only, int count,
                       sw_err *err) {
  for (int i = 0; i < count; i++) SW_TRY(list_one(io, only[i], answers, err));
  if (count) return SW_OK;
  for (int i = 0; sw_experiments()[i]; i++) {
    const char *section = sw_experiments()[i]->section;
    int seen = 0;
    for (int k = 0; k < i; k++)
      seen |= !strcmp(sw_experiments()[k]->section, section);
    if (seen) continue;
    fprintf(io->out, "%s== %s ==\n", i ? "\n" : "", section);
    for (int k = i; sw_experiments()[k]; k++)
      if (!strcmp(sw_experiments()[k]->section, section))
        SW_TRY(list_one(io, sw_experiments()[k], answers, err));
  }
  fprintf(
      io->out,
      "\nAll models of the paper's tables and figures, each trained once, on "
      "two cores:\nabout %.0f hours small, %.0f published; with the "
      "experiments of our own %.0f and %.0f.\n",
      sw_todo_hours_of_all(SW_SCALE_SMALL, 1),
      sw_todo_hours_of_all(SW_SCALE_PAPER, 1),
      sw_todo_hours_of_all(SW_SCALE_SMALL, 0),
      sw_todo_hours_of_all(SW_SCALE_PAPER, 0));
  return SW_OK;
}

/* ---- what is missing ---- */

static void plan_json(sw_command_io *io, const sw_todo *plan, sw_scale scale) {
  sw_json json;
  sw_json_to_file(&json, io->out);
  sw_json_object(&json, NULL);
  sw_json_array(&json, "tasks");
  for (int i = 0; i < plan->tasks; i++) {
    const sw_todo_task *t = &plan->task[i];
    sw_json_object(&json, NULL);
    sw_json_string(&json, "experiment", t->experiment->id);
    sw_json_string(&json, "model", t->model ? t->model->id : NULL);
    sw_json_int(&json, "seed", t->seed);
    sw_json_int(&json, "seeds", t->seeds);
    sw_json_array(&json, "rows");
    for (int r = 0; r < t->rows.count; r++)
      sw_json_string(&json, NULL, t->rows.item[r]);
    sw_json_end(&json);
    sw_json_end(&json);
  }
  sw_json_end(&json);
  sw_json_real(&json, "hours", sw_todo_hours(plan, scale));
  sw_json_end(&json);
}

void sw_repro_list_plan(sw_command_io *io, const sw_todo *plan, sw_scale scale,
                        int as_json) {
  if (as_json) {
    plan_json(io, plan, scale);
    return;
  }
  for (int i = 0; i < plan->tasks; i++) {
    const sw_todo_task *t = &plan->task[i];
    if (!t->model && !i) fprintf(io->out, "no training\n");
    if (t->first)
      fprintf(
          io->out,
          "%s, seed %lld: %.2f hours, %d table%s and figures of the paper\n",
          t->model->id, (long long)t->seed, t->model->hours[scale], t->waiting,
          t->waiting == 1 ? "" : "s");
    fprintf(io->out, "  %s:", t->experiment->id);
    for (int r = 0; r < t->rows.count; r++)
      fprintf(io->out, " %s", t->rows.item[r]);
    fputc('\n', io->out);
  }
  fprintf(io->out, "%d parts, about %.1f hours of training on two cores\n",
          plan->tasks, sw_todo_hours(plan, scale));
}
