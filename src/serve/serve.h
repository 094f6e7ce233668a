/* `statewise serve`: the page, the endpoint and the results of a directory on
 * one address. Files: http.c (the frame), shelf.c (models), endpoint.c (/v1),
 * view*.c (/api/view: one moment of a search), results.c (/api/results and
 * /files), assets.c (what the page is made of). */
#ifndef SW_SERVE_SERVE_H
#define SW_SERVE_SERVE_H
#include "serve/http.h"
#include "serve/shelf.h"

typedef struct sw_serve_options {
  const char *address;
  int port;
  const char *const *hosts; /* further names, NULL-terminated, or NULL */
  const char *directory;    /* results and reports */
  int threads;              /* of each model; 0: all cores */
} sw_serve_options;

typedef struct sw_server {
  sw_shelf shelf;
  char directory[1024]; /* resolved; empty: there is none */
  sw_http *http;
} sw_server;

/* `server` is zeroed but for its shelf. */
int sw_serve_start(sw_server *server, const sw_serve_options *options,
                   sw_err *err);
void sw_serve_stop(sw_server *server); /* and empties the shelf */

/* Handlers (context: the server). */
void sw_serve_models(void *server, const sw_request *request, sw_reply *reply);
void sw_serve_model(void *server, const sw_request *request, sw_reply *reply);
void sw_serve_completion(void *server, const sw_request *request,
                         sw_reply *reply);
void sw_serve_chat(void *server, const sw_request *request, sw_reply *reply);
void sw_serve_view(void *server, const sw_request *request, sw_reply *reply);
void sw_serve_start_page(void *server, const sw_request *request,
                         sw_reply *reply);
void sw_serve_results(void *server, const sw_request *request, sw_reply *reply);
void sw_serve_file(void *server, const sw_request *request, sw_reply *reply);
void sw_serve_asset(void *server, const sw_request *request, sw_reply *reply);

#endif
