// Control flow: jumps into blocks and loops, fall-through, nested switches.
#include <stdio.h>
static int duff(int n) { int c = 0; switch (n % 4) { case 0: do { c++; case 3: c += 10; case 2: c += 100; case 1: c += 1000; } while ((n -= 4) > 0); } return c; }
static int jump(int x) { int r = 0, i = 1; if (x) goto in; for (i = 0; i < 3; i++) { r += 1; in: r += 10; if (r > 35) break; } return r; }
static int into(int x) { switch (x) { int y; case 1: y = 5; return y; case 2: y = 7; y++; return y; default: { int z = 3; while (z--) { case 9: if (x == 9) return 99; } } } return -1; }
static int loops(void) { int c = 0; for (int i = 0; ; i++) { if (i == 3) continue; if (i > 6) break; for (int j = 0; j < i; j++) { if (j == 2) goto next; c += j; } next: c += 100; } return c; }
static int sw(int x) { int r = 0; switch (x) { case 1: r++; case 2: r += 2; break; case 3 ... 5: r = 9; default: r += 50; case -1: r += 7; } return r; }
static int nested(int a, int b) { switch (a) { case 0: switch (b) { case 0: return 1; case 1: break; default: return 3; } return 4; case 1: { for (;;) { switch (b) { case 0: continue_: b++; break; case 1: return 5; default: goto out; } if (b > 3) break; } } } out: return 6; }
static int back(void) { int n = 0; again: ; int v; v = n * 2; if (++n < 5) goto again; return v; }
static int ptrs(void) { int *p = 0, r = 0; for (int k = 0; k < 3; k++) { int x; if (k == 0) x = 1; p = &x; *p = k; r += x; } return r; }
static int dw(void) { int i = 0, s = 0; do { if (i == 2) continue; s += i; } while (++i < 5); return s; }
static unsigned char uc(unsigned char c) { switch (c) { case 200: return 1; case 300 & 255: return 2; } return 3; }
static int lsw(long l) { switch (l) { case 1L << 40: return 1; case -1: return 2; } return 3; }
int main(void) {
    for (int i = 1; i < 10; i++) printf("%d ", duff(i));
    printf("\n");
    //> 1000 1100 1110 1111 2111 2211 2221 2222 3222 
    printf("%d %d\n", jump(0), jump(1));
    //> 33 21
    printf("%d %d %d %d\n", into(1), into(2), into(9), into(3));
    //> 5 8 99 -1
    printf("%d\n", loops());
    //> 604
    for (int i = -2; i < 8; i++) printf("%d ", sw(i));
    printf("\n");
    //> 57 7 57 3 2 66 66 66 57 57 
    printf("%d %d %d %d %d %d\n", nested(0, 0), nested(0, 1), nested(0, 2), nested(1, 0), nested(1, 1), nested(1, 2));
    //> 1 4 3 5 5 6
    printf("%d %d %d\n", back(), ptrs(), dw());
    //> 8 3 8
    printf("%d %d %d\n", uc(200), uc(44), uc(1));
    //> 1 2 3
    printf("%d %d %d\n", lsw(1L << 40), lsw(-1), lsw(0));
    //> 1 2 3
    int x = 3;
    if (x) if (x > 5) printf("a\n");
    else printf("b\n");
    while (x --> 0) ;
    printf("%d\n", x);
    //> b
    //> -1
    for (int a = 0, b = 10; a < b; a++, b--) if (a + 2 >= b) printf("%d %d\n", a, b);
    { int x = 7; { int x = 8; printf("%d ", x); } printf("%d ", x); } printf("%d\n", x);
    goto end;
    { end: printf("end\n"); }
    //> 4 6
    //> 8 7 -1
    //> end
    return 3;
}
