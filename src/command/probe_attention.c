/* `statewise probe attention`: what each head looks at. */
#include <inttypes.h>
#include <stdio.h>

#include "command/commands.h"
#include "command/probe_common.h"

typedef sw_attention_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_ATTENTION_OPTIONS)};

static void print_looks(sw_command_io *io, const char *name,
                        const sw_attention_shares *k) {
  char b[32];
  fprintf(io->out, "%-16s", name);
#define X(field, text) \
  fprintf(io->out, " %8s", sw_probe_number(k->field, 4, b));
  SW_ATTENTION_SHARES(X)
#undef X
  for (int c = 0; c < SW_LEFTS; c++)
    fprintf(io->out, " %8s", sw_probe_number(k->by_left[c], 4, b));
  fputc('\n', io->out);
}

static void print_facts(sw_command_io *io, const sw_attention_result *r) {
  static const char *const kind[] = {"values of literals",
                                     "what is left of an item",
                                     "the least before", "which that is"};
  for (int k = 0; k < SW_FACT_COUNT; k++)
    if (r->facts[k])
      fprintf(io->out, "%s%s %" PRId64 " of %" PRId64,
              k ? ", " : "facts read off: ", kind[k], r->right[k], r->facts[k]);
  if (r->facts[0]) fputc('\n', io->out);
}

static void print_all(sw_command_io *io, const void *context) {
  const session *s = context;
  for (int m = 0; m < s->probe.models; m++) {
    const sw_attention_result *r = &s->result[m];
    char b[32], name[48];
    fprintf(io->out,
            "%s: %" PRId64 " states, %" PRId64 " literals, %" PRId64
            " ends and %" PRId64 " openings of items asked\n",
            s->probe.label[m], r->states, r->literals, r->ends, r->openings);
    fprintf(io->out,
            "log odds of going back, by what is left of the least item:");
    for (int c = 0; c < SW_LEFTS; c++)
      fprintf(io->out, " %s %s (%" PRId64 ")", sw_left_name(c),
              sw_probe_number(r->verdict[c], 2, b), r->states_of[c]);
    fputc('\n', io->out);
    print_facts(io, r);
    fprintf(io->out, "\n%-16s %8s %8s %17s %17s %44s\n", "mean attention",
            "literal", "end on", "opening on", "question on",
            "question on an item with");
    fprintf(io->out, "%-16s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "",
            "on home", "its item", "least", "another", "least", "another",
            "0 left", "1", "2", "3", "true");
    for (int32_t h = 0; r->head && h < r->layers * r->heads; h++) {
      snprintf(name, sizeof name, "layer %d head %d", h / r->heads + 1,
               h % r->heads + 1);
      print_looks(io, name, &r->head[h]);
    }
    if (r->head) print_looks(io, "even", &r->head[r->layers * r->heads]);
  }
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  static const sw_probe_view view = {.measure = &sw_measure_attention,
                                     .text = print_all};
  return sw_probe_main(self, io, argc, argv, &view, err);
}

const sw_command sw_command_probe_attention = {
    .name = "probe attention",
    .usage = "[--model DIR]...",
    .summary = "What each head looks at on the way to a verdict",
    .details =
        "Over states of a bank that is built as for probe bank (viable and "
        "conflict states of equal size): how much a\nliteral looks at its "
        "variable in the state, the end of an item (a clause) at the item, its "
        "opening at the item\nbefore it that has least left, and the question "
        "at "
        "an item by what is left of it; `even` looks at every token\nequally. "
        "Facts that the output head reads off on the way are counted too. Only "
        "the question can be asked where\nthe problem stands in front of the "
        "blocks.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .takes_task = 1};
