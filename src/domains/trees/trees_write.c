/* Written forms of a tree: prefix, and one trace per encoding, with the places
 * that carry a choice of child (policy) or a return decision (verification).
 * The walk is first laid out as a list of visits; the encodings then differ
 * only in the record they write at each visit. */
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "domains/trees/tree.h"

typedef struct writer {
  const sw_instance *tree;
  const sw_tree_format *format;
  sw_trace *trace;
  sw_tree_marks *marks; /* or NULL */
  int32_t *visit, visits;
  /* Visited children of v, oldest first: done[first_child[v] + 0..count-1]. */
  int32_t *done, *done_count;
  int32_t *cursor; /* children of v already handled by the layout walk */
  int failed;
} writer;

static int32_t label_token(const sw_instance *tree, int32_t node) {
  return node < 0 ? SW_TREE_NONE : SW_TREE_LABEL0 + tree->label[node];
}

static void put(writer *w, int32_t token) { sw_trace_put(w->trace, token, 1); }

/* Marks the token `ahead` places after the end of what is written. */
static void mark(writer *w, int32_t ahead, int32_t kind, int32_t node) {
  sw_tree_marks *marks = w->marks;
  if (!marks) return;
  if (!sw_grow(&marks->item, &marks->room, marks->count + 1,
               sizeof *marks->item)) {
    w->failed = 1;
    return;
  }
  sw_tree_mark *m = &marks->item[marks->count++];
  m->index = (int32_t)w->trace->length + ahead;
  m->kind = kind;
  m->node = node;
}

/* Lays out the visits: a depth-first walk in child order, the given leaves of
 * a star with the root in between, or level order. */
static void lay_out_visits(writer *w) {
  const sw_instance *t = w->tree;
  int32_t count = 0;
  if (w->format->breadth_first) {
    w->visit[count++] = 0;
    for (int32_t i = 0; i < count; i++)
      for (int32_t c = 0; c < t->children[w->visit[i]]; c++)
        w->visit[count++] = t->first_child[w->visit[i]] + c;
  } else if (w->format->cover) {
    w->visit[count++] = 0;
    for (int32_t i = 0; i < t->walk_length; i++) {
      w->visit[count++] = t->walk[i];
      w->visit[count++] = 0;
    }
  } else {
    for (int32_t v = 0; v >= 0;) {
      w->visit[count++] = v;
      v = w->cursor[v] < t->children[v] ? t->first_child[v] + w->cursor[v]++
                                        : t->parent[v];
    }
  }
  w->visits = count;
}

static void write_prefix(writer *w) {
  const sw_instance *t = w->tree;
  memset(w->cursor, 0, (size_t)t->nodes * sizeof *w->cursor);
  for (int32_t v = 0; v >= 0;) {
    if (w->cursor[v] == 0) {
      sw_trace_put(w->trace, SW_TREE_OPEN, 0);
      sw_trace_put(w->trace, label_token(t, v), 0);
    }
    if (w->cursor[v] < t->children[v]) {
      v = t->first_child[v] + w->cursor[v]++;
    } else {
      sw_trace_put(w->trace, SW_TREE_CLOSE, 0);
      v = t->parent[v];
    }
  }
}

/* A child enters its parent's list of visited children at its first visit. */
static void note_visit(writer *w, int32_t node) {
  int32_t v = w->tree->parent[node];
  if (v < 0) return;
  int32_t *list = w->done + w->tree->first_child[v];
  for (int32_t i = 0; i < w->done_count[v]; i++)
    if (list[i] == node) return;
  list[w->done_count[v]++] = node;
}

static void put_list(writer *w, int32_t name, const int32_t *node,
                     int32_t count) {
  put(w, name);
  for (int32_t i = 0; i < count; i++) put(w, label_token(w->tree, node[i]));
  if (count == 0) put(w, SW_TREE_NONE);
}

static void put_options(writer *w, int32_t v) {
  const sw_instance *t = w->tree;
  put(w, SW_TREE_OPTIONS);
  for (int32_t c = 0; c < t->children[v]; c++)
    put(w, label_token(t, t->first_child[v] + c));
  if (t->children[v] == 0) put(w, SW_TREE_NONE);
}

/* POSITION and label; the label of a child that is chosen here is a policy
 * token, or unsupervised where the choice is random. */
static void put_position(writer *w, int32_t i) {
  int32_t v = w->visit[i];
  int chosen_here =
      i > 0 && w->format->encoding != SW_TREE_VERBOSE &&
      (w->format->breadth_first || w->tree->parent[v] == w->visit[i - 1]);
  put(w, SW_TREE_POSITION);
  if (chosen_here && !w->format->cover) mark(w, 0, SW_TREE_POLICY, v);
  sw_trace_put(w->trace, label_token(w->tree, v),
               !(chosen_here && w->format->cover));
}

/* The rest of the record at a visit of v, up to the token that decides. */
static void put_record(writer *w, int32_t v) {
  const int32_t *done = w->done + w->tree->first_child[v];
  int32_t count = w->done_count[v], leaf = w->tree->children[v] == 0;
  switch (w->format->encoding) {
    case SW_TREE_SIMPLE:
      break;
    case SW_TREE_MID:
      put(w, SW_TREE_PARENT);
      put(w, label_token(w->tree, w->tree->parent[v]));
      break;
    case SW_TREE_COPY:
      for (int32_t i = count - w->format->budget; !leaf && i < count; i++)
        put(w, i < 0 ? SW_TREE_NONE : label_token(w->tree, done[i]));
      break;
    case SW_TREE_VERBOSE:
      put_options(w, v);
      if (!leaf || w->format->leaf_visited)
        put_list(w, SW_TREE_VISITED, done, count);
      break;
  }
}

/* The record is written: marks the decision, if this visit makes one. */
static void mark_decision(writer *w, int32_t v) {
  if (w->tree->children[v] == 0 || w->done_count[v] == 0 ||
      w->format->breadth_first)
    return;
  int32_t kind = w->done_count[v] == w->tree->children[v] ? SW_TREE_RETURN
                                                          : SW_TREE_CONTINUE;
  /* At the root the next token itself decides (going on or FINISH); elsewhere
   * it is the one after POSITION or COMMAND. */
  mark(w, v == 0 ? 0 : 1, kind, v);
}

static void put_command(writer *w, int32_t v, int32_t next) {
  put(w, SW_TREE_COMMAND);
  if (w->tree->parent[next] != v) {
    put(w, SW_TREE_BACKTRACK);
    return;
  }
  put(w, SW_TREE_GOTO);
  if (!w->format->cover) mark(w, 0, SW_TREE_POLICY, next);
  sw_trace_put(w->trace, label_token(w->tree, next), !w->format->cover);
}

static void write_visits(writer *w) {
  int verbose = w->format->encoding == SW_TREE_VERBOSE;
  sw_trace_put(w->trace, SW_TREE_START, 0);
  sw_trace_put(w->trace, w->format->breadth_first ? SW_TREE_BFS : SW_TREE_DFS,
               0);
  for (int32_t i = 0; i < w->visits; i++) {
    int32_t v = w->visit[i];
    note_visit(w, v);
    put_position(w, i);
    put_record(w, v);
    mark_decision(w, v);
    if (verbose && i + 1 < w->visits) put_command(w, v, w->visit[i + 1]);
  }
  put(w, SW_TREE_FINISH);
}

static void count_decisions(const writer *w) {
  sw_trace *t = w->trace;
  t->n = w->tree->nodes;
  t->terminal = SW_TRACE_SOLVED;
  t->decisions = t->conflicts = 0;
  for (int32_t i = 0; w->marks && i < w->marks->count; i++) {
    t->decisions += w->marks->item[i].kind != SW_TREE_POLICY;
    t->conflicts += w->marks->item[i].kind == SW_TREE_RETURN;
  }
}

int sw_tree_write(const sw_instance *tree, const sw_tree_format *format,
                  sw_trace *trace, sw_tree_marks *marks, sw_err *err) {
  size_t n = (size_t)tree->nodes;
  size_t visits = 2 * n + 2 * (size_t)tree->walk_length + 1;
  writer w = {tree, format, trace, marks, NULL, 0, NULL, NULL, NULL, 0};
  w.visit = calloc(visits + 3 * n, sizeof *w.visit);
  if (!w.visit) return sw_no_memory_for(err, "a tree's visits");
  w.done = w.visit + visits;
  w.done_count = w.done + n;
  w.cursor = w.done_count + n;
  if (marks) marks->count = 0;
  lay_out_visits(&w);
  sw_trace_begin_block(trace);
  write_prefix(&w);
  sw_trace_begin_block(trace);
  write_visits(&w);
  count_decisions(&w);
  free(w.visit);
  if (w.failed || trace->failed) return sw_no_memory_for(err, "a tree's trace");
  return 0;
}

void sw_tree_marks_free(sw_tree_marks *marks) {
  free(marks->item);
  memset(marks, 0, sizeof *marks);
}

int sw_tree_decision_of(const sw_instance *tree, const sw_tree_format *format,
                        int32_t node, int32_t token) {
  int verbose = format->encoding == SW_TREE_VERBOSE;
  if (node == 0) {
    if (token == SW_TREE_FINISH) return SW_TREE_RETURN;
    return token == (verbose ? SW_TREE_COMMAND : SW_TREE_POSITION)
               ? SW_TREE_CONTINUE
               : -1;
  }
  if (verbose)
    return token == SW_TREE_GOTO        ? SW_TREE_CONTINUE
           : token == SW_TREE_BACKTRACK ? SW_TREE_RETURN
                                        : -1;
  if (token == label_token(tree, tree->parent[node])) return SW_TREE_RETURN;
  for (int32_t c = 0; c < tree->children[node]; c++)
    if (token == label_token(tree, tree->first_child[node] + c))
      return SW_TREE_CONTINUE;
  return -1;
}
