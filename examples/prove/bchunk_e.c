// Fifth stage: tracks consist of sectors; each sector is copied to a buffer, without the header in front of its data.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#define SECTOR 16
#define HEADER 4
#define SECTORS 40

struct track {
    struct track *next;
    int audio, start, stop;
};

static unsigned char image[SECTORS * SECTOR];
static unsigned char buffer[SECTOR];

static struct track *read_tracks(void) {
    struct track *tracks = NULL;
    while (__VERIFIER_nondet_int()) {
        int start = __VERIFIER_nondet_int(), stop = __VERIFIER_nondet_int();
        if (start < 0 || stop >= SECTORS || start > stop)
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

static int convert(struct track *t) {
    int written = 0;
    for (int sector = t->start; sector <= t->stop; sector++) {
        int skip = t->audio ? 0 : HEADER;
        for (int i = skip; i < SECTOR; i++)
            buffer[i - skip] = image[sector * SECTOR + i];
        written += SECTOR - skip;
    }
    return written;
}

int main(void) {
    struct track *tracks = read_tracks();
    int written = 0;
    while (tracks) {
        struct track *t = tracks->next;
        written += convert(tracks);
        free(tracks);
        tracks = t;
    }
    return written & 1;
}
