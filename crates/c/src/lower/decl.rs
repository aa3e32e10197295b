//! Declarations: types, records, enumerations, globals, functions.

use std::collections::HashSet;
use std::rc::Rc;

use heap::{Command, Expr, Field, Global, GlobalId, IntType, Record, RecordId};
use lang_c::ast::{
    self, ArraySize, DeclarationSpecifier, DeclaratorKind, DerivedDeclarator, SpecifierQualifier,
    StorageClassSpecifier, TypeSpecifier,
};
use lang_c::span::{Node, Span};

use super::build::Function;
use super::{Lowered, Lowering, Symbol, Tag};
use crate::ctype::{CHAR, CType, FuncType, Laid, Member, RecordInfo};

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
        for specifier in list {
            match &specifier.node {
                DeclarationSpecifier::StorageClass(class) => storage = Some(class.node.clone()),
                DeclarationSpecifier::TypeSpecifier(ty) => types.push(ty),
                DeclarationSpecifier::TypeQualifier(_)
                | DeclarationSpecifier::Function(_)
                | DeclarationSpecifier::Alignment(_)
                | DeclarationSpecifier::Extension(_) => {}
            }
        }
        Ok(Specified { ty: self.base_type(&types, span)?, storage })
    }

    pub(super) fn qualifiers(
        &mut self,
        list: &[Node<SpecifierQualifier>],
        span: Span,
    ) -> Lowered<CType> {
        let types: Vec<&Node<TypeSpecifier>> = list
            .iter()
            .filter_map(|q| match &q.node {
                SpecifierQualifier::TypeSpecifier(ty) => Some(ty),
                SpecifierQualifier::TypeQualifier(_) | SpecifierQualifier::Extension(_) => None,
            })
            .collect();
        self.base_type(&types, span)
    }

    fn base_type(&mut self, types: &[&Node<TypeSpecifier>], span: Span) -> Lowered<CType> {
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
                    return self.record_type(&record.node, record.span);
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
                TypeSpecifier::TS18661Float(_) => return Ok(CType::Float(64)),
                TypeSpecifier::Complex => return self.unsupported(ty.span, "a complex number"),
                TypeSpecifier::Atomic(name) => return self.type_name(name),
            }
        }
        if double {
            return Ok(CType::Float(64));
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

    fn record_type(&mut self, decl: &ast::StructType, span: Span) -> Lowered<CType> {
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
            Some(Tag::Enum) => return self.wrong(span, "this is the name of an enumeration"),
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
            let members = self.members(declarations)?;
            let (members, size, align) = self.layout().record(union, false, members);
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
                members.push(Laid { name: None, ty: base.clone(), bits: None });
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
                members.push(Laid { name, ty, bits });
            }
        }
        Ok(members)
    }

    fn enum_type(&mut self, decl: &ast::EnumType) -> Lowered<CType> {
        let mut next = 0i128;
        for enumerator in &decl.enumerators {
            if let Some(e) = &enumerator.node.expression {
                next = self.constant_value(e)?;
            }
            self.bind(&enumerator.node.identifier.node.name, Symbol::Constant(next));
            next += 1;
        }
        if let (Some(name), Some(scope)) = (&decl.identifier, self.scopes.last_mut()) {
            scope.tags.insert(name.node.name.clone(), Tag::Enum);
        }
        Ok(CType::int())
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
        let mut ty = base;
        // Pointers belong to the type before; arrays and functions are read from the name outwards.
        let is_pointer =
            |d: &&Node<DerivedDeclarator>| matches!(d.node, DerivedDeclarator::Pointer(_));
        for _ in declarator.derived.iter().filter(is_pointer) {
            ty = CType::pointer(ty);
        }
        for derived in declarator.derived.iter().filter(|d| !is_pointer(d)).rev() {
            ty = match &derived.node {
                DerivedDeclarator::Array(array) => {
                    let count = match &array.node.size {
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
            DeclaratorKind::Declarator(inner) => self.declarator(&inner.node, ty, inner.span),
        }
    }

    fn array_size(&mut self, e: &Node<ast::Expression>) -> Lowered<u64> {
        match self.constant_or_none(e)? {
            Some(n) => match u64::try_from(n) {
                Ok(n) => Ok(n),
                Err(_) => self.wrong(e.span, "the size of this array is negative"),
            },
            None => self.unsupported(e.span, "an array of variable size"),
        }
    }

    fn parameter(
        &mut self,
        parameter: &ast::ParameterDeclaration,
        span: Span,
    ) -> Lowered<(Option<String>, CType)> {
        let base = self.specifiers(&parameter.specifiers, span)?.ty;
        let (name, ty) = match &parameter.declarator {
            Some(d) => self.declarator_of_parameter(&d.node, base, d.span)?,
            None => (None, base),
        };
        Ok((name, decayed(ty)))
    }

    /// The size of an array does not matter in a parameter, so it need not be constant.
    fn declarator_of_parameter(
        &mut self,
        declarator: &ast::Declarator,
        base: CType,
        span: Span,
    ) -> Lowered<(Option<String>, CType)> {
        if let Some(Node { node: DerivedDeclarator::Array(_), .. }) = declarator.derived.last()
            && declarator
                .derived
                .iter()
                .filter(|d| matches!(d.node, DerivedDeclarator::Array(_)))
                .count()
                == 1
        {
            let mut without = declarator.clone();
            without.derived.pop();
            let (name, ty) = self.declarator(&without, base, span)?;
            return Ok((name, CType::pointer(ty)));
        }
        self.declarator(declarator, base, span)
    }

    pub(super) fn static_assert(&mut self, assertion: &ast::StaticAssert) -> Lowered<()> {
        match self.constant_value(&assertion.expression)? {
            0 => self.wrong(assertion.expression.span, "this static assertion fails"),
            _ => Ok(()),
        }
    }

    /// A declaration, of the file or of a block.
    pub(super) fn declaration(
        &mut self,
        declaration: &ast::Declaration,
        span: Span,
    ) -> Lowered<()> {
        let Specified { ty: base, storage } = self.specifiers(&declaration.specifiers, span)?;
        for declarator in &declaration.declarators {
            let at = declarator.span;
            let d = &declarator.node.declarator;
            let initializer = declarator.node.initializer.as_ref();
            let (name, ty) = self.declarator(&d.node, base.clone(), d.span)?;
            let Some(name) = name else { continue };
            if storage == Some(StorageClassSpecifier::Typedef) {
                self.bind(&name, Symbol::Typedef(ty));
                continue;
            }
            if let CType::Func(function) = &ty {
                // A declaration in a block is of the whole file, too.
                let symbol = Symbol::Function(Rc::clone(function));
                self.scopes[0].names.insert(name.clone(), symbol.clone());
                if self.scopes.len() > 1 {
                    self.bind(&name, symbol);
                }
                continue;
            }
            let external = storage == Some(StorageClassSpecifier::Extern);
            if self.function.is_none() || external {
                self.global(&name, ty, initializer, external, at)?;
            } else if storage == Some(StorageClassSpecifier::Static) {
                self.static_local(&name, ty, initializer, at)?;
            } else {
                self.local(&name, ty, initializer, at)?;
            }
        }
        Ok(())
    }

    fn global(
        &mut self,
        name: &str,
        ty: CType,
        initializer: Option<&Node<ast::Initializer>>,
        external: bool,
        span: Span,
    ) -> Lowered<()> {
        let known = match self.scopes[0].names.get(name) {
            Some(Symbol::Global(id, known)) => Some((*id, known.clone())),
            _ => None,
        };
        let ty = self.completed(ty, initializer)?;
        let ty = match (&ty, &known) {
            // The size is known from another declaration.
            (CType::Array(_, None), Some((_, known))) => known.clone(),
            (CType::Array(element, None), None) if !external => {
                CType::Array(Rc::clone(element), Some(1))
            }
            _ => ty,
        };
        let id = match known {
            Some((id, _)) => id,
            None => self.new_global(name.to_owned(), &ty, span),
        };
        let symbol = Symbol::Global(id, ty.clone());
        self.scopes[0].names.insert(name.to_owned(), symbol.clone());
        if self.scopes.len() > 1 {
            self.bind(name, symbol);
        }
        let heap_type = self.heap_type(&ty);
        self.program.globals[id.index()].ty = heap_type;
        if external && initializer.is_none() {
            if known.is_none() {
                self.undefined.insert(id);
            }
            return Ok(());
        }
        self.size_of(&ty, span)?;
        self.undefined.remove(&id);
        if let Some(initializer) = initializer {
            let init = self.constant_initializer(&ty, initializer)?;
            self.program.globals[id.index()].init = init;
        }
        Ok(())
    }

    fn static_local(
        &mut self,
        name: &str,
        ty: CType,
        initializer: Option<&Node<ast::Initializer>>,
        span: Span,
    ) -> Lowered<()> {
        let ty = self.completed(ty, initializer)?;
        self.size_of(&ty, span)?;
        let function = self.function.as_ref().map_or("", |f| &f.name);
        let full = format!("{function}.{name}");
        let full = match self.program.globals.iter().filter(|g| g.name.starts_with(&full)).count() {
            0 => full,
            n => format!("{full}.{n}"),
        };
        let id = self.new_global(full, &ty, span);
        self.bind(name, Symbol::Global(id, ty.clone()));
        if let Some(initializer) = initializer {
            let init = self.constant_initializer(&ty, initializer)?;
            self.program.globals[id.index()].init = init;
        }
        Ok(())
    }

    pub(super) fn new_global(&mut self, name: String, ty: &CType, span: Span) -> GlobalId {
        let (ty, pos) = (self.heap_type(ty), self.pos(span));
        let name = if heap::text::is_keyword(&name) { format!("{name}.1") } else { name };
        let (init, constant, zeroed) = (Vec::new(), false, true);
        self.program.globals.push(Global { name, ty, init, constant, zeroed, pos });
        GlobalId((self.program.globals.len() - 1) as u32)
    }

    fn local(
        &mut self,
        name: &str,
        ty: CType,
        initializer: Option<&Node<ast::Initializer>>,
        span: Span,
    ) -> Lowered<()> {
        let ty = self.completed(ty, initializer)?;
        self.size_of(&ty, span)?;
        let pos = self.pos(span);
        let heap_type = self.heap_type(&ty);
        let Some(function) = &mut self.function else { return Ok(()) };
        if ty.is_scalar() && !function.addressed.contains(name) {
            let var = function.variable(name, &ty);
            function.live.vars.push(var);
            self.bind(name, Symbol::Var(var, ty.clone()));
            match initializer {
                Some(initializer) => {
                    let value = self.scalar_initializer(&ty, initializer)?;
                    self.emit(Command::Assign(var, value), pos);
                }
                None => self.emit(Command::Forget(var), pos),
            }
            return Ok(());
        }
        let object = function.object(name, heap_type);
        function.live.objects.push(object);
        self.emit(Command::Enter(object), pos);
        self.bind(name, Symbol::Object(object, ty.clone()));
        match initializer {
            Some(initializer) => self.initialize(&Expr::Object(object), &ty, initializer),
            None => Ok(()),
        }
    }

    pub(super) fn function_definition(
        &mut self,
        definition: &ast::FunctionDefinition,
        span: Span,
    ) -> Lowered<()> {
        let Specified { ty: base, .. } =
            self.specifiers(&definition.specifiers, definition.declarator.span)?;
        let declarator = &definition.declarator.node;
        let (name, ty) = self.declarator(declarator, base, definition.declarator.span)?;
        let (Some(name), CType::Func(function)) = (name, ty) else {
            return self.wrong(span, "this is no function");
        };
        if self.wanted.as_ref().is_some_and(|wanted| !wanted.contains(&name)) {
            return Ok(());
        }
        let mut params = self.parameter_names(declarator)?;
        let function = self.old_style(&function, &mut params, &definition.declarations)?;
        let pos = self.pos(definition.declarator.span);
        let id = self.procedure(&name, &function, pos);
        if self.program.proc(id).body.is_some() {
            return self.wrong(definition.declarator.span, format!("`{name}` is defined twice"));
        }
        self.program.procs[id.index()].pos = pos;
        self.scopes[0].names.insert(name.clone(), Symbol::Function(Rc::clone(&function)));

        let mut addressed = HashSet::new();
        addressed_in(&definition.statement.node, &mut addressed);
        let mut body = Function::new(id, &name, function.result.clone(), addressed);
        if !function.result.is_scalar() && function.result != CType::Void {
            body.vars.push(super::build::hidden_result());
        }
        self.scopes.push(super::Scope::default());
        let mut copied = Vec::new();
        for (i, ty) in function.params.iter().enumerate() {
            let param = params.get(i).cloned().flatten().unwrap_or_else(|| format!("p{i}"));
            let var = body.variable(&param, ty);
            copied.push((param, var, ty.clone()));
        }
        let count = body.vars.len() as u32;
        body.result = function.result.is_scalar().then(|| body.temporary(&function.result));
        if let Some(result) = body.result {
            body.vars[result.index()].name = "$value".into();
        }
        self.function = Some(body);
        for (param, var, ty) in copied {
            self.bind_parameter(&param, var, ty, definition.declarator.span);
        }
        let _ = self.statement(&definition.statement);
        self.finish_function(definition.statement.span);
        self.scopes.pop();
        if let Some(body) = self.function.take() {
            let proc = &mut self.program.procs[id.index()];
            proc.body = Some(body.body());
            (proc.vars, proc.objects, proc.params, proc.result) =
                (body.vars, body.objects, count, body.result);
        }
        Ok(())
    }

    /// A parameter is a variable, or an object that starts with its value.
    fn bind_parameter(&mut self, name: &str, var: heap::VarId, ty: CType, span: Span) {
        let pos = self.pos(span);
        let heap_type = self.heap_type(&ty);
        let Some(function) = &mut self.function else { return };
        if ty.is_scalar() && !function.addressed.contains(name) {
            return self.bind(name, Symbol::Var(var, ty));
        }
        function.vars[var.index()].temporary = true;
        let object = function.object(name, heap_type);
        self.emit(Command::Enter(object), pos);
        let to = Expr::Object(object);
        if ty.is_scalar() {
            self.emit(Command::Store { at: to, value: Expr::Var(var), ty: ty.scalar() }, pos);
        } else {
            let size = self.layout().size(&ty).unwrap_or(0);
            let (from, size) = (Expr::Var(var), Expr::Int(size.into()));
            self.emit(Command::Copy { to, from, size, may_overlap: false }, pos);
        }
        self.bind(name, Symbol::Object(object, ty));
    }

    fn parameter_names(&mut self, declarator: &ast::Declarator) -> Lowered<Vec<Option<String>>> {
        for derived in &declarator.derived {
            match &derived.node {
                DerivedDeclarator::Function(function) => {
                    let mut names = Vec::new();
                    for parameter in &function.node.parameters {
                        names.push(self.parameter(&parameter.node, parameter.span)?.0);
                    }
                    return Ok(names);
                }
                DerivedDeclarator::KRFunction(names) => {
                    return Ok(names.iter().map(|n| Some(n.node.name.clone())).collect());
                }
                _ => {}
            }
        }
        match &declarator.kind.node {
            DeclaratorKind::Declarator(inner) => self.parameter_names(&inner.node),
            _ => Ok(Vec::new()),
        }
    }

    /// Parameters that are declared after the list of their names.
    fn old_style(
        &mut self,
        function: &Rc<FuncType>,
        params: &mut [Option<String>],
        declarations: &[Node<ast::Declaration>],
    ) -> Lowered<Rc<FuncType>> {
        if declarations.is_empty() {
            return Ok(Rc::clone(function));
        }
        let mut ty = (**function).clone();
        for declaration in declarations {
            let base = self.specifiers(&declaration.node.specifiers, declaration.span)?.ty;
            for d in &declaration.node.declarators {
                let d = &d.node.declarator;
                let (name, of) = self.declarator_of_parameter(&d.node, base.clone(), d.span)?;
                let place = params.iter().position(|p| *p == name);
                if let Some(param) = place.and_then(|i| ty.params.get_mut(i)) {
                    *param = decayed(of);
                }
            }
        }
        Ok(Rc::new(ty))
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

/// Names whose address is taken.
fn addressed_in(statement: &ast::Statement, names: &mut HashSet<String>) {
    use lang_c::visit::Visit;
    struct Search<'n>(&'n mut HashSet<String>);
    impl<'ast> Visit<'ast> for Search<'_> {
        fn visit_unary_operator_expression(
            &mut self,
            e: &'ast ast::UnaryOperatorExpression,
            span: &'ast Span,
        ) {
            if e.operator.node == ast::UnaryOperator::Address
                && let ast::Expression::Identifier(name) = &e.operand.node
            {
                self.0.insert(name.node.name.clone());
            }
            lang_c::visit::visit_unary_operator_expression(self, e, span);
        }
    }
    Search(names).visit_statement(statement, &Span::none());
}
