/* Man pages, generated from the tables so that they cannot differ from what the
 * program accepts: one of the program, one of each command. */
#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "cli/examples.h"
#include "cli/groups.h"
#include "cli/help.h"
#include "cli/topics.h"
#include "domains/registry.h"

/* troff: a backslash and a dash are escaped, and so is a leading dot. */
static void troff(FILE *out, const char *text) {
  int at_start = 1;
  for (; *text; text++) {
    if (at_start && (*text == '.' || *text == '\'')) fputs("\\&", out);
    if (*text == '\\') fputs("\\e", out);
    else if (*text == '-') fputs("\\-", out);
    else fputc(*text, out);
    at_start = *text == '\n';
  }
}

static void man_option(FILE *out, const sw_option *o) {
  fputs(".TP\n.B ", out);
  if (strcmp(o->name, SW_OUT) == 0) fputs("\\-o, ", out);
  troff(out, "--");
  troff(out, o->name);
  fputs("\n", out);
  troff(out, o->help);
  if (o->kind == SW_CHOICE) {
    fputs(": ", out);
    troff(out, o->choices);
  }
  if (*o->fallback && o->kind != SW_FLAG && strcmp(o->fallback, "-1") != 0) {
    fputs(" (default ", out);
    troff(out, o->fallback);
    fputs(")", out);
  }
  fputs("\n", out);
}

static void man_exits(FILE *out) {
  fputs(".SH EXIT STATUS\n", out);
#define X(name, code, exit_code, text) \
  fprintf(out, ".TP\n.B %d\n%s\n", exit_code, text);
  SW_ERROR_CODES(X)
#undef X
  fputs(".PP\n", out);
  troff(out, "solve exits with 10 (solved), 20 (impossible) or 0.\n");
}

static void man_environment(FILE *out) {
  fputs(".SH ENVIRONMENT\n", out);
#define X(name, text)                                         \
  fputs(".TP\n.B ", out), troff(out, name), fputs("\n", out), \
      troff(out, text), fputs("\n", out);
  SW_ENVIRONMENT(X)
#undef X
}

static void man_files(FILE *out) {
  static const char *const file[][2] = {
      {"out/results.db", "every search that was evaluated (SQLite)"},
      {"out/data", "data sets of presets"},
      {"RUN/model.safetensors", "weights of a training run"},
      {"RUN/run.json", "what it was: options, seeds, hashes, machine"},
      {"RUN/metrics.jsonl", "its losses, a line a logged step"}};
  fputs(".SH FILES\n", out);
  for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
    fputs(".TP\n.I ", out);
    troff(out, file[i][0]);
    fputs("\n", out);
    troff(out, file[i][1]);
    fputs("\n", out);
  }
}

static void man_examples(const sw_command *c, FILE *out) {
  fputs(".SH EXAMPLES\n", out);
  for (const sw_command_example *e = sw_command_examples; e->command; e++) {
    if (strcmp(e->command, c->name)) continue;
    fputs(".TP\n", out);
    troff(out, e->says);
    fprintf(out, "\n.B statewise %s ", c->name);
    troff(out, e->arguments);
    fputs("\n", out);
  }
}

static void man_head(const char *name, FILE *out) {
  char upper[64];
  size_t i = 0;
  for (; name[i] && i + 1 < sizeof upper; i++)
    upper[i] =
        name[i] == ' '
            ? '-'
            : (char)(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 32 : name[i]);
  upper[i] = 0;
  fprintf(out, ".TH \"%s\" 1 \"\" \"statewise %s\"\n", upper, SW_VERSION);
}

/* What a table of options is, by its groups where it is long. */
static void man_options(const sw_command *c, FILE *out) {
  int grouped = c->option_count > SW_GROUPED_FROM;
  if (c->option_count) fputs(".SH OPTIONS\n", out);
  for (const sw_option_group *g = sw_option_groups; grouped && g->title; g++) {
    int shown = 0;
    for (int i = 0; i < c->option_count; i++)
      if (sw_option_in_group(&c->options[i], g)) {
        if (!shown++) fprintf(out, ".SS \"%s\"\n", g->title);
        man_option(out, &c->options[i]);
      }
  }
  for (int i = 0; i < c->option_count; i++)
    if (!grouped || !sw_option_has_group(&c->options[i]))
      man_option(out, &c->options[i]);
  if (c->takes_task)
    fputs(".PP\nThe options of the domain may be given too.\n", out);
}

void sw_help_man_command(const sw_command *c, FILE *out) {
  char page[80];
  snprintf(page, sizeof page, "statewise %s", c->name);
  man_head(page, out);
  fputs(".SH NAME\nstatewise\\-", out);
  for (const char *p = c->name; *p; p++) fputc(*p == ' ' ? '-' : *p, out);
  fputs(" \\- ", out);
  troff(out, c->summary);
  fprintf(out, "\n.SH SYNOPSIS\n.B statewise %s\n", c->name);
  troff(out, c->usage);
  fputs("\n.SH DESCRIPTION\n", out);
  troff(out, c->details ? c->details : c->summary);
  fputs("\n", out);
  man_options(c, out);
  man_examples(c, out);
  man_environment(out);
  man_files(out);
  man_exits(out);
  fputs(".SH SEE ALSO\n.BR statewise (1)\n", out);
}

void sw_help_man(FILE *out) {
  fprintf(out, ".TH STATEWISE 1 \"\" \"statewise %s\"\n.SH NAME\n", SW_VERSION);
  fprintf(out,
          "statewise \\- train, run and audit small transformers on "
          "solver search traces\n.SH SYNOPSIS\n.B statewise\n"
          "COMMAND [ARGUMENT]... [\\-\\-OPTION VALUE]...\n"
          ".SH COMMANDS\n");
  for (int i = 0; sw_program_commands[i]; i++) {
    const sw_command *c = sw_program_commands[i];
    fprintf(out, ".SS \"statewise %s ", c->name);
    troff(out, c->usage);
    fputs("\"\n", out);
    troff(out, c->summary);
    fputs(".\n", out);
    if (c->details) {
      fputs(".PP\n", out);
      troff(out, c->details);
      fputs("\n", out);
    }
    for (int k = 0; k < c->option_count; k++) man_option(out, &c->options[k]);
    if (c->takes_task)
      fputs(".PP\nThe options of the domain may be given too.\n", out);
  }
  fputs(".SH DOMAINS\nOptions that a domain does not have are refused.\n", out);
  for (int i = 0; sw_domain_kind(i); i++) {
    const sw_domain *d = sw_domain_kind(i);
    fprintf(out, ".SS \"%s\"\n", d->name);
    troff(out, d->summary);
    fputs(".\n", out);
    for (int k = 0; k < d->option_count; k++) man_option(out, &d->options[k]);
  }
  fputs(".PP\nWith a domain exec:COMMAND every command that takes one has:\n",
        out);
  for (int k = 0; k < SW_DOMAIN_SETTINGS_COUNT; k++)
    man_option(out, &sw_domain_settings_table[k]);
  man_environment(out);
  man_files(out);
  man_exits(out);
}
