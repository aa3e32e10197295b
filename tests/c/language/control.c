// Statements: every kind of loop and jump, and objects that come and go with them.
#include <stdio.h>

static int classify(int n) {
    switch (n) {
    case 0:
        return 0;
    case 1 ... 3:
        n += 10;
        /* falls through */
    case 7:
        n++;
        break;
    default: {
        int twice = n * 2;
        int *p = &twice;
        return *p;
    }
    }
    return n;
}

int main(void) {
    printf("%d %d %d %d\n", classify(0), classify(2), classify(7), classify(50));
    //> 0 13 8 100
    int i = 0, sum = 0;
    do {
        i++;
        if (i == 3)
            continue;
        if (i > 5)
            break;
        sum += i;
    } while (i < 100);
    printf("%d %d\n", i, sum);
    //> 6 12
    for (int k = 0, *p = &k; k < 3; (*p)++)
        sum += k;
    printf("%d\n", sum);
    //> 15
    i = 0;
again:;
    int fresh = i;
    int *q = &fresh;
    if (++i < 3)
        goto again;
    printf("%d %d\n", *q, i);
    //> 2 3
    goto inside;
    {
        int local;
        printf("never\n");
    inside:
        local = 4;
        int *r = &local;
        printf("%d\n", *r);
        //> 4
    }
    printf("%d\n", ({ int t = i; t * t; }));
    //> 9
    while (1) {
        if (i-- == 0)
            break;
    }
    return i + 1;
}
