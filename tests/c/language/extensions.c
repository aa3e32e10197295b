// Extensions of gcc: attributes that change a layout, operands that are left out, functions with any number of arguments.
#include <stdio.h>
#include <stdarg.h>
#include <stddef.h>
struct __attribute__((packed)) before { char c; int i; };
struct behind { char c; int i; } __attribute__((packed));
typedef struct { char c; int i __attribute__((packed)); short s; } member;
typedef struct { char c; int i __attribute__((aligned(16))); } wide;
struct whole { char c; } __attribute__((aligned(8)));
typedef int eight __attribute__((mode(QI)));
enum { YES = 1 && 2, NO = 0 || 0, SIX = YES ? 6 : 1 / 0 };
static int table[NO ? 1 : 3];
static int once;
static int next(void) { return ++once; }
static int twice(int x) { return 2 * x; }
static typeof(twice) *pointer = twice;
struct pair { int a, b; };
static int sum(int n, ...) {
    va_list list, again;
    va_start(list, n);
    va_copy(again, list);
    int s = 0;
    for (int i = 0; i < n; i++) s += va_arg(list, int);
    s *= va_arg(again, int);
    va_end(list);
    va_end(again);
    return s;
}
static double mixed(const char *kinds, ...) {
    va_list list;
    va_start(list, kinds);
    double s = 0;
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': s += va_arg(list, int);
        break;
        case 'l': s += va_arg(list, long);
        break;
        case 'd': s += va_arg(list, double);
        break;
        case 'p': s += *va_arg(list, int *);
        __attribute__((fallthrough));
        case 's': if (*kinds == 's') s += va_arg(list, struct pair).b;
        break;
        }
    va_end(list);
    return s;
}
static int from(va_list list) { return va_arg(list, int); }
static int first(int n, ...) { va_list list; va_start(list, n); int r = from(list); va_end(list); return r; }
#define KIND(x) _Generic((x), int: 1, char *: 2, double: 3, default: 4)
int main(void) {
    printf("%zu %zu %zu %zu %zu %zu\n", sizeof(struct before), sizeof(struct behind), sizeof(member), sizeof(wide), sizeof(struct whole), sizeof(eight));
    //> 5 5 8 32 8 1
    printf("%zu %zu\n", offsetof(struct behind, i), offsetof(member, s));
    //> 1 6
    printf("%d %d %d %zu\n", YES, NO, SIX, sizeof table / sizeof *table);
    //> 1 0 6 3
    printf("%d ", next() ?: 9);
    printf("%d %d\n", 0 ?: 9, once);
    //> 1 9 1
    int x = 3;
    printf("%d\n", sum(3, 1, 2, x));
    //> 6
    printf("%g\n", mixed("ildps", 1, 2L, 0.5, &x, (struct pair){7, 8}));
    //> 14.5
    printf("%d %d\n", first(1, 42), sum(0, 1));
    //> 42 0
    printf("%d %d %d %d\n", KIND(1), KIND("a"), KIND(1.0), KIND(1L));
    //> 1 2 3 4
    printf("%d %zu %zu\n", pointer(4), sizeof(typeof(int[3])), sizeof(twice));
    //> 8 12 1
    int (*variadic)(int, ...) = sum;
    printf("%d\n", variadic(2, 5, 6));
    //> 55
    printf("%d\n", __builtin_expect(x > 2, 1));
    //> 1
    printf("%zu %zu\n", sizeof(long double), __alignof__(short));
    //> 16 2
    if (x > 5) __builtin_unreachable();
    int nested = ({ int y = x; ({ y + 1; }) * 2; });
    printf("%d\n", nested);
    //> 8
    printf("%d\n", x == 0 ? 1 : x == 1 ? 2 : x == 2 ? 3 : x == 3 ? 4 : 5);
    //> 4
    return 0;
}
