//:: prove safe
// All numbers of a tree are at least zero: put there, summed up and looked at by procedures that call themselves.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct tree {
    struct tree *left, *right;
    int key;
};

static struct tree *insert(struct tree *tree, int key) {
    if (!tree) {
        struct tree *leaf = malloc(sizeof *leaf);
        leaf->key = key;
        leaf->left = leaf->right = NULL;
        return leaf;
    }
    if (key < tree->key) tree->left = insert(tree->left, key);
    else tree->right = insert(tree->right, key);
    return tree;
}

static int least(struct tree *tree, int so_far) {
    if (!tree) return so_far;
    if (tree->key < so_far) so_far = tree->key;
    so_far = least(tree->left, so_far);
    return least(tree->right, so_far);
}

static void delete(struct tree *tree) {
    if (!tree) return;
    delete(tree->left);
    delete(tree->right);
    free(tree);
}

int main(void) {
    struct tree *tree = NULL;
    int key;
    while ((key = __VERIFIER_nondet_int()) >= 0) tree = insert(tree, key);
    assert(least(tree, 7) >= 0);
    delete(tree);
    return 0;
}
