// by grass
// Neighbours are compared: there is no bound that a frame would have to find.
pred sls(x, y) := x = y || (exists d. x != y * x |-> {next: y, data: d}) ||
    exists u, w, d, e. x != y * d <= e * x |-> {next: u, data: d} *
        (sls(u, y) && u |-> {next: w, data: e} * true);

// frame x != y * x != nil * sls(y, nil)
x |-> {next: y, data: 3} * sls(y, nil)
|= x |-> {next: y, data: 3}

// frame sls(y, nil)
sls(x, y) * sls(y, nil)
|= sls(x, y)

// no frame
sls(x, y) * sls(y, nil)
|= sls(x, nil)

// anti-frame sls(y, z)
sls(x, y)
|= sls(x, y) * sls(y, z)

// anti-frame y = nil
x |-> {next: y, data: 3}
|= sls(x, nil)
