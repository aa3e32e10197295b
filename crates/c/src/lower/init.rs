//! Initialisers.

use std::rc::Rc;

use heap::{Command, Expr, Scalar};
use lang_c::ast::{self, Designator, Initializer, InitializerListItem};
use lang_c::span::{Node, Span};

use super::{Lowered, Lowering};
use crate::ctype::CType;
use crate::literal;

/// One value of an initialiser and where it goes.
struct Item<'i> {
    offset: u64,
    ty: CType,
    bits: Option<(u8, u8)>,
    value: &'i Node<ast::Expression>,
}

/// A part of an array or record: its offset, its type, and the bits of a bit-field.
type Part = (u64, CType, Option<(u8, u8)>);

/// How many values a list may have when ranges are written out.
const MAX_ITEMS: usize = 1 << 20;

impl Lowering<'_> {
    /// The type with the size that its initialiser gives it.
    pub(super) fn completed(
        &mut self,
        ty: CType,
        initializer: Option<&Node<Initializer>>,
    ) -> Lowered<CType> {
        let (CType::Array(element, None), Some(initializer)) = (&ty, initializer) else {
            return Ok(ty);
        };
        if let Some(bytes) = string_of(initializer) {
            return Ok(CType::Array(Rc::clone(element), Some(bytes.len() as u64 + 1)));
        }
        let Initializer::List(items) = &initializer.node else { return Ok(ty) };
        // As if it were large enough.
        let wide = CType::Array(Rc::clone(element), Some(u64::MAX >> 20));
        let mut found = Vec::new();
        self.list(&wide, 0, items, initializer.span, &mut found)?;
        let size = self.size_of(element, initializer.span)?.max(1);
        let mut count = 0;
        for item in &found {
            count = count.max(item.offset / size + 1);
        }
        Ok(CType::Array(Rc::clone(element), Some(count)))
    }

    /// The value of a variable.
    pub(super) fn scalar_initializer(
        &mut self,
        ty: &CType,
        initializer: &Node<Initializer>,
    ) -> Lowered<Expr> {
        match &initializer.node {
            Initializer::Expression(e) => {
                let value = self.rvalue(e)?;
                self.converted(value, ty, e.span)
            }
            Initializer::List(items) => match items.first() {
                Some(item) => self.scalar_initializer(ty, &item.node.initializer),
                None => Ok(zero(ty)),
            },
        }
    }

    /// Initialises an object that was just made.
    pub(super) fn initialize(
        &mut self,
        at: &Expr,
        ty: &CType,
        initializer: &Node<Initializer>,
    ) -> Lowered<()> {
        let pos = self.pos(initializer.span);
        if let (Initializer::Expression(e), true) = (&initializer.node, ty.is_scalar()) {
            let value = self.rvalue(e)?;
            let value = self.converted(value, ty, e.span)?;
            self.emit(Command::Store { at: at.clone(), value, ty: ty.scalar() }, pos);
            return Ok(());
        }
        if let (Initializer::Expression(e), CType::Record(_)) = (&initializer.node, ty) {
            let value = self.rvalue(e)?;
            let size = self.size_of(ty, e.span)?;
            return self.copy_record(at.clone(), value, ty, size, e.span);
        }
        let mut items = Vec::new();
        self.items(ty, 0, initializer, &mut items)?;
        let size = self.size_of(ty, initializer.span)?;
        let (byte, size) = (Expr::Int(0), Expr::Int(size.into()));
        self.emit(Command::Fill { at: at.clone(), byte, size }, pos);
        for Item { offset, ty, bits, value } in items {
            let place = Expr::offset(at.clone(), Expr::Int(offset.into()));
            if let (CType::Array(..), Some(bytes)) = (&ty, string_of_expr(value)) {
                self.store_string(&place, &ty, &bytes, value.span)?;
                continue;
            }
            let v = self.rvalue(value)?;
            if let CType::Record(_) = ty {
                let size = self.size_of(&ty, value.span)?;
                self.copy_record(place, v, &ty, size, value.span)?;
                continue;
            }
            let v = self.converted(v, &ty, value.span)?;
            let lvalue = match bits {
                Some((first, width)) => super::expr::Place::Bits { at: place, first, width },
                None => super::expr::Place::Memory(place),
            };
            self.store(&lvalue, v, &ty, self.pos(value.span));
        }
        Ok(())
    }

    fn store_string(&mut self, at: &Expr, ty: &CType, bytes: &[u8], span: Span) -> Lowered<()> {
        let size = self.size_of(ty, span)?;
        let id = self.constant(bytes);
        let kept = size.min(bytes.len() as u64 + 1);
        let (to, from, size) = (at.clone(), Expr::Global(id), Expr::Int(kept.into()));
        let pos = self.pos(span);
        self.emit(Command::Copy { to, from, size, may_overlap: false }, pos);
        Ok(())
    }

    /// What is not zero at the start in a global object.
    pub(super) fn constant_initializer(
        &mut self,
        ty: &CType,
        initializer: &Node<Initializer>,
    ) -> Lowered<Vec<(u64, Scalar, Expr)>> {
        let mut items = Vec::new();
        self.items(ty, 0, initializer, &mut items)?;
        let mut init: Vec<(u64, Scalar, Expr)> = Vec::new();
        for Item { offset, ty, bits, value } in items {
            if let (CType::Array(element, Some(count)), Some(bytes)) = (&ty, string_of_expr(value))
            {
                let scalar = element.scalar();
                for (i, b) in
                    bytes.iter().enumerate().take(*count as usize).filter(|(_, b)| **b != 0)
                {
                    init.push((offset + i as u64, scalar, Expr::Int(i128::from(*b as i8))));
                }
                continue;
            }
            let v = self.constant_expr(value)?;
            let v = self.converted(v, &ty, value.span)?;
            if !is_constant(&v) {
                return self.wrong(value.span, "this initialiser is not constant");
            }
            if let Some((first, width)) = bits {
                let Expr::Int(n) = v else {
                    return self.wrong(value.span, "this initialiser is not constant");
                };
                let n = (n & ((1i128 << width) - 1)) << first;
                match init.iter_mut().find(|(at, ..)| *at == offset) {
                    Some((_, _, Expr::Int(unit))) => *unit |= n,
                    _ => init.push((offset, ty.scalar(), Expr::Int(n))),
                }
                continue;
            }
            // A later value for the same place wins.
            init.retain(|(at, ..)| *at != offset);
            if v != Expr::Int(0) && v != Expr::Null {
                init.push((offset, ty.scalar(), v));
            }
        }
        Ok(init)
    }

    fn items<'i>(
        &mut self,
        ty: &CType,
        offset: u64,
        initializer: &'i Node<Initializer>,
        items: &mut Vec<Item<'i>>,
    ) -> Lowered<()> {
        match (&initializer.node, ty) {
            (Initializer::Expression(value), _) => {
                items.push(Item { offset, ty: ty.clone(), bits: None, value });
                Ok(())
            }
            (Initializer::List(list), CType::Array(..) | CType::Record(_)) => {
                // A string in braces.
                if let ([one], CType::Array(..)) = (list.as_slice(), ty)
                    && one.node.designation.is_empty()
                    && string_of(&one.node.initializer).is_some()
                    && let Initializer::Expression(value) = &one.node.initializer.node
                    && self.is_char_array(ty)
                {
                    items.push(Item { offset, ty: ty.clone(), bits: None, value });
                    return Ok(());
                }
                self.list(ty, offset, list, initializer.span, items)
            }
            (Initializer::List(list), _) => match list.first() {
                Some(first) => self.items(ty, offset, &first.node.initializer, items),
                None => Ok(()),
            },
        }
    }

    fn is_char_array(&self, ty: &CType) -> bool {
        matches!(ty, CType::Array(element, _) if element.int_type().is_some_and(|t| t.bits == 8))
    }

    /// A list in braces for an array or a record. Braces around parts may be left out.
    fn list<'i>(
        &mut self,
        ty: &CType,
        offset: u64,
        list: &'i [Node<InitializerListItem>],
        span: Span,
        items: &mut Vec<Item<'i>>,
    ) -> Lowered<()> {
        let mut at = 0;
        self.fill(ty, offset, list, &mut at, true, items)?;
        match list.get(at) {
            None => Ok(()),
            Some(_) => self.wrong(span, "there are more values than places in this initialiser"),
        }
    }

    /// The parts of an array or record: offset, type, bits. Unions have one.
    fn parts(&mut self, ty: &CType, index: u64, span: Span) -> Lowered<Option<Part>> {
        match ty {
            CType::Array(element, count) => {
                if count.is_some_and(|count| index >= count) {
                    return Ok(None);
                }
                let size = self.size_of(element, span)?;
                Ok(Some((size * index, (**element).clone(), None)))
            }
            CType::Record(id) => {
                let info = &self.records[id.0 as usize];
                if info.union && index > 0 {
                    return Ok(None);
                }
                let member = info.members.as_ref().and_then(|m| m.get(index as usize));
                Ok(member.map(|m| (m.offset, m.ty.clone(), m.bits)))
            }
            _ => Ok(None),
        }
    }

    fn fill<'i>(
        &mut self,
        ty: &CType,
        offset: u64,
        list: &'i [Node<InitializerListItem>],
        at: &mut usize,
        braced: bool,
        items: &mut Vec<Item<'i>>,
    ) -> Lowered<()> {
        let mut index = 0u64;
        while let Some(item) = list.get(*at) {
            if items.len() > MAX_ITEMS {
                return self.unsupported(item.span, "such a long initialiser");
            }
            if !item.node.designation.is_empty() {
                if !braced {
                    // It belongs to the list around.
                    return Ok(());
                }
                *at += 1;
                index = self.designated(ty, offset, item, items)?;
                continue;
            }
            let Some((within, part, bits)) = self.parts(ty, index, item.span)? else {
                return Ok(());
            };
            index += 1;
            let place = offset + within;
            let aggregate = matches!(part, CType::Array(..) | CType::Record(_));
            match &item.node.initializer.node {
                Initializer::List(_) => {
                    *at += 1;
                    self.items(&part, place, &item.node.initializer, items)?;
                }
                Initializer::Expression(value) => {
                    let whole = !aggregate
                        || (self.is_char_array(&part) && string_of_expr(value).is_some())
                        || (matches!(part, CType::Record(_)) && self.is_record(value)?);
                    if whole {
                        *at += 1;
                        items.push(Item { offset: place, ty: part, bits, value });
                    } else {
                        let before = *at;
                        self.fill(&part, place, list, at, false, items)?;
                        if *at == before {
                            // Nothing of it has a place there.
                            *at += 1;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn is_record(&mut self, e: &Node<ast::Expression>) -> Lowered<bool> {
        if self.function.is_none() {
            return Ok(false);
        }
        Ok(matches!(self.type_of(e)?, CType::Record(_)))
    }

    /// An item with a designation; answers with the index after it.
    fn designated<'i>(
        &mut self,
        ty: &CType,
        offset: u64,
        item: &'i Node<InitializerListItem>,
        items: &mut Vec<Item<'i>>,
    ) -> Lowered<u64> {
        let mut places = vec![(offset, ty.clone(), None)];
        let mut next = 0;
        for (depth, designator) in item.node.designation.iter().enumerate() {
            let mut inner = Vec::new();
            for (offset, ty, _) in places {
                let (from, to) = match (&designator.node, &ty) {
                    (Designator::Member(name), CType::Record(id)) => {
                        let Some(member) = self.member(*id, &name.node.name) else {
                            return self.wrong(
                                name.span,
                                format!("there is no member `{}`", name.node.name),
                            );
                        };
                        if depth == 0 {
                            let members = self.records[id.0 as usize].members.as_ref();
                            let found = members.and_then(|m| {
                                m.iter().position(|m| m.name.as_deref() == Some(&name.node.name))
                            });
                            next = found.map_or(0, |i| i as u64 + 1);
                        }
                        inner.push((offset + member.offset, member.ty, member.bits));
                        continue;
                    }
                    (Designator::Index(e), CType::Array(..)) => {
                        let index = self.constant_value(e)?;
                        (index, index)
                    }
                    (Designator::Range(range), CType::Array(..)) => {
                        let from = self.constant_value(&range.node.from)?;
                        (from, self.constant_value(&range.node.to)?)
                    }
                    _ => return self.wrong(designator.span, "this does not fit the type"),
                };
                let CType::Array(element, count) = &ty else { continue };
                let most = count.unwrap_or(0) as i128;
                if from < 0 || to < from || to >= most || to - from > MAX_ITEMS as i128 {
                    return self.wrong(designator.span, "this index is outside of the array");
                }
                let size = self.size_of(element, designator.span)?;
                for index in from..=to {
                    inner.push((offset + size * index as u64, (**element).clone(), None));
                }
                if depth == 0 {
                    next = to as u64 + 1;
                }
            }
            places = inner;
        }
        for (offset, ty, bits) in places {
            match (&item.node.initializer.node, bits) {
                (Initializer::Expression(value), Some(_)) => {
                    items.push(Item { offset, ty, bits, value });
                }
                _ => self.items(&ty, offset, &item.node.initializer, items)?,
            }
        }
        Ok(next)
    }
}

/// Does a value depend on no variable and no activation?
fn is_constant(e: &Expr) -> bool {
    let mut constant = true;
    e.for_each(&mut |part| constant &= !matches!(part, Expr::Var(_) | Expr::Object(_)));
    constant
}

/// Zero of a type.
pub(super) fn zero(ty: &CType) -> Expr {
    match ty {
        CType::Ptr(_) => Expr::Null,
        CType::Float(_) => Expr::Float(0.0),
        _ => Expr::Int(0),
    }
}

fn string_of(initializer: &Node<Initializer>) -> Option<Vec<u8>> {
    match &initializer.node {
        Initializer::Expression(e) => string_of_expr(e),
        Initializer::List(items) => match items.as_slice() {
            [one] if one.node.designation.is_empty() => string_of(&one.node.initializer),
            _ => None,
        },
    }
}

/// The bytes of a string literal.
pub(super) fn string_of_expr(e: &Node<ast::Expression>) -> Option<Vec<u8>> {
    match &e.node {
        ast::Expression::StringLiteral(parts) => parts
            .node
            .iter()
            .map(|part| literal::string(part))
            .collect::<Option<Vec<_>>>()
            .map(|v| v.concat()),
        _ => None,
    }
}
