// The same by recursion, with a walk to the least of the greater ones.
//:: infer memsafety: safe, memtrack: safe, reach: safe
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
struct tree { int key; struct tree *left, *right; };
static struct tree *ins(struct tree *t, int k) {
  if (!t) { t = malloc(sizeof *t); t->key = k; t->left = t->right = NULL; return t; }
  if (k < t->key) t->left = ins(t->left, k); else t->right = ins(t->right, k);
  return t;
}
static struct tree *del(struct tree *t, int k) {
  if (!t) return NULL;
  if (k < t->key) t->left = del(t->left, k);
  else if (k > t->key) t->right = del(t->right, k);
  else if (!t->left) { struct tree *r = t->right; free(t); return r; }
  else if (!t->right) { struct tree *r = t->left; free(t); return r; }
  else {
    struct tree *m = t->right;
    while (m->left) m = m->left;
    t->key = m->key;
    t->right = del(t->right, m->key);
  }
  return t;
}
static void drop(struct tree *t) { if (t) { drop(t->left); drop(t->right); free(t); } }
int main(void) {
  struct tree *root = NULL;
  while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int()) root = ins(root, __VERIFIER_nondet_int());
    else root = del(root, __VERIFIER_nondet_int());
  }
  drop(root);
  return 0;
}
