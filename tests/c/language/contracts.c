// Contracts are comments before a function, and are kept; other tools have comments of their own.
struct node { int data; struct node *next; };

//@ pred two(x) := exists y. x |-> y *
//@                 y |-> nil;
//@ requires ls(x, nil)
//@ ensures  ls(x, nil)
int length(struct node *x) {
  int n = 0;
  //:: Warning(c.annotation)
  //@ loop invariant n >= 0;
  while (x) { n++; x = x->next; }
  return n;
}

#if 0
//@ requires emp
#endif

//:: Warning(c.annotation)
//@ requires true
int count;

int main(void) {
  const char *text = "//@ requires false";
  return length(0) + (text[0] != '/');
}
