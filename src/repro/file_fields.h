/* Members of a map in an experiment's file, read by a table. Inside src/repro
 * only (experiment_file.h). */
#ifndef SW_REPRO_FILE_FIELDS_H
#define SW_REPRO_FILE_FIELDS_H
#include "base/options.h"
#include "base/yaml.h"
#include "repro/experiment_file.h"
#include "search/question.h"

typedef struct sw_file_reader {
  sw_experiment_file *file;
  const char *name;
  int copies; /* of nodes, made by sweeps */
  sw_err *err;
} sw_file_reader;

typedef enum {
  SW_FIELD_TEXT,
  SW_FIELD_INT, /* 0 or more */
  SW_FIELD_REAL,
  SW_FIELD_FLAG,
  SW_FIELD_CHOICE,   /* of "a|b" */
  SW_FIELD_SEARCH,   /* settings as text "name=value ...": of a search, */
  SW_FIELD_TASK,     /* of a domain, */
  SW_FIELD_TRAINING, /* of training; */
  SW_FIELD_SETTINGS, /* of who reads them without a table */
  SW_FIELD_OTHER     /* read by its own function */
} sw_field_kind;

typedef struct sw_field {
  const char *key;
  sw_field_kind kind;
  size_t offset;
  const char *choices;
  int required;
} sw_field;

/* Every member is a field of the table and is set in `out`. */
int sw_fields_read(sw_file_reader *r, const sw_yaml *map, const sw_field *field,
                   int count, void *out);
int sw_field_map(sw_file_reader *r, const sw_yaml *node);
int sw_field_list(sw_file_reader *r, const sw_yaml *node);
int sw_field_text(sw_file_reader *r, const sw_yaml *node, const char **text);
/* A text or a map with `small` and `paper`; found[i] NULL: not there. */
int sw_field_scales(sw_file_reader *r, const sw_yaml *node,
                    const sw_yaml *found[SW_SCALES]);
/* A map, or a list of maps of which later ones lie over earlier ones. */
int sw_field_settings(sw_file_reader *r, const sw_yaml *node,
                      const sw_question_table *table, int tables,
                      const char **text);
int sw_field_number(sw_file_reader *r, const sw_yaml *node, int whole,
                    double *number);

/* "there is no WHAT `NAME`" with the nearest of the names as a hint. */
int sw_field_unknown(sw_file_reader *r, const sw_yaml *node, int key,
                     const char *what, const char *name,
                     const char *const *names, int count);

/* file_matrix.c: a list with every entry that has a `matrix:` replaced by one
 * entry for each combination of its values. */
int sw_file_expand(sw_file_reader *r, sw_yaml *list);

/* The experiment being filled; the same arrays as its own, not const. */
typedef struct sw_file_maker {
  sw_file_reader *r;
  sw_experiment *e;
  sw_repro_column *column;
  sw_repro_row *row;
} sw_file_maker;

/* file_experiment.c: memory of the file's, zeroed, with one more at the end. */
void *sw_file_make(sw_file_maker *m, size_t bytes, size_t count);
int sw_file_memory(const sw_file_maker *m); /* there is none */
/* What a node names: a column's index, a row's id, columns as bits. */
int sw_file_column(sw_file_maker *m, const sw_yaml *node, int *at);
int sw_file_row(sw_file_maker *m, const sw_yaml *node, const char **id);
int sw_file_columns(sw_file_maker *m, const sw_yaml *list, unsigned *bits);
int sw_file_comparisons(sw_file_maker *m, const sw_yaml *root);

/* file_models.c, file_experiment.c */
int sw_file_models(sw_file_reader *r, sw_yaml *list);
int sw_file_experiment(sw_file_reader *r, sw_yaml *root);

#endif
