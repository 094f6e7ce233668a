/* A trained model with everything it needs to run: weights, domain, domain
 * options, mask and positions, as `train` wrote them into the metadata of
 * model.safetensors. A path may be the file or its directory. */
#ifndef SW_SEARCH_LOADED_H
#define SW_SEARCH_LOADED_H
#include "base/safetensors.h"
#include "domains/domain.h"
#include "domains/stored.h"
#include "model/family.h"

typedef struct sw_loaded {
  sw_net *model;
  const sw_domain *domain;
  sw_domain_options options; /* resolved */
  sw_reading reading;
  char label[64]; /* the mask's name, or the metadata's `label`, cleaned */
  char path[1024];
  sw_st_file *file;
  sw_stored stored; /* owns option text */
} sw_loaded;

/* The weight file that a path means: itself, or model.safetensors in it. */
int sw_model_path(const char *path, char *file, size_t room, sw_err *err);
int sw_loaded_open(sw_loaded *loaded, const char *path, sw_err *err);
void sw_loaded_close(sw_loaded *loaded);
/* The reading under another mask and other positions (NULL: its own), as
 * --eval-mask asks for; SW_USAGE for models that read no tokens. */
int sw_loaded_reading(const sw_loaded *loaded, const char *mask,
                      const char *positions, sw_reading *reading, sw_err *err);
/* The models that come with the program. A package may leave some out, so each
 * says how it is made again. The first of a domain has the domain's name. */
typedef struct sw_shipped {
  const char *name, *domain;
  const char *preset; /* `statewise train --preset`; NULL: not one command */
} sw_shipped;
extern const sw_shipped sw_shipped_models[];
extern const int sw_shipped_count;
/* Where the shipped model of a domain is: $STATEWISE_MODELS, models/ beside
 * the program, or the installed share directory. */
int sw_shipped_model(const char *domain, char *path, size_t room, sw_err *err);

#endif
