//:: prove unproved
// A record that is a local variable of the caller is changed by recursion.
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

static void grow(struct node *node, int n) {
    if (n <= 0) return;
    node->data = node->data + 1;
    grow(node, n - 1);
}

int main(void) {
    struct node node;
    node.next = NULL;
    node.data = 0;
    grow(&node, 3);
    assert(node.data <= 2);
    return 0;
}
