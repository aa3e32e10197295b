//! Types of values, and structs and arrays as records.

use std::collections::{BTreeMap, BTreeSet};

use heap::{Field, IntType, Record, RecordId, Scalar, Target, Type as HeapType};

use crate::core::{Name, Program, Type};

/// A truth value: 0 or 1.
pub(super) const BOOL: IntType = IntType::unsigned(1);
const BYTE: IntType = IntType::unsigned(8);

/// Where a field is in its record, and what it holds.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// In bytes.
    pub offset: u64,
    /// What is loaded and stored there.
    pub ty: Scalar,
}

/// What values, structs and arrays are in a heap program.
#[derive(Clone, Debug, Default)]
pub struct Layouts {
    /// The records, by their numbers.
    pub records: Vec<Record>,
    /// Of structs and arrays.
    ids: BTreeMap<Type, RecordId>,
    /// Fields that are not erased.
    fields: BTreeMap<Name, Place>,
    owners: BTreeMap<Name, Name>,
    /// `Int`
    int: Option<IntType>,
    /// Are arrays maps, without cells?
    simple_arrays: bool,
}

/// Where the length of an array is.
pub(super) const LENGTH: u64 = 0;
/// Where the pointer to its cells is.
pub(super) const CELLS: u64 = 8;

impl Layouts {
    pub(super) fn new(program: &Program) -> Layouts {
        let (options, _) = crate::options(program);
        let int = options.bitvector.map_or(IntType::UNBOUNDED, |_| IntType::signed(32));
        let simple_arrays = options.simple_arrays.is_some();
        let mut layouts = Layouts { int: Some(int), simple_arrays, ..Layouts::default() };
        let mut names = BTreeSet::new();
        let structs = program.structs.keys().map(|name| Type::Struct(name.clone()));
        for ty in structs.chain(arrays(program)) {
            let name = record_name(&ty.to_string(), &mut names);
            layouts.ids.insert(ty, RecordId(layouts.records.len() as u32));
            layouts.records.push(Record { name, size: 0, fields: Vec::new() });
        }
        let ids = layouts.ids.clone();
        for (ty, id) in ids {
            let fields = match &ty {
                Type::Struct(name) => layouts.fields_of(program, name),
                _ => layouts.header(&ty),
            };
            let end = |f: &Field| {
                f.offset
                    + match &f.ty {
                        HeapType::Scalar(scalar) => scalar.bytes(heap::DataModel::Lp64),
                        _ => 0,
                    }
            };
            let size = fields.iter().map(end).max().unwrap_or(0).max(1).next_multiple_of(8);
            if let Some(record) = layouts.records.get_mut(id.0 as usize) {
                (record.size, record.fields) = (size, fields);
            }
        }
        layouts
    }

    fn fields_of(&mut self, program: &Program, owner: &Name) -> Vec<Field> {
        let mut names = BTreeSet::new();
        let (mut fields, mut offset) = (Vec::new(), 0u64);
        for name in program.structs.get(owner).into_iter().flatten() {
            let Some(field) = program.fields.get(name).filter(|f| !f.ghost) else { continue };
            let Some(ty) = self.scalar(&field.ty) else { continue };
            let bytes = ty.bytes(heap::DataModel::Lp64);
            offset = offset.next_multiple_of(bytes.max(1));
            let written = record_name(name, &mut names);
            fields.push(Field { name: written, offset, ty: HeapType::Scalar(ty) });
            self.fields.insert(name.clone(), Place { offset, ty });
            self.owners.insert(name.clone(), owner.clone());
            offset += bytes;
        }
        fields
    }

    fn header(&self, ty: &Type) -> Vec<Field> {
        let Type::Array(of) = ty else { return Vec::new() };
        let length = Scalar::Int(IntType::UNBOUNDED);
        let cells = Scalar::Ptr(self.scalar(of).map_or(Target::Unknown, target));
        let field = |name: &str, offset, ty| Field {
            name: name.to_owned(),
            offset,
            ty: HeapType::Scalar(ty),
        };
        vec![field("length", LENGTH, length), field("cells", CELLS, cells)]
    }

    /// What a value of a type is; none of sets, maps and datatypes.
    #[must_use]
    pub fn scalar(&self, ty: &Type) -> Option<Scalar> {
        Some(match ty {
            Type::Int => Scalar::Int(self.int()),
            Type::Bool => Scalar::Int(BOOL),
            Type::Byte => Scalar::Int(BYTE),
            // Only whether two of them are equal can be asked.
            Type::Opaque(_) => Scalar::Int(IntType::UNBOUNDED),
            Type::Struct(_) => Scalar::Ptr(Target::Record(*self.ids.get(ty)?)),
            Type::Array(of) => {
                self.scalar(of).filter(|_| !self.simple_arrays)?;
                self.ids.get(ty).map(|id| Scalar::Ptr(Target::Record(*id)))?
            }
            Type::Cell(of) => Scalar::Ptr(target(self.scalar(of)?)),
            Type::Set(_) | Type::Map(..) | Type::Datatype(_) | Type::Perm | Type::Hole(_) => {
                return None;
            }
        })
    }

    /// The type of `Int`.
    #[must_use]
    pub fn int(&self) -> IntType {
        self.int.unwrap_or(IntType::UNBOUNDED)
    }

    /// The record of a struct or of the header of an array.
    #[must_use]
    pub fn record(&self, ty: &Type) -> Option<(RecordId, &Record)> {
        let id = *self.ids.get(ty)?;
        Some((id, self.records.get(id.0 as usize)?))
    }

    /// The place of a field; none of one that is erased.
    #[must_use]
    pub fn field(&self, name: &Name) -> Option<Place> {
        self.fields.get(name).copied()
    }

    /// The struct of a field that is not erased.
    #[must_use]
    pub fn owner(&self, field: &Name) -> Option<&Name> {
        self.owners.get(field)
    }

    /// The struct, or the type of arrays, of a record.
    #[must_use]
    pub fn of_record(&self, record: RecordId) -> Option<&Type> {
        self.ids.iter().find(|(_, id)| **id == record).map(|(ty, _)| ty)
    }

    /// Fields of structs that are not erased.
    pub fn fields(&self) -> impl Iterator<Item = (&Name, Place)> {
        self.fields.iter().map(|(name, place)| (name, *place))
    }

    /// Are arrays maps, without cells?
    pub(super) fn simple_arrays(&self) -> bool {
        self.simple_arrays
    }
}

/// What a pointer to such a value is meant to lead to.
fn target(scalar: Scalar) -> Target {
    match scalar {
        Scalar::Int(ty) => Target::Int(ty),
        Scalar::Ptr(_) => Target::Ptr,
        Scalar::Float(_) => Target::Unknown,
    }
}

/// A name that the text form can have; `x^3` and `b?x` are names of SPL.
pub(super) fn plain(name: &str) -> String {
    let start = if name.starts_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
    let kept = |c: char| match c {
        '^' => '.',
        '?' => '$',
        c => c,
    };
    format!("{start}{}", name.chars().map(kept).collect::<String>())
}

/// A name of a record or a field: formulas can mention it, so it has letters and digits only.
fn record_name(name: &str, taken: &mut BTreeSet<String>) -> String {
    let kept = |c: char| if c.is_alphanumeric() { c } else { '_' };
    let mut plain: String = name.chars().map(kept).collect();
    let is_number = |bits: &str| !bits.is_empty() && bits.bytes().all(|b| b.is_ascii_digit());
    let int = plain.strip_prefix(['i', 'u']).is_some_and(is_number);
    let odd = int || matches!(&*plain, "int" | "proc") || heap::text::is_keyword(&plain);
    if odd || plain.starts_with(|c: char| c.is_ascii_digit()) {
        plain.insert(0, '_');
    }
    while !taken.insert(plain.clone()) {
        plain.push('_');
    }
    plain
}

/// Types of arrays that a program mentions.
fn arrays(program: &Program) -> BTreeSet<Type> {
    let mut found = BTreeSet::new();
    for field in program.fields.values() {
        collect(&field.ty, &mut found);
    }
    program.globals.values().for_each(|ty| collect(ty, &mut found));
    let procedures = program.procedures.values().flat_map(|p| &p.locals);
    let functions = program.functions.values().flat_map(|f| &f.locals);
    let predicates = program.predicates.values().flat_map(|p| &p.locals);
    for local in procedures.chain(functions).chain(predicates) {
        collect(&local.ty, &mut found);
    }
    for body in program.procedures.values().filter_map(|p| p.body.as_ref()) {
        body.walk(&mut |stmt| {
            stmt.each_expr(&mut |e| e.walk(&mut |e| collect(&e.ty, &mut found)));
        });
    }
    found
}

fn collect(ty: &Type, found: &mut BTreeSet<Type>) {
    match ty {
        Type::Array(of) | Type::Cell(of) => {
            found.insert(Type::Array(of.clone()));
            collect(of, found);
        }
        Type::Set(of) => collect(of, found),
        Type::Map(key, value) => {
            collect(key, found);
            collect(value, found);
        }
        _ => {}
    }
}
