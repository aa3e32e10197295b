// Integers of 128 bits.
int main(void) {
    //:: Error(c.unsupported)
    __int128 x = 5;
    return sizeof x;
}
