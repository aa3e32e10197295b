//:: prove safe, memory may be lost
// The program ends in a procedure that calls itself, and its caller has lost a record.
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

static int down(int n) {
    if (n <= 0) exit(0);
    return down(n - 1);
}

int main(void) {
    struct node *node = malloc(sizeof *node);
    node = NULL;
    down(3);
    return 0;
}
