/* Settings written as text, "name=value name=value": pairs for
 * sw_apply_settings. Values hold no blanks. */
#ifndef SW_REPRO_SETTINGS_H
#define SW_REPRO_SETTINGS_H
#include "base/err.h"

typedef struct sw_settings {
  const char **pair; /* name, value, ..., NULL */
  int count;         /* pairs */
  char *text;        /* what they point into */
} sw_settings;

/* Either text may be NULL; the second's come after the first's. */
int sw_settings_read(sw_settings *settings, const char *first,
                     const char *second, sw_err *err);
/* `before` (name, value, ..., NULL) with these behind it; malloc'd. */
const char **sw_settings_behind(const sw_settings *settings,
                                const char *const *before);
void sw_settings_free(sw_settings *settings);

#endif
