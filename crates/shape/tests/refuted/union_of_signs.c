// not claimed: reach
// The bits of a negative number are a large one without a sign.
extern long __VERIFIER_nondet_long(void);
extern void reach_error(void);
union number { long with; unsigned long without; };

int main(void) {
  union number n;
  n.with = __VERIFIER_nondet_long();
  if (n.with < 0 && n.without >= 10) reach_error();
  return 0;
}
