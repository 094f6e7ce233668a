/* The man page and bash completion, generated from the command table so that
 * neither can differ from what the program accepts. */
#include <stdio.h>
#include <string.h>
#include "cli/help.h"
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
  fputs(".SH EXIT STATUS\n", out);
#define X(name, code, exit_code, text) \
  fprintf(out, ".TP\n.B %d\n%s\n", exit_code, text);
  SW_ERROR_CODES(X)
#undef X
  fputs(".PP\n", out);
  troff(out, "solve exits with 10 (satisfiable), 20 (unsatisfiable) or 0.\n");
}

/* First words of the commands, each once. */
static void first_words(FILE *out) {
  for (int i = 0; sw_program_commands[i]; i++) {
    const char *name = sw_program_commands[i]->name;
    size_t length = strcspn(name, " ");
    int seen = 0;
    for (int k = 0; k < i; k++)
      seen |= strncmp(name, sw_program_commands[k]->name, length) == 0 &&
              strcspn(sw_program_commands[k]->name, " ") == length;
    if (!seen) fprintf(out, " %.*s", (int)length, name);
  }
}

static void option_words(FILE *out, const sw_option *table, int count) {
  for (int k = 0; k < count; k++) fprintf(out, " --%s", table[k].name);
}

static void option_choices(FILE *out, const sw_option *table, int count) {
  for (int k = 0; k < count; k++) {
    const sw_option *o = &table[k];
    if (o->kind != SW_CHOICE) continue;
    fprintf(out, "      [ \"$before\" = --%s ] && words=\"", o->name);
    for (const char *p = o->choices; *p; p++) fputc(*p == '|' ? ' ' : *p, out);
    fputs("\"\n", out);
  }
}

static void completion_case(FILE *out, const sw_command *c) {
  sw_option task[SW_TASK_OPTIONS_MAX];
  int tasks = sw_command_other_options(c, task);
  fprintf(out, "    \"%s\")\n      words=\"--help", c->name);
  option_words(out, c->options, c->option_count);
  option_words(out, task, tasks);
  fputs("\"\n", out);
  option_choices(out, c->options, c->option_count);
  option_choices(out, task, tasks);
  fputs("      ;;\n", out);
}

void sw_help_completion(FILE *out) {
  fputs(
      "# bash completion for statewise: source this file\n"
      "_statewise() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} "
      "before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local one=${COMP_WORDS[1]} two=${COMP_WORDS[2]} words=\n"
      "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"",
      out);
  first_words(out);
  fputs("\" -- \"$word\")); return\n  fi\n", out);
  fputs("  if [ \"$COMP_CWORD\" = 2 ]; then case \"$one\" in\n", out);
  for (int i = 0; sw_program_commands[i]; i++) {
    const char *space = strchr(sw_program_commands[i]->name, ' ');
    if (space)
      fprintf(out, "    %.*s) words+=\" %s\" ;;&\n",
              (int)(space - sw_program_commands[i]->name),
              sw_program_commands[i]->name, space + 1);
  }
  fputs(
      "  esac; fi\n"
      "  if [ -z \"$words\" ]; then case \"$one\" in\n",
      out);
  for (int i = 0; sw_program_commands[i]; i++)
    if (!strchr(sw_program_commands[i]->name, ' '))
      completion_case(out, sw_program_commands[i]);
  fputs("  *) case \"$one $two\" in\n", out);
  for (int i = 0; sw_program_commands[i]; i++)
    if (strchr(sw_program_commands[i]->name, ' '))
      completion_case(out, sw_program_commands[i]);
  fputs(
      "    esac ;;\n  esac; fi\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "}\n"
      "complete -o default -F _statewise statewise\n",
      out);
}
