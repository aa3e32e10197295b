// As listdata, but negative numbers get into the list, too.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int data;
};

int main(void) {
    int i = __VERIFIER_nondet_int();
    struct node *x = NULL;
    while (i != 0 && i > -3) {
        struct node *tmp = malloc(sizeof *tmp);
        tmp->next = x;
        tmp->data = i;
        x = tmp;
        i--;
    }
    while (x != NULL) {
        assert(x->data >= 0);
        struct node *next = x->next;
        free(x);
        x = next;
    }
    return 0;
}
