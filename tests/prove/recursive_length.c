//:: prove safe, nothing is lost
// The length of a list by recursion is not negative.
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

static int length(struct node *list) {
    if (!list) return 0;
    return 1 + length(list->next);
}

int main(void) {
    struct node *list = build();
    int n = length(list);
    delete(list);
    assert(n >= 0);
    return 0;
}
