// A tree of numbers that are not negative; the number in a node is not less than those below it.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct heap {
    struct heap *left, *right;
    int value;
};

static struct heap *grow(int most) {
    int value = __VERIFIER_nondet_int();
    if (value < 0 || value > most)
        return NULL;
    struct heap *h = malloc(sizeof *h);
    h->value = value;
    h->left = grow(value);
    h->right = grow(value);
    return h;
}

static void check(struct heap *h) {
    if (h) {
        assert(h->value >= 0);
        check(h->left);
        check(h->right);
    }
}

static void delete(struct heap *h) {
    if (h) {
        delete(h->left);
        delete(h->right);
        free(h);
    }
}

int main(void) {
    int most = __VERIFIER_nondet_int();
    struct heap *h = grow(most);
    check(h);
    delete(h);
    return 0;
}
