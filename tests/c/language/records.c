// Records: nested, anonymous, assigned, passed and returned; unions; bit-fields; initialisers.
#include <stdio.h>
#include <string.h>

struct point { int x, y; };
struct box { struct point from, to; union { int tag; char bytes[4]; }; };
struct flags { unsigned a : 3; int b : 5; unsigned : 0; unsigned c : 12; };

static struct point add(struct point a, struct point b) {
    a.x += b.x;
    a.y += b.y;
    return a;
}

static struct point grid[2][2] = {{{1, 2}, {3, 4}}, {[1] = {.y = 9}}};
static int squares[] = {0, 1, [3] = 9, 16};
static const char *names[] = {"a", "bc", "def"};

int main(void) {
    struct point p = {1, 2}, q = add(p, (struct point){10, 20});
    printf("%d %d %d %d\n", p.x, p.y, q.x, q.y);
    //> 1 2 11 22
    printf("%d\n", add(p, q).y);
    //> 24
    struct box b = {p, {5, 6}, {0x01020304}};
    b.from = b.to;
    printf("%d %d %d\n", b.from.y, b.bytes[0], b.bytes[3]);
    //> 6 4 1
    struct flags f = {5, -3, 100};
    f.a = 9;
    f.b--;
    f.c += 5000;
    printf("%d %d %d %lu\n", f.a, f.b, f.c, sizeof f);
    //> 1 -4 1004 8
    printf("%d %d %d\n", grid[0][1].y, grid[1][0].x, grid[1][1].y);
    //> 4 0 9
    printf("%d %d %d\n", (int)(sizeof squares / sizeof *squares), squares[2], squares[4]);
    //> 5 0 16
    printf("%s %s %lu\n", names[1], names[2], sizeof "def");
    //> bc def 4
    struct point many[3];
    memset(many, 0, sizeof many);
    many[1] = q;
    memcpy(&many[2], &many[1], sizeof many[0]);
    struct point *end = many + 3;
    printf("%d %ld\n", end[-1].x, (long)(end - many));
    //> 11 3
    return 0;
}
