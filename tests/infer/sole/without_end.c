// It has one run, which does not end: a prefix of it proves nothing.
//:: infer memsafety: unknown
int main(void) {
  int n = 0;
  while (1)
    n = 1 - n;
}
