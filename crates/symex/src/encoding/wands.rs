//! What two wands must have in common to be the same resource.
//!
//! A wand is a resource whose location is its shape together with values: everything in it that does
//! not depend on the heap is an argument, evaluated where the wand is mentioned. So is the heap of
//! another state, if something is read there that depends on what is bound in the wand. What is left
//! is the shape. `acc(x.f, 1/2) --* acc(y.f)` and `acc(a.f, p) --* acc(b.next.f)` differ in shape, for
//! `b.next` depends on the heap; `acc(a.f, p) --* acc(b.f)` has the shape of the former.

use std::sync::Arc;

use report::Pos;
use smt::FastMap;
use viper::core::{Expr, ExprId, ExprKind, LocalId, OldState, Program, Resource, Type, Wand};

use super::Encoding;
use super::wand_states::{Reads, reads};
use crate::state::{Owner, WandId};

/// Arguments have numbers from here on, bound variables those below.
const FIRST_HOLE: u32 = 1 << 30;

/// A wand with its arguments taken out.
#[derive(PartialEq, Eq)]
struct Shape {
    lhs: Arc<Expr>,
    rhs: Arc<Expr>,
}

/// A wand of the program and what was found out about it.
struct Known {
    wand: Wand,
    id: WandId,
    args: Arc<[Argument]>,
    /// Whose variables it mentions, once that is known.
    owner: Option<Owner>,
}

/// What two wands of one shape may differ in.
#[derive(Debug)]
pub(crate) enum Argument {
    Value(Arc<Expr>),
    /// The heap that an `old` expression is about, as far as it is read.
    State {
        old: Arc<Expr>,
        reads: Reads,
    },
}

/// Which wand of the program.
fn sides(wand: &Wand) -> (ExprId, ExprId) {
    (wand.lhs.id(), wand.rhs.id())
}

/// The wands of a unit.
#[derive(Default)]
pub(super) struct Wands {
    shapes: Vec<Shape>,
    known: Vec<Known>,
    /// Where a wand is among those that are known, by its two sides.
    places: FastMap<(ExprId, ExprId), usize>,
}

impl Wands {
    fn belongs(&mut self, wand: &Wand, owner: Owner) {
        let place = self.places.get(&sides(wand)).copied();
        if let Some(known) = place.and_then(|place| self.known.get_mut(place)) {
            known.owner = Some(owner);
        }
    }

    fn known(&self, wand: &Wand) -> Option<&Known> {
        self.known.get(*self.places.get(&sides(wand))?)
    }

    fn remember(&mut self, known: Known) {
        self.places.insert(sides(&known.wand), self.known.len());
        self.known.push(known);
    }

    fn written(&self, id: WandId) -> Option<(&Wand, &[Argument], Owner)> {
        let known = self.known.iter().find(|k| k.id == id && k.owner.is_some())?;
        Some((&known.wand, &known.args, known.owner?))
    }
}

impl Encoding<'_> {
    /// The shape of a wand and its arguments.
    pub fn shape(&mut self, wand: &Wand) -> (WandId, Arc<[Argument]>) {
        if let Some(known) = self.wands.known(wand) {
            return (known.id, Arc::clone(&known.args));
        }
        let mut cut = Cut { program: self.program, bound: Vec::new(), holes: Vec::new() };
        let shape = Shape { lhs: cut.expr(&wand.lhs), rhs: cut.expr(&wand.rhs) };
        let args: Arc<[Argument]> = cut.holes.into();
        let index = match self.wands.shapes.iter().position(|s| *s == shape) {
            Some(index) => index,
            None => {
                self.wands.shapes.push(shape);
                let sort = |a: &Argument| match a {
                    Argument::Value(e) => self.sort(&e.ty),
                    Argument::State { .. } => self.prelude.snap,
                };
                let sorts = args.iter().map(sort).collect();
                self.symbols.wands.push(sorts);
                self.wands.shapes.len() - 1
            }
        };
        let id = WandId(index as u32);
        self.wands.remember(Known { wand: wand.clone(), id, args: Arc::clone(&args), owner: None });
        (id, args)
    }

    /// Remembers whose variables a wand mentions.
    pub fn wand_belongs(&mut self, wand: &Wand, owner: Owner) {
        self.wands.belongs(wand, owner);
    }

    /// How a wand of a shape is written somewhere: the wand, its arguments, and whose variables they
    /// mention.
    pub fn written_wand(&self, id: WandId) -> Option<(&Wand, &[Argument], Owner)> {
        self.wands.written(id)
    }
}

/// Takes the arguments out of a wand.
struct Cut<'p> {
    program: &'p Program,
    /// Variables that are bound within the wand, outermost first.
    bound: Vec<LocalId>,
    holes: Vec<Argument>,
}

impl Cut<'_> {
    fn expr(&mut self, e: &Arc<Expr>) -> Arc<Expr> {
        if self.is_hole(e) {
            return self.hole(e);
        }
        let depth = self.bound.len();
        let mut e = Arc::clone(e);
        match &e.kind {
            // Triggers say nothing.
            ExprKind::Quant { quantifier, vars, body, .. } => {
                self.bound.extend(vars);
                let (quantifier, vars) = (*quantifier, vars.clone());
                let (triggers, body) = (Vec::new(), Arc::clone(body));
                e = bare(ExprKind::Quant { quantifier, vars, triggers, body }, &Type::Bool);
            }
            ExprKind::ForPerm(vars, ..) => self.bound.extend(vars),
            // Whatever its name, it is the heap that counts.
            ExprKind::Old(OldState::Pre | OldState::Label(_), inner) => {
                let reads = reads(self.program, inner);
                self.holes.push(Argument::State { old: Arc::clone(&e), reads });
                let inner = self.expr(inner);
                return bare(ExprKind::Old(OldState::Pre, inner), &e.ty);
            }
            ExprKind::Let(var, value, body) => {
                // The value is outside of the scope of the variable.
                let value = self.expr(value);
                self.bound.push(*var);
                let body = self.expr(body);
                self.bound.truncate(depth);
                return bare(ExprKind::Let(LocalId(depth as u32), value, body), &e.ty);
            }
            ExprKind::Local(var) => {
                let index = self.bound.iter().rposition(|b| b == var).unwrap_or_default();
                return bare(ExprKind::Local(LocalId(index as u32)), &e.ty);
            }
            // Full permission is what is meant where none is given.
            ExprKind::Acc(resource, None) => {
                let full = Expr::new(ExprKind::FullPerm, Type::Perm, Pos::default());
                let kind = ExprKind::Acc(resource.clone(), Some(full));
                e = Expr::new(kind, Type::Bool, Pos::default());
            }
            _ => {}
        }
        let mapped = e.map_children(|child| self.expr(child));
        self.bound.truncate(depth);
        let number = |i: usize| LocalId((depth + i) as u32);
        let kind = match &mapped.kind {
            ExprKind::Quant { quantifier, vars, triggers, body } => ExprKind::Quant {
                quantifier: *quantifier,
                vars: (0..vars.len()).map(number).collect(),
                triggers: triggers.clone(),
                body: Arc::clone(body),
            },
            ExprKind::ForPerm(vars, resource, body) => ExprKind::ForPerm(
                (0..vars.len()).map(number).collect(),
                nowhere(resource),
                Arc::clone(body),
            ),
            ExprKind::Acc(resource, amount) => ExprKind::Acc(nowhere(resource), amount.clone()),
            ExprKind::Perm(resource) => ExprKind::Perm(nowhere(resource)),
            ExprKind::Wand(wand) => ExprKind::Wand(Wand { pos: Pos::default(), ..wand.clone() }),
            ExprKind::Applying(wand, body) => {
                ExprKind::Applying(Wand { pos: Pos::default(), ..wand.clone() }, Arc::clone(body))
            }
            ExprKind::Unfolding(access, body) => {
                let mut access = access.clone();
                (access.pos, access.loc_pos) = (Pos::default(), Pos::default());
                ExprKind::Unfolding(access, Arc::clone(body))
            }
            kind => kind.clone(),
        };
        bare(kind, &e.ty)
    }

    fn hole(&mut self, e: &Arc<Expr>) -> Arc<Expr> {
        let number = FIRST_HOLE + self.holes.len() as u32;
        self.holes.push(Argument::Value(Arc::clone(e)));
        bare(ExprKind::Local(LocalId(number)), &e.ty)
    }

    /// Does its value depend neither on the heap nor on what is bound in the wand?
    fn is_hole(&self, e: &Arc<Expr>) -> bool {
        let mut hole = true;
        e.walk(&mut |e| {
            let own = match &e.kind {
                ExprKind::Local(var) => !self.bound.contains(var),
                ExprKind::Call(function, _) => {
                    self.program.function(*function).pres.iter().all(|pre| pre.is_pure())
                }
                ExprKind::Old(OldState::Lhs, _)
                | ExprKind::Field(..)
                | ExprKind::WildcardPerm
                | ExprKind::Acc(..)
                | ExprKind::Wand(_)
                | ExprKind::Perm(_)
                | ExprKind::ForPerm(..)
                | ExprKind::Unfolding(..)
                | ExprKind::Applying(..)
                | ExprKind::Asserting(..)
                | ExprKind::InhaleExhale(..)
                | ExprKind::Quant { .. }
                | ExprKind::PredicateInstance(..) => false,
                // Another state is as good as no heap, unless that of the left-hand side is meant.
                ExprKind::Old(_, inner) => {
                    let local = |e: &Expr| {
                        matches!(&e.kind, ExprKind::Local(v) if self.bound.contains(v))
                            || matches!(e.kind, ExprKind::Old(OldState::Lhs, _))
                    };
                    hole = hole && !inner.any(local);
                    return false;
                }
                _ => true,
            };
            hole = hole && own;
            hole
        });
        hole
    }
}

fn nowhere(resource: &Resource) -> Resource {
    match resource.clone() {
        Resource::Field(receiver, field, _) => Resource::Field(receiver, field, Pos::default()),
        Resource::Predicate(predicate, args, _) => {
            Resource::Predicate(predicate, args, Pos::default())
        }
        Resource::Wand(wand) => Resource::Wand(Wand { pos: Pos::default(), ..wand }),
    }
}

/// An expression without position and annotations.
fn bare(kind: ExprKind, ty: &Type) -> Arc<Expr> {
    Expr::new(kind, ty.clone(), Pos::default())
}
