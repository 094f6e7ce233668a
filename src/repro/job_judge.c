/* The verifier of a row as it is opened (see sw_repro_row.search): `@` becomes
 * the number of the repetition, and `#ID` the directory of a model of the
 * training matrix, which is trained first if need be, with the seed that this
 * repetition's models have. So a learned verifier is made by the experiment
 * that needs it, once, and the note of what was trained names it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/grow.h"
#include "repro/job.h"
#include "repro/kept.h"
#include "report/read_json.h"

/* Once a model under every row that asks for it. */
static int note_judge(sw_job *j, const sw_repro_row *row, const sw_trained *t,
                      int64_t seed, const char *run, sw_err *err) {
  sw_repro_result *r = j->result;
  char path[1400];
  json_t *card;
  for (int i = 0; i < r->models; i++)
    if (r->model[i].row == row && r->model[i].trained == t &&
        r->model[i].seed == seed)
      return SW_OK;
  snprintf(path, sizeof path, "%s/run.json", run);
  SW_TRY(sw_read_json(path, &card, err));
  if (!sw_grow(&r->model, &r->model_room, r->models + 1, sizeof *r->model)) {
    json_decref(card);
    return sw_no_memory(err);
  }
  sw_repro_model *note = &r->model[r->models++];
  memset(note, 0, sizeof *note);
  note->row = row;
  note->trained = t;
  sw_kept_preset_hash(t, j->options->scale, note->preset);
  note->seed = seed;
  snprintf(note->run, sizeof note->run, "%s",
           run + strlen(j->options->out) + 1);
  snprintf(note->hash, sizeof note->hash, "%.23s",
           sw_member_text(card, "final_weights", ""));
  snprintf(note->data, sizeof note->data, "%.23s",
           sw_member_text(card, "data_hash", ""));
  snprintf(note->ended, sizeof note->ended, "%.15s",
           sw_member_text(card, "ended", ""));
  note->loss = sw_member_real(card, "valid_loss", NAN);
  json_decref(card);
  return SW_OK;
}

/* The directory of the model named at *text, which moves past the name. */
static int judge_at(sw_job *j, const sw_repro_row *row, const char **text,
                    char *run, size_t room, sw_err *err) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
  char id[64];
  size_t length = strspn(*text, letters);
  snprintf(id, sizeof id, "%.*s", (int)length, *text);
  *text += length;
  const sw_trained *t = sw_trained_find(id);
  if (!t)
    return sw_fail(err, SW_INTERNAL, "%s: no model `%s` in the matrix", row->id,
                   id);
  int64_t seed = sw_job_seed(j, j->repetition - sw_job_repetition(j, 0));
  SW_TRY(sw_job_trained(j, t, NULL, seed, run, room, err));
  return note_judge(j, row, t, seed, run, err);
}

int sw_job_verifier(sw_job *j, const sw_repro_row *row, const char *text,
                    char *out, size_t room, sw_err *err) {
  size_t used = 0;
  while (*text && used + 1 < room) {
    char run[1300], number[16];
    const char *piece = run;
    char mark = *text++;
    if (mark == '#') {
      SW_TRY(judge_at(j, row, &text, run, sizeof run, err));
    } else {
      snprintf(number, sizeof number, "%d", j->repetition);
      snprintf(run, sizeof run, "%c", mark);
      if (mark == '@') piece = number;
    }
    int wrote = snprintf(out + used, room - used, "%s", piece);
    if (wrote < 0 || (size_t)wrote >= room - used) {
      sw_fail(err, SW_USAGE, "%s: the path of its verifier is too long",
              row->id);
      return sw_hint(err, "give a shorter --out");
    }
    used += (size_t)wrote;
  }
  out[used] = 0;
  return SW_OK;
}

int sw_verifier_varies(const char *search) {
  return search && strpbrk(search, "@#") != NULL;
}
