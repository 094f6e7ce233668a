/* The domain table of tree traversal: options, instance streams with the
 * exclusion of training trees, traces. Trees have no search loop, so there is
 * no environment (env_new says so); models are judged by probe/trees_metrics.c.
 * No release code exists for trees: both presets mean the same here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/text.h"
#include "domains/resolve.h"
#include "domains/trees/tree.h"

static const char *const formats[] = {
    "simple",    "mid",        "copy",          "verbose",        "cover",
    "cover-mid", "cover-copy", "cover-verbose", "verbose-figure", NULL};
static const char *const families[] = {"dfs", "bfs", "star", NULL};
static const char *const experts[] = {"walk", NULL};

int sw_tree_format_from_name(const char *name, sw_tree_format *format) {
  memset(format, 0, sizeof *format);
  format->leaf_visited = 1;
  if (strncmp(name, "cover", 5) == 0) {
    format->cover = 1;
    name = name[5] == '\0' ? "simple" : name[5] == '-' ? name + 6 : "";
  }
  if (strcmp(name, "simple") == 0) {
    format->encoding = SW_TREE_SIMPLE;
  } else if (strcmp(name, "mid") == 0) {
    format->encoding = SW_TREE_MID;
  } else if (strncmp(name, "verbose", 7) == 0) {
    format->encoding = SW_TREE_VERBOSE;
    format->leaf_visited = strcmp(name + 7, "-figure") != 0;
    if (format->leaf_visited && name[7] != '\0') return -1;
  } else if (strncmp(name, "copy", 4) == 0) {
    char *end = NULL;
    long budget = name[4] ? strtol(name + 4, &end, 10) : 1;
    if ((end && *end) || !(name[4] == '\0' || sw_is_digit(name[4]))) return -1;
    if (budget < 1 || budget > SW_STAR_MAX_LEAVES) return -1;
    format->encoding = SW_TREE_COPY;
    format->budget = (int32_t)budget;
  } else {
    return -1;
  }
  return 0;
}

static int is_star(const sw_domain_options *o) {
  const char *family = sw_trees_own(o)->family;
  return family && strcmp(family, "star") == 0;
}

static int32_t vocab_size(const sw_domain_options *o) {
  return SW_TREE_LABEL0 + (is_star(o) ? SW_STAR_MAX_LEAVES + 1 : o->n);
}

static int resolve_size(sw_domain_options *o, sw_err *err) {
  sw_trees_options *own = sw_trees_own_edit(o);
  if (is_star(o)) {
    if (own->arity < 0) own->arity = o->n > 1 ? o->n - 1 : 16;
    if (own->arity < 1 || own->arity > SW_STAR_MAX_LEAVES)
      return sw_fail(err, SW_USAGE, "a star has 1 to %d leaves, not %d",
                     SW_STAR_MAX_LEAVES, own->arity);
    if (o->n >= 0 && o->n != own->arity + 1)
      return sw_fail(err, SW_USAGE,
                     "a star with %d leaves has %d nodes, not %d", own->arity,
                     own->arity + 1, o->n);
    o->n = own->arity + 1;
    return 0;
  }
  if (own->arity >= 0)
    return sw_fail(err, SW_USAGE, "--arity needs --family star, not %s",
                   own->family);
  if (o->n < 0) o->n = 20;
  if (o->n < 3)
    return sw_fail(err, SW_USAGE,
                   "a tree whose nodes have 2 to 4 children needs at least 3 "
                   "nodes, not %d",
                   o->n);
  return 0;
}

static int resolve(sw_domain_options *o, sw_err *err) {
  sw_tree_format format;
  sw_trees_options *own = sw_trees_own_edit(o);
  if (!o->format || !*o->format) o->format = formats[0];
  if (sw_tree_format_from_name(o->format, &format)) {
    sw_fail(err, SW_USAGE, "trees have no format '%s'", o->format);
    sw_hint(err,
            "formats: simple mid copy[B] verbose verbose-figure cover "
            "cover-mid cover-copy[B] cover-verbose");
    return SW_USAGE;
  }
  SW_TRY(sw_resolve_text(&own->family, "trees", "family", families,
                         own->arity >= 0 || format.cover ? "star" : "dfs",
                         err));
  if (format.cover && !is_star(o))
    return sw_fail(err, SW_USAGE, "format %s needs --family star", o->format);
  if (strcmp(own->family, "bfs") == 0 && strcmp(o->format, "simple"))
    return sw_fail(err, SW_USAGE, "family bfs has only the format simple");
  SW_TRY(resolve_size(o, err));
  SW_TRY(
      sw_resolve_text(&o->expert, "trees", "expert", experts, experts[0], err));
  if (o->exclude < 0) o->exclude = SW_TREE_TRAIN_COUNT;
  if (o->max_tokens < 0) o->max_tokens = 0;
  if (o->max_blocks < 0) o->max_blocks = 0;
  if (!o->too_long || !*o->too_long) o->too_long = "drop";
  if (strcmp(o->too_long, "drop"))
    return sw_fail(err, SW_USAGE,
                   "a tree's trace is one block: it can be dropped, not cut");
  return 0;
}

/* ---- streams ---- */

struct sw_stream {
  sw_mt rng;
  int32_t nodes, star, cover;
  sw_hashset left_out; /* training trees, in the other splits */
};

/* Hash of the prefix: labels and child counts in preorder, so that two trees
 * grown in a different order but written alike are the same tree. */
static uint64_t instance_hash(const sw_instance *tree) {
  int32_t row[2 * SW_TREE_MAX_NODES], count = 0;
  for (int32_t v = 0; v >= 0;) {
    row[count++] = tree->label[v];
    row[count++] = tree->children[v];
    if (tree->children[v] > 0) {
      v = tree->first_child[v];
      continue;
    }
    int32_t p = tree->parent[v]; /* up to the first node with a next sibling */
    while (p >= 0 && v + 1 == tree->first_child[p] + tree->children[p]) {
      v = p;
      p = tree->parent[v];
    }
    v = p < 0 ? -1 : v + 1;
  }
  return sw_xxh64(row, (size_t)count * sizeof *row, 0);
}

static sw_instance *draw(sw_stream *s) {
  return s->star ? sw_tree_star(&s->rng, s->nodes - 1, s->cover)
                 : sw_tree_random(&s->rng, s->nodes);
}

static void stream_free(sw_stream *s) {
  if (s) sw_hashset_free(&s->left_out);
  free(s);
}

static int stream_new(sw_stream **stream, const sw_domain_options *options,
                      uint64_t seed, sw_split split, sw_err *err) {
  sw_tree_format format;
  *stream = NULL;
  if (sw_tree_format_from_name(options->format, &format))
    return sw_fail(err, SW_USAGE, "trees have no format '%s'", options->format);
  sw_stream *s = calloc(1, sizeof *s);
  if (!s) return sw_no_memory_for(err, "a tree stream");
  s->nodes = options->n;
  s->star = is_star(options);
  s->cover = format.cover;
  /* Both presets have three streams. Where no trace is too long, the training
   * trees to leave out are known without writing their traces. */
  sw_domain_options plain = *options;
  plain.preset = 0;
  if (options->max_tokens <= 0) plain.too_long = "cut";
  sw_mt_seed(&s->rng, sw_stream_seed(&plain, seed, split));
  int code = 0;
  if (split != SW_SPLIT_TRAIN)
    code = sw_leave_out_training(&sw_domain_trees, &plain, seed, &s->left_out,
                                 err);
  if (code) stream_free(s);
  else *stream = s;
  return code;
}

static int stream_next(sw_stream *s, sw_instance **instance, sw_err *err) {
  enum { TRIES = 100000 };
  *instance = NULL;
  for (int i = 0; i < TRIES; i++) {
    sw_instance *tree = draw(s);
    if (!tree) return sw_no_memory_for(err, "a tree");
    if (!sw_hashset_has(&s->left_out, instance_hash(tree))) {
      *instance = tree;
      return 0;
    }
    sw_tree_free(tree);
  }
  return sw_fail(err, SW_LIMIT, "%d trees in a row occur in the training split",
                 TRIES);
}

/* ---- instances and traces ---- */

/* A tree can be read, but there is nothing to solve in it. */
static int recognises(const sw_domain *domain, const char *path,
                      const char *text, size_t bytes) {
  (void)domain, (void)path, (void)text, (void)bytes;
  return 0;
}

static int instance_parse(sw_instance **instance, const char *path,
                          const char *text, size_t bytes,
                          const sw_domain_options *options, sw_err *err) {
  (void)options;
  return sw_tree_parse(instance, path, text, bytes, err);
}

static int32_t instance_size(const sw_instance *tree) { return tree->nodes; }

static int instance_fits(const sw_instance *tree,
                         const sw_domain_options *options, char *why,
                         size_t room) {
  int32_t labels = vocab_size(options) - SW_TREE_LABEL0;
  for (int32_t v = 0; v < tree->nodes; v++)
    if (tree->label[v] >= labels) {
      snprintf(why, room, "label %d is outside the vocabulary (0..%d)",
               tree->label[v], labels - 1);
      return 0;
    }
  return 1;
}

static int write_trace(const sw_instance *tree,
                       const sw_domain_options *options, sw_mt *mt,
                       sw_trace *trace, sw_err *err) {
  (void)mt; /* the walk is the instance's own */
  sw_tree_format format;
  sw_tree_marks marks = {0};
  if (sw_tree_format_from_name(options->format, &format))
    return sw_fail(err, SW_USAGE, "trees have no format '%s'", options->format);
  if (format.cover && !tree->walk)
    return sw_fail(err, SW_USAGE, "format %s needs a generated star",
                   options->format);
  format.breadth_first = strcmp(sw_trees_own(options)->family, "bfs") == 0;
  sw_trace_clear(trace);
  int code = sw_tree_write(tree, &format, trace, &marks, err);
  sw_tree_marks_free(&marks);
  if (!code && options->max_tokens > 0 && trace->length > options->max_tokens)
    code = sw_fail(err, SW_LIMIT, "a trace of %lld tokens is too long",
                   (long long)trace->length);
  return code;
}

static int token_text(const sw_domain *domain, int32_t token, char *buffer,
                      size_t room) {
  (void)domain;
  static const char *const text[] = {
#define X(id, name) name,
      SW_TREE_TOKENS(X)
#undef X
  };
  if (token >= 0 && token < SW_TREE_LABEL0)
    return snprintf(buffer, room, "%s", text[token]);
  return snprintf(buffer, room, token < 0 ? "?%d" : "%d",
                  token < 0 ? token : token - SW_TREE_LABEL0);
}

static const sw_option option_table[] = {SW_TASK_ROWS("nodes")
                                             SW_TASK_EXCLUDE_ROWS
#define X(...) SW_OWN_ROW(sw_trees_options, __VA_ARGS__)
                                                 SW_TREE_TASK_OPTIONS(X)
#undef X
};

const sw_domain sw_domain_trees = {
    .name = "trees",
    .summary = "write down the visit order of a tree: return or go on?",
    .formats = formats,
    .experts = experts,
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .vocab_size = vocab_size,
    .resolve = resolve,
    .stream_new = stream_new,
    .stream_next = stream_next,
    .stream_free = stream_free,
    .file.recognises = recognises,
    .file.parse = instance_parse,
    .instance_free = sw_tree_free,
    .instance_hash = instance_hash,
    .instance_size = instance_size,
    .instance_fits = instance_fits,
    .write_trace = write_trace,
    .token_text = token_text,
    .back_token = SW_TREE_BACKTRACK,
};
