//! Ghost fields that lead from objects of a struct to objects of the same struct.
//!
//! They are forests in every state between procedures: each location reaches `null`, and a path between
//! two locations that does not end in `null` has both of them allocated. This is assumed where code
//! starts, and must hold wherever other code starts or goes on: at calls, at loops, at the end.

use report::Span;
use smt::Term;
use spl::core::{Name, Type};

use crate::effects::Effects;
use crate::translate::HeapVar;
use crate::unit::{Blame, Path, State, Unit};

impl Unit<'_> {
    /// Ghost links of the types in play.
    fn ghost_links(&self) -> Vec<(Name, Type)> {
        let fields = self.program.fields.iter();
        let links = fields.filter(|(_, field)| field.ghost && is_link(&field.owner, &field.ty));
        let links = links.map(|(name, field)| (name.clone(), field.ty.clone()));
        links.filter(|(_, ty)| self.types.contains(ty)).collect()
    }

    /// What holds of a ghost link in a state.
    fn forest(&mut self, state: &State, name: &Name, ty: &Type) -> Vec<Term> {
        let map = state.heap.values.get(&HeapVar::Field(name.clone())).copied();
        let (Some(map), Some(alloc)) = (map, state.alloc.get(ty).copied()) else {
            return Vec::new();
        };
        let logic = &mut self.translator.logic;
        let [(bx, x), (by, y)] = ["x", "y"].map(|n| logic.bound(n, ty));
        let null = logic.null(ty);
        let ends = logic.reach(ty, map, x, null);
        let (occurs, read) = (logic.occurs(ty, x), logic.read(ty, ty, map, x));
        let acyclic = logic.forall(&[bx], vec![vec![occurs], vec![read]], ends, "ghost acyclic");
        let path = logic.reach(ty, map, x, y);
        let same = logic.terms.eq(x, y);
        let to_null = logic.terms.eq(y, null);
        let (from_there, to_there) = (logic.member(ty, x, alloc), logic.member(ty, y, alloc));
        let both = logic.terms.and([from_there, to_there]);
        let not_there = logic.terms.not(path);
        let body = logic.terms.or([not_there, same, to_null, both]);
        let inside = logic.forall(&[bx, by], vec![vec![path]], body, "ghost allocated");
        vec![acyclic, inside]
    }

    pub fn assume_ghosts(&mut self, path: &Path) {
        for (name, ty) in self.ghost_links() {
            for fact in self.forest(&path.state, &name, &ty) {
                self.assume(path, fact);
            }
        }
    }

    /// After some code with these effects.
    pub fn assume_ghosts_after(&mut self, path: &Path, effects: &Effects) {
        for (name, ty) in self.ghost_links() {
            let written = effects.writes.contains(&HeapVar::Field(name.clone()));
            if written || effects.resizes.contains(&ty) {
                for fact in self.forest(&path.state, &name, &ty) {
                    self.assume(path, fact);
                }
            }
        }
    }

    /// Checks what code that has these types in play assumes.
    pub fn check_ghosts(&mut self, path: &Path, effects: Option<&Effects>, span: Span, at: &str) {
        for (name, ty) in self.ghost_links() {
            if effects.is_some_and(|effects| !effects.types.contains(&ty)) {
                continue;
            }
            let texts = [
                format!("the ghost field `{name}` might not lead to `null` from everywhere {at}"),
                format!("the ghost field `{name}` might lead to or from freed objects {at}"),
            ];
            for (fact, text) in self.forest(&path.state, &name, &ty).into_iter().zip(texts) {
                self.check(path, fact, Blame::new("ghost.field", span, text));
            }
        }
    }
}

fn is_link(owner: &Name, ty: &Type) -> bool {
    matches!(ty, Type::Struct(name) if name == owner)
}
