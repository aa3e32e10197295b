//! Function graphs: nodes, fields that lead from node to node, and what lies on their paths.
//!
//! All is said by one predicate for every field: `between(x, y, z)` says that `y` is on the shortest
//! path from `x` to `z`. The paper's `x -h\z-> y`, a path from `x` to `y` that does not leave `z`, is
//! made of it. The axioms are those of a local theory: their variables stand for terms that occur, and
//! the instances that a model contradicts are found by `paths`.

use std::collections::{BTreeMap, BTreeSet};

use sl::{Name, Signature};
use smt::{FastMap, FunId, Meaning, Node, Sort, Term, Terms};

use crate::doubly::WayBack;
use crate::logic::Reduced;
use crate::sorted::Sorted;

/// A field.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Field(usize);

/// A variable that stands for a set of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SetVar(pub(crate) FunId);

struct FieldDecl {
    read: FunId,
    /// Nodes that have the field.
    owner: Sort,
    /// For fields that lead to nodes of the same sort.
    between: Option<FunId>,
    /// The field it was before an update, where it changed and to what.
    update: Option<(Field, Term, Term)>,
}

/// Sorts of nodes and their fields.
pub struct Theory {
    /// The terms; nodes are terms of one of the sorts below.
    pub terms: Terms,
    nodes: BTreeMap<Name, (Sort, Term)>,
    fields: Vec<FieldDecl>,
    sets: Vec<SetVar>,
    /// Stack variables.
    constants: Vec<Term>,
    /// The fields of a record, by the sort of the location.
    places: BTreeMap<Name, Vec<Field>>,
    /// The way back of lists that must be there.
    pub(crate) ways_back: Vec<WayBack>,
    /// The order of lists that must be there.
    pub(crate) sorted: Vec<Sorted>,
}

impl Theory {
    /// The nodes and fields that the locations of a signature are.
    #[must_use]
    pub fn new(signature: &Signature) -> Theory {
        let mut theory = Theory {
            terms: Terms::new(),
            nodes: BTreeMap::new(),
            fields: Vec::new(),
            sets: Vec::new(),
            constants: Vec::new(),
            places: BTreeMap::new(),
            ways_back: Vec::new(),
            sorted: Vec::new(),
        };
        for cell in &signature.heap {
            theory.sort(&cell.loc);
        }
        for cell in &signature.heap {
            let (sl::Sort::Loc(name), Some(owner)) = (&cell.loc, theory.sort(&cell.loc)) else {
                continue;
            };
            let mut fields = Vec::new();
            for (index, (_, content)) in signature.fields(&cell.loc).iter().enumerate() {
                let Some(result) = theory.sort(content) else { break };
                fields.push(theory.add_field(&format!("{name}.{index}"), owner, result));
            }
            theory.places.insert(name.clone(), fields);
        }
        theory
    }

    /// The sort of terms that values of a sort are; records have none.
    pub fn sort(&mut self, sort: &sl::Sort) -> Option<Sort> {
        match sort {
            sl::Sort::Int => Some(Sort::Int),
            sl::Sort::Bool => Some(Sort::Bool),
            sl::Sort::Record(_) => None,
            sl::Sort::Loc(name) => {
                if let Some((sort, _)) = self.nodes.get(name) {
                    return Some(*sort);
                }
                let signature = &mut self.terms.signature;
                let sort = signature.add_sort(format!("node.{name}"), Meaning::Uninterpreted);
                let nil = self.terms.constant(&format!("nil.{name}"), sort);
                self.nodes.insert(name.clone(), (sort, nil));
                Some(sort)
            }
        }
    }

    /// `nil` of a sort of locations.
    pub fn nil(&mut self, sort: &sl::Sort) -> Option<Term> {
        self.sort(sort)?;
        match sort {
            sl::Sort::Loc(name) => self.nodes.get(name).map(|(_, nil)| *nil),
            _ => None,
        }
    }

    /// Is it a sort of nodes?
    #[must_use]
    pub fn is_node(&self, sort: Sort) -> bool {
        matches!(sort, Sort::Named(_))
    }

    /// The field of this number of what locations of a sort hold.
    #[must_use]
    pub fn field(&self, loc: &sl::Sort, index: usize) -> Option<Field> {
        match loc {
            sl::Sort::Loc(name) => self.places.get(name)?.get(index).copied(),
            _ => None,
        }
    }

    /// A new field of nodes of a sort.
    pub fn add_field(&mut self, name: &str, owner: Sort, result: Sort) -> Field {
        let read = self.terms.declare(&format!("read.{name}"), vec![owner], result);
        let between = (owner == result && self.is_node(owner)).then(|| {
            let name = format!("between.{name}");
            self.terms.declare(&name, vec![owner; 3], Sort::Bool)
        });
        self.fields.push(FieldDecl { read, owner, between, update: None });
        Field(self.fields.len() - 1)
    }

    /// The field `old` after the node `at` got a new value.
    pub fn update(&mut self, old: Field, at: Term, value: Term) -> Field {
        let name = format!("{}'", self.fields.len());
        let (owner, result) = (self.terms.sort(at), self.terms.sort(value));
        let new = self.add_field(&name, owner, result);
        self.fields[new.0].update = Some((old, at, value));
        new
    }

    /// What a set is called.
    #[must_use]
    pub fn set_name(&self, set: SetVar) -> String {
        self.terms.signature.fun_text(set.0).to_owned()
    }

    /// A new set of nodes of a sort.
    pub fn add_set(&mut self, name: &str, sort: Sort) -> SetVar {
        let name = format!("set.{}.{name}", self.sets.len());
        let set = SetVar(self.terms.declare(&name, vec![sort], Sort::Bool));
        self.sets.push(set);
        set
    }

    /// What a field of a node holds.
    pub fn read(&mut self, field: Field, node: Term) -> Term {
        let read = self.fields[field.0].read;
        self.terms.app(read, &[node])
    }

    /// `y` is on the shortest path from `x` to `z`. For a field that has no paths: false.
    pub fn between(&mut self, field: Field, x: Term, y: Term, z: Term) -> Term {
        match self.fields[field.0].between {
            Some(between) => self.terms.app(between, &[x, y, z]),
            None => self.terms.bool(false),
        }
    }

    /// There is a path from `x` to `y`.
    pub fn reach(&mut self, field: Field, x: Term, y: Term) -> Term {
        self.between(field, x, y, y)
    }

    /// The paper's `x -h\z-> y`: there is a path from `x` to `y` that does not leave `z`.
    pub fn reach_without(&mut self, field: Field, x: Term, y: Term, z: Term) -> Term {
        let on_the_way = self.between(field, x, y, z);
        let reached = self.reach(field, x, y);
        let never = self.reach(field, x, z);
        let never = self.terms.not(never);
        let elsewhere = self.terms.and([reached, never]);
        self.terms.or([on_the_way, elsewhere])
    }

    /// The nodes that have a field.
    pub(crate) fn owner(&self, field: Field) -> Sort {
        self.fields[field.0].owner
    }

    /// The field and the nodes, if a term is a fact about a path.
    pub(crate) fn as_between(&self, term: Term) -> Option<(Field, [Term; 3])> {
        match self.terms.node(term) {
            Node::App(fun, args) if self.terms.free(term).is_empty() => {
                let field = self.fields.iter().position(|f| f.between == Some(*fun))?;
                let [x, y, z] = args[..] else { return None };
                Some((Field(field), [x, y, z]))
            }
            _ => None,
        }
    }

    /// All nodes that ground terms mention, with those that reading an updated field needs.
    pub(crate) fn ground_nodes(&mut self, formulas: &[Term]) -> Vec<Term> {
        let mut seen: BTreeSet<Term> = BTreeSet::new();
        let mut found = Vec::new();
        let mut pending: Vec<Term> = formulas.to_vec();
        pending.extend(self.fields.iter().flat_map(|f| f.update).flat_map(|(_, a, v)| [a, v]));
        pending.extend(self.nodes.values().map(|(_, nil)| *nil));
        while let Some(term) = pending.pop() {
            if !seen.insert(term) {
                continue;
            }
            if self.terms.free(term).is_empty() && self.is_node(self.terms.sort(term)) {
                found.push(term);
                pending.extend(self.read_before(term));
            }
            pending.extend(self.terms.children(term));
        }
        found.sort_unstable();
        found
    }

    /// The reading of the field before an update, for a reading of the field after it.
    fn read_before(&mut self, term: Term) -> Option<Term> {
        let (field, node) = self.as_read(term)?;
        let (old, ..) = self.fields[field.0].update?;
        Some(self.read(old, node))
    }

    /// The field and the node, if a term is a reading.
    pub(crate) fn as_read(&self, term: Term) -> Option<(Field, Term)> {
        match self.terms.node(term) {
            Node::App(fun, args) => {
                let field = self.fields.iter().position(|f| f.read == *fun)?;
                Some((Field(field), *args.first()?))
            }
            _ => None,
        }
    }

    /// Terms that mention everything whose value could be asked for.
    pub(crate) fn mentioned(&mut self, reduced: &Reduced) -> Vec<Term> {
        let mut all = reduced.nodes.clone();
        for (field, node) in &reduced.reads {
            all.push(self.read(*field, *node));
        }
        all.extend(&self.constants);
        let nil: Vec<(Sort, Term)> = self.nodes.values().copied().collect();
        for (sort, nil) in nil {
            for index in 0..self.fields.len() {
                if self.fields[index].owner == sort {
                    all.push(self.reach(Field(index), nil, nil));
                }
            }
            for set in self.sets.clone() {
                if self.terms.signature.fun(set.0).args == [sort] {
                    all.push(self.terms.app(set.0, &[nil]));
                }
            }
            all.push(nil);
        }
        all
    }

    /// How many lists there are that go back or are sorted.
    pub(crate) fn mark(&self) -> [usize; 2] {
        [self.ways_back.len(), self.sorted.len()]
    }

    /// Lists that came later do not count any more.
    pub(crate) fn forget(&mut self, [ways_back, sorted]: [usize; 2]) {
        self.ways_back.truncate(ways_back);
        self.sorted.truncate(sorted);
    }

    /// The constant for a stack variable.
    pub(crate) fn constant(&mut self, name: &str, sort: Sort) -> Term {
        let term = self.terms.constant(name, sort);
        self.keep(term);
        term
    }

    /// There is a value for this in every model.
    pub(crate) fn keep(&mut self, term: Term) {
        if !self.constants.contains(&term) {
            self.constants.push(term);
        }
    }

    /// What fields hold that are read after they changed.
    pub(crate) fn updates(&mut self, reads: &[(Field, Term)]) -> Vec<Term> {
        let mut out = Vec::new();
        for (field, x) in reads {
            let Some((old, at, value)) = self.fields[field.0].update else { continue };
            let next = self.read(*field, *x);
            let here = self.terms.eq(*x, at);
            let before = self.read(old, *x);
            let now = self.terms.ite(here, value, before);
            out.push(self.terms.eq(next, now));
        }
        out
    }

    /// Paths after an update: those that do not use the new edge, and those that do.
    pub(crate) fn after_update(&mut self, new: Field, [x, y, z]: [Term; 3]) -> Option<Term> {
        let (old, at, value) = self.fields[new.0].update?;
        let after = |theory: &mut Theory, y: Term, z: Term| {
            let blocked = theory.terms.eq(z, at);
            let same = theory.reach_without(old, x, y, z);
            let around = theory.reach_without(old, x, y, at);
            let unused = theory.terms.and([same, around]);
            let there = theory.reach_without(old, x, at, z);
            let on = theory.reach_without(old, value, y, z);
            let once = theory.reach_without(old, value, y, at);
            let used = theory.terms.and([there, on, once]);
            let either = theory.terms.or([unused, used]);
            theory.terms.ite(blocked, same, either)
        };
        // `y` is on the shortest path to `z`: `y` is reached without leaving `z`, and `z` from there.
        let first = after(self, y, z);
        let whole = after(self, z, z);
        let meaning = self.terms.and([first, whole]);
        let now = self.between(new, x, y, z);
        Some(self.terms.eq(now, meaning))
    }

    /// The term with a node in place of a variable.
    pub(crate) fn instance(&mut self, body: Term, var: Term, node: Term) -> Term {
        let mut map: FastMap<Term, Term> = FastMap::default();
        map.insert(var, node);
        self.terms.substitute(body, &map)
    }
}
