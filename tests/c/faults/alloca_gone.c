// What `alloca` made is gone with its function.
#include <alloca.h>

static int *make(void) {
    int *p = alloca(sizeof *p);
    *p = 3;
    return p;
}

int main(void) {
    int *p = make();
    //:: Fault(dangling-pointer)
    return *p;
}
