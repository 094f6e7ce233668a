/* Presets: a data set and training options in one word, as data. A preset's
 * data set is produced once into out/data and shared by every mask trained on
 * it; options given on the command line come before the preset's. A preset that
 * trains a verdict (`verify`) has judged traces (gen --viability). */
#ifndef SW_TRAIN_PRESET_H
#define SW_TRAIN_PRESET_H
#include "train/config.h"
#include "domains/produce.h"

typedef struct sw_preset {
  const char *name, *summary;
  const char *domain;
  const char *const *domain_settings; /* name, value, ..., NULL */
  int64_t traces;
  const char *const *train_settings;
} sw_preset;

extern const sw_preset sw_presets[];
extern const int sw_preset_count;
const sw_preset *sw_preset_find(const char *name); /* NULL: unknown */
/* Further ones, found too, up to one without a name; NULL: none. */
void sw_presets_use(const sw_preset *more);

/* Sets the training options that `given` (one byte an option, may be NULL)
 * does not mark, and where the data set is. */
int sw_preset_apply(const char *name, const unsigned char *given,
                    sw_train_options *options, char *data, size_t room,
                    sw_err *err);
/* The domain of a preset and its options, resolved. */
int sw_preset_task(const sw_preset *preset, const sw_domain **domain,
                   sw_domain_options *options, sw_err *err);
/* Produces the data set at `path` unless it is there already (SW_DATA: made by
 * other options than the preset's). `over` (or NULL) names the writer of the
 * traces and the sets that come first. */
int sw_preset_data(const sw_preset *preset, const char *path, uint64_t seed,
                   const sw_produce_options *over,
                   const sw_produce_hooks *hooks, sw_err *err);
/* Name, value pairs into any option table, except those marked as given. */
int sw_apply_settings(const sw_option *table, int count,
                      const char *const *settings, const unsigned char *given,
                      void *values, sw_err *err);

#endif
