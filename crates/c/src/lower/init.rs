//! Initialisers.
//!
//! A list is read with a stack of the aggregates that are being filled, as [ISO C, 6.7.9] describes its
//! *current object*: a designator says where to go on, braces around parts may be left out, and what comes
//! later replaces what came before.

use std::collections::BTreeMap;
use std::rc::Rc;

use heap::{Command, Expr, IntType, Scalar};
use lang_c::ast::{self, Designator, Initializer, InitializerListItem};
use lang_c::span::{Node, Span};

use super::place::Place;
use super::{Lowered, Lowering};
use crate::ctype::CType;
use crate::literal;

/// A value or a list of values.
#[derive(Clone, Copy)]
pub(super) enum Init<'i> {
    Value(&'i Node<ast::Expression>),
    List(&'i [Node<InitializerListItem>], Span),
}

impl<'i> Init<'i> {
    pub(super) fn new(initializer: &'i Node<Initializer>) -> Init<'i> {
        match &initializer.node {
            Initializer::Expression(value) => Init::Value(value),
            Initializer::List(items) => Init::List(items, initializer.span),
        }
    }

    fn span(self) -> Span {
        match self {
            Init::Value(value) => value.span,
            Init::List(_, span) => span,
        }
    }

    /// The string that it is, maybe in braces.
    fn string(self) -> Option<&'i Node<ast::Expression>> {
        match self {
            Init::Value(value) => is_string(value).then_some(value),
            Init::List([one], _) if one.node.designation.is_empty() => {
                Init::new(&one.node.initializer).string()
            }
            Init::List(..) => None,
        }
    }
}

/// A part of an object: where, what, and the bits of a bit-field.
#[derive(Clone, Debug)]
struct Part {
    offset: u64,
    ty: CType,
    bits: Option<(u8, u8)>,
}

/// One value of an initialiser and where it goes.
struct Item<'i> {
    part: Part,
    value: &'i Node<ast::Expression>,
}

/// An array or record that is being filled.
struct Level {
    offset: u64,
    ty: CType,
    /// The part that comes next.
    next: u64,
}

/// How many values a list may have when ranges are written out.
const MAX_ITEMS: usize = 1 << 20;

impl Lowering<'_> {
    /// The type with the size that its initialiser gives it.
    pub(super) fn completed(&mut self, ty: CType, init: Option<Init<'_>>) -> Lowered<CType> {
        let (CType::Array(element, None), Some(init)) = (&ty, init) else { return Ok(ty) };
        if let (Some(value), true) = (init.string(), is_char_array(&ty)) {
            let length = self.string(value)?.len() as u64 + 1;
            return Ok(CType::Array(Rc::clone(element), Some(length)));
        }
        let Init::List(list, span) = init else { return Ok(ty) };
        // As if it were large enough.
        let wide = CType::Array(Rc::clone(element), Some(u64::MAX >> 20));
        self.size_of(element, span)?;
        let count = self.list(&wide, 0, list, span, &mut Vec::new())?;
        Ok(CType::Array(Rc::clone(element), Some(count)))
    }

    /// The value of a variable.
    pub(super) fn scalar_initializer(&mut self, ty: &CType, init: Init<'_>) -> Lowered<Expr> {
        match init {
            Init::Value(e) => {
                let value = self.rvalue(e)?;
                self.converted(value, ty, e.span)
            }
            Init::List(list, _) => match list.first() {
                Some(item) => self.scalar_initializer(ty, Init::new(&item.node.initializer)),
                None => Ok(zero(ty)),
            },
        }
    }

    /// Initialises an object that was just made.
    pub(super) fn initialize(&mut self, at: &Expr, ty: &CType, init: Init<'_>) -> Lowered<()> {
        let pos = self.pos(init.span());
        if let (Init::Value(e), true) = (init, ty.is_scalar()) {
            let value = self.rvalue(e)?;
            let value = self.converted(value, ty, e.span)?;
            self.emit(Command::Store { at: at.clone(), value, ty: ty.scalar() }, pos);
            return Ok(());
        }
        if let (Init::Value(e), CType::Record(_)) = (init, ty) {
            let value = self.rvalue(e)?;
            let size = self.size_of(ty, e.span)?;
            return self.copy_record(at.clone(), value, ty, size, e.span);
        }
        let mut items = Vec::new();
        self.items(ty, 0, init, &mut items)?;
        let size = self.size_of(ty, init.span())?;
        let (byte, size) = (Expr::Int(0), Expr::Int(size.into()));
        self.emit(Command::Fill { at: at.clone(), byte, size }, pos);
        for Item { part: Part { offset, ty, bits }, value } in items {
            let place = Expr::offset(at.clone(), Expr::Int(offset.into()));
            if is_char_array(&ty) && is_string(value) {
                self.store_string(&place, &ty, value)?;
                continue;
            }
            let v = self.rvalue(value)?;
            if let CType::Record(_) = ty {
                let size = self.size_of(&ty, value.span)?;
                self.copy_record(place, v, &ty, size, value.span)?;
                continue;
            }
            let v = self.converted(v, &ty, value.span)?;
            let place = match bits {
                Some((first, width)) => Place::Bits { at: place, first, width },
                None => Place::Memory(place),
            };
            self.store(&place, v, &ty, self.pos(value.span));
        }
        Ok(())
    }

    fn store_string(
        &mut self,
        at: &Expr,
        ty: &CType,
        value: &Node<ast::Expression>,
    ) -> Lowered<()> {
        let size = self.size_of(ty, value.span)?;
        let bytes = self.string(value)?;
        let kept = size.min(bytes.len() as u64 + 1);
        let id = self.constant(&bytes);
        let (to, from, size) = (at.clone(), Expr::Global(id), Expr::Int(kept.into()));
        let pos = self.pos(value.span);
        self.emit(Command::Copy { to, from, size, may_overlap: false }, pos);
        Ok(())
    }

    /// What is not zero at the start in a global object.
    pub(super) fn constant_initializer(
        &mut self,
        ty: &CType,
        init: Init<'_>,
    ) -> Lowered<Vec<(u64, Scalar, Expr)>> {
        let mut items = Vec::new();
        self.items(ty, 0, init, &mut items)?;
        let mut found: Vec<(u64, Scalar, Expr)> = Vec::new();
        // Bit-fields of different types may share a byte.
        let mut bytes: BTreeMap<u64, u8> = BTreeMap::new();
        for Item { part: Part { offset, ty, bits }, value } in items {
            if let (CType::Array(element, Some(count)), true) = (&ty, is_string(value)) {
                let (string, scalar) = (self.string(value)?, element.scalar());
                let kept = string.iter().enumerate().take(*count as usize);
                for (i, b) in kept.filter(|(_, b)| **b != 0) {
                    found.push((offset + i as u64, scalar, Expr::Int(i128::from(*b as i8))));
                }
                continue;
            }
            let v = self.constant_expr(value)?;
            let v = self.converted(v, &ty, value.span)?;
            match (bits, &v) {
                (Some((first, width)), Expr::Int(n)) => {
                    let unit = (n & ((1i128 << width) - 1)) << first;
                    for i in 0..16u64 {
                        let byte = ((unit >> (8 * i)) & 0xff) as u8;
                        if byte != 0 {
                            *bytes.entry(offset + i).or_insert(0) |= byte;
                        }
                    }
                }
                (None, v) if is_constant(v) => {
                    if *v != Expr::Int(0) && *v != Expr::Null {
                        found.push((offset, ty.scalar(), v.clone()));
                    }
                }
                _ => return self.wrong(value.span, "this initialiser is not constant"),
            }
        }
        let byte = Scalar::Int(IntType::unsigned(8));
        found.extend(bytes.into_iter().map(|(at, b)| (at, byte, Expr::Int(b.into()))));
        Ok(found)
    }

    fn items<'i>(
        &mut self,
        ty: &CType,
        offset: u64,
        init: Init<'i>,
        items: &mut Vec<Item<'i>>,
    ) -> Lowered<()> {
        let part = |ty: &CType| Part { offset, ty: ty.clone(), bits: None };
        match (init, ty) {
            (Init::Value(value), _) => items.push(Item { part: part(ty), value }),
            (Init::List(..), CType::Array(..)) if is_char_array(ty) && init.string().is_some() => {
                items.extend(init.string().map(|value| Item { part: part(ty), value }));
            }
            (Init::List(list, span), CType::Array(..) | CType::Record(_)) => {
                self.list(ty, offset, list, span, items)?;
            }
            (Init::List(list, _), _) => {
                if let Some(first) = list.first() {
                    self.items(ty, offset, Init::new(&first.node.initializer), items)?;
                }
            }
        }
        Ok(())
    }

    /// A list in braces for an array or a record. Answers how many parts of it were reached.
    fn list<'i>(
        &mut self,
        ty: &CType,
        offset: u64,
        list: &'i [Node<InitializerListItem>],
        span: Span,
        items: &mut Vec<Item<'i>>,
    ) -> Lowered<u64> {
        let mut levels = vec![Level { offset, ty: ty.clone(), next: 0 }];
        let mut reached = 0;
        let replaces = list.iter().any(|item| !item.node.designation.is_empty());
        for item in list {
            if items.len() > MAX_ITEMS {
                return self.unsupported(item.span, "such a long initialiser");
            }
            let ranges = self.designated(&mut levels, item)?;
            let before = items.len();
            self.place(&mut levels, &item.node.initializer, replaces, span, items)?;
            // Values of a range are those of its last part.
            for (size, count) in ranges {
                let last: Vec<_> = items
                    .get(before..)
                    .into_iter()
                    .flatten()
                    .map(|i| (i.part.clone(), i.value))
                    .collect();
                for back in 1..count {
                    if items.len() > MAX_ITEMS {
                        return self.unsupported(item.span, "such a long initialiser");
                    }
                    for (part, value) in &last {
                        let offset = part.offset.saturating_sub(size * back);
                        items.push(Item { part: Part { offset, ..part.clone() }, value });
                    }
                }
            }
            reached = reached.max(levels.first().map_or(0, |level| level.next));
        }
        Ok(reached)
    }

    /// Puts a value at the next place, going into parts whose braces were left out.
    fn place<'i>(
        &mut self,
        levels: &mut Vec<Level>,
        initializer: &'i Node<Initializer>,
        replaces: bool,
        span: Span,
        items: &mut Vec<Item<'i>>,
    ) -> Lowered<()> {
        let init = Init::new(initializer);
        loop {
            let Some(level) = levels.last_mut() else {
                return self.wrong(span, "there are more values than places in this initialiser");
            };
            let (base, ty, index) = (level.offset, level.ty.clone(), level.next);
            let Some(mut part) = self.part(&ty, index, init.span())? else {
                levels.pop();
                continue;
            };
            part.offset += base;
            if let Some(level) = levels.last_mut() {
                level.next = if self.is_union(&ty) { u64::MAX } else { index + 1 };
            }
            if let (CType::Array(_, Some(0)), Init::List([_, ..], span)) = (&part.ty, init) {
                return self.unsupported(span, "an initialiser of a flexible array member");
            }
            let whole = match (init, &part.ty) {
                (Init::List(..), _) => true,
                (Init::Value(value), CType::Array(..)) => {
                    is_char_array(&part.ty) && is_string(value)
                }
                (Init::Value(value), CType::Record(_)) => self.is_record(value)?,
                _ => true,
            };
            if !whole {
                levels.push(Level { offset: part.offset, ty: part.ty, next: 0 });
                continue;
            }
            if replaces {
                let bits = self.bits(&part);
                items.retain(|earlier| {
                    let other = self.bits(&earlier.part);
                    other.1 <= bits.0 || bits.1 <= other.0
                });
            }
            return match init {
                Init::Value(value) => {
                    items.push(Item { part, value });
                    Ok(())
                }
                Init::List(..) if part.bits.is_some() => {
                    let Init::List([one, ..], _) = init else { return Ok(()) };
                    match Init::new(&one.node.initializer) {
                        Init::Value(value) => items.push(Item { part, value }),
                        Init::List(_, span) => return self.unsupported(span, "this list"),
                    }
                    Ok(())
                }
                Init::List(..) => self.items(&part.ty, part.offset, init, items),
            };
        }
    }

    /// The bits that a part takes, from the start of the object.
    fn bits(&self, part: &Part) -> (u64, u64) {
        match part.bits {
            Some((first, width)) => {
                let start = part.offset.saturating_mul(8) + u64::from(first);
                (start, start + u64::from(width))
            }
            None => {
                let size = self.layout().size(&part.ty).unwrap_or(0);
                (part.offset.saturating_mul(8), (part.offset + size).saturating_mul(8))
            }
        }
    }

    fn is_union(&self, ty: &CType) -> bool {
        matches!(ty, CType::Record(id) if self.records.get(id.0 as usize).is_some_and(|r| r.union))
    }

    /// A part of an array or record, relative to its start.
    fn part(&mut self, ty: &CType, index: u64, span: Span) -> Lowered<Option<Part>> {
        match ty {
            CType::Array(element, count) => {
                if count.is_some_and(|count| index >= count) {
                    return Ok(None);
                }
                let size = self.size_of(element, span)?;
                let Some(offset) = size.checked_mul(index) else {
                    return self.unsupported(span, "such a long initialiser");
                };
                Ok(Some(Part { offset, ty: (**element).clone(), bits: None }))
            }
            CType::Record(id) => {
                let members = self.records.get(id.0 as usize).and_then(|r| r.members.as_ref());
                let member = members.and_then(|m| m.get(usize::try_from(index).ok()?));
                Ok(member.map(|m| Part { offset: m.offset, ty: m.ty.clone(), bits: m.bits }))
            }
            _ => Ok(None),
        }
    }

    fn is_record(&mut self, e: &Node<ast::Expression>) -> Lowered<bool> {
        // Only these can be records, and most values are none of them.
        match &e.node {
            ast::Expression::Constant(_) | ast::Expression::StringLiteral(_) => Ok(false),
            _ if self.is_constant_context() => Ok(false),
            _ => Ok(matches!(self.type_of(e)?, CType::Record(_))),
        }
    }

    /// Goes where the designators of an item lead. Answers for each range how large a part is and how many
    /// there are; the place is that of the last one.
    fn designated(
        &mut self,
        levels: &mut Vec<Level>,
        item: &Node<InitializerListItem>,
    ) -> Lowered<Vec<(u64, u64)>> {
        let mut ranges = Vec::new();
        if item.node.designation.is_empty() {
            return Ok(ranges);
        }
        levels.truncate(1);
        for (depth, designator) in item.node.designation.iter().enumerate() {
            if depth > 0 {
                self.enter_part(levels, designator.span)?;
            }
            let Some(Level { ty, .. }) = levels.last() else { break };
            let (from, to) = match (&designator.node, ty.clone()) {
                (Designator::Member(name), CType::Record(id)) => {
                    let Some(path) = self.member_path(id, &name.node.name) else {
                        let message = format!("there is no member `{}`", name.node.name);
                        return self.wrong(name.span, message);
                    };
                    for (i, index) in path.iter().enumerate() {
                        if i > 0 {
                            self.enter_part(levels, designator.span)?;
                        }
                        if let Some(level) = levels.last_mut() {
                            level.next = *index;
                        }
                    }
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
            let Some(Level { ty: CType::Array(element, count), next, .. }) = levels.last_mut()
            else {
                continue;
            };
            let most = count.map_or(i128::MAX, i128::from);
            let element = Rc::clone(element);
            *next = u64::try_from(to).unwrap_or(u64::MAX);
            if from < 0 || to < from || to >= most {
                return self.wrong(designator.span, "this index is outside of the array");
            }
            if to - from > MAX_ITEMS as i128 {
                return self.unsupported(designator.span, "such a long initialiser");
            }
            let size = self.size_of(&element, designator.span)?;
            if from < to {
                ranges.push((size, (to - from + 1) as u64));
            }
        }
        Ok(ranges)
    }

    /// Goes into the next part of the innermost level; what follows it comes after that.
    fn enter_part(&mut self, levels: &mut Vec<Level>, span: Span) -> Lowered<()> {
        let Some(level) = levels.last() else { return Ok(()) };
        let (base, ty, index) = (level.offset, level.ty.clone(), level.next);
        let Some(part) = self.part(&ty, index, span)? else {
            return self.wrong(span, "this does not fit the type");
        };
        if let Some(level) = levels.last_mut() {
            level.next = if self.is_union(&ty) { u64::MAX } else { index + 1 };
        }
        levels.push(Level { offset: base + part.offset, ty: part.ty, next: 0 });
        Ok(())
    }

    /// Where a member is, through anonymous records.
    fn member_path(&self, id: heap::RecordId, name: &str) -> Option<Vec<u64>> {
        let members = self.records.get(id.0 as usize)?.members.as_ref()?;
        for (i, member) in members.iter().enumerate() {
            match (&member.name, &member.ty) {
                (Some(found), _) if found == name => return Some(vec![i as u64]),
                (None, CType::Record(inner)) => {
                    if let Some(mut path) = self.member_path(*inner, name) {
                        path.insert(0, i as u64);
                        return Some(path);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The bytes of a string literal.
    pub(super) fn string(&mut self, e: &Node<ast::Expression>) -> Lowered<Vec<u8>> {
        let ast::Expression::StringLiteral(parts) = &e.node else {
            return self.wrong(e.span, "a string is expected here");
        };
        let mut bytes = Vec::new();
        for part in &parts.node {
            match literal::string(part) {
                Some(more) => bytes.extend(more),
                None => return self.unsupported(e.span, "a string of wide characters"),
            }
        }
        Ok(bytes)
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

fn is_char_array(ty: &CType) -> bool {
    matches!(ty, CType::Array(element, _) if element.int_type().is_some_and(|t| t.bits == 8))
}

/// Is it a string literal?
pub(super) fn is_string(e: &Node<ast::Expression>) -> bool {
    matches!(e.node, ast::Expression::StringLiteral(_))
}
