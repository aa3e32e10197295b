// A pointer to a field keeps the whole object (`container_of`).
#include <stddef.h>
#include <stdlib.h>

struct link {
    struct link *next;
};
struct item {
    int value;
    struct link link;
};
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))

int main(void) {
    struct item *item = malloc(sizeof *item);
    item->value = 42;
    struct link *l = &item->link;
    l->next = NULL;
    item = NULL;
    struct item *again = container_of(l, struct item, link);
    int value = again->value;
    free(again);
    return value == 42 ? 0 : 1;
}
