// The sum of the elements of a list [MNCL06, Sec. 6].
//:: entry sum
//:: infer memsafety: safe, memtrack: safe, reach: safe
//:: invariant ls(hd, curr) * ls(curr, nil)
struct node { int data; struct node *next; };

//@ requires ls(hd, nil)
int sum(struct node *hd) {
  struct node *curr = hd;
  int s = 0;
  while (curr != 0) {
    int t = curr->data;
    s = s + t;
    curr = curr->next;
  }
  return s;
}
