//:: prove unproved
// A recursive procedure keeps its argument in a global variable, and uses it later.
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

struct node *kept;

static void keep(struct node *list, int n) {
    if (n > 0) {
        keep(list, n - 1);
        return;
    }
    if (kept) kept->data = 3;
    kept = list;
}

int main(void) {
    struct node *list = malloc(sizeof *list);
    list->next = NULL;
    keep(list, 1);
    free(list);
    keep(NULL, 1);
    return 0;
}
