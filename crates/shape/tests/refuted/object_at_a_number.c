// not claimed: reach
// An object may be at any address.
extern void *malloc(unsigned long);
extern void free(void *);
extern void reach_error(void);

int main(void) {
  char *p = malloc(1);
  unsigned long at = (unsigned long)p;
  if (at >= 0x10000000UL && at <= 0x10000000UL) reach_error();
  free(p);
  return 0;
}
