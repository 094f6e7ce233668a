/* `statewise eval --data FILE`: recorded searches instead of the closed loop,
 * with options of its own. */
#ifndef SW_CLI_EVAL_DATA_H
#define SW_CLI_EVAL_DATA_H

int sw_eval_data_wanted(int argc, char **argv);
int sw_eval_data(int argc, char **argv); /* an exit code */

#endif
