// The least number divided by minus one is no number of the type.
int main(void) {
    int least = -2147483647 - 1, minus = -1;
    //:: Fault(overflow)
    return least / minus;
}
