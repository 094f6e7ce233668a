/* The figures of each measure, by the name of its JSON file, with the caption
 * and note of its table. For callers that show or select figures and run no
 * model. */
#ifndef SW_PROBE_FIGURES_H
#define SW_PROBE_FIGURES_H
#include "base/figure.h"

typedef struct sw_measured {
  const char *name;
  const sw_figure *figures; /* of a model */
  const sw_figure *of_all;  /* of the session, or NULL */
  const char *caption, *note;
} sw_measured;

/* In the order of SW_MEASURES; `history` (probe history) is the last. 0: there
 * is none with that index or name. */
int sw_measured_at(int index, sw_measured *measured);
int sw_measured_find(const char *name, sw_measured *measured);
/* The figure of a path in a measure's JSON, or NULL. */
const sw_figure *sw_measured_figure(const sw_measured *measured,
                                    const char *path);

#endif
