//! Expressions of the program evaluated in a world: an interpreter that knows nothing of symbolic
//! execution.
//!
//! A function with a body is what its body says. Where it depends on the heap, the heap is what its
//! snapshot says, laid out as its precondition asks for it.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use viper::core::{
    BinOp, Expr, ExprKind, FieldId, FunctionId, LabelId, LocalId, OldState, PredicateId, Resource,
};

use super::super::value::{Value, binary, collection, multiset};
use super::{Role, World, of_value};
use crate::state::{QuantifiedChunk, ResourceId};
use crate::syntax::conjuncts;

/// What is held of a heap, with values.
#[derive(Clone, Default)]
pub(crate) struct Places {
    pub fields: Vec<(FieldId, Value, Value)>,
    pub predicates: Vec<(PredicateId, Vec<Value>, smt::Value)>,
    pub quantified: Vec<(QuantifiedChunk, Rc<[smt::Term]>)>,
}

/// Where an expression is evaluated.
#[derive(Clone, Default)]
pub(crate) struct Scene {
    pub store: HashMap<LocalId, Value>,
    pub heap: Rc<Places>,
    pub old: Option<Rc<Places>>,
    pub labels: HashMap<LabelId, Rc<Places>>,
    pub result: Option<Value>,
}

/// Calls nest no deeper.
const DEEPEST: usize = 300;

impl World<'_, '_> {
    /// What a function is by its definition; `None` if it has none, or none that can be evaluated.
    pub fn defined(
        &mut self,
        id: FunctionId,
        snap: Option<&smt::Value>,
        args: &[Value],
    ) -> Option<Value> {
        let function = self.program.function(id);
        let body = function.body.as_ref()?;
        let mut scene = Scene::default();
        for (i, arg) in args.iter().enumerate() {
            scene.store.insert(LocalId(i as u32), arg.clone());
        }
        if function.pres.iter().any(|pre| !pre.is_pure()) {
            let parts: Vec<&Arc<Expr>> = function.pres.iter().flat_map(conjuncts).collect();
            self.lay_out(&mut scene, &parts, snap?)?;
        }
        self.nested(|this| this.interpret(&scene, body))
    }

    /// May a function have this value, by its postcondition? Yes, if that cannot be evaluated.
    pub fn keeps_promise(
        &mut self,
        id: FunctionId,
        snap: Option<&smt::Value>,
        args: &[Value],
        result: &Value,
    ) -> bool {
        let function = self.program.function(id);
        let mut scene = Scene { result: Some(result.clone()), ..Scene::default() };
        for (i, arg) in args.iter().enumerate() {
            scene.store.insert(LocalId(i as u32), arg.clone());
        }
        if let Some(snap) = snap
            && function.pres.iter().any(|pre| !pre.is_pure())
        {
            let parts: Vec<&Arc<Expr>> = function.pres.iter().flat_map(conjuncts).collect();
            // As far as it can be read.
            let _ = self.lay_out(&mut scene, &parts, snap);
        }
        let mut kept = true;
        for post in &function.posts {
            let holds = self.nested(|this| this.interpret(&scene, post));
            kept = kept && holds != Some(Value::Bool(false));
        }
        kept
    }

    fn nested<R>(&mut self, f: impl FnOnce(&mut Self) -> Option<R>) -> Option<R> {
        if self.depth > DEEPEST {
            return None;
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// Adds to a heap what a snapshot says of the parts of an assertion.
    fn lay_out(
        &mut self,
        scene: &mut Scene,
        parts: &[&Arc<Expr>],
        snap: &smt::Value,
    ) -> Option<()> {
        let mut left = parts.iter().filter(|part| !part.is_pure()).count();
        let mut snap = snap.clone();
        for part in parts.iter().filter(|part| !part.is_pure()) {
            left -= 1;
            let own = if left == 0 {
                snap.clone()
            } else {
                let smt::Value::Data(_, two) = &snap else { return None };
                let [first, second] = two.as_slice() else { return None };
                let (first, second) = (first.clone(), second.clone());
                snap = second;
                first
            };
            self.lay_out_one(scene, part, &own)?;
        }
        Some(())
    }

    fn lay_out_one(&mut self, scene: &mut Scene, e: &Arc<Expr>, snap: &smt::Value) -> Option<()> {
        match &e.kind {
            ExprKind::Acc(Resource::Field(receiver, field, _), _) => {
                let object = self.interpret(scene, receiver)?;
                let ty = &self.program.field(*field).ty;
                let sort = self.encoding.known_sort(ty)?;
                let name = self.encoding.unwrap_name(ty);
                let raw = self.meaning(&name, std::slice::from_ref(snap), sort)?;
                let value = self.known(raw, sort)?.value;
                Rc::make_mut(&mut scene.heap).fields.push((*field, object, value));
                Some(())
            }
            ExprKind::Acc(Resource::Predicate(predicate, args, _), _) => {
                let args = self.interpret_all(scene, args)?;
                let predicates = &mut Rc::make_mut(&mut scene.heap).predicates;
                predicates.push((*predicate, args, snap.clone()));
                Some(())
            }
            ExprKind::Binary(BinOp::And, ..) => self.lay_out(scene, &conjuncts(e), snap),
            ExprKind::Binary(BinOp::Implies, c, a) => {
                if self.interpret(scene, c)?.as_bool()? {
                    self.lay_out(scene, &conjuncts(a), snap)?;
                }
                Some(())
            }
            ExprKind::Cond(c, a, b) => {
                let side = if self.interpret(scene, c)?.as_bool()? { a } else { b };
                self.lay_out(scene, &conjuncts(side), snap)
            }
            ExprKind::Let(local, value, body) => {
                let value = self.interpret(scene, value)?;
                scene.store.insert(*local, value);
                self.lay_out(scene, &conjuncts(body), snap)
            }
            _ => None,
        }
    }

    fn interpret_all(&mut self, scene: &Scene, exprs: &[Arc<Expr>]) -> Option<Vec<Value>> {
        exprs.iter().map(|e| self.interpret(scene, e)).collect()
    }

    /// The value of an expression; `None` if it has none, or if it is not known.
    pub fn interpret(&mut self, scene: &Scene, e: &Arc<Expr>) -> Option<Value> {
        self.steps = self.steps.checked_sub(1)?;
        Some(match &e.kind {
            ExprKind::Int(i) => Value::Int(i.clone()),
            ExprKind::Bool(b) => Value::Bool(*b),
            ExprKind::Null => self.value(self.encoding.null())?,
            ExprKind::NoPerm => Value::Perm(BigRational::zero()),
            ExprKind::FullPerm => Value::Perm(BigRational::from(BigInt::from(1))),
            ExprKind::Local(id) => scene.store.get(id)?.clone(),
            ExprKind::Result => scene.result.clone()?,
            ExprKind::Neg(a) => match self.interpret(scene, a)? {
                Value::Int(i) => Value::Int(-i),
                Value::Perm(p) => Value::Perm(-p),
                _ => return None,
            },
            ExprKind::Not(a) => Value::Bool(!self.interpret(scene, a)?.as_bool()?),
            ExprKind::Binary(op, a, b) => {
                let left = self.interpret(scene, a)?;
                match (op, left.as_bool()) {
                    (BinOp::And, Some(false)) => Value::Bool(false),
                    (BinOp::Or, Some(true)) | (BinOp::Implies, Some(false)) => Value::Bool(true),
                    _ => binary(*op, &left, &self.interpret(scene, b)?)?,
                }
            }
            ExprKind::Cond(c, a, b) => {
                let side = if self.interpret(scene, c)?.as_bool()? { a } else { b };
                return self.interpret(scene, side);
            }
            ExprKind::Field(receiver, field) => {
                let object = self.interpret(scene, receiver)?;
                return self.read_field(&scene.heap, *field, &object);
            }
            ExprKind::Call(id, args) => {
                let args = self.interpret_all(scene, args)?;
                let function = self.program.function(*id);
                let body = function.body.as_ref()?;
                let store = args.into_iter().enumerate().map(|(i, v)| (LocalId(i as u32), v));
                // It reads nothing that is not held here.
                let inner = Scene {
                    store: store.collect(),
                    heap: Rc::clone(&scene.heap),
                    ..Scene::default()
                };
                return self.nested(|this| this.interpret(&inner, body));
            }
            ExprKind::DomainCall(id, args, types) => {
                let args = self.interpret_all(scene, args)?;
                let name = self.encoding.domain_function_name(*id, types);
                let (fun, role) = self.domain_role(&name)?;
                return match (role, args.as_slice()) {
                    (Role::Constructor(id), _) => Some(Value::Data(id, args)),
                    (Role::Destructor(id, i), [Value::Data(c, parts)]) if id == *c => {
                        parts.get(i).cloned()
                    }
                    (Role::Discriminator(id), [Value::Data(c, _)]) => Some(Value::Bool(id == *c)),
                    (Role::Tag(all), [Value::Data(c, _)]) => {
                        Some(Value::Int(all.iter().position(|id| id == c)?.into()))
                    }
                    _ => self.applied.get(&(fun, args.clone())).cloned().or_else(|| {
                        let raws: Option<Vec<_>> = args.iter().map(|a| of_value(a).raw).collect();
                        let sort = self.encoding.known_sort(&e.ty)?;
                        let raw = self.meaning(&name, &raws?, sort)?;
                        Some(self.known(raw, sort)?.value)
                    }),
                };
            }
            ExprKind::Old(which, inner) => {
                let heap = match which {
                    OldState::Pre => scene.old.clone()?,
                    OldState::Label(label) => Rc::clone(scene.labels.get(label)?),
                    OldState::Lhs => return None,
                };
                return self.interpret(&Scene { heap, ..scene.clone() }, inner);
            }
            ExprKind::Let(local, value, body) => {
                let mut inner = scene.clone();
                inner.store.insert(*local, self.interpret(scene, value)?);
                return self.interpret(&inner, body);
            }
            ExprKind::Unfolding(access, body) => {
                let args = self.interpret_all(scene, &access.args)?;
                let mut held = scene.heap.predicates.iter();
                let same = |p: &&(PredicateId, Vec<Value>, smt::Value)| {
                    p.0 == access.predicate && p.1 == args
                };
                let snap = held.find(same)?.2.clone();
                let inside = self.program.predicate(access.predicate).body.as_ref()?;
                let store = args.into_iter().enumerate().map(|(i, v)| (LocalId(i as u32), v));
                let mut unfolded = Scene {
                    store: store.collect(),
                    heap: Rc::clone(&scene.heap),
                    ..Scene::default()
                };
                self.lay_out(&mut unfolded, &conjuncts(inside), &snap)?;
                let heap = unfolded.heap;
                return self.interpret(&Scene { heap, ..scene.clone() }, body);
            }
            ExprKind::Asserting(_, body) => return self.interpret(scene, body),
            ExprKind::Seq(elems) => Value::Seq(self.interpret_all(scene, elems)?),
            ExprKind::Set(elems) => {
                Value::Set(self.interpret_all(scene, elems)?.into_iter().collect())
            }
            ExprKind::Multiset(elems) => multiset(self.interpret_all(scene, elems)?),
            ExprKind::Map(entries) => {
                let mut map = std::collections::BTreeMap::new();
                for (k, v) in entries {
                    map.insert(self.interpret(scene, k)?, self.interpret(scene, v)?);
                }
                Value::Map(map)
            }
            ExprKind::Collection(op, args) => collection(*op, &self.interpret_all(scene, args)?)?,
            _ => return None,
        })
    }

    /// The function symbol of a domain function, and what it stands for.
    fn domain_role(&self, name: &str) -> Option<(smt::FunId, Role)> {
        let fun = self.encoding.function_named(name)?;
        Some((fun, self.roles.get(&fun)?.clone()))
    }

    /// What a heap has at a location.
    pub fn read_field(&mut self, heap: &Places, field: FieldId, object: &Value) -> Option<Value> {
        let single = heap.fields.iter().find(|(f, o, _)| *f == field && o == object);
        if let Some((_, _, value)) = single {
            return Some(value.clone());
        }
        for (chunk, formals) in &heap.quantified {
            if chunk.resource != ResourceId::Field(field) {
                continue;
            }
            let args = std::slice::from_ref(object);
            if self.share(chunk, formals, args)? > BigRational::zero() {
                return self.quantified_value(chunk, field, object);
            }
        }
        None
    }

    /// How much a quantified chunk holds of a location.
    pub fn share(
        &mut self,
        chunk: &QuantifiedChunk,
        formals: &[smt::Term],
        args: &[Value],
    ) -> Option<BigRational> {
        for (formal, arg) in formals.iter().zip(args) {
            self.bindings.insert(*formal, of_value(arg));
        }
        let perm = self.value(chunk.perm);
        formals.iter().for_each(|formal| drop(self.bindings.remove(formal)));
        perm?.as_perm()
    }

    pub fn quantified_value(
        &mut self,
        chunk: &QuantifiedChunk,
        field: FieldId,
        object: &Value,
    ) -> Option<Value> {
        let values = self.eval(chunk.values, &Vec::new())?.raw?;
        let name = format!("Values.field.{}.at", self.program.field(field).name.as_str());
        let sort = self.encoding.known_sort(&self.program.field(field).ty)?;
        let raw = self.meaning(&name, &[values, of_value(object).raw?], sort)?;
        Some(self.known(raw, sort)?.value)
    }
}
