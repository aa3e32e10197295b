// not claimed: memtrack
// An object that all nodes of a list lead to is lost if the list is empty.
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int *common; };
struct node *kept;

static struct node *push(struct node *list, int *common) {
  struct node *n = malloc(sizeof *n);
  n->next = list;
  n->common = common;
  return n;
}

static struct node *pop(struct node *list) {
  struct node *next = list->next;
  free(list);
  return next;
}

int main(void) {
  int *common = malloc(4);
  struct node *list = push(push(push(0, common), common), common);
  while (__VERIFIER_nondet_int()) list = push(list, common);
  if (list) {
    list = pop(list);
    if (list) {
      list = pop(list);
      if (list) {
        kept = pop(list);
        return 0;
      }
    }
  }
  while (list) list = pop(list);
  free(common);
  return 0;
}
