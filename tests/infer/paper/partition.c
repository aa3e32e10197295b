// What is less than v is moved to another list [MNCL06, Sec. 6].
//:: entry partition
//:: infer memsafety: safe, memtrack: safe, reach: safe
// The four disjuncts of the paper, with what it says of equal variables in its text.
//:: invariant newl = nil * prev = nil * curr = hd * ls(hd, nil)
//:: invariant prev = nil * curr = hd * ls(hd, nil) * ls(newl, nil)
//:: invariant prev = hd * hd |-> {next: curr} * ls(curr, nil) * ls(newl, nil)
//:: invariant ls(hd, prev) * prev |-> {next: curr} * ls(curr, nil) * ls(newl, nil)
struct node { int data; struct node *next; };

//@ requires ls(hd, nil)
struct node *partition(struct node *hd, int v) {
  struct node *newl = 0, *curr = hd, *prev = 0;
  while (curr != 0) {
    struct node *nextCurr = curr->next;
    int t = curr->data;
    if (t < v) {
      if (prev != 0)
        prev->next = nextCurr;
      if (curr == hd)
        hd = nextCurr;
      curr->next = newl;
      newl = curr;
    } else {
      prev = curr;
    }
    curr = nextCurr;
  }
  // Both lists are one in the end, so that nothing is lost.
  if (prev == 0)
    return newl;
  prev->next = newl;
  return hd;
}
