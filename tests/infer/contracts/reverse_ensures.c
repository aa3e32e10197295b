// The result is the list, and nothing else is left.
//:: entry reverse
//:: infer memsafety: safe, memtrack: safe, reach: safe
struct node { int data; struct node *next; };

//@ requires ls(list, nil)
//@ ensures ls(result, nil)
struct node *reverse(struct node *list) {
  struct node *done = 0;
  while (list) {
    struct node *next = list->next;
    list->next = done;
    done = list;
    list = next;
  }
  return done;
}
