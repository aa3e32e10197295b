//! Spatial interpolation modulo theories [ABCK15, Sec. 5, Fig. 6, 17, 18]: shapes along a path get refinements with
//! second-order variables, the proof of the path gives Horn clauses, and their solution is put back in.

use std::time::Instant;

use arith::Sum;
use horn::{Clause, Outcome, Query, RelId, Relation, Solution, Solver, System};

use crate::defs::Defs;
use crate::entail::entails;
use crate::exec::{Command, execute_all};
use crate::rsep::{Applied, Arg, Atom, Formula, HTerm, Refinement, is_rigid, rigid};

/// Disjuncts of known formulas that are put into a clause.
const MOST_CASES: usize = 64;

/// Second-order variables that have been solved.
#[derive(Clone, Debug, Default)]
pub struct Solved {
    relations: Vec<Relation>,
    /// Their formulas.
    pub solution: Vec<horn::Formula>,
}

impl Solved {
    /// These variables have these formulas.
    #[must_use]
    pub fn of(relations: Vec<Relation>, solution: Vec<horn::Formula>) -> Solved {
        Solved { relations, solution }
    }

    /// Do clauses about solved variables hold?
    #[must_use]
    pub fn satisfies(&self, clauses: &[Clause]) -> bool {
        horn::check_clauses(clauses, &self.solution).is_ok()
    }

    /// For printers.
    #[must_use]
    pub fn as_solution(&self) -> Solution {
        Solution { formulas: self.solution.clone() }
    }

    /// Are the data of a state contradictory?
    #[must_use]
    pub fn refutes(&self, state: &Formula) -> bool {
        self.satisfies(&[contradiction(state)])
    }
}

/// `false ← Φ`.
#[must_use]
pub fn contradiction(state: &Formula) -> Clause {
    let body = state.queries.iter().filter(|query| !is_rigid(query.rel)).cloned().collect();
    Clause { head: None, body, facts: state.facts.clone() }
}

/// A place on a path that gets an annotation.
#[derive(Clone, Debug)]
pub struct Point {
    /// The shape there.
    pub shape: Formula,
    /// Data variables that may be mentioned.
    pub live: Vec<usize>,
    /// Which location it is.
    pub group: u32,
    /// Data variables that may be put below a hole, as far as the tree around it is concerned.
    pub within: Vec<usize>,
}

/// What must hold at the end of a path.
#[derive(Clone, Copy, Debug)]
pub enum Goal<'a> {
    /// It is not reached.
    Unreachable,
    /// This, whose second-order variables are solved.
    Formula(&'a Formula),
}

/// A path to be refined: it starts in a formula whose variables are solved.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    /// Where it starts.
    pub start: &'a Formula,
    /// Places on it.
    pub points: &'a [Point],
    /// Commands before the first point, between points, and behind the last one.
    pub segments: &'a [Vec<Command>],
    /// What must hold behind them.
    pub goal: Goal<'a>,
}

/// Refined formulas for the points of a path; `None` if the shapes do not allow it, or no solution is found.
pub fn refine(
    path: &Path<'_>,
    defs: &Defs,
    solved: &mut Solved,
    solvers: &mut [&mut dyn Solver],
    deadline: Option<Instant>,
) -> Option<Vec<Formula>> {
    let known = solved.relations.len();
    let mut system = System { relations: solved.relations.clone(), clauses: Vec::new() };
    let hats: Vec<Formula> =
        path.points.iter().map(|point| with_refinements(point, defs, &mut system)).collect();
    let clauses = constraints(path, &hats, defs)?;
    for clause in clauses {
        system.clauses.extend(without_known(&clause, known, &solved.solution)?);
    }
    let Outcome::Solved(solution) = horn::solve(&system, solvers, deadline) else { return None };
    let new = solution.formulas.into_iter().skip(known);
    solved.solution.extend(new);
    solved.relations = system.relations;
    Some(hats)
}

/// The clauses that a proof along a path asks for; `None` if there is no proof of its shapes.
fn constraints(path: &Path<'_>, hats: &[Formula], defs: &Defs) -> Option<Vec<Clause>> {
    let mut clauses = Vec::new();
    let mut before = path.start;
    for (index, segment) in path.segments.iter().enumerate() {
        let executed = execute_all(segment, before, defs);
        clauses.extend(executed.faults.iter().map(contradiction));
        clauses.extend(executed.clauses.iter().cloned());
        let after = match (hats.get(index), path.goal) {
            (Some(hat), _) => hat,
            (None, Goal::Formula(goal)) => goal,
            (None, Goal::Unreachable) => {
                clauses.extend(executed.states.iter().map(contradiction));
                break;
            }
        };
        for state in &executed.states {
            // A state whose data cannot be need not have the shape.
            match entails(state, after, defs) {
                Some(proof) => clauses.extend(proof.clauses),
                None => clauses.push(contradiction(state)),
            }
        }
        before = after;
    }
    Some(clauses)
}

/// The shape with fresh second-order variables: one for its data, and one for each refinement (the hat of Fig. 6).
pub(crate) fn with_refinements(point: &Point, defs: &Defs, system: &mut System) -> Formula {
    let mut hat = point.shape.without_data();
    let live: Vec<Sum> = point.live.iter().map(|var| Sum::var(*var as u32)).collect();
    let base = point.group * 64;
    let mut args = live.clone();
    let mut instances = 0;
    let mut holes: Vec<(HTerm, RelId, usize)> = Vec::new();
    for atom in &mut hat.atoms {
        match atom {
            Atom::Context(context) => {
                let pred = defs.pred(context.pred);
                let inside = rigid(system.relations.len() as u32);
                for (place, arity) in pred.refs.iter().enumerate() {
                    instances += 1;
                    let name = format!("{}{}_{instances}", pred.name, point.group);
                    let group = Some(base + (instances + place as u32).min(63));
                    let rel = system.relation(name, arity + live.len(), group, false);
                    let bound = (0..*arity).map(Arg::Bound);
                    let args = bound.chain(live.iter().cloned().map(Arg::Term)).collect();
                    context.refs.push(Refinement { atoms: vec![Applied { rel, args }] });
                }
                context.inside = Some(inside);
                holes.push((context.hole, inside, pred.refs.first().copied().unwrap_or(0)));
            }
            Atom::Cell(cell) => args.extend(cell.data.iter().cloned()),
            Atom::Pred(instance) => {
                let pred = defs.pred(instance.pred);
                for (place, arity) in pred.refs.iter().enumerate() {
                    instances += 1;
                    let name = format!("{}{}_{instances}", pred.name, point.group);
                    let group = Some(base + (instances + place as u32).min(63));
                    let rel = system.relation(name, arity + live.len(), group, false);
                    let bound = (0..*arity).map(Arg::Bound);
                    let args = bound.chain(live.iter().cloned().map(Arg::Term)).collect();
                    instance.refs.push(Refinement { atoms: vec![Applied { rel, args }] });
                }
            }
        }
    }
    for (hole, inside, arity) in holes {
        let all = Applied { rel: inside, args: (0..arity).map(Arg::Bound).collect() };
        for atom in &mut hat.atoms {
            if let Atom::Pred(instance) = atom
                && instance.args.as_slice() == [hole]
                && let Some(first) = instance.refs.first_mut()
            {
                first.atoms = vec![all.clone()];
            }
        }
        // A record that is put there has one number; of others nothing is known.
        if arity == 1 {
            let query = |var: &usize| Query { rel: inside, args: vec![Sum::var(*var as u32)] };
            hat.queries.extend(point.within.iter().map(query));
        }
    }
    let rel = system.relation(format!("R{}", point.group), args.len(), Some(base), true);
    hat.queries.push(Query { rel, args });
    hat
}

/// A clause with formulas in place of queries to solved variables.
fn without_known(clause: &Clause, known: usize, formulas: &[horn::Formula]) -> Option<Vec<Clause>> {
    let formula = |query: &Query| {
        let RelId(index) = query.rel;
        let is_known = (index as usize) < known;
        is_known.then(|| formulas.get(index as usize)?.apply(&query.args))
    };
    let mut facts = horn::Formula { disjuncts: vec![clause.facts.clone()] };
    let mut body = Vec::new();
    for query in &clause.body {
        match formula(query) {
            Some(formula) => facts = facts.and(&formula?, MOST_CASES)?,
            None => body.push(query.clone()),
        }
    }
    let mut head = clause.head.clone();
    if let Some(formula) = clause.head.as_ref().and_then(formula) {
        facts = facts.and(&formula?.negation(MOST_CASES)?, MOST_CASES)?;
        head = None;
    }
    let clause = |facts| Clause { head: head.clone(), body: body.clone(), facts };
    Some(facts.disjuncts.into_iter().map(clause).collect())
}
