// In-place reversal [MNCL06, Fig. 4].
//:: entry reverse
//:: infer memsafety: safe, memtrack: safe, reach: safe
//:: invariant new = nil * curr = old * ls(old, nil)
//:: invariant new |-> {next: nil} * curr = old * ls(old, nil)
//:: invariant new != nil * ls(new, nil) * curr = old * ls(old, nil)
struct node { int data; struct node *next; };

//@ requires ls(old, nil)
struct node *reverse(struct node *old) {
  struct node *new = 0, *curr = old;
  while (curr != 0) {
    old = old->next;
    curr->next = new;
    new = curr;
    curr = old;
  }
  return new;
}
