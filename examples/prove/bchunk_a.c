// A converter of disc images, first stage: every track of the list has a place in the image, and its first byte is read.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#define SIZE 2352

struct track {
    struct track *next;
    int start;
};

static unsigned char image[SIZE];

int main(void) {
    struct track *tracks = NULL;
    while (__VERIFIER_nondet_int()) {
        int start = __VERIFIER_nondet_int();
        if (start < 0 || start >= SIZE)
            break;
        struct track *t = malloc(sizeof *t);
        t->start = start;
        t->next = tracks;
        tracks = t;
    }
    int sum = 0;
    for (struct track *t = tracks; t; t = t->next)
        sum += image[t->start];
    while (tracks) {
        struct track *t = tracks->next;
        free(tracks);
        tracks = t;
    }
    return sum & 1;
}
