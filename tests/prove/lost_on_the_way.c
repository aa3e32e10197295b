//:: prove safe, memory may be lost
// The loop walks along a list and keeps its last record only. The list that `last` leads to is all that is known of the heap by
// one formula of the label; it cannot be followed through the loop, so it does not show that nothing is left over.
#include <stdlib.h>

struct node {
    struct node *next;
    int data;
};

int main(void) {
    struct node *list = NULL;
    for (int i = 0; i < 3; i++) {
        struct node *node = malloc(sizeof *node);
        node->next = list;
        list = node;
    }
    struct node *last = NULL;
    while (list) {
        last = list;
        list = list->next;
    }
    while (last) {
        struct node *next = last->next;
        free(last);
        last = next;
    }
    return 0;
}
