// not claimed: memsafety
// A format may start within a constant: there it says something else.
extern void *malloc(unsigned long);
extern void free(void *);
extern int printf(const char *, ...);

int main(void) {
  char *text = malloc(4);
  free(text);
  printf("%%s" + 1, text);
  return 0;
}
