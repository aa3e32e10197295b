// Arrays of variable size.
int main(int argc, char **argv) {
    //:: Error(c.unsupported)
    int a[argc];
    return 0;
}
