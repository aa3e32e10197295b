// An object that leads to a list: its head may be null.
//:: entry pop
//:: infer memsafety: safe, memtrack: safe, reach: safe
//:: requires exists v1, v2. s |-> {depth: v1, top: v2} * node_ls(v2, nil)
#include <stdlib.h>

struct node { int data; struct node *next; };
struct stack { int depth; struct node *top; };

int pop(struct stack *s) {
  struct node *n = s->top;
  int data = 0;
  if (n) {
    data = n->data;
    s->top = n->next;
    s->depth--;
    free(n);
  }
  return data;
}
