// Two lists: all elements of the first are greater than those of the second.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int data;
};

static struct node *push(struct node *list, int data) {
    struct node *node = malloc(sizeof *node);
    node->data = data;
    node->next = list;
    return node;
}

static void delete(struct node *list) {
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

int main(void) {
    struct node *high = NULL, *low = NULL;
    int bound = __VERIFIER_nondet_int();
    while (__VERIFIER_nondet_int()) {
        int n = __VERIFIER_nondet_int();
        if (n > bound)
            high = push(high, n);
        else
            low = push(low, n);
    }
    for (struct node *h = high; h; h = h->next)
        for (struct node *l = low; l; l = l->next)
            assert(h->data > l->data);
    delete(high);
    delete(low);
    return 0;
}
