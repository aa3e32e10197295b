// not claimed: memtrack
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
struct tree { int key; struct tree *left, *right; };
int main(void) {
  struct tree *root = NULL, **p, *n;
  while (__VERIFIER_nondet_int()) {
    int k = __VERIFIER_nondet_int();
    p = &root;
    while (*p && (*p)->key != k) p = k < (*p)->key ? &(*p)->left : &(*p)->right;
    if (*p == NULL) { n = malloc(sizeof *n); n->key = k; n->left = n->right = NULL; *p = n; }
    else {
      n = *p;
      if (!n->left) { *p = n->right; free(n); }
      else if (!n->right) { *p = n->left; free(n); }
      else {
        struct tree **q = &n->right, *m;
        while ((*q)->left) q = &(*q)->left;
        m = *q;
        n->key = m->key;
        *q = NULL;
        free(m);
      }
    }
  }
  while (root) {
    p = &root;
    while ((*p)->left || (*p)->right) p = (*p)->left ? &(*p)->left : &(*p)->right;
    free(*p); *p = NULL;
  }
  return 0;
}
