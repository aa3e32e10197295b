// A directive that there is not, and a condition that does not end.
//:: Error(c.preprocessor)
#bogus
int main(void) { return 0; }
//:: Error(c.preprocessor)
#if 1
