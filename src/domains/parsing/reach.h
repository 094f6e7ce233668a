/* Where can a rule that starts at a word end? All answers for one sentence, so
 * that "can this state still be completed?" is one walk over the symbols left.
 * As the machine parses (machine.h): an alternative is entered only when the
 * next word can start it, a list goes on as long as its separator follows; or
 * (lists_end) as the grammar itself has it. Filled once a sentence, from its
 * end to its beginning; used by the environment's ground truth and by the
 * solver that no order of choices leads astray (derivation_any.c). */
#ifndef SW_PARSING_REACH_H
#define SW_PARSING_REACH_H
#include "domains/parsing/machine.h"

typedef struct sw_parse_span {
  int32_t first, count; /* places in `end`; count -1: not known yet */
} sw_parse_span;

typedef struct sw_parse_reach {
  const sw_grammar *grammar;
  const int16_t *input; /* of the sentence that it was filled for */
  int32_t length;
  int lists_end; /* 1: a list may end though its separator follows */
  int ready;
  sw_parse_span *span; /* [length + 1][2 rules]: the rule; the rest of a list */
  int32_t span_room;
  int32_t *end; /* the places */
  int32_t ends, end_room;
  int32_t *from, *to; /* [length + 2] scratch: sets of places */
  int32_t *mark;      /* [length + 2] stamps of `to` */
  int32_t stamp, scratch_room;
} sw_parse_reach;

/* Another sentence; nothing is computed yet. */
void sw_parse_reach_reset(sw_parse_reach *reach, const sw_grammar *grammar,
                          const int16_t *input, int32_t length);
void sw_parse_reach_free(sw_parse_reach *reach);
/* Fills the table, if it is not. 0: out of memory, or it was time to stop. */
int sw_parse_reach_fill(sw_parse_reach *reach);
/* Where a rule (rest: what is left of a list after an item) can end that starts
 * at `at`; how many places. Of a filled table. */
const int32_t *sw_parse_ends(const sw_parse_reach *reach, int rule, int rest,
                             int32_t at, int32_t *count);
/* At a choice: 1 when some alternative that is left leads, with what is still
 * to be matched behind it, to the end of the sentence; 0 when none does; -1
 * without memory, or when it was time to stop. */
int sw_parse_completable(sw_parse_reach *reach,
                         const sw_parse_machine *machine);

#endif
