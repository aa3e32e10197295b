// A search tree grows at the end of a walk: a path down, with the subtrees beside it.
//:: infer memsafety: safe, memtrack: safe, reach: safe
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
struct tree { int key; struct tree *left, *right; };
static void drop(struct tree *t) { if (t) { drop(t->left); drop(t->right); free(t); } }
int main(void) {
  struct tree *root = NULL, *t, *n;
  while (__VERIFIER_nondet_int()) {
    int key = __VERIFIER_nondet_int();
    n = malloc(sizeof *n); n->key = key; n->left = n->right = NULL;
    if (root == NULL) { root = n; continue; }
    t = root;
    for (;;) {
      if (key < t->key) { if (t->left == NULL) { t->left = n; break; } t = t->left; }
      else { if (t->right == NULL) { t->right = n; break; } t = t->right; }
    }
  }
  drop(root);
  return 0;
}
