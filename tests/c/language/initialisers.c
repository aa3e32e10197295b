// Initialisers: designators, braces that are left out, values that are replaced, strings, ranges.
#include <stdio.h>
struct in { int x, y; };
struct o { struct in a; int b; int arr[3]; };
struct an { int p; struct { int q, r; }; union { int s; char t[4]; }; int w; };
struct in gx[] = { [2] = {1, 2}, [0].y = 7, 8, 9 };
int grid[][3] = { {1}, {2, 3}, 4, 5, 6, };
char names[][5] = { "ab", "cde", {'x', 'y'} };
const char *strs[] = { "one", "two" "three", 0 };
struct o go = { .a.x = 1, 2, 3, .arr[1] = 4, 5 };
struct o go2 = { .a = {1, 2}, .a = {3}, .b = 4, .b = 5 };
struct an ga = { .q = 5, 6, .t = "abc", 11 };
int ranges[10] = { [0 ... 3] = 1, [5 ... 7] = 2, 3 };
int *pp = &grid[1][1];
int n = sizeof grid / sizeof *grid;
char str4[4] = "abcd";
static int (*fn)(const char *) = puts;
struct { int len; char *s; } anon[2] = { {1, "x"}, {2, "yy"} };
static void show(struct o *o) { printf("%d %d %d [%d %d %d]\n", o->a.x, o->a.y, o->b, o->arr[0], o->arr[1], o->arr[2]); }
int main(void) {
    for (unsigned i = 0; i < sizeof gx / sizeof *gx; i++) printf("(%d %d) ", gx[i].x, gx[i].y);
    printf("\n%d:", n);
    for (int i = 0; i < 4 && i < n; i++) for (int j = 0; j < 3; j++) printf(" %d", grid[i][j]);
    printf("\n%s %s %c%c%d %zu\n", names[0], names[1], names[2][0], names[2][1], names[2][2], sizeof names);
    //> (0 7) (8 9) (1 2) 
    //> 3: 1 0 0 2 3 0 4 5 6
    //> ab cde xy0 15
    printf("%s %s %p %zu\n", strs[0], strs[1], (void *)strs[2], sizeof strs / sizeof *strs);
    //> one twothree (nil) 3
    show(&go);
    show(&go2);
    printf("%d %d %d %s %d\n", ga.p, ga.q, ga.r, ga.t, ga.w);
    //> 1 2 3 [0 4 5]
    //> 3 0 5 [0 0 0]
    //> 0 5 6 abc 11
    for (int i = 0; i < 10; i++) printf("%d ", ranges[i]);
    printf("%d %c%c\n", *pp, str4[0], str4[3]);
    //> 1 1 1 1 0 2 2 2 3 0 3 ad
    struct o lo = { .a.x = 1, 2, 3, .arr[1] = 4, 5 };
    show(&lo);
    struct o lo2 = { .a = {1, 2}, .a = {3}, .b = 4, .b = 5 };
    show(&lo2);
    struct in v = { 4, 5 };
    struct o lo3 = { v, 6, {7, 8} };
    show(&lo3);
    struct o lo4 = { .arr = {[2] = 1}, .a = v };
    show(&lo4);
    struct in arr[3] = { v, 1, 2, {3} };
    printf("%d %d %d %d %d %d\n", arr[0].x, arr[0].y, arr[1].x, arr[1].y, arr[2].x, arr[2].y);
    //> 1 2 3 [0 4 5]
    //> 3 0 5 [0 0 0]
    //> 4 5 6 [7 8 0]
    //> 4 5 0 [0 0 1]
    //> 4 5 1 2 3 0
    int scalar = { 3 };
    int z[2][2] = { 1, 2, 3 };
    printf("%d %d %d %d %d\n", scalar, z[0][0], z[0][1], z[1][0], z[1][1]);
    //> 3 1 2 3 0
    char loc[] = "hey";
    char big[8] = "hi";
    printf("%zu %s %s %d\n", sizeof loc, loc, big, big[7]);
    //> 4 hey hi 0
    struct in *lit = &(struct in){ 8, 9 };
    printf("%d %d\n", lit->x, lit->y);
    //> 8 9
    int *al = (int[]){ 1, 2, 3 };
    printf("%d\n", al[0] + al[1] + al[2]);
    //> 6
    union { char c[8]; long l; int i; } un = { .i = 5 };
    printf("%ld\n", un.l);
    //> 5
    union { char c[8]; long l; int i; } un2 = { "ab" };
    printf("%ld\n", un2.l);
    //> 25185
    printf("%d %s\n", anon[1].len, anon[1].s);
    //> 2 yy
    fn("ok");
    for (int i = 0; i < 3; i++) { int t[3] = { i }; t[1] += 5; printf("%d%d%d ", t[0], t[1], t[2]); }
    printf("\n");
    //> ok
    //> 050 150 250 
    return 0;
}
