// A list is deleted, and its memory freed [MNCL06, Sec. 6].
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

struct node { int data; struct node *next; };

static struct node *make(int n) {
    struct node *list = NULL;
    while (n-- > 0) {
        struct node *new = malloc(sizeof *new);
        new->data = n;
        new->next = list;
        list = new;
    }
    return list;
}

static void delete(struct node *list) {
    while (list != NULL) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

int main(void) {
    struct node *list = make(__VERIFIER_nondet_int() % 10);
    delete(list);
    return 0;
}
