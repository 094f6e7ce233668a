/* The subjects of `statewise help` (see topics.h). */
#include "cli/topics.h"
#include <string.h>
#include "base/err.h"
#include "base/options.h"
#include "domains/registry.h"
#include "search/loop.h"
#include "search/verifier.h"
#include "trace/mask.h"

enum { WIDTH = 80, NAME_WIDTH = 20 };

/* Words of one line; `column` is where the line stands. */
static void wrap(FILE *out, const char *text, size_t length, int column,
                 int indent) {
  const char *end = text + length;
  int begun = 0;
  while (text < end) {
    size_t word = strcspn(text, " ");
    if (word > (size_t)(end - text)) word = (size_t)(end - text);
    if (begun && column + 1 + (int)word > WIDTH) {
      fprintf(out, "\n%*s", indent, "");
      column = indent;
      begun = 0;
    }
    column += fprintf(out, "%s%.*s", begun ? " " : "", (int)word, text);
    begun = 1;
    text += word;
    while (text < end && *text == ' ') text++;
  }
  fputc('\n', out);
}

void sw_help_row(FILE *out, const char *name, const char *text) {
  int column = fprintf(out, "  %-*s", NAME_WIDTH - 2, name);
  if (column > NAME_WIDTH || name[strlen(name) - 1] == ' ' ||
      (int)strlen(name) > NAME_WIDTH - 3)
    column = fprintf(out, "\n%*s", NAME_WIDTH, "") - 1;
  wrap(out, text, strlen(text), column, NAME_WIDTH);
}

void sw_help_paragraph(FILE *out, const char *text) {
  while (*text) {
    size_t length = strcspn(text, "\n");
    if (length <= WIDTH) fprintf(out, "%.*s\n", (int)length, text);
    else wrap(out, text, length, 0, 0);
    text += length + (text[length] == '\n');
  }
}

void sw_help_shell(FILE *out, const char *line) {
  enum { MOST = 78 };
  int column = fprintf(out, "  ");
  while (*line) {
    size_t word = strcspn(line, " ");
    if (column > 2 && column + 1 + (int)word > MOST - 2)
      column = fprintf(out, " \\\n     ") - 3;
    column += fprintf(out, "%s%.*s", column > 2 ? " " : "", (int)word, line);
    line += word;
    while (*line == ' ') line++;
  }
  fputc('\n', out);
}

static void masks(FILE *out) {
  sw_help_paragraph(
      out,
      "A mask says which tokens may attend to which. A sequence is slots, the "
      "prefix "
      "(the problem) and decision blocks. `statewise show mask --mask NAME` "
      "draws one.\n");
  for (int i = 0; i < sw_mask_count(); i++)
    sw_help_row(out, sw_mask_row_of((sw_mask_kind)i)->name,
                sw_mask_row_of((sw_mask_kind)i)->text);
}

static void verifiers(FILE *out) {
  char name[96];
  sw_help_paragraph(
      out,
      "A verifier says when a search goes back (--verifier NAME[:ARGS]). "
      "Verifiers nest: INNER, A and B are verifiers again.\n");
  for (int i = 0; sw_verifier_kind_at(i); i++) {
    const sw_verifier_kind *kind = sw_verifier_kind_at(i);
    snprintf(name, sizeof name, "%s%s%s", kind->name, *kind->args ? ":" : "",
             kind->args);
    sw_help_row(out, name, kind->help);
  }
}

static void protocols(FILE *out) {
  static const char *const text[] = {
      "the whole search so far",
      "problem and current state, where the first block would stand",
      "the same, at the positions that the block has in the search",
      "the whole search with other searches' blocks as its history"};
  sw_help_paragraph(
      out, "A protocol says what a model is shown at a step (--protocol).\n");
  for (int i = 0; i < (int)(sizeof text / sizeof *text); i++)
    sw_help_row(out, sw_protocol_name((sw_protocol)i), text[i]);
}

static void formats(FILE *out) {
  sw_help_paragraph(
      out,
      "A format says what a block shows of a state (--format). The first of a "
      "domain is the default under the preset `fair`. docs/DOMAIN.md has "
      "examples.\n");
  for (int i = 0; sw_domain_kind(i); i++) {
    const sw_domain *domain = sw_domain_kind(i);
    char names[512] = "one: the words of its states";
    size_t used = 0;
    for (int k = 0;
         domain->formats && domain->formats[k] && used < sizeof names; k++)
      used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                               k ? " " : "", domain->formats[k]);
    sw_help_row(out, domain->name, names);
  }
}

static void exits(FILE *out) {
  char number[8];
  sw_help_paragraph(out, "Exit codes of every command:\n");
#define X(name, code, exit_code, text)              \
  snprintf(number, sizeof number, "%d", exit_code); \
  sw_help_row(out, number, text);
  SW_ERROR_CODES(X)
#undef X
  sw_help_paragraph(out,
                    "\n`solve` ends with 10 (solved), 20 (impossible) or 0 "
                    "(neither was found out).");
}

static void environment(FILE *out) {
  sw_help_paragraph(out, "Variables that the program reads:\n");
#define X(name, text) sw_help_row(out, name, text);
  SW_ENVIRONMENT(X)
#undef X
}

const sw_topic sw_topics[] = {
    {"masks", "which tokens may attend to which", masks},
    {"verifiers", "what says when to go back", verifiers},
    {"protocols", "what a model is shown at a step", protocols},
    {"formats", "what a block shows of a state", formats},
    {"exits", "exit codes", exits},
    {"environment", "variables that the program reads", environment},
    {NULL, NULL, NULL}};

const sw_topic *sw_topic_find(const char *name) {
  for (const sw_topic *t = sw_topics; t->name; t++)
    if (!strcmp(t->name, name)) return t;
  return NULL;
}
