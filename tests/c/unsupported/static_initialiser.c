// What lives as long as the program starts with a constant.
int main(void) {
    int n = 3;
    int array[2];
    static int size = sizeof array / sizeof *array;
    //:: Error(c.type)
    static int copy = n;
    //:: Error(c.type)
    static int *place = &array[1];
    return size + copy + *place;
}
