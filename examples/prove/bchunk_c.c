// Third stage: audio tracks are read in pairs of bytes that change places, data tracks byte by byte.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#define SIZE 2352

struct track {
    struct track *next;
    int audio, start, stop;
};

static unsigned char image[SIZE];

static struct track *read_tracks(void) {
    struct track *tracks = NULL;
    while (__VERIFIER_nondet_int()) {
        int start = __VERIFIER_nondet_int(), stop = __VERIFIER_nondet_int();
        if (start < 0 || stop >= SIZE || start > stop)
            break;
        struct track *t = malloc(sizeof *t);
        t->audio = __VERIFIER_nondet_int() != 0;
        t->start = start;
        t->stop = stop;
        t->next = tracks;
        tracks = t;
    }
    return tracks;
}

int main(void) {
    struct track *tracks = read_tracks();
    int sum = 0;
    for (struct track *t = tracks; t; t = t->next) {
        if (t->audio) {
            for (int i = t->start; i + 1 <= t->stop; i += 2) {
                unsigned char first = image[i];
                image[i] = image[i + 1];
                image[i + 1] = first;
            }
        } else {
            for (int i = t->start; i <= t->stop; i++)
                sum += image[i];
        }
    }
    while (tracks) {
        struct track *t = tracks->next;
        free(tracks);
        tracks = t;
    }
    return sum & 1;
}
