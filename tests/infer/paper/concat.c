// One list behind another [MNCL06, Sec. 6].
//:: entry concat
//:: infer memsafety: safe, memtrack: safe, reach: safe
//:: invariant prev = nil * curr = a * ls(a, nil) * ls(b, nil)
//:: invariant ls(a, prev) * prev |-> {next: curr} * ls(curr, nil) * ls(b, nil)
struct node { int data; struct node *next; };

//@ requires ls(a, nil) * ls(b, nil)
struct node *concat(struct node *a, struct node *b) {
  struct node *prev = 0, *curr = a;
  while (curr != 0) {
    prev = curr;
    curr = curr->next;
  }
  if (prev == 0)
    return b;
  prev->next = b;
  return a;
}
