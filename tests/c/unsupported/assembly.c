// What is not supported is an error where it stands.
int main(void) {
    int x = 1;
    //:: Error(c.unsupported)
    __asm__("nop");
    return x;
}
