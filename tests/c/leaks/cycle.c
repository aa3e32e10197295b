// A ring that nothing leads to is lost, though each of its nodes is led to.
#include <stdlib.h>

struct node {
    struct node *next;
};

int main(void) {
    struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    a->next = b;
    b->next = a;
    a = NULL;
    //:: Fault(memory-leak)
    b = NULL;
    return 0;
}
