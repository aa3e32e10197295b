// Integers: promotions, conversions, sizes, constants, operators; floating-point beside them.
#include <stdio.h>
#include <limits.h>
enum e { A, B, C = 10, D, NEG_NOT };
enum f { M = -1, N };
typedef unsigned char u8;
int id(int x) { return x; }
static int calls; int tick(int v) { calls = calls * 10 + v; return v; }
int main(void) {
    unsigned u = 1;
    int i = -2;
    char c = -1;
    unsigned char uc = 255;
    short s = -5;
    long l = -1;
    unsigned long ul = 1;
    printf("%d %d %d %d\n", i < u, c == uc, l < ul, (unsigned char)c == uc);
    //> 0 0 0 1
    printf("%u %u %d %d\n", u - 2, u + i, uc + 1, (u8)(uc + 1));
    //> 4294967295 4294967295 256 0
    printf("%ld %lu %d\n", (long)i * 3, ul - 2, (int)(ul - 2));
    //> -6 18446744073709551615 -1
    printf("%d %d %d %d\n", -7 / 2, -7 % 2, 7 / -2, 7 % -2);
    //> -3 -1 -3 1
    printf("%d %d %u %d\n", -8 >> 1, 1 << 10, 0x80000000u >> 31, ~0);
    //> -4 1024 1 -1
    printf("%d %u %ld\n", ~5, ~5u, ~5L);
    //> -6 4294967290 -6
    uc = 250;
    uc += 10;
    printf("%d ", uc);
    uc -= 20;
    printf("%d ", uc);
    uc <<= 3;
    printf("%d ", uc);
    uc = ~uc;
    printf("%d\n", uc);
    //> 4 240 128 127
    s = 32767;
    s++;
    printf("%d ", s);
    s = 40000;
    printf("%d ", s);
    c = 200;
    printf("%d\n", c);
    //> -32768 -25536 -56
    printf("%d %d\n", sizeof(int) > -1, (int)sizeof(int) > -1);
    //> 0 1
    printf("%d %d %d\n", (enum e)-1 < 0, (enum f)-1 < 0, A - 1 < 0);
    //> 0 1 1
    enum e ev = A;
    ev--;
    printf("%d %d\n", ev > 0, (int)ev);
    //> 1 -1
    printf("%zu %zu %zu %zu %zu\n", sizeof(enum e), sizeof 'a', sizeof(1L), sizeof(1 ? (char)1 : (char)2), sizeof(u8) );
    //> 4 4 8 4 1
    printf("%d %d %d\n", C, D, NEG_NOT);
    //> 10 11 12
    printf("%u %d\n", UINT_MAX, (int)UINT_MAX == -1);
    //> 4294967295 1
    printf("%lu %llx\n", ULONG_MAX, (unsigned long long)-1);
    //> 18446744073709551615 ffffffffffffffff
    printf("%d %d %d\n", 010, 0x1F, 0b101);
    //> 8 31 5
    printf("%d %d %d %d\n", 'a', '\n', '\x41', '\101');
    //> 97 10 65 65
    printf("%d\n", '\377');
    //> -1
    printf("%ld %ld\n", 2147483648, 0xffffffff);
    //> 2147483648 4294967295
    printf("%d\n", 0xffffffff == -1);
    //> 1
    printf("%d ", tick(1) && tick(0) && tick(2));
    printf("%d ", tick(3) || tick(4));
    printf("%d\n", calls);
    //> 0 1 103
    calls = 0;
    int r = tick(1) ? tick(2) : tick(3);
    printf("%d %d\n", r, calls);
    //> 2 12
    int q = (1, 2, 3);
    printf("%d\n", q);
    //> 3
    int b = 5;
    b += b * 2;
    b -= b / 3;
    b *= -1;
    b %= 7;
    b |= 8;
    b &= ~1;
    b ^= 3;
    b >>= 1;
    printf("%d\n", b);
    //> -1
    double d = 7 / 2;
    double e = 7 / 2.0;
    printf("%g %g %d %d\n", d, e, (int)-2.7, (int)(char)100.5f);
    //> 3 3.5 -2 100
    float f = 0.1f;
    printf("%d %.3f\n", f == 0.1, f);
    //> 0 0.100
    printf("%.2f %.1f\n", 1.0f / 3, 10 / 4 * 1.5);
    //> 0.33 3.0
    long long big = 1LL << 62;
    printf("%lld\n", big - 1 + (big - 1) * 0 ? big : 0);
    //> 4611686018427387904
    printf("%d\n", !!42 + !0 + !5);
    //> 2
    printf("%d\n", -INT_MAX - 1 == INT_MIN);
    //> 1
    printf("%d %d\n", (char)0x80 < 0, (signed char)0xff);
    //> 1 -1
    printf("%u\n", (unsigned short)-1 * 1u);
    //> 65535
    printf("%d\n", (unsigned char)200 + (unsigned char)100);
    //> 300
    printf("%d\n", (short)65537);
    //> 1
    _Bool bo = 256;
    printf("%d %d\n", bo, (_Bool)0.5);
    //> 1 1
    bo++;
    printf("%d ", bo);
    bo--;
    printf("%d ", bo);
    bo -= 3;
    printf("%d\n", bo);
    //> 1 0 1
    unsigned w = 0;
    w--;
    printf("%u %d\n", w, w == UINT_MAX);
    //> 4294967295 1
    unsigned long h = 5381;
    for (const char *p = "hash"; *p; p++) h = h * 33 + *p;
    printf("%lu\n", h);
    //> 6385287881
    unsigned hh = 2166136261u;
    for (const char *p = "fnv"; *p; p++) { hh ^= (unsigned char)*p; hh *= 16777619u; } printf("%u\n", hh);
    printf("%d %d\n", id(3) ?: 9, id(0) ?: 9);
    //> 3002452889
    //> 3 9
    printf("%ld\n", (long)(int)0x123456789L);
    //> 591751049
    printf("%d\n", (int)3000000000u);
    //> -1294967296
    i = 5;
    int z = i++ + 10;
    printf("%d %d\n", i, z);
    //> 6 15
    z = ++i * 2;
    printf("%d %d\n", i, z);
    //> 7 14
    return 300 & 0x7f;
}
