// Functions, scopes, statics, macros, statement expressions, strings.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdbool.h>
#include <assert.h>
#include <ctype.h>
static int counter(void) { static int n; static int m = 5; return ++n * 10 + m--; }
static int rec(int n) { return n < 2 ? n : rec(n - 1) + rec(n - 2); }
static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
static int even(int); static int odd(int n) { return n == 0 ? 0 : even(n - 1); } static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int shadow = 1; static int sh(int shadow) { { int shadow = 3; (void)shadow; } return shadow; }
struct node { int v; struct node *l, *r; };
static struct node *ins(struct node *t, int v) { if (!t) { t = calloc(1, sizeof *t); t->v = v; } else if (v < t->v) t->l = ins(t->l, v); else t->r = ins(t->r, v); return t; }
static int walk(struct node *t) { if (!t) return 0; int s = walk(t->l); printf("%d ", t->v); s += t->v + walk(t->r); free(t); return s; }
#define MAX(a, b) ({ typeof(a) _a = (a); typeof(b) _b = (b); _a > _b ? _a : _b; })
#define STR(x) #x
#define XSTR(x) STR(x)
#define CAT(a, b) a##b
#define VER 3
#define LOG(fmt, ...) printf(fmt, ##__VA_ARGS__)
typedef struct { int x; } T; typedef T *TP; typedef int arr3[3]; typedef int fun(int); static fun twice; static int twice(int x) { return 2 * x; }
struct outer { struct inner { int k; } i; enum { P = 3, Q } e; }; 
static int order; static int ev(int k) { order = order * 10 + k; return k; }
static void vf(void) { return; } static int cmpi(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
_Static_assert(sizeof(int) == 4, "int"); 
int arr_of_const[P + Q];
int main(void) {
    printf("%d ", counter());
    printf("%d ", counter());
    printf("%d\n", counter());
    //> 15 24 33
    printf("%d %d %d\n", rec(10), ack(2, 3), even(10));
    //> 55 9 1
    printf("%d %d\n", shadow, sh(9));
    //> 1 9
    struct node *t = 0;
    int vs[] = { 5, 2, 8, 1, 9, 3 };
    for (int i = 0; i < 6; i++) t = ins(t, vs[i]);
    printf("= %d\n", walk(t));
    //> 1 2 3 5 8 9 = 28
    printf("%d %s %d %s\n", MAX(3, 7), XSTR(VER), CAT(1, 2), STR(a "b" \n));
    //> 7 3 12 a "b" 
    //> 
    LOG("x\n");
    LOG("%d\n", 4);
    T tt = { 4 };
    TP tp = &tt;
    arr3 a3 = { 1, 2, 3 };
    printf("%d %d %d %zu\n", tp->x, a3[2], twice(21), sizeof(arr3));
    //> x
    //> 4
    //> 4 3 42 12
    struct inner in = { P };
    struct outer o = { in, Q };
    printf("%d %d %zu\n", o.i.k, o.e, sizeof arr_of_const / sizeof(int));
    //> 3 4 7
    ev(1), ev(2), ev(3);
    if (ev(4) || ev(5)) ev(6);
    for (ev(7); order < 1234679; ev(9)) break;
    printf("%d\n", order);
    //> 123467
    bool b = 5;
    b = !b;
    printf("%d %d\n", b, true + true);
    //> 0 2
    vf();
    (void)0;
    ;
    char s[20];
    strcpy(s, "abc");
    strcat(s, "def");
    printf("%s %zu %d %d\n", s, strlen(s), strcmp(s, "abd") < 0, strncmp(s, "abx", 2));
    //> abcdef 6 1 0
    printf("%s %s\n", strchr(s, 'c'), strstr(s, "de"));
    //> cdef def
    memset(s, 'z', 3);
    s[3] = 0;
    printf("%s\n", s);
    //> zzz
    memmove(s + 1, s, 3);
    printf("%.3s|%5d|%-5d|%05d|%x|%X|%c|%%|%5.2f|%ld|%u\n", s, 42, 42, 42, 255, 255, 'q', 3.14159, -5L, 7u);
    //> zzz|   42|42   |00042|ff|FF|q|%| 3.14|-5|7
    char *d = strdup("dup");
    d[0] = toupper(d[0]);
    puts(d);
    d = realloc(d, 10);
    strcat(d, "!");
    puts(d);
    free(d);
    int q[] = { 3, 1, 2 };
    for (int i = 0; i < 3; i++) for (int j = 0; j + 1 < 3; j++) if (cmpi(q + j, q + j + 1) > 0) { int z = q[j]; q[j] = q[j + 1]; q[j + 1] = z; } printf("%d%d%d\n", q[0], q[1], q[2]);
    int x = ({ int y = 3; y * y; });
    printf("%d\n", x);
    //> Dup
    //> Dup!
    //> 123
    //> 9
    printf("%d\n", ({ goto lab; 0; lab: 5; }));
    //> 5
    int v = x > 3 ? x > 5 ? 1 : 2 : 3;
    printf("%d\n", v);
    //> 1
    const int ci = 4;
    int sw = 0;
    switch (ci) { case 4: sw = 1; } printf("%d\n", sw);
    unsigned char bytes[4] = { 1, 2, 3, 4 };
    unsigned w;
    memcpy(&w, bytes, 4);
    printf("%x\n", w);
    //> 1
    //> 4030201
    *(short *)bytes = 0x5566;
    printf("%x %x\n", bytes[0], bytes[1]);
    //> 66 55
    int k = 0;
    k = k + 1, k += 2;
    printf("%d\n", k);
    //> 3
    int m = (k > 2, k);
    printf("%d\n", m);
    //> 3
    int l1 = 0, l2 = 0;
    (l1 = 1) && (l2 = 2);
    printf("%d %d\n", l1, l2);
    //> 1 2
    (l1 = 0) && (l2 = 9);
    printf("%d %d\n", l1, l2);
    //> 0 2
    l1 ? (l2 = 1) : (l2 = 4);
    printf("%d\n", l2);
    //> 4
    printf("%s\n", __func__);
    //> main
    int *np = 0;
    if (np && *np) puts("no");
    if (!np || *np) puts("yes");
    assert(1 && "msg");
    int aa[3][2] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
    int tot = 0;
    for (int (*p)[2] = aa; p < aa + 3; p++) for (int *e = *p; e < *p + 2; e++) tot += *e;
    printf("%d\n", tot);
    //> yes
    //> 21
    struct { int a; struct { int b; }; union { int c; int d; }; } an = { 1, { 2 }, { 3 } };
    printf("%d %d %d\n", an.b, an.c, an.d);
    //> 2 3 3
    an.d = 9;
    printf("%d\n", an.c);
    //> 9
    exit(7);
}
