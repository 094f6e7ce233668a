/* A kept file as tables (see kept_grid.h). */
#include "report/kept_grid.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 5, COLUMNS_MOST = 64, ROWS_MOST = 160, KINDS_MOST = 4 };

/* A kept file seen as a table. */
typedef struct grid {
  const json_t *column[COLUMNS_MOST], *row[ROWS_MOST];
  const json_t *cell[ROWS_MOST][COLUMNS_MOST]; /* NULL: none */
  int columns, rows;
} grid;

static int row_at(grid *g, const json_t *cell) {
  const char *id = sw_member_text(cell, "row", "");
  for (int r = g->rows - 1; r >= 0; r--)
    if (!strcmp(sw_member_text(g->row[r], "row", ""), id)) return r;
  if (g->rows == ROWS_MOST) return -1;
  g->row[g->rows] = cell;
  return g->rows++;
}

static void fill(grid *g, const json_t *kept) {
  const json_t *one;
  size_t at;
  memset(g, 0, sizeof *g);
  json_array_foreach(json_object_get(kept, "columns"), at, one) {
    if (g->columns < COLUMNS_MOST) g->column[g->columns++] = one;
  }
  json_array_foreach(json_object_get(kept, "cells"), at, one) {
    int column = (int)sw_member_int(one, "column_index", -1);
    int row = row_at(g, one);
    if (row >= 0 && column >= 0 && column < g->columns)
      g->cell[row][column] = one;
  }
}

static int has_value(const json_t *cell) {
  return !isnan(sw_member_real(cell, "value", NAN));
}

/* Times are no results, and a column that nothing was run for says nothing. */
static int is_shown(const grid *g, int column) {
  int any = 0;
  for (int r = 0; r < g->rows; r++)
    any |= g->cell[r][column] && has_value(g->cell[r][column]);
  return any &&
         !strstr(sw_member_text(g->column[column], "title", ""), "seconds");
}

static const char *unit_of(const grid *g, int column) {
  const char *unit = "";
  for (int r = 0; r < g->rows; r++)
    if (g->cell[r][column])
      unit = sw_member_text(g->cell[r][column], "unit", "%");
  return unit;
}

typedef struct number {
  char text[32];
} number;
static number number_of(const json_t *cell, double value) {
  number n;
  if (!strcmp(sw_member_text(cell, "unit", "%"), "%"))
    snprintf(n.text, sizeof n.text, "%.1f", 100 * value);
  else snprintf(n.text, sizeof n.text, "%.4g", value);
  return n;
}

static void put_cell(sw_table *t, int at, const json_t *cell) {
  const char *paper = cell ? sw_member_text(cell, "paper", NULL) : NULL;
  const json_t *agrees = cell ? json_object_get(cell, "agrees") : NULL;
  char ours[120] = "-";
  if (cell && has_value(cell)) {
    double low = sw_member_real(cell, "low", NAN);
    number mean = number_of(cell, sw_member_real(cell, "value", 0));
    if (isnan(low)) snprintf(ours, sizeof ours, "%s", mean.text);
    else
      snprintf(ours, sizeof ours, "%s\n(%s to %s)", mean.text,
               number_of(cell, low).text,
               number_of(cell, sw_member_real(cell, "high", low)).text);
  }
  if (paper)
    sw_table_put(t, at, "%s\npaper %s%s", ours, paper,
                 json_is_true(agrees)    ? " ✓"
                 : json_is_false(agrees) ? " ✗"
                                         : "");
  else sw_table_put(t, at, "%s", ours);
}

/* ---- rules ---- */

/* Rows beside which a rule has the same numbers, in every column of a table:
 * those of one verifier, one domain, one size. */
typedef struct alike {
  int rows, row[ROWS_MOST];
} alike;

typedef struct rule_part { /* one rule in the columns of one table */
  const grid *g;
  const char *member;
  const int *column;
  int columns;
  alike kind[KINDS_MOST];
  int kinds, too_many;
} rule_part;

static double rule_at(const rule_part *p, int row, int column) {
  const json_t *cell = p->g->cell[row][p->column[column]];
  return cell ? sw_member_real(cell, p->member, NAN) : NAN;
}

/* What all rows that have a number agree on; NaN: there is none, or they do
 * not. */
static double rule_of_all(const rule_part *p, int column, int *differ) {
  double found = NAN;
  for (int r = 0; r < p->g->rows; r++) {
    double value = rule_at(p, r, column);
    if (isnan(value)) continue;
    if (!isnan(found) && value != found) {
      *differ = 1;
      return NAN;
    }
    found = value;
  }
  return found;
}

static int is_like(const rule_part *p, int a, int b) {
  for (int c = 0; c < p->columns; c++) {
    double x = rule_at(p, a, c), y = rule_at(p, b, c);
    if (x != y && !(isnan(x) && isnan(y))) return 0;
  }
  return 1;
}

static void sort_kinds(rule_part *p) {
  for (int r = 0; r < p->g->rows; r++) {
    int kind = 0, any = 0;
    for (int c = 0; c < p->columns; c++) any |= !isnan(rule_at(p, r, c));
    if (!any) continue;
    while (kind < p->kinds && !is_like(p, p->kind[kind].row[0], r)) kind++;
    if (kind == KINDS_MOST) {
      p->too_many = 1;
      return;
    }
    if (kind == p->kinds) p->kinds++;
    p->kind[kind].row[p->kind[kind].rows++] = r;
  }
}

/* The rule and the rows that it stands beside; 0: too long for a table. */
static int name_kind(const rule_part *p, const alike *kind, const char *rule,
                     char *name, size_t room) {
  int used = snprintf(name, room, "%s (", rule);
  for (int i = 0; i < kind->rows && used >= 0 && (size_t)used < room; i++)
    used += snprintf(name + used, room - (size_t)used, "%s%s", i ? "; " : "",
                     sw_member_text(p->g->row[kind->row[i]], "label", "-"));
  if (used < 0 || (size_t)used + 2 > room) return 0;
  memcpy(name + used, ")", 2);
  return 1;
}

/* `row` -1: what stands beside all rows; else beside those like it, in the
 * columns where rows differ. */
static void put_rule(sw_table *t, const rule_part *p, const char *name,
                     int row) {
  sw_table_row(t);
  sw_table_put(t, 0, "%s", name);
  for (int c = 0; c < p->columns; c++) {
    const json_t *like = NULL;
    int differ = 0;
    double value = rule_of_all(p, c, &differ);
    if (row >= 0) value = differ ? rule_at(p, row, c) : NAN;
    for (int r = 0; r < p->g->rows && !like; r++)
      like = p->g->cell[r][p->column[c]];
    sw_table_put(t, 1 + c, "%s",
                 isnan(value) ? "-" : number_of(like, value).text);
  }
}

static void put_rules(sw_table *t, const grid *g, const int *shown, int count) {
  static const char *const rule[][2] = {
      {"trivial", "trivial rule"},
      {"floor", "best rule that never goes back"},
      {"rule", "rule that reads the state exactly"},
      {"ceiling", "best rule"}};
  for (size_t k = 0; k < sizeof rule / sizeof *rule; k++) {
    rule_part p = {
        .g = g, .member = rule[k][0], .column = shown, .columns = count};
    int any = 0, differ = 0;
    for (int c = 0; c < count; c++) any |= !isnan(rule_of_all(&p, c, &differ));
    if (any) put_rule(t, &p, rule[k][1], -1);
    if (differ) sort_kinds(&p);
    for (int i = 0; i < p.kinds && !p.too_many; i++) {
      char name[SW_TABLE_CELL];
      if (name_kind(&p, &p.kind[i], rule[k][1], name, sizeof name))
        put_rule(t, &p, name, p.kind[i].row[0]);
    }
  }
}

static void put_part(sw_table *t, const grid *g, const int *shown, int count) {
  for (int c = 0; c < count; c++) t->unit[1 + c] = unit_of(g, shown[c]);
  for (int r = 0; r < g->rows; r++) {
    int any = 0;
    for (int c = 0; c < count; c++) {
      const json_t *cell = g->cell[r][shown[c]];
      any |= cell && (has_value(cell) || sw_member_text(cell, "paper", NULL));
    }
    if (!any) continue;
    sw_table_row(t);
    sw_table_put(t, 0, "%s", sw_member_text(g->row[r], "label", "-"));
    for (int c = 0; c < count; c++) put_cell(t, 1 + c, g->cell[r][shown[c]]);
  }
  t->apart = t->rows;
  put_rules(t, g, shown, count);
}

void sw_kept_grid(const json_t *kept, sw_table_list *list) {
  int shown[COLUMNS_MOST], count = 0;
  grid *g = malloc(sizeof *g);
  if (!g) {
    list->failed = 1;
    return;
  }
  fill(g, kept);
  for (int c = 0; c < g->columns; c++)
    if (is_shown(g, c)) shown[count++] = c;
  int parts = (count + ACROSS - 1) / ACROSS;
  for (int p = 0; p < parts; p++) {
    const int *from = shown + count * p / parts;
    int columns = count * (p + 1) / parts - count * p / parts;
    const char *heads[ACROSS + 2] = {""};
    char id[80];
    for (int c = 0; c < columns; c++)
      heads[1 + c] = sw_member_text(g->column[from[c]], "title", "-");
    snprintf(id, sizeof id, "cells-%.48s-%d",
             sw_member_text(kept, "experiment", "own"), p + 1);
    put_part(sw_table_add(list, id, NULL, heads), g, from, columns);
  }
  free(g);
}

/* ---- in a sentence ---- */

/* The number that "{ROW:INDEX}" stands for; NULL: there is none. */
static const json_t *meant(const json_t *kept, const char *at, size_t length) {
  const json_t *cell;
  size_t i, name = strcspn(at, ":}");
  long column = name < length ? strtol(at + name + 1, NULL, 10) : -1;
  json_array_foreach(json_object_get(kept, "cells"), i, cell) {
    const char *row = sw_member_text(cell, "row", "");
    if (strlen(row) == name && !strncmp(row, at, name) &&
        sw_member_int(cell, "column_index", -1) == column && has_value(cell))
      return cell;
  }
  return NULL;
}

int sw_kept_finding(const json_t *kept, const char *finding, char *text,
                    size_t room) {
  size_t used = 0;
  for (; *finding && used + 32 < room; finding++) {
    if (*finding == ' ' && finding[1] == '%') { /* stays with its number */
      text[used++] = '\xc2';
      text[used++] = '\xa0';
      continue;
    }
    if (*finding != '{') {
      text[used++] = *finding;
      continue;
    }
    size_t length = strcspn(++finding, "}");
    const json_t *cell = meant(kept, finding, length);
    if (!cell || !finding[length]) return 0;
    used += (size_t)snprintf(
        text + used, room - used, "%s",
        number_of(cell, sw_member_real(cell, "value", 0)).text);
    finding += length;
  }
  text[used] = 0;
  return !*finding;
}

static int first_shown(const grid *g) {
  for (int c = 0; c < g->columns; c++)
    if (is_shown(g, c)) return c;
  return -1;
}

static size_t say(char *text, size_t room, size_t used, const char *words) {
  int wrote = snprintf(text + used, room - used, "%s", words);
  return wrote > 0 && used + (size_t)wrote < room ? used + (size_t)wrote
                                                  : room - 1;
}

void sw_kept_found(const json_t *kept, char *text, size_t room) {
  enum { MOST = 4 };
  grid *g = malloc(sizeof *g);
  size_t used = 0;
  int told = 0, all = 0, column;
  text[0] = 0;
  if (!g) return;
  fill(g, kept);
  column = first_shown(g);
  for (int r = 0; r < g->rows && column >= 0; r++)
    all += g->cell[r][column] && has_value(g->cell[r][column]);
  for (int r = 0; r < g->rows && told < all && told < MOST; r++) {
    const json_t *cell = column < 0 ? NULL : g->cell[r][column];
    const char *unit = cell ? sw_member_text(cell, "unit", "%") : "";
    char one[300];
    if (!cell || !has_value(cell)) continue;
    snprintf(one, sizeof one, "%s%.100s %s%s%s",
             !told             ? ""
             : told + 1 == all ? " and "
                               : ", ",
             sw_member_text(g->row[r], "label", "-"),
             number_of(cell, sw_member_real(cell, "value", 0)).text,
             *unit ? " " : "", unit);
    used = say(text, room, used, one);
    told++;
  }
  if (told) {
    char where[200];
    snprintf(where, sizeof where, "%s (%.100s).",
             all > told ? ", and others" : "",
             sw_member_text(g->column[column], "title", "-"));
    (void)say(text, room, used, where);
  }
  free(g);
}
