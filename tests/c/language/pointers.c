// Pointers to pointers, to fields, to functions, through casts and integers.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { int data; struct node *next; };

static void push(struct node **list, int data) {
    struct node *n = malloc(sizeof *n);
    n->data = data;
    n->next = *list;
    *list = n;
}

static void remove_all(struct node **at, int data) {
    while (*at != NULL) {
        if ((*at)->data == data) {
            struct node *gone = *at;
            *at = gone->next;
            free(gone);
        } else {
            at = &(*at)->next;
        }
    }
}

static int twice(int n) { return 2 * n; }
static int apply(int (*f)(int), int n) { return (*f)(n) + f(n); }
static int compare(const char *a, const char *b) { return strcmp(a, b) < 0; }

int main(void) {
    struct node *l = NULL;
    for (int i = 0; i < 6; i++)
        push(&l, i % 3);
    remove_all(&l, 1);
    for (struct node *n = l; n; n = n->next)
        printf("%d", n->data);
    printf("\n");
    //> 2020
    void *untyped = l;
    struct node *typed = untyped;
    uintptr_t address = (uintptr_t)typed;
    printf("%d %d\n", ((struct node *)address)->data, (struct node *)address == l);
    //> 2 1
    char *bytes = (char *)&l->data;
    *bytes = 9;
    printf("%d %d\n", l->data, *(int *)bytes);
    //> 9 9
    printf("%d %d\n", apply(twice, 5), apply(&twice, 1));
    //> 20 4
    int (*f)(const char *, const char *) = compare;
    printf("%d %d\n", f("abc", "abd"), f("b", "a"));
    //> 1 0
    int matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int (*row)[3] = matrix + 1;
    printf("%d %d\n", (*row)[2], *(*(matrix + 1) - 1));
    //> 6 3
    char text[16];
    strcpy(text, "lance");
    strcat(text, "head");
    printf("%s %lu %d\n", text, strlen(text), memcmp(text, "lancer", 5));
    //> lancehead 9 0
    int *grown = malloc(2 * sizeof *grown);
    grown[1] = 7;
    grown = realloc(grown, 4 * sizeof *grown);
    grown[3] = grown[1] + 1;
    printf("%d\n", grown[3]);
    //> 8
    free(grown);
    remove_all(&l, 0);
    remove_all(&l, 9);
    remove_all(&l, 2);
    return l == NULL ? 0 : 1;
}
