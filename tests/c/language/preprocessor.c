// Macros and conditions, without a compiler.
#include <stdio.h>
#include "preprocessor.h"
#define SQUARE(x) ((x) * (x))
#define TEXT(x) #x
#define EXPANDED(x) TEXT(x)
#define JOIN(a, b) a##b
#define SAY(format, ...) printf(format "\n", ##__VA_ARGS__)
#define LONG_ONE(a, \
                 b) a - \
    b

int main(void) {
    int SELF_1 = 1, JOIN(va, lue) = 7;
    SAY("%d", SQUARE(value + 1));
    //> 64
    SAY("plain");
    //> plain
    SAY("%s %s", TEXT(a "b" + c), EXPANDED(FROM_HEADER));
    //> a "b" + c 12
    SAY("%d", LONG_ONE(10, 4) + SELF_1);
    //> 7
#if defined(FROM_HEADER) && FROM_HEADER > 10 && !defined NOTHING
    SAY("first %d", __LINE__);
    //> first 24
#elif 1
    SAY("second");
#else
#error never
#endif
#ifdef NOTHING
    don't read this
#endif
    SAY("%d", SELF_1 /* a comment
       over lines */ + 1);
    //> 2
    return 0;
}
