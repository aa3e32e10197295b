// Fourth stage: only starts are given, in ascending order; a track stops before the next one starts, the last one at the end.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#define SIZE 2352

struct track {
    struct track *next;
    int start, stop;
};

static unsigned char image[SIZE];

int main(void) {
    struct track *first = NULL, *last = NULL;
    int from = 0;
    while (__VERIFIER_nondet_int()) {
        int start = __VERIFIER_nondet_int();
        if (start < from || start >= SIZE)
            break;
        struct track *t = malloc(sizeof *t);
        t->start = start;
        t->stop = SIZE - 1;
        t->next = NULL;
        if (last) {
            last->stop = start - 1;
            last->next = t;
        } else
            first = t;
        last = t;
        from = start;
    }
    int sum = 0;
    for (struct track *t = first; t; t = t->next)
        for (int i = t->start; i <= t->stop; i++)
            sum += image[i];
    while (first) {
        struct track *t = first->next;
        free(first);
        first = t;
    }
    return sum & 1;
}
