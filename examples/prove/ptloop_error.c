// As ptloop, but the data of the first node is overwritten.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int data;
};

int main(void) {
    struct node *head = malloc(sizeof *head);
    head->data = 1;
    head->next = NULL;
    struct node *last = head;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        node->data = 0;
        node->next = NULL;
        last->next = node;
        last->data = 0;
        last = node;
    }
    assert(head->data == 1);
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return 0;
}
