//! Variables in scope and clashes between their names.

use std::collections::HashMap;

use report::Pos;

use crate::ast::{Ident, Name};
use crate::core::{Local, LocalId, Type};

/// How a variable was declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Param,
    /// A result or a local variable: may be assigned to.
    Assignable,
    /// Bound by a quantifier or `let`.
    Bound,
}

/// A declaration that clashes with another one of the same name.
pub(super) struct Clash {
    pub name: Name,
    pub at: Pos,
    pub other: Pos,
}

struct Seen {
    scope: u32,
    pos: Pos,
    /// Labels clash with variables but not, here, with each other.
    is_label: bool,
}

/// The variables of one member.
///
/// Two declarations of a name clash if the scope of one encloses that of the other, whichever comes
/// first.
#[derive(Default)]
pub(super) struct Scopes {
    pub locals: Vec<Local>,
    roles: Vec<Role>,
    visible: HashMap<Name, Vec<LocalId>>,
    seen: HashMap<Name, Vec<Seen>>,
    /// Open scopes: number and the names declared in them.
    open: Vec<(u32, Vec<Name>)>,
    next_scope: u32,
}

impl Scopes {
    pub fn enter(&mut self) {
        self.open.push((self.next_scope, Vec::new()));
        self.next_scope += 1;
    }

    pub fn leave(&mut self) {
        for name in self.open.pop().map(|(_, names)| names).unwrap_or_default() {
            if let Some(ids) = self.visible.get_mut(&name) {
                ids.pop();
            }
        }
    }

    /// The earlier declaration that clashes with one made now.
    fn clash(&self, name: &Name, is_label: bool) -> Option<Pos> {
        let current = self.open.last().map_or(0, |(id, _)| *id);
        let is_open = |scope: u32| self.open.iter().any(|(id, _)| *id == scope);
        self.seen
            .get(name)?
            .iter()
            .rev()
            .filter(|seen| !(is_label && seen.is_label))
            .find(|seen| seen.scope >= current || is_open(seen.scope))
            .map(|seen| seen.pos)
    }

    /// Takes note of a label.
    pub fn declare_label(&mut self, ident: &Ident) -> Option<Clash> {
        self.note(ident, true)
    }

    fn note(&mut self, ident: &Ident, is_label: bool) -> Option<Clash> {
        let clash = self.clash(&ident.name, is_label).map(|other| Clash {
            name: ident.name.clone(),
            at: ident.at.0,
            other,
        });
        let scope = self.open.last().map_or(0, |(id, _)| *id);
        let seen = Seen { scope, pos: ident.at.0, is_label };
        self.seen.entry(ident.name.clone()).or_default().push(seen);
        clash
    }

    pub fn declare(&mut self, ident: &Ident, ty: Type, role: Role) -> (LocalId, Option<Clash>) {
        let clash = self.note(ident, false);
        let id = LocalId(self.locals.len() as u32);
        self.locals.push(Local::new(ident.name.clone(), ty, ident.at.0));
        self.roles.push(role);
        self.visible.entry(ident.name.clone()).or_default().push(id);
        if let Some((_, names)) = self.open.last_mut() {
            names.push(ident.name.clone());
        }
        (id, clash)
    }

    /// A variable that no user can name.
    pub fn fresh(&mut self, name: Name, ty: Type, pos: Pos) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        self.locals.push(Local::made_up(name, ty, pos));
        self.roles.push(Role::Assignable);
        id
    }

    /// All visible variables of that name: more than one only after a clash.
    pub fn find(&self, name: &str) -> &[LocalId] {
        self.visible.get(name).map_or(&[], Vec::as_slice)
    }

    pub fn role(&self, id: LocalId) -> Role {
        self.roles.get(id.index()).copied().unwrap_or(Role::Bound)
    }

    /// Names of visible variables, for suggestions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.visible.iter().filter(|(_, ids)| !ids.is_empty()).map(|(name, _)| name.as_str())
    }
}
