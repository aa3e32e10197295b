//:: prove safe, memory may be lost
// A record is lost before a loop without end: that it was held by a temporary once does not keep it.
#include <stdlib.h>

struct node {
    struct node *next;
};

int main(void) {
    struct node *node = malloc(sizeof *node);
    node = NULL;
    while (1) {
        node = NULL;
    }
    return 0;
}
