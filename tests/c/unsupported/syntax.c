// A mistake in the syntax.
int main(void) {
    //:: Error(c.syntax)
    int x = ;
    return x;
}
