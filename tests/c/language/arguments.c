// The arguments of main are strings of which nothing is known; null is behind them.
#include <assert.h>
#include <stddef.h>
#include <string.h>

int main(int argc, char **argv) {
    assert(argc >= 1);
    assert(argv[argc] == NULL);
    for (int i = 0; i < argc; i++)
        assert(argv[i] != NULL && strlen(argv[i]) < 1000);
    if (argc > 1) {
        //:: Fault(assertion-failed)
        assert(argv[1][0] == 'x');
    }
    return 0;
}
