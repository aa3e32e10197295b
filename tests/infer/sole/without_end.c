// It has one run, which does not end: that is proved by an invariant.
//:: infer memsafety: safe
int main(void) {
  int n = 0;
  while (1)
    n = 1 - n;
}
