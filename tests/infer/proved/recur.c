// A tree is built by recursion, and freed by recursion.
//:: infer memsafety: safe, memtrack: safe, reach: safe
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

struct tree { int key; struct tree *left, *right; };

static struct tree *build(void) {
  struct tree *t;
  if (__VERIFIER_nondet_int())
    return NULL;
  t = malloc(sizeof *t);
  t->key = 0;
  t->left = build();
  t->right = build();
  return t;
}

static void drop(struct tree *t) {
  if (t == NULL)
    return;
  drop(t->left);
  drop(t->right);
  free(t);
}

int main(void) {
  drop(build());
  return 0;
}
