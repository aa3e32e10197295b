// It has to be said where to start.
//:: error infer.entry
int f(void) { return 0; }
