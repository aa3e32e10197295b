//! The usual headers, as far as programs on linked data use them, and functions of the library in C.

/// Macros that are there from the start.
pub(crate) const MACROS: [(&str, &str); 24] = [
    ("__STDC__", "1"),
    ("__STDC_VERSION__", "201112L"),
    ("__STDC_HOSTED__", "1"),
    ("__GNUC__", "4"),
    ("__GNUC_MINOR__", "2"),
    ("__GNUC_PATCHLEVEL__", "1"),
    ("__x86_64__", "1"),
    ("__LP64__", "1"),
    ("__linux__", "1"),
    ("__unix__", "1"),
    ("__CHAR_BIT__", "8"),
    ("__SCHAR_MAX__", "127"),
    ("__SHRT_MAX__", "32767"),
    ("__INT_MAX__", "2147483647"),
    ("__LONG_MAX__", "9223372036854775807L"),
    ("__LONG_LONG_MAX__", "9223372036854775807LL"),
    ("__SIZE_TYPE__", "unsigned long"),
    ("__PTRDIFF_TYPE__", "long"),
    ("__WCHAR_TYPE__", "int"),
    ("__SIZEOF_INT__", "4"),
    ("__SIZEOF_LONG__", "8"),
    ("__SIZEOF_POINTER__", "8"),
    ("__DATE__", "\"Jan  1 2000\""),
    ("__TIME__", "\"00:00:00\""),
];

const NULL_AND_SIZE: &str = "#define NULL ((void *)0)\ntypedef unsigned long size_t;\n";

/// The text of a header, if it is built in.
pub(crate) fn text(name: &str) -> Option<String> {
    let text = match name {
        "stddef.h" => STDDEF,
        "stdlib.h" => STDLIB,
        "stdio.h" => STDIO,
        "assert.h" => ASSERT,
        "string.h" | "strings.h" | "memory.h" => STRING,
        "stdbool.h" => STDBOOL,
        "limits.h" => LIMITS,
        "stdint.h" | "inttypes.h" => STDINT,
        "ctype.h" => CTYPE,
        "malloc.h" | "alloca.h" => STDLIB,
        "errno.h" => "extern int errno;\n",
        "time.h" => "typedef long time_t;\ntime_t time(time_t *);\n",
        "unistd.h" | "sys/types.h" => "typedef long ssize_t;\n",
        "stdarg.h" => {
            "typedef __builtin_va_list va_list;\n#define va_copy(a, b) __builtin_va_copy(a, b)\n#define va_start(a, b) __builtin_va_start(a, b)\n\
             #define va_end(a) __builtin_va_end(a)\n#define va_arg(a, t) __builtin_va_arg(a, t)\n"
        }
        _ => return None,
    };
    let sizes = matches!(
        name,
        "stddef.h"
            | "stdlib.h"
            | "stdio.h"
            | "string.h"
            | "strings.h"
            | "memory.h"
            | "malloc.h"
            | "alloca.h"
            | "unistd.h"
            | "time.h"
    );
    // Several headers define these; the same typedef twice is no error.
    Some(if sizes { format!("{NULL_AND_SIZE}{text}") } else { text.to_owned() })
}

const STDDEF: &str = "typedef long ptrdiff_t;
typedef int wchar_t;
#define offsetof(t, m) __builtin_offsetof(t, m)
";

const STDLIB: &str = "#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);
void *alloca(size_t size);
void free(void *block);
void abort(void);
void exit(int status);
void _exit(int status);
int atexit(void (*f)(void));
int rand(void);
void srand(unsigned seed);
int abs(int n);
long labs(long n);
int atoi(const char *text);
long atol(const char *text);
long strtol(const char *text, char **end, int base);
char *getenv(const char *name);
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
";

const STDIO: &str = "typedef struct __lancehead_file FILE;
extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;
#define EOF (-1)
int printf(const char *format, ...);
int fprintf(FILE *file, const char *format, ...);
int sprintf(char *to, const char *format, ...);
int snprintf(char *to, size_t most, const char *format, ...);
int puts(const char *text);
int putchar(int c);
int fputs(const char *text, FILE *file);
int fputc(int c, FILE *file);
int putc(int c, FILE *file);
int fflush(FILE *file);
int getchar(void);
void perror(const char *text);
";

const ASSERT: &str = "extern void __assert_fail(const char *text, const char *file, unsigned line, const char *function);
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
#define assert(e) ((e) ? (void)0 : __assert_fail(#e, __FILE__, __LINE__, __func__))
#endif
#define static_assert _Static_assert
";

const STRING: &str = "void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *at, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memchr(const void *at, int byte, size_t size);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t most);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t most);
char *strcat(char *to, const char *from);
char *strncat(char *to, const char *from, size_t most);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t most);
char *strchr(const char *text, int c);
char *strrchr(const char *text, int c);
char *strstr(const char *text, const char *part);
char *strdup(const char *text);
char *strndup(const char *text, size_t most);
size_t strspn(const char *text, const char *set);
size_t strcspn(const char *text, const char *set);
char *strpbrk(const char *text, const char *set);
char *strtok(char *text, const char *set);
";

const STDBOOL: &str = "#define bool _Bool
#define true 1
#define false 0
#define __bool_true_false_are_defined 1
";

const LIMITS: &str = "#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ull
";

const STDINT: &str = "typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long intmax_t;
typedef unsigned long uintmax_t;
#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT32_MIN (-2147483647 - 1)
#define INT64_MAX 9223372036854775807L
#define INT64_MIN (-9223372036854775807L - 1)
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295u
#define UINT64_MAX 18446744073709551615ul
#define SIZE_MAX 18446744073709551615ul
#define INTPTR_MAX 9223372036854775807L
#define UINTPTR_MAX 18446744073709551615ul
";

const CTYPE: &str = "int isdigit(int c);
int isalpha(int c);
int isalnum(int c);
int isspace(int c);
int isupper(int c);
int islower(int c);
int toupper(int c);
int tolower(int c);
";

/// Functions of the library that are ordinary programs: they are translated when they are called and
/// not defined.
pub(crate) const LIBRARY: &str = "typedef unsigned long size_t;
size_t strlen(const char *text) { size_t n = 0; while (text[n] != 0) n++; return n; }
size_t strnlen(const char *text, size_t most) { size_t n = 0; while (n < most && text[n] != 0) n++; return n; }
char *strcpy(char *to, const char *from) { size_t i = 0; while ((to[i] = from[i]) != 0) i++; return to; }
char *strncpy(char *to, const char *from, size_t most) {
    size_t i = 0;
    for (; i < most && from[i] != 0; i++) to[i] = from[i];
    for (; i < most; i++) to[i] = 0;
    return to;
}
char *strcat(char *to, const char *from) {
    size_t n = 0, i = 0;
    while (to[n] != 0) n++;
    while ((to[n + i] = from[i]) != 0) i++;
    return to;
}
char *strncat(char *to, const char *from, size_t most) {
    size_t n = 0, i = 0;
    while (to[n] != 0) n++;
    for (; i < most && from[i] != 0; i++) to[n + i] = from[i];
    to[n + i] = 0;
    return to;
}
int strcmp(const char *a, const char *b) {
    size_t i = 0;
    while (a[i] != 0 && a[i] == b[i]) i++;
    return (int)(unsigned char)a[i] - (int)(unsigned char)b[i];
}
int strncmp(const char *a, const char *b, size_t most) {
    size_t i = 0;
    while (i < most && a[i] != 0 && a[i] == b[i]) i++;
    return i == most ? 0 : (int)(unsigned char)a[i] - (int)(unsigned char)b[i];
}
int memcmp(const void *a, const void *b, size_t size) {
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < size; i++)
        if (x[i] != y[i]) return (int)x[i] - (int)y[i];
    return 0;
}
void *memchr(const void *at, int byte, size_t size) {
    const unsigned char *x = at;
    for (size_t i = 0; i < size; i++)
        if (x[i] == (unsigned char)byte) return (void *)(x + i);
    return 0;
}
char *strchr(const char *text, int c) {
    for (;; text++) {
        if (*text == (char)c) return (char *)text;
        if (*text == 0) return 0;
    }
}
char *strrchr(const char *text, int c) {
    char *found = 0;
    for (;; text++) {
        if (*text == (char)c) found = (char *)text;
        if (*text == 0) return found;
    }
}
char *strstr(const char *text, const char *part) {
    for (;; text++) {
        size_t i = 0;
        while (part[i] != 0 && text[i] == part[i]) i++;
        if (part[i] == 0) return (char *)text;
        if (*text == 0) return 0;
    }
}
char *strdup(const char *text) {
    size_t n = 0;
    while (text[n] != 0) n++;
    char *copy = __builtin_malloc(n + 1);
    if (copy == 0) return 0;
    for (size_t i = 0; i <= n; i++) copy[i] = text[i];
    return copy;
}
char *strndup(const char *text, size_t most) {
    size_t n = 0;
    while (n < most && text[n] != 0) n++;
    char *copy = __builtin_malloc(n + 1);
    if (copy == 0) return 0;
    for (size_t i = 0; i < n; i++) copy[i] = text[i];
    copy[n] = 0;
    return copy;
}
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    char *at = base;
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && compare(at + (k - 1) * size, at + k * size) > 0; k--) {
            char *a = at + (k - 1) * size, *b = at + k * size, *spare = __builtin_malloc(size);
            __builtin_memcpy(spare, a, size);
            __builtin_memcpy(a, b, size);
            __builtin_memcpy(b, spare, size);
            __builtin_free(spare);
        }
}
void *bsearch(const void *key, const void *base, size_t count, size_t size,
              int (*compare)(const void *, const void *)) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *at = (const char *)base + middle * size;
        int order = compare(key, at);
        if (order == 0) return (void *)at;
        if (order < 0) high = middle; else low = middle + 1;
    }
    return 0;
}
size_t strspn(const char *text, const char *set) {
    size_t n = 0;
    for (; text[n] != 0; n++) {
        size_t i = 0;
        while (set[i] != 0 && set[i] != text[n]) i++;
        if (set[i] == 0) break;
    }
    return n;
}
size_t strcspn(const char *text, const char *set) {
    size_t n = 0;
    for (; text[n] != 0; n++) {
        size_t i = 0;
        while (set[i] != 0 && set[i] != text[n]) i++;
        if (set[i] != 0) break;
    }
    return n;
}
char *strpbrk(const char *text, const char *set) {
    for (; *text != 0; text++)
        for (size_t i = 0; set[i] != 0; i++)
            if (set[i] == *text) return (char *)text;
    return 0;
}
char *strtok(char *text, const char *set) {
    static char *rest;
    if (text == 0) text = rest;
    if (text == 0) return 0;
    for (;; text++) {
        size_t i = 0;
        while (set[i] != 0 && set[i] != *text) i++;
        if (*text == 0) { rest = 0; return 0; }
        if (set[i] == 0) break;
    }
    char *start = text;
    for (; *text != 0; text++)
        for (size_t i = 0; set[i] != 0; i++)
            if (set[i] == *text) { *text = 0; rest = text + 1; return start; }
    rest = 0;
    return start;
}
long strtol(const char *text, char **end, int base) {
    const char *at = text;
    long n = 0;
    int minus = 0, digits = 0;
    while (*at == ' ' || (*at >= 9 && *at <= 13)) at++;
    if (*at == '-' || *at == '+') minus = *at++ == '-';
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) { at += 2; base = 16; }
    else if (base == 0) base = *at == '0' ? 8 : 10;
    for (;; at++, digits++) {
        int d = *at >= '0' && *at <= '9' ? *at - '0' : *at >= 'a' && *at <= 'z' ? *at - 'a' + 10
              : *at >= 'A' && *at <= 'Z' ? *at - 'A' + 10 : 99;
        if (d >= base) break;
        n = n * base + d;
    }
    if (end != 0) *end = (char *)(digits ? at : text);
    return minus ? -n : n;
}
long atol(const char *text) { return strtol(text, 0, 10); }
void free(void *block) { __builtin_free(block); }
void *malloc(size_t size) { return __builtin_malloc(size); }
void *calloc(size_t count, size_t size) { return __builtin_calloc(count, size); }
void *realloc(void *block, size_t size) { return __builtin_realloc(block, size); }
void *memcpy(void *to, const void *from, size_t size) { return __builtin_memcpy(to, from, size); }
void *memmove(void *to, const void *from, size_t size) { return __builtin_memmove(to, from, size); }
void *memset(void *at, int byte, size_t size) { return __builtin_memset(at, byte, size); }
void abort(void) { __builtin_abort(); }
void exit(int status) { __builtin_exit(status); }
int puts(const char *text) { return __builtin_puts(text); }
int putchar(int c) { return __builtin_putchar(c); }
int abs(int n) { return n < 0 ? -n : n; }
long labs(long n) { return n < 0 ? -n : n; }
int isdigit(int c) { return c >= '0' && c <= '9'; }
int isupper(int c) { return c >= 'A' && c <= 'Z'; }
int islower(int c) { return c >= 'a' && c <= 'z'; }
int isalpha(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
int isalnum(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
int isspace(int c) { return c == ' ' || (c >= 9 && c <= 13); }
int toupper(int c) { return c >= 'a' && c <= 'z' ? c - 32 : c; }
int tolower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
int atoi(const char *text) {
    int n = 0, sign = 1;
    while (*text == ' ' || (*text >= 9 && *text <= 13)) text++;
    if (*text == '-') { sign = -1; text++; } else if (*text == '+') text++;
    while (*text >= '0' && *text <= '9') n = n * 10 + (*text++ - '0');
    return sign * n;
}
";

/// Does the library define a function in C?
pub(crate) fn defines(name: &str) -> bool {
    const NAMES: [&str; 44] = [
        "strlen", "strnlen", "strcpy", "strncpy", "strcat", "strncat", "strcmp", "strncmp",
        "memcmp", "memchr", "strchr", "strrchr", "strstr", "strdup", "strndup", "abs", "labs",
        "isdigit", "isupper", "islower", "isalpha", "isalnum", "isspace", "toupper", "tolower",
        "atoi", "qsort", "bsearch", "strspn", "strcspn", "strpbrk", "strtok", "strtol", "atol",
        // Calls of these are commands; procedures are for pointers to them.
        "free", "malloc", "calloc", "realloc", "memcpy", "memmove", "memset", "abort", "exit",
        "puts",
    ];
    NAMES.contains(&name) || name == "putchar"
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_library_defines_what_it_says() {
        let definitions = super::LIBRARY.lines().filter(|line| !line.starts_with([' ', '}']));
        for line in definitions.filter(|line| line.contains('(')) {
            let name = line.split('(').next().and_then(|head| head.split([' ', '*']).next_back());
            let name = name.unwrap_or_default();
            assert!(super::defines(name), "{name} is not in the list");
        }
    }
}
