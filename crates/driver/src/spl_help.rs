//! Abduction as a help [PWZ13, Sec. 7]: a conjunct with which a failed member verifies.
//!
//! Conjuncts are made of what can be mentioned: that something is not null, is owned, is not negative, is below the
//! length of an array, that a predicate of the program holds, that a field is as it was. Each is put into a precondition,
//! an invariant or a postcondition. Runs sort out most of them within milliseconds: those with which the program
//! still fails, and those with which the place of the failure is never reached, so that anything could be proved
//! there. What is left is verified before it is said.

use std::time::{Duration, Instant};

use rac::{Config, End, Run};
use report::{Diagnostic, SourceMap, Span, Status};
use spl::ast::{
    Contract, ContractKind, DeclKind, Expr, Invariant, Mods, Program as Ast, Stmt, StmtKind,
};
use spl::core::{self, Ghost, Name, Procedure, Program, Type};

/// Looking for help ends after this, for one error.
const TIME: Duration = Duration::from_secs(2);

/// Runs with which a conjunct is tried.
const RUNS: u64 = 24;

/// No more conjuncts are tried for an error.
const TRIES: usize = 160;

/// Where something is missing.
#[derive(Clone, Debug, PartialEq)]
enum Place {
    Precondition,
    /// Of the loop that is there.
    Invariant(Span),
    /// Of this procedure.
    Postcondition(Name),
}

/// What can be mentioned, and its type.
type Mention = (String, Type);

/// A program with an error in one of its members.
pub(crate) struct Failed<'a> {
    pub ast: &'a Ast,
    pub program: &'a Program,
    pub error: &'a Diagnostic,
}

impl Failed<'_> {
    /// Something with which the member verifies, as a sentence.
    pub fn help(&self, config: &vc::Config) -> Option<String> {
        let start = Instant::now();
        let member = self.error.member.as_deref()?;
        let procedure = self.program.procedures.get(member)?;
        let span = self.error.pos.span()?;
        let turn = rac::enclosing_loop(procedure, &self.error.id, span);
        let mut tried = 0;
        for place in self.places(procedure, turn) {
            for text in self.conjuncts(procedure, &place) {
                tried += 1;
                if start.elapsed() > TIME || tried > TRIES {
                    return None;
                }
                let Some(program) = self.with(procedure, &place, &text) else { continue };
                if !self.passes(&program, &procedure.name, &place, span)? {
                    continue;
                }
                let left = TIME.saturating_sub(start.elapsed());
                if verifies(&program, &procedure.name, &place, config, left) {
                    return Some(sentence(&place, &text, &procedure.name));
                }
            }
        }
        None
    }

    /// The invariant of the loop from which the place is verified, or the precondition; then postconditions of what
    /// is called.
    fn places(&self, procedure: &Procedure, turn: Option<&core::Stmt>) -> Vec<Place> {
        let mut places = vec![match turn {
            Some(turn) => Place::Invariant(turn.span),
            None => Place::Precondition,
        }];
        let mut called = Vec::new();
        if let Some(body) = &procedure.body {
            body.walk(&mut |stmt| {
                if let core::StmtKind::Call(_, name, _) = &stmt.kind {
                    called.push(name.clone());
                }
                stmt.each_expr(&mut |e| {
                    e.walk(&mut |e| {
                        if let core::ExprKind::Call(name, _) = &*e.kind {
                            called.push(name.clone());
                        }
                    });
                });
                if let core::StmtKind::While(..) = &stmt.kind {
                    // What is known after a loop is its invariant.
                    places.push(Place::Invariant(stmt.span));
                }
            });
        }
        called.sort();
        called.dedup();
        // Without a body a contract is trusted: what it should say is not for us to guess.
        called.retain(|name| self.program.procedures.get(name).is_some_and(|p| p.body.is_some()));
        places.extend(called.into_iter().take(3).map(Place::Postcondition));
        let mut seen = Vec::new();
        places.retain(|place| {
            let new = !seen.contains(place);
            seen.push(place.clone());
            new
        });
        places
    }

    /// Conjuncts that may be missing at a place, the simplest first.
    fn conjuncts(&self, procedure: &Procedure, place: &Place) -> Vec<String> {
        let owner = match place {
            Place::Postcondition(name) => self.program.procedures.get(name).unwrap_or(procedure),
            _ => procedure,
        };
        let variables = mentions(owner, place);
        let of = |wanted: fn(&Type) -> bool| {
            variables.iter().filter(move |(_, ty)| wanted(ty)).map(|(name, _)| name.clone())
        };
        let references: Vec<String> = of(Type::is_reference).collect();
        let numbers: Vec<String> = of(|ty| *ty == Type::Int).collect();
        let arrays: Vec<String> = of(|ty| matches!(ty, Type::Array(_))).collect();
        let mut found: Vec<String> = Vec::new();
        if self.error.id == "division.by.zero" {
            found.extend(numbers.iter().map(|n| format!("{n} != 0")));
        }
        found.extend(references.iter().map(|x| format!("{x} != null")));
        found.extend(of(|ty| *ty == Type::Bool).flat_map(|b| [b.clone(), format!("!{b}")]));
        for n in &numbers {
            found.extend(arrays.iter().map(|a| format!("0 <= {n} < {a}.length")));
            found.extend(arrays.iter().map(|a| format!("0 <= {n} <= {a}.length")));
            found.extend([format!("{n} >= 0"), format!("{n} > 0"), format!("{n} != 0")]);
        }
        found.extend(arrays.iter().map(|a| format!("{a}.length > 0")));
        let links = self.links(&variables);
        found.extend(references.iter().map(|x| format!("acc({x})")));
        if let Place::Postcondition(_) = place {
            found.extend(self.unchanged(&variables));
            for r in &owner.returns {
                let Some(result) = owner.locals.get(r.local.0 as usize) else { continue };
                let same =
                    variables.iter().filter(|(n, ty)| *ty == result.ty && **n != *result.name);
                found.extend(same.map(|(name, _)| format!("{} == {name}", result.name)));
            }
        }
        found.extend(self.instances(&variables));
        for (i, a) in numbers.iter().enumerate() {
            for b in numbers.iter().skip(i + 1) {
                found.extend([format!("{a} <= {b}"), format!("{b} <= {a}"), format!("{a} < {b}")]);
            }
        }
        for (i, (a, ty)) in variables.iter().enumerate().filter(|(_, (_, ty))| ty.is_reference()) {
            let others = variables.iter().skip(i + 1).filter(|(_, other)| other == ty);
            found.extend(others.map(|(b, _)| format!("{a} != {b}")));
        }
        found.extend(links.iter().map(|(x, _)| format!("{x} != null")));
        found.extend(links.iter().map(|(x, _)| format!("acc({x})")));
        let mut all = variables.clone();
        all.extend(links);
        found.extend(self.instances(&all));
        let mut seen = Vec::new();
        found.retain(|text| {
            let new = !seen.contains(text);
            seen.push(text.clone());
            new
        });
        found
    }

    /// Fields of variables that lead somewhere.
    fn links(&self, variables: &[Mention]) -> Vec<Mention> {
        let mut found = Vec::new();
        for (name, ty) in variables {
            let Type::Struct(owner) = ty else { continue };
            for (field, declared) in &self.program.fields {
                if declared.owner == *owner && declared.ty.is_reference() {
                    found.push((format!("{name}.{field}"), declared.ty.clone()));
                }
            }
        }
        found
    }

    /// `x.f == old(x.f)`
    fn unchanged(&self, variables: &[Mention]) -> Vec<String> {
        let mut found = Vec::new();
        for (name, ty) in variables {
            let Type::Struct(owner) = ty else { continue };
            let fields = self.program.fields.iter().filter(|(_, f)| f.owner == *owner);
            found.extend(fields.map(|(f, _)| format!("{name}.{f} == old({name}.{f})")));
        }
        found
    }

    /// Instances of predicates: the first reference is not null, none is there twice.
    fn instances(&self, mentions: &[Mention]) -> Vec<String> {
        let mut found = Vec::new();
        for predicate in self.program.predicates.values().filter(|p| p.body.is_some()) {
            let mut all: Vec<Vec<String>> = vec![Vec::new()];
            for param in &predicate.params {
                let Some(local) = predicate.locals.get(param.local.0 as usize) else { continue };
                let mut next = Vec::new();
                for args in &all {
                    let mut choices: Vec<String> = Vec::new();
                    if local.ty.is_reference() && !args.is_empty() {
                        choices.push("null".to_owned());
                    }
                    let fitting = mentions.iter().filter(|(_, ty)| *ty == local.ty);
                    choices.extend(fitting.map(|(name, _)| name.clone()));
                    // `lseg(x, x.next)` says little but that there is a cycle where `x` is owned, too.
                    let part = |a: &String, b: &String| a.starts_with(&format!("{b}."));
                    let fits =
                        |c: &String| args.iter().all(|a| a != c && !part(a, c) && !part(c, a));
                    for choice in choices.into_iter().filter(|c| fits(c)) {
                        let mut args = args.clone();
                        args.push(choice);
                        next.push(args);
                    }
                }
                next.truncate(24);
                all = next;
            }
            found.extend(all.iter().map(|args| format!("{}({})", predicate.name, args.join(", "))));
        }
        found
    }

    /// The program with a conjunct, if it is well-formed and says something that is not there yet.
    fn with(&self, procedure: &Procedure, place: &Place, text: &str) -> Option<Program> {
        let expr = parse(text)?;
        let mut ast = self.ast.clone();
        let owner = match place {
            Place::Postcondition(name) => name,
            _ => &procedure.name,
        };
        let mut added = false;
        for decl in &mut ast.decls {
            let DeclKind::Procedure { name, contracts, body, .. } = &mut decl.kind else {
                continue;
            };
            if name.name != *owner {
                continue;
            }
            match place {
                Place::Invariant(span) => {
                    let Some(body) = body else { continue };
                    added |= add_invariant(body, *span, &expr);
                }
                place => {
                    let kind = match place {
                        Place::Precondition => ContractKind::Requires,
                        _ => ContractKind::Ensures,
                    };
                    let same = |c: &Contract| c.kind == kind && says(&c.expr, &expr);
                    if contracts.iter().any(same) {
                        return None;
                    }
                    let (mods, at) = (Mods::default(), expr.at);
                    contracts.push(Contract { kind, mods, expr: expr.clone(), at });
                    added = true;
                }
            }
        }
        if !added {
            return None;
        }
        spl::check(&ast).program
    }

    /// Do runs neither fail nor miss the place? None if nothing can be run.
    fn passes(&self, program: &Program, name: &Name, place: &Place, span: Span) -> Option<bool> {
        let procedure = program.procedures.get(name)?;
        let turn = rac::enclosing_loop(procedure, &self.error.id, span);
        let (mut ended, mut reached) = (0, false);
        for seed in 0..RUNS {
            let size = 1 + (seed % 4) as u32;
            let config = Config { seed, size, modular: seed % 2 == 1, steps: 20_000 };
            let mut runs: Vec<Run<'_>> = Vec::new();
            if let Some(turn) = turn {
                runs.push(rac::run_turn(program, procedure, turn, &config));
            }
            if turn.is_none() || seed < 4 {
                runs.push(rac::run(program, procedure, &config));
            }
            if let Place::Postcondition(callee) = place
                && let Some(callee) = program.procedures.get(callee)
            {
                runs.push(rac::run(program, callee, &config));
            }
            for ran in runs {
                match ran.end {
                    End::Fault(_) => return Some(false),
                    End::Returned => ended += 1,
                    _ => {}
                }
                reached |= ran
                    .visited
                    .iter()
                    .any(|s| s.file == span.file && s.start <= span.start && span.end <= s.end);
            }
            if seed == 8 && ended == 0 {
                return Some(false);
            }
        }
        Some(reached && ended >= 3)
    }
}

/// Variables by which something can be said at a place.
fn mentions(owner: &Procedure, place: &Place) -> Vec<Mention> {
    let local = |id: core::LocalId| owner.locals.get(id.0 as usize);
    let params = owner.params.iter().filter(|p| p.ghost != Ghost::Implicit);
    let mut found: Vec<Mention> =
        params.filter_map(|p| local(p.local)).map(|l| (l.name.to_string(), l.ty.clone())).collect();
    match place {
        Place::Precondition => {}
        Place::Postcondition(_) => {
            let results = owner.returns.iter().filter_map(|r| local(r.local));
            // What is said of results is likelier to be missing.
            let results: Vec<Mention> =
                results.map(|l| (l.name.to_string(), l.ty.clone())).collect();
            found.splice(0..0, results);
        }
        Place::Invariant(_) => {
            // Locals come after parameters, and bound variables after both: what is not in scope does not check.
            let all = owner.locals.iter().map(|l| (l.name.to_string(), l.ty.clone()));
            found.extend(all.take(16));
        }
    }
    let mut seen = Vec::new();
    found.retain(|mention| {
        let new = !seen.contains(mention);
        seen.push(mention.clone());
        new
    });
    found
}

/// Does an assertion say this already?
fn says(clause: &Expr, conjunct: &Expr) -> bool {
    use spl::ast::{BinOp, ExprKind};
    match &*clause.kind {
        ExprKind::Binary(BinOp::SepStar | BinOp::And, a, b) => {
            says(a, conjunct) || says(b, conjunct)
        }
        _ => clause == conjunct,
    }
}

fn add_invariant(stmt: &mut Stmt, span: Span, expr: &Expr) -> bool {
    let here = stmt.at.0 == span;
    match &mut stmt.kind {
        StmtKind::Block(all) | StmtKind::Choose(all) => {
            all.iter_mut().any(|s| add_invariant(s, span, expr))
        }
        StmtKind::If(_, then, otherwise) => {
            let found = add_invariant(then, span, expr);
            otherwise.as_mut().is_some_and(|s| add_invariant(s, span, expr)) || found
        }
        StmtKind::While { invariants, body, .. } => {
            if here && !invariants.iter().any(|i| says(&i.expr, expr)) {
                let (mods, at) = (Mods::default(), expr.at);
                invariants.push(Invariant { mods, expr: expr.clone(), at });
                return true;
            }
            add_invariant(body, span, expr)
        }
        _ => false,
    }
}

/// An expression, from text that we made.
fn parse(text: &str) -> Option<Expr> {
    let text = format!("procedure p() requires {text}");
    let file = SourceMap::new().add("help", text.as_str());
    let parsed = spl::parser::parse(file, &text);
    parsed.program.decls.into_iter().find_map(|decl| match decl.kind {
        DeclKind::Procedure { contracts, .. } => contracts.into_iter().next().map(|c| c.expr),
        _ => None,
    })
}

fn verifies(
    program: &Program,
    name: &Name,
    place: &Place,
    config: &vc::Config,
    time: Duration,
) -> bool {
    let mut members = vec![name.to_string()];
    if let Place::Postcondition(callee) = place {
        members.push(callee.to_string());
    }
    let config = vc::Config {
        members,
        jobs: 1,
        timeout: Some(time),
        goal_timeout: time,
        second_try: 0,
        dump_smt: None,
        ..config.clone()
    };
    let verdict = vc::verify(program, &config);
    !verdict.members.is_empty() && verdict.status() == Status::Verified
}

fn sentence(place: &Place, text: &str, member: &Name) -> String {
    match place {
        Place::Precondition => format!("it verifies with `requires {text}`"),
        Place::Invariant(_) => format!("it verifies with `invariant {text}`"),
        Place::Postcondition(name) if name == member => {
            format!("it verifies with `ensures {text}`")
        }
        Place::Postcondition(name) => {
            format!("it verifies if `{name}` has `ensures {text}`, which holds")
        }
    }
}
