// A precondition is found for functions that nobody calls. This one is called, with what does not satisfy it.
//:: infer memsafety: unsafe@7, memtrack: unknown, reach: unknown
struct node { struct node *next; };

static struct node *next(struct node *n) {
  // With a node it is fine.
  return n->next;
}

int main(void) {
  return next(0) == 0;
}
