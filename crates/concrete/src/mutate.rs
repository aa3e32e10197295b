//! Small random changes of programs, and questions put into them.
//!
//! The results need not be well-formed: whoever uses them prints and checks them again.

use std::sync::Arc;

use num_bigint::BigInt;
use report::Pos;
use viper::core::{
    BinOp, Block, Expr, ExprKind, FieldId, LabelId, LocalId, Method, OldState, Program, Resource,
    Stmt, StmtKind, Type,
};

use crate::choose::Random;

/// Expressions of a method by which others can be replaced.
struct Pool {
    exprs: Vec<Arc<Expr>>,
}

impl Pool {
    fn new(program: &Program, method: &Method) -> Pool {
        let mut exprs: Vec<Arc<Expr>> = Vec::new();
        for_each_expr(method, &mut |e| {
            if !exprs.contains(e) {
                exprs.push(Arc::clone(e));
            }
        });
        for (i, local) in method.locals.iter().enumerate() {
            let id = LocalId(i as u32);
            let var = Expr::new(ExprKind::Local(id), local.ty.clone(), Pos::None);
            if local.ty == Type::Ref {
                for (f, field) in program.fields.iter().enumerate() {
                    let kind = ExprKind::Field(Arc::clone(&var), FieldId(f as u32));
                    exprs.push(Expr::new(kind, field.ty.clone(), Pos::None));
                }
            }
            exprs.push(var);
        }
        Pool { exprs }
    }

    fn of_type(&self, ty: &Type, random: &mut Random) -> Option<Arc<Expr>> {
        let fitting: Vec<_> = self.exprs.iter().filter(|e| e.ty == *ty).collect();
        random.pick(&fitting).map(|e| Arc::clone(e))
    }

    /// A comparison of two expressions of the same type, or a condition.
    fn fact(&self, program: &Program, random: &mut Random) -> Option<Arc<Expr>> {
        let a = random.pick(&self.exprs)?;
        if a.ty == Type::Bool {
            return Some(if random.one_in(3) { Expr::not(Arc::clone(a)) } else { Arc::clone(a) });
        }
        let mut b = self.of_type(&a.ty, random)?;
        if random.one_in(3) {
            let old = ExprKind::Old(OldState::Pre, Arc::clone(a));
            b = Expr::new(old, a.ty.clone(), Pos::None);
        }
        if a.ty == Type::Ref && !program.fields.is_empty() && random.one_in(3) {
            let field = FieldId(random.below(program.fields.len()) as u32);
            let resource = Resource::Field(Arc::clone(a), field, Pos::None);
            let part = random.pick(&[(1, 2), (1, 1), (1, 3)]).copied().map(|(n, d)| amount(n, d));
            return Some(Expr::new(ExprKind::Acc(resource, part), Type::Bool, Pos::None));
        }
        let ops = match a.ty {
            Type::Int | Type::Perm => &[BinOp::Eq, BinOp::Le, BinOp::Lt, BinOp::Ne][..],
            _ => &[BinOp::Eq, BinOp::Ne][..],
        };
        let op = random.pick(ops).copied().unwrap_or(BinOp::Eq);
        Some(Expr::binary_bool(op, Arc::clone(a), b, Pos::None))
    }
}

fn amount(n: i64, d: i64) -> Arc<Expr> {
    let int = |n: i64| Expr::new(ExprKind::Int(BigInt::from(n)), Type::Int, Pos::None);
    let kind = ExprKind::Binary(BinOp::Fraction, int(n), int(d));
    Expr::new(kind, Type::Perm, Pos::None)
}

fn for_each_expr(method: &Method, f: &mut dyn FnMut(&Arc<Expr>)) {
    let mut visit = |e: &Arc<Expr>| {
        e.walk(&mut |inner| {
            f(inner);
            true
        });
    };
    method.pres.iter().chain(&method.posts).for_each(&mut visit);
    if let Some(body) = &method.body {
        body.walk_stmts(&mut |stmt| {
            stmt.for_each_expr(&mut visit);
            true
        });
    }
}

/// Replaces the expression with this number.
fn edit_expr(method: &mut Method, n: usize, f: &mut dyn FnMut(&Arc<Expr>) -> Arc<Expr>) {
    fn nth(e: &Arc<Expr>, n: &mut usize, f: &mut dyn FnMut(&Arc<Expr>) -> Arc<Expr>) -> Arc<Expr> {
        if *n == 0 {
            *n = usize::MAX;
            return f(e);
        }
        *n -= 1;
        let mut child = |c: &Arc<Expr>| nth(c, n, &mut *f);
        e.map_children(&mut child as &mut dyn FnMut(&Arc<Expr>) -> Arc<Expr>)
    }
    let mut left = n;
    for e in method.pres.iter_mut().chain(&mut method.posts) {
        *e = nth(e, &mut left, f);
    }
    if let Some(body) = method.body.take() {
        method.body = Some(body.map_exprs(&mut |e| nth(e, &mut left, f)));
    }
}

fn count_stmts(block: &Block) -> usize {
    let mut n = 0;
    block.walk_stmts(&mut |_| {
        n += 1;
        true
    });
    n
}

/// Replaces the statement with this number by others.
fn edit_stmt(block: Block, n: usize, f: &mut dyn FnMut(Stmt) -> Vec<Stmt>) -> Block {
    let mut left = n;
    block.flat_map(&mut |stmt| {
        if left == 0 {
            left = usize::MAX;
            return f(stmt);
        }
        left -= 1;
        vec![stmt]
    })
}

/// A program like this one, with a few changes in one of its methods.
#[must_use]
pub fn mutate(program: &Program, random: &mut Random) -> Program {
    let mut program = program.clone();
    let with_body: Vec<usize> =
        (0..program.methods.len()).filter(|i| program.methods[*i].body.is_some()).collect();
    let Some(index) = random.pick(&with_body).copied() else { return program };
    for _ in 0..=random.below(3) {
        let pool = Pool::new(&program, &program.methods[index]);
        let mut method = program.methods[index].clone();
        change(&mut method, &pool, &program, random);
        program.methods[index] = method;
    }
    program
}

fn change(method: &mut Method, pool: &Pool, program: &Program, random: &mut Random) {
    let Some(body) = method.body.clone() else { return };
    let stmts = count_stmts(&body);
    let mut exprs = 0;
    for_each_expr(method, &mut |_| exprs += 1);
    let (stmt, expr) = (random.below(stmts), random.below(exprs));
    let fact = |random: &mut Random| {
        let fact = pool.fact(program, random);
        fact.unwrap_or_else(|| Expr::bool(true, Pos::None))
    };
    let made = |kind| Stmt::new(kind, Pos::None);
    match random.below(14) {
        // Statements go, come twice, or change their order.
        0 => method.body = Some(edit_stmt(body, stmt, &mut |_| Vec::new())),
        1 | 2 => {
            let mut all = Vec::new();
            body.walk_stmts(&mut |s| {
                all.push(s.clone());
                true
            });
            let copied = random.pick(&all).cloned();
            let before = random.one_in(2);
            method.body = Some(edit_stmt(body, stmt, &mut |s| {
                let mut new: Vec<Stmt> = copied.clone().into_iter().collect();
                new.insert(if before { new.len() } else { 0 }, s);
                new
            }));
        }
        // An expression becomes another one.
        3..=5 => edit_expr(method, expr, &mut |e| {
            pool.of_type(&e.ty, random).unwrap_or_else(|| Arc::clone(e))
        }),
        6 => edit_expr(method, expr, &mut |e| tweak(e, random)),
        7 => {
            let labels = method.labels.len();
            edit_expr(method, expr, &mut |e| {
                if !e.is_pure() {
                    return Arc::clone(e);
                }
                let which = if labels > 0 && random.one_in(2) {
                    OldState::Label(LabelId(random.below(labels) as u32))
                } else {
                    OldState::Pre
                };
                Expr::new(ExprKind::Old(which, Arc::clone(e)), e.ty.clone(), e.pos)
            });
        }
        8 => {
            let condition = fact(random);
            method.body = Some(edit_stmt(body, stmt, &mut |s| {
                let then = Block { stmts: vec![s], pos: Pos::None };
                vec![made(StmtKind::If(condition.clone(), then, Block::default()))]
            }));
        }
        9 => {
            let fact = fact(random);
            let kind = match random.below(4) {
                0 => StmtKind::Inhale(fact),
                1 => StmtKind::Exhale(fact),
                _ => StmtKind::Assert(fact),
            };
            method.body = Some(edit_stmt(body, stmt, &mut |s| vec![s, made(kind.clone())]));
        }
        // A label, and a jump back or forth.
        10 => {
            let label = LabelId(method.labels.len() as u32);
            method.labels.push(format!("l{}", label.0).into());
            let invariants: Vec<Arc<Expr>> =
                method.pres.iter().filter(|_| random.one_in(2)).cloned().collect();
            let block = edit_stmt(body, stmt, &mut |s| {
                vec![made(StmtKind::Label(label, invariants.clone())), s]
            });
            let jump = random.below(stmts + 1);
            let condition = fact(random);
            method.body = Some(edit_stmt(block, jump, &mut |s| {
                let stmts = vec![made(StmtKind::Goto(label))];
                let then = Block { stmts, pos: Pos::None };
                vec![s, made(StmtKind::If(condition.clone(), then, Block::default()))]
            }));
        }
        // Contracts say more or less.
        11 => {
            let list = if random.one_in(2) { &mut method.posts } else { &mut method.pres };
            if random.one_in(2) && !list.is_empty() {
                list.remove(random.below(list.len()));
            } else {
                list.push(fact(random));
            }
        }
        12 => {
            let condition = fact(random);
            let mut invariants: Vec<Arc<Expr>> =
                method.pres.iter().filter(|_| !random.one_in(4)).cloned().collect();
            if random.one_in(2) {
                invariants.push(fact(random));
            }
            method.body = Some(edit_stmt(body, stmt, &mut |s| {
                vec![made(StmtKind::While {
                    cond: condition.clone(),
                    invariants: invariants.clone(),
                    decreases: Vec::new(),
                    body: Block { stmts: vec![s], pos: Pos::None },
                })]
            }));
        }
        _ => edit_expr(method, expr, &mut |e| match &e.kind {
            ExprKind::Binary(BinOp::And | BinOp::Implies, a, b) => {
                Arc::clone(if random.one_in(2) { a } else { b })
            }
            _ if e.ty == Type::Bool => {
                Expr::binary_bool(BinOp::And, Arc::clone(e), fact(random), e.pos)
            }
            _ => tweak(e, random),
        }),
    }
}

/// Something near it.
fn tweak(e: &Arc<Expr>, random: &mut Random) -> Arc<Expr> {
    let new = |kind| Expr::new(kind, e.ty.clone(), e.pos);
    match (&e.kind, &e.ty) {
        (ExprKind::Int(n), _) => new(ExprKind::Int(n + BigInt::from(1))),
        (ExprKind::Binary(op, a, b), _) => {
            let op = match op {
                BinOp::Lt => BinOp::Le,
                BinOp::Le => BinOp::Lt,
                BinOp::Eq => BinOp::Ne,
                BinOp::Ne => BinOp::Eq,
                BinOp::Add => BinOp::Sub,
                BinOp::And => BinOp::Implies,
                other => *other,
            };
            new(ExprKind::Binary(op, Arc::clone(a), Arc::clone(b)))
        }
        (ExprKind::Acc(resource, _), _) => {
            let part = match random.below(5) {
                0 => Some(new_amount(ExprKind::WildcardPerm)),
                1 => None,
                2 => Some(amount(1, 3)),
                _ => Some(amount(1, 2)),
            };
            new(ExprKind::Acc(resource.clone(), part))
        }
        (_, Type::Perm) => amount(1, 2 + random.below(3) as i64),
        (_, Type::Bool) if e.is_pure() => Expr::not(Arc::clone(e)),
        (_, Type::Ref) => new(ExprKind::Null),
        _ => Arc::clone(e),
    }
}

fn new_amount(kind: ExprKind) -> Arc<Expr> {
    Expr::new(kind, Type::Perm, Pos::None)
}

/// The program with `refute` statements at random places: each of them fails only if its assertion
/// holds in all states that get there.
#[must_use]
pub fn probe(program: &Program, random: &mut Random) -> Program {
    let mut program = program.clone();
    for index in 0..program.methods.len() {
        let mut method = program.methods[index].clone();
        let Some(body) = method.body.take() else { continue };
        let pool = Pool::new(&program, &method_with(&method, &body));
        let chance = 2 + count_stmts(&body) / 8;
        method.body = Some(probe_block(body, &pool, &program, random, chance));
        program.methods[index] = method;
    }
    program
}

fn method_with(method: &Method, body: &Block) -> Method {
    Method { body: Some(body.clone()), ..method.clone() }
}

/// Not in proof scripts: what they run on may never be.
fn probe_block(
    block: Block,
    pool: &Pool,
    program: &Program,
    random: &mut Random,
    chance: usize,
) -> Block {
    let mut stmts = Vec::new();
    for stmt in block.stmts {
        let stmt = if matches!(stmt.kind, StmtKind::Package(..)) {
            stmt
        } else {
            stmt.map_blocks(|inner| probe_block(inner, pool, program, random, chance))
        };
        let jumps = matches!(stmt.kind, StmtKind::Goto(_));
        stmts.push(stmt);
        if jumps || !random.one_in(chance) {
            continue;
        }
        let asked = if random.one_in(3) { None } else { pool.fact(program, random) };
        let asked = asked.unwrap_or_else(|| Expr::bool(false, Pos::None));
        stmts.push(Stmt::new(StmtKind::Refute(asked), Pos::None));
    }
    Block { stmts, pos: block.pos }
}

/// All programs that are like this one without one statement, contract or part of an expression.
#[must_use]
pub fn smaller(program: &Program) -> Vec<Program> {
    let mut results = Vec::new();
    for index in 0..program.methods.len() {
        let method = &program.methods[index];
        let mut with = |changed: Method| {
            let mut program = program.clone();
            program.methods[index] = changed;
            results.push(program);
        };
        if let Some(body) = &method.body {
            with(Method { body: None, ..method.clone() });
            for n in (0..count_stmts(body)).rev() {
                let gone = edit_stmt(body.clone(), n, &mut |_| Vec::new());
                with(Method { body: Some(gone), ..method.clone() });
                // What is inside stays.
                let mut unwrapped = false;
                let inner = edit_stmt(body.clone(), n, &mut |s| {
                    let mut inner = Vec::new();
                    s.for_each_block(|b| inner.extend(b.stmts.iter().cloned()));
                    unwrapped = !inner.is_empty();
                    inner
                });
                if unwrapped {
                    with(Method { body: Some(inner), ..method.clone() });
                }
            }
        }
        for i in 0..method.pres.len() {
            let mut changed = method.clone();
            changed.pres.remove(i);
            with(changed);
        }
        for i in 0..method.posts.len() {
            let mut changed = method.clone();
            changed.posts.remove(i);
            with(changed);
        }
        let mut exprs = Vec::new();
        for_each_expr(method, &mut |e| exprs.push(Arc::clone(e)));
        for (n, e) in exprs.iter().enumerate() {
            let parts: Vec<Arc<Expr>> = match &e.kind {
                ExprKind::Binary(BinOp::And | BinOp::Implies | BinOp::Or, a, b) => {
                    vec![Arc::clone(a), Arc::clone(b)]
                }
                ExprKind::Binary(BinOp::Add | BinOp::Sub, a, _) => vec![Arc::clone(a)],
                ExprKind::Cond(_, a, b) => vec![Arc::clone(a), Arc::clone(b)],
                ExprKind::Old(_, a) | ExprKind::Unfolding(_, a) => vec![Arc::clone(a)],
                _ => continue,
            };
            for part in parts {
                let mut changed = method.clone();
                edit_expr(&mut changed, n, &mut |_| Arc::clone(&part));
                with(changed);
            }
        }
    }
    results
}
