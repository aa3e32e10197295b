// A list is promised, but not the one that is returned: the postcondition is not proved.
//:: entry drop
//:: infer memsafety: safe, reach: unknown
#include <stdlib.h>
struct node { int data; struct node *next; };

//@ requires exists n. list |-> {next: n} * ls(n, nil)
//@ ensures ls(result, nil) * (exists n. list |-> {next: n})
struct node *drop(struct node *list) {
  struct node *rest = list->next;
  free(list);
  return rest;
}
