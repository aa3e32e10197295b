//:: prove safe, nothing is lost
// Two lists become one, by recursion along the first.
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

static struct node *append(struct node *a, struct node *b) {
    if (!a) return b;
    a->next = append(a->next, b);
    return a;
}

int main(void) {
    struct node *a = build(), *b = build();
    struct node *list = append(a, b);
    for (struct node *n = list; n; n = n->next) assert(n->data == 1);
    delete(list);
    return 0;
}
