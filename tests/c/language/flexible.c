// An array at the end of what a pointer leads to may go on behind it.
#include <stdio.h>
#include <stdlib.h>

struct flexible { int count; int data[]; };
struct old { int count; int data[1]; };
struct outer { char name[4]; struct old last; };

int main(void) {
    struct flexible *f = malloc(sizeof *f + 3 * sizeof(int));
    f->count = 3;
    for (int i = 0; i < f->count; i++)
        f->data[i] = i * i;
    struct outer *o = malloc(sizeof *o + 5 * sizeof(int));
    o->last.data[5] = 7;
    printf("%d %d\n", f->data[2], o->last.data[5]);
    //> 4 7
    free(f);
    free(o);
    return 0;
}
