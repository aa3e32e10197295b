// One list behind another, in place [MNCL06, Sec. 6].
#include <assert.h>
#include <stdlib.h>

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

static struct node *concat(struct node *a, struct node *b) {
    if (a == NULL)
        return b;
    struct node *last = a;
    while (last->next != NULL)
        last = last->next;
    last->next = b;
    return a;
}

static void delete(struct node *list) {
    while (list != NULL) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

int main(void) {
    struct node *both = concat(make(3), make(2));
    assert(both->next->next->next->data == 0);
    delete(both);
    return 0;
}
