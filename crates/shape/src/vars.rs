//! What variables hold. A procedure has as many variables as it has commands, few of which are read again: only those
//! are kept, so a state is as small as what is known, not as large as the program.

use crate::term::Term;

/// The values of variables, by their numbers. One that is missing is [`Term::DEAD`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Vars(Vec<(u32, Term)>);

impl Vars {
    /// What a variable holds.
    #[must_use]
    pub fn get(&self, var: usize) -> Term {
        let found = self.0.binary_search_by_key(&(var as u32), |(own, _)| *own);
        found.ok().and_then(|at| self.0.get(at)).map_or(Term::DEAD, |(_, value)| *value)
    }

    /// It holds this from now on.
    pub fn set(&mut self, var: usize, value: Term) {
        let var = var as u32;
        match self.0.binary_search_by_key(&var, |(own, _)| *own) {
            Ok(at) if value == Term::DEAD => {
                self.0.remove(at);
            }
            Ok(at) => self.0[at].1 = value,
            Err(_) if value == Term::DEAD => {}
            Err(at) => self.0.insert(at, (var, value)),
        }
    }

    /// What it held; it is not read again.
    pub fn take(&mut self, var: usize) -> Term {
        let value = self.get(var);
        self.set(var, Term::DEAD);
        value
    }

    /// Forgets those for which `keep` is false.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        self.0.retain(|(var, _)| keep(*var as usize));
    }

    /// Those that are read again, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, Term)> {
        self.0.iter().map(|(var, value)| (*var as usize, *value))
    }

    /// What they hold.
    pub fn values(&self) -> impl Iterator<Item = Term> {
        self.0.iter().map(|(_, value)| *value)
    }

    /// What they hold, to be changed; a value must not become [`Term::DEAD`].
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Term> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// The values of two states: of each variable that one of them reads again.
    pub fn zip(&self, other: &Vars) -> Vec<(usize, Term, Term)> {
        let mut all: Vec<usize> = self.iter().chain(other.iter()).map(|(var, _)| var).collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter().map(|var| (var, self.get(var), other.get(var))).collect()
    }
}

impl FromIterator<Term> for Vars {
    fn from_iter<I: IntoIterator<Item = Term>>(values: I) -> Vars {
        let mut vars = Vars::default();
        values.into_iter().enumerate().for_each(|(var, value)| vars.set(var, value));
        vars
    }
}
