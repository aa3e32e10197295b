//! Spatial assertions: a formula and one exact footprint for each type, per alternative.
//!
//! [PWZ13, Fig. 4] with disjunctions: `tr` gives structure and footprint; a disjunction gives several
//! alternatives, of which one holds. What is assumed has its existential variables as constants; what
//! is to be proved has them determined by equations, or else quantified.

use std::collections::{BTreeMap, HashMap};

use report::Span;
use smt::{Node, Op, Quant, Quantifier, Term};
use spl::core::{BinOp, Clause, Expr, ExprKind, Quantifier as Q, Type};

use crate::translate::{Env, Result, Translator, unsupported};

/// More alternatives than this are refused.
const MAX_ALTERNATIVES: usize = 64;

/// Something that holds in an alternative.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub term: Term,
    pub span: Span,
    pub what: What,
}

/// What a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// What the formula says.
    Formula,
    /// Regions of a `&*&`.
    Disjoint,
    /// Footprints that are to be equal or included.
    Footprint,
}

/// One of the ways in which an assertion holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alternative {
    /// Constants for existential variables.
    pub vars: Vec<Term>,
    pub facts: Vec<Fact>,
    /// By type; where there is none it is empty.
    pub footprint: BTreeMap<Type, Term>,
}

impl Translator<'_> {
    /// The alternatives of an assertion.
    pub fn spatial(&mut self, env: &Env<'_>, e: &Expr) -> Result<Vec<Alternative>> {
        let span = e.span;
        if e.ty != Type::Perm {
            if let ExprKind::Binary(BinOp::And, a, b) = &*e.kind {
                // Each conjunct is said by itself.
                let (a, b) = (self.spatial(env, a)?, self.spatial(env, b)?);
                return self.product(&a, &b, span, |_, _, _, _| {});
            }
            let term = self.term(env, e)?;
            let facts = vec![Fact { term, span, what: What::Formula }];
            return Ok(vec![Alternative { facts, ..Alternative::default() }]);
        }
        match &*e.kind {
            ExprKind::Emp => Ok(vec![Alternative::default()]),
            ExprKind::Acc(location) => {
                let ty = location.ty.clone();
                let location = self.term(env, location)?;
                let set = self.logic.singleton(&ty, location);
                let facts = self.not_null(&ty, set, span);
                let footprint = BTreeMap::from([(ty, set)]);
                Ok(vec![Alternative { facts, footprint, vars: Vec::new() }])
            }
            ExprKind::AccSet(set) => {
                let Type::Set(of) = &set.ty else { return unsupported(span, "this set") };
                let set = self.term(env, set)?;
                let facts = self.not_null(of, set, span);
                let footprint = BTreeMap::from([((**of).clone(), set)]);
                Ok(vec![Alternative { facts, footprint, vars: Vec::new() }])
            }
            ExprKind::PointsTo(location, read, value) => {
                let ty = location.ty.clone();
                let location = self.term(env, location)?;
                let (read, value) = (self.term(env, read)?, self.term(env, value)?);
                let term = self.logic.terms.eq(read, value);
                let set = self.logic.singleton(&ty, location);
                let mut facts = vec![Fact { term, span, what: What::Formula }];
                facts.extend(self.not_null(&ty, set, span));
                let footprint = BTreeMap::from([(ty, set)]);
                Ok(vec![Alternative { facts, footprint, vars: Vec::new() }])
            }
            ExprKind::Predicate(name, args) => {
                if let Some(predicate) = self.symbol(name) {
                    let args = self.terms(env, args)?;
                    return self.occurrence(env, predicate, &args, span);
                }
                let (predicate, body) = self.predicate(name, span)?;
                let args = self.terms(env, args)?;
                let inner = self.bind(env, &predicate.params, args);
                let mut alternatives = self.inside(name, |t| t.spatial(&inner, body))?;
                // The user wrote the predicate here.
                for fact in alternatives.iter_mut().flat_map(|a| &mut a.facts) {
                    fact.span = span;
                }
                Ok(alternatives)
            }
            ExprKind::Binary(op, a, b) => self.connective(env, *op, a, b, span),
            ExprKind::Cond(c, a, b) => {
                // c ? A : B  is  c &*& A || !c &*& B
                let yes = self.term(env, c)?;
                let no = self.logic.terms.not(yes);
                let mut all = Vec::new();
                for (guard, side) in [(yes, a), (no, b)] {
                    let fact = Fact { term: guard, span: c.span, what: What::Formula };
                    for mut alternative in self.spatial(env, side)? {
                        alternative.facts.insert(0, fact.clone());
                        all.push(alternative);
                    }
                }
                if all.len() > MAX_ALTERNATIVES {
                    return unsupported(span, "an assertion with so many alternatives");
                }
                Ok(all)
            }
            ExprKind::Quant(Q::Exists, vars, body) => {
                let mut inner = env.clone();
                let mut constants = Vec::new();
                for var in vars {
                    let mut ty = Type::Int;
                    body.walk(&mut |e| {
                        if matches!(&*e.kind, ExprKind::Local(local) if local == var) {
                            ty = e.ty.clone();
                        }
                    });
                    let constant = self.logic.fresh("some", &ty);
                    constants.push(constant);
                    inner.locals.insert(*var, constant);
                }
                let mut alternatives = self.spatial(&inner, body)?;
                for alternative in &mut alternatives {
                    alternative.vars.extend(&constants);
                }
                Ok(alternatives)
            }
            _ => unsupported(span, "this spatial assertion"),
        }
    }

    /// In a definition: what is owned is not `null`. Elsewhere it is known from what is allocated.
    fn not_null(&mut self, ty: &Type, set: Term, span: Span) -> Vec<Fact> {
        if !self.in_definition || !ty.is_reference() {
            return Vec::new();
        }
        let null = self.logic.null(ty);
        let elements = self.logic.singletons(ty, set);
        let is_in = match elements[..] {
            [element] if self.logic.singleton(ty, element) == set => {
                self.logic.terms.eq(element, null)
            }
            _ => self.logic.member(ty, null, set),
        };
        let term = self.logic.terms.not(is_in);
        vec![Fact { term, span, what: What::Formula }]
    }

    fn connective(
        &mut self,
        env: &Env<'_>,
        op: BinOp,
        a: &Expr,
        b: &Expr,
        span: Span,
    ) -> Result<Vec<Alternative>> {
        if op == BinOp::Implies {
            // b ==> A  is  (!b) || (b &*& A)
            let guard = self.term(env, a)?;
            let not = self.logic.terms.not(guard);
            let fact = |term| Fact { term, span: a.span, what: What::Formula };
            let mut all = vec![Alternative { facts: vec![fact(not)], ..Alternative::default() }];
            for mut alternative in self.spatial(env, b)? {
                alternative.facts.insert(0, fact(guard));
                all.push(alternative);
            }
            return Ok(all);
        }
        let left = self.spatial(env, a)?;
        let right = self.spatial(env, b)?;
        match op {
            BinOp::Or => {
                let mut all = left;
                all.extend(right);
                if all.len() > MAX_ALTERNATIVES {
                    return unsupported(span, "an assertion with so many alternatives");
                }
                Ok(all)
            }
            BinOp::SepStar => self.product(&left, &right, span, |t, a, b, result| {
                for (ty, mine) in &a.footprint {
                    let Some(other) = b.footprint.get(ty) else { continue };
                    let term = t.logic.disjoint(ty, *mine, *other);
                    result.facts.push(Fact { term, span, what: What::Disjoint });
                }
            }),
            BinOp::SepPlus => self.product(&left, &right, span, |_, _, _, _| {}),
            BinOp::SepIncl => self.product(&left, &right, span, |t, a, b, result| {
                result.footprint.clone_from(&b.footprint);
                for (ty, mine) in &a.footprint {
                    let empty = t.logic.empty(ty);
                    let other = b.footprint.get(ty).copied().unwrap_or(empty);
                    let term = t.logic.subset(ty, *mine, other);
                    result.facts.push(Fact { term, span, what: What::Footprint });
                }
            }),
            BinOp::And => self.product(&left, &right, span, |t, a, b, result| {
                result.footprint.clone_from(&a.footprint);
                let types: Vec<Type> =
                    a.footprint.keys().chain(b.footprint.keys()).cloned().collect();
                for ty in types {
                    let empty = t.logic.empty(&ty);
                    let mine = a.footprint.get(&ty).copied().unwrap_or(empty);
                    let other = b.footprint.get(&ty).copied().unwrap_or(empty);
                    let term = t.logic.terms.eq(mine, other);
                    if !result.facts.iter().any(|f| f.term == term) {
                        result.facts.push(Fact { term, span, what: What::Footprint });
                    }
                }
            }),
            _ => unsupported(span, format!("`{}` between spatial assertions", op.text())),
        }
    }

    /// Each alternative of one side with each of the other. The footprint is the union, unless the
    /// rule of the connective says otherwise.
    fn product(
        &mut self,
        left: &[Alternative],
        right: &[Alternative],
        span: Span,
        rule: impl Fn(&mut Self, &Alternative, &Alternative, &mut Alternative),
    ) -> Result<Vec<Alternative>> {
        if left.len() * right.len() > MAX_ALTERNATIVES {
            return unsupported(span, "an assertion with so many alternatives");
        }
        let mut all = Vec::new();
        for a in left {
            for b in right {
                let mut result = a.clone();
                result.vars.extend(b.vars.iter().copied());
                result.facts.extend(b.facts.iter().cloned());
                for (ty, set) in &b.footprint {
                    let both = match result.footprint.get(ty) {
                        Some(mine) => self.logic.union(ty, *mine, *set),
                        None => *set,
                    };
                    result.footprint.insert(ty.clone(), both);
                }
                rule(self, a, b, &mut result);
                all.push(result);
            }
        }
        Ok(all)
    }

    /// Clauses of one kind, joined by `&*&`; pure ones say nothing about footprints.
    pub fn clauses<'c>(
        &mut self,
        env: &Env<'_>,
        clauses: impl IntoIterator<Item = &'c Clause>,
    ) -> Result<Vec<Alternative>> {
        let mut all = vec![Alternative::default()];
        for clause in clauses {
            let next = self.spatial(env, &clause.expr)?;
            all = self.product(&all, &next, clause.span, |t, a, b, result| {
                for (ty, mine) in &a.footprint {
                    let Some(other) = b.footprint.get(ty) else { continue };
                    let term = t.logic.disjoint(ty, *mine, *other);
                    result.facts.push(Fact { term, span: clause.span, what: What::Disjoint });
                }
            })?;
        }
        Ok(all)
    }

    /// Replaces variables that an equation or an instance of a predicate determines. What is left has to be
    /// guessed by the solver.
    pub fn determine(&mut self, alternative: &mut Alternative, vars: &[Term]) -> Vec<Term> {
        let mut open: Vec<Term> = vars.to_vec();
        loop {
            let by_equation = alternative.facts.iter().find_map(|fact| {
                let Node::Op(Op::Eq, args) = self.logic.terms.node(fact.term) else { return None };
                let [a, b] = args[..] else { return None };
                [(a, b), (b, a)]
                    .into_iter()
                    .find(|(var, value)| open.contains(var) && !self.mentions(*value, *var))
            });
            let found = by_equation.or_else(|| {
                let facts: Vec<Term> = alternative.facts.iter().map(|f| f.term).collect();
                facts.into_iter().find_map(|fact| self.determined_by(fact, &open))
            });
            let Some((var, value)) = found else { return open };
            let map = HashMap::from([(var, value)]);
            for fact in &mut alternative.facts {
                fact.term = self.logic.terms.substitute(fact.term, &map);
            }
            for set in alternative.footprint.values_mut() {
                *set = self.logic.terms.substitute(*set, &map);
            }
            open.retain(|v| *v != var);
        }
    }

    pub fn mentions(&self, term: Term, what: Term) -> bool {
        let mut pending = vec![term];
        let mut seen = std::collections::HashSet::new();
        while let Some(term) = pending.pop() {
            if term == what {
                return true;
            }
            if seen.insert(term) {
                pending.extend(self.logic.terms.children(term));
            }
        }
        false
    }

    /// For some values of constants.
    pub fn exists(&mut self, vars: &[Term], formula: Term) -> Term {
        if vars.is_empty() {
            return formula;
        }
        let mut map = HashMap::new();
        let mut bound = Vec::new();
        for var in vars {
            let sort = self.logic.terms.sort(*var);
            let (b, term) = self.logic.terms.bound_var("some", sort);
            map.insert(*var, term);
            bound.push(b);
        }
        let body = self.logic.terms.substitute(formula, &map);
        self.logic.terms.quant(Quant {
            quantifier: Quantifier::Exists,
            vars: bound,
            triggers: Vec::new(),
            body,
            name: "exists".into(),
            weight: None,
        })
    }
}
