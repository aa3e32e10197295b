//! Random C programs: heaps are built, walked, changed and taken down, by loops and by procedures; now and then a
//! guard or a step is left out, so that there is something to find.

use testing::Random;

const HEADER: &str = r#"
typedef unsigned long size_t;
extern void *malloc(size_t); extern void *calloc(size_t, size_t); extern void free(void *);
extern void *memcpy(void *, const void *, size_t); extern void *memset(void *, int, size_t);
extern void *realloc(void *, size_t);
extern int __VERIFIER_nondet_int(void); extern void abort(void); extern void reach_error(void);
#define any() __VERIFIER_nondet_int()
#define NULL ((void *)0)
struct S { struct S *next; struct S *prev; struct S *other; int data; union { long l; int i[2]; void *p; } u; };
typedef struct S S;
S *g; int gi; S gs; S *ga[3];
static S *make(S *next, int data) { S *s = malloc(sizeof *s); s->next = next; s->prev = NULL; s->other = NULL; s->data = data; s->u.l = 0; return s; }
static S *zero(void) { return calloc(1, sizeof(S)); }
static void push(S **at) { S *s = make(*at, any() % 3); if (*at) (*at)->prev = s; *at = s; }
static void pop(S **at) { S *s = *at; if (s) { *at = s->next; if (s->next) s->next->prev = NULL; free(s); } }
static void free_all(S *s) { while (s) { S *n = s->next; free(s); s = n; } }
static void free_rec(S *s) { if (s) { free_rec(s->next); free(s); } }
static void free_tree(S *s) { if (s) { free_tree(s->next); free_tree(s->prev); free(s); } }
static S *tree(int d) { if (d <= 0 || any()) return NULL; S *s = make(NULL, 0); s->next = tree(d - 1); s->prev = tree(d - 1); return s; }
static S *last(S *s) { if (!s) return NULL; while (s->next) s = s->next; return s; }
static S *find(S *s, int d) { while (s && s->data != d) s = s->next; return s; }
static void append(S **at) { while (*at) at = &(*at)->next; *at = make(NULL, 1); }
static S *reverse(S *s) { S *r = NULL; while (s) { S *n = s->next; s->next = r; s->prev = n; r = s; s = n; } return r; }
static int len(S *s) { return s ? 1 + len(s->next) : 0; }
static void swap(S **a, S **b) { S *t = *a; *a = *b; *b = t; }
static S *copy(S *s) { if (!s) return NULL; S *n = make(copy(s->next), s->data); return n; }
static S *id(S *s) { return s; }
static void set(int *p, int v) { *p = v; }
static void apply(void (*f)(S **), S **at) { f(at); }
"#;

struct Program {
    random: Random,
    text: String,
    depth: usize,
    steps: usize,
}

const VARS: [&str; 5] = ["p", "q", "h", "t", "g"];
const LINKS: [&str; 3] = ["next", "prev", "other"];

impl Program {
    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        self.random.pick(all).copied().unwrap_or_default()
    }

    fn line(&mut self, text: &str) {
        let indent = "  ".repeat(self.depth + 1);
        self.text.push_str(&indent);
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn var(&mut self) -> &'static str {
        self.pick(&VARS)
    }

    fn link(&mut self) -> &'static str {
        let all = ["next", "next", "next", "prev", "other"];
        self.pick(&all)
    }

    /// A guard, unless it is left out.
    fn guarded(&mut self, guard: &str, text: &str) {
        if self.random.once_in(9) {
            self.line(text);
        } else {
            self.line(&format!("if ({guard}) {{ {text} }}"));
        }
    }

    fn block(&mut self, head: &str, count: usize) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        for _ in 0..count {
            self.step();
        }
        self.depth -= 1;
        self.line("}");
    }

    fn build(&mut self) {
        let v = self.var();
        match self.random.below(10) {
            0 => self.line(&format!("{v} = NULL; while (any()) {v} = make({v}, any() % 3);")),
            1 => self.line(&format!("{v} = NULL; while (any()) push(&{v});")),
            2 => self.line(&format!("{v} = NULL; while (any()) append(&{v});")),
            3 => self.line(&format!("{v} = tree(any());")),
            4 => self.line(&format!("{v} = make(NULL, any());")),
            5 => self.line(&format!("{v} = zero();")),
            6 => {
                let l = self.pick(&LINKS);
                self.line(&format!(
                    "{v} = make(NULL, 0); {v}->{l} = {v}; while (any()) {{ S *n = make({v}->next, 1); {v}->next = n; }}"
                ));
            }
            7 => self.line(&format!(
                "{v} = NULL; while (any()) {{ S *n = make({v}, any() % 3); n->other = make(NULL, 2); {v} = n; }}"
            )),
            8 => {
                let w = self.var();
                self.line(&format!(
                    "{v} = NULL; while (any()) {{ S *n = make({v}, any() % 3); n->other = {w}; {v} = n; }}"
                ));
            }
            _ => self.line(&format!(
                "{v} = NULL; i = 0; while (i < 4 && any()) {{ {v} = make({v}, i); i++; }}"
            )),
        }
    }

    fn tear_down(&mut self, v: &str) {
        match self.random.below(8) {
            0 | 1 => self.line(&format!("free_all({v});")),
            2 => self.line(&format!("free_rec({v});")),
            3 => self.line(&format!("while ({v}) pop(&{v});")),
            4 => self.line(&format!(
                "while ({v}) {{ S *n = {v}->next; free({v}->other); free({v}); {v} = n; }}"
            )),
            5 => self.line(&format!("free_tree({v});")),
            6 => self.line(&format!("while ({v}) {{ S *n = {v}; {v} = {v}->next; free(n); }}")),
            _ => self.line(&format!("{v} = reverse({v}); free_all({v});")),
        }
        if !self.random.once_in(4) {
            self.line(&format!("{v} = NULL;"));
        }
    }

    fn step(&mut self) {
        self.steps += 1;
        if self.steps > 14 {
            return;
        }
        let (v, w, l) = (self.var(), self.var(), self.link());
        let nested = self.depth < 2;
        match self.random.below(44) {
            0..=4 => self.build(),
            5 | 6 => self.line(&format!("{v} = {w};")),
            7 | 8 => self.guarded(w, &format!("{v} = {w}->{l};")),
            9 | 10 => self.guarded(v, &format!("{v}->{l} = {w};")),
            11 => self.guarded(v, &format!("{v}->{l} = {v};")),
            12 => self.line(&format!("{v} = NULL;")),
            13 => {
                let text = format!("free({v});");
                self.line(&text);
                if !self.random.once_in(3) {
                    self.line(&format!("{v} = NULL;"));
                }
            }
            14 | 15 => self.tear_down(v),
            16 => self.line(&format!("{v} = find({w}, any() % 3);")),
            17 => self.line(&format!("{v} = last({w});")),
            18 => self.line(&format!("push(&{v});")),
            19 => self.line(&format!("pop(&{v});")),
            20 => self.line(&format!("{v} = reverse({v});")),
            21 => self.line(&format!("i = len({v}); if (i < 0) reach_error();")),
            22 => self.line(&format!("swap(&{v}, &{w});")),
            23 => self.line(&format!("{v} = copy({w});")),
            24 => {
                let f = self.pick(&["push", "pop", "append"]);
                self.line(&format!("apply({f}, &{v});"));
            }
            25 => self.guarded(v, &format!("apply(push, &{v}->{l});")),
            26 if nested => self.block("if (any())", 2),
            27 if nested => self.block("while (any())", 2),
            28 if nested => {
                self.line(&format!("t = {v};"));
                self.block("while (t)", 1);
                self.line("t = NULL;");
            }
            29 => self.line(&format!(
                "for (S *s = {v}; s; s = s->next) {{ s->data = any() % 3; s->u.l = i; }}"
            )),
            30 => {
                let c = self.pick(&["==", "!=", "<", ">="]);
                let n = self.random.below(4);
                self.guarded(v, &format!("if ({v}->data {c} {n} && any()) reach_error();"));
            }
            31 => {
                let c = self.pick(&["==", "!="]);
                self.line(&format!("if ({v} {c} {w}) reach_error();"));
            }
            32 => self.line("i = any(); if (i >= 0 && i < 3) ga[i] = NULL;"),
            33 => {
                let mask = self.random.below(4);
                self.line(&format!("ga[any() & {mask}] = NULL;"));
            }
            34 => {
                let k = self.random.below(3);
                self.line(&format!("free(ga[{k}]); ga[{k}] = NULL;"));
            }
            35 => {
                let k = self.random.below(3);
                self.line(&format!("free(ga[{k}]); ga[{k}] = make(NULL, {k});"));
            }
            36 => self.guarded(v, &format!("set(&{v}->data, any() % 3);")),
            37 => self
                .guarded(v, &format!("{v}->u.i[any() & 1] = 3; if ({v}->u.l == 0) reach_error();")),
            38 => {
                let (a, b, n) = (
                    4 * self.random.below(10),
                    4 * self.random.below(10),
                    4 * self.random.below(4),
                );
                self.guarded(
                    &format!("{v} && {w}"),
                    &format!("memcpy((char *){v} + {a}, (char *){w} + {b}, {n});"),
                );
            }
            39 => {
                let (a, n) = (4 * self.random.below(10), 4 * self.random.below(4));
                self.guarded(v, &format!("memset((char *){v} + {a}, 0, {n});"));
            }
            40 => self.guarded(&format!("{v} && {w}"), &format!("*{v} = *{w};")),
            41 => self.guarded(v, &format!("gs = *{v}; gs.next = NULL;")),
            42 => {
                let k = self.random.below(3);
                self.line(&format!("for (i = 0; i < {}; i++) ga[i] = {v};", k + 1));
            }
            _ => {
                let n = self.random.below(2);
                self.guarded(v, &format!("{v} = realloc({v}, sizeof(S) + {n});"));
            }
        }
    }
}

/// A program, by its number.
pub fn program(seed: u64) -> String {
    let random = Random::numbered(seed);
    let mut program = Program { random, text: HEADER.to_string(), depth: 0, steps: 0 };
    program
        .text
        .push_str("int main(void) {\n  S *p = NULL, *q = NULL, *h = NULL, *t = NULL; int i = 0;\n");
    program.build();
    let count = 1 + program.random.below(6);
    for _ in 0..count {
        program.step();
    }
    for v in VARS {
        if !program.random.once_in(4) {
            program.tear_down(v);
        }
    }
    program.line("(void)i;");
    program.line("return 0;");
    program.text.push_str("}\n");
    program.text
}
