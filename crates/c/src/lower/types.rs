//! Types: specifiers, records, enumerations, declarators.

use std::rc::Rc;

use heap::{Field, IntType, Record, RecordId};
use lang_c::ast::{
    self, ArraySize, DeclarationSpecifier, DeclaratorKind, DerivedDeclarator, SpecifierQualifier,
    StorageClassSpecifier, TypeSpecifier,
};
use lang_c::span::{Node, Span};

use super::attributes::Attributes;
use super::{Lowered, Lowering, Symbol, Tag};
use crate::ctype::{CHAR, CType, FuncType, INT, Laid, Member, RecordInfo};

/// What the specifiers of a declaration say.
pub(super) struct Specified {
    pub(super) ty: CType,
    pub(super) storage: Option<StorageClassSpecifier>,
}

impl Lowering<'_> {
    pub(super) fn specifiers(
        &mut self,
        list: &[Node<DeclarationSpecifier>],
        span: Span,
    ) -> Lowered<Specified> {
        let mut storage = None;
        let mut types = Vec::new();
        let mut extensions = Vec::new();
        for specifier in list {
            match &specifier.node {
                DeclarationSpecifier::StorageClass(class) => storage = Some(class.node.clone()),
                DeclarationSpecifier::TypeSpecifier(ty) => types.push(ty),
                DeclarationSpecifier::Extension(list) => extensions.extend(list),
                // The alignment of a variable is nothing that a program can rely on here.
                DeclarationSpecifier::TypeQualifier(_)
                | DeclarationSpecifier::Function(_)
                | DeclarationSpecifier::Alignment(_) => {}
            }
        }
        let attributes = self.attributes(extensions)?;
        let ty = self.base_type(&types, attributes, span)?;
        Ok(Specified { ty: attributes.mode(ty), storage })
    }

    pub(super) fn qualifiers(
        &mut self,
        list: &[Node<SpecifierQualifier>],
        span: Span,
    ) -> Lowered<CType> {
        let (mut types, mut extensions) = (Vec::new(), Vec::new());
        for specifier in list {
            match &specifier.node {
                SpecifierQualifier::TypeSpecifier(ty) => types.push(ty),
                SpecifierQualifier::Extension(list) => extensions.extend(list),
                SpecifierQualifier::TypeQualifier(_) => {}
            }
        }
        let attributes = self.attributes(extensions)?;
        let ty = self.base_type(&types, attributes, span)?;
        Ok(attributes.mode(ty))
    }

    fn base_type(
        &mut self,
        types: &[&Node<TypeSpecifier>],
        attributes: Attributes,
        span: Span,
    ) -> Lowered<CType> {
        let (mut signed, mut long, mut short, mut char_, mut double) =
            (None, 0u32, false, false, false);
        let mut words = false;
        for ty in types {
            match &ty.node {
                TypeSpecifier::Void => return Ok(CType::Void),
                TypeSpecifier::Bool => return Ok(CType::Bool),
                TypeSpecifier::Float => return Ok(CType::Float(32)),
                TypeSpecifier::Double => double = true,
                TypeSpecifier::Char => char_ = true,
                TypeSpecifier::Short => short = true,
                TypeSpecifier::Int => words = true,
                TypeSpecifier::Long => long += 1,
                TypeSpecifier::Signed => signed = Some(true),
                TypeSpecifier::Unsigned => signed = Some(false),
                TypeSpecifier::Struct(record) => {
                    return self.record_type(&record.node, attributes, record.span);
                }
                TypeSpecifier::Enum(decl) => return self.enum_type(&decl.node),
                TypeSpecifier::TypedefName(name) => {
                    let name = &name.node.name;
                    return match self.find(name) {
                        Some(Symbol::Typedef(ty)) => Ok(ty.clone()),
                        _ if name == "__builtin_va_list" => Ok(CType::VaList),
                        _ => self.wrong(ty.span, format!("there is no type `{name}`")),
                    };
                }
                TypeSpecifier::TypeOf(of) => {
                    return match &of.node {
                        ast::TypeOf::Expression(e) => self.type_of(e),
                        ast::TypeOf::Type(name) => self.type_name(name),
                    };
                }
                TypeSpecifier::TS18661Float(ty) => {
                    return Ok(CType::Float(match (&ty.format, ty.width) {
                        (ast::TS18661FloatFormat::BinaryInterchange, 32) => 32,
                        (ast::TS18661FloatFormat::BinaryInterchange, 64) => 64,
                        (ast::TS18661FloatFormat::BinaryExtended, 32) => 64,
                        _ => 128,
                    }));
                }
                TypeSpecifier::Complex => return self.unsupported(ty.span, "a complex number"),
                TypeSpecifier::Atomic(name) => return self.type_name(name),
            }
        }
        if double {
            return Ok(CType::Float(if long > 0 { 128 } else { 64 }));
        }
        let signed_or = |default: bool| signed.unwrap_or(default);
        if char_ {
            return Ok(CType::Int(IntType { bits: 8, signed: signed_or(CHAR.signed) }));
        }
        let long_bits = (self.program.model.pointer() * 8) as u8;
        let bits = match (short, long) {
            (true, _) => 16,
            (_, 0) => 32,
            (_, 1) => long_bits,
            _ => 64,
        };
        if !words && !short && long == 0 && signed.is_none() {
            return self.wrong(span, "there is no type here");
        }
        Ok(CType::Int(IntType { bits, signed: signed_or(true) }))
    }

    fn record_type(
        &mut self,
        decl: &ast::StructType,
        attributes: Attributes,
        span: Span,
    ) -> Lowered<CType> {
        let union = decl.kind.node == ast::StructKind::Union;
        let name = decl.identifier.as_ref().map(|i| i.node.name.clone());
        let known = name.as_ref().and_then(|name| {
            let mut scopes = self.scopes.iter().rev();
            let here = scopes.next().and_then(|scope| scope.tags.get(name));
            match (&decl.declarations, here) {
                (_, Some(tag)) => Some(tag.clone()),
                // A definition is of this scope.
                (Some(_), None) => None,
                (None, None) => scopes.find_map(|scope| scope.tags.get(name)).cloned(),
            }
        });
        let id = match known {
            Some(Tag::Record(id)) => id,
            Some(Tag::Enum(_)) => return self.wrong(span, "this is the name of an enumeration"),
            None => {
                let shown = name.clone().unwrap_or_else(|| {
                    self.unnamed += 1;
                    format!("${}", self.unnamed)
                });
                let id = RecordId(self.records.len() as u32);
                self.records.push(RecordInfo {
                    name: shown.clone(),
                    union,
                    members: None,
                    size: 0,
                    align: 1,
                });
                // Names of records are unique in a heap program.
                let clash = self.program.records.iter().filter(|r| r.name == shown).count();
                let clash = clash > 0 || heap::text::is_keyword(&shown);
                let shown = if clash { format!("{shown}.{}", id.0) } else { shown };
                self.program.records.push(Record { name: shown, size: 0, fields: Vec::new() });
                if let (Some(name), Some(scope)) = (&name, self.scopes.last_mut()) {
                    scope.tags.insert(name.clone(), Tag::Record(id));
                }
                id
            }
        };
        if let Some(declarations) = &decl.declarations {
            if self.records[id.0 as usize].members.is_some() {
                let shown = self.show(&CType::Record(id));
                return self.wrong(span, format!("`{shown}` is defined twice"));
            }
            let attributes = attributes.and(self.attributes_of_record(span)?);
            let mut members = self.members(declarations)?;
            if attributes.packed {
                if members.iter().any(|m| m.bits.is_some()) {
                    return self.unsupported(span, "a packed record with bit-fields");
                }
                members.iter_mut().for_each(|m| m.packed = true);
            }
            let (members, size, align) = self.layout().record(union, members);
            let align = align.max(attributes.aligned.unwrap_or(1));
            let size = size.next_multiple_of(align);
            let fields = members
                .iter()
                .map(|m| Field {
                    name: m.name.clone().unwrap_or_default(),
                    offset: m.offset,
                    ty: self.heap_type(&m.ty),
                })
                .collect();
            let record = &mut self.program.records[id.0 as usize];
            (record.size, record.fields) = (size, fields);
            let info = &mut self.records[id.0 as usize];
            (info.members, info.size, info.align, info.union) = (Some(members), size, align, union);
        }
        Ok(CType::Record(id))
    }

    fn members(&mut self, list: &[Node<ast::StructDeclaration>]) -> Lowered<Vec<Laid>> {
        let mut members = Vec::new();
        for declaration in list {
            let field = match &declaration.node {
                ast::StructDeclaration::Field(field) => field,
                ast::StructDeclaration::StaticAssert(assertion) => {
                    self.static_assert(&assertion.node)?;
                    continue;
                }
            };
            let base = self.qualifiers(&field.node.specifiers, field.span)?;
            if field.node.declarators.is_empty() && matches!(base, CType::Record(_)) {
                self.size_of(&base, field.span)?;
                let (name, ty, bits) = (None, base.clone(), None);
                members.push(Laid { name, ty, bits, packed: false, aligned: None });
            }
            for declarator in &field.node.declarators {
                let (name, ty) = match &declarator.node.declarator {
                    Some(d) => self.declarator(&d.node, base.clone(), d.span)?,
                    None => (None, base.clone()),
                };
                let bits = match &declarator.node.bit_width {
                    Some(width) => {
                        let width = self.constant_value(width)?;
                        let most = self.layout().size(&ty).unwrap_or(0) * 8;
                        match u8::try_from(width) {
                            Ok(bits) if u64::from(bits) <= most => Some(bits),
                            _ => return self.wrong(declarator.span, "this bit-field is too wide"),
                        }
                    }
                    None => None,
                };
                // An array of unknown size at the end takes no bytes.
                let ty = match ty {
                    CType::Array(element, None) => CType::Array(element, Some(0)),
                    CType::Record(_) | CType::Array(..) => {
                        self.size_of(&ty, declarator.span)?;
                        ty
                    }
                    ty => ty,
                };
                let extensions = declarator.node.declarator.iter().flat_map(|d| &d.node.extensions);
                let attributes = self.attributes(extensions)?;
                let Attributes { packed, aligned, .. } = attributes;
                if packed && bits.is_some() {
                    return self.unsupported(declarator.span, "a packed bit-field");
                }
                members.push(Laid { name, ty: attributes.mode(ty), bits, packed, aligned });
            }
        }
        Ok(members)
    }

    /// As gcc has it: without sign unless a constant is negative.
    fn enum_type(&mut self, decl: &ast::EnumType) -> Lowered<CType> {
        let name = decl.identifier.as_ref().map(|name| &name.node.name);
        if decl.enumerators.is_empty() {
            let mut scopes = self.scopes.iter().rev();
            let known = name.and_then(|name| scopes.find_map(|scope| scope.tags.get(name)));
            return Ok(match known {
                Some(Tag::Enum(ty)) => CType::Int(*ty),
                _ => CType::Int(IntType::unsigned(32)),
            });
        }
        let mut next = 0i128;
        let (mut least, mut largest) = (0, 0);
        for enumerator in &decl.enumerators {
            if let Some(e) = &enumerator.node.expression {
                next = self.constant_value(e)?;
            }
            (least, largest) = (next.min(least), next.max(largest));
            let name = &enumerator.node.identifier.node.name;
            let ty =
                if INT.holds(next) { INT } else { IntType { bits: 64, signed: next < 1 << 63 } };
            self.bind(name, Symbol::Constant(next, ty));
            next += 1;
        }
        let signed = least < 0;
        let fits = |bits| {
            let ty = IntType { bits, signed };
            ty.holds(least) && ty.holds(largest)
        };
        let ty = IntType { bits: if fits(32) { 32 } else { 64 }, signed };
        if let (Some(name), Some(scope)) = (name, self.scopes.last_mut()) {
            scope.tags.insert(name.clone(), Tag::Enum(ty));
        }
        Ok(CType::Int(ty))
    }

    pub(super) fn type_name(&mut self, name: &Node<ast::TypeName>) -> Lowered<CType> {
        let base = self.qualifiers(&name.node.specifiers, name.span)?;
        match &name.node.declarator {
            Some(d) => Ok(self.declarator(&d.node, base, d.span)?.1),
            None => Ok(base),
        }
    }

    /// The name and the type that a declarator makes of a type.
    pub(super) fn declarator(
        &mut self,
        declarator: &ast::Declarator,
        base: CType,
        span: Span,
    ) -> Lowered<(Option<String>, CType)> {
        self.derived(declarator, base, false, span)
    }

    /// The size of an array does not matter in a parameter, so it need not be constant.
    pub(super) fn declarator_of_parameter(
        &mut self,
        declarator: &ast::Declarator,
        base: CType,
        span: Span,
    ) -> Lowered<(Option<String>, CType)> {
        let (name, ty) = self.derived(declarator, base, true, span)?;
        Ok((name, decayed(ty)))
    }

    fn derived(
        &mut self,
        declarator: &ast::Declarator,
        base: CType,
        parameter: bool,
        span: Span,
    ) -> Lowered<(Option<String>, CType)> {
        let nested = matches!(declarator.kind.node, DeclaratorKind::Declarator(_));
        let mut ty = base;
        // Pointers belong to the type before; arrays and functions are read from the name outwards.
        let is_pointer =
            |d: &&Node<DerivedDeclarator>| matches!(d.node, DerivedDeclarator::Pointer(_));
        for _ in declarator.derived.iter().filter(is_pointer) {
            ty = CType::pointer(ty);
        }
        let others: Vec<_> = declarator.derived.iter().filter(|d| !is_pointer(d)).collect();
        for (i, derived) in others.into_iter().enumerate().rev() {
            let decays = parameter && !nested && i == 0;
            ty = match &derived.node {
                DerivedDeclarator::Array(array) => {
                    let count = match &array.node.size {
                        _ if decays => None,
                        ArraySize::Unknown | ArraySize::VariableUnknown => None,
                        ArraySize::VariableExpression(e) | ArraySize::StaticExpression(e) => {
                            Some(self.array_size(e)?)
                        }
                    };
                    CType::Array(Rc::new(ty), count)
                }
                DerivedDeclarator::Function(function) => {
                    let mut params = Vec::new();
                    for parameter in &function.node.parameters {
                        params.push(self.parameter(&parameter.node, parameter.span)?.1);
                    }
                    let unknown = params.is_empty();
                    if params == [CType::Void] {
                        params.clear();
                    }
                    let variadic = function.node.ellipsis == ast::Ellipsis::Some;
                    CType::Func(Rc::new(FuncType { result: ty, params, variadic, unknown }))
                }
                DerivedDeclarator::KRFunction(names) => {
                    let params = vec![CType::int(); names.len()];
                    CType::Func(Rc::new(FuncType {
                        result: ty,
                        params,
                        variadic: false,
                        unknown: true,
                    }))
                }
                DerivedDeclarator::Pointer(_) => ty,
                DerivedDeclarator::Block(_) => return self.unsupported(span, "a block pointer"),
            };
        }
        match &declarator.kind.node {
            DeclaratorKind::Abstract => Ok((None, ty)),
            DeclaratorKind::Identifier(name) => Ok((Some(name.node.name.clone()), ty)),
            DeclaratorKind::Declarator(inner) => {
                self.derived(&inner.node, ty, parameter, inner.span)
            }
        }
    }

    fn array_size(&mut self, e: &Node<ast::Expression>) -> Lowered<u64> {
        if self.depends_on_variables(e) {
            return self.unsupported(e.span, "an array of variable size");
        }
        match u64::try_from(self.constant_value(e)?) {
            Ok(n) => Ok(n),
            Err(_) => self.wrong(e.span, "the size of this array is negative"),
        }
    }

    /// Is something evaluated in it that is no constant?
    fn depends_on_variables(&self, e: &Node<ast::Expression>) -> bool {
        use lang_c::visit::{Visit, visit_expression};
        struct Search<'l, 'a> {
            lowering: &'l Lowering<'a>,
            found: bool,
        }
        impl<'ast> Visit<'ast> for Search<'_, '_> {
            fn visit_expression(&mut self, e: &'ast ast::Expression, span: &'ast Span) {
                match e {
                    ast::Expression::Identifier(name) => {
                        let symbol = self.lowering.find(&name.node.name);
                        self.found |= !matches!(symbol, Some(Symbol::Constant(..)));
                    }
                    // These are about types.
                    ast::Expression::SizeOfTy(_)
                    | ast::Expression::SizeOfVal(_)
                    | ast::Expression::AlignOf(_)
                    | ast::Expression::OffsetOf(_) => {}
                    _ => visit_expression(self, e, span),
                }
            }
        }
        let mut search = Search { lowering: self, found: false };
        search.visit_expression(&e.node, &e.span);
        search.found
    }

    pub(super) fn parameter(
        &mut self,
        parameter: &ast::ParameterDeclaration,
        span: Span,
    ) -> Lowered<(Option<String>, CType)> {
        let base = self.specifiers(&parameter.specifiers, span)?.ty;
        let (name, ty) = match &parameter.declarator {
            Some(d) => self.declarator_of_parameter(&d.node, base, d.span)?,
            None => (None, decayed(base)),
        };
        Ok((name, ty))
    }

    /// Members of a record by name, those of anonymous records inside included.
    pub(super) fn member(&self, id: RecordId, name: &str) -> Option<Member> {
        let members = self.records.get(id.0 as usize)?.members.as_ref()?;
        for member in members {
            match (&member.name, &member.ty) {
                (Some(found), _) if found == name => return Some(member.clone()),
                (None, CType::Record(inner)) => {
                    if let Some(mut found) = self.member(*inner, name) {
                        found.offset += member.offset;
                        return Some(found);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// Parameters that are arrays or functions are pointers.
pub(super) fn decayed(ty: CType) -> CType {
    match ty {
        CType::Array(element, _) => CType::Ptr(element),
        CType::Func(_) => CType::pointer(ty),
        ty => ty,
    }
}
