//! Formulas as text, in the paper's notation: `y = t : y |-> [a, n] * ls((λa. a >= 0), n, null)`.

use arith::{Constraint, Sum, Var};
use horn::{Formula as Data, Query, RelId, Solution};

use crate::defs::Defs;
use crate::rsep::{Arg, Atom, Formula, HTerm, Refinement, is_rigid};

/// Names, and what second-order variables are.
#[derive(Clone, Copy)]
pub struct Printer<'a> {
    /// Definitions.
    pub defs: &'a Defs,
    /// Names of heap variables.
    pub heap: &'a [String],
    /// Names of data variables.
    pub data: &'a [String],
    /// Formulas of second-order variables; without them they are printed as such.
    pub solution: Option<&'a Solution>,
}

impl Printer<'_> {
    /// The formula as text; `* true` is understood.
    #[must_use]
    pub fn formula(&self, formula: &Formula) -> String {
        let mut pure = Vec::new();
        for (index, value) in formula.vars.iter().enumerate() {
            let name = self.heap.get(index).cloned().unwrap_or_else(|| format!("x{index}"));
            let own = self.term(*value, formula);
            if own != name {
                pure.push(format!("{name} = {own}"));
            }
        }
        for (a, b) in &formula.apart {
            pure.push(format!("{} != {}", self.term(*a, formula), self.term(*b, formula)));
        }
        for (index, value) in formula.data.iter().enumerate() {
            if *value != Sum::var(index as u32) {
                let name = self.data.get(index).cloned().unwrap_or_else(|| format!("v{index}"));
                pure.push(format!("{name} = {}", self.sum(value)));
            }
        }
        pure.extend(formula.facts.iter().map(|fact| self.constraint(fact)));
        for query in &formula.queries {
            let text = self.query(query, &|var| self.data_name(var));
            if text != "true" {
                pure.push(text);
            }
        }
        let atoms: Vec<String> =
            formula.atoms.iter().map(|atom| self.atom(atom, formula)).collect();
        let spatial = if atoms.is_empty() { "true".to_owned() } else { atoms.join(" * ") };
        if pure.is_empty() { spatial } else { format!("{} : {spatial}", pure.join(" && ")) }
    }

    fn term(&self, term: HTerm, formula: &Formula) -> String {
        match term {
            HTerm::Null => "null".to_owned(),
            HTerm::Sym(sym) => match formula.vars.iter().position(|value| *value == term) {
                Some(var) => self.heap.get(var).cloned().unwrap_or_else(|| format!("x{var}")),
                None => format!("_{sym}"),
            },
        }
    }

    fn data_name(&self, var: Var) -> String {
        self.data.get(var as usize).cloned().unwrap_or_else(|| format!("d{var}"))
    }

    fn sum(&self, sum: &Sum) -> String {
        self.sum_with(sum, &|var| self.data_name(var))
    }

    fn sum_with(&self, sum: &Sum, name: &dyn Fn(Var) -> String) -> String {
        let mut terms = Vec::new();
        for (var, factor) in &sum.factors {
            let name = name(*var);
            terms.push(if *factor == 1 { name } else { format!("{factor}*{name}") });
        }
        if sum.constant != 0 || terms.is_empty() {
            terms.push(sum.constant.to_string());
        }
        terms.join(" + ")
    }

    fn constraint(&self, constraint: &Constraint) -> String {
        Data::of(constraint.clone()).show(&|var| self.data_name(var))
    }

    /// What may be below a hole.
    fn rigid(&self, rel: RelId) -> String {
        format!("H{}", rel.0 & 0xffff)
    }

    fn query(&self, query: &Query, name: &dyn Fn(Var) -> String) -> String {
        let known = self.solution.and_then(|solution| solution.formulas.get(query.rel.index()));
        match known.and_then(|formula| formula.apply(&query.args)) {
            Some(formula) if formula.is_true() => "true".to_owned(),
            Some(formula) => formula.show(name),
            None => {
                let args = query.args.iter().map(|arg| self.sum_with(arg, name));
                let args: Vec<String> = args.collect();
                let rel = match is_rigid(query.rel) {
                    true => self.rigid(query.rel),
                    false => format!("R{}", query.rel.0),
                };
                format!("{rel}({})", args.join(", "))
            }
        }
    }

    fn atom(&self, atom: &Atom, formula: &Formula) -> String {
        match atom {
            Atom::Cell(cell) => {
                let data = cell.data.iter().map(|value| self.sum(value));
                let ptrs = cell.ptrs.iter().map(|value| self.term(*value, formula));
                let fields: Vec<String> = data.chain(ptrs).collect();
                format!("{} |-> [{}]", self.term(cell.at, formula), fields.join(", "))
            }
            Atom::Pred(instance) => {
                let refs = instance.refs.iter().filter_map(|refinement| self.lambda(refinement));
                let args = instance.args.iter().map(|arg| self.term(*arg, formula));
                let all: Vec<String> = refs.chain(args).collect();
                format!("{}({})", self.defs.pred(instance.pred).name, all.join(", "))
            }
            Atom::Context(context) => {
                let refs = context.refs.iter().filter_map(|refinement| self.lambda(refinement));
                let inside = context.inside.map(|rel| self.rigid(rel));
                let args = [context.root, context.hole].map(|arg| self.term(arg, formula));
                let all: Vec<String> = refs.chain(inside).chain(args).collect();
                format!("{}_with_hole({})", self.defs.pred(context.pred).name, all.join(", "))
            }
        }
    }

    /// `(λa. a >= i)`; nothing for `true`.
    fn lambda(&self, refinement: &Refinement) -> Option<String> {
        const BOUND: Var = 1 << 30;
        let letter = |var: Var| match var.checked_sub(BOUND) {
            Some(0) => "a".to_owned(),
            Some(1) => "b".to_owned(),
            Some(place) => format!("a{place}"),
            None => self.data_name(var),
        };
        let mut bound = 0;
        let mut parts = Vec::new();
        for atom in &refinement.atoms {
            let arg = |arg: &Arg| match arg {
                Arg::Bound(place) => Sum::var(BOUND + *place as Var),
                Arg::Term(sum) => sum.clone(),
            };
            let places = atom.args.iter().filter_map(|arg| match arg {
                Arg::Bound(place) => Some(place + 1),
                Arg::Term(_) => None,
            });
            bound = places.fold(bound, usize::max);
            let query = Query { rel: atom.rel, args: atom.args.iter().map(arg).collect() };
            let text = self.query(&query, &letter);
            if text != "true" && !parts.contains(&text) {
                parts.push(text);
            }
        }
        if parts.is_empty() {
            return None;
        }
        let names: Vec<String> = (0..bound as Var).map(|place| letter(BOUND + place)).collect();
        Some(format!("(λ{}. {})", names.join(", "), parts.join(" && ")))
    }
}
