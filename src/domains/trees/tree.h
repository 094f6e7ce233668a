/* Tree traversal: trees, their generators and their written forms
 * (docs/trees.md). A tree is a domain instance (sw_instance of this domain).
 * A written tree is its prefix `( root ( child ) ... )` followed by one trace:
 * the visit order in one of several encodings, which differ in how much of the
 * walk's state they repeat at each visit. Used by the domain table (trees.c),
 * by the metrics (probe/trees_metrics.c) and by the tests. */
#ifndef SW_DOMAINS_TREES_TREE_H
#define SW_DOMAINS_TREES_TREE_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/rng.h"
#include "domains/domain.h"
#include "domains/trees/trees_options.h"
#include "trace/trace.h"

/* One vocabulary for all tree experiments; node label x is token 16 + x. */
/* clang-format off */
#define SW_TREE_TOKENS(X)                                                    \
  X(PAD, "PAD") X(START, "START") X(FINISH, "FINISH") X(BFS, "BFS")          \
  X(DFS, "DFS") X(POSITION, "POSITION") X(PARENT, "PARENT")                  \
  X(OPTIONS, "OPTIONS") X(VISITED, "VISITED") X(COMMAND, "COMMAND")          \
  X(GOTO, "GOTO") X(BACKTRACK, "BACKTRACK") X(NONE, "NONE") X(OPEN, "(")     \
  X(CLOSE, ")") X(UNUSED, "UNUSED")
/* clang-format on */
enum {
#define X(id, text) SW_TREE_##id,
  SW_TREE_TOKENS(X)
#undef X
      SW_TREE_LABEL0 /* 16 */
};
enum {
  SW_TREE_MAX_NODES = 4096,
  SW_STAR_MAX_LEAVES = 128,   /* labels of leaves come from 1..128 */
  SW_TREE_TRAIN_COUNT = 50000 /* size of the training split */
};

/* Node 0 is the root (label 0 in generated trees). The children of v are the
 * consecutive nodes first_child[v] .. first_child[v] + children[v] - 1 in child
 * order, all greater than v. `walk` is set in the `cover` variant only: the
 * leaves of a star in the order in which they are entered. */
struct sw_instance {
  int32_t nodes;
  int32_t *label, *parent, *first_child, *children;
  int32_t *walk, walk_length;
};

/* A tree of `nodes` nodes without edges and labels (filled by the caller). */
sw_instance *sw_tree_alloc(int32_t nodes, int32_t walk_room);
void sw_tree_free(sw_instance *tree);

/* Generators, bit-exact by the published definitions. */
sw_instance *sw_tree_random(sw_mt *rng, int32_t nodes);
sw_instance *sw_tree_star(sw_mt *rng, int32_t leaves, int cover);
/* `( 0 ( 1 ) ( 2 ( 3 ) ) )`: labels are numbers, blanks optional. */
int sw_tree_parse(sw_instance **tree, const char *path, const char *text,
                  size_t bytes, sw_err *err);

typedef enum {
  SW_TREE_SIMPLE,
  SW_TREE_MID,
  SW_TREE_COPY,
  SW_TREE_VERBOSE
} sw_tree_encoding;
typedef struct sw_tree_format {
  sw_tree_encoding encoding;
  int32_t budget;    /* copy: children repeated at an internal node */
  int leaf_visited;  /* verbose: leaves show VISITED NONE */
  int cover;         /* the walk repeats and skips; labels not supervised */
  int breadth_first; /* level order instead of the depth-first walk */
} sw_tree_format;
/* Names: simple mid copy[B] verbose verbose-figure cover cover-mid cover-
 * copy[B] cover-verbose. The breadth-first order comes from the family, not
 * from the name. Returns 0, or -1 for an unknown name. */
int sw_tree_format_from_name(const char *name, sw_tree_format *format);

/* Tokens that the metrics look at. A policy token is the label of a child that
 * is entered, where it is chosen (none in `cover`, where the choice is random).
 * A return decision is made at every visit of an internal node that has a
 * visited child; `index` is the token that carries it. */
typedef enum {
  SW_TREE_POLICY,
  SW_TREE_CONTINUE,
  SW_TREE_RETURN
} sw_tree_mark_kind;
typedef struct sw_tree_mark {
  int32_t index; /* token index in the trace */
  int32_t kind;
  int32_t node; /* decisions: the node visited; policy: the child */
} sw_tree_mark;
typedef struct sw_tree_marks {
  sw_tree_mark *item; /* malloc'd, ascending index */
  int32_t count, room;
} sw_tree_marks;
void sw_tree_marks_free(sw_tree_marks *marks);

/* Writes prefix (block 0) and trace (block 1) into a cleared trace; `marks` may
 * be NULL. SW_MEMORY is the only failure. */
int sw_tree_write(const sw_instance *tree, const sw_tree_format *format,
                  sw_trace *trace, sw_tree_marks *marks, sw_err *err);
/* Which decision does `token` make at the carrying position of a decision at
 * `node`? SW_TREE_CONTINUE, SW_TREE_RETURN, or -1: neither. */
int sw_tree_decision_of(const sw_instance *tree, const sw_tree_format *format,
                        int32_t node, int32_t token);

extern const sw_domain sw_domain_trees;

#endif
