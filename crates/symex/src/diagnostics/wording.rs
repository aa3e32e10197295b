//! Expressions of other members in the words of the one that is verified: what a contract or a body
//! says of its parameters, it says of the arguments where it is used.
//!
//! Nothing is done before a message needs it; a state only remembers who asked ([`Caller`]).

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use report::Pos;
use rpds::{HashTrieMap, List};
use viper::ast::Name;
use viper::core::rename::Renaming;
use viper::core::{Expr, ExprKind, LabelId, Local, LocalId, Program, Type};

use crate::state::{BranchCondition, Heap, Owner, State, Store};

/// The state in which a contract or body of another member is used.
#[derive(Debug)]
pub(crate) struct Caller {
    pub owner: Owner,
    pub store: Store,
    pub scope: List<LocalId>,
    pub old: Option<Heap>,
    pub labels: HashTrieMap<LabelId, Heap>,
    /// What stands for the first variables of the other member.
    pub args: Vec<Arc<Expr>>,
    /// Who uses the member in which this happens.
    pub up: Option<Rc<Caller>>,
}

/// A longer text of an expression is cut.
const LONGEST: usize = 240;
/// A longer condition of a path is.
const LONGEST_CONDITION: usize = 100;
/// A larger argument is not written out.
const LARGEST: usize = 40;
/// So many conditions of a path are shown, the last ones.
const CONDITIONS: usize = 5;

/// An expression of the state's member as the user would write it in the member being verified.
pub(crate) fn wording(program: &Program, state: &State, expr: &Arc<Expr>, owner: Owner) -> String {
    let caller = state.caller.as_ref().filter(|_| owner == state.owner);
    shorten(&words(program, expr, owner, caller), LONGEST)
}

fn words(program: &Program, expr: &Arc<Expr>, owner: Owner, caller: Option<&Rc<Caller>>) -> String {
    let translated = caller.and_then(|caller| in_words_of_member(program, expr, owner, caller));
    match translated {
        Some((expr, locals, member)) => {
            viper::unparse::expr_text(program, &locals, member.labels(program), &expr)
        }
        None => owner.text(program, expr),
    }
}

/// The last conditions of a path, outermost first and each once, and how many there are besides.
pub(crate) fn path_wording(
    program: &Program,
    branches: &List<BranchCondition>,
) -> (Vec<String>, usize) {
    let mut shown: Vec<String> = Vec::new();
    let mut rest = HashSet::new();
    for b in branches {
        if shown.len() == CONDITIONS {
            rest.insert(b.id());
            continue;
        }
        // What a callee calls `old` is not what the caller does.
        if b.caller.is_some() && b.expr.any(|e| matches!(e.kind, ExprKind::Old(..))) {
            continue;
        }
        let text = words(program, &b.expr, b.owner, b.caller.as_ref());
        let text = shorten(&text, LONGEST_CONDITION);
        let text = if b.taken { text } else { format!("!({text})") };
        if !shown.contains(&text) {
            shown.push(text);
        }
    }
    shown.reverse();
    (shown, rest.len())
}

/// An expression in the words of the outermost caller, with the variables that there are then.
/// `None` if it cannot be said in them.
pub(crate) fn in_words_of_member(
    program: &Program,
    expr: &Arc<Expr>,
    owner: Owner,
    caller: &Rc<Caller>,
) -> Option<(Arc<Expr>, Vec<Local>, Owner)> {
    if expr.any(|e| matches!(e.kind, ExprKind::Old(..) | ExprKind::Result)) {
        return None;
    }
    let mut chain = vec![caller];
    while let Some(up) = chain.last().and_then(|c| c.up.as_ref()) {
        chain.push(up);
    }
    let root = chain.last()?.owner;
    let mut locals = root.locals(program).to_vec();
    let declared = locals.len();
    // What stands for the parameters of the member further in, in the words of the outermost.
    let mut actuals: Option<Vec<Arc<Expr>>> = None;
    let mut ellipses = HashSet::new();
    for caller in chain.iter().rev() {
        let mut args = Vec::new();
        for arg in &caller.args {
            let arg = match &actuals {
                Some(actuals) => replace(program, arg, caller.owner, actuals, &mut locals),
                None => Arc::clone(arg),
            };
            args.push(if size(&arg, LARGEST) > LARGEST {
                let id = ellipsis(&arg, &mut locals);
                ellipses.insert(id);
                variable(id, &arg.ty)
            } else {
                arg
            });
        }
        actuals = Some(args);
    }
    let expr = replace(program, expr, owner, &actuals?, &mut locals);
    tell_apart(&expr, &mut locals, |id| id.index() >= declared && !ellipses.contains(id));
    Some((expr, locals, root))
}

/// An expression with others for its parameters, and with values for variables of `let`.
fn replace(
    program: &Program,
    expr: &Arc<Expr>,
    owner: Owner,
    actuals: &[Arc<Expr>],
    locals: &mut Vec<Local>,
) -> Arc<Expr> {
    let expr = without_lets(program, expr, owner);
    let mut renaming = Renaming::new(owner.locals(program), locals);
    renaming.replace_params(actuals.iter().cloned());
    renaming.expr(&expr)
}

/// An expression from within `let`, with the values of the variables that are bound around it.
fn without_lets(program: &Program, expr: &Arc<Expr>, owner: Owner) -> Arc<Expr> {
    let mut expr = Arc::clone(expr);
    // Each round is for the variables that the values of the one before mention.
    for _ in 0..8 {
        let free = free_locals(&expr);
        let values: HashMap<LocalId, Arc<Expr>> =
            free.iter().filter_map(|id| Some((*id, let_value(program, owner, *id)?))).collect();
        if values.is_empty() {
            break;
        }
        expr = expr.substitute(&|id| values.get(&id).cloned());
    }
    expr
}

/// The value of a variable that is bound by a `let` in the contract or body of a member.
fn let_value(program: &Program, owner: Owner, local: LocalId) -> Option<Arc<Expr>> {
    let (params, exprs): (u32, Vec<&Arc<Expr>>) = match owner {
        Owner::Method(id) => {
            let m = program.method(id);
            (m.params + m.returns, m.pres.iter().chain(&m.posts).collect())
        }
        Owner::Function(id) => {
            let f = program.function(id);
            (f.params, f.pres.iter().chain(&f.posts).chain(&f.body).collect())
        }
        Owner::Predicate(id) => {
            let p = program.predicate(id);
            (p.params, p.body.iter().collect())
        }
    };
    if local.0 < params {
        return None;
    }
    let mut found = None;
    for e in exprs {
        e.walk(&mut |e| {
            if let ExprKind::Let(id, value, _) = &e.kind
                && *id == local
            {
                found = Some(Arc::clone(value));
            }
            found.is_none()
        });
    }
    found
}

/// The member that is verified, and the values of its variables.
pub(crate) fn root(state: &State) -> (Owner, &Store) {
    let (mut owner, mut store) = (state.owner, &state.store);
    let mut up = state.caller.as_ref();
    while let Some(caller) = up {
        (owner, store) = (caller.owner, &caller.store);
        up = caller.up.as_ref();
    }
    (owner, store)
}

/// The variables of an expression that are not bound in it. Each binder has identifiers of its own.
pub(crate) fn free_locals(e: &Arc<Expr>) -> HashSet<LocalId> {
    let (mentioned, bound) = locals_of(e);
    &mentioned - &bound
}

/// The variables that an expression mentions, and those that it binds.
fn locals_of(e: &Arc<Expr>) -> (HashSet<LocalId>, HashSet<LocalId>) {
    let (mut mentioned, mut bound) = (HashSet::new(), HashSet::new());
    e.walk(&mut |e| {
        match &e.kind {
            ExprKind::Local(id) => drop(mentioned.insert(*id)),
            ExprKind::Let(id, ..) => drop(bound.insert(*id)),
            ExprKind::Quant { vars, .. } | ExprKind::ForPerm(vars, ..) => bound.extend(vars),
            _ => {}
        }
        true
    });
    (mentioned, bound)
}

/// Gives variables that came from elsewhere other names than those that are declared here.
fn tell_apart(e: &Arc<Expr>, locals: &mut [Local], is_foreign: impl Fn(&LocalId) -> bool) {
    let (mentioned, bound) = locals_of(e);
    let mut taken: HashSet<Name> = mentioned
        .iter()
        .filter(|id| !is_foreign(id))
        .filter_map(|id| locals.get(id.index()).map(|l| l.name.clone()))
        .collect();
    let mut foreign: Vec<LocalId> = mentioned.union(&bound).copied().filter(&is_foreign).collect();
    foreign.sort_unstable();
    for id in foreign {
        let Some(local) = locals.get_mut(id.index()) else { continue };
        let wish = local.name.clone();
        let mut count = 0;
        while !taken.insert(local.name.clone()) {
            count += 1;
            local.name = Name::from(format!("{wish}_{count}"));
        }
    }
}

/// How many nodes an expression has; more than `limit` is not counted.
fn size(e: &Arc<Expr>, limit: usize) -> usize {
    let mut nodes = 0;
    e.walk(&mut |_| {
        nodes += 1;
        nodes <= limit
    });
    nodes
}

/// A variable that stands for an expression which is too large to be read.
fn ellipsis(e: &Arc<Expr>, locals: &mut Vec<Local>) -> LocalId {
    let id = LocalId(locals.len() as u32);
    locals.push(Local::made_up("…", e.ty.clone(), Pos::None));
    id
}

/// A variable as an expression.
pub(crate) fn variable(id: LocalId, ty: &Type) -> Arc<Expr> {
    Expr::new(ExprKind::Local(id), ty.clone(), Pos::None)
}

/// The beginning of a text that is too long, on one line.
pub(crate) fn shorten(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_string();
    }
    let mut short: String = text.chars().take(longest - 1).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}
