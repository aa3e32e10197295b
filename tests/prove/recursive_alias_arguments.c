//:: prove unproved
// Both arguments are the same list: what is freed by one is read by the other.
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

static void both(struct node *a, struct node *b) {
    if (!a || !b) return;
    struct node *next = a->next;
    free(a);
    b->data = 2;
    both(next, b->next);
}

int main(void) {
    struct node *list = build();
    both(list, list);
    return 0;
}
