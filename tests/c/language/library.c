// Functions of the library that are programs themselves, and formats.
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int scmp(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
struct kv { char *k; int v; };
static int kcmp(const void *a, const void *b) { return strcmp(((struct kv *)a)->k, ((struct kv *)b)->k); }
int main(void) {
    int a[] = { 3, 1, 2, 9, -4 };
    qsort(a, 5, sizeof *a, cmp);
    for (int i = 0; i < 5; i++) printf("%d ", a[i]);
    puts("");
    char *s[] = { "pear", "apple", "fig" };
    qsort(s, 3, sizeof *s, scmp);
    for (int i = 0; i < 3; i++) printf("%s ", s[i]);
    puts("");
    struct kv k[] = { { "z", 1 }, { "a", 2 } };
    qsort(k, 2, sizeof *k, kcmp);
    printf("%s%d\n", k[0].k, k[0].v);
    //> -4 1 2 3 9 
    //> apple fig pear 
    //> a2
    int key = 2;
    int *f = bsearch(&key, a, 5, sizeof *a, cmp);
    printf("%td\n", f - a);
    //> 2
    char buf[32];
    snprintf(buf, sizeof buf, "%d-%s", 5, "x");
    puts(buf);
    sprintf(buf, "%04x", 255);
    puts(buf);
    printf("%d %d\n", (int)strspn("aab", "a"), (int)strcspn("aab", "b"));
    //> 5-x
    //> 00ff
    //> 2 2
    char t[] = "a,b";
    puts(strtok(t, ","));
    puts(strtok(0, ","));
    printf("%ld\n", strtol("42x", 0, 10));
    //> a
    //> b
    //> 42
    printf("%e %g %g %.3g %G\n", 12345.678, 0.0001, 1e10, 3.14159, 1e-10);
    //> 1.234568e+04 0.0001 1e+10 3.14 1E-10
    printf("%#x %#o %+d % d %i|%-8s|%8s|%.2s|%*d|%.*f|\n", 255, 8, 5, 5, 3, "ab", "cd", "xyz", 4, 7, 2, 1.239);
    //> 0xff 010 +5  5 3|ab      |      cd|xy|   7|1.24|
      return 0;
}
