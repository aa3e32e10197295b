//! The states in which an analysis starts: that of a whole program, or those of a precondition.

use std::collections::BTreeMap;
use std::sync::Arc;

use heap::{Action, ProcId, VarId};

use crate::engine::Engine;
use crate::eval::Scope;
use crate::heap::{Kind, Obj, State, global};
use crate::preds::Pred;
use crate::term::Term;
use crate::vars::Vars;

/// A precondition: the entry is called in one of these states, by somebody who goes on afterwards.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// What parameters hold, and the heap. Of a global object that is not there nothing is known but that it
    /// exists.
    pub states: Vec<State>,
    /// The predicates that they mention, in the order of their numbers.
    pub preds: Vec<Pred>,
    /// Parameters whose first value callers can name when the entry returns, although it may have assigned to them.
    /// Those that it never assigns to always have it.
    pub anchors: Vec<VarId>,
}

impl Start {
    /// With all parameters that hold pointers among the anchors: what callers can name is not lost.
    #[must_use]
    pub fn anchored(&self, program: &heap::Program, entry: ProcId) -> Start {
        let decl = program.proc(entry);
        let params = decl.vars.iter().take(decl.params as usize).enumerate();
        let pointers = params.filter(|(_, var)| var.ty.is_pointer());
        let anchors = pointers.map(|(i, _)| VarId(i as u32)).collect();
        Start { anchors, ..self.clone() }
    }
}

/// Which parameters of a procedure are never assigned to.
pub(crate) fn constant_params(program: &heap::Program, proc: ProcId) -> Vec<bool> {
    let decl = program.proc(proc);
    let mut constant = vec![true; decl.params as usize];
    let Some(body) = &decl.body else { return constant };
    for at in 0..body.locations.len() {
        for (action, _) in body.edges(heap::LocId(at as u32)) {
            if let Action::Do(command) = action
                && let Some(target) = command.target()
                && let Some(place) = constant.get_mut(target.index())
            {
                *place = false;
            }
        }
    }
    constant
}

/// The parameters whose first values are the anchors of states, in their order.
#[must_use]
pub fn kept_params(program: &heap::Program, entry: ProcId, anchors: &[VarId]) -> Vec<VarId> {
    let constant = constant_params(program, entry);
    let all = constant.iter().enumerate().map(|(i, constant)| (VarId(i as u32), *constant));
    all.filter(|(var, constant)| *constant || anchors.contains(var)).map(|(var, _)| var).collect()
}

impl Engine<'_> {
    fn global_object(&self, number: usize) -> Option<Obj> {
        let decl = self.program.globals.get(number)?;
        let record = match &decl.ty {
            heap::Type::Record(id) => Some(*id),
            _ => None,
        };
        Some(Obj {
            size: Term::int(i128::from(self.program.size_of(&decl.ty))),
            kind: Kind::Global,
            cells: BTreeMap::new(),
            zeroed: decl.zeroed,
            constant: decl.constant,
            record,
        })
    }

    /// What a global object holds when the program starts.
    fn initialise(&self, state: &mut State, scope: &Scope<'_>, number: usize) {
        let Some(decl) = self.program.globals.get(number) else { return };
        let at = global(number as u32);
        // Strings are read through pointers that nobody follows; they need no cells of their own.
        if decl.constant && decl.init.len() > 64 {
            if let Some(obj) = state.heap.obj_mut(at) {
                obj.zeroed = false;
            }
            return;
        }
        for (offset, ty, value) in &decl.init {
            let sum = state.eval(&self.preds, scope, value);
            let value = state.term(&sum);
            let width = ty.bytes(self.program.model);
            state.write(at, i128::from(*offset), *ty, width, value);
        }
    }

    /// The state in which a program starts.
    pub(crate) fn start(&self, entry: ProcId) -> State {
        let mut state = State::default();
        for number in 0..self.program.globals.len() {
            if let Some(obj) = self.global_object(number) {
                state.heap.objs.insert(global(number as u32), Arc::new(obj));
            }
        }
        let scope = self.scope_of(entry);
        self.frame(&mut state, entry, &Vars::default(), 0);
        for number in 0..self.program.globals.len() {
            self.initialise(&mut state, &scope, number);
        }
        state
    }

    /// A state of a precondition, with everything that the program has besides.
    pub(crate) fn start_from(&self, entry: ProcId, given: &State, anchors: &[VarId]) -> State {
        let mut state = State { heap: given.heap.clone(), ..State::default() };
        for number in 0..self.program.globals.len() {
            let at = global(number as u32);
            if let (false, Some(obj)) =
                (state.heap.objs.contains_key(&at), self.global_object(number))
            {
                // It may have been assigned to since the program started.
                let zeroed = obj.zeroed && obj.constant;
                state.heap.objs.insert(at, Arc::new(Obj { zeroed, ..obj }));
            }
        }
        self.frame(&mut state, entry, &given.vars, self.program.proc(entry).params as usize);
        let scope = self.scope_of(entry);
        for (number, decl) in self.program.globals.iter().enumerate() {
            if decl.constant {
                self.initialise(&mut state, &scope, number);
            }
        }
        let kept = kept_params(self.program, entry, anchors);
        state.anchors = kept.iter().map(|var| state.vars.get(var.index())).collect();
        state
    }
}
