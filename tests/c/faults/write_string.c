// String literals are constants.
int main(void) {
    char *s = "abc";
    char buffer[] = "abc";
    buffer[0] = 'x';
    //:: Fault(write-to-constant)
    s[0] = 'x';
    return 0;
}
