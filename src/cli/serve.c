/* `statewise serve`: the page and the endpoint, until a signal comes. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/commands.h"
#include "cli/stop.h"
#include "serve/serve.h"

/* clang-format off */
#define SERVE_OPTIONS(X)                                                       \
  X(model, LIST, "model", "", 0, 0, "", "run directory or weights; may be repeated; default: the shipped models") \
  X(domain, LIST, "domain", "", 0, 0, "", "the rules of models of your own: exec:COMMAND; may be repeated") \
  X(port, INT, "port", "8177", 0, 65535, "", "port; 0: any free one")          \
  X(bind, TEXT, "bind", "127.0.0.1", 0, 0, "", "numeric address to listen on; any other than the default opens the server to other machines") \
  X(host, LIST, "host", "", 0, 0, "", "further host name that requests may use (behind a proxy); may be repeated") \
  X(dir, TEXT, "dir", "out", 0, 0, "", "directory whose results and reports the second tab shows") \
  SW_THREADS_ROW(X, "threads of a model; 0: all cores") \
  X(json, FLAG, "json", "0", 0, 0, "", "print address and models as one JSON object") \
  X(quiet, FLAG, "quiet", "0", 0, 0, "", "print only the address")
/* clang-format on */

typedef struct values {
  SERVE_OPTIONS(SW_OPTION_FIELD)
} values;
static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(values, __VA_ARGS__)
    SERVE_OPTIONS(X)
#undef X
};

static int open_models(sw_server *server, const values *v, sw_err *err) {
  const sw_domain *opened;
  for (int i = 0; i < v->domain.count; i++)
    SW_TRY(sw_domain_named(v->domain.item[i], &opened, err));
  for (int i = 0; i < v->model.count; i++)
    SW_TRY(sw_shelf_add(&server->shelf, v->model.item[i], v->threads, err));
  for (int i = 0; !v->model.count && sw_domains[i]; i++) {
    char path[1024];
    if (!sw_domains[i]->search ||
        sw_shipped_model(sw_domains[i]->name, path, sizeof path, NULL))
      continue;
    SW_TRY(sw_shelf_add(&server->shelf, path, v->threads, err));
  }
  if (server->shelf.count) return SW_OK;
  sw_fail(err, SW_NOFILE, "there is no model to serve");
  return sw_hint(err, "name one with --model");
}

static void print_text(const sw_server *server, const values *v,
                       const char *url, FILE *out) {
  fprintf(out, "%s\n", url);
  for (int32_t i = 0; !v->quiet && i < server->shelf.count; i++)
    fprintf(out, "  %-20s %s, mask %s\n", server->shelf.offered[i]->id,
            server->shelf.offered[i]->loaded.domain->name,
            sw_mask_name(server->shelf.offered[i]->loaded.reading.mask));
}

static void print_json(const sw_server *server, const char *url, FILE *out) {
  sw_json json;
  sw_json_to_file(&json, out);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "url", url);
  sw_json_array(&json, "models");
  for (int32_t i = 0; i < server->shelf.count; i++) {
    const sw_loaded *loaded = &server->shelf.offered[i]->loaded;
    sw_json_object(&json, NULL);
    sw_json_string(&json, "id", server->shelf.offered[i]->id);
    sw_json_string(&json, "domain", loaded->domain->name);
    sw_json_string(&json, "mask", sw_mask_name(loaded->reading.mask));
    sw_json_end(&json);
  }
  sw_json_end(&json);
  sw_json_end(&json);
}

static int serve(const values *v, int dir_given, sw_command_io *io,
                 sw_err *err) {
  static sw_server server;
  const char *hosts[SW_LIST_MAX + 1] = {0};
  for (int i = 0; i < v->host.count; i++) hosts[i] = v->host.item[i];
  sw_serve_options o = {
      .address = v->bind, .port = v->port, .hosts = hosts, .directory = v->dir};
  /* the default may be missing, a directory that was asked for may not */
  if (!dir_given && !sw_is_directory(v->dir)) o.directory = NULL;
  int code = open_models(&server, v, err);
  if (!code) code = sw_serve_start(&server, &o, err);
  if (!code) {
    char url[200];
    int six = strchr(v->bind, ':') != NULL;
    snprintf(url, sizeof url, "http://%s%.100s%s:%d/", six ? "[" : "", v->bind,
             six ? "]" : "", sw_http_port(server.http));
    if (v->json) print_json(&server, url, io->out);
    else print_text(&server, v, url, io->out);
    fflush(io->out);
    sw_stop_on_signals();
    while (!sw_stop_requested(NULL)) usleep(100000);
  }
  sw_serve_stop(&server);
  return code;
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  values v;
  unsigned char given[sizeof table / sizeof *table] = {0};
  int dir = 0;
  SW_TRY(sw_command_parse(self, argc, argv, &v, given, NULL, err));
  while (strcmp(table[dir].name, "dir")) dir++;
  return serve(&v, given[dir], io, err);
}

const sw_command sw_command_serve = {
    .name = "serve",
    .usage = "[--port N] [--model DIR]...",
    .summary = "Show searches on a local page, and answer as an endpoint",
    .details =
        "The page lets you watch one or two models search, step by step, swap "
        "the history under them and see what they attend to. The same address "
        "answers GET /v1/models and POST /v1/completions and "
        "/v1/chat/completions (docs/serve.md). It listens on this machine only "
        "unless --bind says otherwise, makes no request of its own and needs "
        "no file besides the models. End it with Ctrl-C.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run};
