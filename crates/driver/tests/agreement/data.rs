//! Random C programs on lists with data: loops that build, insert, delete, reverse, search, copy, and assertions on what the
//! lists hold and how long they are; some by recursion. Some are right, in others an operator, a number, a guard or a statement is wrong; nobody
//! knows which, so the judge is the interpreter on all small inputs.

use super::generate::Choices;

/// A program.
pub fn program(seed: u64) -> String {
    let mut program = Program {
        choices: Choices::new(seed ^ 0x5eed),
        body: String::new(),
        mistakes: 0,
        kind: Kind::Any,
        low: 0,
        functions: false,
        recursive: None,
    };
    program.mistakes = if program.choices.below(2) == 0 { 9 } else { usize::MAX };
    program.functions = program.choices.below(3) == 0;
    if program.functions && program.choices.below(2) == 0 {
        program.recursive = Some(program.recursive_functions());
    }
    program.build();
    for _ in 0..1 + program.choices.below(3) {
        program.operation();
    }
    program.assertion();
    program.end();
    program.text()
}

/// What is meant to hold of all data of the list.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Nothing.
    Any,
    /// It is not less than a bound.
    AtLeast,
    /// It is a constant.
    Constant,
    /// It descends from the front on.
    Descending,
    /// It ascends.
    Ascending,
}

struct Program {
    choices: Choices,
    body: String,
    /// One of so many places is wrong.
    mistakes: usize,
    kind: Kind,
    low: usize,
    functions: bool,
    /// Functions that call themselves, in place of the others.
    recursive: Option<String>,
}

impl Program {
    fn line(&mut self, text: &str) {
        self.body.push_str("  ");
        self.body.push_str(text);
        self.body.push('\n');
    }

    /// What is right, or sometimes what is wrong.
    fn or<'t>(&mut self, right: &'t str, wrong: &'t str) -> &'t str {
        if self.mistakes != usize::MAX && self.choices.below(self.mistakes) == 0 {
            wrong
        } else {
            right
        }
    }

    fn text(&self) -> String {
        let functions = "static struct node *push(struct node *l, int x) {
  struct node *p = malloc(sizeof *p);
  p->data = x; p->next = l;
  return p;
}
static int length(struct node *l) {
  int n = 0;
  while (l) { n++; l = l->next; }
  return n;
}
";
        format!(
            "#include <assert.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct node {{ int data; struct node *next; }};
{}int main(void) {{
  struct node *a = NULL, *p, *q, *r;
  int n = 0, i = 0, x, found = 0;
{}  return 0;
}}
",
            match &self.recursive {
                Some(recursive) => recursive.as_str(),
                None if self.functions => functions,
                None => "",
            },
            self.body
        )
    }

    /// One more at the end, the length, a change of all, and the end of a list, by recursion.
    fn recursive_functions(&mut self) -> String {
        let end = self.or("p->next = NULL; ", "");
        let link = self.or("l->next = push(l->next, x);", "push(l->next, x);");
        let count = self.or("1 + length(l->next)", "length(l->next)");
        let by = self.choices.below(3);
        let guard = self.or("if (!l) return; ", "");
        let drop = self.or("drop(l->next); free(l);", "free(l); drop(l->next);");
        format!(
            "static struct node *push(struct node *l, int x) {{
  if (!l) {{ struct node *p = malloc(sizeof *p); p->data = x; {end}return p; }}
  {link} return l;
}}
static int length(struct node *l) {{ if (!l) return 0; return {count}; }}
static void add(struct node *l) {{ {guard}l->data += {by}; add(l->next); }}
static void drop(struct node *l) {{ if (!l) return; {drop} }}
"
        )
    }

    fn build(&mut self) {
        self.low = self.choices.below(3);
        let low = self.low;
        self.kind = [Kind::Any, Kind::AtLeast, Kind::Constant, Kind::Descending, Kind::Ascending]
            [self.choices.below(5)];
        let turn = match self.choices.below(3) {
            0 => "__VERIFIER_nondet_int()",
            1 => "n < 4 && __VERIFIER_nondet_int()",
            _ => "i < 3",
        };
        let data = match self.kind {
            Kind::Any => "x = __VERIFIER_nondet_int();".to_owned(),
            Kind::AtLeast => {
                let less = self.or("<", ">");
                format!("x = __VERIFIER_nondet_int(); if (x {less} {low}) x = {low};")
            }
            Kind::Constant => {
                format!("x = {};", if self.or("y", "n") == "y" { low + 4 } else { low + 5 })
            }
            // The last one that is put in front is the first.
            Kind::Descending => format!("x = {low} + i;"),
            Kind::Ascending => {
                self.line("i = 0;");
                let sign = self.or("-", "+");
                format!("x = {low} {sign} i;")
            }
        };
        let count = self.or("n++; ", "");
        let insert = if self.functions {
            "a = push(a, x);".to_owned()
        } else {
            let link = self.or("p->next = a; ", "");
            format!("p = malloc(sizeof *p); p->data = x; {link}a = p;")
        };
        self.line(&format!("while ({turn}) {{ {data} i++; {insert} {count}}}"));
        if self.recursive.is_some() {
            // The last one that is put at the end is the last.
            self.turn_around();
        }
    }

    fn operation(&mut self) {
        match self.choices.below(7) {
            0 => {
                let link = self.or("p->next = r; ", "");
                self.line(&format!(
                    "r = NULL; while (a) {{ p = a; a = a->next; {link}r = p; }} a = r;"
                ));
                self.turn_around();
            }
            1 => {
                // The first one is deleted.
                let guard = self.or("a", "n");
                let count = self.or("n--; ", "");
                let free = self.or("free(a); ", "");
                self.line(&format!("if ({guard}) {{ p = a->next; {free}a = p; {count}}}"));
            }
            2 => {
                // One more, in its place.
                let order = match (self.kind, self.choices.below(6)) {
                    (Kind::Descending, 1..) => self.or(">", "<"),
                    (Kind::Ascending, 1..) => self.or("<", ">"),
                    _ => self.or("!=", "=="),
                };
                let guard = self.or("q->next && ", "");
                let value = self.value();
                let count = self.or("n++;", "");
                self.line(&format!("{value} p = malloc(sizeof *p); p->data = x; p->next = NULL;"));
                self.line(&format!(
                    "if (!a || !(a->data {order} x)) {{ p->next = a; a = p; }} else {{ q = a; \
                     while ({guard}q->next->data {order} x) q = q->next; p->next = q->next; q->next = p; }} {count}"
                ));
            }
            3 => {
                // Searched.
                let key = self.low + self.choices.below(3);
                let guard = self.or("p && ", "");
                self.line(&format!(
                    "p = a; found = 0; while ({guard}p->data != {key}) p = p->next;"
                ));
                let found = self.or("p", "a");
                self.line(&format!("if ({found}) {{ found = 1; assert(p->data == {key}); }}"));
            }
            4 => {
                // Those with a value are deleted.
                let key = self.low + self.choices.below(2);
                let count = self.or("n--; ", "");
                let link = self.or("q->next = p->next;", "q = p->next;");
                self.line(&format!(
                    "q = NULL; p = a; while (p) {{ if (p->data == {key}) {{ r = p->next; \
                     if (q) {link} else a = p->next; free(p); {count}p = r; }} else {{ q = p; p = p->next; }} }}"
                ));
            }
            5 if self.recursive.is_some() => {
                self.line("add(a);");
                if self.kind != Kind::AtLeast {
                    self.kind = Kind::Any;
                }
            }
            5 => {
                // All of them are changed.
                let by = self.choices.below(3);
                let sign = self.or("+", "-");
                self.line(&format!("for (p = a; p; p = p->next) p->data = p->data {sign} {by};"));
                self.low += by;
            }
            _ => {
                // Copied, and the old one is deleted.
                let free = self.or("free(p); ", "");
                self.line(&format!(
                    "r = NULL; q = NULL; while (a) {{ p = a; a = a->next; x = p->data; {free}p = malloc(sizeof *p); \
                     p->data = x; p->next = NULL; if (q) q->next = p; else r = p; q = p; }} a = r;"
                ));
            }
        }
    }

    fn turn_around(&mut self) {
        self.kind = match self.kind {
            Kind::Descending => Kind::Ascending,
            Kind::Ascending => Kind::Descending,
            kind => kind,
        };
    }

    fn value(&mut self) -> String {
        let low = self.low;
        match self.kind {
            Kind::AtLeast => format!("x = __VERIFIER_nondet_int(); if (x < {low}) x = {low};"),
            Kind::Constant => format!("x = {};", low + 4),
            _ => "x = __VERIFIER_nondet_int();".to_owned(),
        }
    }

    fn assertion(&mut self) {
        let low = self.low;
        if self.choices.below(3) == 0 {
            let op = self.or("==", ">");
            if self.functions {
                self.line(&format!("assert(length(a) {op} n);"));
            } else {
                self.line(&format!("i = 0; for (p = a; p; p = p->next) i++; assert(i {op} n);"));
            }
        }
        let all = match self.kind {
            Kind::Any => "n >= 0".to_owned(),
            Kind::AtLeast => format!("p->data {} {low}", self.or(">=", ">")),
            Kind::Constant => format!("p->data == {}", low + 4),
            Kind::Descending => {
                format!("!p->next || p->data {} p->next->data", self.or(">=", "<"))
            }
            Kind::Ascending => {
                format!("!p->next || p->data {} p->next->data", self.or("<=", "<"))
            }
        };
        self.line(&format!("for (p = a; p; p = p->next) assert({all});"));
    }

    fn end(&mut self) {
        if self.recursive.is_some() {
            self.line("drop(a);");
            return;
        }
        let free = self.or("free(a); ", "");
        self.line(&format!("while (a) {{ p = a->next; {free}a = p; }}"));
    }
}
