//:: prove safe, nothing is lost
// What is right of the left child is still smaller than the record: the refinement of the whole subtree.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct tree {
  struct tree *left, *right;
  int key;
};

static struct tree *leaf(int key) {
  struct tree *t = malloc(sizeof *t);
  t->left = t->right = NULL;
  t->key = key;
  return t;
}

// Without recursion: rotated to the right as long as there is something left of the root, which is freed then.
static void delete(struct tree *root) {
  while (root) {
    struct tree *t = root->left;
    if (t) {
      root->left = t->right;
      t->right = root;
    } else {
      t = root->right;
      free(root);
    }
    root = t;
  }
}

int main(void) {
  struct tree *root = leaf(__VERIFIER_nondet_int());
  while (__VERIFIER_nondet_int()) {
    int key = __VERIFIER_nondet_int();
    struct tree *t = root;
    while (1) {
      if (key < t->key) {
        if (!t->left) {
          t->left = leaf(key);
          break;
        }
        t = t->left;
      } else if (key > t->key) {
        if (!t->right) {
          t->right = leaf(key);
          break;
        }
        t = t->right;
      } else
        break;
    }
  }
  int key = __VERIFIER_nondet_int();
  struct tree *t = root;
  while (t && t->key != key) {
    if (key < t->key) {
      if (t->left)
        assert(!t->left->right || t->left->right->key < t->key);
      t = t->left;
    } else {
      if (t->right)
        assert(t->right->key > t->key);
      t = t->right;
    }
  }
  delete(root);
  return 0;
}
