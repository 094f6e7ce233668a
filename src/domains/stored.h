/* Domain options as files keep them: the JSON object in the metadata of data
 * sets and weights (written by sw_domain_options_json). Read when a model is
 * opened and when records of a data set are made. */
#ifndef SW_DOMAINS_STORED_H
#define SW_DOMAINS_STORED_H
#include "domains/domain.h"

/* Owns the text that options point to. */
typedef struct sw_stored {
  char **text;
  int32_t count, room;
} sw_stored;

/* `options` at their defaults in; not resolved. `path` names the file in
 * errors. Every member must be a known option. */
int sw_stored_read(sw_stored *stored, const sw_domain *domain, const char *json,
                   const char *path, sw_domain_options *options, sw_err *err);
/* Wrong options in a file are the file's error, not the command line's: the
 * error names the file, and SW_USAGE becomes SW_DATA. */
int sw_stored_blame(int code, const char *path, sw_err *err);
void sw_stored_free(sw_stored *stored);

#endif
