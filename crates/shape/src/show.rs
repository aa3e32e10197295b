//! States and predicates as formulas, in the notation of separation logic that the tool reads.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use arith::Sum;
use heap::{Program, RecordId, Scalar, Type};

use crate::engine::Site;
use crate::fold::visit_order;
use crate::heap::{Heap, Obj, RIGID, Seg, State, as_procedure, is_rigid};
use crate::preds::{NEXT, PREV, Pred, PredId, Preds, SELF, SHARED, Shape};
use crate::term::{Sym, Term};
use crate::unfold::has_parent;

/// Prints what an analysis of a program found.
#[derive(Clone, Copy, Debug)]
pub struct Printer<'a> {
    program: &'a Program,
    preds: &'a Preds,
}

/// Names of symbols. What has none is bound by a quantifier.
#[derive(Default)]
struct Names {
    known: HashMap<Sym, String>,
    bound: Vec<String>,
    taken: BTreeSet<String>,
    /// Values that are pointers: zero is `nil` there.
    pointers: BTreeSet<Sym>,
}

impl Names {
    fn give(&mut self, sym: Sym, name: String) {
        self.taken.insert(name.clone());
        self.known.entry(sym).or_insert(name);
    }

    fn fresh(&mut self, sym: Sym, hint: &str) {
        if self.known.contains_key(&sym) || is_rigid(sym) {
            return;
        }
        let name = (1..)
            .map(|n| if n == 1 { hint.to_owned() } else { format!("{hint}{n}") })
            .find(|name| !self.taken.contains(name))
            .unwrap_or_default();
        self.bound.push(name.clone());
        self.give(sym, name);
    }
}

impl<'a> Printer<'a> {
    /// For a program and the predicates of an analysis.
    #[must_use]
    pub fn new(program: &'a Program, preds: &'a Preds) -> Printer<'a> {
        Printer { program, preds }
    }

    /// The state as a formula about the variables of its procedure.
    #[must_use]
    pub fn state(&self, site: Site, state: &State) -> String {
        let decl = self.program.proc(site.proc);
        let mut names = Names::default();
        self.name_globals(&state.heap, &mut names);
        for (i, at) in state.objects.iter().enumerate() {
            if let (Some(at), Some(object)) = (at, decl.objects.get(i)) {
                names.give(*at, format!("&{}", object.name));
            }
        }
        let shown: Vec<usize> = (0..decl.vars.len().min(state.vars.len()))
            .filter(|i| !decl.vars[*i].temporary && state.vars[*i] != Term::DEAD)
            .collect();
        names.taken.extend(decl.vars.iter().map(|var| var.name.clone()));
        for i in &shown {
            let term = state.vars[*i];
            if let (Some(base), 0) = (term.base, term.k)
                && !is_rigid(base)
            {
                names.give(base, decl.vars[*i].name.clone());
            }
        }
        for (i, anchor) in state.anchors.iter().enumerate() {
            if let (Some(base), 0) = (anchor.base, anchor.k)
                && !is_rigid(base)
                && !names.known.contains_key(&base)
                && state.heap.place(*anchor) != crate::heap::Place::Nowhere
            {
                let number = if i == 0 { String::new() } else { (i + 1).to_string() };
                names.give(base, format!("entry{number}"));
            }
        }
        self.note_pointers(&state.heap, &mut names);
        for i in &shown {
            if let (Scalar::Ptr(_), Some(base)) = (decl.vars[*i].ty, state.vars[*i].base) {
                names.pointers.insert(base);
            }
        }
        // Everything else in the order in which it is reached.
        let starts: Vec<Sym> = state.roots().filter_map(|term| term.base).collect();
        for start in starts {
            for sym in visit_order(&state.heap, start) {
                if state.heap.place(Term::sym(sym)) != crate::heap::Place::Nowhere
                    || mentioned(&state.heap, sym)
                {
                    names.fresh(sym, if names.pointers.contains(&sym) { "p" } else { "n" });
                }
            }
        }
        let mut parts = self.atoms(&state.heap, &names);
        for i in &shown {
            let term = state.vars[*i];
            let name = &decl.vars[*i].name;
            let own =
                term.base.and_then(|base| names.known.get(&base)) == Some(name) && term.k == 0;
            let unknown =
                term.base.is_some_and(|base| !names.known.contains_key(&base) && !is_rigid(base));
            if own || unknown || matches!(decl.vars[*i].ty, Scalar::Float(_)) {
                continue;
            }
            let pointer = decl.vars[*i].ty.is_pointer();
            // A number that is not read again is nothing to say.
            parts.push(format!("{name} = {}", self.term(&names, term, pointer)));
        }
        parts.extend(self.facts(&state.heap, &names));
        self.quantified(&names, parts)
    }

    /// The definitions of the predicates that heaps mention, directly or not, with what they need declared.
    #[must_use]
    pub fn definitions(&self, states: &[&State]) -> Vec<String> {
        let mut used: BTreeSet<PredId> = BTreeSet::new();
        let mut pending: Vec<PredId> =
            states.iter().flat_map(|state| state.heap.segs.iter().map(|seg| seg.pred)).collect();
        while let Some(id) = pending.pop() {
            if used.insert(id) {
                let bodies = self.preds.get(id).bodies.iter();
                pending.extend(bodies.flat_map(|body| body.heap.segs.iter().map(|seg| seg.pred)));
            }
        }
        used.into_iter().flat_map(|id| self.definition(id)).collect()
    }

    fn definition(&self, id: PredId) -> Vec<String> {
        let pred = self.preds.get(id);
        let name = self.pred_name(id);
        let shared: Vec<String> = (1..=pred.shared).map(|i| format!("s{i}")).collect();
        let more: String = shared.iter().map(|s| format!(", {s}")).collect();
        let parents = pred.bodies.iter().any(has_parent);
        let (params, empty) = match pred.shape {
            Shape::List => (format!("x, y{more}"), "x = y".to_owned()),
            Shape::Dlist => {
                (format!("x, before, last, y{more}"), "x = y * before = last".to_owned())
            }
            Shape::Tree if parents => (format!("x, parent{more}"), "x = nil".to_owned()),
            Shape::Tree => (format!("x{more}"), "x = nil".to_owned()),
        };
        let mut cases = Vec::new();
        for body in &pred.bodies {
            let mut names = Names::default();
            self.name_globals(&body.heap, &mut names);
            names.taken.extend(["x", "y", "before", "last", "parent"].map(str::to_owned));
            names
                .give(SELF, if pred.head == 0 { "x".into() } else { format!("x - {}", pred.head) });
            for (i, name) in shared.iter().enumerate() {
                names.give(Sym(SHARED + i as u32), name.clone());
            }
            if pred.shape == Shape::Tree {
                names.give(PREV, "parent".into());
            } else {
                names.fresh(NEXT, "next");
                names.give(PREV, "before".into());
            }
            self.note_pointers(&body.heap, &mut names);
            for sym in visit_order(&body.heap, SELF) {
                if mentioned(&body.heap, sym) {
                    names.fresh(sym, if names.pointers.contains(&sym) { "p" } else { "n" });
                }
            }
            let mut parts = self.atoms(&body.heap, &names);
            match pred.shape {
                Shape::List => parts.push(format!("{name}(next, y{more})")),
                Shape::Dlist => parts.push(format!("{name}(next, x, last, y{more})")),
                Shape::Tree => {
                    let node = body.heap.objs.get(&SELF);
                    for child in &body.children {
                        let Some(cell) = node.and_then(|node| node.cells.get(child)) else {
                            continue;
                        };
                        let root = self.term(&names, cell.value, true);
                        let parent = if parents { ", x" } else { "" };
                        parts.push(format!("{name}({root}{parent}{more})"));
                    }
                }
            }
            parts.extend(self.facts(&body.heap, &names));
            cases.push(self.quantified(&names, parts));
        }
        let nodes = cases.join(" || ");
        let mut all = vec![format!("pred {name}({params}) := {empty} || {nodes}")];
        all.push(format!("pred {name}1({params}) := {nodes}"));
        all
    }

    fn pred_name(&self, id: PredId) -> String {
        let pred = self.preds.get(id);
        let kind = match pred.shape {
            Shape::List => "ls",
            Shape::Dlist => "dls",
            Shape::Tree => "tree",
        };
        let record = self.record_of(pred).map(|id| self.program.record(id).name.replace(' ', "_"));
        // Several predicates of one record have numbers.
        let same: Vec<PredId> = (0..self.preds.all().len() as u32)
            .map(PredId)
            .filter(|other| {
                let other = self.preds.get(*other);
                other.shape == pred.shape && self.record_of(other) == self.record_of(pred)
            })
            .collect();
        let place = same.iter().position(|other| *other == id).unwrap_or(0);
        let number = if place == 0 { String::new() } else { format!("_{}", place + 1) };
        match record {
            Some(record) => format!("{kind}_{record}{number}"),
            None => format!("{kind}{number}"),
        }
    }

    fn record_of(&self, pred: &Pred) -> Option<RecordId> {
        pred.bodies.first()?.heap.objs.get(&SELF)?.record
    }

    fn name_globals(&self, heap: &Heap, names: &mut Names) {
        let mut name = |sym: Sym| {
            if let Some(id) = as_procedure(sym) {
                names.give(sym, self.program.proc(id).name.clone());
            } else if sym.0 >= RIGID
                && let Some(global) = self.program.globals.get((sym.0 - RIGID) as usize)
            {
                names.give(sym, format!("&{}", global.name));
            }
        };
        heap.for_each_term(&mut |term| {
            term.base.into_iter().for_each(&mut name);
        });
    }

    fn note_pointers(&self, heap: &Heap, names: &mut Names) {
        for (at, obj) in &heap.objs {
            names.pointers.insert(*at);
            for cell in obj.cells.values() {
                if cell.ty.is_pointer() {
                    names.pointers.extend(cell.value.base);
                }
            }
        }
        for seg in &heap.segs {
            names
                .pointers
                .extend([seg.root, seg.to, seg.before, seg.last].iter().filter_map(|t| t.base));
        }
    }

    fn term(&self, names: &Names, term: Term, pointer: bool) -> String {
        let Some(base) = term.base else {
            return if pointer && term.k == 0 { "nil".into() } else { term.k.to_string() };
        };
        let name = names.known.get(&base).cloned().unwrap_or_else(|| "_".into());
        match term.k {
            0 => name,
            k if k > 0 => format!("{name} + {k}"),
            k => format!("{name} - {}", -k),
        }
    }

    fn atoms(&self, heap: &Heap, names: &Names) -> Vec<String> {
        let mut parts = Vec::new();
        for (at, obj) in &heap.objs {
            // Constants are what the source says.
            if !obj.constant {
                parts.push(format!(
                    "{} |-> {}",
                    self.term(names, Term::sym(*at), true),
                    self.contents(obj, names)
                ));
            }
        }
        parts.extend(heap.segs.iter().map(|seg| self.segment(seg, names)));
        parts
    }

    fn contents(&self, obj: &Obj, names: &Names) -> String {
        let fields = obj.record.map(|id| fields(self.program, id)).unwrap_or_default();
        let mut shown = Vec::new();
        for (offset, cell) in &obj.cells {
            let unknown = cell.value.base.is_some_and(|base| !names.known.contains_key(&base));
            if unknown {
                continue;
            }
            let field = fields.get(offset).cloned().unwrap_or_else(|| format!("at{offset}"));
            shown.push(format!("{field}: {}", self.term(names, cell.value, cell.ty.is_pointer())));
        }
        format!("{{{}}}", shown.join(", "))
    }

    fn segment(&self, seg: &Seg, names: &Names) -> String {
        let mut text = self.pred_name(seg.pred);
        if seg.nonempty {
            text.push('1');
        }
        let parents = self.preds.get(seg.pred).bodies.iter().any(has_parent);
        let args: Vec<Term> = match self.preds.shape(seg.pred) {
            Shape::List => vec![seg.root, seg.to],
            Shape::Dlist => vec![seg.root, seg.before, seg.last, seg.to],
            Shape::Tree if parents => vec![seg.root, seg.before],
            Shape::Tree => vec![seg.root],
        };
        let args: Vec<String> =
            args.iter().chain(&seg.shared).map(|term| self.term(names, *term, true)).collect();
        let _ = write!(text, "({})", args.join(", "));
        text
    }

    fn facts(&self, heap: &Heap, names: &Names) -> Vec<String> {
        let mut parts = Vec::new();
        let known = |sym: Sym| names.known.contains_key(&sym) && !is_rigid(sym);
        for (sym, range) in &heap.pure.bounds {
            if !known(*sym) || is_type_range(range.low, range.high) {
                continue;
            }
            let name = self.term(names, Term::sym(*sym), false);
            parts.extend(range.low.map(|low| format!("{low} <= {name}")));
            parts.extend(range.high.map(|high| format!("{name} <= {high}")));
        }
        for (a, b, k) in &heap.pure.different {
            if known(*a) && b.is_none_or(known) {
                let pointer = names.pointers.contains(a);
                let left = self.term(names, Term::sym(*a), pointer);
                let right = match b {
                    Some(b) => self.term(names, Term::sym(*b).plus(*k), pointer),
                    None => self.term(names, Term::int(*k), pointer),
                };
                parts.push(format!("{left} != {right}"));
            }
        }
        for sum in &heap.pure.linear {
            if sum.factors.iter().all(|(var, _)| known(Sym(*var))) {
                parts.push(self.inequality(names, sum));
            }
        }
        parts
    }

    fn inequality(&self, names: &Names, sum: &Sum) -> String {
        let side = |positive: bool| {
            let mut terms: Vec<String> = sum
                .factors
                .iter()
                .filter(|(_, factor)| (*factor > 0) == positive)
                .map(|(var, factor)| {
                    let name = self.term(names, Term::sym(Sym(*var)), false);
                    if factor.abs() == 1 { name } else { format!("mul({}, {name})", factor.abs()) }
                })
                .collect();
            if (sum.constant > 0) == positive && sum.constant != 0 || terms.is_empty() {
                let number = if (sum.constant > 0) == positive { sum.constant.abs() } else { 0 };
                terms.push(number.to_string());
            }
            terms.join(" + ")
        };
        format!("{} <= {}", side(false), side(true))
    }

    fn quantified(&self, names: &Names, parts: Vec<String>) -> String {
        let text = if parts.is_empty() { "emp".to_owned() } else { parts.join(" * ") };
        let used: Vec<&str> =
            names.bound.iter().map(String::as_str).filter(|name| occurs(&text, name)).collect();
        if used.is_empty() { text } else { format!("exists {}. {text}", used.join(", ")) }
    }
}

/// Is a name in a text, as a word?
fn occurs(text: &str, name: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '&')).any(|word| word == name)
}

/// Is a symbol more than a value of which nothing is known, at one place?
fn mentioned(heap: &Heap, sym: Sym) -> bool {
    let mut count = 0;
    heap.for_each_term(&mut |term| count += usize::from(term.base == Some(sym)));
    let mut facts = false;
    heap.pure.for_each_sym(&mut |other| facts |= other == sym);
    let plain = heap.pure.bounds.get(&sym).is_none_or(|range| is_type_range(range.low, range.high));
    let other_facts = heap.pure.different.iter().any(|(a, b, _)| *a == sym || *b == Some(sym))
        || heap.pure.linear.iter().any(|sum| sum.factor(sym.0) != 0);
    count > 1 || facts && (!plain || other_facts)
}

/// Bounds that only repeat a type.
fn is_type_range(low: Option<i128>, high: Option<i128>) -> bool {
    [8, 16, 32, 64].iter().any(|bits| {
        [heap::IntType::signed(*bits), heap::IntType::unsigned(*bits)]
            .iter()
            .any(|ty| low == Some(ty.least()) && high == Some(ty.largest()))
    })
}

/// Names of the fields of a record, by offset; those of records within it included.
fn fields(program: &Program, record: RecordId) -> BTreeMap<i128, String> {
    let mut all = BTreeMap::new();
    collect(program, record, 0, "", &mut all, 0);
    all
}

fn collect(
    program: &Program,
    record: RecordId,
    start: i128,
    prefix: &str,
    all: &mut BTreeMap<i128, String>,
    depth: u8,
) {
    for field in &program.record(record).fields {
        let at = start + i128::from(field.offset);
        let name = format!("{prefix}{}", field.name);
        match &field.ty {
            Type::Record(inner) if depth < 4 => {
                collect(program, *inner, at, &format!("{name}_"), all, depth + 1);
            }
            _ => {
                all.entry(at).or_insert(name);
            }
        }
    }
}
