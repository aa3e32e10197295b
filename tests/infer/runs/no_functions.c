// There is nothing to start at.
//:: error infer.entry
int f(void);
