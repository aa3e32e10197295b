//! Short ways to make core nodes, and names for new declarations.

use std::collections::HashSet;
use std::sync::Arc;

use report::Pos;

use crate::ast::{Name, Quantifier};
use crate::core::{
    BinOp, Block, DomainFunctionId, Expr, ExprKind, Info, Local, LocalId, OldState, Program,
    ReportAs, Stmt, StmtKind, Type,
};

/// Adds a variable to a member that nobody wrote. Names of locals need not be unique.
pub(super) fn fresh(locals: &mut Vec<Local>, name: &str, ty: Type, pos: Pos) -> LocalId {
    let id = LocalId(locals.len() as u32);
    locals.push(Local::made_up(name, ty, pos));
    id
}

/// The value of a variable.
pub(super) fn local(id: LocalId, ty: Type, pos: Pos) -> Arc<Expr> {
    Expr::new(ExprKind::Local(id), ty, pos)
}

/// An integer literal.
pub(super) fn int(value: usize, pos: Pos) -> Arc<Expr> {
    Expr::new(ExprKind::Int(value.into()), Type::Int, pos)
}

/// `a == b`
pub(super) fn eq(a: Arc<Expr>, b: Arc<Expr>, pos: Pos) -> Arc<Expr> {
    Expr::binary_bool(BinOp::Eq, a, b, pos)
}

/// `old(e)`
pub(super) fn old(e: &Arc<Expr>) -> Arc<Expr> {
    Expr::new(ExprKind::Old(OldState::Pre, Arc::clone(e)), e.ty.clone(), e.pos)
}

/// `f(args)` of a domain with these type arguments.
pub(super) fn domain_call(
    program: &Program,
    function: DomainFunctionId,
    args: Vec<Arc<Expr>>,
    types: &[Type],
    pos: Pos,
) -> Arc<Expr> {
    let ty = program.domain_function(function).ty.substitute(types);
    Expr::new(ExprKind::DomainCall(function, args, types.into()), ty, pos)
}

/// `f(args)` of a domain whose type arguments follow from the types of the arguments.
pub(super) fn domain_call_inferred(
    program: &Program,
    function: DomainFunctionId,
    args: Vec<Arc<Expr>>,
    pos: Pos,
) -> Arc<Expr> {
    let declaration = program.domain_function(function);
    let count = program.domain(declaration.domain).type_params.len();
    let mut types = vec![None; count];
    for ((_, param), arg) in declaration.params.iter().zip(&args) {
        match_types(param, &arg.ty, &mut types);
    }
    let types: Vec<Type> = types.into_iter().map(|ty| ty.unwrap_or(Type::Int)).collect();
    domain_call(program, function, args, &types, pos)
}

/// Finds out what the type parameters in `param` stand for if the whole is `arg`.
pub(crate) fn match_types(param: &Type, arg: &Type, found: &mut [Option<Type>]) {
    match (param, arg) {
        (Type::Param(i), _) => {
            if let Some(slot @ None) = found.get_mut(*i as usize) {
                *slot = Some(arg.clone());
            }
        }
        (Type::Seq(p), Type::Seq(a))
        | (Type::Set(p), Type::Set(a))
        | (Type::Multiset(p), Type::Multiset(a)) => match_types(p, a, found),
        (Type::Map(p), Type::Map(a)) => {
            match_types(&p.0, &a.0, found);
            match_types(&p.1, &a.1, found);
        }
        (Type::Domain(_, ps), Type::Domain(_, args)) => {
            for (p, a) in ps.iter().zip(args.iter()) {
                match_types(p, a, found);
            }
        }
        _ => {}
    }
}

/// A function of a domain with so many type parameters, if it has exactly this signature. A user may
/// have declared domains with the names of those in the standard library, but other functions.
pub(super) fn library_function(
    program: &Program,
    (domain, type_params): (&str, usize),
    name: &str,
    params: &[Type],
) -> Option<DomainFunctionId> {
    let domain = program.domain(program.find_domain(domain)?);
    let fits = |id: &&DomainFunctionId| {
        let function = program.domain_function(**id);
        function.name.as_str() == name
            && function.ty == Type::Bool
            && function.params.iter().map(|(_, ty)| ty).eq(params)
    };
    let found = domain.functions.iter().find(fits).copied();
    found.filter(|_| domain.type_params.len() == type_params)
}

/// `forall vars :: triggers body`; the body itself if there are no variables.
pub(super) fn forall(
    vars: Vec<LocalId>,
    triggers: Vec<Vec<Arc<Expr>>>,
    body: Arc<Expr>,
    pos: Pos,
) -> Arc<Expr> {
    if vars.is_empty() {
        return body;
    }
    let quantifier = Quantifier::Forall;
    Expr::new(ExprKind::Quant { quantifier, vars, triggers, body }, Type::Bool, pos)
}

/// `inhale e`
pub(super) fn inhale(e: Arc<Expr>, pos: Pos) -> Stmt {
    Stmt::new(StmtKind::Inhale(e), pos)
}

/// `inhale false`: what follows is not looked at.
pub(super) fn stop(pos: Pos) -> Stmt {
    inhale(Expr::bool(false, pos), pos)
}

/// `assert e` with its own error.
pub(super) fn assert(e: Arc<Expr>, report: ReportAs, pos: Pos) -> Stmt {
    let info = Info { annotations: Vec::new(), report: Some(report) };
    Stmt { kind: StmtKind::Assert(e), pos, info: Some(Arc::new(info)) }
}

/// `if (cond) { then } else { otherwise }`; nothing if both are empty.
pub(super) fn branch(
    cond: Arc<Expr>,
    then: Vec<Stmt>,
    otherwise: Vec<Stmt>,
    pos: Pos,
) -> Vec<Stmt> {
    let block = |stmts| Block { stmts, pos };
    match (then.is_empty(), otherwise.is_empty()) {
        (true, true) => Vec::new(),
        (true, false) => {
            let cond = Expr::not(cond);
            vec![Stmt::new(StmtKind::If(cond, block(otherwise), block(then)), pos)]
        }
        (false, _) => vec![Stmt::new(StmtKind::If(cond, block(then), block(otherwise)), pos)],
    }
}

/// A variable of type `Bool` with an arbitrary value, its declaration, and its value.
pub(super) fn nondet(locals: &mut Vec<Local>, name: &str, pos: Pos) -> (Stmt, Arc<Expr>) {
    let id = fresh(locals, name, Type::Bool, pos);
    (Stmt::new(StmtKind::Var(id), pos), local(id, Type::Bool, pos))
}

/// All names of declarations of a program, to find new ones.
pub(super) struct Names(HashSet<Name>);

impl Names {
    pub(super) fn new(program: &Program) -> Names {
        let mut names = HashSet::new();
        for domain in &program.domains {
            names.insert(domain.name.clone());
            names.extend(domain.axioms.iter().filter_map(|axiom| axiom.name.clone()));
        }
        names.extend(program.domain_functions.iter().map(|f| f.name.clone()));
        names.extend(program.fields.iter().map(|f| f.name.clone()));
        names.extend(program.functions.iter().map(|f| f.name.clone()));
        names.extend(program.predicates.iter().map(|p| p.name.clone()));
        names.extend(program.methods.iter().map(|m| m.name.clone()));
        Names(names)
    }

    /// The wish, or the wish with a number.
    pub(super) fn unique(&mut self, wish: &str) -> Name {
        let mut name = Name::from(wish);
        let mut count = 0;
        while !self.0.insert(name.clone()) {
            name = Name::from(format!("{wish}{count}"));
            count += 1;
        }
        name
    }
}
