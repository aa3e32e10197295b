//! Statements as guarded commands over variables.

use std::collections::{BTreeMap, BTreeSet};

use report::Span;
use smt::Term;
use spl::core::{
    BinOp, Expr, ExprKind, Ghost, LocalId, Mods, Name, Procedure, Program, Quantifier, Stmt,
    StmtKind, Target, Type, UnOp,
};

use crate::assertion::Alternative;
use crate::effects::Effects;
use crate::scope::Scope;
use crate::translate::{Env, Heap, HeapVar, Result, Translator, unsupported};
use crate::unit::State;
use crate::wp::contract::Owned;
use crate::wp::{Command, Given};

/// A procedure that becomes guarded commands.
pub(crate) struct Lowering<'p> {
    pub program: &'p Program,
    pub translator: Translator<'p>,
    pub effects: &'p BTreeMap<Name, Effects>,
    pub procedure: &'p Procedure,
    lemmas: Vec<&'p Procedure>,
    /// Reference types in play.
    pub types: BTreeSet<Type>,
    /// All that can change: each is a constant that stands for a variable.
    pub vars: State,
    /// Parameters in the beginning.
    pub initial: BTreeMap<LocalId, Term>,
    /// What `old` is about.
    pub old: Heap,
    /// Types of variables that no user wrote, after all others.
    extra: Vec<Type>,
    /// Triples `{P} C {Q}`, as commands that assume `P` and assert `Q`.
    pub triples: Vec<Command>,
}

impl<'p> Lowering<'p> {
    pub fn new(given: Given<'p>) -> Lowering<'p> {
        let Given { program, procedure, effects, definitions, lemmas } = given;
        let types = effects.get(&procedure.name).map(|e| e.types.clone()).unwrap_or_default();
        let mut translator = Translator::new(program, definitions);
        translator.scope = Some(Scope::new(program, definitions, procedure, false));
        let mut lowering = Lowering {
            program,
            translator,
            effects,
            procedure,
            lemmas,
            types,
            vars: State::default(),
            initial: BTreeMap::new(),
            old: Heap::default(),
            extra: Vec::new(),
            triples: Vec::new(),
        };
        lowering.vars = lowering.make_state(|l, _, ty| l.variable(ty));
        lowering
    }

    pub fn span(&self) -> Span {
        self.procedure.span
    }

    /// All triples of the procedure.
    pub fn triples(&mut self) -> Result<Vec<Command>> {
        let Some(body) = &self.procedure.body else { return Ok(Vec::new()) };
        let start = self.any_state();
        let params = self.procedure.params.iter();
        self.initial =
            params.filter_map(|p| Some((p.local, *start.locals.get(&p.local)?))).collect();
        self.old = start.heap.clone();
        let mut code = self.beginning(&start)?;
        let env = Env { locals: start.locals.clone(), heap: &start.heap, old: &start.heap };
        let alternatives = self.translator.clauses(&env, &self.procedure.requires)?;
        let known = self.known(&alternatives, Some(&start.footprint));
        code.push(Command::Assume(known));
        self.become_state(&mut code, &start);
        self.lower(&mut code, body)?;
        code.extend(self.postcondition()?);
        self.triples.push(Command::Seq(code));
        Ok(std::mem::take(&mut self.triples))
    }

    // --- Variables and states

    /// A constant of which nothing is told.
    fn variable(&mut self, ty: &Type) -> Term {
        let sort = self.translator.logic.sort(ty);
        self.translator.logic.terms.fresh("var", sort)
    }

    pub fn variables(&self) -> impl Iterator<Item = Term> {
        let State { locals, heap, alloc, footprint } = &self.vars;
        let all = locals.values().chain(heap.values.values());
        all.chain(alloc.values()).chain(footprint.values()).copied()
    }

    /// Any value of a type.
    pub fn any(&mut self, ty: &Type) -> Term {
        match ty {
            Type::Map(key, value) => self.translator.logic.base_map("any", key, value),
            _ => self.translator.logic.fresh("any", ty),
        }
    }

    pub fn any_state(&mut self) -> State {
        self.make_state(|l, var, ty| match var {
            Some(var) => l.translator.fresh_part(var),
            None => l.any(ty),
        })
    }

    fn make_state(&mut self, make: fn(&mut Self, Option<&HeapVar>, &Type) -> Term) -> State {
        let mut state = State::default();
        let locals = self.procedure.locals.len() + self.extra.len();
        for local in (0..locals).map(|n| LocalId(n as u32)) {
            let value = make(self, None, &self.local_type(local));
            state.locals.insert(local, value);
        }
        for var in crate::effects::heap_vars(self.program) {
            let value = make(self, Some(&var), &self.translator.heap_type(&var));
            state.heap.values.insert(var, value);
        }
        for ty in self.types.clone() {
            let set = Type::Set(ty.clone().into());
            let sets = [make(self, None, &set), make(self, None, &set)];
            state.alloc.insert(ty.clone(), sets[0]);
            state.footprint.insert(ty, sets[1]);
        }
        state
    }

    /// All variables get the values of a state.
    pub fn become_state(&mut self, code: &mut Vec<Command>, state: &State) {
        let mut all = Vec::new();
        let mut assign = |var: Option<&Term>, value: &Term| {
            all.extend(var.filter(|var| *var != value).map(|var| (*var, *value)));
        };
        let State { locals, heap, alloc, footprint } = &self.vars;
        state.locals.iter().for_each(|(local, v)| assign(locals.get(local), v));
        state.heap.values.iter().for_each(|(var, v)| assign(heap.values.get(var), v));
        state.alloc.iter().for_each(|(ty, v)| assign(alloc.get(ty), v));
        state.footprint.iter().for_each(|(ty, v)| assign(footprint.get(ty), v));
        code.push(Command::Assign(all));
    }

    pub fn local_type(&self, local: LocalId) -> Type {
        let number = local.0 as usize;
        let own = self.procedure.locals.len();
        match self.procedure.locals.get(number) {
            Some(local) => local.ty.clone(),
            None => self.extra.get(number - own).cloned().unwrap_or(Type::Int),
        }
    }

    pub fn new_local(&mut self, ty: Type) -> LocalId {
        let local = LocalId((self.procedure.locals.len() + self.extra.len()) as u32);
        let var = self.variable(&ty);
        self.vars.locals.insert(local, var);
        self.extra.push(ty);
        local
    }

    pub fn assign_local(&self, local: LocalId, value: Term) -> Command {
        Command::Assign(self.vars.locals.get(&local).map(|var| (*var, value)).into_iter().collect())
    }

    /// What is known wherever code starts: axioms, lemmas, what is allocated, ghost links.
    pub fn beginning(&mut self, start: &State) -> Result<Vec<Command>> {
        let heap = &start.heap;
        let mut facts = Vec::new();
        for axiom in &self.program.axioms {
            let env = Env { locals: BTreeMap::new(), heap, old: heap };
            facts.push(self.translator.term(&env, &axiom.expr)?);
        }
        for lemma in self.lemmas.clone() {
            facts.push(self.lemma(lemma, heap)?);
        }
        for ty in self.types.clone() {
            let (Some(alloc), Some(owned)) = (start.alloc.get(&ty), start.footprint.get(&ty))
            else {
                continue;
            };
            let logic = &mut self.translator.logic;
            facts.push(logic.subset(&ty, *owned, *alloc));
            let null = logic.null(&ty);
            for set in [*alloc, *owned] {
                let is_in = logic.member(&ty, null, set);
                facts.push(logic.terms.not(is_in));
            }
        }
        facts.extend(self.forests(start, None));
        Ok(facts.into_iter().map(Command::Assume).collect())
    }

    /// An automatic lemma is an axiom: for all parameters, what it requires implies what it ensures.
    fn lemma(&mut self, lemma: &Procedure, heap: &Heap) -> Result<Term> {
        let mut vars = Vec::new();
        let mut locals = BTreeMap::new();
        for param in &lemma.params {
            let declared = lemma.locals.get(param.local.0 as usize);
            let ty = declared.map_or(Type::Int, |l| l.ty.clone());
            let (bound, term) = self.translator.logic.bound("param", &ty);
            vars.push((bound, term, ty));
            locals.insert(param.local, term);
        }
        let env = Env { locals, heap, old: heap };
        let mut sides = [Vec::new(), Vec::new()];
        for (side, clauses) in sides.iter_mut().zip([&lemma.requires, &lemma.ensures]) {
            for clause in clauses {
                side.push(self.translator.term(&env, &clause.expr)?);
            }
        }
        let [before, after] = sides.map(|all| self.translator.logic.terms.and(all));
        let body = self.translator.logic.terms.implies(before, after);
        Ok(self.translator.quantified(Quantifier::Forall, &vars, body))
    }

    // --- Ghost links, which are forests between procedures

    pub fn links(&self) -> Vec<(Name, Type)> {
        let fields = self.program.fields.iter();
        let links = fields.filter(|(_, field)| {
            field.ghost
                && matches!(&field.ty, Type::Struct(name) if *name == field.owner)
                && self.types.contains(&field.ty)
        });
        links.map(|(name, field)| (name.clone(), field.ty.clone())).collect()
    }

    /// Each location reaches `null`, and a path to another location is between allocated ones.
    pub fn forest(&mut self, state: &State, name: &Name, ty: &Type) -> Vec<Term> {
        let map = state.heap.values.get(&HeapVar::Field(name.clone())).copied();
        let (Some(map), Some(alloc)) = (map, state.alloc.get(ty).copied()) else {
            return Vec::new();
        };
        let logic = &mut self.translator.logic;
        let null = logic.null(ty);
        let (bx, x) = logic.bound("x", ty);
        let (occurs, read) = (logic.occurs(ty, x), logic.read(ty, ty, map, x));
        let ends = logic.reach(ty, map, x, null);
        let acyclic = logic.forall(&[bx], vec![vec![occurs], vec![read]], ends, "forest");
        let [(bx, x), (by, y)] = ["x", "y"].map(|name| logic.bound(name, ty));
        let path = logic.reach(ty, map, x, y);
        let (from, to) = (logic.member(ty, x, alloc), logic.member(ty, y, alloc));
        let allocated = logic.terms.and([from, to]);
        let (same, at_end) = (logic.terms.eq(x, y), logic.terms.eq(y, null));
        let either = logic.terms.or([same, at_end, allocated]);
        let body = logic.terms.implies(path, either);
        vec![acyclic, logic.forall(&[bx, by], vec![vec![path]], body, "forest")]
    }

    /// What holds of all ghost links of these types, or of all types in play.
    pub fn forests(&mut self, state: &State, types: Option<&BTreeSet<Type>>) -> Vec<Term> {
        let mut facts = Vec::new();
        for (name, ty) in self.links() {
            if types.is_none_or(|types| types.contains(&ty)) {
                facts.extend(self.forest(state, &name, &ty));
            }
        }
        facts
    }

    // --- Statements

    pub fn lower(&mut self, code: &mut Vec<Command>, stmt: &Stmt) -> Result<()> {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Block(stmts) => stmts.iter().try_for_each(|s| self.lower(code, s)),
            StmtKind::Assign(targets, values) => {
                let values = self.values(code, values)?;
                self.write_all(code, targets, &values, span)
            }
            StmtKind::Call(targets, name, args) => {
                let args = self.values(code, args)?;
                let results = self.call(code, name, &args, span)?;
                self.write_all(code, targets, &results, span)
            }
            StmtKind::Havoc(targets) => {
                let mut values = Vec::new();
                for target in targets {
                    values.push(match target {
                        Target::Local(local) => self.any(&self.local_type(*local)),
                        Target::Global(name) => {
                            self.translator.fresh_part(&HeapVar::Global(name.clone()))
                        }
                        _ => return unsupported(span, "`havoc` of this"),
                    });
                }
                self.write_all(code, targets, &values, span)
            }
            StmtKind::Free(e) => self.free(code, e),
            StmtKind::Return(values) => {
                let values = self.values(code, values)?;
                let results = self.procedure.returns.iter().filter(|r| r.ghost != Ghost::Implicit);
                let targets: Vec<Target> = results.map(|r| Target::Local(r.local)).collect();
                self.write_all(code, &targets, &values, span)?;
                code.extend(self.postcondition()?);
                // Nothing comes behind.
                code.push(Command::Assume(self.translator.logic.terms.bool(false)));
                Ok(())
            }
            StmtKind::Assume(mods, e) => self.assume_claim(code, *mods, e),
            StmtKind::Assert(mods, e, Some(proof)) => {
                let mut aside = Vec::new();
                for var in &proof.vars {
                    let value = self.any(&self.local_type(*var));
                    aside.push(self.assign_local(*var, value));
                }
                // The proof may change the state: what it shows is about the one before it.
                let goal = if mods.pure {
                    self.formula(&proof.goal)?
                } else {
                    let alternatives = self.alternatives(&proof.goal)?;
                    let owned = self.vars.footprint.clone();
                    match self.claim(&alternatives, &[], &Owned::All(&owned)) {
                        Command::Assert(goal) => goal,
                        _ => return unsupported(e.span, "this assertion"),
                    }
                };
                let shown = self.any(&Type::Bool);
                aside.push(Command::Assume(self.translator.logic.terms.eq(shown, goal)));
                self.lower(&mut aside, &proof.body)?;
                let never = self.translator.logic.terms.bool(false);
                aside.extend([Command::Assert(shown), Command::Assume(never)]);
                let mut after = Vec::new();
                self.assume_claim(&mut after, *mods, e)?;
                code.push(Command::Choice(vec![Command::Seq(aside), Command::Seq(after)]));
                Ok(())
            }
            StmtKind::Assert(mods, e, None) => {
                if mods.pure && !mods.free {
                    code.push(Command::Assert(self.formula(e)?));
                    return Ok(());
                }
                if !mods.free {
                    let alternatives = self.alternatives(e)?;
                    let owned = self.vars.footprint.clone();
                    let claim = self.claim(&alternatives, &[], &Owned::All(&owned));
                    code.push(claim);
                }
                self.assume_claim(code, *mods, e)
            }
            StmtKind::If(cond, then, otherwise) => {
                let cond = self.condition(code, cond)?;
                let not = self.translator.logic.terms.not(cond);
                let (mut yes, mut no) = (vec![Command::Assume(cond)], vec![Command::Assume(not)]);
                self.lower(&mut yes, then)?;
                if let Some(stmt) = otherwise {
                    self.lower(&mut no, stmt)?;
                }
                code.push(Command::Choice([yes, no].map(Command::Seq).into()));
                Ok(())
            }
            StmtKind::Choose(branches) => {
                let mut all = Vec::new();
                for branch in branches {
                    let mut code = Vec::new();
                    self.lower(&mut code, branch)?;
                    all.push(Command::Seq(code));
                }
                code.push(Command::Choice(all));
                Ok(())
            }
            StmtKind::While(cond, invariants, body) => {
                self.while_loop(code, cond, invariants, body, span)
            }
        }
    }

    fn alternatives(&mut self, e: &Expr) -> Result<Vec<Alternative>> {
        let (vars, old) = (self.vars.clone(), self.old.clone());
        self.translator.spatial(&Env { locals: vars.locals, heap: &vars.heap, old: &old }, e)
    }

    fn formula(&mut self, e: &Expr) -> Result<Term> {
        let (vars, old) = (self.vars.clone(), self.old.clone());
        self.translator.term(&Env { locals: vars.locals, heap: &vars.heap, old: &old }, e)
    }

    fn assume_claim(&mut self, code: &mut Vec<Command>, mods: Mods, e: &Expr) -> Result<()> {
        let alternatives = self.alternatives(e)?;
        let owned = (!mods.pure).then(|| self.vars.footprint.clone());
        let known = self.known(&alternatives, owned.as_ref());
        code.push(Command::Assume(known));
        Ok(())
    }

    // --- Expressions

    /// Values of expressions, from right to left, in variables of their own if there are several.
    fn values(&mut self, code: &mut Vec<Command>, all: &[Expr]) -> Result<Vec<Term>> {
        let mut values = Vec::new();
        for e in all.iter().rev() {
            let mut value = self.value(code, e)?;
            if all.len() > 1 {
                let local = self.new_local(e.ty.clone());
                code.push(self.assign_local(local, value));
                value = self.vars.locals.get(&local).copied().unwrap_or(value);
            }
            values.push(value);
        }
        values.reverse();
        Ok(values)
    }

    fn value(&mut self, code: &mut Vec<Command>, e: &Expr) -> Result<Term> {
        let e = self.without_effects(code, e)?;
        let unchecked = matches!(
            &*e.kind,
            ExprKind::Unary(UnOp::Not, _) | ExprKind::Binary(BinOp::And | BinOp::Or, ..)
        );
        if !unchecked {
            self.safe(code, &e)?;
        }
        self.formula(&e)
    }

    /// The value of a condition, which is not checked for what it reads.
    pub fn condition(&mut self, code: &mut Vec<Command>, e: &Expr) -> Result<Term> {
        let e = self.without_effects(code, e)?;
        self.formula(&e)
    }

    /// Calls and allocations become commands of their own; their results are in variables.
    fn without_effects(&mut self, code: &mut Vec<Command>, e: &Expr) -> Result<Expr> {
        let mut pure = true;
        e.walk(&mut |e| {
            pure &=
                !matches!(&*e.kind, ExprKind::Call(..) | ExprKind::New(_) | ExprKind::NewArray(..));
        });
        if pure {
            return Ok(e.clone());
        }
        let mut children = Vec::new();
        e.each_child(&mut |child| children.push(child));
        let mut done = Vec::new();
        for child in children.into_iter().rev() {
            done.push(self.without_effects(code, child)?);
        }
        let mut e = e.clone();
        e.each_child_mut(&mut |child| {
            if let Some(new) = done.pop() {
                *child = new;
            }
        });
        let value = match &*e.kind {
            ExprKind::Call(name, args) => {
                let mut terms = Vec::new();
                for arg in args {
                    terms.push(self.value(code, arg)?);
                }
                self.call(code, name, &terms, e.span)?.first().copied()
            }
            ExprKind::New(ty) => Some(self.new_object(code, ty)?),
            ExprKind::NewArray(of, length) => {
                let length = self.value(code, length)?;
                Some(self.new_array(code, of, length)?)
            }
            _ => return Ok(e),
        };
        let Some(value) = value else { return unsupported(e.span, "a call without a result here") };
        let local = self.new_local(e.ty.clone());
        code.push(self.assign_local(local, value));
        Ok(Expr { kind: Box::new(ExprKind::Local(local)), ..e })
    }

    /// `x ∈ FP`
    fn owned(&mut self, ty: &Type, location: Term) -> Term {
        match self.vars.footprint.get(ty).copied() {
            Some(owned) => self.translator.logic.member(ty, location, owned),
            None => self.translator.logic.terms.bool(false),
        }
    }

    /// What an expression reads is owned, and its divisors are not zero.
    fn safe(&mut self, code: &mut Vec<Command>, e: &Expr) -> Result<()> {
        if matches!(&*e.kind, ExprKind::Quant(..) | ExprKind::Comprehension(..) | ExprKind::Old(_))
        {
            return Ok(());
        }
        let mut children = Vec::new();
        e.each_child(&mut |child| children.push(child));
        children.into_iter().try_for_each(|child| self.safe(code, child))?;
        let goal = match &*e.kind {
            ExprKind::Read(map, object) if matches!(*map.kind, ExprKind::Field(_)) => {
                let location = self.formula(object)?;
                self.owned(&object.ty, location)
            }
            ExprKind::ArrayRead(array, index) => {
                let (at, index) = (self.formula(array)?, self.formula(index)?);
                self.element(&array.ty, at, index)
            }
            ExprKind::CellRead(location) | ExprKind::Length(location) => {
                let at = self.formula(location)?;
                self.owned(&location.ty, at)
            }
            ExprKind::Binary(BinOp::Div | BinOp::Mod, _, divisor) => {
                let value = self.formula(divisor)?;
                let zero = self.translator.logic.zero(&divisor.ty);
                let is_zero = self.translator.logic.terms.eq(value, zero);
                self.translator.logic.terms.not(is_zero)
            }
            _ => return Ok(()),
        };
        code.push(Command::Assert(goal));
        Ok(())
    }

    /// An array, and its cell at an index, are owned.
    fn element(&mut self, ty: &Type, array: Term, index: Term) -> Term {
        let whole = self.owned(ty, array);
        let Type::Array(of) = ty else { return whole };
        if self.translator.simple_arrays {
            return whole;
        }
        let cell = self.translator.logic.cell(of, array, index);
        let cell = self.owned(&Type::Cell(of.clone()), cell);
        self.translator.logic.terms.and([whole, cell])
    }

    // --- Writes

    /// Several targets are variables, or get values that are constants.
    fn write_all(
        &mut self,
        code: &mut Vec<Command>,
        targets: &[Target],
        values: &[Term],
        span: Span,
    ) -> Result<()> {
        targets.iter().zip(values).try_for_each(|(t, v)| self.write(code, t, *v, span))
    }

    fn write(
        &mut self,
        code: &mut Vec<Command>,
        target: &Target,
        value: Term,
        span: Span,
    ) -> Result<()> {
        match target {
            Target::Local(local) => code.push(self.assign_local(*local, value)),
            Target::Global(name) => {
                let var = self.vars.heap.values.get(&HeapVar::Global(name.clone()));
                code.push(Command::Assign(var.map(|var| (*var, value)).into_iter().collect()));
            }
            Target::Field(name, object) => {
                let location = self.value(code, object)?;
                let goal = self.owned(&object.ty, location);
                code.push(Command::Assert(goal));
                self.store(code, &HeapVar::Field(name.clone()), location, value)?;
            }
            Target::Array(array, index) => {
                let Type::Array(of) = &array.ty else { return unsupported(span, "this array") };
                let (at, index) = (self.value(code, array)?, self.value(code, index)?);
                let goal = self.element(&array.ty, at, index);
                code.push(Command::Assert(goal));
                let contents = HeapVar::Contents((**of).clone());
                if self.translator.simple_arrays {
                    let heap = self.vars.heap.clone();
                    let env = Env { locals: BTreeMap::new(), heap: &heap, old: &heap };
                    let before = self.translator.array_contents(&env, of, at, span)?;
                    let logic = &mut self.translator.logic;
                    let after = logic.update(&Type::Int, of, before, index, value);
                    return self.store(code, &contents, at, after);
                }
                let cell = self.translator.logic.cell(of, at, index);
                self.store(code, &contents, cell, value)?;
            }
            Target::Cell(cell) => {
                let Type::Cell(of) = &cell.ty else { return unsupported(span, "this cell") };
                let location = self.value(code, cell)?;
                let goal = self.owned(&cell.ty, location);
                code.push(Command::Assert(goal));
                self.store(code, &HeapVar::Contents((**of).clone()), location, value)?;
            }
        }
        Ok(())
    }

    /// `h := upd(h, x, E)`; instances of predicates whose footprint `x` is not in stay.
    fn store(
        &mut self,
        code: &mut Vec<Command>,
        var: &HeapVar,
        at: Term,
        value: Term,
    ) -> Result<()> {
        let Type::Map(k, v) = self.translator.heap_type(var) else { return Ok(()) };
        let before = self.vars.heap.clone();
        let Some(map) = before.values.get(var).copied() else { return Ok(()) };
        let new = self.translator.logic.update(&k, &v, map, at, value);
        let mut after = before.clone();
        after.values.insert(var.clone(), new);
        let facts = self.translator.frame_instances(&before, &after, |t, ty, foot| {
            let inside = t.logic.member(ty, at, foot);
            t.logic.terms.not(inside)
        })?;
        code.extend(facts.into_iter().map(Command::Assume));
        code.push(Command::Assign(vec![(map, new)]));
        Ok(())
    }

    // --- Allocation

    /// new(x): x' ∉ Alloc ∧ x' ≠ nil ⇒ F[x'/x, (Alloc ∪ {x'})/Alloc]
    fn new_object(&mut self, code: &mut Vec<Command>, ty: &Type) -> Result<Term> {
        let location = self.any(ty);
        let null = self.translator.logic.null(ty);
        let is_null = self.translator.logic.terms.eq(location, null);
        let single = self.translator.logic.singleton(ty, location);
        code.push(Command::Assume(self.translator.logic.terms.not(is_null)));
        self.allocate(code, ty, single);
        let Type::Struct(name) = ty else { return Ok(location) };
        for field in self.program.structs.get(name).into_iter().flatten() {
            let Some(decl) = self.program.fields.get(field) else { continue };
            let link = decl.ghost && decl.ty == *ty;
            let value = if link { self.translator.logic.null(ty) } else { self.any(&decl.ty) };
            self.store(code, &HeapVar::Field(field.clone()), location, value)?;
        }
        Ok(location)
    }

    /// Locations that were not allocated are allocated and owned.
    fn allocate(&mut self, code: &mut Vec<Command>, ty: &Type, new: Term) {
        let State { alloc, footprint, .. } = &self.vars;
        let (Some(alloc), Some(owned)) = (alloc.get(ty).copied(), footprint.get(ty).copied())
        else {
            return;
        };
        let logic = &mut self.translator.logic;
        let apart = logic.disjoint(ty, new, alloc);
        let (more, mine) = (logic.union(ty, alloc, new), logic.union(ty, owned, new));
        code.push(Command::Assume(apart));
        code.push(Command::Assign(vec![(alloc, more), (owned, mine)]));
    }

    fn new_array(&mut self, code: &mut Vec<Command>, of: &Type, length: Term) -> Result<Term> {
        let ty = Type::Array(of.clone().into());
        let zero = self.translator.logic.int(0);
        let positive = self.translator.logic.at_most(&Type::Int, zero, length);
        code.push(Command::Assert(positive));
        let array = self.any(&ty);
        let logic = &mut self.translator.logic;
        let null = logic.null(&ty);
        let is_null = logic.terms.eq(array, null);
        let some = logic.terms.not(is_null);
        let actual = logic.length(of, array);
        let same = logic.terms.eq(actual, length);
        let single = logic.singleton(&ty, array);
        code.extend([some, same].map(Command::Assume));
        self.allocate(code, &ty, single);
        let var = HeapVar::Contents(of.clone());
        if self.translator.simple_arrays {
            let any = self.any(&Type::Map(Type::Int.into(), of.clone().into()));
            self.store(code, &var, array, any)?;
            return Ok(array);
        }
        let cell_type = Type::Cell(of.clone().into());
        let cells = self.cells(of, array);
        let logic = &mut self.translator.logic;
        let null = logic.null(&cell_type);
        let is_in = logic.member(&cell_type, null, cells);
        code.push(Command::Assume(logic.terms.not(is_in)));
        self.allocate(code, &cell_type, cells);
        // Of the contents all but those of the new cells are as they were.
        let before = self.vars.heap.clone();
        let Some(contents) = before.values.get(&var).copied() else { return Ok(array) };
        let new = self.translator.fresh_part(&var);
        let logic = &mut self.translator.logic;
        let (bound, c) = logic.bound("c", &cell_type);
        let read = |logic: &mut crate::logic::Logic, map| logic.read(&cell_type, of, map, c);
        let (old, now) = (read(logic, contents), read(logic, new));
        let is_new = logic.member(&cell_type, c, cells);
        let same = logic.terms.eq(old, now);
        let kept = logic.terms.or([is_new, same]);
        let kept = logic.forall(&[bound], vec![vec![now], vec![old]], kept, "new array");
        let mut after = before.clone();
        after.values.insert(var, new);
        let facts = self
            .translator
            .frame_instances(&before, &after, |t, ty, foot| t.logic.disjoint(ty, foot, cells))?;
        code.extend([kept].into_iter().chain(facts).map(Command::Assume));
        code.push(Command::Assign(vec![(contents, new)]));
        Ok(array)
    }

    /// `{ c :: c.array == a && 0 <= c.index < a.length }`
    fn cells(&mut self, of: &Type, array: Term) -> Term {
        let cell_type = Type::Cell(of.clone().into());
        let logic = &mut self.translator.logic;
        let length = logic.length(of, array);
        let (var, c) = logic.bound("c", &cell_type);
        let (its, index, zero) = (logic.cell_array(of, c), logic.cell_index(of, c), logic.int(0));
        let same = logic.terms.eq(its, array);
        let low = logic.at_most(&Type::Int, zero, index);
        let high = logic.less(&Type::Int, index, length);
        let body = logic.terms.and([same, low, high]);
        logic.comprehension(&Type::Set(cell_type.clone().into()), &cell_type, var, body)
    }

    /// dispose(x): x ∈ Alloc ∧ F[(Alloc \ {x})/Alloc]; with an array go its cells.
    fn free(&mut self, code: &mut Vec<Command>, e: &Expr) -> Result<()> {
        let location = self.value(code, e)?;
        let goal = self.owned(&e.ty, location);
        code.push(Command::Assert(goal));
        let mut gone = vec![(e.ty.clone(), self.translator.logic.singleton(&e.ty, location))];
        if let Type::Array(of) = &e.ty
            && !self.translator.simple_arrays
        {
            let cell_type = Type::Cell(of.clone());
            let cells = self.cells(of, location);
            let goal = match self.vars.footprint.get(&cell_type).copied() {
                Some(owned) => self.translator.logic.subset(&cell_type, cells, owned),
                None => self.translator.logic.terms.bool(false),
            };
            code.push(Command::Assert(goal));
            gone.push((cell_type, cells));
        }
        let mut all = Vec::new();
        for (ty, set) in gone {
            let State { alloc, footprint, .. } = &self.vars;
            let sets: Vec<Term> =
                [alloc.get(&ty), footprint.get(&ty)].into_iter().flatten().copied().collect();
            let logic = &mut self.translator.logic;
            all.extend(sets.into_iter().map(|var| (var, logic.difference(&ty, var, set))));
        }
        code.push(Command::Assign(all));
        Ok(())
    }
}
