/* The figures of a report as gnuplot scripts over the loaded data. One row a
 * figure: its id (also the file name), the caption, and the function that
 * writes the script, which returns 0 when there is nothing to draw. */
#ifndef SW_REPORT_FIGURES_H
#define SW_REPORT_FIGURES_H
#include <stdio.h>
#include "report/report_data.h"

typedef struct sw_figure {
  const char *id, *title, *caption;
  int width, height;
  int (*script)(const sw_report_data *data, FILE *out);
} sw_figure;

extern const sw_figure sw_figures[];
extern const int sw_figure_count;

#endif
