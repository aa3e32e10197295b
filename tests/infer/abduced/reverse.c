// Nobody says what it is called with: it has to be a list that ends with null.
//:: entry reverse
//:: infer memsafety: safe, memtrack: safe, reach: safe
//:: requires node_ls(list, nil)
struct node { int data; struct node *next; };

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
