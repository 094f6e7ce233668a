/* Drawing the figures (see figures.h) with gnuplot. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/file.h"
#include "report/figures.h"
#include "report/plot.h"
#include "report/read_json.h"

/* Ids become file names and anchors; those of experiments come from files. */
static void clean_id(const char *prefix, const char *id, char *out,
                     size_t room) {
  size_t used = (size_t)snprintf(out, room, "%s", prefix);
  for (; *id && used + 1 < room; id++) {
    int plain = (*id >= 'a' && *id <= 'z') || (*id >= 'A' && *id <= 'Z') ||
                (*id >= '0' && *id <= '9');
    out[used++] = plain ? *id : '-';
  }
  out[used] = 0;
}

static int add(sw_drawn_list *list, const char *id, const char *title,
               const char *caption, int width, int height, const char *script,
               sw_err *err) {
  char *svg, name[80]; /* gnuplot's names hold no hyphen */
  snprintf(name, sizeof name, "%s", id);
  for (char *at = name; *at; at++)
    if (*at == '-') *at = '_';
  int code = sw_plot(name, width, height, script, &svg, err);
  if (code == SW_DATA) sw_context(err, "the figure `%s`", id);
  if (code) return code;
  if (!sw_grow(&list->figure, &list->room, list->count + 1,
               sizeof *list->figure)) {
    free(svg);
    return sw_no_memory(err);
  }
  sw_drawn *drawn = &list->figure[list->count++];
  memset(drawn, 0, sizeof *drawn);
  snprintf(drawn->id, sizeof drawn->id, "%s", id);
  drawn->title = title;
  drawn->caption = caption;
  drawn->inlined = sw_plot_inlined(svg, name, title);
  drawn->alone = sw_plot_standalone(svg);
  free(svg);
  if (drawn->inlined && drawn->alone) return SW_OK;
  return sw_no_memory(err);
}

static int draw(const sw_report_data *data, const sw_drawing *figure,
                sw_drawn_list *list, sw_err *err) {
  char *script = NULL;
  size_t bytes;
  FILE *out = open_memstream(&script, &bytes);
  if (!out) return sw_no_memory(err);
  int drawn = figure->script(data, out), code = SW_OK;
  if (!sw_memory_close(out, &script)) code = sw_no_memory(err);
  if (!code && drawn)
    code = add(list, figure->id, figure->title, figure->caption, figure->width,
               figure->height, script, err);
  free(script);
  return code;
}

int sw_figures_draw_experiment(const json_t *experiment, sw_drawn_list *list,
                               sw_err *err) {
  const json_t *figure;
  size_t at, bytes;
  json_array_foreach(json_object_get(experiment, "figures"), at, figure) {
    char id[80], *script = NULL;
    FILE *out = open_memstream(&script, &bytes);
    if (!out) return sw_no_memory(err);
    int drawn = sw_experiment_figure(experiment, figure, out), code = SW_OK;
    if (!sw_memory_close(out, &script)) code = sw_no_memory(err);
    clean_id("experiment-", sw_member_text(figure, "id", "figure"), id,
             sizeof id);
    for (int i = 0; i < list->count; i++) /* one name, one picture */
      if (!strcmp(list->figure[i].id, id)) drawn = 0;
    if (!code && drawn)
      code =
          add(list, id, sw_member_text(figure, "title", "A figure"),
              sw_member_text(experiment, "title", ""), 720, 400, script, err);
    free(script);
    if (code) return code;
  }
  return SW_OK;
}

int sw_figures_draw(const sw_report_data *data, sw_drawn_list *list,
                    sw_err *err) {
  for (int i = 0; i < sw_drawing_count; i++)
    SW_TRY(draw(data, &sw_drawings[i], list, err));
  for (int i = -1; (i = sw_report_next_document(data, "experiment", i)) >= 0;)
    SW_TRY(sw_figures_draw_experiment(data->document[i].root, list, err));
  return SW_OK;
}

void sw_drawn_free(sw_drawn_list *list) {
  for (int i = 0; i < list->count; i++) {
    free(list->figure[i].inlined);
    free(list->figure[i].alone);
  }
  free(list->figure);
  memset(list, 0, sizeof *list);
}
