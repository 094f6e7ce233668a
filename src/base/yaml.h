/* YAML read as a bounded tree of text: what a person writes into a file of
 * settings. Every scalar is text, whatever it looks like; the tables that take
 * it decide. Anchors, aliases, tags, a key that comes twice and a second
 * document are errors, and so is more than the limits below. Nodes know their
 * line and column, from 1, so that every later error can name them. */
#ifndef SW_BASE_YAML_H
#define SW_BASE_YAML_H
#include "base/arena.h"
#include "base/err.h"

enum {
  SW_YAML_BYTES = 1 << 20, /* of a file */
  SW_YAML_NODES = 60000,
  SW_YAML_DEPTH = 12
};

typedef enum { SW_YAML_TEXT, SW_YAML_MAP, SW_YAML_LIST } sw_yaml_kind;
typedef struct sw_yaml {
  sw_yaml_kind kind;
  int line, column; /* of the value */
  const char *key;  /* of a member of a map; NULL elsewhere */
  int key_line, key_column;
  const char *text;      /* SW_YAML_TEXT */
  int count;             /* children */
  struct sw_yaml *first; /* child */
  struct sw_yaml *next;  /* of the same parent */
} sw_yaml;

/* *root lives in the arena. `name` is the file's, for errors. An empty file is
 * one. */
int sw_yaml_read(sw_yaml **root, const char *name, const char *bytes,
                 size_t count, sw_arena *arena, sw_err *err);
/* The member of a map, or NULL. */
const sw_yaml *sw_yaml_member(const sw_yaml *map, const char *key);

/* "NAME:LINE:COLUMN: ..." of a node, or of its key; SW_DATA. */
int sw_yaml_fail(sw_err *err, const char *name, const sw_yaml *at,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));
int sw_yaml_fail_key(sw_err *err, const char *name, const sw_yaml *at,
                     const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
