// How long a list is [MNCL06, Sec. 6].
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

static int length(struct node *list) {
    int n = 0;
    for (; list != NULL; list = list->next)
        n++;
    return n;
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
    assert(length(list) == 5);
    delete(list);
    return 0;
}
