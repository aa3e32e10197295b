//! Statements, jumps, and the lives of local objects.

use heap::{Command, Comparison, Expr, LocId, Out};
use lang_c::ast::{self, BlockItem, Expression, ForInitializer, Label, Statement};
use lang_c::span::{Node, Span};

use super::build::Switch;
use super::expr::Value;
use super::{Lowered, Lowering, Scope};
use crate::ctype::CType;

impl Lowering<'_> {
    pub(super) fn statement(&mut self, statement: &Node<Statement>) -> Lowered<()> {
        let pos = self.pos(statement.span);
        match &statement.node {
            Statement::Compound(items) => {
                self.block(items, statement.span);
                Ok(())
            }
            Statement::Expression(None) => Ok(()),
            Statement::Expression(Some(e)) => self.effect(e),
            Statement::If(s) => {
                let (then, otherwise, end) = (self.location(), self.location(), self.location());
                self.condition(&s.node.condition, then, otherwise)?;
                self.go_on_at(then);
                let _ = self.statement(&s.node.then_statement);
                self.jump(end, pos);
                self.go_on_at(otherwise);
                if let Some(s) = &s.node.else_statement {
                    let _ = self.statement(s);
                }
                self.jump(end, pos);
                self.go_on_at(end);
                Ok(())
            }
            Statement::While(s) => {
                let (head, body, end) = (self.location(), self.location(), self.location());
                self.jump(head, pos);
                self.go_on_at(head);
                self.condition(&s.node.expression, body, end)?;
                self.loop_body(body, head, end, &s.node.statement);
                self.jump(head, pos);
                self.go_on_at(end);
                Ok(())
            }
            Statement::DoWhile(s) => {
                let (body, test, end) = (self.location(), self.location(), self.location());
                self.jump(body, pos);
                self.loop_body(body, test, end, &s.node.statement);
                self.jump(test, pos);
                self.go_on_at(test);
                self.condition(&s.node.expression, body, end)?;
                self.go_on_at(end);
                Ok(())
            }
            Statement::For(s) => self.for_loop(&s.node, statement.span),
            Statement::Switch(s) => self.switch(&s.node, statement.span),
            Statement::Labeled(s) => self.labeled(&s.node, statement.span),
            Statement::Goto(label) => {
                if let Some(function) = &mut self.function {
                    let (from, live) = (function.here(), function.live.clone());
                    function.gotos.push((from, label.node.name.clone(), live, statement.span));
                    let next = function.location();
                    function.go_on_at(next);
                }
                Ok(())
            }
            Statement::Break | Statement::Continue => {
                let Some(function) = &mut self.function else { return Ok(()) };
                let target = match statement.node {
                    Statement::Break => function.breaks.last().copied(),
                    _ => function.continues.last().copied(),
                };
                match target {
                    Some((to, marks)) => {
                        function.leave_to(marks, pos);
                        function.jump(to, pos);
                        Ok(())
                    }
                    None => self.wrong(statement.span, "this is not in a loop"),
                }
            }
            Statement::Return(value) => self.return_(value.as_deref(), statement.span),
            Statement::Asm(_) => self.unsupported(statement.span, "assembly"),
        }
    }

    /// Evaluates an expression for what it does.
    fn effect(&mut self, e: &Node<Expression>) -> Lowered<()> {
        let value = self.rvalue(e)?;
        let pos = self.pos(e.span);
        // What was assigned or stored was computed for that.
        if !is_assignment(e) {
            self.discard(&value, pos);
        }
        Ok(())
    }

    fn loop_body(&mut self, body: LocId, next: LocId, end: LocId, statement: &Node<Statement>) {
        if let Some(function) = &mut self.function {
            function.go_on_at(body);
            let marks = function.marks();
            function.breaks.push((end, marks));
            function.continues.push((next, marks));
        }
        let _ = self.statement(statement);
        if let Some(function) = &mut self.function {
            function.breaks.pop();
            function.continues.pop();
        }
    }

    fn for_loop(&mut self, s: &ast::ForStatement, span: Span) -> Lowered<()> {
        let pos = self.pos(span);
        self.scopes.push(Scope::default());
        let marks = self.function.as_ref().map(super::build::Function::marks);
        let mut run = || -> Lowered<()> {
            match &s.initializer.node {
                ForInitializer::Empty => {}
                ForInitializer::Expression(e) => self.effect(e)?,
                ForInitializer::Declaration(d) => self.declaration(&d.node, d.span)?,
                ForInitializer::StaticAssert(a) => self.static_assert(&a.node)?,
            }
            let (head, body, step, end) =
                (self.location(), self.location(), self.location(), self.location());
            self.jump(head, pos);
            self.go_on_at(head);
            match &s.condition {
                Some(condition) => self.condition(condition, body, end)?,
                None => self.jump(body, pos),
            }
            self.loop_body(body, step, end, &s.statement);
            self.jump(step, pos);
            self.go_on_at(step);
            if let Some(e) = &s.step {
                self.effect(e)?;
            }
            self.jump(head, pos);
            self.go_on_at(end);
            Ok(())
        };
        let result = run();
        self.scopes.pop();
        if let (Some(marks), Some(function)) = (marks, &mut self.function) {
            function.leave_to(marks, pos);
            function.truncate_live(marks);
        }
        result
    }

    /// A block: what is declared in it is gone at its end.
    fn block(&mut self, items: &[Node<BlockItem>], span: Span) {
        self.scopes.push(Scope::default());
        let marks = self.function.as_ref().map(super::build::Function::marks);
        for item in items {
            self.block_item(item);
        }
        self.scopes.pop();
        let end = self.pos(Span::span(span.end.saturating_sub(1), span.end));
        if let (Some(marks), Some(function)) = (marks, &mut self.function) {
            function.leave_to(marks, end);
            function.truncate_live(marks);
        }
    }

    fn block_item(&mut self, item: &Node<BlockItem>) {
        // Errors are reported, and the next statement may have others.
        let _ = match &item.node {
            BlockItem::Declaration(d) => self.declaration(&d.node, d.span),
            BlockItem::StaticAssert(a) => self.static_assert(&a.node),
            BlockItem::Statement(s) => self.statement(s),
        };
    }

    /// The value of a statement in parentheses: that of its last expression.
    pub(super) fn statement_value(&mut self, statement: &Node<Statement>) -> Lowered<Value> {
        if self.function.is_none() {
            return self.wrong(statement.span, "this is not constant");
        }
        let Statement::Compound(items) = &statement.node else {
            self.statement(statement)?;
            return Ok(Value::new(Expr::Int(0), CType::Void));
        };
        let pos = self.pos(statement.span);
        self.scopes.push(Scope::default());
        let marks = self.function.as_ref().map(super::build::Function::marks);
        let mut value = Ok(Value::new(Expr::Int(0), CType::Void));
        for (i, item) in items.iter().enumerate() {
            match &item.node {
                BlockItem::Statement(last) if i + 1 == items.len() => {
                    value = self.last_value(last);
                }
                _ => self.block_item(item),
            }
        }
        self.scopes.pop();
        // The value outlives the variables of the block.
        if let Ok(v) = &mut value
            && v.ty.is_scalar()
        {
            let kept = self.temporary(&v.ty);
            self.emit(Command::Assign(kept, v.expr.clone()), pos);
            v.expr = Expr::Var(kept);
        }
        let record = matches!(&value, Ok(v) if matches!(v.ty, CType::Record(_)));
        if let (Some(marks), Some(function)) = (marks, &mut self.function) {
            // A record that is the value stays until the block around ends.
            if !record {
                function.leave_to(marks, pos);
                function.truncate_live(marks);
            }
        }
        value
    }

    fn last_value(&mut self, statement: &Node<Statement>) -> Lowered<Value> {
        match &statement.node {
            Statement::Expression(Some(e)) => self.rvalue(e),
            Statement::Labeled(s) => {
                self.label(&s.node, statement.span)?;
                self.last_value(&s.node.statement)
            }
            _ => self.statement(statement).map(|()| Value::void()),
        }
    }

    fn return_(&mut self, value: Option<&Node<Expression>>, span: Span) -> Lowered<()> {
        let pos = self.pos(span);
        let Some((result, ty, exit)) =
            self.function.as_ref().map(|f| (f.result, f.result_ty.clone(), f.exit))
        else {
            return Ok(());
        };
        if let Some(e) = value {
            let v = self.rvalue(e)?;
            match (result, &ty) {
                (Some(result), _) => {
                    let v = self.converted(v, &ty, e.span)?;
                    self.emit(Command::Assign(result, v), pos);
                }
                (None, CType::Record(_)) => {
                    let size = self.size_of(&ty, span)?;
                    self.copy_record(Expr::Var(heap::VarId(0)), v, &ty, size, span)?;
                }
                _ => {}
            }
        }
        // What is local is gone with the procedure.
        self.jump(exit, pos);
        Ok(())
    }

    fn labeled(&mut self, s: &ast::LabeledStatement, span: Span) -> Lowered<()> {
        self.label(s, span)?;
        self.statement(&s.statement)
    }

    fn label(&mut self, s: &ast::LabeledStatement, span: Span) -> Lowered<()> {
        let pos = self.pos(span);
        let here = self.location();
        self.jump(here, pos);
        self.go_on_at(here);
        match &s.label.node {
            Label::Identifier(name) => {
                let Some(function) = &mut self.function else { return Ok(()) };
                let live = function.live.clone();
                if function.labels.insert(name.node.name.clone(), (here, live)).is_some() {
                    return self.wrong(
                        name.span,
                        format!("the label `{}` is there twice", name.node.name),
                    );
                }
            }
            Label::Case(e) => {
                let n = self.constant_value(e)?;
                self.case(n, n, here, s.label.span)?;
            }
            Label::CaseRange(range) => {
                let low = self.constant_value(&range.node.low)?;
                let high = self.constant_value(&range.node.high)?;
                self.case(low, high, here, s.label.span)?;
            }
            Label::Default => {
                let function = self.function.as_mut();
                let live = function.as_ref().map(|f| f.live.clone()).unwrap_or_default();
                match function.and_then(|f| f.switches.last_mut()) {
                    Some(switch) => switch.default = Some((here, live)),
                    None => return self.wrong(s.label.span, "this is not in a `switch`"),
                }
            }
        }
        Ok(())
    }

    fn case(&mut self, low: i128, high: i128, at: LocId, span: Span) -> Lowered<()> {
        let function = self.function.as_mut();
        let live = function.as_ref().map(|f| f.live.clone()).unwrap_or_default();
        match function.and_then(|f| f.switches.last_mut()) {
            Some(switch) => {
                switch.cases.push((low, high, at, live));
                Ok(())
            }
            None => self.wrong(span, "this is not in a `switch`"),
        }
    }

    fn switch(&mut self, s: &ast::SwitchStatement, span: Span) -> Lowered<()> {
        let pos = self.pos(span);
        let value = self.rvalue(&s.expression)?;
        let Some(_) = value.ty.int_type() else {
            return self.wrong(s.expression.span, "this is no integer");
        };
        let ty = value.ty.promoted();
        let value = self.converted(value, &ty, s.expression.span)?;
        let chosen = self.temporary(&ty);
        self.emit(Command::Assign(chosen, value), pos);
        let end = self.location();
        let Some(function) = &mut self.function else { return Ok(()) };
        let head = function.here();
        let outer = function.live.clone();
        let marks = function.marks();
        function.breaks.push((end, marks));
        function.switches.push(Switch { cases: Vec::new(), default: None });
        let body = function.location();
        function.go_on_at(body);
        let _ = self.statement(&s.statement);
        self.jump(end, pos);
        let Some(function) = &mut self.function else { return Ok(()) };
        function.breaks.pop();
        let Some(Switch { cases, default }) = function.switches.pop() else { return Ok(()) };
        function.go_on_at(head);
        let int = ty.int_type().unwrap_or(crate::ctype::INT);
        for (low, high, to, live) in cases {
            let (low, high) = (int.wrap(low), int.wrap(high));
            let (taken, next) = (function.location(), function.location());
            let is = |op, a, b| Expr::compare(op, a, b);
            let cond = if low == high {
                is(Comparison::Eq, Expr::Var(chosen), Expr::Int(low))
            } else {
                let above = is(Comparison::Le, Expr::Int(low), Expr::Var(chosen));
                let below = is(Comparison::Le, Expr::Var(chosen), Expr::Int(high));
                Expr::binary(heap::BinOp::And, above, below)
            };
            function.branch(cond, taken, next, pos);
            function.go_on_at(taken);
            function.adjust(&outer, &live, pos);
            function.jump(to, pos);
            function.go_on_at(next);
        }
        match default {
            Some((to, live)) => {
                function.adjust(&outer, &live, pos);
                function.jump(to, pos);
            }
            None => function.jump(end, pos),
        }
        function.go_on_at(end);
        Ok(())
    }

    /// The end of the body: jumps find their labels.
    pub(super) fn finish_function(&mut self, span: Span) {
        let Some(function) = &mut self.function else { return };
        let end = function.exit;
        let (gotos, labels) =
            (std::mem::take(&mut function.gotos), std::mem::take(&mut function.labels));
        let pos = self.pos(Span::span(span.end.saturating_sub(1), span.end));
        // `main` returns zero at its end.
        let is_main = self.function.as_ref().is_some_and(|f| f.name == "main");
        let result = self.function.as_ref().and_then(|f| f.result);
        if let (true, Some(result)) = (is_main, result) {
            self.emit(Command::Assign(result, Expr::Int(0)), pos);
        }
        self.jump(end, pos);
        for (from, label, live, span) in gotos {
            let pos = self.pos(span);
            match (labels.get(&label), &mut self.function) {
                (Some((to, target)), Some(function)) => {
                    function.go_on_at(from);
                    function.set(from, Out::Choose(Vec::new()), pos);
                    function.adjust(&live, target, pos);
                    function.jump(*to, pos);
                }
                _ => {
                    let _ = self.wrong::<()>(span, format!("there is no label `{label}`"));
                }
            }
        }
    }
}

fn is_assignment(e: &Node<Expression>) -> bool {
    use ast::UnaryOperator as Unary;
    match &e.node {
        Expression::BinaryOperator(binary) => {
            let operator = &binary.node.operator.node;
            *operator == ast::BinaryOperator::Assign || super::expr::compound(operator).is_some()
        }
        Expression::UnaryOperator(unary) => !matches!(
            unary.node.operator.node,
            Unary::Plus | Unary::Minus | Unary::Complement | Unary::Negate
        ),
        _ => false,
    }
}
