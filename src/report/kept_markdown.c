/* Kept results as Markdown (see kept_pages.h): the tables of kept_grid.h,
 * differences, models, and the index. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/kept_grid.h"
#include "report/kept_pages.h"

static const char *label_of(const json_t *cell) {
  return sw_member_text(cell, "label", "-");
}

/* Text inside a table's cell. */
static void inside(FILE *out, const char *text) {
  for (; *text; text++) {
    if (strchr("|*_`<\\", *text)) fputc('\\', out);
    fputc(*text == '\n' ? ' ' : *text, out);
  }
}

static int has_value(const json_t *cell) {
  return !isnan(sw_member_real(cell, "value", NAN));
}

static void write_statistics(FILE *out, const json_t *kept) {
  const json_t *one, *list = json_object_get(kept, "statistics");
  size_t at;
  if (!json_array_size(list)) return;
  fputs(
      "## Differences\n\n| difference | paper | ours, 95 % | p | test "
      "|\n|---|--:|--:|--:|---|\n",
      out);
  json_array_foreach(list, at, one) {
    double p = sw_member_real(one, "p", NAN);
    fputs("| ", out);
    inside(out, sw_member_text(one, "title", "-"));
    fputs(" | ", out);
    inside(out, sw_member_text(one, "paper", "-"));
    fputs(" | ", out);
    if (has_value(one)) sw_kept_ours(one, out);
    else fputs("-", out);
    if (isnan(p)) fputs(" | - | ", out);
    else fprintf(out, p < 0.001 ? " | %.0e | " : " | %.3f | ", p);
    inside(out, sw_member_text(one, "test", "-"));
    fputs(" |\n", out);
  }
  fputc('\n', out);
}

/* How the models of each row were trained and ended. */
static void write_models(FILE *out, const json_t *kept) {
  const json_t *one, *list = json_object_get(kept, "models");
  size_t at;
  if (!json_array_size(list)) return;
  fputs(
      "## Models\n\n[How training "
      "ended](../docs/reproduce.md#how-training-ended); older results have no "
      "validation loss. ",
      out);
  sw_kept_words(kept, out);
  fputs(
      "\n\n| row | seed | weights | validation loss | ended | recipe "
      "|\n|---|--:|---|--:|---|---|\n",
      out);
  json_array_foreach(list, at, one) {
    double loss = sw_member_real(one, "valid_loss", NAN);
    fprintf(out, "| %s | %lld | %s | ", sw_member_text(one, "row", "-"),
            (long long)sw_member_int(one, "seed", 0),
            sw_member_text(one, "weights", "-"));
    if (isnan(loss)) fputs("-", out);
    else fprintf(out, "%.4g", loss);
    fprintf(out, " | %s | ", sw_member_text(one, "ended", "-"));
    inside(out, sw_member_text(one, "preset", ""));
    fputs(" ", out);
    inside(out, sw_member_text(one, "train", ""));
    fputs(" ", out);
    inside(out, sw_member_text(one, "recipe", ""));
    fputs(" |\n", out);
  }
  fputc('\n', out);
}

void sw_kept_markdown(const json_t *kept, FILE *out) {
  static const char not_theirs[] = "none: ";
  sw_kept_tally t = sw_kept_count(kept);
  const char *place = sw_member_text(kept, "place", "");
  const char *elsewhere = sw_member_text(kept, "judged_in", NULL);
  int ours = !strncmp(place, not_theirs, sizeof not_theirs - 1);
  sw_table_list tables = {0};
  fprintf(out, "# %s\n\n", sw_member_text(kept, "title", "An experiment"));
  fprintf(out, "%s: %s. %d of %d cells were run", ours ? "Ours" : "Paper",
          ours ? place + sizeof not_theirs - 1 : place, t.done, t.cells);
  if (t.compared)
    fprintf(out, "; of %d that the paper has, %d agree with it", t.compared,
            t.agree);
  if (elsewhere)
    fprintf(out, "; the paper's numbers are judged in [%s](%s.md)", elsewhere,
            elsewhere);
  fprintf(out,
          ". `statewise repro %s` makes it, with `--kept` it prints every "
          "value.\n\n",
          sw_member_text(kept, "experiment", "ID"));
  fprintf(out, "Set-up: %s.\n\n", sw_member_text(kept, "note", "-"));
  sw_kept_grid(kept, &tables);
  for (int i = 0; i < tables.count; i++)
    sw_table_write(&tables.table[i], SW_TABLE_MARKDOWN, out);
  sw_table_list_free(&tables);
  fprintf(out, "%s\n\n",
          "Ours with its 95 % interval; ✓ agrees with the paper's number, ✗ "
          "does not ([rule](../docs/reproduce.md#agreement-with-the-paper)). "
          "Lines in italics are rules without a model, on the same instances "
          "under the same verifier; where rows differ in that, a line "
          "names its rows, and of many kinds only --kept tells.");
  write_statistics(out, kept);
  write_models(out, kept);
  fputs("[All experiments](index.md)\n", out);
}

/* ---- the index ---- */

static void section(const char *name, const sw_kept_entry *entry, int count,
                    json_t *const *kept, FILE *out) {
  fprintf(out,
          "### %c%s\n\n| experiment | place | state | cells run | agree | "
          "seeds |\n|---|---|---|--:|--:|--:|\n",
          *name >= 'a' && *name <= 'z' ? *name - 32 : *name, name + 1);
  for (int i = 0; i < count; i++) {
    const sw_kept_entry *e = &entry[i];
    if (strcmp(e->section, name)) continue;
    sw_kept_tally t = kept[i] ? sw_kept_count(kept[i]) : (sw_kept_tally){0};
    if (kept[i]) fprintf(out, "| [%s](%s.md) | ", e->file, e->file);
    else fprintf(out, "| %s | ", e->file);
    inside(out, e->place);
    fprintf(out, " | %s | ", e->state);
    if (kept[i]) fprintf(out, "%d of %d | ", t.done, t.cells);
    else fputs("- | ", out);
    if (e->older) fputs("older settings | ", out);
    else if (t.compared) fprintf(out, "%d of %d | ", t.agree, t.compared);
    else fputs("- | ", out);
    if (kept[i]) fprintf(out, "%d |\n", t.seeds);
    else fputs("- |\n", out);
  }
  fputc('\n', out);
}

static void differing(const sw_kept_entry *e, const json_t *kept, FILE *out) {
  sw_kept_tally t = sw_kept_count(kept);
  const json_t *cell;
  size_t at;
  if (t.agree == t.compared || e->older) return;
  fprintf(out, "**[%s](%s.md)**, %s: %d of %d. %s.\n\n", e->file, e->file,
          e->place, t.compared - t.agree, t.compared,
          sw_member_text(kept, "note", "-"));
  json_array_foreach(json_object_get(kept, "cells"), at, cell) {
    if (!json_is_false(json_object_get(cell, "agrees"))) continue;
    fprintf(out, "- %s, %s: paper %s, ours ", label_of(cell),
            sw_member_text(cell, "column", "-"),
            sw_member_text(cell, "paper", "-"));
    sw_kept_ours(cell, out);
    const char *note = sw_member_text(cell, "note", NULL);
    fprintf(out, "%s%s\n", note ? "; " : "", note ? note : "");
  }
  fputc('\n', out);
}

static void findings(const sw_kept_entry *entry, int count, json_t *const *kept,
                     FILE *out) {
  for (int i = 0; i < count; i++) {
    char found[800];
    if (!kept[i] || !entry[i].finding || entry[i].older) continue;
    sw_kept_sentence(&entry[i], kept[i], found, sizeof found);
    fputs("- ", out);
    inside(out, found);
    fprintf(out, " [%s](%s.md)\n", entry[i].file, entry[i].file);
  }
  fputc('\n', out);
}

int sw_kept_markdown_index(const sw_kept_entry *entry, int count,
                           json_t *const *kept, FILE *out, sw_err *err) {
  sw_kept_agreement a = sw_kept_distinct(entry, count, kept);
  fputs("# What was found\n\n", out);
  findings(entry, count, kept, out);
  fprintf(
      out,
      "%s [Findings](../docs/findings.md) tells more.\n\n## Beside the "
      "paper\n\nOf %d numbers that the paper has too, %d "
      "agree with it and %d do not; one that stands in several tables counts "
      "once. Of the %d that are of a model trained for their table, %d agree "
      "and %d do not; the others are of rules, of shipped models or zero on "
      "both sides, and could hardly differ. [How agreement is "
      "judged](../docs/reproduce.md#agreement-with-the-paper); [those that "
      "differ](#cells-that-differ-from-the-paper).\n\n",
      sw_kept_terms, a.all, a.all_agree, a.all - a.all_agree, a.trained,
      a.trained_agree, a.trained - a.trained_agree);
  SW_TRY(sw_kept_claims(entry, count, kept, SW_KEPT_MARKDOWN, out, err));
  fputs(
      "## Every experiment\n\nState: *kept*, every cell that is shown has a "
      "number from as many models as it should have; *partial*, some cells or "
      "models are missing; *never run*.\n\n",
      out);
  for (int i = 0; i < count; i++) {
    int seen = 0;
    for (int k = 0; k < i; k++)
      seen |= !strcmp(entry[k].section, entry[i].section);
    if (!seen) section(entry[i].section, entry, count, kept, out);
  }
  fputs(
      "## Cells that differ from the paper\n\nThe reasons given are "
      "differences of the set-up that we know of; that one of them makes the "
      "difference was not shown.\n\n",
      out);
  for (int i = 0; i < count; i++)
    if (kept[i]) differing(&entry[i], kept[i], out);
  return SW_OK;
}
