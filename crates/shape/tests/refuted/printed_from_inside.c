// not claimed: memsafety
// A string that starts at an index of an object may start behind its end.
extern void *malloc(unsigned long);
extern void free(void *);
extern int printf(const char *, ...);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  char *text = malloc(4);
  text[0] = 0;
  int i = __VERIFIER_nondet_int();
  if (i >= 0 && i < 100) printf("%s", text + i);
  free(text);
  return 0;
}
