// not claimed: memsafety
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
struct tree { int key; struct tree *left, *right; };
static struct tree *insert(struct tree *root, int key) {
  struct tree *n = malloc(sizeof *n), *t = root;
  n->key = key; n->left = n->right = NULL;
  if (!root) return n;
  for (;;) {
    if (key < t->key) { if (!t->left) { t->left = n; break; } t = t->left; }
    else { if (!t->right) { t->right = n; break; } t = t->right; }
  }
  return root;
}
static int find(struct tree *t, int key) {
  while (t) { if (t->key == key) return 1; t = key < t->key ? t->left : t->right; }
  return 0;
}
static struct tree *delete_min(struct tree *root) {
  struct tree *p, *t;
  if (!root) return NULL;
  if (!root->left) { t = root->right; free(root); return t; }
  p = root; t = root->left;
  while (t->left) { p = t; t = t->left; }
  free(t);
  return root;
}
int main(void) {
  struct tree *root = NULL, *t;
  while (__VERIFIER_nondet_int()) {
    root = insert(root, __VERIFIER_nondet_int());
    if (__VERIFIER_nondet_int()) find(root, 3);
    if (__VERIFIER_nondet_int()) root = delete_min(root);
  }
  while (root) {
    if (root->left) { t = root->left; root->left = t->right; t->right = root; root = t; }
    else { t = root->right; free(root); root = t; }
  }
  return 0;
}
