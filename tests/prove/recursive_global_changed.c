//:: prove unproved
// A recursive procedure changes a global variable.
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

int calls;

static void count(struct node *list) {
    calls++;
    if (list) count(list->next);
}

int main(void) {
    struct node *list = build();
    calls = 0;
    count(list);
    assert(calls <= 2);
    return 0;
}
