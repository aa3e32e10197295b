// Records by value, objects in blocks, destructors through pointers, unions, strings that grow.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct big { int a[10]; char *s; };
static struct big mk(int n) { struct big b; memset(&b, 0, sizeof b); b.a[n] = n; b.s = "x"; return b; }
static struct big twice(struct big b) { struct big c = b; c.a[0] += b.a[3]; return c; }
static int *stat(void) { static int x = 5; return &x; }
static int fact(int n) { int *local = &n; return *local <= 1 ? 1 : *local * fact(*local - 1); }
typedef struct list { struct list *next; void (*dtor)(void *); void *data; } list;
static void noop(void *p) { (void)p; }
static list *cons(void *d, void (*f)(void *), list *t) { list *l = malloc(sizeof(list)); *l = (list){ t, f, d }; return l; }
static void drop(list *l) { while (l) { list *n = l->next; l->dtor(l->data); free(l); l = n; } }
static int cmp(const char **a, const char **b) { return strcmp(*a, *b); }
struct visitor { int (*visit)(struct visitor *, int); int total; };
static int add(struct visitor *v, int x) { return v->total += x; }
static void each(struct visitor *v, int *a, size_t n) { for (size_t i = 0; i < n; ++i) v->visit(v, a[i]); }
struct s { union { struct { short lo, hi; }; int both; } u; struct s *self; };
static void fill(char (*buf)[8]) { memset(*buf, 'q', sizeof *buf - 1); (*buf)[7] = 0; }
static int matrix(int m[2][3]) { return m[1][2] + sizeof(m) / sizeof(void *); }
int g[2] = {1, 2}; int *const gp = g + 1; int **gpp = (int **)&gp; char msg[] = "msg"; char *const *pm = (char *const[]){ msg, 0 };
int main(void) {
    struct big b = twice(twice(mk(3)));
    printf("%d %d %s\n", b.a[0], b.a[3], b.s);
    //> 6 3 x
    *stat() += 2; printf("%d %d\n", *stat(), fact(5));
    int k = 1;
    int *pk = &k;
    { int k = 2; *pk += k; pk = &k; *pk += 1; printf("%d\n", k); } printf("%d\n", k);
    list *l = cons(malloc(4), free, cons("lit", noop, cons(strdup("dup"), free, NULL)));
    drop(l);
    const char *w[] = { "b", "a" };
    printf("%d\n", cmp(&w[0], &w[1]) > 0);
    //> 7 120
    //> 3
    //> 3
    //> 1
    struct visitor v = { add, 0 };
    each(&v, (int[]){ 1, 2, 3 }, 3);
    printf("%d\n", v.total);
    //> 6
    struct s s = { { .both = 0x00020001 }, &s };
    s.self->self->u.hi++;
    printf("%d %d %x\n", s.u.lo, s.u.hi, s.u.both);
    //> 1 3 30001
    char buf[8];
    fill(&buf);
    puts(buf);
    int m[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    printf("%d\n", matrix(m));
    //> qqqqqqq
    //> 7
    printf("%d %s\n", **gpp, pm[0]);
    //> 2 msg
    int x = 0, *px = &x;
    int y = (*px)++ + 5;
    printf("%d %d\n", x, y);
    //> 1 5
    int a[3] = { 1, 2, 3 }, *p = a;
    *p++ += 10;
    *++p -= 1;
    printf("%d %d %d %td\n", a[0], a[1], a[2], p - a);
    //> 11 2 2 2
    char *str = malloc(6);
    strcpy(str, "hello");
    for (char *q = str; *q; q++) *q = *q - 'a' + 'A';
    puts(str);
    str = realloc(str, 20);
    strcat(str, ", you");
    puts(str);
    free(str);
    int n = 0;
    for (int i = 0, j = 10; i < j; i += 2, --j) n += i * j;
    printf("%d\n", n);
    //> HELLO
    //> HELLO, you
    //> 92
    struct { int tag; union { int i; float f; char c[4]; } v; } t = { 1, { .f = 1.0f } };
    printf("%x\n", t.v.i);
    //> 3f800000
    t.v.c[3] = 0x40;
    printf("%g\n", t.v.f);
    //> 4
    unsigned char raw[sizeof(struct s)];
    memcpy(raw, &s, sizeof s);
    struct s copy;
    memcpy(&copy, raw, sizeof copy);
    printf("%d %d\n", copy.self == &s, copy.u.both == s.u.both);
    //> 1 1
    int *arr[3];
    for (int i = 0; i < 3; i++) { arr[i] = malloc(sizeof(int)); *arr[i] = i; } int sum = 0;
    for (int i = 2; i >= 0; i--) { sum = sum * 10 + *arr[i]; free(arr[i]); } printf("%d\n", sum);
    void *any = &sum;
    *(char *)any = 1;
    printf("%d\n", sum);
    //> 210
    //> 1
    long lv = (long)any;
    printf("%d\n", *(int *)lv);
    //> 1
    printf("%d\n", (int)((char *)&s.self - (char *)&s));
    //> 8
    enum { ONE = 1, TWO } e = TWO;
    switch (e) { case ONE: puts("one"); break; case TWO: puts("two"); } do { if (e == TWO) break; puts("never"); } while (0);
    if (sizeof(struct big) > 40 && !(0, 0)) puts("ok");
    //> two
    //> ok
    return !(b.a[0] == 6 - 0 || 1);
}
