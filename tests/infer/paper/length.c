// The length of a list [MNCL06, Sec. 6].
//:: entry length
//:: infer memsafety: safe, memtrack: safe, reach: safe
//:: invariant ls(hd, curr) * ls(curr, nil)
struct node { int data; struct node *next; };

//@ requires ls(hd, nil)
int length(struct node *hd) {
  struct node *curr = hd;
  int n = 0;
  while (curr != 0) {
    n = n + 1;
    curr = curr->next;
  }
  return n;
}
