/* The backtracking parser as an explicit machine: a cursor, the symbols still
 * to be matched (shared cons cells), and a stack of open choices. It runs from
 * one event to the next and never starts again from the beginning.
 *
 *   CHOICE   a choice with two or more viable alternatives waits; or the rest
 *            of one after a failure
 *   FAILURE  a match failed inside an open choice: going back is due
 *   PARSED, REMAINING (success before the end of the input), REJECTED
 *
 * Ordered choice: a choice whose alternative succeeds is committed and never
 * entered again. One machine per environment; no allocation once warm. */
#ifndef SW_PARSING_MACHINE_H
#define SW_PARSING_MACHINE_H
#include <stdio.h>
#include "domains/parsing/grammar.h"

typedef enum {
  SW_PARSE_CHOICE,
  SW_PARSE_FAILURE,
  SW_PARSE_PARSED,
  SW_PARSE_REMAINING,
  SW_PARSE_REJECTED,
  SW_PARSE_MEMORY
} sw_parse_event;

/* A symbol to match; another item of a list, or its end; a choice succeeds. */
typedef enum {
  SW_PARSE_CELL_SYMBOL,
  SW_PARSE_CELL_MORE,
  SW_PARSE_CELL_COMMIT
} sw_parse_cell_kind;
typedef struct sw_parse_cell {
  int16_t symbol;
  int16_t kind; /* sw_parse_cell_kind */
  int32_t next;
} sw_parse_cell;
typedef struct sw_parse_frame {
  int32_t cell;                 /* of the rule's symbol; rest = its next */
  int32_t cursor, cells, trail; /* to come back to */
  uint32_t viable, failed;      /* sets of alternatives */
  int32_t attempt;
} sw_parse_frame;

typedef struct sw_parse_machine {
  const sw_grammar *grammar;
  int keep_failure; /* 1: an exhausted choice passes on the failure of
                       its last attempt (the expert's traces); 0: its
                       own position (the release's simulator) */
  const int16_t *input;
  int32_t length, cursor, top;
  sw_parse_event event;
  sw_parse_cell *cell;
  int32_t cells, cell_room;
  sw_parse_frame *frame;
  int32_t frames, frame_room;
  int16_t *trail; /* alternatives and list steps taken so far */
  int32_t trails, trail_room;
  /* What a block shows: position and symbols, top first. */
  int32_t shown_cursor, shown_count, shown_room;
  int16_t *shown;
  int32_t final_cursor; /* of an ended parse */
  int32_t *follow;      /* room for the trail's follower (derivation.c) */
  int32_t follow_room;
} sw_parse_machine;

void sw_parse_init(sw_parse_machine *machine, const sw_grammar *grammar,
                   int keep_failure);
void sw_parse_free(sw_parse_machine *machine);
sw_parse_event sw_parse_start(sw_parse_machine *machine, const int16_t *input,
                              int32_t length);
/* At a choice. */
uint32_t sw_parse_available(const sw_parse_machine *machine);
uint32_t sw_parse_failed(const sw_parse_machine *machine);
sw_parse_event sw_parse_take(sw_parse_machine *machine, int alternative);
/* At a failure: gives up the attempt. At a choice: gives up the choice. */
sw_parse_event sw_parse_back(sw_parse_machine *machine);
/* Copies a machine's search state (not its memory); 0: out of memory. */
int sw_parse_copy(sw_parse_machine *to, const sw_parse_machine *from);
/* Runs on in the expert's order: lowest alternative first, going back at
 * failures. 1: the input is parsed. Gives up after `limit` events. */
int sw_parse_finish(sw_parse_machine *machine, int64_t limit);

/* As the grammar itself has it, without ordered choice: 1 when the sentence has
 * a derivation, and the machine is as if it had parsed it so; 0 when it has
 * none; -1 without memory, or when it was time to stop (the machine must then
 * be started again). (derivation_any.c) */
int sw_parse_any(sw_parse_machine *machine);

/* Follows the trail of a parsed machine and compares what it derives with the
 * input, without the machine's own bookkeeping; when `out` is not NULL the
 * derivation is printed there as a tree. 1: right. (derivation.c) */
int sw_parse_derive(const sw_parse_machine *machine, FILE *out);
/* Room for a trail that leaves no more than `pending` symbols and ends of nodes
 * to follow at a time; a parsed machine has it. 0: out of memory. */
int sw_parse_follow_room(sw_parse_machine *machine, int64_t pending);

#endif
