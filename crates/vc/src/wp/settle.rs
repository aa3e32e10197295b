//! What is known of terms that substitution made.
//!
//! The translation tells what is to be known of a term where it makes it: that a location occurs, what a function
//! without a body promises in this heap, that sets which are arguments are equal if their elements are. Of terms over
//! variables that is of no use, since these are replaced. So it is told again of the terms of the whole formula.

use std::collections::HashSet;

use smt::{Node, Op, Sort, Term};
use spl::core::Type;

use crate::definitions::Definition;
use crate::translate::{Env, Heap, Result};
use crate::wp::lower::Lowering;

impl Lowering<'_> {
    /// Forgets what was told of variables, and tells it of the terms of a formula.
    pub fn settle(&mut self, formula: Term) -> Result<()> {
        self.forget_variables();
        let mut seen = HashSet::new();
        // A term, and whether its truth may be asked for both ways.
        let mut pending = vec![(formula, false)];
        while let Some((term, both)) = pending.pop() {
            if !seen.insert((term, both)) {
                continue;
            }
            let terms = &self.translator.logic.terms;
            let closed = terms.free(term).is_empty();
            let children = terms.children(term);
            let mut inside = both;
            match terms.node(term).clone() {
                Node::Op(Op::Eq, args) if terms.sort(term) == Sort::Bool => {
                    let (Some(a), Some(b)) = (args.first(), args.last()) else { continue };
                    inside |= terms.sort(*a) == Sort::Bool;
                    let ty = self.translator.logic.ty(terms.sort(*a));
                    if let (Type::Set(of), true) = (ty, both) {
                        self.translator.logic.extensional(&of, *a, *b);
                    }
                }
                Node::Op(Op::Ite, _) | Node::Quant(_) => inside = true,
                Node::App(fun, args) if closed => {
                    let name = terms.signature.fun(fun).name.clone();
                    let ty = self.translator.logic.ty(terms.sort(term));
                    if name.starts_with("read.") {
                        self.translator.logic.mark(&ty, term);
                    }
                    if let Type::Datatype(name) = &ty {
                        self.translator.logic.occurs_value(self.program, name, term);
                    }
                    if let Some(name) = name.strip_prefix("fun.") {
                        self.settle_function(name, &args)?;
                    }
                }
                _ => {}
            }
            pending.extend(children.into_iter().map(|child| (child, inside)));
        }
        Ok(())
    }

    /// A function of a heap and arguments occurs.
    fn settle_function(&mut self, name: &str, args: &[Term]) -> Result<()> {
        let name = name.strip_suffix('\'').unwrap_or(name);
        let found = self.program.functions.get_key_value(name).map(|(name, _)| name);
        let found =
            found.or_else(|| self.program.predicates.get_key_value(name).map(|(name, _)| name));
        let Some(definition) = found.and_then(|name| Definition::find(self.program, name)) else {
            return Ok(());
        };
        let reads = self.translator.definitions.reads.get(definition.name());
        let reads = reads.into_iter().flatten().cloned();
        let heap = Heap { values: reads.zip(args.iter().copied()).collect() };
        let args: Vec<Term> = args.iter().copied().skip(heap.values.len()).collect();
        let env = Env { locals: Default::default(), heap: &heap, old: &heap };
        self.translator.defined_again(&env, definition, &args)
    }

    /// Axioms about variables say nothing of what replaced these.
    fn forget_variables(&mut self) {
        let variables: HashSet<Term> = self.variables().collect();
        let logic = &mut self.translator.logic;
        let mut axioms = std::mem::take(&mut logic.axioms);
        axioms.retain(|axiom| {
            let mut seen = HashSet::new();
            let mut pending = vec![*axiom];
            while let Some(term) = pending.pop() {
                if variables.contains(&term) {
                    return false;
                }
                if seen.insert(term) {
                    pending.extend(logic.terms.children(term));
                }
            }
            true
        });
        logic.axioms = axioms;
    }
}
