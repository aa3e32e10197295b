// not claimed: reach
// printf returns a negative number where it fails.
extern int printf(const char *, ...);
extern void reach_error(void);

int main(void) {
  if (printf("hello") < 0) reach_error();
  return 0;
}
