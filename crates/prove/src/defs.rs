//! Records and recursive predicates [ABCK15, Sec. 3.1], given or generated from the types of a program.
//!
//! Every predicate here has two cases, an empty one and one with a record at its root:
//!
//! ```text
//! Z(R⃗, x, y⃗) ≡ (x = end : emp)
//!            ∨ (∃ d⃗, f⃗. x ≠ end ∧ R₀(d⃗) : x ↦ [d⃗, f⃗] * Z(R⃗', …) * …)
//! ```
//!
//! Lists, doubly linked lists and trees are of this form. Refinement 0 holds of every record; in the `k`-th part
//! below a record it is `λ a⃗. R₀(a⃗) ∧ Rₖ(d⃗, a⃗)` where the definition says so, as in `bt(Q, L, R, x)`.

use arith::Sum;

use crate::contract::Contract;
use crate::rsep::{Applied, Arg, Cell, HTerm, Instance, Refinement};

/// The place of a kind of record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KindId(pub u32);

/// The place of a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredId(pub u32);

/// A kind of record: names of its data fields and of its heap fields, with their offsets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its name.
    pub name: String,
    /// Data fields.
    pub data: Vec<(String, u64)>,
    /// Heap fields, with the kind that they are meant to lead to.
    pub ptrs: Vec<(String, u64, Option<KindId>)>,
    /// May it be freed?
    pub on_heap: bool,
}

/// What the root is in the empty case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Null.
    Null,
    /// This parameter.
    Param(usize),
}

/// A predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pred {
    /// Its name.
    pub name: String,
    /// The records that it is made of.
    pub kind: KindId,
    /// How many heap parameters it has; the first one is the root.
    pub params: usize,
    /// Where it is empty.
    pub end: End,
    /// Which parameter each heap field holds; `None` for any value.
    pub links: Vec<Option<usize>>,
    /// Arities of its refinements.
    pub refs: Vec<usize>,
    /// Its parts below a record.
    pub subs: Vec<Sub>,
}

/// A part below a record: the same predicate again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sub {
    /// Its arguments.
    pub args: Vec<SubArg>,
    /// The refinement that relates the record to what is in it.
    pub also: Option<usize>,
}

/// An argument of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubArg {
    /// What this heap field holds.
    Field(usize),
    /// This parameter.
    Param(usize),
}

/// Kinds and predicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defs {
    /// Kinds of records.
    pub kinds: Vec<Kind>,
    /// Predicates.
    pub preds: Vec<Pred>,
    /// Contracts of procedures.
    pub contracts: Vec<Contract>,
}

impl Sub {
    /// The part below a record of an instance.
    #[must_use]
    pub fn instance(&self, whole: &Instance, cell: &Cell) -> Option<Instance> {
        let arg = |arg: &SubArg| match arg {
            SubArg::Field(field) => cell.ptrs.get(*field).copied(),
            SubArg::Param(place) => whole.args.get(*place).copied(),
        };
        let args: Vec<HTerm> = self.args.iter().map(arg).collect::<Option<_>>()?;
        let mut refs = whole.refs.clone();
        if let (Some(also), Some(all)) =
            (self.also.and_then(|r| whole.refs.get(r)), refs.first_mut())
        {
            all.atoms.extend(partial(also, &cell.data).atoms);
        }
        Some(Instance { pred: whole.pred, args, refs })
    }
}

/// A refinement with its first arguments given: `λ a⃗. R(d⃗, a⃗)`.
pub(crate) fn partial(refinement: &Refinement, first: &[Sum]) -> Refinement {
    let arg = |arg: &Arg| match arg {
        Arg::Bound(place) => match first.get(*place) {
            Some(sum) => Arg::Term(sum.clone()),
            None => Arg::Bound(place - first.len()),
        },
        Arg::Term(sum) => Arg::Term(sum.clone()),
    };
    let atom =
        |atom: &Applied| Applied { rel: atom.rel, args: atom.args.iter().map(arg).collect() };
    Refinement { atoms: refinement.atoms.iter().map(atom).collect() }
}

impl Defs {
    /// A kind of record.
    ///
    /// # Panics
    /// If it is of other definitions.
    #[must_use]
    pub fn kind(&self, id: KindId) -> &Kind {
        &self.kinds[id.0 as usize]
    }

    /// A predicate.
    ///
    /// # Panics
    /// If it is of other definitions.
    #[must_use]
    pub fn pred(&self, id: PredId) -> &Pred {
        &self.preds[id.0 as usize]
    }

    /// Can two instances, one behind the other, be one? They can where there is one part, which has the end of the
    /// whole.
    #[must_use]
    pub fn is_segment(&self, id: PredId) -> bool {
        let pred = self.pred(id);
        let End::Param(end) = pred.end else { return false };
        let [sub] = pred.subs.as_slice() else { return false };
        // What is said of other parameters would have to be followed through the first one.
        pred.params == 2 && sub.args.get(end) == Some(&SubArg::Param(end))
    }

    /// Is it a tree: several parts below a record, without other parameters? Then it may have a hole.
    #[must_use]
    pub fn is_tree(&self, id: PredId) -> bool {
        let pred = self.pred(id);
        let is_child = |sub: &Sub| matches!(sub.args.as_slice(), [SubArg::Field(_)]);
        pred.params == 1
            && pred.end == End::Null
            && pred.subs.len() > 1
            && pred.subs.iter().all(is_child)
    }

    /// The predicates that records of a kind may form: lists through one field, doubly linked lists, trees.
    pub fn generate(&mut self, kind: KindId) {
        let shape = self.kind(kind).clone();
        let own = |ptr: &(String, u64, Option<KindId>)| ptr.2 == Some(kind);
        let links: Vec<usize> =
            shape.ptrs.iter().enumerate().filter(|(_, ptr)| own(ptr)).map(|(i, _)| i).collect();
        let (width, data) = (shape.ptrs.len(), shape.data.len());
        let field = |index: usize| shape.ptrs.get(index).map_or("?", |ptr| ptr.0.as_str());
        for &next in &links {
            for &previous in links.iter().filter(|previous| **previous != next) {
                // dls(R, x, p, y): next leads on, previous leads back.
                let mut fields = vec![None; width];
                fields[previous] = Some(1);
                self.preds.push(Pred {
                    name: format!("dls_{}_{}_{}", shape.name, field(next), field(previous)),
                    kind,
                    params: 3,
                    end: End::Param(2),
                    links: fields,
                    refs: vec![data],
                    subs: vec![Sub {
                        args: vec![SubArg::Field(next), SubArg::Param(0), SubArg::Param(2)],
                        also: None,
                    }],
                });
            }
        }
        for &next in &links {
            self.preds.push(Pred {
                name: if links.len() == 1 {
                    format!("ls_{}", shape.name)
                } else {
                    format!("ls_{}_{}", shape.name, field(next))
                },
                kind,
                params: 2,
                end: End::Param(1),
                links: vec![None; width],
                refs: vec![data],
                subs: vec![Sub { args: vec![SubArg::Field(next), SubArg::Param(1)], also: None }],
            });
        }
        if let [left, right] = links.as_slice() {
            let sub = |field: usize, also: usize| Sub {
                args: vec![SubArg::Field(field)],
                also: Some(also),
            };
            self.preds.push(Pred {
                name: format!("bt_{}", shape.name),
                kind,
                params: 1,
                end: End::Null,
                links: vec![None; width],
                refs: vec![data, 2 * data, 2 * data],
                subs: vec![sub(*left, 1), sub(*right, 2)],
            });
        }
    }
}
