// Without inputs there is one run, and it ends.
//:: infer memsafety: safe, memtrack: safe, reach: safe
#include <assert.h>
#include <stdlib.h>

struct node { int data; struct node *next; };

int main(void) {
  struct node *list = NULL;
  int sum = 0;
  for (int i = 0; i < 4; i++) {
    struct node *new = malloc(sizeof *new);
    new->data = i;
    new->next = list;
    list = new;
  }
  while (list) {
    struct node *next = list->next;
    sum += list->data;
    free(list);
    list = next;
  }
  assert(sum == 6);
  return 0;
}
