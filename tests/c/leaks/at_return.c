// When main returns its variables are gone; what a global leads to is not lost.
#include <stdlib.h>

struct node {
    struct node *next;
};
static struct node *kept;

int main(void) {
    kept = malloc(sizeof *kept);
    kept->next = malloc(sizeof *kept);
    kept->next->next = NULL;
    struct node *local = malloc(sizeof *local);
    local->next = NULL;
    //:: Fault(memory-leak)
    return 0;
}
