/* Tree generators and the reader of the parenthesised form. The order of the
 * random draws is part of the definition (docs/trees.md): the tests compare
 * digests, so a draw must never be added, dropped or moved. */
#include <stdlib.h>
#include <string.h>
#include "domains/trees/tree.h"

static const double repeat_share = 0.3; /* `cover`: chance of a repeat visit */

sw_instance *sw_tree_alloc(int32_t nodes, int32_t walk_room) {
  size_t n = (size_t)nodes, ints = 4 * n + (size_t)walk_room;
  sw_instance *tree = calloc(1, sizeof *tree + ints * sizeof(int32_t));
  if (!tree) return NULL;
  tree->nodes = nodes;
  tree->label = (int32_t *)(void *)(tree + 1);
  tree->parent = tree->label + n;
  tree->first_child = tree->parent + n;
  tree->children = tree->first_child + n;
  tree->walk = walk_room > 0 ? tree->children + n : NULL;
  tree->parent[0] = -1;
  return tree;
}

void sw_tree_free(sw_instance *tree) { free(tree); }

/* Draws how many children the next node gets: uniform over the counts 2..4
 * that leave either nothing or at least two nodes for later. */
static int32_t draw_children(sw_mt *rng, int32_t remaining) {
  int32_t allowed[3], count = 0;
  for (int32_t c = 2; c <= 4; c++)
    if (c <= remaining && remaining - c != 1) allowed[count++] = c;
  return allowed[sw_mt_below(rng, (uint32_t)count)];
}

sw_instance *sw_tree_random(sw_mt *rng, int32_t nodes) {
  sw_instance *tree = sw_tree_alloc(nodes, 0);
  int32_t *leaf = calloc((size_t)nodes, sizeof *leaf); /* ascending */
  if (!tree || !leaf) {
    free(leaf);
    sw_tree_free(tree);
    return NULL;
  }
  int32_t leaves = 1, used = 1;
  while (used < nodes) {
    int32_t pick = (int32_t)sw_mt_below(rng, (uint32_t)leaves);
    int32_t v = leaf[pick], c = draw_children(rng, nodes - used);
    memmove(leaf + pick, leaf + pick + 1,
            (size_t)(leaves - pick - 1) * sizeof *leaf);
    leaves--;
    tree->first_child[v] = used;
    tree->children[v] = c;
    for (; c > 0; c--) {
      tree->parent[used] = v;
      leaf[leaves++] = used++;
    }
  }
  free(leaf);
  for (int32_t v = 1; v < nodes; v++) tree->label[v] = v;
  if (nodes > 1) sw_mt_shuffle_i32(rng, tree->label + 1, (size_t)nodes - 1);
  return tree;
}

/* The walk of the `cover` variant: unvisited leaves in random order, with
 * repeats of visited ones in between (at most as many as there are leaves). */
static void draw_cover_walk(sw_mt *rng, sw_instance *star) {
  int32_t unvisited[SW_STAR_MAX_LEAVES], visited[SW_STAR_MAX_LEAVES];
  int32_t k = star->nodes - 1, left = k, seen = 0, repeats = 0;
  for (int32_t i = 0; i < k; i++) unvisited[i] = i + 1;
  while (left > 0) {
    int32_t leaf;
    if (seen > 0 && repeats < k && sw_mt_random(rng) < repeat_share) {
      leaf = visited[sw_mt_below(rng, (uint32_t)seen)];
      repeats++;
    } else {
      uint32_t pick = sw_mt_below(rng, (uint32_t)left);
      leaf = unvisited[pick];
      left--;
      memmove(unvisited + pick, unvisited + pick + 1,
              ((size_t)left - pick) * sizeof *unvisited);
      visited[seen++] = leaf;
    }
    star->walk[star->walk_length++] = leaf;
  }
}

sw_instance *sw_tree_star(sw_mt *rng, int32_t leaves, int cover) {
  sw_instance *star = sw_tree_alloc(leaves + 1, cover ? 2 * leaves : 0);
  if (!star) return NULL;
  sw_mt_sample(rng, SW_STAR_MAX_LEAVES, leaves, star->label + 1);
  star->first_child[0] = 1;
  star->children[0] = leaves;
  for (int32_t v = 1; v <= leaves; v++) star->label[v]++; /* 1..128 */
  if (cover) draw_cover_walk(rng, star);
  return star;
}

/* ---- the parenthesised form ---- */

typedef struct reader {
  const char *path, *text;
  size_t at, bytes;
  int line;
} reader;

static int next_char(reader *r) {
  while (r->at < r->bytes && strchr(" \t\r\n", r->text[r->at]) &&
         r->text[r->at]) {
    r->line += r->text[r->at] == '\n';
    r->at++;
  }
  return r->at < r->bytes ? (unsigned char)r->text[r->at] : -1;
}

static int read_label(reader *r, int32_t *label, sw_err *err) {
  int c = next_char(r);
  if (c < '0' || c > '9')
    return sw_fail(err, SW_DATA, "%s:%d: expected a node label", r->path,
                   r->line);
  int32_t value = 0;
  while (r->at < r->bytes && r->text[r->at] >= '0' && r->text[r->at] <= '9') {
    value = value * 10 + (r->text[r->at++] - '0');
    if (value >= SW_TREE_MAX_NODES)
      return sw_fail(err, SW_LIMIT, "%s:%d: label above %d", r->path, r->line,
                     SW_TREE_MAX_NODES - 1);
  }
  *label = value;
  return 0;
}

/* Reads nodes in the order of the text: label and parent (text numbering). */
static int read_nodes(reader *r, int32_t *label, int32_t *parent,
                      int32_t *count, sw_err *err) {
  int32_t open = -1;
  *count = 0;
  for (;;) {
    int c = next_char(r);
    if (c == ')' && open >= 0) {
      r->at++;
      open = parent[open];
      if (open < 0) break;
    } else if (c == '(') {
      r->at++;
      if (*count == SW_TREE_MAX_NODES)
        return sw_fail(err, SW_LIMIT, "%s:%d: more than %d nodes", r->path,
                       r->line, SW_TREE_MAX_NODES);
      SW_TRY(read_label(r, &label[*count], err));
      parent[*count] = open;
      open = (*count)++;
    } else {
      return sw_fail(err, SW_DATA, "%s:%d: expected '(' or ')'", r->path,
                     r->line);
    }
  }
  if (next_char(r) >= 0)
    return sw_fail(err, SW_DATA, "%s:%d: text after the tree", r->path,
                   r->line);
  return 0;
}

/* Renumbers in level order, so that children become consecutive. */
static sw_instance *in_level_order(const int32_t *label, const int32_t *parent,
                                   int32_t count, int32_t *old_number) {
  sw_instance *tree = sw_tree_alloc(count, 0);
  if (!tree) return NULL;
  int32_t used = 1;
  old_number[0] = 0;
  for (int32_t v = 0; v < count; v++) {
    int32_t old = old_number[v];
    tree->label[v] = label[old];
    for (int32_t child = old + 1; child < count; child++) {
      if (parent[child] != old) continue;
      if (tree->children[v]++ == 0) tree->first_child[v] = used;
      tree->parent[used] = v;
      old_number[used++] = child;
    }
  }
  return tree;
}

static int check_labels(const reader *r, const int32_t *label, int32_t count,
                        sw_err *err) {
  unsigned char seen[SW_TREE_MAX_NODES] = {0};
  for (int32_t i = 0; i < count; i++) {
    if (seen[label[i]])
      return sw_fail(err, SW_DATA, "%s: label %d occurs twice", r->path,
                     label[i]);
    seen[label[i]] = 1;
  }
  return 0;
}

int sw_tree_parse(sw_instance **tree, const char *path, const char *text,
                  size_t bytes, sw_err *err) {
  reader r = {path, text, 0, bytes, 1};
  int32_t count = 0;
  int32_t *buffer = malloc(3 * SW_TREE_MAX_NODES * sizeof *buffer);
  *tree = NULL;
  if (!buffer) return sw_no_memory_for(err, "%s", path);
  int32_t *label = buffer, *parent = buffer + SW_TREE_MAX_NODES;
  int code = read_nodes(&r, label, parent, &count, err);
  if (!code) code = check_labels(&r, label, count, err);
  if (!code) {
    *tree =
        in_level_order(label, parent, count, buffer + 2 * SW_TREE_MAX_NODES);
    if (!*tree) code = sw_no_memory_for(err, "%s", path);
  }
  free(buffer);
  return code;
}
