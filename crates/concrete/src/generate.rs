//! Random programs that are likely to verify: whoever writes one knows what is held at each place.
//!
//! Only accepted programs say something about soundness, so statements use what the precondition
//! gives and what earlier statements left. Whether facts hold is asked by
//! [`probe`](crate::mutate::probe).

mod wands;

use crate::choose::Random;

/// What all programs can use.
const MEMBERS: &str = "adt Data { Stop() More(item: Int, rest: Data) Fork(left: Data, right: Data) }
field data: Data
field f: Int
field g: Int
field b: Bool
field next: Ref
predicate cell(x: Ref) { acc(x.f) }
predicate positive(x: Ref) { acc(x.f) && x.f > 0 }
predicate pair(x: Ref, y: Ref) { acc(x.f, 1/2) && acc(y.g, 1/2) && (x.f > 0 ==> acc(x.b)) }
predicate list(x: Ref) { x != null ==> acc(x.f) && acc(x.next) && list(x.next) }
predicate any(x: Ref) { acc(x.g, wildcard) }
function value(x: Ref): Int requires acc(x.f, wildcard) { x.f }
function inside(x: Ref): Int requires cell(x) { unfolding cell(x) in x.f }
function unknown(x: Ref): Int requires acc(x.f, 1/2)
function bounded(i: Int): Int ensures result > i
function steps(i: Int): Int decreases i ensures result >= 1 { i <= 0 ? 1 : 1 + steps(i - 1) }
function size(d: Data): Int decreases d ensures result >= 1
{ d.isStop ? 1 : (d.isMore ? 1 + size(d.rest) : size(d.left) + size(d.right)) }
function last(d: Data): Int decreases d
{ d.isMore ? (d.rest.isStop ? d.item : last(d.rest)) : (d.isFork ? last(d.right) : 0) }
method drain(d: Data) returns (k: Int) decreases d ensures k == size(d)
{ if (d.isStop) { k := 1 } elseif (d.isMore) { k := drain(d.rest) k := k + 1 }
  else { var l: Int l := drain(d.left) k := drain(d.right) k := k + l } }
method touch(x: Ref) decreases requires acc(x.f) ensures acc(x.f)
method raise(x: Ref) returns (k: Int) decreases requires acc(x.f)
ensures acc(x.f) && x.f > old(x.f) && k == x.f
{ x.f := x.f + 1 k := x.f }
method borrow(x: Ref) decreases requires acc(x.f, 1/3) ensures acc(x.f, 1/3)
method lend(x: Ref, y: Ref) decreases requires acc(x.f)
ensures acc(x.f, 1/2) && (acc(x.f, 1/2) --* acc(x.f))
method give(x: Ref) decreases requires acc(x.f) ensures cell(x) --* acc(x.f)
method keep(s: Set[Ref]) decreases requires forall r: Ref :: r in s ==> acc(r.f, 1/3)
ensures true --* (forall r: Ref :: r in s ==> acc(r.f, 1/3)) && (forall r: Ref :: r in s ==> r.f == old(r.f))
method pick(s: Set[Ref]) returns (r: Ref) decreases requires |s| > 0 ensures r in s
method down(i: Int) returns (k: Int) decreases i ensures k >= 0
{ if (i <= 0) { k := 0 } else { k := down(i - 1) k := k + 1 } }
method walk(x: Ref, n: Int) returns (k: Int) decreases list(x) requires list(x) ensures list(x) && k >= 0
{ k := 0 unfold list(x) if (x != null) { k := walk(x.next, n + 1) k := k + 1 } fold list(x) }
";

/// Something that is held.
#[derive(Clone, PartialEq)]
enum Held {
    /// Variable, field, twelfths.
    Field(&'static str, &'static str, u32),
    Predicate(&'static str, Vec<&'static str>),
    /// Left and right.
    Wand(Vec<Held>, Vec<Held>, String),
    /// All `f` of a set.
    All(&'static str, u32),
    /// All these of a set of wands.
    Wands(&'static str),
}

const REFS: [&str; 3] = ["x", "y", "z"];
const FIELDS: [&str; 4] = ["f", "g", "b", "next"];

fn acc(held: &Held) -> String {
    match held {
        Held::Field(x, f, 12) => format!("acc({x}.{f})"),
        Held::Field(x, f, n) => format!("acc({x}.{f}, {n}/12)"),
        Held::Predicate(p, args) => format!("{p}({})", args.join(", ")),
        Held::Wand(.., text) => format!("({text})"),
        Held::All(s, 12) => format!("(forall r: Ref :: r in {s} ==> acc(r.f))"),
        Held::All(s, n) => format!("(forall r: Ref :: r in {s} ==> acc(r.f, {n}/12))"),
        Held::Wands(s) => {
            format!("(forall r: Ref :: r in {s} ==> (acc(r.f, 1/2) --* acc(r.f, 1/2) && acc(r.g)))")
        }
    }
}

fn all(held: &[Held]) -> String {
    if held.is_empty() {
        return "true".to_string();
    }
    held.iter().map(acc).collect::<Vec<_>>().join(" && ")
}

struct Writer<'r> {
    random: &'r mut Random,
    text: String,
    indent: usize,
    held: Vec<Held>,
    /// Readable in the precondition.
    before: Vec<Held>,
    labels: Vec<(String, Vec<Held>)>,
    /// Loops and branches around: what is held at their end must be what was held at their start.
    depth: usize,
    names: usize,
}

/// A program with one method `m` that has a body of about so many statements.
#[must_use]
pub fn generate(random: &mut Random, length: usize) -> String {
    let mut writer = Writer {
        random,
        text: String::new(),
        indent: 1,
        held: Vec::new(),
        before: Vec::new(),
        labels: Vec::new(),
        depth: 0,
        names: 0,
    };
    writer.precondition();
    writer.before.clone_from(&writer.held);
    let pre = writer.held.clone();
    for _ in 0..length {
        writer.statement();
    }
    let mut method = String::from(
        "method m(x: Ref, y: Ref, z: Ref, s: Set[Ref], i: Int, j: Int, c: Bool) returns (k: Int)\n",
    );
    if writer.random.one_in(3) {
        method.push_str("  decreases i\n");
    }
    for held in &pre {
        method.push_str(&format!("  requires {}\n", acc(held)));
    }
    if writer.random.one_in(3) {
        method.push_str(&format!("  requires {}\n", writer.condition_of(&pre)));
    }
    for held in writer.held.clone() {
        // Locals and labels are not known outside.
        let local = acc(&held).contains("== v") || acc(&held).contains("old[l");
        if !local && !writer.random.one_in(3) {
            method.push_str(&format!("  ensures {}\n", acc(&held)));
        }
    }
    format!("{MEMBERS}{method}{{\n{}}}\n", writer.text)
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        for _ in 0..self.indent {
            self.text.push_str("  ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn variable(&mut self) -> &'static str {
        REFS[self.random.below(3)]
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn resource(&mut self) -> Held {
        let x = self.variable();
        let y = REFS[(REFS.iter().position(|r| *r == x).unwrap_or(0) + 1) % 3];
        match self.random.below(14) {
            0..=5 => {
                let amount = [12, 12, 12, 6, 4, 3][self.random.below(6)];
                Held::Field(x, FIELDS[self.random.below(4)], amount)
            }
            6 => Held::Predicate("cell", vec![x]),
            7 => Held::Predicate("positive", vec![x]),
            8 => Held::Predicate("pair", vec![x, y]),
            9 => Held::Predicate("list", vec![x]),
            10 => Held::Predicate("any", vec![x]),
            11 => Held::All("s", [12, 6, 4][self.random.below(3)]),
            12 => {
                let left = vec![Held::Field(x, "f", 6)];
                let right = vec![Held::Field(x, "f", 6), Held::Field(y, "g", 12)];
                let text = format!("{} --* {}", all(&left), all(&right));
                Held::Wand(left, right, text)
            }
            _ => Held::Wands("s"),
        }
    }

    fn precondition(&mut self) {
        for _ in 0..2 + self.random.below(5) {
            let new = self.resource();
            let same = |h: &Held| match (h, &new) {
                (Held::Field(x, f, _), Held::Field(y, g, _)) => x == y && f == g,
                (Held::All(..), Held::All(..)) => true,
                (a, b) => a == b,
            };
            if !self.held.iter().any(same) {
                self.held.push(new);
            }
        }
    }

    /// How much of a field is held directly.
    fn amount(&self, x: &str, f: &str) -> u32 {
        let of = |h: &Held| match h {
            Held::Field(y, g, n) if *y == x && *g == f => *n,
            _ => 0,
        };
        self.held.iter().map(of).sum()
    }

    fn has(&self, wanted: &Held) -> bool {
        match wanted {
            Held::Field(x, f, n) => self.amount(x, f) >= *n,
            other => self.held.contains(other),
        }
    }

    fn take(&mut self, wanted: &Held) {
        if let Held::Field(x, f, n) = wanted {
            let rest = self.amount(x, f).saturating_sub(*n);
            self.held.retain(|h| !matches!(h, Held::Field(y, g, _) if y == x && g == f));
            if rest > 0 {
                self.held.push(Held::Field(x, f, rest));
            }
        } else if let Some(i) = self.held.iter().position(|h| h == wanted) {
            self.held.remove(i);
        }
    }

    fn add(&mut self, new: Held) {
        if let Held::Field(x, f, n) = new {
            let sum = self.amount(x, f) + n;
            self.held.retain(|h| !matches!(h, Held::Field(y, g, _) if *y == x && *g == f));
            self.held.push(Held::Field(x, f, sum));
        } else {
            self.held.push(new);
        }
    }

    /// An integer that can be read with what is held.
    fn int_of(&mut self, held: &[Held]) -> String {
        let some = self.random.pick(held).cloned();
        match some {
            Some(Held::Field(x, "f", _)) => match self.random.below(5) {
                0 => format!("value({x})"),
                _ => format!("{x}.f"),
            },
            Some(Held::Field(x, "g", _)) => format!("{x}.g"),
            Some(Held::Predicate("cell", args)) => match self.random.below(2) {
                0 => format!("inside({})", args[0]),
                _ => format!("(unfolding cell({0}) in {0}.f)", args[0]),
            },
            Some(Held::Predicate("positive", args)) => {
                format!("(unfolding positive({0}) in {0}.f)", args[0])
            }
            Some(Held::All(s, _)) => format!("(x in {s} ? x.f : 0)"),
            _ => match self.random.below(6) {
                0 => "i".to_string(),
                1 => "j".to_string(),
                2 => "k".to_string(),
                3 => match self.random.below(4) {
                    0 => "bounded(i)".to_string(),
                    1 => "steps(j)".to_string(),
                    2 => format!("size({})", self.data(2)),
                    _ => format!("last({})", self.data(2)),
                },
                4 => "|s|".to_string(),
                _ => self.random.below(4).to_string(),
            },
        }
    }

    /// A value of the data type.
    fn data(&mut self, depth: usize) -> String {
        match self.random.below(if depth == 0 { 1 } else { 4 }) {
            0 => "Stop()".to_string(),
            1 => format!("Fork({}, {})", self.data(depth - 1), self.data(depth - 1)),
            _ => {
                format!("More({}, {})", ["i", "j", "1"][self.random.below(3)], self.data(depth - 1))
            }
        }
    }

    fn int(&mut self) -> String {
        let held = self.held.clone();
        let simple = self.int_of(&held);
        match self.random.below(7) {
            0 => format!("{simple} + 1"),
            1 => format!("{simple} - {}", self.int_of(&held)),
            2 if !self.before.is_empty() => {
                let before = self.before.clone();
                let old = self.int_of(&before);
                // A result has no old value.
                if old.contains('k') { simple } else { format!("old({old})") }
            }
            3 => match self.random.pick(&self.labels).cloned() {
                Some((label, held)) => {
                    let old = self.int_of(&held);
                    format!("old[{label}]({old})")
                }
                None => simple,
            },
            _ => simple,
        }
    }

    fn condition_of(&mut self, held: &[Held]) -> String {
        match self.random.below(6) {
            0 => "c".to_string(),
            1 => format!("{} == {}", self.variable(), self.variable()),
            2 => format!("{} in s", self.variable()),
            3 => match held.iter().find_map(|h| match h {
                Held::Field(x, "b", _) => Some(*x),
                _ => None,
            }) {
                Some(x) => format!("{x}.b"),
                None => "i > j".to_string(),
            },
            _ => {
                let a = self.int_of(held);
                let b = self.int_of(held);
                let op = ["<", "<=", "==", ">"][self.random.below(4)];
                let text = format!("{a} {op} {b}");
                if text.contains('k') { "i > 0".to_string() } else { text }
            }
        }
    }

    fn condition(&mut self) -> String {
        let held = self.held.clone();
        self.condition_of(&held)
    }

    fn statement(&mut self) {
        match self.random.below(24) {
            0..=2 => self.write(),
            3 => {
                let e = self.int();
                self.line(&format!("k := {e}"));
            }
            4 | 5 => self.fold(),
            6 | 7 => self.unfold(),
            8 => self.exhale(),
            9 => self.inhale(),
            10..=12 => self.package(),
            13 | 14 => self.apply(),
            15 if self.depth < 2 => self.branch(),
            16 | 17 if self.depth < 2 => self.turn(),
            18 if self.depth < 2 => self.jump(),
            19 | 20 => self.call(),
            21 => {
                let label = self.fresh("l");
                self.line(&format!("label {label}"));
                let held = self.held.clone();
                self.labels.push((label, held));
            }
            22 => self.quantified(),
            _ => {
                let fact = self.condition();
                self.line(&format!("if ({fact}) {{ assert {fact} }}"));
            }
        }
    }

    fn write(&mut self) {
        let whole: Vec<(&str, &str)> = self
            .held
            .iter()
            .filter_map(|h| match h {
                Held::Field(x, f, 12) => Some((*x, *f)),
                _ => None,
            })
            .collect();
        let Some((x, f)) = self.random.pick(&whole).copied() else { return };
        let e = match f {
            "b" => self.condition(),
            "next" => self.variable().to_string(),
            _ => self.int(),
        };
        self.line(&format!("{x}.{f} := {e}"));
    }

    fn fold(&mut self) {
        let x = self.variable();
        if self.amount(x, "f") < 12 {
            return;
        }
        let p = if self.random.one_in(2) { "cell" } else { "positive" };
        if p == "positive" {
            let n = 1 + self.random.below(3);
            self.line(&format!("{x}.f := {n}"));
        }
        self.line(&format!("fold {p}({x})"));
        self.take(&Held::Field(x, "f", 12));
        self.add(Held::Predicate(p, vec![x]));
    }

    fn unfold(&mut self) {
        let foldable = |h: &&Held| matches!(h, Held::Predicate(p, _) if matches!(*p, "cell" | "positive" | "list"));
        let held: Vec<Held> = self.held.iter().filter(foldable).cloned().collect();
        let Some(Held::Predicate(p, args)) = self.random.pick(&held).cloned() else { return };
        let x = args[0];
        match p {
            "list" => {
                self.line(&format!("unfold list({x})"));
                self.line(&format!("if ({x} != null) {{ {x}.f := {x}.f + 1 }}"));
                self.line(&format!("fold list({x})"));
            }
            _ => {
                self.line(&format!("unfold {p}({x})"));
                self.take(&Held::Predicate(p, args));
                self.add(Held::Field(x, "f", 12));
            }
        }
    }

    /// Not in loops and branches, which end with what they began with.
    fn exhale(&mut self) {
        if self.depth > 0 {
            return;
        }
        let Some(held) = self.random.pick(&self.held).cloned() else { return };
        let given = match held {
            Held::Field(x, f, n) if n >= 6 => Held::Field(x, f, n / 2),
            Held::All(..) | Held::Wands(_) => return,
            other => other,
        };
        self.line(&format!("exhale {}", acc(&given)));
        self.take(&given);
    }

    fn inhale(&mut self) {
        if self.depth > 0 {
            return;
        }
        let x = self.variable();
        let f = FIELDS[self.random.below(4)];
        let held = self.amount(x, f);
        if held < 12 {
            let new = Held::Field(x, f, if held == 0 { 12 } else { 12 - held });
            self.line(&format!("inhale {}", acc(&new)));
            self.add(new);
        }
    }

    fn block(&mut self, length: usize) {
        self.depth += 1;
        self.indent += 1;
        let held = self.held.clone();
        let labels = self.labels.len();
        for _ in 0..length {
            let before = (self.text.clone(), self.held.clone());
            self.statement();
            // What changes the shape of the state is left out.
            if self.held.len() != held.len() || !held.iter().all(|h| self.held.contains(h)) {
                (self.text, self.held) = before;
            }
        }
        self.labels.truncate(labels);
        self.held = held;
        self.indent -= 1;
        self.depth -= 1;
    }

    fn branch(&mut self) {
        let condition = self.condition();
        self.line(&format!("if ({condition}) {{"));
        self.block(2);
        self.line("} else {");
        self.block(1);
        self.line("}");
    }

    /// What goes into a loop, with a variable that counts.
    fn invariants(&mut self, n: &str) -> (Vec<Held>, Vec<Held>, String) {
        let (inside, outside): (Vec<Held>, Vec<Held>) =
            self.held.clone().into_iter().partition(|_| !self.random.one_in(4));
        let mut text = format!("invariant 0 <= {n}");
        for held in &inside {
            text.push_str(&format!(" invariant {}", acc(held)));
        }
        if self.random.one_in(3) {
            let fact = self.condition_of(&inside);
            if !fact.contains('.') && !fact.contains('(') {
                text.push_str(&format!(" invariant {n} > 0 ==> {n} > 0 || {fact}"));
            }
        }
        (inside, outside, text)
    }

    fn turn(&mut self) {
        let n = self.fresh("n");
        self.line(&format!("var {n}: Int := 0"));
        let (inside, outside, invariants) = self.invariants(&n);
        let decreases =
            if self.random.one_in(2) { format!(" decreases 3 - {n}") } else { String::new() };
        self.line(&format!("while ({n} < 3) {invariants}{decreases} {{"));
        self.held = inside.clone();
        self.block(3);
        self.indent += 1;
        self.line(&format!("{n} := {n} + 1"));
        self.indent -= 1;
        self.line("}");
        self.held = inside;
        self.held.extend(outside);
    }

    fn jump(&mut self) {
        let n = self.fresh("n");
        let label = self.fresh("l");
        self.line(&format!("var {n}: Int := 0"));
        let (inside, outside, invariants) = self.invariants(&n);
        self.line(&format!("label {label} {invariants}"));
        self.held = inside.clone();
        self.labels.push((label.clone(), inside.clone()));
        self.indent -= 1;
        self.block(3);
        self.indent += 1;
        self.line(&format!("{n} := {n} + 1"));
        if self.random.one_in(2) {
            self.line(&format!("if ({n} < 3) {{ goto {label} }}"));
        } else {
            let condition = self.condition();
            self.line(&format!("if ({condition} && {n} < 3) {{ goto {label} }}"));
        }
        self.held = inside;
        self.held.extend(outside);
    }

    fn call(&mut self) {
        let x = self.variable();
        match self.random.below(7) {
            0 if self.amount(x, "f") >= 12 => self.line(&format!("touch({x})")),
            1 if self.amount(x, "f") >= 12 => self.line(&format!("k := raise({x})")),
            2 if self.amount(x, "f") >= 4 => self.line(&format!("borrow({x})")),
            3 if self.amount(x, "f") >= 12 && self.depth == 0 => {
                self.line(&format!("lend({x}, {x})"));
                self.take(&Held::Field(x, "f", 6));
                let half = vec![Held::Field(x, "f", 6)];
                let whole = vec![Held::Field(x, "f", 12)];
                let text = format!("acc({x}.f, 1/2) --* acc({x}.f)");
                self.held.push(Held::Wand(half, whole, text));
            }
            4 if self.amount(x, "f") >= 12 && self.depth == 0 => {
                self.line(&format!("give({x})"));
                self.take(&Held::Field(x, "f", 12));
                let left = vec![Held::Predicate("cell", vec![x])];
                let text = format!("cell({x}) --* acc({x}.f)");
                self.held.push(Held::Wand(left, vec![Held::Field(x, "f", 12)], text));
            }
            5 => match self.held.contains(&Held::Predicate("list", vec![x])) {
                true => self.line(&format!("k := walk({x}, i)")),
                false if self.random.one_in(2) => {
                    let data = self.data(3);
                    self.line(&format!("k := drain({data})"));
                }
                false => self.line("k := down(i)"),
            },
            _ => {
                let r = self.fresh("r");
                self.line(&format!("var {r}: Ref"));
                self.line(&format!("if (|s| > 0) {{ {r} := pick(s) }}"));
            }
        }
    }

    fn quantified(&mut self) {
        let has_all = self.held.iter().find_map(|h| match h {
            Held::All(s, n) => Some((*s, *n)),
            _ => None,
        });
        let x = self.variable();
        match (has_all, self.random.below(4)) {
            (Some((s, 12)), 0) => {
                let e = self.int();
                self.line(&format!("if ({x} in {s}) {{ {x}.f := {e} }}"));
            }
            (Some((s, n)), 1) => {
                let part = format!("(forall r: Ref :: r in {s} && r != {x} ==> acc(r.f, {n}/12))");
                self.line(&format!("exhale {part}"));
                self.line(&format!("inhale {part}"));
            }
            // What was kept is what it was at the label.
            (Some((s, n)), 2) if n > 4 && self.depth == 0 => {
                let label = self.fresh("l");
                self.line(&format!("label {label}"));
                self.line(&format!("keep({s})"));
                self.take(&Held::All(s, n));
                self.add(Held::All(s, n - 4));
                let values = match self.random.below(3) {
                    0 => "r.f == old(r.f)".to_string(),
                    _ => format!("r.f == old[{label}](r.f)"),
                };
                let part = format!("(forall r: Ref :: r in {s} ==> acc(r.f, 1/3))");
                let text = format!("true --* {part} && (forall r: Ref :: r in {s} ==> {values})");
                self.held.push(Held::Wand(Vec::new(), vec![Held::All(s, 4)], text));
            }
            (Some((s, n)), 2) if n >= 4 => {
                self.line(&format!("if ({x} in {s}) {{ borrow({x}) }}"));
            }
            (Some((s, n)), 3) if n >= 6 && self.depth == 0 => {
                let part = format!("(forall r: Ref :: r in {s} ==> acc(r.f, 1/4))");
                let mut text = format!("acc({x}.g) --* acc({x}.g) && {part}");
                if self.random.one_in(2) {
                    let label = self.fresh("l");
                    self.line(&format!("label {label}"));
                    text.push_str(&format!(
                        " && (forall r: Ref :: r in {s} ==> r.f == old[{label}](r.f))"
                    ));
                }
                self.line(&format!("package {text}"));
                self.take(&Held::All(s, n));
                self.add(Held::All(s, n - 3));
                let whole = vec![Held::Field(x, "g", 12)];
                self.held.push(Held::Wand(whole.clone(), whole, text));
            }
            _ if self.held.contains(&Held::Wands("s")) && self.amount(x, "f") >= 6 => {
                self.line(&format!(
                    "if ({x} in s) {{ apply acc({x}.f, 1/2) --* acc({x}.f, 1/2) && acc({x}.g) \
                     package acc({x}.f, 1/2) --* acc({x}.f, 1/2) && acc({x}.g) }}"
                ));
            }
            _ => {}
        }
    }
}
