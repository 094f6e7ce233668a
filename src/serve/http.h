/* The HTTP frame: a daemon on one address, a table of routes, and the checks
 * every request passes before a handler sees it.
 *
 *   Host     once, and must name this server (localhost, the bound address, or
 *            a name the caller allowed): a foreign name that resolves to us is
 *            refused
 *   Origin   where a browser sends one, must be this server's own; https only
 *            where the caller allowed the name (a tunnel may speak it)
 *   Sec-Fetch-Site  likewise, but for links that a person follows to routes
 *            that allow it: who links there does not get to see the answer
 *   body     at most `body_limit` bytes, and JSON where the route takes a body
 *
 * Handlers run in a thread of their connection, each in a scope of stopping
 * (base/stop.h), hard ones a few at a time (guard.h); what they share they lock
 * themselves. Nothing here
 * knows what is served. */
#ifndef SW_SERVE_HTTP_H
#define SW_SERVE_HTTP_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/json.h"

typedef struct sw_request {
  const char *path; /* decoded; begins with the route's path */
  const char *rest; /* what follows the route's path */
  const char *body; /* NUL-terminated */
  size_t bytes;
} sw_request;

/* What a handler answers. `body` is free()d after sending unless `constant`. */
typedef struct sw_reply {
  int status;
  const char *type; /* Content-Type */
  char *body;
  size_t bytes;
  int constant;
  int sandboxed; /* a foreign document: no script of it may reach us */
} sw_reply;

typedef struct sw_route {
  const char *method; /* "GET" or "POST" (POST bodies are JSON) */
  const char *path;   /* exact, or a folder when it ends with '/' */
  void (*handle)(void *context, const sw_request *request, sw_reply *reply);
  int linked; /* GET: a link to it may stand on any page */
  int hard;   /* it may search: takes a turn (guard.h) */
} sw_route;

typedef struct sw_http_options {
  const char *address;      /* "127.0.0.1" */
  int port;                 /* 0: any free one */
  const char *const *hosts; /* further names it may be called; NULL-term. */
  size_t body_limit;
  double seconds; /* that one request may take (base/stop.h); 0: no limit */
  double read_seconds; /* for a whole request to arrive */
  double send_seconds; /* for a whole answer to be taken */
  int hard_at_once, hard_waiting, connections;
  const sw_route *routes; /* ended by a NULL method */
  void *context;
} sw_http_options;

typedef struct sw_http sw_http;
int sw_http_start(sw_http **http, const sw_http_options *options, sw_err *err);
void sw_http_stop(sw_http *http); /* stops requests under way */
int sw_http_port(const sw_http *http);
/* NULL, or why a request with these headers (NULL: not sent) must not be
 * answered. */
const char *sw_http_foreign(const sw_http_options *options, const char *host,
                            const char *origin, const char *site);

/* Replies. sw_reply_json takes the text of *json (and frees it). */
void sw_reply_json(sw_reply *reply, int status, sw_json *json);
void sw_reply_text(sw_reply *reply, int status, const char *text);
/* {"error": {"message", "type", "code"}} in the shape clients of completion
 * endpoints know; the hint is appended to the message. */
void sw_reply_error(sw_reply *reply, int status, const char *code,
                    const sw_err *err);

#endif
