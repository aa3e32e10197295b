// not claimed: memsafety
// A pointer that is compared with a number is no number.
extern void *malloc(unsigned long);
extern void free(void *);
extern int printf(const char *, ...);

int main(void) {
  char *text = malloc(4);
  free(text);
  if ((long)text > 5) printf("%s", text);
  return 0;
}
