// Where an assumption does not hold there is no run.
//:: infer memsafety: unsafe@12, reach: unknown
//:: inputs 8
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
  int a[8], n = __VERIFIER_nondet_int();
  __VERIFIER_assume(n >= 0);
  for (int i = 0; i < 8; i++)
    a[i] = 0;
  return a[n];
}
