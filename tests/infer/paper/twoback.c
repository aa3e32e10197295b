// A pointer that follows two cells behind [MNCL06, Sec. 5].
//:: entry twoback
//:: infer memsafety: safe, memtrack: safe, reach: safe
//:: invariant exists v. ls(l, twoback) * twoback |-> {next: v} * v |-> {next: curr} * ls(curr, nil)
struct node { int data; struct node *next; };

//@ requires ls(l, nil)
struct node *twoback(struct node *l) {
  struct node *twoback = l, *curr;
  if (l == 0 || l->next == 0)
    return l;
  curr = l->next->next;
  while (curr != 0) {
    twoback = twoback->next;
    curr = curr->next;
  }
  // The distance is two: both steps are safe.
  twoback = twoback->next;
  twoback = twoback->next;
  return l;
}
