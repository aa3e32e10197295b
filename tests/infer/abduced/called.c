// A caller that sees to what `append` needs, which is a first list with a cell: a run of it is as it should be.
//:: infer memsafety: safe, memtrack: safe, reach: safe
#include <assert.h>
#include <stdlib.h>

struct node { int data; struct node *next; };

void append(struct node *a, struct node *b) {
  while (a->next)
    a = a->next;
  a->next = b;
}

static struct node *cell(int data) {
  struct node *n = malloc(sizeof *n);
  n->data = data;
  n->next = NULL;
  return n;
}

int main(void) {
  struct node *a = cell(1), *b = cell(2);
  append(a, b);
  assert(a->next == b);
  free(b);
  free(a);
  return 0;
}
