// A cell is put behind any other, in a procedure that is called for it.
//:: infer memsafety: safe, memtrack: safe, reach: safe
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node { int data; struct node *next; };

static void insert(struct node *at, int data) {
  struct node *new = malloc(sizeof *new);
  new->data = data;
  new->next = at->next;
  at->next = new;
}

int main(void) {
  struct node head = {0, NULL}, *p = &head;
  while (__VERIFIER_nondet_int()) {
    insert(p, 1);
    if (__VERIFIER_nondet_int())
      p = p->next;
    else
      p = &head;
  }
  while (head.next) {
    p = head.next;
    head.next = p->next;
    free(p);
  }
  return 0;
}
