/* A report of a directory: DIR/report/ with index.html (one page, all in it),
 * tables.md, tables.tex, *.csv and the plots as *.svg. Called by `statewise
 * report`. It presents what lies there (report_data.h) and runs no model. Every
 * file is replaced only when it is complete; the page is written last. */
#ifndef SW_REPORT_REPORT_H
#define SW_REPORT_REPORT_H
#include "base/err.h"

typedef struct sw_report_hooks {
  void *context;
  void (*stage)(void *context, const char *what);
  /* A run that is left out, and why; or NULL. */
  void (*left_out)(void *context, const char *run, const char *why);
} sw_report_hooks;

/* `page` receives the path of index.html. */
int sw_report_make(const char *directory, const sw_report_hooks *hooks,
                   char *page, int room, sw_err *err);

#endif
