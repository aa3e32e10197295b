// Addresses of labels.
int main(void) {
    //:: Error(c.unsupported)
    void *labels[] = { &&a, &&b };
    goto *labels[1];
a:
    return 1;
b:
    return 2;
}
