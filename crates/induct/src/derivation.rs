//! Derivations: which case of its definition every instance of a predicate comes from. A derivation
//! makes a model, and shows that it is one.

use std::collections::{BTreeMap, HashMap};

use num_bigint::BigInt;
use sl::{Formula, Kind, Loc, Model, Name, Object, Signature, SymbolicHeap, Term, TermKind, Value};

use crate::base::Table;
use crate::system::{Cell, Clause, PredId, System, Var};
use arith::Constraint;

/// An instance of a predicate in a derivation.
#[derive(Clone, Debug)]
pub struct Node {
    /// The predicate.
    pub pred: PredId,
    /// The case of its definition.
    pub case: usize,
    /// The instances in that case, in their order.
    pub calls: Vec<usize>,
}

/// A derivation of all calls of a clause.
#[derive(Clone, Debug, Default)]
pub struct Derivation {
    /// All instances.
    pub nodes: Vec<Node>,
    /// Those of the clause itself, in their order.
    pub roots: Vec<usize>,
}

impl Derivation {
    /// The derivation behind a choice of bases, unless it has more instances than this.
    #[must_use]
    pub fn of_bases(
        table: &Table,
        clause: &Clause,
        choice: &[usize],
        system: &System,
        max_nodes: usize,
    ) -> Option<Derivation> {
        let mut derivation = Derivation::default();
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (call, base) in clause.calls.iter().zip(choice) {
            derivation.roots.push(derivation.nodes.len());
            open.push((derivation.nodes.len(), *base));
            derivation.nodes.push(Node { pred: call.pred, case: 0, calls: Vec::new() });
        }
        while let Some((node, base)) = open.pop() {
            let pred = derivation.nodes[node].pred;
            let origin = &table.bases[pred].origins[base];
            derivation.nodes[node].case = origin.case;
            let calls = &system.predicates[pred].cases[origin.case].calls;
            for (call, base) in calls.iter().zip(&origin.calls) {
                let child = derivation.nodes.len();
                derivation.nodes.push(Node { pred: call.pred, case: 0, calls: Vec::new() });
                derivation.nodes[node].calls.push(child);
                open.push((child, *base));
            }
            if derivation.nodes.len() > max_nodes {
                return None;
            }
        }
        Some(derivation)
    }

    /// The same with other derivations of some of the calls.
    #[must_use]
    pub fn with(&self, calls: &[usize], other: &Derivation) -> Derivation {
        let mut result = self.clone();
        let start = self.nodes.len();
        for (call, root) in calls.iter().zip(&other.roots) {
            result.roots[*call] = start + root;
        }
        result.nodes.extend(other.nodes.iter().cloned().map(|mut node| {
            node.calls.iter_mut().for_each(|call| *call += start);
            node
        }));
        result
    }
}

/// A derivation whose variables all have numbers of their own.
#[derive(Clone, Debug)]
pub struct Unfolded {
    /// The variables of the clause and, behind them, those of the instances.
    pub vars: usize,
    /// For every node the variables of its case.
    pub scopes: Vec<Vec<Var>>,
    /// Everything that the clause and the instances say, without calls.
    pub equal: Vec<(Var, Var)>,
    /// What is said of integers.
    pub linear: Vec<Constraint>,
    /// All that is allocated.
    pub cells: Vec<Cell>,
    /// The sorts of the variables.
    pub sorts: Vec<usize>,
}

impl Unfolded {
    /// Unfolds a clause along a derivation.
    #[must_use]
    pub fn new(system: &System, clause: &Clause, derivation: &Derivation) -> Unfolded {
        let mut result = Unfolded {
            vars: clause.sorts.len(),
            scopes: vec![Vec::new(); derivation.nodes.len()],
            equal: clause.equal.clone(),
            linear: clause.linear.clone(),
            cells: clause.cells.clone(),
            sorts: clause.sorts.clone(),
        };
        let mut open: Vec<(usize, Vec<Var>)> = Vec::new();
        for (call, node) in clause.calls.iter().zip(&derivation.roots) {
            open.push((*node, call.args.clone()));
        }
        while let Some((index, args)) = open.pop() {
            let node = &derivation.nodes[index];
            let case = &system.predicates[node.pred].cases[node.case];
            let mut scope: Vec<Var> = (0..system.nils() as Var).collect();
            scope.extend(args);
            for sort in case.sorts.iter().skip(case.free) {
                scope.push(result.vars as Var);
                result.sorts.push(*sort);
                result.vars += 1;
            }
            let var = |v: Var| scope[v as usize];
            result.equal.extend(case.equal.iter().map(|(a, b)| (var(*a), var(*b))));
            result.linear.extend(case.linear.iter().map(|c| c.renamed(&var)));
            result.cells.extend(case.cells.iter().map(|cell| Cell {
                addr: var(cell.addr),
                fields: cell.fields.iter().map(|v| var(*v)).collect(),
            }));
            for (call, child) in case.calls.iter().zip(&node.calls) {
                open.push((*child, call.args.iter().map(|v| var(*v)).collect()));
            }
            result.scopes[index] = scope;
        }
        result
    }

    /// A value for every variable: as few as possible are equal.
    #[must_use]
    pub fn values(&self, system: &System) -> Option<Vec<Value>> {
        let numbers =
            if self.linear.is_empty() { BTreeMap::new() } else { arith::solve(&self.linear)? };
        Some(self.values_with(system, &|var| numbers.get(&var).copied().unwrap_or(0)))
    }

    /// The same when integers are given.
    #[must_use]
    pub fn values_with(&self, system: &System, numbers: &impl Fn(Var) -> i128) -> Vec<Value> {
        let mut parent: Vec<Var> = (0..self.vars as Var).collect();
        for (a, b) in &self.equal {
            let (a, b) = (find(&mut parent, *a), find(&mut parent, *b));
            parent[a.max(b) as usize] = a.min(b);
        }
        let mut locations: HashMap<Var, u32> = HashMap::new();
        let mut values = Vec::with_capacity(self.vars);
        for var in 0..self.vars as Var {
            if system.is_int(self.sorts[var as usize]) {
                values.push(Value::Int(BigInt::from(numbers(var))));
                continue;
            }
            let root = find(&mut parent, var);
            let next = locations.len() as u32 + 1;
            let loc = if (root as usize) < system.nils() {
                Loc::NIL
            } else {
                Loc(*locations.entry(root).or_insert(next))
            };
            values.push(Value::Loc(loc));
        }
        values
    }

    /// The heap for these values; `None` if a location would be allocated twice.
    #[must_use]
    pub fn heap(
        &self,
        system: &System,
        signature: &Signature,
        values: &[Value],
    ) -> Option<BTreeMap<Loc, Object>> {
        let mut heap = BTreeMap::new();
        for cell in &self.cells {
            let Value::Loc(loc) = values[cell.addr as usize] else { return None };
            let sort = system.sorts[self.sorts[cell.addr as usize]].clone();
            let fields: Vec<Value> =
                cell.fields.iter().map(|f| values[*f as usize].clone()).collect();
            let is_record = signature.record(signature.content(&sort)?).is_some();
            let content =
                if is_record { Value::Record(fields) } else { fields.into_iter().next()? };
            if loc == Loc::NIL || heap.insert(loc, Object { sort, content }).is_some() {
                return None;
            }
        }
        Some(heap)
    }
}

fn find(parent: &mut [Var], mut var: Var) -> Var {
    while parent[var as usize] != var {
        parent[var as usize] = parent[parent[var as usize] as usize];
        var = parent[var as usize];
    }
    var
}

/// A formula, as it was written and with numbers.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a> {
    /// As it was written.
    pub heap: &'a SymbolicHeap,
    /// With numbers.
    pub clause: &'a Clause,
    /// Its free variables, in the order of their numbers.
    pub free: &'a [sl::Var],
}

/// The model that a derivation makes, if the derivation shows that it is one.
#[must_use]
pub fn model(
    system: &System,
    signature: &Signature,
    written: Written<'_>,
    derivation: &Derivation,
) -> Option<Model> {
    let unfolded = Unfolded::new(system, written.clause, derivation);
    let values = unfolded.values(system)?;
    model_with(system, signature, written, derivation, &unfolded, &values)
}

/// The same when it is unfolded, and values are given.
#[must_use]
pub fn model_with(
    system: &System,
    signature: &Signature,
    written: Written<'_>,
    derivation: &Derivation,
    unfolded: &Unfolded,
    values: &[Value],
) -> Option<Model> {
    let heap = unfolded.heap(system, signature, values)?;
    let stack = written
        .free
        .iter()
        .zip(values.iter().skip(system.nils()))
        .map(|(var, value)| (var.name.clone(), value.clone()))
        .collect();
    let model = Model { stack, heap, ..Model::default() };
    let witness = Witness { system, derivation, unfolded, values };
    witness.shows(&model, written).then_some(model)
}

/// A derivation with values: enough to check a model step by step, without any search.
///
/// The check goes by the formulas and definitions as they were written. Every atom is looked at once;
/// what a points-to atom describes is taken from the heap, and nothing may be left at the end.
struct Witness<'a> {
    system: &'a System,
    derivation: &'a Derivation,
    unfolded: &'a Unfolded,
    values: &'a [Value],
}

type Scope<'a> = HashMap<&'a Name, &'a Value>;

impl Witness<'_> {
    fn shows(&self, model: &Model, written: Written<'_>) -> bool {
        let mut rest = model.heap.clone();
        let mut scope: Scope<'_> = model.stack.iter().collect();
        scope.extend(self.existential(written.heap, written.clause, None));
        let mut open: Vec<(usize, Name, Vec<Value>)> = Vec::new();
        if !self.step(written.heap, &scope, &self.derivation.roots, &mut rest, &mut open) {
            return false;
        }
        while let Some((index, name, args)) = open.pop() {
            let node = &self.derivation.nodes[index];
            let predicate = &self.system.predicates[node.pred];
            let Some(heap) = predicate.heaps.get(node.case) else { return false };
            let case = &predicate.cases[node.case];
            if predicate.name != name || predicate.params.len() != args.len() {
                return false;
            }
            let mut scope: Scope<'_> =
                predicate.written.iter().map(|p| &p.name).zip(&args).collect();
            scope.extend(self.existential(heap, case, Some(index)));
            if !self.step(heap, &scope, &node.calls, &mut rest, &mut open) {
                return false;
            }
        }
        rest.is_empty() || written.heap.open
    }

    /// The values of existential variables.
    fn existential<'s>(
        &'s self,
        heap: &'s SymbolicHeap,
        clause: &Clause,
        node: Option<usize>,
    ) -> impl Iterator<Item = (&'s Name, &'s Value)> {
        let start = clause.free;
        heap.vars.iter().enumerate().map(move |(i, var)| {
            let number = match node {
                None => start + i,
                Some(node) => self.unfolded.scopes[node][start + i] as usize,
            };
            (&var.name, &self.values[number])
        })
    }

    fn step(
        &self,
        heap: &SymbolicHeap,
        scope: &Scope<'_>,
        calls: &[usize],
        rest: &mut BTreeMap<Loc, Object>,
        open: &mut Vec<(usize, Name, Vec<Value>)>,
    ) -> bool {
        let mut calls = calls.iter();
        heap.pure.iter().all(|atom| holds(atom, scope) == Some(true))
            && heap.spatial.iter().all(|atom| match atom.kind() {
                Kind::PointsTo(loc, content) => {
                    let Some(Value::Loc(address)) = value(loc, scope) else { return false };
                    rest.remove(&address).is_some_and(|object| {
                        object.sort == loc.sort() && value(content, scope) == Some(object.content)
                    })
                }
                Kind::Pred(name, args) => {
                    let args = args.iter().map(|arg| value(arg, scope)).collect::<Option<_>>();
                    match (calls.next(), args) {
                        (Some(call), Some(args)) => {
                            open.push((*call, name.clone(), args));
                            true
                        }
                        _ => false,
                    }
                }
                _ => false,
            })
    }
}

fn holds(atom: &Formula, scope: &Scope<'_>) -> Option<bool> {
    let int = |term: &Term| match value(term, scope)? {
        Value::Int(number) => Some(number),
        _ => None,
    };
    Some(match atom.kind() {
        Kind::Eq(a, b) => value(a, scope)? == value(b, scope)?,
        Kind::Ne(a, b) => value(a, scope)? != value(b, scope)?,
        Kind::Le(a, b) => int(a)? <= int(b)?,
        Kind::Lt(a, b) => int(a)? < int(b)?,
        _ => return None,
    })
}

fn value(term: &Term, scope: &Scope<'_>) -> Option<Value> {
    let int = |term: &Term| match value(term, scope)? {
        Value::Int(number) => Some(number),
        _ => None,
    };
    Some(match term.kind() {
        TermKind::Var(var) => (*scope.get(&var.name)?).clone(),
        TermKind::Nil(_) => Value::Loc(Loc::NIL),
        TermKind::Int(number) => Value::Int(number.clone()),
        TermKind::Bool(truth) => Value::Bool(*truth),
        TermKind::Record(_, parts) => {
            Value::Record(parts.iter().map(|p| value(p, scope)).collect::<Option<_>>()?)
        }
        TermKind::Field(_, index, part) => match value(part, scope)? {
            Value::Record(values) => values.get(*index)?.clone(),
            _ => return None,
        },
        TermKind::Add(parts) => Value::Int(parts.iter().map(int).sum::<Option<BigInt>>()?),
        TermKind::Neg(part) => Value::Int(-int(part)?),
        TermKind::Mul(parts) => Value::Int(parts.iter().map(int).product::<Option<BigInt>>()?),
    })
}
