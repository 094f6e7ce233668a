/* Which options belong together in a long help: one table for all commands,
 * since an option of one name means the same thing everywhere. */
#ifndef SW_CLI_GROUPS_H
#define SW_CLI_GROUPS_H
#include "base/options.h"

enum { SW_GROUPED_FROM = 20 }; /* commands with more options are grouped */

typedef struct sw_option_group {
  const char *title;
  const char *names; /* divided by blanks */
} sw_option_group;

/* Ends with a NULL title. Options in none of them are under "other". */
extern const sw_option_group sw_option_groups[];
int sw_option_in_group(const sw_option *option, const sw_option_group *group);

/* 1: one of them has it. */
int sw_option_has_group(const sw_option *option);

#endif
