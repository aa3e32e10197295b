// A reference count: the object is freed with its last handle, and not before.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct object {
    int references;
    int data;
};

static struct object *create(void) {
    struct object *o = malloc(sizeof *o);
    o->references = 1;
    o->data = 0;
    return o;
}

static void get(struct object *o) {
    o->references++;
}

static void put(struct object *o) {
    o->references--;
    if (o->references == 0)
        free(o);
}

int main(void) {
    struct object *o = create();
    int handles = 1;
    while (handles > 0) {
        o->data = handles;
        if (__VERIFIER_nondet_int()) {
            get(o);
            handles++;
        } else {
            put(o);
            handles--;
        }
    }
    return 0;
}
