//! Expressions.

use std::sync::Arc;

use num_bigint::Sign;

use super::names::Scope;
use crate::ast::{
    BinOp as Op, CollectionKind, Expr as Surface, ExprKind as Kind, Ident, OldLabel, Trigger, UnOp,
};
use crate::core::{
    BinOp, CollectionOp, DomainFunctionId, Expr, ExprKind, OldState, PredicateAccess, Resource,
    Type, Wand,
};
use crate::plugins::match_types;

impl Scope<'_> {
    /// An expression with its annotations.
    pub(super) fn expr(&mut self, e: &Arc<Expr>) -> Surface {
        let mut surface = Surface::new(self.kind(e), e.pos);
        if let Some(info) = &e.info {
            for annotation in info.annotations.iter().rev() {
                surface = Surface::new(Kind::Annotated(annotation.clone(), surface), e.pos);
            }
        }
        surface
    }

    fn exprs(&mut self, es: &[Arc<Expr>]) -> Vec<Surface> {
        es.iter().map(|e| self.expr(e)).collect()
    }

    /// The terms of a trigger, among which a predicate stands without `acc`.
    fn trigger(&mut self, terms: &[Arc<Expr>]) -> Vec<Surface> {
        let term = |term: &Arc<Expr>| match &term.kind {
            ExprKind::Acc(resource, _) => self.resource(resource),
            _ => self.expr(term),
        };
        terms.iter().map(term).collect()
    }

    fn kind(&mut self, e: &Arc<Expr>) -> Kind {
        match &e.kind {
            ExprKind::Int(i) if i.sign() == Sign::Minus => {
                Kind::Unary(UnOp::Neg, Surface::new(Kind::Int(-i), e.pos))
            }
            ExprKind::Int(i) => Kind::Int(i.clone()),
            ExprKind::Bool(b) => Kind::Bool(*b),
            ExprKind::Null => Kind::Null,
            ExprKind::NoPerm => Kind::None,
            ExprKind::FullPerm => Kind::Write,
            ExprKind::WildcardPerm => Kind::Wildcard,
            ExprKind::Local(id) => Kind::Name(self.local(*id)),
            ExprKind::Result => Kind::Result,
            ExprKind::Neg(e) => Kind::Unary(UnOp::Neg, self.expr(e)),
            ExprKind::Not(e) => Kind::Unary(UnOp::Not, self.expr(e)),
            ExprKind::Binary(op, a, b) => Kind::Binary(operator(*op), self.expr(a), self.expr(b)),
            ExprKind::Cond(c, a, b) => Kind::Cond(self.expr(c), self.expr(a), self.expr(b)),
            ExprKind::Field(e, field) => Kind::Field(self.expr(e), self.globals.field(*field)),
            ExprKind::Call(function, args) => {
                let callee = self.globals.function(*function);
                Kind::Call { callee, args: self.exprs(args), ty: None }
            }
            ExprKind::DomainCall(function, args, types) => {
                if let ([arg], Some(part)) = (args.as_slice(), self.globals.spelled(*function)) {
                    return Kind::Field(self.expr(arg), part);
                }
                let undetermined = !self.determines_types(*function, args, types);
                Kind::Call {
                    callee: self.globals.domain_function(*function),
                    args: self.exprs(args),
                    ty: undetermined.then(|| Box::new(self.ty(&e.ty))),
                }
            }
            ExprKind::Acc(resource, amount) => Kind::Acc {
                loc: self.resource(resource),
                amount: amount.as_ref().map(|amount| self.expr(amount)),
            },
            ExprKind::Wand(wand) => self.wand_kind(wand),
            ExprKind::Perm(resource) => Kind::Perm(self.resource(resource)),
            ExprKind::Old(state, e) => {
                let label = match state {
                    OldState::Pre => None,
                    OldState::Lhs => Some(OldLabel::Lhs),
                    OldState::Label(id) => Some(OldLabel::Label(self.label(*id))),
                };
                Kind::Old(label, self.expr(e))
            }
            ExprKind::Let(var, value, body) => {
                let value = self.expr(value);
                let mark = self.enter();
                let var = self.bind(*var);
                let body = self.expr(body);
                self.leave(mark);
                Kind::Let { var, value, body }
            }
            ExprKind::Quant { quantifier, vars, triggers, body } => {
                let mark = self.enter();
                let vars = vars.iter().map(|var| self.param(*var)).collect();
                let triggers = triggers
                    .iter()
                    .map(|trigger| Trigger { exprs: self.trigger(trigger), at: e.pos.into() })
                    .collect();
                let body = self.expr(body);
                self.leave(mark);
                Kind::Quant { quantifier: *quantifier, vars, triggers, body }
            }
            ExprKind::ForPerm(vars, resource, body) => {
                let mark = self.enter();
                let vars = vars.iter().map(|var| self.param(*var)).collect();
                let resource = self.resource(resource);
                let body = self.expr(body);
                self.leave(mark);
                Kind::ForPerm { vars, resource, body }
            }
            ExprKind::Unfolding(access, body) => {
                Kind::Unfolding(self.access(access), self.expr(body))
            }
            ExprKind::Applying(wand, body) => Kind::Applying(self.wand(wand), self.expr(body)),
            ExprKind::Asserting(a, body) => Kind::Asserting(self.expr(a), self.expr(body)),
            ExprKind::InhaleExhale(a, b) => Kind::InhaleExhale(self.expr(a), self.expr(b)),
            ExprKind::Seq(elems) => self.literal(CollectionKind::Seq, elems, &e.ty),
            ExprKind::Set(elems) => self.literal(CollectionKind::Set, elems, &e.ty),
            ExprKind::Multiset(elems) => self.literal(CollectionKind::Multiset, elems, &e.ty),
            ExprKind::Map(entries) => {
                let ty = match &e.ty {
                    Type::Map(kv) if entries.is_empty() => Some((self.ty(&kv.0), self.ty(&kv.1))),
                    _ => None,
                };
                let entries = entries.iter().map(|(k, v)| (self.expr(k), self.expr(v))).collect();
                Kind::Map { ty: ty.map(Box::new), entries }
            }
            ExprKind::Collection(op, args) => self.collection(*op, args),
            ExprKind::PredicateInstance(predicate, args) => Kind::PredicateInstance {
                predicate: self.globals.predicate(*predicate),
                args: self.exprs(args),
            },
        }
    }

    /// Do the types of the arguments say what the type arguments are?
    fn determines_types(
        &self,
        function: DomainFunctionId,
        args: &[Arc<Expr>],
        types: &[Type],
    ) -> bool {
        let mut found = vec![None; types.len()];
        let params = &self.globals.program.domain_function(function).params;
        for ((_, param), arg) in params.iter().zip(args) {
            match_types(param, &arg.ty, &mut found);
        }
        found.iter().all(Option::is_some)
    }

    fn literal(&mut self, kind: CollectionKind, elems: &[Arc<Expr>], ty: &Type) -> Kind {
        let ty = match ty {
            Type::Seq(t) | Type::Set(t) | Type::Multiset(t) if elems.is_empty() => Some(self.ty(t)),
            _ => None,
        };
        Kind::Collection { kind, ty: ty.map(Box::new), elems: self.exprs(elems) }
    }

    fn collection(&mut self, op: CollectionOp, args: &[Arc<Expr>]) -> Kind {
        let binary = |op| move |a, b| Kind::Binary(op, a, b);
        match (op, self.exprs(args).as_slice()) {
            (CollectionOp::Range, [a, b]) => Kind::Range(a.clone(), b.clone()),
            (CollectionOp::SeqAppend, [a, b]) => binary(Op::Append)(a.clone(), b.clone()),
            (CollectionOp::Union, [a, b]) => binary(Op::Union)(a.clone(), b.clone()),
            (CollectionOp::Intersection, [a, b]) => binary(Op::Intersection)(a.clone(), b.clone()),
            (CollectionOp::Setminus, [a, b]) => binary(Op::Setminus)(a.clone(), b.clone()),
            (CollectionOp::Subset, [a, b]) => binary(Op::Subset)(a.clone(), b.clone()),
            (
                CollectionOp::SeqContains
                | CollectionOp::SetContains
                | CollectionOp::MultisetCount
                | CollectionOp::MapContains,
                [a, b],
            ) => binary(Op::In)(a.clone(), b.clone()),
            (CollectionOp::SeqIndex | CollectionOp::MapLookup, [s, i]) => {
                Kind::Index(s.clone(), i.clone())
            }
            (CollectionOp::SeqTake, [s, n]) => Kind::Slice(s.clone(), None, Some(n.clone())),
            (CollectionOp::SeqDrop, [s, n]) => Kind::Slice(s.clone(), Some(n.clone()), None),
            (CollectionOp::SeqUpdate | CollectionOp::MapUpdate, [s, i, v]) => {
                Kind::Update(s.clone(), i.clone(), v.clone())
            }
            (
                CollectionOp::SeqLength | CollectionOp::Cardinality | CollectionOp::MapCardinality,
                [s],
            ) => Kind::Size(s.clone()),
            (CollectionOp::MapDomain, [m]) => Kind::MapDomain(m.clone()),
            (CollectionOp::MapRange, [m]) => Kind::MapRange(m.clone()),
            // A wrong number of arguments cannot be written; it shows as a call.
            (op, args) => {
                let callee = Ident::new(format!("{op:?}"));
                Kind::Call { callee, args: args.to_vec(), ty: None }
            }
        }
    }

    /// A resource without an amount.
    pub(super) fn resource(&mut self, resource: &Resource) -> Surface {
        match resource {
            Resource::Field(receiver, field, pos) => {
                let kind = Kind::Field(self.expr(receiver), self.globals.field(*field));
                Surface::new(kind, *pos)
            }
            Resource::Predicate(predicate, args, pos) => {
                let callee = self.globals.predicate(*predicate);
                let kind = Kind::Call { callee, args: self.exprs(args), ty: None };
                Surface::new(kind, *pos)
            }
            Resource::Wand(wand) => self.wand(wand),
        }
    }

    fn wand_kind(&mut self, wand: &Wand) -> Kind {
        Kind::Binary(Op::Wand, self.expr(&wand.lhs), self.expr(&wand.rhs))
    }

    /// `A --* B`
    pub(super) fn wand(&mut self, wand: &Wand) -> Surface {
        Surface::new(self.wand_kind(wand), wand.pos)
    }

    /// `acc(P(x), p)`
    pub(super) fn access(&mut self, access: &PredicateAccess) -> Surface {
        let callee = self.globals.predicate(access.predicate);
        let loc = Kind::Call { callee, args: self.exprs(&access.args), ty: None };
        let loc = Surface::new(loc, access.loc_pos);
        let amount = access.amount.as_ref().map(|amount| self.expr(amount));
        Surface::new(Kind::Acc { loc, amount }, access.pos)
    }
}

fn operator(op: BinOp) -> Op {
    match op {
        BinOp::Add => Op::Add,
        BinOp::Sub => Op::Sub,
        BinOp::Mul | BinOp::IntPermMul => Op::Mul,
        BinOp::Div => Op::IntDiv,
        BinOp::Mod => Op::Mod,
        BinOp::Fraction | BinOp::PermDiv | BinOp::PermPermDiv => Op::Div,
        BinOp::Lt => Op::Lt,
        BinOp::Le => Op::Le,
        BinOp::Gt => Op::Gt,
        BinOp::Ge => Op::Ge,
        BinOp::Eq => Op::Eq,
        BinOp::Ne => Op::Ne,
        BinOp::And => Op::And,
        BinOp::Or => Op::Or,
        BinOp::Implies => Op::Implies,
    }
}
