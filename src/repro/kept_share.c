/* What one table keeps of a model, for another that asks it the same (see
 * kept.h). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/read_json.h"
#include "repro/cell_question.h"
#include "repro/kept_copy.h"

/* ---- is it the same question? ---- */

static int same_text(const char *a, const char *b) {
  return a && b ? !strcmp(a, b) : a == b;
}

/* Who is asked: what a row says beside its question. */
static int same_subject(const sw_repro_row *a, const sw_repro_row *b) {
  return same_text(a->model, b->model) && same_text(a->rule, b->rule) &&
         same_text(a->shipped, b->shipped) && same_text(a->domain, b->domain) &&
         same_text(a->at, b->at);
}

/* The question's text and what is shown of its answer. */
static int same_question(const sw_repro_row *row, const sw_repro_column *c,
                         const sw_repro_row *other, const sw_repro_column *d,
                         int *same, sw_err *err) {
  sw_cell_asked mine = sw_cell_asked_of(row, c),
                theirs = sw_cell_asked_of(other, d);
  const char *figure = c->figure ? c->figure : "solve_rate";
  char *x, *y;
  *same = same_text(c->interval, d->interval) &&
          same_text(figure, d->figure ? d->figure : "solve_rate");
  if (!*same) return SW_OK;
  SW_TRY(sw_cell_question(&mine, NULL, &x, err));
  int code = sw_cell_question(&theirs, NULL, &y, err);
  *same = !code && !strcmp(x, y);
  free(x);
  free(y);
  return code;
}

/* The column of a source that answers column c of a row, or -1. */
static int column_for(const sw_repro_row *row, const sw_repro_column *c,
                      const sw_kept_source *from, int *at, sw_err *err) {
  for (*at = 0; from->e->column[*at].title; ++*at) {
    int same;
    if (!sw_row_has(from->row, *at)) continue;
    SW_TRY(same_question(row, c, from->row, &from->e->column[*at], &same, err));
    if (same) return SW_OK;
  }
  *at = -1;
  return SW_OK;
}

/* Fills in from->column. */
static int answers_all(const sw_experiment *e, const sw_repro_row *row,
                       const sw_kept_source *from, int *all, sw_err *err) {
  *all = 1;
  for (int c = 0; e->column[c].title && *all; c++) {
    from->column[c] = -1;
    if (!sw_row_has(row, c) || sw_column_follows(&e->column[c])) continue;
    SW_TRY(column_for(row, &e->column[c], from, &from->column[c], err));
    *all = from->column[c] >= 0;
  }
  return SW_OK;
}

/* ---- who has it? ---- */

/* All runs of a file have the same (sw_kept_merge); a file from before there
 * was a list was made by one run. */
static const char *sizes_of(const json_t *kept) {
  const json_t *first = json_array_get(json_object_get(kept, "made_by"), 0);
  return sw_member_text(first ? first : kept, "over", "");
}

typedef struct share {
  const sw_kept_shelf *shelf;
  const sw_experiment *e;
  const char *over;
  const json_t *now; /* what is kept, or its copy */
  json_t *to;        /* the copy, once there is something to add */
  void *context;
  sw_tell_fn *tell;
} share;

/* from->row is NULL when nobody has. */
static int find_source(const share *s, const sw_repro_row *row, int64_t seed,
                       sw_kept_source *from, sw_err *err) {
  for (int i = 0; s->shelf->experiment[i]; i++) {
    from->e = s->shelf->experiment[i];
    from->kept = s->shelf->kept[i];
    if (from->e == s->e || from->e->drawn_from || !from->kept ||
        strcmp(sizes_of(from->kept), s->over))
      continue;
    for (from->row = from->e->row; from->row->id; from->row++) {
      int all = same_subject(row, from->row);
      if (all) SW_TRY(answers_all(s->e, row, from, &all, err));
      if (all &&
          sw_kept_has(from->kept, from->e, from->row, s->shelf->scale, seed))
        return SW_OK;
    }
  }
  from->row = NULL;
  return SW_OK;
}

static int share_seed(share *s, const sw_repro_row *row, int64_t seed,
                      sw_kept_source *from, sw_err *err) {
  char line[400];
  SW_TRY(find_source(s, row, seed, from, err));
  if (!from->row) return SW_OK;
  if (!s->to) s->to = sw_kept_copy_begin(s->e, s->now, s->shelf->scale);
  if (!s->to) return sw_no_memory(err);
  s->now = s->to;
  SW_TRY(sw_kept_copy(s->to, s->e, row, seed, from, err));
  snprintf(line, sizeof line, "%s: %s, seed %" PRId64 " as kept in %s",
           s->e->id, row->id, seed, from->e->id);
  if (s->tell) s->tell(s->context, line);
  return SW_OK;
}

static int share_row(share *s, const sw_repro_row *row, sw_kept_source *from,
                     sw_err *err) {
  sw_scale scale = s->shelf->scale;
  int seeds = sw_row_seeds(s->e, row, scale, s->shelf->seeds);
  if (!row->model || sw_row_needs(row)) return SW_OK;
  if (!s->shelf->replace && sw_kept_copy_drops(s->now, s->e, row)) return SW_OK;
  for (int i = 0; i < seeds; i++)
    if (!sw_kept_has(s->now, s->e, row, scale, sw_repro_seed(i)))
      SW_TRY(share_seed(s, row, sw_repro_seed(i), from, err));
  return SW_OK;
}

int sw_kept_share(const sw_kept_shelf *shelf, const sw_experiment *e,
                  const json_t *kept, json_t **enlarged, void *context,
                  sw_tell_fn *tell, sw_err *err) {
  share s = {.shelf = shelf,
             .e = e,
             .over = shelf->over ? shelf->over : "",
             .now = kept,
             .context = context,
             .tell = tell};
  sw_kept_source from = {0};
  int code = SW_OK;
  *enlarged = NULL;
  if (kept) s.over = sizes_of(kept);
  if (e->drawn_from || /* values of two scales never stand in one file */
      (kept && strcmp(sw_member_text(kept, "scale", "small"),
                      shelf->scale ? "paper" : "small")))
    return SW_OK;
  from.column = calloc((size_t)sw_experiment_columns(e) + 1, sizeof(int));
  if (!from.column) return sw_no_memory(err);
  for (int r = 0; e->row[r].id && !code; r++)
    code = share_row(&s, &e->row[r], &from, err);
  free(from.column);
  if (code) json_decref(s.to);
  else *enlarged = s.to;
  return code;
}

/* ---- all that is kept ---- */

int sw_kept_shelf_read(sw_kept_shelf *shelf, sw_err *err) {
  int count = 0;
  while (shelf->experiment[count]) count++;
  shelf->kept = calloc((size_t)count + 1, sizeof(json_t *));
  if (!shelf->kept) return sw_no_memory(err);
  for (int i = 0; i < count && *shelf->directory; i++) {
    char path[1400];
    snprintf(path, sizeof path, "%s/%s.json", shelf->directory,
             shelf->experiment[i]->id);
    int code = sw_read_json(path, &shelf->kept[i], NULL);
    if (code) shelf->kept[i] = NULL;
    if (code != SW_MEMORY) continue;
    sw_kept_shelf_free(shelf);
    return sw_no_memory_for(err, "%s", path);
  }
  return SW_OK;
}

void sw_kept_shelf_free(sw_kept_shelf *shelf) {
  for (int i = 0; shelf->kept && shelf->experiment[i]; i++)
    json_decref(shelf->kept[i]);
  free(shelf->kept);
  shelf->kept = NULL;
}
