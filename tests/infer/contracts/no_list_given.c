// Without a precondition for the second cell the step is not safe.
//:: entry second
//:: infer memsafety: unknown
struct node { int data; struct node *next; };

//@ requires ls(list, nil) * list != nil
int second(struct node *list) { return list->next->data; }
