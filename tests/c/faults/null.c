// A field of the null pointer is read.
#include <stdlib.h>

struct node {
    struct node *next;
    int data;
};

int last(struct node *l) {
    while (l->next != NULL)
        l = l->next;
    return l->data;
}

int main(void) {
    struct node one = {NULL, 1};
    int first = last(&one);
    struct node *none = NULL;
    //:: Fault(null-dereference)
    return first + none->data;
}
