//! The body of a procedure while it is being made.

use std::collections::BTreeSet;

use heap::{Body, Command, Expr, Formula, LocId, Location, Out, Scalar, Var, VarId};
use report::Pos;

/// Locations and variables of a procedure.
pub(super) struct Builder {
    vars: Vec<Var>,
    locations: Vec<Location>,
    /// Where the next command goes.
    at: LocId,
    exit: LocId,
    names: BTreeSet<String>,
    temporaries: u32,
}

impl Builder {
    pub(super) fn new() -> Builder {
        let mut builder = Builder {
            vars: Vec::new(),
            locations: Vec::new(),
            at: LocId(0),
            exit: LocId(0),
            names: BTreeSet::new(),
            temporaries: 0,
        };
        builder.at = builder.location();
        builder.exit = builder.location();
        builder
    }

    /// A location that leads nowhere yet.
    pub(super) fn location(&mut self) -> LocId {
        let out = Out::Choose(Vec::new());
        self.locations.push(Location { invariants: Vec::new(), out, pos: Pos::None });
        LocId((self.locations.len() - 1) as u32)
    }

    /// Where what is to be done before the end comes from everywhere.
    pub(super) fn exit(&self) -> LocId {
        self.exit
    }

    /// Goes on elsewhere.
    pub(super) fn go_on_at(&mut self, at: LocId) {
        self.at = at;
    }

    fn set(&mut self, out: Out, pos: Pos) {
        if let Some(location) = self.locations.get_mut(self.at.index()) {
            (location.out, location.pos) = (out, pos);
        }
    }

    pub(super) fn emit(&mut self, command: Command, pos: Pos) {
        let next = self.location();
        self.set(Out::Do(command, next), pos);
        self.at = next;
    }

    /// Leads the flow to a location; what follows is not reached this way.
    pub(super) fn jump(&mut self, to: LocId, pos: Pos) {
        self.set(Out::Do(Command::Skip, to), pos);
        self.at = self.location();
    }

    pub(super) fn branch(&mut self, cond: Expr, then: LocId, otherwise: LocId, pos: Pos) {
        let out = match cond {
            Expr::Int(n) => Out::Do(Command::Skip, if n != 0 { then } else { otherwise }),
            Expr::Unary(heap::UnOp::Not, inner) => Out::Branch(*inner, otherwise, then),
            cond => Out::Branch(cond, then, otherwise),
        };
        self.set(out, pos);
        self.at = self.location();
    }

    pub(super) fn choose(&mut self, ways: Vec<LocId>, pos: Pos) {
        self.set(Out::Choose(ways), pos);
        self.at = self.location();
    }

    /// A loop starts here.
    pub(super) fn loop_head(&mut self, invariants: Vec<Formula>, pos: Pos) -> LocId {
        let head = self.location();
        self.jump(head, pos);
        self.at = head;
        if let Some(location) = self.locations.get_mut(head.index()) {
            location.invariants = invariants;
        }
        head
    }

    pub(super) fn variable(&mut self, name: &str, ty: Scalar) -> VarId {
        let plain = super::types::plain(name);
        // `result` is what a contract calls the result.
        let odd = heap::text::is_keyword(&plain) || plain == "result";
        let mut name = if odd { format!("{plain}.1") } else { plain };
        while !self.names.insert(name.clone()) {
            name.push_str(".1");
        }
        self.vars.push(Var { name, ty, temporary: false });
        VarId((self.vars.len() - 1) as u32)
    }

    /// What a variable is called.
    pub(super) fn name(&self, var: VarId) -> Option<String> {
        self.vars.get(var.index()).map(|var| var.name.clone())
    }

    /// A variable that no user knows.
    pub(super) fn temporary(&mut self, ty: Scalar) -> VarId {
        self.temporaries += 1;
        let name = format!("${}", self.temporaries);
        self.vars.push(Var { name, ty, temporary: true });
        VarId((self.vars.len() - 1) as u32)
    }

    /// The variables, and the body: only what can be reached, without steps that do nothing.
    pub(super) fn finish(mut self) -> (Vec<Var>, Body) {
        self.set(Out::Return, Pos::None);
        let location = |at: LocId| self.locations.get(at.index());
        let resolve = |mut at: LocId| {
            // Skips may form a circle: an empty loop.
            for _ in 0..self.locations.len() {
                match location(at) {
                    Some(Location { out: Out::Do(Command::Skip, to), invariants, .. })
                        if *to != at && invariants.is_empty() =>
                    {
                        at = *to;
                    }
                    _ => return at,
                }
            }
            at
        };
        let mut numbers: Vec<Option<LocId>> = vec![None; self.locations.len()];
        let mut order = Vec::new();
        let mut pending = vec![resolve(LocId(0))];
        while let Some(at) = pending.pop() {
            let Some(number @ None) = numbers.get_mut(at.index()) else { continue };
            *number = Some(LocId(order.len() as u32));
            let Some(found) = location(at) else { continue };
            order.push(found);
            match &found.out {
                Out::Do(_, to) => pending.push(resolve(*to)),
                Out::Branch(_, then, otherwise) => {
                    pending.push(resolve(*otherwise));
                    pending.push(resolve(*then));
                }
                Out::Choose(all) => pending.extend(all.iter().rev().map(|to| resolve(*to))),
                Out::Return => {}
            }
        }
        let number =
            |at: &LocId| numbers.get(resolve(*at).index()).copied().flatten().unwrap_or(LocId(0));
        let locations = order
            .iter()
            .map(|Location { invariants, out, pos }| {
                let out = match out {
                    Out::Do(command, to) => Out::Do(command.clone(), number(to)),
                    Out::Branch(cond, then, otherwise) => {
                        Out::Branch(cond.clone(), number(then), number(otherwise))
                    }
                    Out::Choose(all) => Out::Choose(all.iter().map(number).collect()),
                    Out::Return => Out::Return,
                };
                Location { invariants: invariants.clone(), out, pos: *pos }
            })
            .collect();
        (self.vars, Body { locations })
    }
}
