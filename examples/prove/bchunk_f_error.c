// As bchunk_f, but there is no room in the index for a second track.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#define SECTOR 16
#define HEADER 4
#define SECTORS 40
#define TRACKS 99

struct track {
    struct track *next;
    int number, audio, start, stop;
};

static unsigned char image[SECTORS * SECTOR];
static unsigned char buffer[SECTOR];
static int written[2];

static struct track *read_tracks(void) {
    struct track *first = NULL, *last = NULL;
    int from = 0, count = 0;
    while (count < TRACKS && __VERIFIER_nondet_int()) {
        int start = __VERIFIER_nondet_int();
        if (start < from || start >= SECTORS)
            break;
        struct track *t = malloc(sizeof *t);
        count++;
        t->number = count;
        t->audio = __VERIFIER_nondet_int() != 0;
        t->start = start;
        t->stop = SECTORS - 1;
        t->next = NULL;
        if (last) {
            last->stop = start - 1;
            last->next = t;
        } else
            first = t;
        last = t;
        from = start;
    }
    return first;
}

static void convert(struct track *t, int swap) {
    for (int sector = t->start; sector <= t->stop; sector++) {
        int skip = t->audio ? 0 : HEADER;
        for (int i = skip; i < SECTOR; i++)
            buffer[i - skip] = image[sector * SECTOR + i];
        if (swap && t->audio) {
            for (int i = 0; i + 1 < SECTOR; i += 2) {
                unsigned char first = buffer[i];
                buffer[i] = buffer[i + 1];
                buffer[i + 1] = first;
            }
        }
        written[t->number] += SECTOR - skip;
    }
}

int main(void) {
    int swap = __VERIFIER_nondet_int() != 0;
    struct track *tracks = read_tracks();
    while (tracks) {
        struct track *t = tracks->next;
        convert(tracks, swap);
        free(tracks);
        tracks = t;
    }
    return 0;
}
