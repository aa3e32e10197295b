//:: prove safe, memory may be lost
// Only every other record is freed.
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

static void half(struct node *list) {
    if (!list) return;
    struct node *next = list->next;
    free(list);
    if (next) half(next->next);
}

int main(void) {
    half(build());
    return 0;
}
