// The walk holds the address of a link, not a node.
//:: infer memsafety: safe, memtrack: safe, reach: safe
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
struct tree { int key; struct tree *left, *right; };
static void drop(struct tree *t) { if (t) { drop(t->left); drop(t->right); free(t); } }
int main(void) {
  struct tree *root = NULL, *n, **p;
  while (__VERIFIER_nondet_int()) {
    int key = __VERIFIER_nondet_int();
    n = malloc(sizeof *n); n->key = key; n->left = n->right = NULL;
    p = &root;
    while (*p != NULL) { if (key < (*p)->key) p = &(*p)->left; else p = &(*p)->right; }
    *p = n;
  }
  drop(root);
  return 0;
}
