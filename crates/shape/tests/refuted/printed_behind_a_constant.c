// not claimed: memsafety
// A place behind the end of a constant is no string.
extern int printf(const char *, ...);

int main(void) {
  printf("%s", "abc" + 10);
  return 0;
}
