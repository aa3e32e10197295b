// not claimed: reach
// What is written without a sign on one way is read with one.
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int *p = malloc(4);
  if (__VERIFIER_nondet_int())
    *(unsigned *)p = 4294967295u;
  else
    *p = 5;
  if (*p < 5) reach_error();
  free(p);
  return 0;
}
