/* YAML as a bounded tree (see yaml.h), by libyaml's events. */
#include "base/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/text.h"

typedef struct reader {
  yaml_parser_t parser;
  yaml_event_t event;
  const char *name;
  sw_arena *arena;
  int nodes;
  sw_err *err;
} reader;

/* ---- errors ---- */

static int fail_at(sw_err *err, const char *name, int line, int column,
                   const char *format, va_list list) {
  char text[400];
  vsnprintf(text, sizeof text, format, list);
  return sw_fail(err, SW_DATA, "%s:%d:%d: %s", name, line, column, text);
}

int sw_yaml_fail(sw_err *err, const char *name, const sw_yaml *at,
                 const char *format, ...) {
  va_list list;
  va_start(list, format);
  int code = fail_at(err, name, at->line, at->column, format, list);
  va_end(list);
  return code;
}

int sw_yaml_fail_key(sw_err *err, const char *name, const sw_yaml *at,
                     const char *format, ...) {
  va_list list;
  va_start(list, format);
  int code = fail_at(err, name, at->key ? at->key_line : at->line,
                     at->key ? at->key_column : at->column, format, list);
  va_end(list);
  return code;
}

__attribute__((format(printf, 3, 4))) static int fail_mark(reader *r,
                                                           yaml_mark_t mark,
                                                           const char *format,
                                                           ...) {
  va_list list;
  va_start(list, format);
  int code = fail_at(r->err, r->name, (int)mark.line + 1, (int)mark.column + 1,
                     format, list);
  va_end(list);
  return code;
}

static int out_of_memory(const reader *r) {
  return sw_no_memory_for(r->err, "%s", r->name);
}

/* ---- events ---- */

static int next(reader *r) {
  if (yaml_parser_parse(&r->parser, &r->event)) return SW_OK;
  const yaml_parser_t *p = &r->parser;
  if (p->error == YAML_MEMORY_ERROR) return out_of_memory(r);
  if (p->error == YAML_READER_ERROR)
    return sw_fail(r->err, SW_DATA, "%s: byte %zu is not text (%s)", r->name,
                   p->problem_offset, p->problem ? p->problem : "unreadable");
  fail_mark(r, p->problem_mark, "%s%s%s", p->problem ? p->problem : "no YAML",
            p->context ? ", " : "", p->context ? p->context : "");
  return sw_hint(r->err,
                 "texts with `: `, `#`, `{` or `[` need quotes; tabs "
                 "do not indent");
}

static int refuse_mark(reader *r, const yaml_char_t *anchor,
                       const yaml_char_t *tag) {
  if (anchor) {
    fail_mark(r, r->event.start_mark, "anchors (&%.40s) are not read here",
              (const char *)anchor);
    return sw_hint(r->err, "write it out; `matrix:` makes many of one");
  }
  if (!tag) return SW_OK;
  fail_mark(r, r->event.start_mark, "tags (%.40s) are not read here",
            (const char *)tag);
  return sw_hint(r->err, "every value is text, which its option reads");
}

static sw_yaml *new_node(reader *r, sw_yaml_kind kind) {
  if (++r->nodes > SW_YAML_NODES) {
    fail_mark(r, r->event.start_mark, "more than %d values",
              (int)SW_YAML_NODES);
    return NULL;
  }
  sw_yaml *n = SW_ARENA_NEW(r->arena, sw_yaml, 1);
  if (!n) {
    out_of_memory(r);
    return NULL;
  }
  n->kind = kind;
  n->line = (int)r->event.start_mark.line + 1;
  n->column = (int)r->event.start_mark.column + 1;
  return n;
}

/* The event's scalar as text of the arena; NULL: err is filled. */
static char *text_of(reader *r) {
  const char *value = (const char *)r->event.data.scalar.value;
  size_t length = r->event.data.scalar.length;
  if (memchr(value, 0, length)) {
    fail_mark(r, r->event.start_mark, "a text with a NUL character");
    return NULL;
  }
  char *text = sw_arena_strdup(r->arena, value);
  if (!text) out_of_memory(r);
  return text;
}

static int read_node(reader *r, sw_yaml **node, int depth);

static int check_key(reader *r, const sw_yaml *map, const char *key) {
  const sw_yaml *there = sw_yaml_member(map, key);
  if (!there) return SW_OK;
  fail_mark(r, r->event.start_mark, "`%.60s` comes twice", key);
  return sw_hint(r->err, "it stands in line %d already", there->key_line);
}

/* A member's key; r->event is its first event, deleted by the caller. */
static int read_key(reader *r, const sw_yaml *map, sw_yaml *key) {
  if (r->event.type != YAML_SCALAR_EVENT)
    return fail_mark(r, r->event.start_mark, "a key is one word");
  SW_TRY(refuse_mark(r, r->event.data.scalar.anchor, r->event.data.scalar.tag));
  key->key = text_of(r);
  if (!key->key) return r->err ? r->err->code : SW_DATA;
  key->key_line = (int)r->event.start_mark.line + 1;
  key->key_column = (int)r->event.start_mark.column + 1;
  return check_key(r, map, key->key);
}

/* Events up to the one that ends the list or map. */
static int read_children(reader *r, sw_yaml *parent, int depth) {
  int ends = parent->kind == SW_YAML_MAP ? YAML_MAPPING_END_EVENT
                                         : YAML_SEQUENCE_END_EVENT;
  sw_yaml **last = &parent->first;
  for (;;) {
    sw_yaml key = {.key = NULL}, *child = NULL;
    SW_TRY(next(r));
    int done = (int)r->event.type == ends;
    int code = SW_OK;
    if (!done && parent->kind == SW_YAML_MAP) {
      code = read_key(r, parent, &key);
      yaml_event_delete(&r->event);
      if (!code) code = next(r);
      if (code) return code;
    }
    if (!done) code = read_node(r, &child, depth + 1);
    yaml_event_delete(&r->event);
    if (done || code) return code;
    child->key = key.key;
    child->key_line = key.key_line;
    child->key_column = key.key_column;
    *last = child;
    last = &child->next;
    parent->count++;
  }
}

static int read_list(reader *r, sw_yaml_kind kind, sw_yaml **node, int depth) {
  *node = new_node(r, kind);
  if (!*node) return r->err ? r->err->code : SW_DATA;
  if (depth >= SW_YAML_DEPTH)
    return fail_mark(r, r->event.start_mark, "nested deeper than %d",
                     (int)SW_YAML_DEPTH);
  yaml_event_delete(&r->event);
  return read_children(r, *node, depth);
}

/* Of the event at hand, which the caller deletes. */
static int read_node(reader *r, sw_yaml **node, int depth) {
  const yaml_event_t *e = &r->event;
  switch (e->type) {
    case YAML_SCALAR_EVENT:
      SW_TRY(refuse_mark(r, e->data.scalar.anchor, e->data.scalar.tag));
      *node = new_node(r, SW_YAML_TEXT);
      if (*node) (*node)->text = text_of(r);
      return *node && (*node)->text ? SW_OK : r->err ? r->err->code : SW_DATA;
    case YAML_MAPPING_START_EVENT:
      SW_TRY(refuse_mark(r, e->data.mapping_start.anchor,
                         e->data.mapping_start.tag));
      return read_list(r, SW_YAML_MAP, node, depth);
    case YAML_SEQUENCE_START_EVENT:
      SW_TRY(refuse_mark(r, e->data.sequence_start.anchor,
                         e->data.sequence_start.tag));
      return read_list(r, SW_YAML_LIST, node, depth);
    case YAML_ALIAS_EVENT:
      fail_mark(r, e->start_mark, "aliases (*%.40s) are not read here",
                (const char *)e->data.alias.anchor);
      return sw_hint(r->err, "write it out; `matrix:` makes many of one");
    default:
      return fail_mark(r, e->start_mark, "a value is missing");
  }
}

/* ---- a document ---- */

static int skip(reader *r, yaml_event_type_t type, const char *what) {
  SW_TRY(next(r));
  int found = r->event.type == type;
  yaml_mark_t mark = r->event.start_mark;
  yaml_event_delete(&r->event);
  return found ? SW_OK : fail_mark(r, mark, "%s", what);
}

static int read_all(reader *r, sw_yaml **root) {
  SW_TRY(skip(r, YAML_STREAM_START_EVENT, "no YAML"));
  SW_TRY(skip(r, YAML_DOCUMENT_START_EVENT, "an empty file"));
  SW_TRY(next(r));
  int code = read_node(r, root, 0);
  yaml_event_delete(&r->event);
  if (code) return code;
  SW_TRY(skip(r, YAML_DOCUMENT_END_EVENT, "the document does not end"));
  return skip(r, YAML_STREAM_END_EVENT, "a second document begins here");
}

int sw_yaml_read(sw_yaml **root, const char *name, const char *bytes,
                 size_t count, sw_arena *arena, sw_err *err) {
  sw_err own = {0};
  reader r = {.name = name, .arena = arena, .err = err ? err : &own};
  *root = NULL;
  if (count > SW_YAML_BYTES)
    return sw_fail(err, SW_LIMIT, "%s: larger than %d bytes", name,
                   (int)SW_YAML_BYTES);
  if (!yaml_parser_initialize(&r.parser)) return out_of_memory(&r);
  yaml_parser_set_input_string(&r.parser, (const unsigned char *)bytes, count);
  yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
  int code = read_all(&r, root);
  yaml_parser_delete(&r.parser);
  return code;
}

const sw_yaml *sw_yaml_member(const sw_yaml *map, const char *key) {
  for (const sw_yaml *n = map->first; n; n = n->next)
    if (n->key && !strcmp(n->key, key)) return n;
  return NULL;
}
