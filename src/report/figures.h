/* The figures of a report as gnuplot scripts over the loaded data. Each row of
 * sw_drawings is one: its id (also the file name), title, caption, and the
 * function that writes the script, which returns 0 when there is nothing to
 * draw. Experiments bring figures of their own (experiment_figure.c). All that
 * is drawn appears on the page by itself. */
#ifndef SW_REPORT_FIGURES_H
#define SW_REPORT_FIGURES_H
#include <stdio.h>
#include "report/report_data.h"

typedef struct sw_drawing {
  const char *id, *title, *caption;
  int width, height;
  int (*script)(const sw_report_data *data, FILE *out);
} sw_drawing;

extern const sw_drawing sw_drawings[];
extern const int sw_drawing_count;

/* What was drawn. */
typedef struct sw_drawn {
  char id[80];
  const char *title, *caption;
  char *inlined, *alone; /* SVG for the page and as a file, malloc'd */
} sw_drawn;
typedef struct sw_drawn_list {
  sw_drawn *figure;
  int32_t count, room;
} sw_drawn_list;
/* Adds every figure that the data have, and those of one experiment. */
int sw_figures_draw(const sw_report_data *data, sw_drawn_list *list,
                    sw_err *err);
int sw_figures_draw_experiment(const json_t *experiment, sw_drawn_list *list,
                               sw_err *err);
void sw_drawn_free(sw_drawn_list *list);

/* For scripts: the frame all figures share, and text in quotes, which may come
 * from files. The text of a tic is a format; wrapped, it has a line break
 * before an opening parenthesis. */
typedef enum { SW_QUOTE_LABEL, SW_QUOTE_TIC, SW_QUOTE_WRAPPED } sw_quote;
void sw_figure_frame(FILE *out);
void sw_figure_quoted(FILE *out, const char *text, sw_quote as);
/* What pointing at a point says is the last column in front of this. */
#define SW_FIGURE_POINTED \
  " with labels hypertext point pt 7 ps 1.6 lc rgb '#fe010101' notitle"

/* One figure of experiment.json; 0: nothing to draw. */
int sw_experiment_figure(const json_t *experiment, const json_t *figure,
                         FILE *out);
/* Those of them that are curves (curve_figure.c). */
int sw_curve_figure(const json_t *figure, FILE *out);

#endif
