// In a function that is never called it is a warning.
static void unused(void) {
    //:: Warning(c.unsupported)
    __asm__("nop");
}

int main(void) {
    return 0;
}
