// Mistakes in types and names, several at once.
struct node { int data; };

int main(void) {
    struct node n = {1};
    //:: Error(c.type)
    n.missing = 2;
    //:: Error(c.type)
    undeclared = 3;
    struct unknown *p = 0;
    //:: Error(c.type)
    return p->data;
}

struct itself {
    //:: Error(c.type)
    struct itself;
};
struct many {
    //:: Error(c.type)
    struct many array[2];
};
