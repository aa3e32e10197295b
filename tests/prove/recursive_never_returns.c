//:: prove safe, memory may be lost
// The procedure never returns, so the assertion is not reached; but memory was lost before the call.
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

static int forever(int n) {
    return forever(n + 1);
}

int main(void) {
    struct node *node = malloc(sizeof *node);
    node = NULL;
    forever(0);
    assert(0);
    return 0;
}
