//! Random C programs on lists: built, walked along, searched, reversed, joined, deleted; with assertions; some with mistakes.

use testing::Random;

/// Random choices from a seed.
pub struct Choices(Random);

impl Choices {
    pub fn new(seed: u64) -> Choices {
        Choices(Random::numbered(seed))
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of.get(self.below(of.len())).copied().unwrap_or_default()
    }

    /// In one of so many cases.
    fn one_in(&mut self, cases: usize) -> bool {
        self.below(cases) == 0
    }
}

/// What lists look like.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Single,
    Double,
}

/// A program. About half of them have no mistake.
pub fn program(seed: u64) -> String {
    let mut choices = Choices::new(seed);
    let shape = if choices.one_in(3) { Shape::Double } else { Shape::Single };
    let mut program = Program {
        shape,
        mistakes: if choices.one_in(2) { 12 } else { usize::MAX },
        body: String::new(),
        functions: choices.one_in(3),
        choices,
    };
    program.build("a");
    if program.choices.one_in(2) {
        program.build("b");
    }
    for _ in 0..1 + program.choices.below(4) {
        program.operation();
    }
    for list in ["a", "b"] {
        program.delete_all(list);
    }
    program.text()
}

struct Program {
    shape: Shape,
    /// One of so many guards and links is left out.
    mistakes: usize,
    body: String,
    functions: bool,
    choices: Choices,
}

impl Program {
    fn text(&self) -> String {
        let prev = if self.shape == Shape::Double { "struct node *prev; " } else { "" };
        let reverse = "static struct node *reverse(struct node *l) {
  struct node *r = NULL, *t;
  while (l) { t = l->next; l->next = r; r = l; l = t; }
  return r;
}
static void delete(struct node *l) {
  while (l) { struct node *t = l->next; free(l); l = t; }
}
";
        format!(
            "#include <assert.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct node {{ int data; struct node *next; {prev}}};
{}int main(void) {{
  struct node *a = NULL, *b = NULL, *p, *q, *r;
  int n = 0, found = 0;
{}  return 0;
}}
",
            if self.functions { reverse } else { "" },
            self.body
        )
    }

    fn line(&mut self, text: &str) {
        self.body.push_str("  ");
        self.body.push_str(text);
        self.body.push('\n');
    }

    /// A statement that is forgotten now and then.
    fn needed<'t>(&mut self, text: &'t str) -> &'t str {
        if self.mistakes != usize::MAX && self.choices.one_in(self.mistakes) { "" } else { text }
    }

    /// A condition that is forgotten now and then.
    fn guard<'t>(&mut self, condition: &'t str) -> &'t str {
        if self.mistakes != usize::MAX && self.choices.one_in(self.mistakes) {
            "1"
        } else {
            condition
        }
    }

    fn build(&mut self, list: &str) {
        let data = self.choices.pick(&["1", "2", "__VERIFIER_nondet_int()", "n"]);
        let turn = self.choices.pick(&[
            "__VERIFIER_nondet_int()",
            "n < 3",
            "n++ < 5 && __VERIFIER_nondet_int()",
        ]);
        let count = if turn == "n < 3" { "n++; " } else { "" };
        self.line("n = 0;");
        let set = self.needed("p->data = DATA; ").replace("DATA", data);
        let back = match self.shape {
            Shape::Double => {
                let link = self.needed("if (LIST) LIST->prev = p; ").replace("LIST", list);
                format!("p->prev = NULL; {link}")
            }
            Shape::Single => String::new(),
        };
        if self.shape == Shape::Single && self.choices.one_in(3) {
            // At the end, with a pointer to the last one.
            let link = self.needed("p->next = NULL; ");
            self.line(&format!(
                "q = NULL; while ({turn}) {{ {count}p = malloc(sizeof *p); {set}{link}if (q) q->next = p; else {list} = p; q = p; }}"
            ));
        } else {
            let link = self.needed("p->next = LIST; ").replace("LIST", list);
            self.line(&format!(
                "while ({turn}) {{ {count}p = malloc(sizeof *p); {set}{link}{back}{list} = p; }}"
            ));
        }
    }

    fn operation(&mut self) {
        let list = self.choices.pick(&["a", "b"]);
        let other = if list == "a" { "b" } else { "a" };
        match self.choices.below(9) {
            0 if self.shape == Shape::Single => match self.functions {
                true => self.line(&format!("{list} = reverse({list});")),
                false => {
                    let link = self.needed("p->next = r; ");
                    self.line(&format!(
                        "r = NULL; while ({list}) {{ p = {list}; {list} = p->next; {link}r = p; }} {list} = r;"
                    ));
                }
            },
            1 => {
                // The first one is gone.
                let guard = self.guard(list);
                let back = match self.shape {
                    Shape::Double => self.needed("if (p) p->prev = NULL; "),
                    Shape::Single => "",
                };
                let free = self.needed("free(LIST); ").replace("LIST", list);
                self.line(&format!("if ({guard}) {{ p = {list}->next; {back}{free}{list} = p; }}"));
            }
            2 if self.shape == Shape::Single => {
                // Joined.
                let guard = self.guard("q->next");
                let taken = self.needed("OTHER = NULL;").replace("OTHER", other);
                self.line(&format!(
                    "if (!{list}) {list} = {other}; else {{ q = {list}; while ({guard}) q = q->next; q->next = {other}; }} {taken}"
                ));
            }
            3 => {
                // Searched; what is found is changed.
                let key = self.choices.pick(&["1", "2", "7", "__VERIFIER_nondet_int()"]);
                let guard = self.guard("p && ");
                let guard = if guard == "1" { "" } else { guard };
                let found = self.guard("p");
                self.line(&format!(
                    "p = {list}; while ({guard}p->data != {key}) p = p->next; if ({found}) p->data = 3;"
                ));
            }
            4 => {
                let count = self.choices.pick(&[
                    "n >= 0",
                    "n != 1 || LIST",
                    "found == 0",
                    "n >= 1 || !LIST",
                ]);
                let count = count.replace("LIST", list);
                self.line(&format!("n = 0; for (p = {list}; p; p = p->next) n++;"));
                self.line(&format!("assert({count});"));
            }
            5 if self.shape == Shape::Single => {
                // One in the middle is deleted.
                let guard = self.guard("q && q->next");
                let link = self.needed("q->next = p->next; ");
                self.line(&format!(
                    "q = {list}; while (q && __VERIFIER_nondet_int()) q = q->next; if ({guard}) {{ p = q->next; {link}free(p); }}"
                ));
            }
            6 => {
                let data = self.choices.pick(&["1", "2", "3"]);
                let op = self.choices.pick(&["==", ">=", "!="]);
                self.line(&format!("for (p = {list}; p; p = p->next) p->data = 2;"));
                self.line(&format!("if ({list}) assert({list}->data {op} {data});"));
            }
            7 => self.line(&format!("p = {list}; {list} = {other}; {other} = p;")),
            _ => {
                // Walked along in both directions, or twice as fast.
                match self.shape {
                    Shape::Double => {
                        let guard = self.guard("q && q->prev");
                        self.line(&format!(
                            "q = NULL; for (p = {list}; p; p = p->next) q = p; while ({guard}) q = q->prev;"
                        ));
                        self.line(&format!("assert(q == {list});"));
                    }
                    Shape::Single => {
                        let guard = self.guard("q && q->next");
                        self.line(&format!(
                            "p = {list}; q = {list}; while ({guard}) {{ p = p->next; q = q->next->next; }}"
                        ));
                    }
                }
            }
        }
    }

    fn delete_all(&mut self, list: &str) {
        if self.functions && self.choices.one_in(2) {
            let call = self.needed("delete(LIST);").replace("LIST", list);
            return self.line(&call);
        }
        let free = self.needed("free(p); ");
        self.line(&format!("while ({list}) {{ p = {list}; {list} = p->next; {free}}}"));
    }
}
