/* `statewise show figures`: what searches, run cards and measures find, from
 * their tables. docs/figures.md is what it prints. */
#include <stdio.h>
#include <string.h>

#include "command/commands.h"
#include "probe/figures.h"
#include "repro/figure.h"

#define SHOW_FIGURES_OPTIONS(X) \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object")
typedef struct values {
  SHOW_FIGURES_OPTIONS(SW_OPTION_FIELD)
} values;
static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(values, __VA_ARGS__)
    SHOW_FIGURES_OPTIONS(X)
#undef X
};

/* Tables that are shown already: several groups may have the same one. */
enum { PARTS = 64 };
typedef struct printer {
  FILE *out;
  sw_json *json; /* or NULL: Markdown */
  const sw_figure *part[PARTS];
  char path[PARTS][96]; /* where it stands */
  int parts;
} printer;

/* `|` would end a cell. */
static void cell(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '|') fputc('\\', out);
    fputc(*text, out);
  }
}

static void one(printer *p, const sw_figure *f, const char *path,
                const char *like) {
  if (p->json) {
    sw_json_object(p->json, NULL);
    sw_json_string(p->json, "name", path);
    sw_json_string(p->json, "kind", sw_figure_kind_name(f->kind));
    sw_json_string(p->json, "heading", f->heading);
    sw_json_string(p->json, "help", f->help);
    if (f->unit) sw_json_string(p->json, "unit", f->unit);
    if (like) sw_json_string(p->json, "like", like);
    sw_json_end(p->json);
    return;
  }
  fprintf(p->out, "| `%s` | %s%s%s | ", path, sw_figure_kind_name(f->kind),
          f->unit ? ", " : "", f->unit ? f->unit : "");
  cell(p->out, f->heading);
  fputs(" | ", p->out);
  cell(p->out, f->help);
  if (like) fprintf(p->out, "; figures as in `%s`", like);
  fputs(" |\n", p->out);
}

static const char *shown_at(const printer *p, const sw_figure *part) {
  for (int i = 0; i < p->parts; i++)
    if (p->part[i] == part) return p->path[i];
  return NULL;
}

static void rows(printer *p, const sw_figure *f, const char *before) {
  for (; f && f->name; f++) {
    char path[96];
    snprintf(path, sizeof path, "%s%s", before, f->name);
    const char *like = f->part ? shown_at(p, f->part) : NULL;
    one(p, f, path, like);
    if (!f->part || like || p->parts == PARTS) continue;
    p->part[p->parts] = f->part;
    snprintf(p->path[p->parts++], sizeof p->path[0], "%s", path);
    char inside[96];
    snprintf(inside, sizeof inside, "%.85s.%s", path,
             f->kind == SW_FIGURE_SERIES ? "NUMBER." : "");
    rows(p, f->part, inside);
  }
}

static void begin(printer *p, const char *title, const char *key,
                  const char *about) {
  p->parts = 0;
  if (p->json) sw_json_array(p->json, key);
  else
    fprintf(p->out,
            "\n## %s\n\n%s\n\n| figure | kind | heading | what it is "
            "|\n|---|---|---|---|\n",
            title, about);
}

static void end(printer *p) {
  if (p->json) sw_json_end(p->json);
}

static void sources(printer *p) {
  static const struct {
    const char *title, *key, *about;
    const sw_figure *figures;
  } list[] = {
      {"Searches", "search",
       "`search:` columns; without `figure` they show `solve_rate`. A mean is "
       "over instances.",
       sw_search_figures},
      {"Run cards", "card", "`card:` columns, of training.", sw_card_figures},
      {"The published loop", "published",
       "`published:` columns: verification alone, played by a rule.",
       sw_published_figures},
      {"Traces", "traces",
       "`traces:` columns: a linear test on traces, without a model.",
       sw_traces_figures}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    begin(p, list[i].title, list[i].key, list[i].about);
    rows(p, list[i].figures, "");
    end(p);
  }
}

static void measures(printer *p) {
  sw_measured m;
  for (int i = 0; sw_measured_at(i, &m); i++) {
    char title[80];
    snprintf(title, sizeof title, "Measure `%s`", m.name);
    begin(p, title, m.name, m.caption ? m.caption : "One case, told.");
    rows(p, m.figures, "");
    rows(p, m.of_all, "");
    end(p);
  }
}

static void print_kinds(FILE *out) {
  fputs(
      "# Figures\n\nEvery number that a search, a run card or a measure gives, "
      "as its own table declares it. `statewise show figures` prints this "
      "page. "
      "A name is the `figure` of a column ([experiments.md](experiments.md)) "
      "and the path in `--json`. A statistic that names no `test` has the one "
      "that suits its column: over instances for shares and means of a search, "
      "else t over seeds.\n\n| kind | is |\n|---|---|\n",
      out);
#define X(id, name, text) fputs("| " name " | " text " |\n", out);
  SW_FIGURE_KINDS(X)
#undef X
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  values v;
  sw_json json;
  SW_TRY(sw_command_parse(self, argc, argv, &v, NULL, NULL, err));
  printer p = {.out = io->out, .json = v.json ? &json : NULL};
  if (v.json) {
    sw_json_to_file(&json, io->out);
    sw_json_object(&json, NULL);
  } else {
    print_kinds(io->out);
  }
  sources(&p);
  measures(&p);
  end(&p);
  return SW_OK;
}

const sw_command sw_command_show_figures = {
    .name = "show figures",
    .usage = "",
    .summary = "List what searches, run cards and measures find",
    .details =
        "Names, kinds, headings and meanings of all figures, as Markdown: what "
        "the columns of an experiment can show, and the members of --json.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run};
