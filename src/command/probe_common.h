/* The frame of the probe commands: each asks one measure (src/probe/measure.h)
 * of one or more models and prints a table or one JSON object. */
#ifndef SW_COMMAND_PROBE_COMMON_H
#define SW_COMMAND_PROBE_COMMON_H
#include "command/command.h"
#include "probe/measured.h"

typedef struct sw_probe_view {
  const sw_measure *measure;
  void (*text)(sw_command_io *io, const void *session); /* the table */
  /* Instead of asking each model (the domain's shipped one when none is
   * named), or NULL, and then words without an option are refused. */
  int (*perform)(void *session, const sw_list *rest, sw_err *err);
} sw_probe_view;

/* The whole command. */
int sw_probe_main(const sw_command *self, sw_command_io *io, int argc,
                  char **argv, const sw_probe_view *view, sw_err *err);

/* Asks each model of the session. */
int sw_probe_ask_models(sw_probe *session, sw_err *err);

/* What --data was asked about, and what a word of it tells; nothing without
 * --data. */
void sw_probe_print_data(sw_command_io *io, const sw_probe_data *data);

/* "0.123", or "-" for NaN. */
const char *sw_probe_number(double value, int digits, char buffer[32]);

#endif
