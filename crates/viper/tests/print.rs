//! The printer: what it prints parses to the tree it was given.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use num_bigint::BigInt;
use report::FileId;
use viper::ast::{
    Annotation, At, BinOp, Block, CollectionKind, Decreases, Define, DefineBody, Domain, Else,
    Expr, ExprKind, Function, Ident, If, Measure, Member, MemberKind, Method, Name, OldLabel,
    Param, Predicate, Program, Quantifier, Spec, SpecKind, Stmt, StmtKind, Trigger, Type, TypeKind,
    UnOp,
};
use viper::{parser, print};

fn e(kind: ExprKind) -> Expr {
    Expr::new(kind, At::default())
}

fn name(text: &str) -> Expr {
    e(ExprKind::Name(Name::from(text)))
}

fn bin(op: BinOp, a: Expr, b: Expr) -> Expr {
    e(ExprKind::Binary(op, a, b))
}

fn neg(a: Expr) -> Expr {
    e(ExprKind::Unary(UnOp::Neg, a))
}

fn field(a: Expr) -> Expr {
    e(ExprKind::Field(a, Ident::new("f")))
}

fn forall(body: Expr) -> Expr {
    let vars = vec![param("x")];
    e(ExprKind::Quant { quantifier: Quantifier::Forall, vars, triggers: vec![], body })
}

fn ty(kind: TypeKind) -> Type {
    Type { kind, at: At::default() }
}

fn param(name: &str) -> Param {
    Param { name: Ident::new(name), ty: ty(TypeKind::Int), at: At::default() }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, at: At::default() }
}

fn member(kind: MemberKind) -> Member {
    Member { annotations: vec![], kind, at: At::default() }
}

fn method(stmts: Vec<Stmt>) -> Program {
    let body = Some(Block { stmts, at: At::default() });
    let method =
        Method { name: Ident::new("m"), params: vec![], returns: vec![], contract: vec![], body };
    Program { members: vec![member(MemberKind::Method(method))] }
}

#[track_caller]
fn round_trips(program: &Program) {
    let text = print::program(program);
    let parsed = parser::parse(FileId(0), &text);
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:?}", parsed.diagnostics);
    assert!(parsed.program == *program, "{text}\n{:#?}", parsed.program);
}

#[track_caller]
fn prints(expr: Expr, expected: &str) {
    assert_eq!(print::expr(&expr), expected);
    round_trips(&method(vec![stmt(StmtKind::Assert(expr))]));
}

#[test]
fn only_the_parentheses_that_are_needed() {
    use BinOp::{Add, And, Div, Eq, Iff, Implies, Lt, Mul, Or, Sub, Wand};
    let [a, b, c] = [name("a"), name("b"), name("c")];
    let abc = |outer, inner, left: bool| {
        let [a, b, c] = [name("a"), name("b"), name("c")];
        if left { bin(outer, bin(inner, a, b), c) } else { bin(outer, a, bin(inner, b, c)) }
    };
    prints(abc(Add, Sub, true), "a - b + c");
    prints(abc(Sub, Add, false), "a - (b + c)");
    prints(abc(Mul, Add, true), "(a + b) * c");
    prints(abc(Add, Mul, false), "a + b * c");
    prints(abc(Div, Mul, true), "a * b / c");
    prints(abc(And, And, false), "a && b && c");
    prints(abc(And, And, true), "(a && b) && c");
    prints(abc(Or, And, true), "a && b || c");
    prints(abc(Eq, Eq, false), "a == b == c");
    prints(abc(Eq, Eq, true), "(a == b) == c");
    prints(abc(Implies, Implies, false), "a ==> b ==> c");
    prints(abc(Implies, Implies, true), "(a ==> b) ==> c");
    prints(abc(Iff, Implies, true), "a ==> b <==> c");
    prints(abc(Implies, Wand, true), "(a --* b) ==> c");
    prints(abc(Implies, Wand, false), "a ==> b --* c");
    prints(abc(Wand, Implies, false), "a --* b ==> c");
    prints(abc(Wand, Wand, true), "(a --* b) --* c");
    prints(abc(Wand, Wand, false), "a --* b --* c");
    prints(abc(Lt, Lt, true), "(a < b) < c");
    prints(abc(Lt, Lt, false), "a < (b < c)");
    let chain = vec![(BinOp::Lt, b.clone()), (BinOp::In, c.clone())];
    prints(e(ExprKind::Chain(a.clone(), chain)), "a < b in c");

    let cond = |a: &Expr, b: &Expr, c: &Expr| e(ExprKind::Cond(a.clone(), b.clone(), c.clone()));
    let abc = cond(&a, &b, &c);
    prints(cond(&a, &abc, &abc), "a ? a ? b : c : a ? b : c");
    prints(cond(&abc, &b, &c), "(a ? b : c) ? b : c");
    prints(bin(And, abc.clone(), abc.clone()), "(a ? b : c) && (a ? b : c)");
    prints(bin(Wand, a.clone(), abc), "a --* a ? b : c");

    prints(field(neg(a.clone())), "(-a).f");
    prints(neg(field(a.clone())), "-a.f");
    prints(neg(neg(a.clone())), "-(-a)");
    prints(bin(Sub, a.clone(), neg(neg(b.clone()))), "a - -(-b)");
    prints(bin(Sub, neg(a.clone()), b.clone()), "-a - b");
    let size = |a: Expr| e(ExprKind::Size(a));
    prints(size(size(a.clone())), "| |a| |");
    prints(bin(Or, size(a.clone()), size(b.clone())), "|a| || |b|");
}

#[test]
fn binders_reach_to_the_end() {
    use BinOp::{And, Eq, Implies};
    let [a, b] = [name("a"), name("b")];
    let all = forall(a.clone());
    prints(bin(And, b.clone(), all.clone()), "b && forall x: Int :: a");
    prints(bin(And, all.clone(), b.clone()), "(forall x: Int :: a) && b");
    let inner = bin(Eq, b.clone(), all.clone());
    prints(bin(And, inner, b.clone()), "b == (forall x: Int :: a) && b");
    prints(e(ExprKind::Unary(UnOp::Not, all.clone())), "!forall x: Int :: a");
    prints(field(all.clone()), "(forall x: Int :: a).f");
    prints(
        e(ExprKind::Cond(all.clone(), all.clone(), all.clone())),
        "(forall x: Int :: a) ? forall x: Int :: a : forall x: Int :: a",
    );
    prints(forall(bin(Implies, a.clone(), b.clone())), "forall x: Int :: a ==> b");
    let annotation =
        Annotation { key: Name::from("k.l"), values: vec![Name::from("v")], at: At::default() };
    let annotated = |a: Expr| e(ExprKind::Annotated(annotation.clone(), a));
    prints(annotated(all), "@k.l(\"v\") forall x: Int :: a");
    prints(annotated(field(a.clone())), "@k.l(\"v\") (a.f)");
    prints(field(annotated(a.clone())), "(@k.l(\"v\") a).f");
    prints(annotated(bin(And, a, b)), "@k.l(\"v\") (a && b)");
}

#[test]
fn a_negative_literal_becomes_a_negation() {
    let literal = e(ExprKind::Int(BigInt::from(-5)));
    assert_eq!(print::expr(&literal), "-5");
    assert_eq!(print::expr(&field(literal.clone())), "(-5).f");
    assert_eq!(print::expr(&neg(literal)), "-(-5)");
}

#[test]
fn statements_do_not_run_into_each_other() {
    let wand = bin(BinOp::Wand, name("a"), name("b"));
    let block = stmt(StmtKind::Block(Block::default()));
    let package = stmt(StmtKind::Package { wand, script: None });
    let program = method(vec![package, block]);
    assert_eq!(print::program(&program), "method m() {\n    package a --* b;\n    {}\n}\n");
    round_trips(&program);

    let range = e(ExprKind::Range(name("a"), name("b")));
    let assign = |target| stmt(StmtKind::Assign { targets: vec![target], value: name("y") });
    let sum = bin(BinOp::Add, name("a"), name("b"));
    round_trips(&method(vec![assign(name("x")), assign(field(range))]));
    round_trips(&method(vec![assign(name("x")), assign(field(sum))]));

    let decreases = |measure, condition| {
        let decreases = Decreases { measure, condition, at: At::default() };
        Spec { kind: SpecKind::Decreases(decreases), at: At::default() }
    };
    let branch = If { cond: name("c"), then: Block::default(), otherwise: None };
    for spec in [
        decreases(Measure::Tuple(vec![]), None),
        decreases(Measure::Tuple(vec![name("a"), name("b")]), None),
        decreases(Measure::Tuple(vec![]), Some(name("a"))),
        decreases(Measure::Wildcard, None),
        decreases(Measure::Wildcard, Some(name("a"))),
        decreases(Measure::Star, None),
    ] {
        let label = StmtKind::Label { name: Ident::new("l"), invariants: vec![spec.clone()] };
        let label = stmt(label);
        round_trips(&method(vec![label.clone(), stmt(StmtKind::If(branch.clone()))]));
        round_trips(&method(vec![label, assign(name("x"))]));
        let function = MemberKind::Function(Function {
            name: Ident::new("f"),
            params: vec![],
            ty: ty(TypeKind::Int),
            contract: vec![spec],
            body: None,
        });
        let (name, items) = (Ident::new("D"), vec![]);
        let domain = Domain { name, type_params: None, interpretations: None, items };
        let domain = member(MemberKind::Domain(domain));
        round_trips(&Program { members: vec![member(function), domain] });
    }
}

#[test]
fn one_line_for_messages() {
    let text = "method m() { while (a) invariant b { x := 1 y := new(*) } }";
    let parsed = parser::parse(FileId(0), text).program;
    let MemberKind::Method(method) = &parsed.members[0].kind else { panic!() };
    let body = method.body.as_ref().unwrap();
    let line = "while (a) invariant b { x := 1; y := new(*) }";
    assert_eq!(print::stmt(&body.stmts[0]), line);
    let map = TypeKind::Map(Box::new(ty(TypeKind::Int)), Box::new(ty(TypeKind::Ref)));
    assert_eq!(print::ty(&ty(TypeKind::Seq(Box::new(ty(map))))), "Seq[Map[Int, Ref]]");
}

/// A small generator of trees, the same in every run.
struct Trees(testing::Random);

impl Trees {
    fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    fn many<T>(&mut self, bound: usize, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(bound)).map(|_| item(self)).collect()
    }

    fn option<T>(&mut self, item: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.below(2) == 0).then(|| item(self))
    }

    fn ident(&mut self) -> Ident {
        Ident::new(self.pick(&["a", "b", "foo", "a_rather_long_name_of_a_variable"]))
    }

    fn param(&mut self) -> Param {
        Param { name: self.ident(), ty: self.ty(2), at: At::default() }
    }

    fn ty(&mut self, depth: usize) -> Type {
        ty(match self.below(if depth == 0 { 4 } else { 8 }) {
            0 => TypeKind::Int,
            1 => TypeKind::Bool,
            2 => TypeKind::Perm,
            3 => TypeKind::Ref,
            4 => TypeKind::Seq(Box::new(self.ty(depth - 1))),
            5 => TypeKind::Map(Box::new(self.ty(depth - 1)), Box::new(self.ty(depth - 1))),
            6 => TypeKind::Macro { name: self.ident(), args: vec![name("x")] },
            _ => {
                let args = self.option(|r| r.many(3, |r| r.ty(depth - 1)));
                TypeKind::Named { name: self.ident(), args }
            }
        })
    }

    fn op(&mut self) -> BinOp {
        use BinOp::*;
        self.pick(&[
            Mul,
            Div,
            IntDiv,
            Mod,
            Add,
            Sub,
            Append,
            Union,
            Intersection,
            Setminus,
            Subset,
            Lt,
            Le,
            Gt,
            Ge,
            In,
            Eq,
            Ne,
            And,
            Or,
            Wand,
            Implies,
            Iff,
        ])
    }

    fn call(&mut self, depth: usize) -> Expr {
        let args = self.many(4, |r| r.expr(depth));
        let ty = if self.below(8) == 0 { Some(Box::new(self.ty(1))) } else { None };
        e(ExprKind::Call { callee: self.ident(), args, ty })
    }

    fn predicate(&mut self, depth: usize) -> Expr {
        let call = e(ExprKind::Call { callee: self.ident(), args: vec![], ty: None });
        match self.below(2) {
            0 => call,
            _ => e(ExprKind::Acc { loc: call, amount: self.option(|r| r.expr(depth)) }),
        }
    }

    fn resource(&mut self, depth: usize) -> Expr {
        match self.below(3) {
            0 => self.call(depth),
            1 => e(ExprKind::Field(self.expr(depth), self.ident())),
            _ => bin(BinOp::Wand, self.expr(depth), self.expr(depth)),
        }
    }

    fn annotation(&mut self) -> Annotation {
        let values = self.many(3, |r| Name::from(r.pick(&["", "x y", "1"])));
        Annotation { key: Name::from("key"), values, at: At::default() }
    }

    fn vars(&mut self) -> Vec<Param> {
        let mut vars = vec![self.param()];
        vars.extend(self.many(3, Self::param));
        vars
    }

    fn expr(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            return match self.below(4) {
                0 => e(ExprKind::Int(BigInt::from(self.below(1000)))),
                1 => e(ExprKind::Null),
                _ => e(ExprKind::Name(self.ident().name)),
            };
        }
        let depth = depth - 1;
        let r = self;
        e(match r.below(36) {
            0..=9 => ExprKind::Binary(r.op(), r.expr(depth), r.expr(depth)),
            10 => {
                let comparisons = [BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge, BinOp::In];
                let mut rest: Vec<(BinOp, Expr)> =
                    (0..2).map(|_| (r.pick(&comparisons), r.expr(depth))).collect();
                rest.extend(r.many(2, |r| (BinOp::Lt, r.expr(depth))));
                ExprKind::Chain(r.expr(depth), rest)
            }
            11 | 12 => ExprKind::Unary(r.pick(&[UnOp::Neg, UnOp::Not]), r.expr(depth)),
            13 | 14 => ExprKind::Cond(r.expr(depth), r.expr(depth), r.expr(depth)),
            15 => ExprKind::Field(r.expr(depth), r.ident()),
            16 => *r.call(depth).kind,
            17 => {
                let loc = match r.below(2) {
                    0 => r.call(depth),
                    _ => e(ExprKind::Field(r.expr(depth), r.ident())),
                };
                ExprKind::Acc { loc, amount: r.option(|r| r.expr(depth)) }
            }
            18 => ExprKind::Perm(r.resource(depth)),
            19 => {
                let labels = [None, Some(OldLabel::Lhs), Some(OldLabel::Label(Ident::new("l")))];
                ExprKind::Old(r.pick(&labels), r.expr(depth))
            }
            20 => ExprKind::Let { var: r.ident(), value: r.expr(depth), body: r.expr(depth) },
            21 | 22 => {
                let quantifier = r.pick(&[Quantifier::Forall, Quantifier::Exists]);
                let vars = r.vars();
                let triggers = r.many(3, |r| {
                    let mut exprs = vec![r.expr(depth)];
                    exprs.extend(r.many(2, |r| r.expr(depth)));
                    Trigger { exprs, at: At::default() }
                });
                ExprKind::Quant { quantifier, vars, triggers, body: r.expr(depth) }
            }
            23 => ExprKind::ForPerm {
                vars: r.vars(),
                resource: r.resource(depth),
                body: r.expr(depth),
            },
            24 => ExprKind::Unfolding(r.predicate(depth), r.expr(depth)),
            25 => ExprKind::Applying(r.expr(depth), r.expr(depth)),
            26 => ExprKind::Asserting(r.expr(depth), r.expr(depth)),
            27 => ExprKind::InhaleExhale(r.expr(depth), r.expr(depth)),
            28 => {
                let kinds = [CollectionKind::Seq, CollectionKind::Set, CollectionKind::Multiset];
                let elems = r.many(4, |r| r.expr(depth));
                let ty = if elems.is_empty() { r.option(|r| Box::new(r.ty(2))) } else { None };
                ExprKind::Collection { kind: r.pick(&kinds), ty, elems }
            }
            29 => {
                let entries = r.many(3, |r| (r.expr(depth), r.expr(depth)));
                let ty = if entries.is_empty() {
                    r.option(|r| Box::new((r.ty(1), r.ty(1))))
                } else {
                    None
                };
                ExprKind::Map { ty, entries }
            }
            30 => ExprKind::Range(r.expr(depth), r.expr(depth)),
            31 => ExprKind::Index(r.expr(depth), r.expr(depth)),
            32 => match r.below(3) {
                0 => ExprKind::Slice(r.expr(depth), None, Some(r.expr(depth))),
                1 => ExprKind::Slice(r.expr(depth), Some(r.expr(depth)), None),
                _ => ExprKind::Slice(r.expr(depth), Some(r.expr(depth)), Some(r.expr(depth))),
            },
            33 => ExprKind::Update(r.expr(depth), r.expr(depth), r.expr(depth)),
            34 => ExprKind::Size(r.expr(depth)),
            _ => ExprKind::Annotated(r.annotation(), r.expr(depth)),
        })
    }

    fn specs(&mut self) -> Vec<Spec> {
        self.many(3, |r| {
            let kind = match r.below(2) {
                0 => SpecKind::Invariant(r.expr(2)),
                _ => SpecKind::Decreases(Decreases {
                    measure: Measure::Tuple(r.many(3, |r| r.expr(1))),
                    condition: r.option(|r| r.expr(1)),
                    at: At::default(),
                }),
            };
            Spec { kind, at: At::default() }
        })
    }

    fn block(&mut self, depth: usize) -> Block {
        Block { stmts: self.many(4, |r| r.stmt(depth)), at: At::default() }
    }

    fn target(&mut self) -> Expr {
        match self.below(3) {
            0 => name("x"),
            1 => e(ExprKind::Field(self.expr(2), self.ident())),
            _ => e(ExprKind::Call { callee: self.ident(), args: vec![], ty: None }),
        }
    }

    fn stmt(&mut self, depth: usize) -> Stmt {
        let r = self;
        stmt(match r.below(if depth == 0 { 13 } else { 18 }) {
            0 => {
                let mut targets = vec![r.target()];
                targets.extend(r.many(2, Self::target));
                let fields = r.option(|r| r.many(3, Self::ident));
                let new = e(ExprKind::New(fields));
                StmtKind::Assign { targets, value: if r.below(4) == 0 { new } else { r.expr(3) } }
            }
            1 => match r.below(2) {
                0 => StmtKind::Call(name("m")),
                _ => {
                    let args = r.many(4, |r| r.expr(2));
                    StmtKind::Call(e(ExprKind::Call { callee: r.ident(), args, ty: None }))
                }
            },
            2 => StmtKind::Var { vars: r.vars(), init: r.option(|r| r.expr(3)) },
            3 => StmtKind::Inhale(r.expr(4)),
            4 => StmtKind::Fold(r.predicate(2)),
            5 => StmtKind::Unfold(r.predicate(2)),
            6 => StmtKind::Apply(r.expr(3)),
            7 => StmtKind::Goto(r.ident()),
            8 => StmtKind::Label { name: r.ident(), invariants: r.specs() },
            9 => StmtKind::Quasihavoc { cond: r.option(|r| r.expr(2)), resource: r.resource(2) },
            10 => StmtKind::QuasihavocAll {
                vars: r.vars(),
                cond: r.option(|r| r.expr(2)),
                resource: r.resource(2),
            },
            11 => StmtKind::Assert(r.expr(5)),
            12 => {
                let body = DefineBody::Expr(r.expr(3));
                let params = r.option(|r| r.many(3, Self::ident));
                StmtKind::Define(Define { name: r.ident(), params, body, at: At::default() })
            }
            13 => StmtKind::Block(r.block(depth - 1)),
            14 => {
                let otherwise = match r.below(3) {
                    0 => None,
                    1 => Some(Else::Block(r.block(depth - 1))),
                    _ => {
                        let next =
                            If { cond: r.expr(2), then: r.block(depth - 1), otherwise: None };
                        Some(Else::If(Box::new(next), At::default()))
                    }
                };
                StmtKind::If(If { cond: r.expr(3), then: r.block(depth - 1), otherwise })
            }
            15 => {
                let (cond, specs) = (r.expr(2), r.specs());
                StmtKind::While { cond, specs, body: r.block(depth - 1) }
            }
            16 => StmtKind::Annotated(r.annotation(), Box::new(r.stmt(depth - 1))),
            _ => StmtKind::Package { wand: r.expr(3), script: r.option(|r| r.block(depth - 1)) },
        })
    }
}

#[test]
fn arbitrary_trees_round_trip() {
    let mut random = Trees(testing::Random::new(0x2545_f491_4f6c_dd1d));
    for _ in 0..rounds() {
        let stmts = random.many(6, |r| r.stmt(2));
        let mut program = method(stmts);
        let body = Some(random.expr(4));
        let predicate = Predicate { name: random.ident(), params: vec![], body };
        program.members.push(member(MemberKind::Predicate(predicate)));
        round_trips(&program);
        let text = print::program(&program);
        assert_eq!(viper::fmt::format(&text).unwrap(), text);
    }
}

/// A longer search: `LANCEHEAD_ROUNDS=100000 cargo test`.
fn rounds() -> usize {
    std::env::var("LANCEHEAD_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(500)
}
