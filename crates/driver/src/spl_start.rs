//! States in which runs of `rac` start, as heap programs: a procedure that makes the heap and calls.

use std::collections::BTreeMap;

use heap::{
    Callee, Command, Expr, Global, GlobalId, LocId, Location, Out, Proc, ProcId, Program, Region,
    Scalar, Target, Type as HeapType, Var, VarId,
};
use rac::{Snapshot, Value};
use report::Pos;
use spl::core::Type;
use spl::lower::{Lowered, Shape};

/// A heap program that starts in a state of `rac`.
#[derive(Clone, Debug)]
pub struct Started {
    /// The program; its entry makes the state.
    pub program: Program,
    /// A global array of pointers: the objects of the state, then the first result. So
    /// nothing is lost that the caller of a procedure knows.
    pub roots: GlobalId,
    /// The objects of the state, in the order of the roots.
    pub objects: Vec<(Type, u32)>,
}

/// Where locations are that are not owned: nothing is at these addresses.
const ELSEWHERE: i128 = 0x2000_0000_0000;
/// Locations of different types are so far apart.
const APART: i128 = 1 << 24;

struct Maker<'a> {
    lowered: &'a Lowered,
    state: &'a Snapshot<'a>,
    vars: Vec<Var>,
    commands: Vec<Command>,
    /// The variables of objects and of cells of arrays.
    objects: BTreeMap<(Type, u32), VarId>,
    cells: BTreeMap<(Type, u32), VarId>,
    /// Types that locations elsewhere are of.
    types: Vec<Type>,
}

/// The program that starts in this state with a call of a procedure. None if the state is not a heap: parts of an
/// array are owned.
#[must_use]
pub fn started(lowered: &Lowered, shape: &Shape, state: &Snapshot<'_>) -> Option<Started> {
    let mut maker = Maker {
        lowered,
        state,
        vars: Vec::new(),
        commands: Vec::new(),
        objects: BTreeMap::new(),
        cells: BTreeMap::new(),
        types: Vec::new(),
    };
    maker.allocate()?;
    let objects: Vec<(Type, u32)> = maker.objects.keys().cloned().collect();
    maker.fill()?;
    for (name, (id, ty)) in &lowered.map.globals {
        if let Some(value) = state.global(name) {
            let value = maker.value(value, *ty)?;
            maker.commands.push(Command::Store { at: Expr::Global(*id), value, ty: *ty });
        }
    }
    let mut program = lowered.program.clone();
    let roots = GlobalId(program.globals.len() as u32);
    let pointer = Scalar::Ptr(Target::Unknown);
    for (i, var) in maker.objects.values().enumerate() {
        let at = Expr::offset(Expr::Global(roots), Expr::Int(i as i128 * 8));
        maker.commands.push(Command::Store { at, value: Expr::Var(*var), ty: pointer });
    }
    let mut args = Vec::new();
    for param in &shape.params {
        let var = shape.vars.get(param)?;
        let ty = lowered.program.proc(shape.id).vars.get(var.index())?.ty;
        args.push(match state.value(*param) {
            Some(value) => maker.value(value, ty)?,
            None => Expr::Var(maker.var(ty)),
        });
    }
    let to = shape.results.first().map(|(_, _, ty)| (maker.var(*ty), *ty));
    let callee = Callee::Proc(shape.id);
    maker.commands.push(Command::Call { to: to.map(|(var, _)| var), callee, args });
    if let Some((var, ty)) = to {
        let at = Expr::offset(Expr::Global(roots), Expr::Int(objects.len() as i128 * 8));
        maker.commands.push(Command::Store { at, value: Expr::Var(var), ty });
    }
    program.globals.push(Global {
        name: "$roots".into(),
        ty: HeapType::Array(Box::new(HeapType::Scalar(pointer)), objects.len() as u64 + 1),
        init: Vec::new(),
        constant: false,
        zeroed: true,
        pos: Pos::None,
    });
    program.entry = Some(ProcId(program.procs.len() as u32));
    let Maker { vars, commands, .. } = maker;
    let mut locations: Vec<Location> = Vec::new();
    for (i, command) in commands.into_iter().enumerate() {
        let out = Out::Do(command, LocId(i as u32 + 1));
        locations.push(Location { invariants: Vec::new(), out, pos: Pos::None });
    }
    locations.push(Location { invariants: Vec::new(), out: Out::Return, pos: Pos::None });
    program.procs.push(Proc {
        name: "$start".into(),
        vars,
        params: 0,
        result: None,
        objects: Vec::new(),
        requires: Vec::new(),
        ensures: Vec::new(),
        body: Some(heap::Body { locations }),
        pos: Pos::None,
    });
    Some(Started { program, roots, objects })
}

impl Maker<'_> {
    fn var(&mut self, ty: Scalar) -> VarId {
        let name = format!("o{}", self.vars.len());
        self.vars.push(Var { name, ty, temporary: false });
        VarId((self.vars.len() - 1) as u32)
    }

    /// All objects, before what they hold.
    fn allocate(&mut self) -> Option<()> {
        let (region, zeroed) = (Region::Heap, false);
        for (ty, location) in self.state.owned_locations() {
            let at = match location {
                Value::Location(at) => *at,
                // With its array, or not at all.
                Value::Cell(array, _) => {
                    let Type::Cell(of) = ty else { return None };
                    let header = (Type::Array(of.clone()), Value::Location(*array));
                    self.state.owned_locations().contains(&header).then_some(())?;
                    continue;
                }
                _ => return None,
            };
            let (id, record) = self.lowered.map.layouts.record(ty)?;
            let (size, record) = (Expr::Int(i128::from(record.size)), Some(id));
            let to = self.var(Scalar::Ptr(Target::Record(id)));
            self.commands.push(Command::Alloc { to, size, zeroed, region, record });
            self.objects.insert((ty.clone(), at), to);
            let Type::Array(of) = ty else { continue };
            let length = self.state.length(of, at)?;
            let cell = Type::Cell(of.clone());
            for index in 0..length {
                let cell = (cell.clone(), Value::Cell(at, index));
                self.state.owned_locations().contains(&cell).then_some(())?;
            }
            let bytes = self.lowered.map.layouts.scalar(of)?.bytes(heap::DataModel::Lp64);
            let to = self.var(Scalar::Ptr(Target::Unknown));
            let size = Expr::Int(length * i128::from(bytes));
            self.commands.push(Command::Alloc { to, size, zeroed, region, record: None });
            self.cells.insert((ty.clone(), at), to);
        }
        Some(())
    }

    /// What they hold, as far as somebody looked.
    fn fill(&mut self) -> Option<()> {
        let int = Scalar::Int(heap::IntType::UNBOUNDED);
        for ((ty, at), var) in self.objects.clone() {
            let object = Expr::Var(var);
            let mut places = Vec::new();
            match &ty {
                Type::Struct(_) => {
                    for (name, place) in self.lowered.map.layouts.fields() {
                        let value = self.state.field(name, at);
                        if let (Some(value), true) = (value, self.owns(&ty, name)) {
                            let base = object.clone();
                            places.push((base, place.offset, place.ty, value.clone()));
                        }
                    }
                }
                Type::Array(of) => {
                    let length = Value::Int(self.state.length(of, at)?);
                    let cells = Expr::Var(*self.cells.get(&(ty.clone(), at))?);
                    places.push((object.clone(), 0, int, length));
                    self.commands.push(Command::Store {
                        at: Expr::offset(object, Expr::Int(8)),
                        value: cells.clone(),
                        ty: Scalar::Ptr(Target::Unknown),
                    });
                    let element = self.lowered.map.layouts.scalar(of)?;
                    let bytes = element.bytes(heap::DataModel::Lp64);
                    for index in 0..self.state.length(of, at)? {
                        if let Some(value) = self.state.element(of, at, index) {
                            let offset = u64::try_from(index).ok()? * bytes;
                            places.push((cells.clone(), offset, element, value.clone()));
                        }
                    }
                }
                _ => return None,
            }
            for (base, offset, ty, value) in places {
                let value = self.value(&value, ty)?;
                let at = Expr::offset(base, Expr::Int(i128::from(offset)));
                self.commands.push(Command::Store { at, value, ty });
            }
        }
        Some(())
    }

    /// Is a field one of a struct?
    fn owns(&self, ty: &Type, field: &spl::core::Name) -> bool {
        matches!(ty, Type::Struct(name) if self.lowered.map.layouts.owner(field) == Some(name))
    }

    /// A value of the state; of a pointer the type says to which kind of objects.
    fn value(&mut self, value: &Value, ty: Scalar) -> Option<Expr> {
        Some(match value {
            Value::Int(n) => Expr::Int(*n),
            Value::Bool(b) => Expr::Int((*b).into()),
            Value::Byte(n) => Expr::Int((*n).into()),
            Value::Opaque(n) => Expr::Int((*n).into()),
            Value::Location(0) | Value::NoCell => Expr::Null,
            Value::Location(at) => {
                let Scalar::Ptr(Target::Record(id)) = ty else { return None };
                let kind = self.lowered.map.layouts.of_record(id)?.clone();
                match self.objects.get(&(kind.clone(), *at)) {
                    Some(var) => Expr::Var(*var),
                    None => self.elsewhere(&kind, i128::from(*at) * 16),
                }
            }
            // Which kind of cell it is the pointer does not say.
            Value::Cell(..) | Value::Set(_) | Value::Map(_) | Value::Data(..) => return None,
        })
    }

    fn elsewhere(&mut self, ty: &Type, at: i128) -> Expr {
        let number = self.types.iter().position(|known| known == ty).unwrap_or_else(|| {
            self.types.push(ty.clone());
            self.types.len() - 1
        });
        Expr::offset(Expr::Null, Expr::Int(ELSEWHERE + number as i128 * APART + at))
    }
}
