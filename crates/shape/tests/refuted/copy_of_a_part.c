// not claimed: reach
// The second half of a number is copied out of an object that is zero elsewhere.
extern void *calloc(unsigned long, unsigned long);
extern void free(void *);
extern void *memcpy(void *, const void *, unsigned long);
extern void reach_error(void);

int main(void) {
  long *a = calloc(2, 8), *b = calloc(2, 8);
  a[0] = 0x0101010101010101;
  memcpy(b, (char *)a + 4, 4);
  int x = *(int *)b;
  free(a);
  free(b);
  if (x != 0) reach_error();
  return 0;
}
