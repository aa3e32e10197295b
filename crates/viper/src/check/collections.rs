//! Literals of and operations on collections.

use std::sync::Arc;

use report::Pos;

use super::resolve::Typed;
use super::types::{Inference, Kind, Signature};
use super::{Checker, operators};
use crate::ast;
use crate::core::{CollectionOp, Expr, ExprKind, Type};

impl<'a> Checker<'a> {
    pub(super) fn collection_op(
        &mut self,
        op: CollectionOp,
        args: &[&'a ast::Expr],
        signatures: impl FnOnce(&mut Inference, &[Type]) -> Vec<Signature>,
        pos: Pos,
    ) -> Typed {
        let Some((args, ty)) = self.overloaded(args, signatures, pos) else {
            return self.wrong(pos);
        };
        let on = args.get(operators::collection_arg(op)).map_or(Type::Int, |e| e.ty.clone());
        let on = self.infer.shallow(&on);
        self.typed(ExprKind::Collection(operators::collection(op, &on), args), ty, pos)
    }

    pub(super) fn slice(
        &mut self,
        base: &'a ast::Expr,
        from: Option<&'a ast::Expr>,
        to: Option<&'a ast::Expr>,
        pos: Pos,
    ) -> Typed {
        let args: Vec<&ast::Expr> = [base].into_iter().chain(from).chain(to).collect();
        let signatures =
            |infer: &mut Inference, types: &[Type]| operators::slice(infer, types, pos);
        let Some((args, ty)) = self.overloaded(&args, signatures, pos) else {
            return self.wrong(pos);
        };
        let mut args = args.into_iter();
        let Some(mut expr) = args.next() else { return self.wrong(pos) };
        let from = if from.is_some() { args.next() } else { None };
        let to = if to.is_some() { args.next() } else { None };
        // `s[a..b]` is `s[..b][a..]`.
        if let Some(to) = to {
            let kind = ExprKind::Collection(CollectionOp::SeqTake, vec![expr, to]);
            expr = Expr::new(kind, ty.clone(), pos);
        }
        if let Some(from) = from {
            let kind = ExprKind::Collection(CollectionOp::SeqDrop, vec![expr, from]);
            expr = Expr::new(kind, ty.clone(), pos);
        }
        Typed { expr, kind: Kind::Value(ty) }
    }

    pub(super) fn collection_literal(
        &mut self,
        kind: ast::CollectionKind,
        ty: Option<&'a ast::Type>,
        elems: &'a [ast::Expr],
        pos: Pos,
    ) -> Typed {
        let elem = match ty {
            Some(ty) => self.ty(ty),
            None => self.infer.fresh_element(pos),
        };
        let Some(elems) = self.elements(elems.iter(), &elem) else { return self.wrong(pos) };
        let elem = self.infer.resolve(&elem);
        match kind {
            ast::CollectionKind::Seq => self.typed(ExprKind::Seq(elems), Type::seq(elem), pos),
            ast::CollectionKind::Set => self.typed(ExprKind::Set(elems), Type::set(elem), pos),
            ast::CollectionKind::Multiset => {
                self.typed(ExprKind::Multiset(elems), Type::multiset(elem), pos)
            }
        }
    }

    /// Values that all have the same type.
    pub(super) fn elements(
        &mut self,
        elems: impl Iterator<Item = &'a ast::Expr>,
        elem: &Type,
    ) -> Option<Vec<Arc<Expr>>> {
        let mut all = Vec::new();
        let mut fine = true;
        for e in elems {
            let typed = self.infer(e);
            // After one element of a wrong type, others would only repeat the message.
            fine = fine && self.require_value(&typed, e.at.0, elem);
            all.push(typed.expr);
        }
        fine.then_some(all)
    }

    pub(super) fn map_literal(
        &mut self,
        ty: Option<&'a (ast::Type, ast::Type)>,
        entries: &'a [(ast::Expr, ast::Expr)],
        pos: Pos,
    ) -> Typed {
        let (key, value) = match ty {
            Some((key, value)) => (self.ty(key), self.ty(value)),
            None => (self.infer.fresh_element(pos), self.infer.fresh_element(pos)),
        };
        let keys = self.elements(entries.iter().map(|(k, _)| k), &key);
        let values = self.elements(entries.iter().map(|(_, v)| v), &value);
        let (Some(keys), Some(values)) = (keys, values) else { return self.wrong(pos) };
        let ty = self.infer.resolve(&Type::map(key, value));
        self.typed(ExprKind::Map(keys.into_iter().zip(values).collect()), ty, pos)
    }
}
