/* Completion for bash, zsh and fish, from the command table, so that it cannot
 * differ from what the program accepts. It completes commands, options, and
 * values: choices, masks, presets, domains, verifiers, topics, else files. zsh
 * runs the script for bash. */
#include <stdio.h>
#include <string.h>
#include "cli/help.h"
#include "cli/topics.h"
#include "domains/registry.h"
#include "search/verifier.h"
#include "trace/mask.h"
#include "train/preset.h"

/* ---- values ---- */

static void mask_words(FILE *out) { fputs(sw_mask_names(), out); }

static void preset_words(FILE *out) {
  for (int i = 0; i < sw_preset_count; i++)
    fprintf(out, "%s%s", i ? " " : "", sw_presets[i].name);
}

static void domain_words(FILE *out) {
  for (int i = 0; sw_domain_kind(i); i++)
    fprintf(out, "%s%s", i ? " " : "", sw_domain_kind(i)->name);
}

static void verifier_words(FILE *out) {
  for (int i = 0; sw_verifier_kind_at(i); i++)
    fprintf(out, "%s%s", i ? " " : "", sw_verifier_kind_at(i)->name);
}

static void position_words(FILE *out) {
  fputs("standard block-relative block-first rotary both none", out);
}

/* Texts that are names of a table. `train --preset` is one; the preset of a
 * domain is a choice. */
static const struct {
  const char *option;
  void (*words)(FILE *out);
} values[] = {{"mask", mask_words},         {"eval-mask", mask_words},
              {"preset", preset_words},     {"domain", domain_words},
              {"verifier", verifier_words}, {"position-kind", position_words},
              {"positions", position_words}};

/* The words of an option's value; 0: it has none, so a file's name is
 * completed. */
static int value_words(const sw_option *o, FILE *out) {
  if (o->kind == SW_CHOICE) {
    for (const char *p = o->choices; *p; p++) fputc(*p == '|' ? ' ' : *p, out);
    return 1;
  }
  for (size_t i = 0; o->kind == SW_TEXT && i < sizeof values / sizeof *values;
       i++)
    if (!strcmp(o->name, values[i].option)) return values[i].words(out), 1;
  return 0;
}

static int has_words(const sw_option *o) {
  int found = o->kind == SW_CHOICE;
  for (size_t i = 0; o->kind == SW_TEXT && i < sizeof values / sizeof *values;
       i++)
    found |= !strcmp(o->name, values[i].option);
  return found;
}

/* ---- bash, and zsh by it ---- */

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

static void bash_options(FILE *out, const sw_option *table, int count) {
  for (int k = 0; k < count; k++) fprintf(out, " --%s", table[k].name);
}

/* An option with a value completes that value: its words, or a file. */
static void bash_values(FILE *out, const sw_option *table, int count) {
  for (int k = 0; k < count; k++) {
    const sw_option *o = &table[k];
    if (o->kind == SW_FLAG) continue;
    fprintf(out, "      [ \"$before\" = --%s ] && ", o->name);
    if (has_words(o)) {
      fputs("words=\"", out);
      value_words(o, out);
      fputs("\"\n", out);
    } else fputs("return\n", out);
  }
}

static void bash_case(FILE *out, const sw_command *c) {
  sw_option task[SW_TASK_OPTIONS_MAX];
  int tasks = sw_command_other_options(c, task);
  fprintf(out, "    \"%s\")\n      words=\"--help", c->name);
  bash_options(out, c->options, c->option_count);
  bash_options(out, task, tasks);
  fputs("\"\n", out);
  if (!strcmp(c->name, "gen")) {
    fputs("      [ \"$COMP_CWORD\" = 2 ] && words=\"", out);
    domain_words(out);
    fputs("\"\n", out);
  }
  if (!strcmp(c->name, "help")) {
    fputs("      [ \"$COMP_CWORD\" = 2 ] && words=\"", out);
    first_words(out);
    for (const sw_topic *t = sw_topics; t->name; t++)
      fprintf(out, " %s", t->name);
    fputs("\"\n", out);
  }
  bash_values(out, c->options, c->option_count);
  bash_values(out, task, tasks);
  fputs("      ;;\n", out);
}

static void bash(FILE *out) {
  fputs(
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
      bash_case(out, sw_program_commands[i]);
  fputs("  *) case \"$one $two\" in\n", out);
  for (int i = 0; sw_program_commands[i]; i++)
    if (strchr(sw_program_commands[i]->name, ' '))
      bash_case(out, sw_program_commands[i]);
  fputs(
      "    esac ;;\n  esac; fi\n"
      "  case $word in -*) ;; *) [ \"${words#--help}\" != \"$words\" ] && "
      "return ;; esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "}\n"
      "complete -o default -F _statewise statewise\n",
      out);
}

/* ---- fish ---- */

static void fish_text(FILE *out, const char *text) {
  fputc('\'', out);
  for (; *text; text++) {
    if (*text == '\'' || *text == '\\') fputc('\\', out);
    fputc(*text, out);
  }
  fputc('\'', out);
}

/* True once the words of the command stand on the line. */
static void fish_when(FILE *out, const char *name) {
  const char *space = strchr(name, ' ');
  fprintf(out, "complete -c statewise -n '__fish_seen_subcommand_from %.*s",
          space ? (int)(space - name) : (int)strlen(name), name);
  if (space) fprintf(out, "; and __fish_seen_subcommand_from %s", space + 1);
  fputc('\'', out);
}

static void fish_options(FILE *out, const char *command, const sw_option *table,
                         int count) {
  for (int k = 0; k < count; k++) {
    const sw_option *o = &table[k];
    fish_when(out, command);
    fprintf(out, " -l %s", o->name);
    if (has_words(o)) {
      fputs(" -x -a '", out);
      value_words(o, out);
      fputc('\'', out);
    } else if (o->kind == SW_TEXT || o->kind == SW_LIST) fputs(" -r", out);
    else if (o->kind != SW_FLAG) fputs(" -x", out);
    fputs(" -d ", out);
    fish_text(out, o->help);
    fputc('\n', out);
  }
}

static void fish(FILE *out) {
  sw_option task[SW_TASK_OPTIONS_MAX];
  for (int i = 0; sw_program_commands[i]; i++) {
    const sw_command *c = sw_program_commands[i];
    const char *space = strchr(c->name, ' ');
    if (space)
      fprintf(out,
              "complete -c statewise -n __fish_use_subcommand -f -a %.*s\n"
              "complete -c statewise -n '__fish_seen_subcommand_from %.*s' -f "
              "-a %s -d ",
              (int)(space - c->name), c->name, (int)(space - c->name), c->name,
              space + 1);
    else
      fprintf(out,
              "complete -c statewise -n __fish_use_subcommand -f -a %s -d ",
              c->name);
    fish_text(out, c->summary);
    fputc('\n', out);
    fish_options(out, c->name, c->options, c->option_count);
    fish_options(out, c->name, task, sw_command_other_options(c, task));
  }
}

void sw_help_completion(sw_shell shell, FILE *out) {
  if (shell == SW_SHELL_FISH) {
    fputs("# fish completion for statewise\n", out);
    fish(out);
    return;
  }
  if (shell == SW_SHELL_ZSH)
    fputs(
        "#compdef statewise\n# zsh completion for statewise: source this "
        "file\nautoload -U +X bashcompinit && bashcompinit\n",
        out);
  else fputs("# bash completion for statewise: source this file\n", out);
  bash(out);
}
