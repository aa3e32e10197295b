// The classic mistake of freeing a list.
#include <stdlib.h>

struct node {
    struct node *next;
};

int main(void) {
    struct node *l = NULL;
    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        n->next = l;
        l = n;
    }
    while (l != NULL) {
        free(l);
        //:: Fault(use-after-free)
        l = l->next;
    }
    return 0;
}
