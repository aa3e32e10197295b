//:: prove safe, nothing is lost
// A list is built, searched and freed by procedures that call themselves; all its numbers are positive.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int data;
};

static struct node *build(int data) {
    if (__VERIFIER_nondet_int()) return NULL;
    struct node *node = malloc(sizeof *node);
    node->data = data;
    node->next = build(data + 1);
    return node;
}

static void check(struct node *list) {
    if (!list) return;
    assert(list->data > 0);
    check(list->next);
}

static void delete(struct node *list) {
    if (!list) return;
    delete(list->next);
    free(list);
}

int main(void) {
    struct node *list = build(1);
    check(list);
    delete(list);
    return 0;
}
