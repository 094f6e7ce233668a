/* Fuzz target: any text as a tree in its parenthesised form. */
#include "domains/trees/tree.h"
#include "fuzz.h"

extern const sw_domain sw_domain_trees;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  char *text = (char *)fuzz_copy(bytes, length);
  sw_instance *tree;
  sw_err err;
  if (!sw_tree_parse(&tree, "fuzz", text, length, &err))
    sw_domain_trees.instance_free(tree);
  free(text);
  return 0;
}
