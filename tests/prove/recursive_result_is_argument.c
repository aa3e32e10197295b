//:: prove unproved
// The result is the argument: both are freed.
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

static struct node *same(struct node *list, int n) {
    if (n <= 0) return list;
    return same(list, n - 1);
}

int main(void) {
    struct node *list = build();
    struct node *other = same(list, 3);
    delete(list);
    delete(other);
    return 0;
}
