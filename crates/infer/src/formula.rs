//! Symbolic heaps as formulas for people, in the notation of `lancehead sl`: with the names of the program's variables
//! and fields, existential variables for the rest, and definitions of the predicates that were found.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::contract::RESULT;
use arith::Sum;
use heap::{ProcId, Program, RecordId, Type};
use shape::{Heap, Interval, Obj, PredId, Preds, Pure, Seg, Shape, State, Sym, Term};

/// Names for what states of a program mention.
pub(crate) struct Names<'a> {
    pub(crate) program: &'a Program,
    pub(crate) preds: &'a Preds,
    /// Predicates that formulas mentioned, with their names.
    used: BTreeMap<PredId, String>,
    /// Those of which an instance is known not to be empty.
    nonempty: BTreeSet<PredId>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(program: &'a Program, preds: &'a Preds) -> Names<'a> {
        Names { program, preds, used: BTreeMap::new(), nonempty: BTreeSet::new() }
    }

    /// A state of a procedure as a formula.
    pub(crate) fn state(&mut self, state: &State, proc: ProcId) -> String {
        let Some(decl) = self.program.procs.get(proc.index()) else { return String::new() };
        let mut scope = Scope::default();
        for (id, sym) in &state.objects {
            if let Some(object) = decl.objects.get(*id as usize) {
                scope.names.insert(*sym, format!("&{}", plain(&object.name)));
            }
        }
        let mut vars: Vec<(&str, Term, heap::Scalar)> = Vec::new();
        // Of what is not read again nothing is said.
        for (i, term) in state.vars.iter() {
            if let Some(var) = decl.vars.get(i).filter(|var| !var.temporary) {
                vars.push((&var.name, term, var.ty));
            }
        }
        self.described(scope, &vars, state)
    }

    /// A state in which a procedure returns: what its parameters held at first, and its result.
    pub(crate) fn exit(&mut self, state: &State, proc: ProcId, anchors: &[heap::VarId]) -> String {
        let Some(decl) = self.program.procs.get(proc.index()) else { return String::new() };
        let kept = shape::kept_params(self.program, proc, anchors);
        let params = kept.iter().zip(&state.anchors).filter_map(|(var, term)| {
            let var = decl.vars.get(var.index())?;
            Some((var.name.as_str(), *term, var.ty))
        });
        let mut vars: Vec<(&str, Term, heap::Scalar)> = params.collect();
        let result = decl.result.and_then(|id| decl.vars.get(id.index()));
        vars.extend(result.map(|var| (RESULT, state.vars.get(0), var.ty)));
        self.described(Scope::default(), &vars, state)
    }

    fn described(
        &mut self,
        mut scope: Scope,
        vars: &[(&str, Term, heap::Scalar)],
        state: &State,
    ) -> String {
        let mut equations = Vec::new();
        // What a variable holds has its name; the others are equal to it.
        for (name, term, _) in vars {
            if let Term { base: Some(sym), k: 0 } = term
                && !scope.names.contains_key(sym)
                && self.rigid(*sym).is_none()
            {
                scope.names.insert(*sym, plain(name));
            }
        }
        let mentioned = mentioned(&state.heap);
        for (name, term, ty) in vars {
            let shown = self.pointer(&mut scope, *term, *ty);
            let known = term.base.is_none_or(|sym| {
                mentioned.contains(&sym)
                    || self.rigid(sym).is_some()
                    || scope.names.get(&sym).is_some_and(|known| known != &plain(name))
            });
            if shown != plain(name) && known {
                equations.push(format!("{} = {shown}", plain(name)));
            }
        }
        self.heap(&mut scope, &state.heap, equations)
    }

    fn heap(&mut self, scope: &mut Scope, heap: &Heap, equations: Vec<String>) -> String {
        let mut parts = Vec::new();
        for (at, obj) in heap.objs.iter().filter(|(_, obj)| !obj.constant) {
            // Of a global object it is worth saying what it holds.
            if obj.kind == shape::Kind::Global && obj.cells.is_empty() {
                continue;
            }
            parts.push(self.object(scope, *at, obj));
        }
        for seg in &heap.segs {
            parts.push(self.segment(scope, seg));
        }
        if parts.is_empty() {
            parts.push("emp".to_owned());
        }
        parts.extend(equations);
        self.pure(scope, heap, &mut parts);
        let body = parts.join(" * ");
        match scope.existential.is_empty() {
            true => body,
            false => format!("exists {}. {body}", scope.existential.join(", ")),
        }
    }

    pub(crate) fn rigid(&self, sym: Sym) -> Option<String> {
        if let Some(id) = shape::as_procedure(sym) {
            return self.program.procs.get(id.index()).map(|p| format!("&{}", p.name));
        }
        let number = shape::as_global(sym)?;
        self.program.globals.get(number as usize).map(|g| format!("&{}", plain(&g.name)))
    }

    fn symbol(&self, scope: &mut Scope, sym: Sym) -> String {
        if let Some(name) = self.rigid(sym) {
            return name;
        }
        if let Some(name) = scope.names.get(&sym) {
            return name.clone();
        }
        let name = format!("v{}", scope.existential.len() + 1);
        scope.existential.push(name.clone());
        scope.names.insert(sym, name.clone());
        name
    }

    pub(crate) fn term(&self, scope: &mut Scope, term: Term) -> String {
        match (term.base, term.k) {
            (None, k) => k.to_string(),
            (Some(sym), 0) => self.symbol(scope, sym),
            (Some(sym), k) if k > 0 => format!("{} + {k}", self.symbol(scope, sym)),
            (Some(sym), k) => format!("{} - {}", self.symbol(scope, sym), k.unsigned_abs()),
        }
    }

    fn object(&self, scope: &mut Scope, at: Sym, obj: &Obj) -> String {
        let mut names = Vec::new();
        if let Some(id) = obj.record {
            fields(self.program, &Type::Record(id), 0, "", &mut names);
        }
        let mut text = format!("{} |-> {{", self.symbol(scope, at));
        for (i, (offset, cell)) in obj.cells.iter().enumerate() {
            let name = names.iter().find(|(o, _)| *o == *offset).map(|(_, name)| name.clone());
            let name = name.unwrap_or_else(|| format!("at{offset}"));
            let separator = if i == 0 { "" } else { ", " };
            let _ = write!(text, "{separator}{name}: {}", self.pointer(scope, cell.value, cell.ty));
        }
        text.push('}');
        text
    }

    /// A value that may be null.
    pub(crate) fn pointer(&self, scope: &mut Scope, term: Term, ty: heap::Scalar) -> String {
        if ty.is_pointer() && term.is_int(0) { "nil".into() } else { self.term(scope, term) }
    }

    fn address(&self, scope: &mut Scope, term: Term) -> String {
        if term.is_int(0) { "nil".into() } else { self.term(scope, term) }
    }

    fn segment(&mut self, scope: &mut Scope, seg: &Seg) -> String {
        let name = self.predicate(seg.pred);
        let shown: Vec<Term> = match self.preds.shape(seg.pred) {
            Shape::List => vec![seg.root, seg.to],
            Shape::Dlist => vec![seg.root, seg.before, seg.last, seg.to],
            Shape::Tree => vec![seg.root, seg.before],
        };
        let args: Vec<String> =
            shown.into_iter().chain(seg.shared.clone()).map(|t| self.address(scope, t)).collect();
        if seg.nonempty {
            self.nonempty.insert(seg.pred);
        }
        let one = if seg.nonempty { "1" } else { "" };
        format!("{name}{one}({})", args.join(", "))
    }

    /// The name of a predicate; that of lists that are not empty ends with 1, as ls¹ in [MNCL06].
    pub(crate) fn predicate(&mut self, id: PredId) -> String {
        if let Some(name) = self.used.get(&id) {
            return name.clone();
        }
        let record = self
            .preds
            .get(id)
            .bodies
            .iter()
            .find_map(|body| body.heap.objs.get(&shape::SELF)?.record)
            .and_then(|id: RecordId| self.program.records.get(id.0 as usize))
            .map_or_else(String::new, |record| format!("{}_", plain(&record.name)));
        let shape = match self.preds.shape(id) {
            Shape::List => "ls",
            Shape::Dlist => "dls",
            Shape::Tree => "tree",
        };
        let base = format!("{record}{shape}");
        // Further ones have letters, since a digit says that there is a node.
        let is_taken = |name: &str| self.used.values().any(|known| known == name);
        let mut name = base.clone();
        let mut number = 0u32;
        while is_taken(&name) {
            number += 1;
            name = base.clone() + &letters(number);
        }
        self.used.insert(id, name.clone());
        name
    }

    pub(crate) fn pure(&self, scope: &mut Scope, heap: &Heap, parts: &mut Vec<String>) {
        let Pure { bounds, linear, different } = &heap.pure;
        for (sym, Interval { low, high }) in bounds {
            // Of what has no name it is not worth knowing.
            let Some(name) = scope.names.get(sym) else { continue };
            if is_type_range(*low, *high) {
                continue;
            }
            parts.extend(low.filter(is_said).map(|low| format!("{low} <= {name}")));
            parts.extend(high.filter(is_said).map(|high| format!("{name} <= {high}")));
        }
        for sum in linear {
            if sum.factors.iter().all(|(var, _)| scope.names.contains_key(&Sym(*var))) {
                parts.push(format!("0 <= {}", self.sum(scope, sum)));
            }
        }
        for (a, b, k) in different {
            // Where something is there is no null.
            if b.is_none() && *k == 0 && heap.is_allocated(*a) {
                continue;
            }
            let known = |sym: &Sym| scope.names.contains_key(sym);
            if known(a) && b.as_ref().is_none_or(known) {
                let left = self.symbol(scope, *a);
                let right = self.term(scope, Term { base: *b, k: *k });
                let right = if right == "0" { "nil".to_owned() } else { right };
                parts.push(format!("{left} != {right}"));
            }
        }
    }

    fn sum(&self, scope: &mut Scope, sum: &Sum) -> String {
        let mut text = String::new();
        for (var, factor) in &sum.factors {
            let name = self.symbol(scope, Sym(*var));
            let separator = match (text.is_empty(), *factor < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            let times = if factor.unsigned_abs() == 1 {
                String::new()
            } else {
                format!("{} * ", factor.unsigned_abs())
            };
            let _ = write!(text, "{separator}{times}{name}");
        }
        if sum.constant != 0 {
            let sign = if sum.constant < 0 { '-' } else { '+' };
            let _ = write!(text, " {sign} {}", sum.constant.unsigned_abs());
        }
        text
    }

    /// Definitions of the predicates that were mentioned so far, and of those that these mention.
    pub(crate) fn definitions(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        let mut done: Vec<PredId> = Vec::new();
        while let Some((id, name)) =
            self.used.iter().find(|(id, _)| !done.contains(id)).map(|(id, n)| (*id, n.clone()))
        {
            done.push(id);
            let cases = self.cases(id, &name);
            let header = self.header(id);
            texts.push(format!("pred {name}({header}) := {};", cases.join(" || ")));
            if self.nonempty.contains(&id) {
                let longer = cases.get(1..).unwrap_or_default().join(" || ");
                texts.push(format!("pred {name}1({header}) := {longer};"));
            }
        }
        texts
    }

    /// The parameters of a predicate.
    fn header(&self, id: PredId) -> String {
        let pred = self.preds.get(id);
        let own: &[&str] = match pred.shape {
            Shape::List => &["x", "y"],
            Shape::Dlist => &["x", "before", "last", "y"],
            Shape::Tree => &["x", "parent"],
        };
        let shared = (0..pred.shared).map(|i| format!("s{}", i + 1));
        own.iter().map(|p| (*p).to_owned()).chain(shared).collect::<Vec<_>>().join(", ")
    }

    /// The cases of its definition; the first one has no node.
    fn cases(&mut self, id: PredId, name: &str) -> Vec<String> {
        let pred = self.preds.get(id).clone();
        let shared: Vec<String> = (0..pred.shared).map(|i| format!("s{}", i + 1)).collect();
        let empty = match pred.shape {
            Shape::List => "x = y",
            Shape::Dlist => "x = y * before = last",
            Shape::Tree => "x = nil",
        };
        let all = |params: &[&str], shared: &[String]| {
            params.iter().map(|p| (*p).to_owned()).chain(shared.iter().cloned()).collect::<Vec<_>>()
        };
        let mut cases = vec![empty.to_owned()];
        for body in &pred.bodies {
            let mut scope = Scope::default();
            // Links lead into the node, or to its start.
            let (node, here) = match pred.head {
                0 => ("x".to_owned(), "x".to_owned()),
                head => ("node".to_owned(), format!("node + {head}")),
            };
            if pred.head != 0 {
                scope.existential.push(node.clone());
            }
            scope.names.insert(shape::SELF, node);
            let next = if pred.shape == Shape::Tree { "nil" } else { "next" };
            if pred.shape != Shape::Tree {
                scope.existential.push(next.into());
            }
            scope.names.insert(shape::NEXT, next.into());
            let prev = if pred.shape == Shape::Tree { "parent" } else { "before" };
            scope.names.insert(shape::PREV, prev.into());
            for (i, s) in shared.iter().enumerate() {
                scope.names.insert(Sym(shape::SHARED + i as u32), s.clone());
            }
            let mut more = Vec::new();
            if pred.head != 0 {
                more.push(format!("x = {here}"));
            }
            let args = |first: &[&str]| all(first, &shared).join(", ");
            match pred.shape {
                Shape::List => more.push(format!("{name}({})", args(&["next", "y"]))),
                Shape::Dlist => {
                    more.push(format!("{name}({})", args(&["next", &here, "last", "y"])))
                }
                Shape::Tree => {
                    let cells = body.heap.objs.get(&shape::SELF).map(|obj| obj.cells.clone());
                    let parents = pred.bodies.iter().any(shape::has_parent);
                    for child in &body.children {
                        let Some(cell) = cells.as_ref().and_then(|cells| cells.get(child)) else {
                            continue;
                        };
                        let child = self.term(&mut scope, cell.value);
                        let parent = if parents { here.as_str() } else { "nil" };
                        more.push(format!("{name}({})", args(&[&child, parent])));
                    }
                }
            }
            cases.push(self.heap(&mut scope, &body.heap, more));
        }
        cases
    }
}

/// Is a bound worth saying: not one that a type has anyway, or nearly? What is not said is not checked, either.
pub(crate) fn is_said(bound: &i128) -> bool {
    bound.unsigned_abs() < (1 << 31) - 16
}

#[derive(Default)]
pub(crate) struct Scope {
    pub(crate) names: BTreeMap<Sym, String>,
    existential: Vec<String>,
}

/// `B`, `C`, …, `BA`, …
fn letters(mut number: u32) -> String {
    let mut text = String::new();
    while number > 0 {
        text.insert(0, char::from(b'A' + (number % 26) as u8));
        number /= 26;
    }
    text
}

/// Names of C, without what our notation gives a meaning to.
pub(crate) fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect()
}

/// Symbols that a heap says something of.
fn mentioned(heap: &Heap) -> Vec<Sym> {
    let mut all: Vec<Sym> = heap.objs.keys().copied().collect();
    heap.for_each_term(&mut |term| all.extend(term.base));
    all
}

/// The names of the places in a type.
pub(crate) fn fields(
    program: &Program,
    ty: &Type,
    offset: i128,
    prefix: &str,
    names: &mut Vec<(i128, String)>,
) {
    match ty {
        Type::Scalar(_) => names.push((offset, prefix.to_owned())),
        Type::Array(element, count) => {
            let size = i128::from(program.size_of(element));
            for i in 0..(*count).min(16) {
                fields(
                    program,
                    element,
                    offset + i128::from(i) * size,
                    &format!("{prefix}_{i}"),
                    names,
                );
            }
        }
        Type::Record(id) => {
            let Some(record) = program.records.get(id.0 as usize) else { return };
            for field in &record.fields {
                let name = match prefix.is_empty() {
                    true => plain(&field.name),
                    false => format!("{prefix}_{}", plain(&field.name)),
                };
                fields(program, &field.ty, offset + i128::from(field.offset), &name, names);
            }
        }
    }
}

/// Bounds that only repeat an integer type.
pub(crate) fn is_type_range(low: Option<i128>, high: Option<i128>) -> bool {
    [8, 16, 32, 64].into_iter().any(|bits| {
        let types = [heap::IntType::signed(bits), heap::IntType::unsigned(bits)];
        types.iter().any(|ty| low == Some(ty.least()) && high == Some(ty.largest()))
    })
}
