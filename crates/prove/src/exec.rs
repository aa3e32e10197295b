//! Commands, and their execution on formulas [ABCK15, Sec. 3.2 and Fig. 5; for data Fig. 18].

use arith::{Constraint, Sum};
use horn::Clause;

use crate::contract::{self, Call};
use crate::defs::{Defs, KindId};
use crate::rsep::{Atom, Formula, HTerm};

/// A heap expression: null or a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HExpr {
    /// Null.
    Null,
    /// The heap variable of this number.
    Var(usize),
}

/// A command. Data terms and constraints are over data variables of the program, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `x := E`.
    Assign(usize, HExpr),
    /// `x` is anything.
    Havoc(usize),
    /// `a := A`.
    Data(usize, Sum),
    /// `a` is anything that satisfies these, in which it is what it becomes.
    HavocData(usize, Vec<Constraint>),
    /// The same for a value that is drawn from the inputs.
    Draw(usize, Vec<Constraint>),
    /// `assume(E = F)`.
    Equal(HExpr, HExpr),
    /// `assume(E ≠ F)`.
    Different(HExpr, HExpr),
    /// `assume(φ)`.
    Assume(Constraint),
    /// `x := new(n, m)`; are all fields null and zero?
    New(usize, KindId, bool),
    /// `free(x)`.
    Free(usize),
    /// The object that `x` leads to, which is not on the heap, is gone.
    Release(usize),
    /// Nothing.
    Skip,
    /// `y := x->N_i`: which variable, from where, which heap field.
    Load(usize, usize, KindId, usize),
    /// `a := x->D_i`.
    LoadData(usize, usize, KindId, usize),
    /// `x->N_i := E`.
    Store(usize, KindId, usize, HExpr),
    /// `x->D_i := A`.
    StoreData(usize, KindId, usize, Sum),
    /// A call of a procedure by its contract.
    Call(Box<Call>),
    /// Here the program has failed: what gets here must be contradictory.
    Fail,
}

/// What an execution comes to.
#[derive(Clone, Debug, Default)]
pub struct Executed {
    /// States behind the command; none if it cannot be passed.
    pub states: Vec<Formula>,
    /// States in which it fails, unless their data are contradictory.
    pub faults: Vec<Formula>,
    /// What calls ask of data besides.
    pub clauses: Vec<Clause>,
}

/// Unfoldings for one access.
const MOST_UNFOLDINGS: usize = 4;

/// Executes commands one after the other on all states.
#[must_use]
pub fn execute_all(commands: &[Command], start: &Formula, defs: &Defs) -> Executed {
    let mut result = Executed { states: vec![start.clone()], ..Executed::default() };
    // Data are looked at again only where something was learnt about them.
    let mut learnt = true;
    for command in commands {
        if learnt {
            result.states.retain(|state| !state.data_contradictory());
        }
        for state in std::mem::take(&mut result.states) {
            step(command, state, defs, &mut result);
        }
        learnt = matches!(command, Command::Assume(_) | Command::HavocData(..) | Command::Draw(..));
    }
    result
}

/// Executes a command.
#[must_use]
pub fn execute(command: &Command, state: &Formula, defs: &Defs) -> Executed {
    execute_all(std::slice::from_ref(command), state, defs)
}

/// Executes a command on a state whose data are not contradictory.
fn step(command: &Command, state: Formula, defs: &Defs, result: &mut Executed) {
    if let Command::Call(call) = command {
        contract::execute(call, state, defs, result);
        return;
    }
    let mut pending = vec![(state, MOST_UNFOLDINGS)];
    while let Some((mut state, unfoldings)) = pending.pop() {
        if let Some(at) = accessed(command) {
            let place = state.vars[at];
            let kind = access_kind(command);
            let fits = |index: usize| match (&state.atoms[index], kind) {
                (Atom::Cell(cell), Some(kind)) => cell.kind == kind,
                (Atom::Cell(cell), None) => {
                    defs.kind(cell.kind).on_heap == matches!(command, Command::Free(_))
                }
                _ => true,
            };
            if !state.cell_at(place).is_some_and(fits) {
                match state.instance_at(place).filter(|_| unfoldings > 0) {
                    Some(index) => {
                        let cases = state.unfold(index, defs);
                        pending.extend(cases.into_iter().map(|case| (case, unfoldings - 1)));
                    }
                    None => result.faults.push(state),
                }
                continue;
            }
        }
        if *command == Command::Fail {
            result.faults.push(state);
            continue;
        }
        if apply(command, &mut state, defs).is_some() && state.normalise(defs) {
            result.states.push(state);
        }
    }
}

/// The variable whose record a command needs.
#[must_use]
pub fn accessed(command: &Command) -> Option<usize> {
    match command {
        Command::Free(x)
        | Command::Release(x)
        | Command::Load(_, x, ..)
        | Command::LoadData(_, x, ..)
        | Command::Store(x, ..)
        | Command::StoreData(x, ..) => Some(*x),
        _ => None,
    }
}

fn access_kind(command: &Command) -> Option<KindId> {
    match command {
        Command::Load(_, _, kind, _)
        | Command::LoadData(_, _, kind, _)
        | Command::Store(_, kind, ..)
        | Command::StoreData(_, kind, ..) => Some(*kind),
        _ => None,
    }
}

/// The value of an expression.
#[must_use]
pub fn heap_value(expr: HExpr, state: &Formula) -> HTerm {
    match expr {
        HExpr::Null => HTerm::Null,
        HExpr::Var(var) => state.vars[var],
    }
}

/// A term over data variables as one over the symbols of a state.
#[must_use]
pub fn data_value(term: &Sum, state: &Formula) -> Option<Sum> {
    let mut result = Sum::number(term.constant);
    for (var, factor) in &term.factors {
        result = result.plus(state.data.get(*var as usize)?, *factor)?;
    }
    Some(result)
}

/// A command whose record, if it needs one, is there. `None` if the command cannot be passed, or numbers become too
/// large, which is the same as passing it with no claim: then the path is not proved.
fn apply(command: &Command, state: &mut Formula, defs: &Defs) -> Option<()> {
    match command {
        Command::Assign(x, e) => state.vars[*x] = heap_value(*e, state),
        Command::Havoc(x) => state.vars[*x] = state.fresh(),
        Command::Data(a, term) => {
            let value = data_value(term, state);
            // Numbers that are too large: nothing is known of the value.
            state.data[*a] = value.unwrap_or_else(|| state.fresh_data());
        }
        Command::HavocData(a, constraints) | Command::Draw(a, constraints) => {
            state.data[*a] = state.fresh_data();
            for constraint in constraints {
                assume(constraint, state);
            }
        }
        Command::Equal(e, f) => {
            let (e, f) = (heap_value(*e, state), heap_value(*f, state));
            if state.are_apart(e, f, defs) {
                return None;
            }
            state.unify(e, f);
        }
        Command::Different(e, f) => {
            let (e, f) = (heap_value(*e, state), heap_value(*f, state));
            if !state.are_apart(e, f, defs) {
                state.apart.push((e, f));
            }
        }
        Command::Assume(constraint) => assume(constraint, state),
        Command::New(x, kind, zeroed) => {
            let at = state.fresh();
            let mut cell = state.fresh_cell(at, *kind, defs);
            if *zeroed {
                cell.ptrs.iter_mut().for_each(|field| *field = HTerm::Null);
                cell.data.iter_mut().for_each(|field| *field = Sum::number(0));
            }
            state.vars[*x] = at;
            state.atoms.push(Atom::Cell(cell));
        }
        Command::Free(x) | Command::Release(x) => {
            let place = state.vars[*x];
            let index = state.cell_at(place)?;
            // Fig. 5: what was freed is not null, and not where something else is.
            let mut others: Vec<HTerm> = vec![HTerm::Null];
            for (other, atom) in state.atoms.iter().enumerate() {
                if let Atom::Cell(cell) = atom
                    && other != index
                {
                    others.push(cell.at);
                }
            }
            state.atoms.remove(index);
            state.apart.extend(others.into_iter().map(|other| (place, other)));
        }
        Command::Load(y, x, _, field) => {
            let cell = cell_mut(state, *x)?;
            let value = *cell.ptrs.get(*field)?;
            state.vars[*y] = value;
        }
        Command::LoadData(a, x, _, field) => {
            let value = cell_mut(state, *x)?.data.get(*field)?.clone();
            state.data[*a] = value;
        }
        Command::Store(x, _, field, e) => {
            let value = heap_value(*e, state);
            *cell_mut(state, *x)?.ptrs.get_mut(*field)? = value;
        }
        Command::StoreData(x, _, field, term) => {
            let value = data_value(term, state);
            let value = value.unwrap_or_else(|| state.fresh_data());
            *cell_mut(state, *x)?.data.get_mut(*field)? = value;
        }
        Command::Call(_) | Command::Fail | Command::Skip => {}
    }
    Some(())
}

fn assume(constraint: &Constraint, state: &mut Formula) {
    // Without numbers that are too large less is known, which is sound.
    if let Some(sum) = data_value(&constraint.sum, state) {
        let constraint = Constraint { sum, relation: constraint.relation };
        if !constraint.is_trivial() && !state.facts.contains(&constraint) {
            state.facts.push(constraint);
        }
    }
}

fn cell_mut(state: &mut Formula, var: usize) -> Option<&mut crate::rsep::Cell> {
    let index = state.cell_at(state.vars[var])?;
    match state.atoms.get_mut(index) {
        Some(Atom::Cell(cell)) => Some(cell),
        _ => None,
    }
}
