// not claimed: reach
// The end of one object may be the start of another.
extern void reach_error(void);
int a[1], b[1];

int main(void) {
  if (a + 1 == b) reach_error();
  return 0;
}
