// Functions of a library are called after others: what a global variable holds at first does not last.
//:: infer memsafety: unknown, memtrack: unknown, reach: unknown
static int ready;

void prepare(void) {
  ready = 1;
}

int use(void) {
  int *p = 0;
  return ready ? *p : 0;
}
