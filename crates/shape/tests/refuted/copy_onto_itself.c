// not claimed: memsafety
// memcpy must not be given places that overlap.
extern void *calloc(unsigned long, unsigned long);
extern void free(void *);
extern void *memcpy(void *, const void *, unsigned long);

int main(void) {
  char *a = calloc(1, 32);
  memcpy(a + 8, a, 12);
  free(a);
  return 0;
}
