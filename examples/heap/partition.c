// What is less than a threshold is moved to another list [MNCL06, Sec. 6].
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

static struct node *partition(struct node **list, int threshold) {
    struct node *less = NULL, *before = NULL, *at = *list;
    while (at != NULL) {
        struct node *next = at->next;
        if (at->data < threshold) {
            if (before != NULL)
                before->next = next;
            else
                *list = next;
            at->next = less;
            less = at;
        } else {
            before = at;
        }
        at = next;
    }
    return less;
}

static void delete(struct node *list) {
    while (list != NULL) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

int main(void) {
    struct node *list = make(6);
    struct node *less = partition(&list, 2);
    assert(less->data == 1 && less->next->next == NULL);
    assert(list->data == 2);
    delete(less);
    delete(list);
    return 0;
}
