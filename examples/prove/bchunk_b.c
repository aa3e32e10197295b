// Second stage: a track has a start and a stop, and all bytes between them are read.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#define SIZE 2352

struct track {
    struct track *next;
    int start, stop;
};

static unsigned char image[SIZE];

int main(void) {
    struct track *tracks = NULL;
    while (__VERIFIER_nondet_int()) {
        int start = __VERIFIER_nondet_int(), stop = __VERIFIER_nondet_int();
        if (start < 0 || stop >= SIZE || start > stop)
            continue;
        struct track *t = malloc(sizeof *t);
        t->start = start;
        t->stop = stop;
        t->next = tracks;
        tracks = t;
    }
    int sum = 0;
    for (struct track *t = tracks; t; t = t->next)
        for (int i = t->start; i <= t->stop; i++)
            sum += image[i];
    while (tracks) {
        struct track *t = tracks->next;
        free(tracks);
        tracks = t;
    }
    return sum & 1;
}
