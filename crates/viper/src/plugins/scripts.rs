//! Calls in the proof scripts of wands must end.
//!
//! A script is executed when its wand is applied, if at all: `applying … in …` only says what would hold
//! then. Were a call in it not to end, the wand could promise anything, also to code that is reached.
//!
//! ```text
//! package A --* B { m() }   becomes   package A --* B { assert false  m() }
//! ```
//!
//! unless `m` visibly ends: it has a termination measure, or neither loops nor recursion, or it recurses
//! only with part of an instance of a predicate that its precondition gives it. Abstract methods are
//! believed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use report::Pos;

use super::build::assert;
use crate::core::{
    BinOp, Block, Decreases, Expr, ExprKind, LabelId, MappedReason, Measure, Method, MethodId,
    PredicateId, Program, ReportAs, Resource, Stmt, StmtKind,
};

/// With calls nested deeper than this, it is not visible whether they end.
const MAX_DEPTH: usize = 500;

/// Adds the checks.
pub(super) fn apply(program: &mut Program) {
    let mut ends = Ends { program, known: HashMap::new(), around: Vec::new() };
    let called = called_in_scripts(program);
    let endless: HashSet<MethodId> = called.into_iter().filter(|m| !ends.method(*m)).collect();
    if endless.is_empty() {
        return;
    }
    for method in &mut program.methods {
        method.body = method.body.take().map(|body| {
            body.flat_map(&mut |stmt| match stmt.kind {
                StmtKind::Package(wand, script) => {
                    let kind = StmtKind::Package(wand, check_calls(script, &endless));
                    vec![Stmt { kind, ..stmt }]
                }
                _ => vec![stmt],
            })
        });
    }
}

/// A script with a check before each call that may not end. Scripts in it have theirs already.
fn check_calls(script: Block, endless: &HashSet<MethodId>) -> Block {
    let stmts = script.stmts.into_iter().flat_map(|stmt| {
        let check = match &stmt.kind {
            StmtKind::Call { method, .. } if endless.contains(method) => Some(never(stmt.pos)),
            _ => None,
        };
        let stmt = match stmt.kind {
            StmtKind::Package(..) => stmt,
            _ => stmt.map_blocks(|block| check_calls(block, endless)),
        };
        check.into_iter().chain([stmt])
    });
    Block { stmts: stmts.collect(), pos: script.pos }
}

fn never(pos: Pos) -> Stmt {
    let message = "Method might not terminate. In a proof script it needs a termination measure.";
    let report = ReportAs::Error {
        id: "termination.failed".into(),
        reason: MappedReason::Own("termination.condition.false".into()),
        pos,
        message: message.into(),
    };
    assert(Expr::bool(false, pos), report, pos)
}

/// The methods that scripts call.
fn called_in_scripts(program: &Program) -> HashSet<MethodId> {
    let mut called = HashSet::new();
    for body in program.methods.iter().filter_map(|m| m.body.as_ref()) {
        body.walk_stmts(&mut |stmt| {
            if let StmtKind::Package(_, script) = &stmt.kind {
                script.walk_stmts(&mut |stmt| {
                    if let StmtKind::Call { method, .. } = stmt.kind {
                        called.insert(method);
                    }
                    true
                });
            }
            !matches!(stmt.kind, StmtKind::Package(..))
        });
    }
    called
}

/// Which methods visibly end.
struct Ends<'a> {
    program: &'a Program,
    known: HashMap<MethodId, bool>,
    /// Those that are being looked at: each calls the next one.
    around: Vec<MethodId>,
}

impl Ends<'_> {
    fn method(&mut self, id: MethodId) -> bool {
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        // Of methods that call each other, none is known to end, whichever is looked at first.
        if self.around.contains(&id) || self.around.len() > MAX_DEPTH {
            return false;
        }
        let method = self.program.method(id);
        self.around.push(id);
        let ends = match &method.body {
            _ if !method.decreases.is_empty() => has_measure(&method.decreases),
            Some(body) => self.body(id, method, body),
            None => true,
        };
        self.around.pop();
        self.known.insert(id, ends);
        ends
    }

    fn body(&mut self, id: MethodId, method: &Method, body: &Block) -> bool {
        let mut all = true;
        let mut recursive = false;
        let mut labels: HashSet<LabelId> = HashSet::new();
        body.walk_stmts(&mut |stmt| {
            match &stmt.kind {
                StmtKind::While { decreases, .. } => all &= has_measure(decreases),
                StmtKind::Label(label, _) => {
                    labels.insert(*label);
                }
                // Back to where it was before.
                StmtKind::Goto(label) => all &= !labels.contains(label),
                StmtKind::Call { method, .. } if *method == id => recursive = true,
                StmtKind::Call { method, .. } => all = all && self.method(*method),
                _ => {}
            }
            all
        });
        all && (!recursive || descends(self.program, id, method, body))
    }
}

/// Is termination claimed, whatever the arguments?
fn has_measure(clauses: &[Decreases]) -> bool {
    let claims = |d: &Decreases| d.condition.is_none() && !matches!(d.measure, Measure::Star);
    clauses.iter().any(claims)
}

/// Does a method call itself only with part of an instance of a predicate that it was given? Such an
/// instance is finite. It is the only one that there is, it is unfolded first, and none are made.
fn descends(program: &Program, id: MethodId, method: &Method, body: &Block) -> bool {
    let candidates = method.pres.iter().flat_map(conjuncts).filter_map(|e| match &e.kind {
        ExprKind::Acc(Resource::Predicate(predicate, ..), None) => Some(*predicate),
        _ => None,
    });
    candidates.into_iter().any(|predicate| {
        let given: usize = method.pres.iter().map(|e| gives(program, e, predicate)).sum();
        given == 1 && unfolds_first(id, body, predicate) && makes_none(program, body, predicate)
    })
}

/// Is an instance of a predicate unfolded before any call of the method?
fn unfolds_first(id: MethodId, body: &Block, predicate: PredicateId) -> bool {
    for stmt in &body.stmts {
        if let StmtKind::Unfold(access) = &stmt.kind
            && access.predicate == predicate
            && access.amount.is_none()
        {
            return true;
        }
        let mut called = false;
        let mut jumps = false;
        let stmt = Block { stmts: vec![stmt.clone()], pos: stmt.pos };
        stmt.walk_stmts(&mut |stmt| {
            called |= matches!(stmt.kind, StmtKind::Call { method, .. } if method == id);
            jumps |= matches!(stmt.kind, StmtKind::Goto(_));
            true
        });
        if called || jumps {
            return false;
        }
    }
    false
}

/// Does nothing in a body make instances of a predicate, as a whole or in others?
fn makes_none(program: &Program, body: &Block, predicate: PredicateId) -> bool {
    let mut none = true;
    body.walk_stmts(&mut |stmt| {
        none &= match &stmt.kind {
            StmtKind::Fold(access) => !reaches(program, access.predicate, predicate),
            StmtKind::Inhale(e) => e.is_pure(),
            StmtKind::Call { method, .. } => {
                let posts = &program.method(*method).posts;
                posts.iter().all(|e| gives(program, e, predicate) == 0)
            }
            StmtKind::Package(..) | StmtKind::Apply(_) => false,
            _ => true,
        };
        none
    });
    none
}

/// How many instances of a predicate an assertion gives; more than one if that is not clear.
fn gives(program: &Program, e: &Arc<Expr>, predicate: PredicateId) -> usize {
    const MANY: usize = 2;
    let mut count = 0;
    for part in conjuncts(e) {
        count += match &part.kind {
            ExprKind::Acc(Resource::Predicate(p, ..), None) if *p == predicate => 1,
            _ => {
                let mut found = false;
                part.walk(&mut |e| {
                    found |= match &e.kind {
                        ExprKind::Acc(Resource::Predicate(p, ..), _) => {
                            reaches(program, *p, predicate)
                        }
                        ExprKind::Wand(_) => true,
                        _ => false,
                    };
                    !found
                });
                if found { MANY } else { 0 }
            }
        };
    }
    count
}

/// Is an instance of `inner` part of an instance of `outer`, or may it be?
fn reaches(program: &Program, outer: PredicateId, inner: PredicateId) -> bool {
    let mut seen = HashSet::from([outer]);
    let mut pending = vec![outer];
    while let Some(predicate) = pending.pop() {
        if predicate == inner {
            return true;
        }
        let Some(body) = &program.predicate(predicate).body else { continue };
        body.walk(&mut |e| {
            if let ExprKind::Acc(Resource::Predicate(p, ..), _) = &e.kind
                && seen.insert(*p)
            {
                pending.push(*p);
            }
            true
        });
    }
    false
}

fn conjuncts(e: &Arc<Expr>) -> Vec<&Arc<Expr>> {
    match &e.kind {
        ExprKind::Binary(BinOp::And, a, b) => {
            let mut parts = conjuncts(a);
            parts.extend(conjuncts(b));
            parts
        }
        _ => vec![e],
    }
}
