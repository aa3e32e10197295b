// A neighbour keeps a link to a node that was freed: the second deletion writes to it.
#include <stdlib.h>

struct node { struct node *next, *prev; int data; };

static struct node *push(struct node *head, int data) {
    struct node *n = malloc(sizeof *n);
    n->data = data;
    n->prev = NULL;
    n->next = head;
    if (head != NULL)
        head->prev = n;
    return n;
}

static void drop(struct node *n) {
    if (n->prev != NULL)
        n->prev->next = n->next;
    free(n);
}

int main(void) {
    struct node *list = NULL;
    for (int i = 0; i < 4; i++)
        list = push(list, i);
    drop(list->next);
    drop(list->next);
    return list->next->prev->data;
}
