//! Where a run starts: any state in which a precondition, or an invariant with the condition of its loop, holds
//! on exactly what is owned.

use std::sync::Arc;

use spl::core::{Clause, Expr, Procedure, Type};

use crate::exec::Activation;
use crate::machine::{Env, Found, Machine, Result, Stop};
use crate::value::{Footprint, Heap, Value};

/// So many attempts to find a state; each changes the last value that matters.
const ATTEMPTS: usize = 1500;

impl<'p> Machine<'p> {
    /// A state in which the precondition of a procedure holds.
    pub fn begin(&mut self, procedure: &'p Procedure) -> Result<Option<Activation<'p>>> {
        let all = procedure.requires.iter().map(|c| &c.expr).collect();
        let heap = Arc::new(self.state.heap.clone());
        self.begin_with(procedure, all, heap)
    }

    /// A state in which the body of a loop starts: nothing is known of how it was before the loop.
    pub fn begin_turn(
        &mut self,
        procedure: &'p Procedure,
        invariants: &'p [Clause],
        cond: &'p Expr,
    ) -> Result<Option<Activation<'p>>> {
        let mut all: Vec<&'p Expr> = invariants.iter().map(|c| &c.expr).collect();
        all.push(cond);
        let base = self.state.next_base;
        self.state.next_base += 1;
        self.begin_with(procedure, all, Arc::new(Heap { base, ..Heap::default() }))
    }

    fn begin_with(
        &mut self,
        procedure: &'p Procedure,
        all: Vec<&'p Expr>,
        old: Arc<Heap>,
    ) -> Result<Option<Activation<'p>>> {
        self.lazy = Some(0);
        let found = self.search(ATTEMPTS, |m| {
            let mut env = Env::new(&procedure.locals, old.clone());
            let owned = m.star(&mut env, all.clone())?;
            for (local, value) in procedure.locals.iter().zip(&mut env.locals) {
                if value.is_none() {
                    *value = Some(m.any(&local.ty, procedure.span)?);
                }
            }
            m.allocate_others(&owned);
            m.state.owned = owned;
            if m.broken_forest(&env, procedure.span)?.is_some() || !m.axioms_hold(&env)? {
                return Err(Stop::Fails);
            }
            Ok(env)
        });
        self.lazy = None;
        Ok(match found? {
            Found::Yes(env) => {
                self.doubt = self.inexact;
                self.doubtful_start = self.inexact;
                Some(Activation { procedure, initial: env.locals.clone(), env })
            }
            Found::No { .. } => None,
        })
    }

    /// What is owned is allocated, and so are some other locations.
    fn allocate_others(&mut self, owned: &Footprint) {
        let mut allocated = owned.clone();
        let types: Vec<Type> = self.state.count.keys().cloned().collect();
        for ty in types {
            for at in 1..=self.count(&ty) {
                if self.random.below(3) == 0 {
                    continue;
                }
                allocated.insert((ty.clone(), Value::Location(at)));
                if let (Type::Array(of), false) = (&ty, self.simple_arrays) {
                    for index in 0..self.length(of, at) {
                        allocated.insert((Type::Cell(of.clone()), Value::Cell(at, index)));
                    }
                }
            }
        }
        self.state.allocated = allocated;
    }

    /// Axioms hold in the beginning; where that cannot be found out, there is doubt.
    fn axioms_hold(&mut self, env: &Env<'p>) -> Result<bool> {
        let program = self.program;
        for axiom in &program.axioms {
            let mut inner = Env::new(&axiom.locals, env.old.clone());
            match self.bool(&mut inner, &axiom.expr) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(Stop::Unknown(..)) => self.inexact = true,
                Err(stop) => return Err(stop),
            }
        }
        Ok(true)
    }
}
