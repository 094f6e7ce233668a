/* The HTTP frame over libmicrohttpd (see http.h). */
#include "serve/http.h"

#include <microhttpd.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include "base/stop.h"
#include "serve/guard.h"

struct sw_http {
  struct MHD_Daemon *daemon;
  sw_http_options o;
  char address[64];
  int port;
  atomic_int stopping; /* asked by handlers under way */
  sw_guard *guard;
};

/* One request's body as it arrives. */
typedef struct upload {
  char *data;
  size_t bytes, room;
  int refused; /* status to answer with, or 0 */
} upload;

/* ---- replies ---- */

void sw_reply_json(sw_reply *reply, int status, sw_json *json) {
  if (json->failed || !json->text) {
    sw_json_free(json);
    sw_reply_text(reply, 500, "out of memory\n");
    return;
  }
  *reply = (sw_reply){.status = status,
                      .type = "application/json",
                      .body = json->text,
                      .bytes = json->length};
  json->text = NULL;
}

void sw_reply_text(sw_reply *reply, int status, const char *text) {
  char *copy = strdup(text);
  *reply = (sw_reply){.status = copy ? status : 500,
                      .type = "text/plain; charset=utf-8",
                      .body = copy,
                      .bytes = copy ? strlen(copy) : 0};
}

void sw_reply_error(sw_reply *reply, int status, const char *code,
                    const sw_err *err) {
  char text[1100];
  sw_json json;
  snprintf(text, sizeof text, "%s%s%s", err->text, err->hint[0] ? "; " : "",
           err->hint);
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  sw_json_object(&json, "error");
  sw_json_string(&json, "message", text);
  sw_json_string(&json, "type",
                 status < 500 ? "invalid_request_error" : "server_error");
  sw_json_string(&json, "code", code);
  sw_json_end(&json);
  sw_json_end(&json);
  sw_reply_json(reply, status, &json);
}

static const char PAGE_POLICY[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' "
    "data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action "
    "'none'; frame-ancestors 'self'";
static const char FILE_POLICY[] =
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";

static enum MHD_Result send_reply(struct MHD_Connection *connection,
                                  sw_reply *reply) {
  static char empty[1];
  void *body = reply->body ? reply->body : empty;
  struct MHD_Response *r = MHD_create_response_from_buffer(
      reply->bytes, body,
      reply->body && !reply->constant ? MHD_RESPMEM_MUST_FREE
                                      : MHD_RESPMEM_PERSISTENT);
  if (!r) {
    if (!reply->constant) free(reply->body);
    return MHD_NO;
  }
  MHD_add_response_header(r, "Content-Type", reply->type);
  MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
  MHD_add_response_header(r, "Cache-Control", "no-store");
  MHD_add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
  MHD_add_response_header(r, "Content-Security-Policy",
                          reply->sandboxed ? FILE_POLICY : PAGE_POLICY);
  if (reply->status == 405) MHD_add_response_header(r, "Allow", "GET, POST");
  enum MHD_Result sent =
      MHD_queue_response(connection, (unsigned)reply->status, r);
  MHD_destroy_response(r);
  return sent;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, int status,
                              const char *code, const char *why) {
  sw_err err = {0};
  sw_reply reply;
  sw_fail(&err, SW_USAGE, "%s", why);
  sw_reply_error(&reply, status, code, &err);
  return send_reply(connection, &reply);
}

/* ---- who asks ---- */

static const char *header(struct MHD_Connection *c, const char *name) {
  return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static enum MHD_Result count_host(void *count, enum MHD_ValueKind kind,
                                  const char *key, const char *value) {
  (void)kind;
  (void)value;
  *(int *)count += !strcasecmp(key, "Host");
  return MHD_YES;
}

static int hosts_given(struct MHD_Connection *c) {
  int count = 0;
  MHD_get_connection_values(c, MHD_HEADER_KIND, count_host, &count);
  return count;
}

/* ---- requests ---- */

static int matches(const sw_route *r, const char *path) {
  size_t length = strlen(r->path);
  if (length > 1 && r->path[length - 1] == '/')
    return !strncmp(r->path, path, length);
  return !strcmp(r->path, path);
}

/* A person follows a link, and may from anywhere: the pages below /files/ have
 * no origin (they are sandboxed), and a copied link is sent to others. */
static int is_followed(const sw_http *h, struct MHD_Connection *c,
                       const char *method, const char *path) {
  const char *mode = header(c, "Sec-Fetch-Mode");
  if (!mode || strcmp(mode, "navigate") || strcmp(method, "GET")) return 0;
  for (const sw_route *r = h->o.routes; r->method; r++)
    if (r->linked && matches(r, path)) return 1;
  return 0;
}

static int is_stopping(void *context) {
  sw_http *h = context;
  return atomic_load_explicit(&h->stopping, memory_order_relaxed);
}

/* A handler's unbounded searches end with its time or with the daemon: they
 * would hold a thread from other requests and delay the end. */
static void answer(sw_http *h, const sw_route *r, const sw_request *request,
                   sw_reply *reply) {
  sw_stop_scope limit;
  sw_stop_enter(&limit, h->o.seconds, is_stopping, h);
  r->handle(h->o.context, request, reply);
  sw_stop_leave(&limit);
}

static enum MHD_Result dispatch(sw_http *h, struct MHD_Connection *c,
                                const char *path, const char *method,
                                const upload *u) {
  int known = 0, head = !strcmp(method, "HEAD");
  for (const sw_route *r = h->o.routes; r->method; r++) {
    if (!matches(r, path)) continue;
    known = 1;
    if (strcmp(r->method, head ? "GET" : method)) continue;
    if (!strcmp(method, "POST")) {
      const char *type = header(c, "Content-Type");
      if (!type || strncasecmp(type, "application/json", 16))
        return refuse(c, 415, "content_type",
                      "the body must be sent as application/json");
    }
    sw_request request = {.path = path,
                          .rest = path + strlen(r->path),
                          .body = u->data ? u->data : "",
                          .bytes = u->bytes};
    sw_reply reply = {.status = 500, .type = "text/plain"};
    if (r->hard && !sw_guard_take(h->guard))
      return refuse(c, 503, "busy", "too many searches wait; ask again later");
    answer(h, r, &request, &reply);
    if (r->hard) sw_guard_done(h->guard);
    return send_reply(c, &reply);
  }
  return known ? refuse(c, 405, "method", "this path has another method")
               : refuse(c, 404, "not_found", "there is nothing at this path");
}

static void collect(const sw_http *h, upload *u, const char *data,
                    size_t bytes) {
  if (u->refused) return;
  if (bytes > h->o.body_limit - u->bytes) {
    u->refused = 413;
    return;
  }
  if (u->bytes + bytes + 1 > u->room) {
    size_t room = 2 * (u->bytes + bytes) + 1024;
    char *grown = realloc(u->data, room);
    if (!grown) {
      u->refused = 500;
      return;
    }
    u->data = grown;
    u->room = room;
  }
  memcpy(u->data + u->bytes, data, bytes);
  u->bytes += bytes;
  u->data[u->bytes] = 0;
}

static sw_seat *seat_of(struct MHD_Connection *c) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *c,
                              const char *path, const char *method,
                              const char *version, const char *data,
                              size_t *bytes, void **state) {
  sw_http *h = context;
  upload *u = *state;
  (void)version;
  if (!u) { /* headers only: refuse before a byte of the body is read */
    const char *site =
        is_followed(h, c, method, path) ? NULL : header(c, "Sec-Fetch-Site");
    const char *why =
        sw_http_foreign(&h->o, header(c, "Host"), header(c, "Origin"), site);
    if (why) return refuse(c, 403, "foreign", why);
    if (hosts_given(c) > 1)
      return refuse(c, 400, "host", "a request has one Host header");
    const char *length = header(c, "Content-Length");
    if (length && strtoull(length, NULL, 10) > h->o.body_limit)
      return refuse(c, 413, "too_large", "the request is too large");
    u = calloc(1, sizeof *u);
    *state = u;
    return u ? MHD_YES : MHD_NO;
  }
  if (*bytes) {
    collect(h, u, data, *bytes);
    *bytes = 0;
    return MHD_YES;
  }
  sw_seat *seat = seat_of(c);
  enum MHD_Result sent;
  sw_guard_allow(h->guard, seat, 0); /* ours takes as long as it takes */
  if (u->refused == 413)
    sent = refuse(c, 413, "too_large", "the request is too large");
  else if (u->refused) sent = refuse(c, 500, "memory", "out of memory");
  else sent = dispatch(h, c, path, method, u);
  sw_guard_allow(h->guard, seat, h->o.send_seconds);
  return sent;
}

static void completed(void *context, struct MHD_Connection *c, void **state,
                      enum MHD_RequestTerminationCode why) {
  sw_http *h = context;
  upload *u = *state;
  (void)why;
  if (u) free(u->data);
  free(u);
  *state = NULL;
  sw_guard_allow(h->guard, seat_of(c), h->o.read_seconds); /* the next one */
}

/* A connection came or went; the first request has so long from now. */
static void connected(void *context, struct MHD_Connection *c, void **seat,
                      enum MHD_ConnectionNotificationCode what) {
  sw_http *h = context;
  if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
    sw_guard_dismiss(h->guard, *seat);
    *seat = NULL;
    return;
  }
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
  *seat = info ? sw_guard_admit(h->guard, info->connect_fd) : NULL;
  sw_guard_allow(h->guard, *seat, h->o.read_seconds);
}

/* ---- the daemon ---- */

static int bound(sw_http *h, struct sockaddr_storage *place, socklen_t *size,
                 sw_err *err) {
  char port[16];
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_PASSIVE,
                           .ai_socktype = SOCK_STREAM},
                  *found;
  snprintf(port, sizeof port, "%d", h->o.port);
  if (getaddrinfo(h->o.address, port, &hints, &found)) {
    sw_fail(err, SW_USAGE, "`%s` is not an address to bind to", h->o.address);
    return sw_hint(err, "give a numeric address such as 127.0.0.1 or 0.0.0.0");
  }
  memcpy(place, found->ai_addr, found->ai_addrlen);
  *size = found->ai_addrlen;
  freeaddrinfo(found);
  return SW_OK;
}

int sw_http_start(sw_http **http, const sw_http_options *options, sw_err *err) {
  struct sockaddr_storage place;
  socklen_t size;
  *http = NULL;
  sw_http *h = calloc(1, sizeof *h);
  if (!h) return sw_no_memory(err);
  h->o = *options;
  snprintf(h->address, sizeof h->address, "%s", options->address);
  h->o.address = h->address; /* the caller's may go */
  int code = bound(h, &place, &size, err);
  if (!code)
    code = sw_guard_new(&h->guard, options->hard_at_once, options->hard_waiting,
                        err);
  if (!code) {
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD |
                     MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL;
    if (place.ss_family == AF_INET6) flags |= MHD_USE_IPv6;
    h->daemon = MHD_start_daemon(
        flags, (uint16_t)options->port, NULL, NULL, handle, h,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&place,
        MHD_OPTION_NOTIFY_COMPLETED, completed, h, MHD_OPTION_NOTIFY_CONNECTION,
        connected, h, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)options->connections, MHD_OPTION_CONNECTION_TIMEOUT, 30u,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)65536, MHD_OPTION_END);
    if (!h->daemon) {
      sw_fail(err, SW_IO, "cannot listen on %s port %d", options->address,
              options->port);
      code = sw_hint(err, "is another program using the port? try --port 0");
    }
  }
  if (code) {
    sw_guard_free(h->guard);
    free(h);
    return code;
  }
  const union MHD_DaemonInfo *info =
      MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_BIND_PORT);
  h->port = info ? (int)info->port : options->port;
  *http = h;
  return SW_OK;
}

int sw_http_port(const sw_http *http) { return http->port; }

void sw_http_stop(sw_http *http) {
  if (!http) return;
  atomic_store_explicit(&http->stopping, 1, memory_order_relaxed);
  sw_guard_stop(http->guard);
  MHD_stop_daemon(http->daemon);
  sw_guard_free(http->guard);
  free(http);
}
