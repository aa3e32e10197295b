//:: prove with machine integers: safe, nothing is lost
// Figure 2 with a bound: data are between 1 and 1000, so nothing wraps.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int data;
};

int main(void) {
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > 1000) return 0;
    struct node *list = NULL;
    while (i != 0) {
        struct node *node = malloc(sizeof *node);
        node->next = list;
        node->data = i;
        list = node;
        i--;
    }
    while (list) {
        assert(list->data >= 0);
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
