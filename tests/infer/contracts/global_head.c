// A global variable is what the precondition says, not what it is when the program starts.
//:: entry clear
//:: infer memsafety: safe, memtrack: safe, reach: safe
#include <stdlib.h>
struct node { int data; struct node *next; };
struct node *head;

//@ requires ls(head, nil)
//@ ensures head = nil
void clear(void) {
  while (head) {
    struct node *next = head->next;
    free(head);
    head = next;
  }
}
