// The parameter walks along the list: the caller still knows where it starts, so nothing is lost.
//:: entry last
//:: infer memsafety: safe, memtrack: safe, reach: safe
struct node { int data; struct node *next; };

//@ requires ls(list, nil)
//@ ensures ls(list, nil)
int last(struct node *list) {
  int value = 0;
  while (list) {
    value = list->data;
    list = list->next;
  }
  return value;
}
