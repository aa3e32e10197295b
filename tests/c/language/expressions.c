// Order of evaluation, conversions, operators.
#include <stdio.h>

static int calls;
static int next(int n) { calls = calls * 10 + n; return n; }

int main(void) {
    int x = 5;
    int y = x++ * 2;
    printf("%d %d\n", x, y);
    //> 6 10
    x = --y;
    printf("%d %d\n", x, y--);
    //> 9 9
    x = y;
    printf("%d ", next(0) && next(1));
    printf("%d\n", calls);
    //> 0 0
    printf("%d ", next(2) || next(3));
    printf("%d\n", calls);
    //> 1 2
    x = (next(4), next(5));
    printf("%d %d\n", x, calls);
    //> 5 245
    unsigned char c = 250;
    c += 10;
    signed char s = (signed char)200;
    printf("%d %d %u %d\n", c, s, (unsigned)-1, (short)70000);
    //> 4 -56 4294967295 4464
    printf("%d %d %d %d\n", 7 / -2, 7 % -2, -7 / 2, -7 % 2);
    //> -3 1 -3 -1
    printf("%d %d %d\n", 6 & 3, 6 | 3, 6 ^ 3);
    //> 2 7 5
    printf("%d %d %x\n", 1 << 4, -16 >> 2, ~0u);
    //> 16 -4 ffffffff
    printf("%d %d\n", -1 < 1u, -1L < 1u);
    //> 0 1
    printf("%d %d\n", x > 3 ? x < 10 ? 1 : 2 : 3, !x);
    //> 1 0
    printf("%lu %lu %lu\n", sizeof(char), sizeof x, sizeof(int[3]));
    //> 1 4 12
    x = 3;
    x *= x + 1;
    x -= 2;
    x <<= 2;
    x %= 7;
    printf("%d\n", x);
    //> 5
    printf("%c %5d|%-5d|%05d|%+d|%s|%%\n", 'A', 42, 42, 42, 42, "text");
    //> A    42|42   |00042|+42|text|%
    double d = 7;
    d = d / 2 + 0.25;
    printf("%.2f %d\n", d, (int)d);
    //> 3.75 3
    return 0;
}
