// Pointers: to fields, locals, pointers, functions, arrays; their bits, and records by value.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
#include <stdint.h>
#define container_of(p, t, m) ((t *)((char *)(p) - offsetof(t, m)))
#define kcontainer_of(ptr, type, member) ({ const typeof(((type *)0)->member) *__mptr = (ptr); (type *)((char *)__mptr - offsetof(type, member)); })
struct list { struct list *next, **pprev; };
struct item { int a; struct list l; char name[6]; struct { int x; struct list m; } in[2]; };
typedef int (*op)(int, int);
static int add(int a, int b) { return a + b; } static int sub(int a, int b) { return a - b; }
struct vt { op f[2]; int (*apply)(op, int, int); struct vt *self; };
static int apply(op o, int a, int b) { return o(a, b); }
static op choose(int i) { return i ? add : &sub; }
static op (*chooser)(int) = choose;
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
static void setp(int **p, int *v) { *p = v; }
static int *newint(int v) { int *p = malloc(sizeof *p); *p = v; return p; }
static int sum(int n, int a[n]) { int s = 0; while (n--) s += a[n]; return s; }
static int sum2(int a[][3], int n) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) s += a[i][j]; return s; }
static struct item mk(int a) { struct item i = { .a = a, .name = "mk" }; return i; }
static struct item chg(struct item i) { i.a *= 2; i.name[0] = 'M'; return i; }
struct flex { int n; int d[]; };
union ov { int i; float f; unsigned char b[4]; short s[2]; };
union pp { void *p; uintptr_t u; char c[8]; };
int main(void) {
    struct item it = { .a = 7, .name = "hello" };
    struct list *lp = &it.l;
    printf("%d %d\n", container_of(lp, struct item, l)->a, kcontainer_of(&it.l, struct item, l) == &it);
    //> 7 1
    struct list *m = &it.in[1].m;
    printf("%d\n", container_of(m, struct item, in[1].m) == &it);
    //> 1
    struct vt v = { { add, sub }, apply, &v };
    printf("%d %d %d %d\n", v.f[0](1, 2), v.self->self->f[1](1, 2), v.apply(v.f[0], 3, 4), (*v.f[1])(9, 1));
    //> 3 -1 7 8
    printf("%d %d %d\n", choose(1)(5, 6), chooser(0)(5, 6), (**choose(0))(1, 1));
    //> 11 -1 0
    int x = 1, y = 2;
    swap(&x, &y);
    printf("%d %d\n", x, y);
    //> 2 1
    int *p;
    setp(&p, &x);
    *p = 9;
    printf("%d\n", x);
    //> 9
    int **q = &p;
    **q += 1;
    printf("%d %d\n", x, *q == &x);
    //> 10 1
    int *h = newint(5);
    printf("%d\n", *h);
    //> 5
    free(h);
    int arr[6] = { 1, 2, 3, 4, 5, 6 };
    printf("%d %d\n", sum(6, arr), sum2((int (*)[3])arr, 2));
    //> 21 21
    int *e = arr + 6;
    printf("%td %d %d\n", e - arr, e[-1], *(e - 2));
    //> 6 6 5
    printf("%d %d\n", 2[arr], &arr[3] > &arr[2]);
    //> 3 1
    int (*row)[3] = (void *)arr;
    printf("%d %zu\n", row[1][0], sizeof *row);
    //> 4 12
    row++;
    printf("%d\n", (*row)[2]);
    //> 6
    struct item j = chg(it);
    printf("%d %s %d %s\n", it.a, it.name, j.a, j.name);
    //> 7 hello 14 Mello
    printf("%d %s\n", mk(4).a, mk(4).name);
    //> 4 mk
    it = chg(chg(mk(3)));
    printf("%d %s\n", it.a, it.name);
    //> 12 Mk
    struct flex *fl = malloc(sizeof *fl + 3 * sizeof(int));
    fl->n = 3;
    for (int i = 0; i < fl->n; i++) fl->d[i] = i * i;
    printf("%d %zu\n", fl->d[2], sizeof(struct flex));
    //> 4 4
    free(fl);
    union ov o;
    o.f = 1.5f;
    printf("%x %d %d\n", o.i, o.b[3], o.s[1]);
    //> 3fc00000 63 16320
    o.b[0] = 1;
    printf("%x\n", o.i);
    //> 3fc00001
    o.i = 0x40490fdb;
    printf("%.4f\n", o.f);
    //> 3.1416
    union pp u;
    u.p = &x;
    union pp w;
    for (int i = 0; i < 8; i++) w.c[i] = u.c[i];
    printf("%d %d\n", w.p == &x, *(int *)w.u);
    //> 1 10
    uintptr_t a = (uintptr_t)&x ^ (uintptr_t)&y;
    printf("%d %d\n", (int *)(a ^ (uintptr_t)&y) == &x, *(int *)(a ^ (uintptr_t)&x));
    //> 1 1
    uintptr_t t = (uintptr_t)&x | 1;
    printf("%d %d\n", (int)(t & 1), *(int *)(t & ~(uintptr_t)1));
    //> 1 10
    printf("%d\n", ((uintptr_t)&it % 8 == 0) + ((uintptr_t)&it / 8 * 8 == (uintptr_t)&it));
    //> 2
    int tab[16] = { 0 };
    tab[((uintptr_t)&x >> 4) % 16]++;
    int s = 0;
    for (int i = 0; i < 16; i++) s += tab[i];
    printf("%d\n", s);
    //> 1
    void *vp = &y;
    char *cp = vp;
    cp += sizeof(int);
    printf("%d %d\n", (int *)cp - &y, ((int *)cp)[-1]);
    //> 1 1
    char buf[16];
    memcpy(buf, &p, sizeof p);
    int *r;
    memcpy(&r, buf, sizeof r);
    printf("%d\n", *r);
    //> 10
    printf("%d\n", memcmp(&p, &r, sizeof p));
    //> 0
    const void *const cv = "str";
    printf("%s\n", (const char *)cv);
    //> str
    long off = (char *)&it.in[1].x - (char *)&it;
    printf("%d %d\n", (int)off, *(int *)((char *)&it + off) == it.in[1].x);
    //> 56 1
    struct list l1 = { 0, 0 }, *head = 0, **pn = &head;
    for (int i = 0; i < 3; i++) { struct list *n = malloc(sizeof *n); n->next = 0; *pn = n; pn = &n->next; } int c = 0;
    for (struct list *i = head; i; ) { struct list *nx = i->next; free(i); i = nx; c++; } printf("%d %d\n", c, l1.next == NULL);
    char *z = "abc";
    printf("%c ", *z++);
    printf("%c %c\n", *z, z[1] ? z[1] : '0');
    //> 3 1
    //> a b c
    printf("%d\n", (int)strlen(z));
    //> 2
    double dd = 2.5;
    long bits;
    memcpy(&bits, &dd, 8);
    printf("%lx\n", bits);
    //> 4004000000000000
    unsigned char *db = (unsigned char *)&dd;
    printf("%x %x\n", db[7], db[6]);
    //> 40 4
    op fs[] = { add, sub };
    for (unsigned k = 0; k < sizeof fs / sizeof *fs; k++) printf("%d ", fs[k](7, 3));
    printf("%d\n", fs[0] == add && fs[1] != add);
    //> 10 4 1
    printf("%d\n", (void *)0 == 0 && !p == 0 && (p ? 1 : 0));
    //> 1
    printf("%zu %zu\n", sizeof(&arr), sizeof arr);
    //> 8 24
    int (*pa)[6] = &arr;
    printf("%d %d\n", (*pa)[2], (int)(sizeof *pa / sizeof **pa));
    //> 3 6
    return 0;
}
