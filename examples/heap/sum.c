// The sum of what is in a list [MNCL06, Sec. 6].
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

static int sum(struct node *list) {
    int s = 0;
    for (; list != NULL; list = list->next)
        s += list->data;
    return s;
}

static void delete(struct node *list) {
    while (list != NULL) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

int main(void) {
    struct node *list = make(5);
    assert(sum(list) == 10);
    delete(list);
    return 0;
}
