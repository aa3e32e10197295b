// Code without `main`: parameters that are numbers may be any.
//:: entry divide
//:: infer memsafety: unsafe@7
static int table[4];

int divide(int n, int m) {
  return table[n % 8] / (m ? m : 1);
}
