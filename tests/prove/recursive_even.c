//:: prove safe
// Two procedures that call each other.
#include <assert.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int data;
};

extern int __VERIFIER_nondet_int(void);

static int odd(struct node *list, int n);

static int even(struct node *list, int n) {
    if (!list) return n;
    return odd(list->next, n + list->data);
}

static int odd(struct node *list, int n) {
    if (!list) return n;
    return even(list->next, n + 1);
}

int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        node->data = 2;
        node->next = list;
        list = node;
    }
    assert(even(list, 0) >= 0);
    return 0;
}
