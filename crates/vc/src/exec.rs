//! Statements [PWZ13, Fig. 8 `vc`].

use report::Span;
use smt::Term;
use spl::core::{BinOp, Expr, ExprKind, Ghost, Mods, Stmt, StmtKind, Target, Type, UnOp};

use crate::translate::{HeapVar, Result, unsupported};
use crate::unit::{Blame, Choice, Path, Rule, Unit};

impl<'p> Unit<'p> {
    /// Runs a statement on each of the paths; those that return are gone.
    pub fn exec(&mut self, paths: Vec<Path>, stmt: &Stmt) -> Result<Vec<Path>> {
        let mut after = Vec::new();
        for path in paths {
            after.extend(self.exec_one(path, stmt)?);
        }
        Ok(after)
    }

    fn exec_one(&mut self, mut path: Path, stmt: &Stmt) -> Result<Vec<Path>> {
        self.patience.check()?;
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Block(stmts) => {
                let mut paths = vec![path];
                let mut rest = stmts.as_slice();
                while let [stmt, after @ ..] = rest {
                    paths = self.exec(paths, stmt)?;
                    paths = self.join_before(paths, after);
                    rest = after;
                }
                Ok(paths)
            }
            StmtKind::Assign(targets, values) => {
                let mut terms = Vec::new();
                // Calls run from right to left.
                for value in values.iter().rev() {
                    terms.push(self.value(&mut path, value)?);
                }
                terms.reverse();
                for (target, term) in targets.iter().zip(terms) {
                    self.write(&mut path, target, term, span)?;
                }
                Ok(vec![path])
            }
            StmtKind::Call(targets, name, args) => {
                let mut terms = Vec::new();
                for arg in args.iter().rev() {
                    terms.push(self.value(&mut path, arg)?);
                }
                terms.reverse();
                let results = self.call(&mut path, name, terms, span)?;
                for (target, term) in targets.iter().zip(results) {
                    self.write(&mut path, target, term, span)?;
                }
                Ok(vec![path])
            }
            StmtKind::Havoc(targets) => {
                for target in targets {
                    match target {
                        Target::Local(local) => {
                            let ty = self.local_type(*local);
                            let name = self.procedure.locals.get(local.0 as usize);
                            let name = name.map_or("any".into(), |l| l.name.clone());
                            let value = self.fresh(&name, &ty);
                            path.state.locals.insert(*local, value);
                        }
                        Target::Global(name) => {
                            let var = HeapVar::Global(name.clone());
                            let value = self.translator.fresh_part(&var);
                            path.state.heap.values.insert(var, value);
                        }
                        _ => return unsupported(span, "`havoc` of this"),
                    }
                }
                Ok(vec![path])
            }
            StmtKind::Free(e) => {
                self.free(&mut path, e)?;
                Ok(vec![path])
            }
            StmtKind::Return(values) => {
                let mut terms = Vec::new();
                for value in values.iter().rev() {
                    terms.push(self.value(&mut path, value)?);
                }
                terms.reverse();
                let results = self.procedure.returns.iter().filter(|r| r.ghost != Ghost::Implicit);
                for (result, term) in results.zip(terms) {
                    path.state.locals.insert(result.local, term);
                }
                self.check_post(&path, span)?;
                Ok(Vec::new())
            }
            StmtKind::Assume(mods, e) => {
                self.assume_claim(&path, *mods, e)?;
                Ok(vec![path])
            }
            StmtKind::Assert(mods, e, proof) => {
                if let Some(proof) = proof {
                    let mut aside = self.fork(&path);
                    for var in &proof.vars {
                        let ty = self.local_type(*var);
                        let value = self.fresh("any", &ty);
                        aside.state.locals.insert(*var, value);
                    }
                    // A proof may change variables and the heap: what it shows is about the state before it.
                    let state = aside.state.clone();
                    self.ending.proofs += 1;
                    let ends = self.exec(vec![aside], &proof.body);
                    self.ending.proofs -= 1;
                    for end in ends? {
                        let shown = Path { node: end.node, state: state.clone() };
                        let blame =
                            Blame::new("assert.failed", e.span, "this assertion might not hold");
                        self.check_claim(&shown, *mods, &proof.goal, &blame)?;
                    }
                    let path = self.fork(&path);
                    self.assume_claim(&path, *mods, e)?;
                    return Ok(vec![path]);
                }
                let blame = Blame::new("assert.failed", e.span, "this assertion might not hold");
                if mods.free {
                    self.assume_claim(&path, *mods, e)?;
                } else {
                    self.check_claim(&path, *mods, e, &blame)?;
                    if !mods.pure {
                        self.assume_claim(&path, *mods, e)?;
                    }
                }
                Ok(vec![path])
            }
            StmtKind::If(cond, then, otherwise) => {
                let place = cond.span;
                let cond = self.condition(&mut path, cond)?;
                let not = self.translator.logic.terms.not(cond);
                let taken = self.guard(cond);
                let yes = self.choose(&path, place, Choice::Then, taken);
                let taken = self.translator.logic.terms.not(taken);
                let no = self.choose(&path, place, Choice::Else, taken);
                self.assume(&yes, cond);
                self.assume(&no, not);
                let mut paths = self.exec_one(yes, then)?;
                match otherwise {
                    Some(stmt) => paths.extend(self.exec_one(no, stmt)?),
                    None => paths.push(no),
                }
                Ok(self.join_many(paths))
            }
            StmtKind::Choose(branches) => {
                let mut paths = Vec::new();
                for branch in branches {
                    let taken = self.translator.logic.fresh("taken", &Type::Bool);
                    let fork = self.choose(&path, branch.span, Choice::Branch, taken);
                    paths.extend(self.exec_one(fork, branch)?);
                }
                Ok(self.join_many(paths))
            }
            StmtKind::While(cond, invariants, body) => {
                let path = self.run_loop(path, cond, invariants, body, span)?;
                Ok(vec![path])
            }
        }
    }

    /// A condition is not checked for what it reads, as in the reference tool.
    fn condition(&mut self, path: &mut Path, cond: &Expr) -> Result<Term> {
        let cond = self.flatten(path, cond)?;
        let heap = path.state.heap.clone();
        self.formula(path.state.locals.clone(), &heap, &cond)
    }

    pub fn formula(
        &mut self,
        locals: std::collections::BTreeMap<spl::core::LocalId, Term>,
        heap: &crate::translate::Heap,
        e: &Expr,
    ) -> Result<Term> {
        let old = self.entry.clone();
        let env = crate::translate::Env { locals, heap, old: &old };
        self.translator.term(&env, e)
    }

    fn alternatives(
        &mut self,
        path: &Path,
        e: &Expr,
    ) -> Result<Vec<crate::assertion::Alternative>> {
        let old = self.entry.clone();
        let locals = path.state.locals.clone();
        let env = crate::translate::Env { locals, heap: &path.state.heap, old: &old };
        self.translator.spatial(&env, e)
    }

    /// What an assertion claims: without `pure` also that its footprint is all that is owned.
    fn check_claim(&mut self, path: &Path, mods: Mods, e: &Expr, blame: &Blame) -> Result<()> {
        if mods.pure {
            let heap = path.state.heap.clone();
            let goal = self.formula(path.state.locals.clone(), &heap, e)?;
            self.check(path, goal, blame.clone());
            return Ok(());
        }
        let alternatives = self.alternatives(path, e)?;
        let owned = path.state.footprint.clone();
        let rule = Some((&owned, Rule::Exactly));
        self.check_on(path, &alternatives, &[], rule, blame, "this might not hold");
        Ok(())
    }

    fn assume_claim(&mut self, path: &Path, mods: Mods, e: &Expr) -> Result<()> {
        let alternatives = self.alternatives(path, e)?;
        let footprint = (!mods.pure).then_some(&path.state.footprint);
        self.assume_on(path, &alternatives, footprint);
        Ok(())
    }

    // --- Expressions in code

    /// The value of an expression, with its calls made and what it reads checked.
    fn value(&mut self, path: &mut Path, e: &Expr) -> Result<Term> {
        let e = self.flatten(path, e)?;
        let unchecked = matches!(
            &*e.kind,
            ExprKind::Unary(UnOp::Not, _) | ExprKind::Binary(BinOp::And | BinOp::Or, ..)
        );
        if !unchecked {
            self.check_reads(path, &e)?;
        }
        let heap = path.state.heap.clone();
        self.formula(path.state.locals.clone(), &heap, &e)
    }

    /// The expression with calls and allocations made, and their results in variables.
    fn flatten(&mut self, path: &mut Path, e: &Expr) -> Result<Expr> {
        let mut effects = false;
        e.walk(&mut |e| {
            effects |=
                matches!(&*e.kind, ExprKind::Call(..) | ExprKind::New(_) | ExprKind::NewArray(..));
        });
        if !effects {
            return Ok(e.clone());
        }
        let mut e = e.clone();
        // From right to left, from the inside to the outside.
        let mut children = Vec::new();
        e.each_child(&mut |child| children.push(child.clone()));
        let mut flat = Vec::new();
        for child in children.iter().rev() {
            flat.push(self.flatten(path, child)?);
        }
        e.each_child_mut(&mut |child| {
            if let Some(new) = flat.pop() {
                *child = new;
            }
        });
        let value = match &*e.kind {
            ExprKind::Call(name, args) => {
                let mut terms = Vec::new();
                for arg in args {
                    terms.push(self.value(path, arg)?);
                }
                let results = self.call(path, name, terms, e.span)?;
                match results.first() {
                    Some(term) => *term,
                    None => return unsupported(e.span, "a call without a result here"),
                }
            }
            ExprKind::New(ty) => self.new_object(path, ty)?,
            ExprKind::NewArray(of, length) => {
                let length_term = self.value(path, length)?;
                self.new_array(path, of, length_term, length.span)?
            }
            _ => return Ok(e),
        };
        let local = self.new_local(e.ty.clone());
        path.state.locals.insert(local, value);
        Ok(Expr { kind: Box::new(ExprKind::Local(local)), ..e })
    }

    /// Checks that a location is owned.
    fn check_owned(&mut self, path: &Path, ty: &Type, location: Term, span: Span) {
        let goal = match path.state.footprint.get(ty).copied() {
            Some(owned) => self.translator.logic.member(ty, location, owned),
            // Nothing of a type that is not in play is owned.
            None => self.translator.logic.terms.bool(false),
        };
        let message = format!("this heap access might be invalid: a location of type `{ty}`");
        self.check(path, goal, Blame::new("access.failed", span, message));
    }

    /// Checks what an expression reads, and that divisors are not zero.
    fn check_reads(&mut self, path: &Path, e: &Expr) -> Result<()> {
        match &*e.kind {
            ExprKind::Quant(..) | ExprKind::Comprehension(..) | ExprKind::Old(_) => return Ok(()),
            _ => {}
        }
        let mut inner = Ok(());
        e.each_child(&mut |child| {
            if inner.is_ok() {
                inner = self.check_reads(path, child);
            }
        });
        inner?;
        let locals = path.state.locals.clone();
        match &*e.kind {
            ExprKind::Read(map, object) if matches!(*map.kind, ExprKind::Field(_)) => {
                let location = self.formula(locals, &path.state.heap, object)?;
                self.check_owned(path, &object.ty, location, e.span);
            }
            ExprKind::ArrayRead(array, index) => {
                let Type::Array(of) = &array.ty else { return Ok(()) };
                let at = self.formula(locals.clone(), &path.state.heap, array)?;
                let index = self.formula(locals, &path.state.heap, index)?;
                self.check_owned(path, &array.ty, at, e.span);
                if self.translator.simple_arrays {
                    return Ok(());
                }
                let cell = self.translator.logic.cell(of, at, index);
                self.check_owned(path, &Type::Cell(of.clone()), cell, e.span);
            }
            ExprKind::CellRead(cell) => {
                let location = self.formula(locals, &path.state.heap, cell)?;
                self.check_owned(path, &cell.ty, location, e.span);
            }
            ExprKind::Length(array) => {
                let location = self.formula(locals, &path.state.heap, array)?;
                self.check_owned(path, &array.ty, location, e.span);
            }
            ExprKind::Binary(BinOp::Div | BinOp::Mod, _, divisor) => {
                let value = self.formula(locals, &path.state.heap, divisor)?;
                let zero = self.translator.logic.zero(&divisor.ty);
                let terms = &mut self.translator.logic.terms;
                let is_zero = terms.eq(value, zero);
                let goal = terms.not(is_zero);
                let message = "the divisor might be zero";
                self.check(path, goal, Blame::new("division.by.zero", divisor.span, message));
            }
            _ => {}
        }
        Ok(())
    }

    /// Assigns a value.
    fn write(&mut self, path: &mut Path, target: &Target, value: Term, span: Span) -> Result<()> {
        match target {
            Target::Local(local) => {
                path.state.locals.insert(*local, value);
            }
            Target::Global(name) => {
                path.state.heap.values.insert(HeapVar::Global(name.clone()), value);
            }
            Target::Field(name, object) => {
                let location = self.value(path, object)?;
                self.check_owned(path, &object.ty, location, span);
                self.store(path, &HeapVar::Field(name.clone()), location, value)?;
            }
            Target::Array(array, index) => {
                let Type::Array(of) = &array.ty else { return unsupported(span, "this array") };
                let at = self.value(path, array)?;
                let index = self.value(path, index)?;
                self.check_owned(path, &array.ty, at, span);
                if self.translator.simple_arrays {
                    // contents := contents[a := contents[a][i := v]]
                    let heap = path.state.heap.clone();
                    let env = crate::translate::Env {
                        locals: Default::default(),
                        heap: &heap,
                        old: &heap,
                    };
                    let before = self.translator.array_contents(&env, of, at, span)?;
                    let logic = &mut self.translator.logic;
                    let after = logic.update(&Type::Int, of, before, index, value);
                    return self.store(path, &HeapVar::Contents((**of).clone()), at, after);
                }
                let cell = self.translator.logic.cell(of, at, index);
                self.check_owned(path, &Type::Cell(of.clone()), cell, span);
                self.store(path, &HeapVar::Contents((**of).clone()), cell, value)?;
            }
            Target::Cell(cell) => {
                let Type::Cell(of) = &cell.ty else { return unsupported(span, "this cell") };
                let location = self.value(path, cell)?;
                self.check_owned(path, &cell.ty, location, span);
                self.store(path, &HeapVar::Contents((**of).clone()), location, value)?;
            }
        }
        Ok(())
    }

    /// `f := f[at := value]`
    fn store(&mut self, path: &mut Path, var: &HeapVar, at: Term, value: Term) -> Result<()> {
        let Type::Map(k, v) = self.translator.heap_type(var) else { return Ok(()) };
        let Some(map) = path.state.heap.values.get(var).copied() else { return Ok(()) };
        let new = self.translator.logic.update(&k, &v, map, at, value);
        let before = path.state.heap.clone();
        path.state.heap.values.insert(var.clone(), new);
        let facts = self.translator.frame_instances(&before, &path.state.heap, |t, ty, foot| {
            let inside = t.logic.member(ty, at, foot);
            t.logic.terms.not(inside)
        })?;
        facts.into_iter().for_each(|fact| self.assume(path, fact));
        Ok(())
    }

    // --- Allocation

    /// `x ∉ Alloc`, `x ≠ null`; it is allocated and owned from now on.
    fn allocate(&mut self, path: &mut Path, ty: &Type, location: Term) {
        let (Some(alloc), Some(owned)) =
            (path.state.alloc.get(ty).copied(), path.state.footprint.get(ty).copied())
        else {
            return;
        };
        let logic = &mut self.translator.logic;
        let there = logic.member(ty, location, alloc);
        let not_there = logic.terms.not(there);
        let null = logic.null(ty);
        let is_null = logic.terms.eq(location, null);
        let some = logic.terms.not(is_null);
        let single = logic.singleton(ty, location);
        let (alloc, owned) = (logic.union(ty, alloc, single), logic.union(ty, owned, single));
        self.assume(path, not_there);
        self.assume(path, some);
        path.state.alloc.insert(ty.clone(), alloc);
        path.state.footprint.insert(ty.clone(), owned);
    }

    fn new_object(&mut self, path: &mut Path, ty: &Type) -> Result<Term> {
        let location = self.fresh("new", ty);
        self.allocate(path, ty, location);
        // Whatever is known of a location that is not allocated is forgotten when it is.
        let Type::Struct(name) = ty else { return Ok(location) };
        for field in self.program.structs.get(name).into_iter().flatten() {
            let Some(decl) = self.program.fields.get(field) else { continue };
            // Ghost links start as `null`, so that they stay a forest.
            let any = if decl.ghost && decl.ty == *ty {
                self.translator.logic.null(ty)
            } else {
                self.fresh(field, &decl.ty)
            };
            self.store(path, &HeapVar::Field(field.clone()), location, any)?;
        }
        Ok(location)
    }

    fn new_array(&mut self, path: &mut Path, of: &Type, length: Term, span: Span) -> Result<Term> {
        let ty = Type::Array(of.clone().into());
        let cell_type = Type::Cell(of.clone().into());
        let zero = self.translator.logic.int(0);
        let positive = self.translator.logic.at_most(&Type::Int, zero, length);
        let message = "the length of the array might be negative";
        self.check(path, positive, Blame::new("length.negative", span, message));
        let array = self.fresh("new", &ty);
        self.allocate(path, &ty, array);
        let actual = self.translator.logic.length(of, array);
        let same = self.translator.logic.terms.eq(actual, length);
        self.assume(path, same);
        if self.translator.simple_arrays {
            let contents = Type::Map(Type::Int.into(), of.clone().into());
            let any = self.fresh("contents", &contents);
            self.store(path, &HeapVar::Contents(of.clone()), array, any)?;
            return Ok(array);
        }
        // Its cells: { c :: c.array == a && 0 <= c.index < n }
        let cells = self.cells(of, array, length);
        let (Some(alloc), Some(owned)) = (
            path.state.alloc.get(&cell_type).copied(),
            path.state.footprint.get(&cell_type).copied(),
        ) else {
            return Ok(array);
        };
        let logic = &mut self.translator.logic;
        let new = logic.disjoint(&cell_type, cells, alloc);
        let null = logic.null(&cell_type);
        let is_in = logic.member(&cell_type, null, cells);
        let some = logic.terms.not(is_in);
        let (alloc, owned) =
            (logic.union(&cell_type, alloc, cells), logic.union(&cell_type, owned, cells));
        self.assume(path, new);
        self.assume(path, some);
        path.state.alloc.insert(cell_type.clone(), alloc);
        path.state.footprint.insert(cell_type.clone(), owned);
        // Contents of the new cells are arbitrary.
        let var = HeapVar::Contents(of.clone());
        if let Some(before) = path.state.heap.values.get(&var).copied() {
            let after = self.translator.fresh_part(&var);
            let logic = &mut self.translator.logic;
            let (bx, x) = logic.bound("c", &cell_type);
            let (old, now) =
                (logic.read(&cell_type, of, before, x), logic.read(&cell_type, of, after, x));
            let new_cell = logic.member(&cell_type, x, cells);
            let same = logic.terms.eq(old, now);
            let body = logic.terms.or([new_cell, same]);
            let kept = logic.forall(&[bx], vec![vec![now], vec![old]], body, "new array");
            self.assume(path, kept);
            let before = path.state.heap.clone();
            path.state.heap.values.insert(var, after);
            let facts =
                self.translator.frame_instances(&before, &path.state.heap, |t, ty, foot| {
                    t.logic.disjoint(ty, foot, cells)
                })?;
            facts.into_iter().for_each(|fact| self.assume(path, fact));
        }
        Ok(array)
    }

    /// The cells of an array of this length.
    fn cells(&mut self, of: &Type, array: Term, length: Term) -> Term {
        let cell_type = Type::Cell(of.clone().into());
        let logic = &mut self.translator.logic;
        let (var, c) = logic.bound("c", &cell_type);
        let (its, index) = (logic.cell_array(of, c), logic.cell_index(of, c));
        let zero = logic.int(0);
        let same = logic.terms.eq(its, array);
        let low = logic.at_most(&Type::Int, zero, index);
        let high = logic.less(&Type::Int, index, length);
        let body = logic.terms.and([same, low, high]);
        let set = Type::Set(cell_type.clone().into());
        logic.comprehension(&set, &cell_type, var, body)
    }

    /// The location must be owned, and then is neither owned nor allocated. With an array go its cells,
    /// all of which must be owned.
    fn free(&mut self, path: &mut Path, e: &Expr) -> Result<()> {
        let location = self.value(path, e)?;
        let ty = e.ty.clone();
        let message = "this deallocation might be unsafe";
        let blame = Blame::new("free.failed", e.span, message);
        let goal = match path.state.footprint.get(&ty).copied() {
            Some(owned) => self.translator.logic.member(&ty, location, owned),
            None => self.translator.logic.terms.bool(false),
        };
        self.check(path, goal, blame);
        let single = self.translator.logic.singleton(&ty, location);
        self.release(path, &ty, single);
        if let Type::Array(of) = &ty
            && !self.translator.simple_arrays
        {
            let length = self.translator.logic.length(of, location);
            let cells = self.cells(of, location, length);
            let cell_type = Type::Cell(of.clone());
            let goal = match path.state.footprint.get(&cell_type).copied() {
                Some(owned) => self.translator.logic.subset(&cell_type, cells, owned),
                None => self.translator.logic.terms.bool(false),
            };
            let message = "this deallocation might be unsafe: not all cells are owned";
            self.check(path, goal, Blame::new("free.failed", e.span, message));
            self.release(path, &cell_type, cells);
        }
        Ok(())
    }

    fn release(&mut self, path: &mut Path, ty: &Type, set: Term) {
        for sets in [&mut path.state.alloc, &mut path.state.footprint] {
            if let Some(all) = sets.get_mut(ty) {
                *all = self.translator.logic.difference(ty, *all, set);
            }
        }
    }
}
