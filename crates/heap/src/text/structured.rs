//! Bodies with `if` and `while` instead of numbered locations, as people write programs.
//!
//! ```text
//! x := alloc 16 as node;
//! while (i < n) invariant "lseg(x, null)" { ... }
//! if (x != null) { free x; } else { return; }
//! ```

use super::lexer::Kind;
use super::parse::{Parsed, Parser};
use crate::expr::Expr;
use crate::program::{Body, Command, LocId, Location, Out};

/// How deep statements may be nested.
const MAX_DEPTH: u32 = 500;

/// Locations while they are made. All that lead nowhere yet lead to the next one.
#[derive(Default)]
struct Builder {
    locations: Vec<Location>,
}

impl Builder {
    fn next(&self) -> LocId {
        LocId(self.locations.len() as u32)
    }

    fn push(&mut self, out: Out, pos: report::Pos) -> usize {
        self.locations.push(Location { invariants: Vec::new(), out, pos });
        self.locations.len() - 1
    }

    fn set(&mut self, at: usize, out: Out) {
        if let Some(location) = self.locations.get_mut(at) {
            location.out = out;
        }
    }
}

impl Parser<'_> {
    pub(super) fn structured_body(&mut self) -> Parsed<Body> {
        let mut made = Builder::default();
        while !self.is("}") {
            self.statement(&mut made)?;
        }
        made.push(Out::Return, report::Pos::None);
        Ok(Body { locations: made.locations })
    }

    fn block(&mut self, made: &mut Builder) -> Parsed<()> {
        self.expect("{")?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.problem("statements are nested too deeply");
        }
        while !self.take("}") {
            self.statement(made)?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn statement(&mut self, made: &mut Builder) -> Parsed<()> {
        let from = self.at;
        if self.take("if") {
            let cond = self.expr()?;
            let pos = self.pos(from);
            let branch = made.push(Out::Return, pos);
            let then = made.next();
            self.block(made)?;
            let end_of_then = made.push(Out::Return, report::Pos::None);
            let otherwise = made.next();
            if self.take("else") {
                self.block(made)?;
            }
            made.set(end_of_then, Out::Do(Command::Skip, made.next()));
            made.set(branch, Out::Branch(cond, then, otherwise));
            return Ok(());
        }
        if self.take("while") {
            let cond = self.expr()?;
            let pos = self.pos(from);
            let invariants = self.invariants()?;
            let head = made.push(Out::Return, pos);
            if let Some(location) = made.locations.get_mut(head) {
                location.invariants = invariants;
            }
            let body = made.next();
            self.block(made)?;
            made.push(Out::Do(Command::Skip, LocId(head as u32)), report::Pos::None);
            made.set(head, Out::Branch(cond, body, made.next()));
            return Ok(());
        }
        if self.take("return") {
            if !self.is(";") {
                let Some(result) = self.result else {
                    return self.problem("this procedure has no result");
                };
                let value: Expr = self.expr()?;
                let next = LocId(made.next().0 + 1);
                made.push(Out::Do(Command::Assign(result, value), next), self.pos(from));
            }
            self.expect(";")?;
            made.push(Out::Return, self.pos(from));
            return Ok(());
        }
        if self.peek() == Kind::End {
            return self.unexpected("`}`");
        }
        let command = self.command()?;
        let pos = self.pos(from);
        self.expect(";")?;
        let next = LocId(made.next().0 + 1);
        made.push(Out::Do(command, next), pos);
        Ok(())
    }
}
