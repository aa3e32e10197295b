// Recursion by summaries: a tree, of any size.
//:: entry count
//:: infer memsafety: safe, memtrack: safe, reach: safe
//:: requires tree_tree(t, nil)
struct tree { struct tree *left, *right; };

int count(struct tree *t) {
  if (!t)
    return 0;
  return 1 + count(t->left) + count(t->right);
}
