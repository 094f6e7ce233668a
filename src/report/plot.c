/* Plots (see plot.h). The script is handed over as an unlinked file and the
 * picture is read through a pipe, so neither side can block the other. */
#include "report/plot.h"
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/file.h"
#include "report/table.h"

extern char **environ;

/* gray level of a stand-in, CSS variable, fixed colour */
static const struct {
  int level;
  const char *variable, *fixed;
} colors[] = {
    {1, "var(--ink)", "#222222"},      {2, "var(--rule)", "#999999"},
    {3, "var(--series-1)", "#2f6fb5"}, {4, "var(--series-2)", "#d9822b"},
    {5, "var(--series-3)", "#8a63d2"}, {6, "var(--series-4)", "#3d9a5f"},
    {7, "var(--series-5)", "#c2466b"}, {8, "var(--series-6)", "#6b7280"}};
enum { COLORS = sizeof colors / sizeof *colors };

const char *sw_plot_series(int index) {
  static const char *const series[SW_PLOT_SERIES] = {
      "#030303", "#040404", "#050505", "#060606", "#070707", "#080808"};
  return series[index % SW_PLOT_SERIES];
}

int sw_plot_number(int index) {
  return 0x030303 + 0x010101 * (index % SW_PLOT_SERIES);
}

/* SSA and causal attention have the first two colours on every page, and no
 * other label does. The others take the free colours of their page in order. */
static int color_of(const char *label) {
  static const struct {
    const char *begins;
    int color;
  } always[] = {{"SSA", 0}, {"ssa", 0}, {"causal", 1}, {"LSTM", 4}, {"MLP", 3}};
  for (size_t i = 0; i < sizeof always / sizeof *always; i++)
    if (!strncmp(label, always[i].begins, strlen(always[i].begins)))
      return always[i].color;
  return -1;
}

void sw_plot_colors(const char *const *label, int count, int *color) {
  int used[SW_PLOT_SERIES] = {0};
  for (int i = 0; i < count; i++) {
    color[i] = color_of(label[i]);
    if (color[i] >= 0 && used[color[i]]++) color[i] = -1;
  }
  for (int i = 0, next = 2; i < count; i++) {
    if (color[i] >= 0) continue;
    while (next < SW_PLOT_SERIES && used[next]) next++;
    /* none is left: the same ones again */
    color[i] = next < SW_PLOT_SERIES ? next++ : 2 + i % (SW_PLOT_SERIES - 2);
  }
}

/* ---- the process ---- */

/* Everything from a descriptor as malloc'd text; NULL: out of memory. */
static char *read_all(int descriptor) {
  size_t used = 0, room = 1 << 16;
  char *text = malloc(room);
  while (text) {
    ssize_t got = read(descriptor, text + used, room - used - 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    used += (size_t)got;
    if (room - used > 1) continue;
    char *grown = realloc(text, room *= 2);
    if (!grown) free(text);
    text = grown;
  }
  if (text) text[used] = 0;
  return text;
}

static int start(FILE *script, FILE *complaints, int output[2], pid_t *child) {
  static char program[] = "gnuplot", quiet[] = "-d"; /* no ~/.gnuplot */
  char *const arguments[] = {program, quiet, NULL};
  posix_spawn_file_actions_t files;
  if (posix_spawn_file_actions_init(&files)) return ENOMEM;
  posix_spawn_file_actions_adddup2(&files, fileno(script), 0);
  posix_spawn_file_actions_adddup2(&files, output[1], 1);
  posix_spawn_file_actions_adddup2(&files, fileno(complaints), 2);
  posix_spawn_file_actions_addclose(&files, output[0]);
  int code = posix_spawnp(child, program, &files, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  return code;
}

/* The first line gnuplot complained with. */
static void first_complaint(FILE *complaints, char *line, size_t room) {
  line[0] = 0;
  rewind(complaints);
  while (fgets(line, (int)room, complaints)) {
    line[strcspn(line, "\n")] = 0;
    if (strspn(line, " \t^") < strlen(line)) return;
  }
  snprintf(line, room, "no picture came back");
}

static int run(FILE *script, FILE *complaints, char **svg, sw_err *err) {
  int output[2], status = 0;
  pid_t child;
  if (pipe(output)) return sw_fail(err, SW_IO, "gnuplot: %s", strerror(errno));
  int code = start(script, complaints, output, &child);
  close(output[1]);
  if (code) {
    close(output[0]);
    sw_fail(err, SW_NOFILE, "gnuplot cannot be started: %s", strerror(code));
    return sw_hint(err, "install it: sudo apt-get install gnuplot-nox");
  }
  *svg = read_all(output[0]);
  close(output[0]);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!*svg) return sw_no_memory(err);
  if (status == 0 && strstr(*svg, "</svg>")) return SW_OK;
  free(*svg);
  *svg = NULL;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    sw_fail(err, SW_NOFILE, "gnuplot cannot be started");
    return sw_hint(err, "install it: sudo apt-get install gnuplot-nox");
  }
  char line[300];
  first_complaint(complaints, line, sizeof line);
  return sw_fail(err, SW_DATA, "gnuplot cannot draw this: %s", line);
}

int sw_plot(const char *name, int width, int height, const char *script,
            char **svg, sw_err *err) {
  FILE *file = tmpfile(), *complaints = tmpfile();
  int code = SW_OK;
  *svg = NULL;
  if (!file || !complaints)
    code = sw_fail(err, SW_IO, "no temporary file: %s", strerror(errno));
  if (!code) {
    fprintf(file,
            "set terminal svg size %d,%d dynamic noenhanced font "
            "'sans-serif,13' name '%s'\n%s\n",
            width, height, name, script);
    if (fflush(file))
      code = sw_fail(err, SW_IO, "gnuplot: %s", strerror(errno));
    rewind(file);
  }
  if (!code) code = run(file, complaints, svg, err);
  if (file) fclose(file);
  if (complaints) fclose(complaints);
  return code;
}

/* ---- its output ---- */

typedef struct change {
  char from[80], to[64];
} change;

/* The name of a whole plot, which a browser would show over all of it: gnuplot
 * writes its own, or the text of a tic. */
static size_t bare_title(const char *begin, const char *text) {
  static const char open[] = "<title>", group[] = "\" >";
  if (strncmp(text, open, sizeof open - 1) || text - begin < 3 ||
      strncmp(text - 3, group, 3) != 0)
    return 0;
  const char *end = strstr(text, "</title>");
  return end ? (size_t)(end - text) + 8 : 0;
}

/* A point's text is a title, which needs no script of gnuplot's. */
static const change titles[] = {
    {" onmousemove=\"gnuplot_svg.showHypertext(evt,'", "><title>"},
    {"')\" onmouseout=\"gnuplot_svg.hideHypertext()\"><title> </title>",
     "</title>"}};
enum { TITLES = sizeof titles / sizeof *titles };

static char *apply(const char *text, const change *changes, int count) {
  char *result = NULL;
  const char *begin = text;
  size_t bytes;
  FILE *out = open_memstream(&result, &bytes);
  if (!out) return NULL;
  while (*text) {
    int i = 0;
    text += bare_title(begin, text);
    while (i < count && strncmp(text, changes[i].from, strlen(changes[i].from)))
      i++;
    if (i == count) {
      fputc(*text++, out);
      continue;
    }
    fputs(changes[i].to, out);
    text += strlen(changes[i].from);
  }
  return sw_memory_close(out, &result) ? result : NULL;
}

/* gnuplot writes a colour with and without padding. */
static int all_changes(change *list, int variables) {
  int count = TITLES;
  memcpy(list, titles, sizeof titles);
  for (int i = 0; i < COLORS; i++) {
    const char *to = variables ? colors[i].variable : colors[i].fixed;
    int l = colors[i].level;
    snprintf(list[count].from, sizeof list->from, "rgb(%3d, %3d, %3d)", l, l,
             l);
    snprintf(list[count++].to, sizeof list->to, "%s", to);
    snprintf(list[count].from, sizeof list->from, "rgb(%d,%d,%d)", l, l, l);
    snprintf(list[count++].to, sizeof list->to, "%s", to);
  }
  return count;
}

char *sw_plot_standalone(const char *svg) {
  change list[2 * COLORS + TITLES];
  return apply(svg, list, all_changes(list, 0));
}

char *sw_plot_inlined(const char *svg, const char *name, const char *label) {
  static const char *const ids[] = {"gpPt", "gpDot", "gnuplot_canvas",
                                    "textbox", "greybox"};
  change list[2 * COLORS + TITLES + 8];
  int count = all_changes(list, 1);
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++, count++) {
    snprintf(list[count].from, sizeof list->from, "%s", ids[i]);
    snprintf(list[count].to, sizeof list->to, "%.40s-%s", name, ids[i]);
  }
  snprintf(list[count].from, sizeof list->from,
           "xmlns=\"http://www.w3.org/2000/svg\"");
  list[count++].to[0] = 0;
  snprintf(list[count].from, sizeof list->from,
           "xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
  list[count++].to[0] = 0;
  snprintf(list[count].from, sizeof list->from, "xlink:href");
  snprintf(list[count++].to, sizeof list->to, "href");
  const char *body = strstr(svg, "<svg");
  char *changed = apply(body ? body + 4 : svg, list, count), *whole = NULL;
  if (!changed) return NULL;
  size_t bytes;
  FILE *out = open_memstream(&whole, &bytes);
  if (!out) {
    free(changed);
    return NULL;
  }
  fputs("<svg role=\"img\" aria-label=\"", out);
  sw_escape_html(out, label);
  fprintf(out, "\"%s", changed);
  (void)sw_memory_close(out, &whole);
  free(changed);
  return whole;
}
