/* Reading what an environment's program replies: which members a reply to each
 * request has, with their types. A reply with anything else is an error that
 * shows request and reply. */
#ifndef SW_DOMAINS_OUTSIDE_REPLY_H
#define SW_DOMAINS_OUTSIDE_REPLY_H
#include <jansson.h>
#include <stdint.h>
#include "base/err.h"

typedef struct sw_request {
  const char *name; /* "hello", "new", "look", ... */
  int64_t id;       /* of the search */
} sw_request;

/* The reply to one line of `count` requests. One request has an object, several
 * have an array of as many. reply[i] belongs to *root; json_decref() that. */
int sw_reply_read_all(const sw_request *request, int count, const char *asked,
                      const char *line, size_t bytes, json_t **root,
                      json_t **reply, sw_err *err);

/* A list of texts as a NULL-terminated array in *list, which grows; NULL where
 * the member is not there. */
int sw_reply_texts(const json_t *value, const char ***list, int32_t *room,
                   sw_err *err);

#endif
