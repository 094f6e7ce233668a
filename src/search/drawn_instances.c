/* Hashes of test instances (see drawn_instances.h). */
#include "search/drawn_instances.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *key_of(const sw_condition *c) {
  char *options = sw_domain_options_json(c->domain, &c->options), *key = NULL;
  size_t room = options ? strlen(options) + 120 : 0;
  if (options) key = malloc(room);
  if (key)
    snprintf(key, room, "%.40s %s %" PRIu64 " %d", c->domain->name, options,
             c->seed, (int)c->split);
  free(options);
  return key;
}

static int draw(sw_drawn_instances *d, const sw_condition *c, sw_err *err) {
  const sw_domain *domain = c->domain;
  sw_stream *stream;
  int code;
  d->hash = malloc(sizeof *d->hash * (size_t)(c->instances + 1));
  if (!d->hash) return sw_no_memory(err);
  SW_TRY(domain->stream_new(&stream, &c->options, c->seed, c->split, err));
  do {
    sw_instance *instance;
    code = domain->stream_next(stream, &instance, err);
    if (code) break;
    d->hash[d->count++] = domain->instance_hash(instance);
    domain->instance_free(instance);
  } while (d->count < c->instances);
  domain->stream_free(stream);
  return code;
}

int sw_drawn_instances_of(sw_drawn_instances *drawn, const sw_condition *c,
                          sw_err *err) {
  char *key = key_of(c);
  if (!key) return sw_no_memory(err);
  if (drawn->key && !strcmp(drawn->key, key) && drawn->count >= c->instances) {
    free(key);
    return SW_OK;
  }
  sw_drawn_instances_free(drawn);
  int code = draw(drawn, c, err);
  drawn->key = key;
  if (code) sw_drawn_instances_free(drawn);
  return code;
}

void sw_drawn_instances_free(sw_drawn_instances *drawn) {
  free(drawn->key);
  free(drawn->hash);
  memset(drawn, 0, sizeof *drawn);
}
