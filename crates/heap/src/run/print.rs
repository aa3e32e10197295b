//! Commands that write text, to the output or to memory.

use super::format;
use super::inputs::Inputs;
use super::machine::{Machine, Step, Stop};
use super::outcome::{End, Observer, Open};
use super::value::{Pointer, Value};
use crate::expr::Expr;
use crate::program::VarId;
use crate::types::IntType;

const MAX_OUTPUT: usize = 1 << 20;

impl<O: Observer> Machine<'_, O> {
    pub(super) fn print(
        &mut self,
        to: Option<VarId>,
        into: Option<&(Expr, Option<Expr>)>,
        args: &[Expr],
    ) -> Step<()> {
        let place = match into {
            Some((at, limit)) => {
                let at = self.eval(at)?;
                let limit = limit.as_ref().map(|limit| self.eval(limit)).transpose()?;
                Some((at, limit.map(|n| self.memory.number(n))))
            }
            None => None,
        };
        let mut values = Vec::new();
        for arg in args {
            let value = self.eval(arg)?;
            // What is printed of an address is seen by the program only here.
            let seen = to.is_some() || place.is_some();
            self.unspecified |= seen && matches!(value, Value::Ptr(_) | Value::Proc(_));
            values.push((value, self.memory.number(value)));
        }
        let zero = self.config.zero_uninitialised;
        let (memory, inputs, observer) = (&mut self.memory, &mut self.inputs, &mut self.observer);
        let text = format::print(&values, &mut |at| {
            let at = memory.check(at, 1, false).map_err(|kind| (kind, at))?;
            let mut draw = || draw_byte(inputs, zero);
            let found = match memory.read(at, 1, &mut draw) {
                Some(value) => memory.number(value).rem_euclid(256) as u8,
                None => {
                    let byte = draw();
                    let what = Open::Memory { object: at.object, offset: at.offset, bytes: 1 };
                    observer.left_open(what, Value::Int(byte.into()), memory);
                    memory.write(at, 1, Value::Int(i128::from(byte)));
                    byte
                }
            };
            Ok(found)
        });
        let mut text = match text {
            Ok(text) => text,
            Err((kind, at)) => {
                let object = match at {
                    Value::Ptr(p) => Some(p.object),
                    _ => None,
                };
                return Err(Stop::Fault(kind, object, "a string is printed".into()));
            }
        };
        if let Some(to) = to {
            self.set(to, Value::Int(text.len() as i128));
        }
        let Some((at, limit)) = place else {
            if self.output.len() + text.len() > MAX_OUTPUT {
                return Err(Stop::End(End::Limit("too much output")));
            }
            self.output.push_str(&String::from_utf8_lossy(&text));
            return Ok(());
        };
        let limit = limit.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
        if limit > 0 {
            text.truncate(limit - 1);
            text.push(0);
            let at = self.check(at, text.len() as u64, true)?;
            for (byte, i) in text.into_iter().zip(0..) {
                let place = Pointer { offset: at.offset + i, ..at };
                self.memory.write(place, 1, Value::Int(i128::from(byte as i8)));
            }
        }
        Ok(())
    }
}

/// A byte that nothing determines.
pub(super) fn draw_byte(inputs: &mut Inputs, zero: bool) -> u8 {
    match zero {
        true => 0,
        false => inputs.draw(IntType::unsigned(8), false) as u8,
    }
}
