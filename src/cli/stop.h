/* SIGINT and SIGTERM as a flag: long commands look at it between steps, save
 * what they have and leave with exit code 75 ("run me again"). */
#ifndef SW_CLI_STOP_H
#define SW_CLI_STOP_H

void sw_stop_on_signals(void); /* a second signal ends the process at once */
int sw_stop_requested(void *unused);

#endif
