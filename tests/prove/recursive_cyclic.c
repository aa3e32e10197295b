//:: prove unproved
// A cyclic list is freed as if it were a list.
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

int main(void) {
    struct node *node = malloc(sizeof *node);
    node->next = node;
    delete(node);
    return 0;
}
