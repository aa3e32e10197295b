pred hls(x, h) := x = nil || exists u. x |-> {next: u, head: h} * hls(u, h);

// frame u != x * x != nil * hls(u, h)
x |-> {next: u, head: h} * hls(u, h)
|= x |-> {next: u, head: h}

// frame u != x * x != y * x != nil * hls(y, k)
x |-> {next: u, head: h} * hls(u, h) * hls(y, k)
|= hls(x, h)

// no frame
x |-> {next: u, head: h} * hls(u, k) * k != h
|= hls(x, h)
