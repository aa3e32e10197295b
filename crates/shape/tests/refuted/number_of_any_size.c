// not claimed: reach
// A conversion of a number of which nothing is known changes it.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  long i = 0;
  while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int()) i++;
    else i--;
  }
  unsigned long u = (unsigned long)i;
  if (i < 0 && u >= 5) reach_error();
  return 0;
}
