/* The server's routes, its start and its end (see serve.h). */
#include "serve/serve.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"

enum {
  BODY_LIMIT = 4 << 20,
  CONNECTIONS = 512,
  SECONDS = 10,      /* one request's searches */
  READ_SECONDS = 30, /* headers and body */
  SEND_SECONDS = 120,
  HARD_AT_ONCE = 2,
  HARD_WAITING = 64
};

static const sw_route routes[] = {
    {"GET", "/", sw_serve_asset, 1, 0},
    {"GET", "/assets/", sw_serve_asset, 0, 0},
    {"GET", "/examples/", sw_serve_asset, 0, 0},
    {"GET", "/api/start", sw_serve_start_page, 0, 0},
    {"POST", "/api/view", sw_serve_view, 0, 1},
    {"GET", "/api/results", sw_serve_results, 0, 1},
    {"GET", "/files/", sw_serve_file, 1, 0},
    {"GET", "/v1/models", sw_serve_models, 0, 0},
    {"GET", "/v1/models/", sw_serve_model, 0, 0},
    {"POST", "/v1/completions", sw_serve_completion, 0, 0},
    {"POST", "/v1/chat/completions", sw_serve_chat, 0, 0},
    {NULL, NULL, NULL, 0, 0}};

int sw_serve_start(sw_server *server, const sw_serve_options *o, sw_err *err) {
  char resolved[PATH_MAX];
  server->directory[0] = 0;
  if (o->directory) {
    if (!sw_is_directory(o->directory) || !realpath(o->directory, resolved))
      return sw_fail(err, SW_NOFILE, "%s is not a directory", o->directory);
    snprintf(server->directory, sizeof server->directory, "%.1000s", resolved);
  }
  sw_http_options http = {.address = o->address,
                          .port = o->port,
                          .hosts = o->hosts,
                          .body_limit = BODY_LIMIT,
                          .seconds = SECONDS,
                          .read_seconds = READ_SECONDS,
                          .send_seconds = SEND_SECONDS,
                          .hard_at_once = HARD_AT_ONCE,
                          .hard_waiting = HARD_WAITING,
                          .connections = CONNECTIONS,
                          .routes = routes,
                          .context = server};
  return sw_http_start(&server->http, &http, err);
}

void sw_serve_stop(sw_server *server) {
  sw_http_stop(server->http);
  server->http = NULL;
  sw_shelf_free(&server->shelf);
}
