// Bit-fields: where they are, what they hold, what their values are promoted to.
#include <stdio.h>
#include <string.h>
struct a { char a:4; int b:4; };
struct b { unsigned a:3; unsigned b:7; unsigned c:30; };
struct c { char x; int y:4; int z:20; char w; };
struct d { long a:40; int b:10; unsigned char c; };
struct e { int a:3; int :0; int b:3; };
struct f { unsigned short a:9; unsigned short b:9; char c; };
struct g { _Bool t:1; unsigned u:2; signed s:2; };
struct h { char c; int :7; char d; };
union u { unsigned raw; struct { unsigned lo:4, mid:8, hi:20; } p; };
enum col { RED, GREEN, BLUE };
struct i { enum col c:2; enum col d:2; };
int main(void) {
    printf("%zu %zu %zu %zu %zu %zu %zu %zu %zu\n", sizeof(struct a), sizeof(struct b), sizeof(struct c), sizeof(struct d),
           sizeof(struct e), sizeof(struct f), sizeof(struct g), sizeof(struct h), sizeof(union u));
    struct a a = {0};
    a.a = 7;
    a.b = -3;
    printf("%d %d\n", a.a, a.b);
    //> 4 8 8 8 8 6 4 3 4
    //> 7 -3
    struct b b;
    memset(&b, 0, sizeof b);
    b.a = 9;
    b.b = 200;
    b.c = 0x3fffffff;
    b.c++;
    printf("%u %u %u\n", b.a, b.b, b.c);
    //> 1 72 0
    struct c c;
    c.x = 5;
    c.y = 7;
    c.z = -1;
    c.w = 9;
    c.y++;
    printf("%d %d %d %d\n", c.x, c.y, c.z, c.w);
    //> 5 -8 -1 9
    struct d d;
    d.a = -1;
    d.b = 511;
    d.b += 1;
    d.c = 255;
    printf("%ld %d %d\n", (long)d.a, d.b, d.c);
    //> -1 -512 255
    struct g g;
    g.t = 4;
    g.u = 6;
    g.s = 3;
    printf("%d %d %d\n", g.t, g.u, g.s);
    //> 1 2 -1
    union u u;
    u.raw = 0x12345678;
    printf("%x %x %x\n", u.p.lo, u.p.mid, u.p.hi);
    //> 8 67 12345
    u.p.mid = 0xff;
    printf("%x\n", u.raw);
    //> 12345ff8
    struct i i;
    i.c = BLUE;
    i.d = BLUE;
    printf("%d %d\n", i.c, i.d);
    //> 2 2
    struct b z = { .b = 5, .a = 1, .c = 77 };
    printf("%d %d %d\n", z.a, z.b, z.c);
    //> 1 5 77
    static struct b s = { 1, 2, 3 };
    printf("%d %d %d\n", s.a, s.b, s.c);
    //> 1 2 3
    printf("%d\n", (b.a = 7) - 8 < 0);
    //> 1
    printf("%d\n", b.a - 8 < 0);
    //> 1
    int v = (g.s = 3);
    printf("%d\n", v);
    //> -1
    printf("%d\n", b.a++ + ++b.a);
    //> 8
    struct f f = {511, 300, 'x'};
    printf("%d %d %c\n", f.a, f.b, f.c);
    //> 511 300 x
    return 0;
}
