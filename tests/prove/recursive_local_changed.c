//:: prove unproved
// A recursive procedure changes a variable of its caller.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int data;
};

static struct node *build(void) {
    if (__VERIFIER_nondet_int()) return NULL;
    struct node *node = malloc(sizeof *node);
    node->data = 1;
    node->next = build();
    return node;
}

static void delete(struct node *list) {
    if (!list) return;
    delete(list->next);
    free(list);
}

static void count(struct node *list, int *calls) {
    *calls = *calls + 1;
    if (list) count(list->next, calls);
}

int main(void) {
    struct node *list = build();
    int calls = 0;
    count(list, &calls);
    assert(calls <= 2);
    return 0;
}
