// Subtrees wait on a stack: a list of trees.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
struct tree { int key; struct tree *left, *right; };
struct stack { struct tree *what; struct stack *below; };
static struct tree *build(int n) {
  struct tree *t;
  if (n == 0 || __VERIFIER_nondet_int()) return NULL;
  t = malloc(sizeof *t);
  t->key = n;
  t->left = build(n - 1);
  t->right = build(n - 1);
  return t;
}
static struct stack *push(struct stack *s, struct tree *t) {
  struct stack *n;
  if (t == NULL) return s;
  n = malloc(sizeof *n);
  n->what = t;
  n->below = s;
  return n;
}
int main(void) {
  struct tree *root = build(__VERIFIER_nondet_int()), *t;
  struct stack *s = NULL;
  s = push(s, root);
  while (s != NULL) {
    struct stack *top = s;
    t = top->what;
    s = top->below;
    free(top);
    s = push(s, t->left);
    s = push(s, t->right);
    free(t);
  }
  return 0;
}
