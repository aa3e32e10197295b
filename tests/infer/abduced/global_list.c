// A library with state: nothing is known of what global objects hold, but that functions before it left a list there.
//:: entry pop
//:: infer memsafety: safe, memtrack: safe, reach: safe
//:: requires exists v1. &head |-> {at0: v1} * node_ls(v1, nil)
#include <stdlib.h>

struct node { int data; struct node *next; };
static struct node *head;

int pop(void) {
  struct node *n = head;
  int data;
  if (!n)
    return 0;
  data = n->data;
  head = n->next;
  free(n);
  return data;
}
