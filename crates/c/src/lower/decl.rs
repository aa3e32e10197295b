//! Declarations: globals, variables, functions.

use std::collections::HashSet;
use std::rc::Rc;

use heap::{Command, Expr, Global, GlobalId};
use lang_c::ast::{self, DeclaratorKind, DerivedDeclarator, StorageClassSpecifier};
use lang_c::span::{Node, Span};

use super::build::Function;
use super::init::Init;
use super::types::Specified;
use super::{Failed, Lowered, Lowering, Symbol};
use crate::ctype::{CType, FuncType};

impl Lowering<'_> {
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
        let specified = self.specifiers(&declaration.specifiers, span);
        let mut result = Ok(());
        for declarator in &declaration.declarators {
            let declared = match &specified {
                Ok(specified) => self.declared(specified, declarator),
                Err(Failed) => Err(Failed),
            };
            if declared.is_err() {
                // What is wrong with it was said: not everywhere it is used.
                if let Some(name) = declared_name(&declarator.node.declarator.node) {
                    self.bind(name, Symbol::Failed);
                }
                result = Err(Failed);
            }
        }
        result.and(specified.map(|_| ()))
    }

    fn declared(
        &mut self,
        specified: &Specified,
        declarator: &Node<ast::InitDeclarator>,
    ) -> Lowered<()> {
        let at = declarator.span;
        let d = &declarator.node.declarator;
        let initializer = declarator.node.initializer.as_ref().map(Init::new);
        let (name, ty) = self.declarator(&d.node, specified.ty.clone(), d.span)?;
        let ty = self.attributes(&d.node.extensions)?.mode(ty);
        let (Some(name), storage) = (name, &specified.storage) else { return Ok(()) };
        {
            if *storage == Some(StorageClassSpecifier::Typedef) {
                self.bind(&name, Symbol::Typedef(ty));
                return Ok(());
            }
            if let CType::Func(function) = &ty {
                // A declaration in a block is of the whole file, too.
                let symbol = Symbol::Function(Rc::clone(function));
                self.scopes[0].names.insert(name.clone(), symbol.clone());
                if self.scopes.len() > 1 {
                    self.bind(&name, symbol);
                }
                return Ok(());
            }
            let external = *storage == Some(StorageClassSpecifier::Extern);
            if self.function.is_none() || external {
                self.global(&name, ty, initializer, external, at)?;
            } else if *storage == Some(StorageClassSpecifier::Static) {
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
        initializer: Option<Init<'_>>,
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
        initializer: Option<Init<'_>>,
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
        initializer: Option<Init<'_>>,
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
        let declared = self.declarator(declarator, base, definition.declarator.span);
        let (name, ty) = match (declared, declared_name(declarator)) {
            (Ok(declared), _) => declared,
            (Err(Failed), name) => {
                if let Some(name) = name {
                    self.bind(name, Symbol::Failed);
                }
                return Err(Failed);
            }
        };
        self.attributes(&declarator.extensions)?;
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
        if function.variadic {
            body.rest = Some(heap::VarId(body.vars.len() as u32));
            body.vars.push(super::build::hidden_rest());
        }
        let count = body.vars.len() as u32;
        body.result = function.result.is_scalar().then(|| body.temporary(&function.result));
        if let Some(result) = body.result {
            body.vars[result.index()].name = "$value".into();
        }
        self.function = Some(body);
        if let ("main", [(count, first, CType::Int(_)), rest @ ..]) = (&*name, copied.as_slice()) {
            let list = rest.first().filter(|(_, _, ty)| ty.is_pointer());
            let named = |name: &String| mentions(&definition.statement.node, name);
            if named(count) || list.is_some_and(|(list, ..)| named(list)) {
                self.program_arguments(*first, list.map(|(_, var, _)| *var), pos);
            }
        }
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
                    *param = of;
                }
            }
        }
        Ok(Rc::new(ty))
    }
}

/// The name that is declared.
pub(super) fn declared_name(declarator: &ast::Declarator) -> Option<&str> {
    match &declarator.kind.node {
        DeclaratorKind::Abstract => None,
        DeclaratorKind::Identifier(name) => Some(&name.node.name),
        DeclaratorKind::Declarator(inner) => declared_name(&inner.node),
    }
}

/// Does a name occur in a statement?
fn mentions(statement: &ast::Statement, name: &str) -> bool {
    use lang_c::visit::Visit;
    struct Search<'n>(&'n str, bool);
    impl<'ast> Visit<'ast> for Search<'_> {
        fn visit_identifier(&mut self, identifier: &'ast ast::Identifier, _: &'ast Span) {
            self.1 |= identifier.name == self.0;
        }
    }
    let mut search = Search(name, false);
    search.visit_statement(statement, &Span::none());
    search.1
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
