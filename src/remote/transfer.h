/* One HTTP transfer over libcurl. Redirections are not followed (they would
 * take the key along), http goes past the proxy of the environment (which would
 * read it), only http and https are spoken, and a reply may have at most 16
 * MiB. A key that the other side repeats is taken out of its reply. Inside
 * src/remote. */
#ifndef SW_REMOTE_TRANSFER_H
#define SW_REMOTE_TRANSFER_H
#include <stddef.h>
#include "base/err.h"

typedef struct sw_buffer {
  char *data; /* malloc'd, NUL-terminated; reused by the next transfer */
  size_t bytes, room;
  int too_large, no_memory; /* why the last one was cut off */
} sw_buffer;

typedef struct sw_transfer {
  double timeout;      /* seconds, in */
  int (*stop)(void *); /* in, or NULL: asked with NULL; 1 ends the transfer */
  long status;         /* HTTP status; 0: there was none */
  double retry_after;  /* seconds; 0: not said */
  char trouble[256];   /* status 0: what happened */
} sw_transfer;

/* Replaces the key wherever it stands in a text, also with characters written
 * as JSON escapes. A key shorter than SW_KEY_LEAST is no secret (`EMPTY`). */
enum { SW_KEY_LEAST = 8 };
void sw_redact(char *text, size_t *bytes, const char *key);

typedef struct sw_wire sw_wire; /* a connection, kept alive */
int sw_wire_new(sw_wire **wire, const char *key, sw_err *err);
void sw_wire_free(sw_wire *wire);
/* SW_OK whatever the other side did (see sw_transfer); SW_MEMORY; SW_STOPPED;
 * SW_USAGE: not an address. */
int sw_wire_post(sw_wire *wire, const char *url, const char *body,
                 sw_buffer *reply, sw_transfer *transfer, sw_err *err);
int sw_wire_get(sw_wire *wire, const char *url, sw_buffer *reply,
                sw_transfer *transfer, sw_err *err);

#endif
