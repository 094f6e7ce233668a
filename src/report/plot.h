/* Plots by gnuplot: a script goes in, an SVG picture comes out. Scripts write
 * text and axes in the ink colour, grids in the rule colour and series in one
 * of the SW_PLOT_SERIES colours; these become CSS variables in a page (so that
 * one picture serves light and dark) or fixed colours in a file. */
#ifndef SW_REPORT_PLOT_H
#define SW_REPORT_PLOT_H
#include "base/err.h"

/* Stand-ins that no real colour uses; replaced in gnuplot's output. */
#define SW_PLOT_INK "#010101"
#define SW_PLOT_RULE "#020202"
enum { SW_PLOT_SERIES = 6 };
const char *sw_plot_series(int index); /* "#030303", ...; repeats */
/* A colour belongs to a model: those of the labels of a page, each once, as
 * indices of series. */
void sw_plot_colors(const char *const *label, int count, int *color);
/* The same as a number for gnuplot's `lc rgb variable`. */
int sw_plot_number(int index);

/* Runs gnuplot on `script` (which must not set a terminal); `name` is a word
 * that makes the picture's ids its own. *svg is malloc'd. SW_NOFILE with a hint
 * when there is no gnuplot, SW_INTERNAL with its words when it refuses. */
int sw_plot(const char *name, int width, int height, const char *script,
            char **svg, sw_err *err);
/* The picture for a page that defines --ink, --rule and --series-1..6 (no XML
 * header, no namespace, `label` for screen readers), or as a file of its own.
 * malloc'd; NULL when out of memory. */
char *sw_plot_inlined(const char *svg, const char *name, const char *label);
char *sw_plot_standalone(const char *svg);

#endif
