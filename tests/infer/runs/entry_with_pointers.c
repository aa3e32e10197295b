// Nothing is known of a pointer that is given: that it may be null here is the matter of its callers.
//:: entry next
//:: infer memsafety: unknown, memtrack: unknown, reach: unknown
struct node { struct node *next; };

struct node *next(struct node *n) {
  return n->next;
}
