//! The body of a function while it is being made.

use std::collections::{HashMap, HashSet};

use heap::{
    Body, Command, Expr, LocId, Location, Object, ObjectId, Out, ProcId, Scalar, Target, Var, VarId,
};
use report::Pos;

use crate::ctype::CType;

/// A function that is being translated.
pub(super) struct Function {
    pub(super) id: ProcId,
    pub(super) name: String,
    pub(super) vars: Vec<Var>,
    pub(super) objects: Vec<Object>,
    locations: Vec<Location>,
    /// Where the next command goes.
    at: LocId,
    pub(super) result: Option<VarId>,
    /// Where arguments without a parameter are.
    pub(super) rest: Option<VarId>,
    pub(super) result_ty: CType,
    /// Local objects and variables that are in scope, the last ones innermost.
    pub(super) live: Live,
    /// Where `break` and `continue` lead, with what was in scope there.
    pub(super) breaks: Vec<(LocId, Marks)>,
    pub(super) continues: Vec<(LocId, Marks)>,
    pub(super) labels: HashMap<String, (LocId, Live)>,
    pub(super) gotos: Vec<(LocId, String, Live, lang_c::span::Span)>,
    pub(super) switches: Vec<Switch>,
    pub(super) exit: LocId,
    /// Variables whose address is taken.
    pub(super) addressed: HashSet<String>,
    names: HashMap<String, u32>,
    temporaries: u32,
}

/// What is in scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    pub(super) objects: Vec<ObjectId>,
    pub(super) vars: Vec<VarId>,
}

/// How much was in scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    objects: usize,
    vars: usize,
}

/// A `switch` whose body is being translated.
pub(super) struct Switch {
    pub(super) cases: Vec<(i128, i128, LocId, Live)>,
    pub(super) default: Option<(LocId, Live)>,
}

/// A way that leads nowhere yet.
fn nowhere() -> Out {
    Out::Choose(Vec::new())
}

/// The parameter through which a record is returned.
pub(super) fn hidden_result() -> Var {
    Var { name: "$result".into(), ty: Scalar::Ptr(Target::Unknown), temporary: true }
}

/// The parameter through which arguments come that have none.
pub(super) fn hidden_rest() -> Var {
    Var { name: "$rest".into(), ty: Scalar::Ptr(Target::Unknown), temporary: true }
}

impl Function {
    pub(super) fn new(
        id: ProcId,
        name: &str,
        result_ty: CType,
        addressed: HashSet<String>,
    ) -> Function {
        let mut function = Function {
            id,
            name: name.into(),
            vars: Vec::new(),
            objects: Vec::new(),
            locations: Vec::new(),
            at: LocId(0),
            result: None,
            rest: None,
            result_ty,
            live: Live::default(),
            breaks: Vec::new(),
            continues: Vec::new(),
            labels: HashMap::new(),
            gotos: Vec::new(),
            switches: Vec::new(),
            exit: LocId(0),
            addressed,
            names: HashMap::new(),
            temporaries: 0,
        };
        function.at = function.location();
        function.exit = function.location();
        function.locations[function.exit.index()].out = Out::Return;
        function
    }

    /// A location that leads nowhere yet.
    pub(super) fn location(&mut self) -> LocId {
        self.locations.push(Location { invariants: Vec::new(), out: nowhere(), pos: Pos::None });
        LocId((self.locations.len() - 1) as u32)
    }

    pub(super) fn here(&self) -> LocId {
        self.at
    }

    /// Goes on elsewhere.
    pub(super) fn go_on_at(&mut self, at: LocId) {
        self.at = at;
    }

    pub(super) fn emit(&mut self, command: Command, pos: Pos) {
        let next = self.location();
        self.set(self.at, Out::Do(command, next), pos);
        self.at = next;
    }

    pub(super) fn set(&mut self, at: LocId, out: Out, pos: Pos) {
        let location = &mut self.locations[at.index()];
        (location.out, location.pos) = (out, pos);
    }

    /// Leads the flow to a location; what follows is not reached this way.
    pub(super) fn jump(&mut self, to: LocId, pos: Pos) {
        self.set(self.at, Out::Do(Command::Skip, to), pos);
        self.at = self.location();
    }

    pub(super) fn branch(&mut self, cond: Expr, then: LocId, otherwise: LocId, pos: Pos) {
        let out = match cond {
            Expr::Int(n) => Out::Do(Command::Skip, if n != 0 { then } else { otherwise }),
            Expr::Unary(heap::UnOp::Not, inner) => Out::Branch(*inner, otherwise, then),
            cond => Out::Branch(cond, then, otherwise),
        };
        self.set(self.at, out, pos);
        self.at = self.location();
    }

    /// A variable that no user knows.
    pub(super) fn temporary(&mut self, ty: &CType) -> VarId {
        self.temporaries += 1;
        let name = format!("${}", self.temporaries);
        self.vars.push(Var { name, ty: ty.scalar(), temporary: true });
        VarId((self.vars.len() - 1) as u32)
    }

    /// A name that nothing else in the procedure has.
    fn unique(&mut self, name: &str) -> String {
        let count = self.names.entry(name.to_owned()).or_insert(0);
        *count += 1;
        match *count {
            1 if heap::text::is_keyword(name) => format!("{name}.1"),
            1 => name.to_owned(),
            count => format!("{name}.{count}"),
        }
    }

    pub(super) fn variable(&mut self, name: &str, ty: &CType) -> VarId {
        let name = self.unique(name);
        self.vars.push(Var { name, ty: ty.scalar(), temporary: false });
        VarId((self.vars.len() - 1) as u32)
    }

    pub(super) fn object(&mut self, name: &str, ty: heap::Type) -> ObjectId {
        let name = self.unique(name);
        self.objects.push(Object { name, ty });
        ObjectId((self.objects.len() - 1) as u32)
    }

    pub(super) fn marks(&self) -> Marks {
        Marks { objects: self.live.objects.len(), vars: self.live.vars.len() }
    }

    /// What has come into scope since is gone.
    pub(super) fn leave_to(&mut self, marks: Marks, pos: Pos) {
        for var in self.live.vars.get(marks.vars..).unwrap_or_default().to_vec().into_iter().rev() {
            self.emit(Command::Forget(var), pos);
        }
        for object in
            self.live.objects.get(marks.objects..).unwrap_or_default().to_vec().into_iter().rev()
        {
            self.emit(Command::Leave(object), pos);
        }
    }

    pub(super) fn truncate_live(&mut self, marks: Marks) {
        self.live.objects.truncate(marks.objects);
        self.live.vars.truncate(marks.vars);
    }

    /// Changes what is in scope on the way from one place to another.
    pub(super) fn adjust(&mut self, from: &Live, to: &Live, pos: Pos) {
        for var in from.vars.iter().rev().filter(|v| !to.vars.contains(v)) {
            self.emit(Command::Forget(*var), pos);
        }
        for object in from.objects.iter().rev().filter(|o| !to.objects.contains(o)) {
            self.emit(Command::Leave(*object), pos);
        }
        for object in to.objects.iter().filter(|o| !from.objects.contains(o)) {
            self.emit(Command::Enter(*object), pos);
        }
    }

    /// Something is translated only for its type: this is where to come back to.
    pub(super) fn checkpoint(&self) -> (usize, usize, usize, LocId, u32, Live, usize) {
        (
            self.locations.len(),
            self.vars.len(),
            self.objects.len(),
            self.at,
            self.temporaries,
            self.live.clone(),
            self.gotos.len(),
        )
    }

    pub(super) fn back_to(&mut self, checkpoint: (usize, usize, usize, LocId, u32, Live, usize)) {
        let (locations, vars, objects, at, temporaries, live, gotos) = checkpoint;
        self.locations.truncate(locations);
        self.vars.truncate(vars);
        self.objects.truncate(objects);
        self.at = at;
        self.temporaries = temporaries;
        self.live = live;
        self.gotos.truncate(gotos);
        self.labels.retain(|_, (at, _)| at.index() < locations);
        if let Some(location) = self.locations.get_mut(at.index()) {
            location.out = nowhere();
        }
    }

    /// The finished body: only what can be reached, without steps that do nothing.
    pub(super) fn body(&self) -> Body {
        let resolve = |mut at: LocId| {
            // Skips may form a circle: an empty loop.
            for _ in 0..self.locations.len() {
                match &self.locations[at.index()].out {
                    Out::Do(Command::Skip, to) if *to != at => at = *to,
                    _ => return at,
                }
            }
            at
        };
        let mut numbers: Vec<Option<LocId>> = vec![None; self.locations.len()];
        let mut order = Vec::new();
        let mut pending = vec![resolve(LocId(0))];
        while let Some(at) = pending.pop() {
            if numbers[at.index()].is_some() {
                continue;
            }
            numbers[at.index()] = Some(LocId(order.len() as u32));
            order.push(at);
            match &self.locations[at.index()].out {
                Out::Do(_, to) => pending.push(resolve(*to)),
                Out::Branch(_, then, otherwise) => {
                    pending.push(resolve(*otherwise));
                    pending.push(resolve(*then));
                }
                Out::Choose(all) => pending.extend(all.iter().map(|to| resolve(*to))),
                Out::Return => {}
            }
        }
        let number = |at: &LocId| numbers[resolve(*at).index()].unwrap_or(LocId(0));
        let locations = order
            .iter()
            .map(|at| {
                let Location { invariants, out, pos } = &self.locations[at.index()];
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
        Body { locations }
    }
}
