//! Types of C and how they are laid out.

use std::rc::Rc;

use heap::{DataModel, IntType, RecordId, Scalar, Target};

/// A type. Qualifiers are left out: they say nothing of what a program does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CType {
    Void,
    /// `_Bool`: conversions to it are comparisons with zero.
    Bool,
    Int(IntType),
    Float(u8),
    Ptr(Rc<CType>),
    /// An array, of unknown size where there is none.
    Array(Rc<CType>, Option<u64>),
    Func(Rc<FuncType>),
    Record(RecordId),
    /// `__builtin_va_list`.
    VaList,
}

/// The type of a function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FuncType {
    pub(crate) result: CType,
    pub(crate) params: Vec<CType>,
    pub(crate) variadic: bool,
    /// Are the parameters unknown: `f()`?
    pub(crate) unknown: bool,
}

/// A struct or a union.
#[derive(Clone, Debug)]
pub(crate) struct RecordInfo {
    pub(crate) name: String,
    pub(crate) union: bool,
    /// Its members, once they are known.
    pub(crate) members: Option<Vec<Member>>,
    pub(crate) size: u64,
    pub(crate) align: u64,
}

/// A member of a record.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// Anonymous records have none: their members count as those of the record around.
    pub(crate) name: Option<String>,
    pub(crate) ty: CType,
    pub(crate) offset: u64,
    /// First bit and width of a bit-field; the offset is that of its unit.
    pub(crate) bits: Option<(u8, u8)>,
}

pub(crate) const INT: IntType = IntType::signed(32);
pub(crate) const CHAR: IntType = IntType::signed(8);

impl CType {
    pub(crate) fn int() -> CType {
        CType::Int(INT)
    }

    pub(crate) fn pointer(to: CType) -> CType {
        CType::Ptr(Rc::new(to))
    }

    pub(crate) fn is_pointer(&self) -> bool {
        matches!(self, CType::Ptr(_))
    }

    pub(crate) fn is_arithmetic(&self) -> bool {
        matches!(self, CType::Bool | CType::Int(_) | CType::Float(_))
    }

    /// Is it held in a variable of a heap program, if its address is not taken?
    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self, CType::Bool | CType::Int(_) | CType::Float(_) | CType::Ptr(_))
    }

    /// The integer type it is, or is converted to without a change of value.
    pub(crate) fn int_type(&self) -> Option<IntType> {
        match self {
            CType::Int(ty) => Some(*ty),
            CType::Bool => Some(IntType::unsigned(8)),
            _ => None,
        }
    }

    /// What a variable or a place of it holds.
    pub(crate) fn scalar(&self) -> Scalar {
        match self {
            CType::Int(ty) => Scalar::Int(*ty),
            CType::Bool => Scalar::Int(IntType::unsigned(8)),
            CType::Float(bits) => Scalar::Float(*bits),
            CType::Ptr(to) => Scalar::Ptr(to.target()),
            CType::Func(_) => Scalar::Ptr(Target::Proc),
            CType::Void | CType::Array(..) | CType::Record(_) | CType::VaList => {
                Scalar::Ptr(Target::Unknown)
            }
        }
    }

    fn target(&self) -> Target {
        match self {
            CType::Record(id) => Target::Record(*id),
            CType::Int(ty) => Target::Int(*ty),
            CType::Bool => Target::Int(IntType::unsigned(8)),
            CType::Ptr(_) => Target::Ptr,
            CType::Func(_) => Target::Proc,
            CType::Array(element, _) => element.target(),
            CType::Void | CType::Float(_) | CType::VaList => Target::Unknown,
        }
    }

    /// After the promotions of integers.
    pub(crate) fn promoted(&self) -> CType {
        match self.int_type() {
            Some(ty) if ty.bits < 32 => CType::int(),
            _ => self.clone(),
        }
    }

    /// As users write it.
    pub(crate) fn show(&self, records: &[RecordInfo]) -> String {
        match self {
            CType::Void => "void".into(),
            CType::Bool => "_Bool".into(),
            CType::Int(ty) => {
                let name = match ty.bits {
                    8 => "char",
                    16 => "short",
                    32 => "int",
                    _ => "long",
                };
                if ty.signed { name.into() } else { format!("unsigned {name}") }
            }
            CType::Float(32) => "float".into(),
            CType::Float(64) => "double".into(),
            CType::Float(_) => "long double".into(),
            CType::Ptr(to) => format!("{} *", to.show(records)),
            CType::Array(of, Some(n)) => format!("{}[{n}]", of.show(records)),
            CType::Array(of, None) => format!("{}[]", of.show(records)),
            CType::Func(f) => format!("function returning {}", f.result.show(records)),
            CType::Record(id) => match records.get(id.0 as usize) {
                Some(info) if info.union => format!("union {}", info.name),
                Some(info) => format!("struct {}", info.name),
                None => "struct".into(),
            },
            CType::VaList => "va_list".into(),
        }
    }
}

/// The type to which both operands of an arithmetic operation are converted.
pub(crate) fn common(a: &CType, b: &CType) -> CType {
    if let (CType::Float(x), CType::Float(y)) = (a, b) {
        return CType::Float(*x.max(y));
    }
    if matches!(a, CType::Float(_)) {
        return a.clone();
    }
    if matches!(b, CType::Float(_)) {
        return b.clone();
    }
    let (Some(x), Some(y)) = (a.promoted().int_type(), b.promoted().int_type()) else {
        return CType::int();
    };
    let bits = x.bits.max(y.bits);
    // The one without sign wins unless the other has more bits.
    let unsigned = (!x.signed && x.bits == bits) || (!y.signed && y.bits == bits);
    CType::Int(IntType { bits, signed: !unsigned })
}

/// Size and alignment of types.
pub(crate) struct Layout<'a> {
    pub(crate) records: &'a [RecordInfo],
    pub(crate) model: DataModel,
}

impl Layout<'_> {
    /// How many bytes a type takes, if that is known.
    pub(crate) fn size(&self, ty: &CType) -> Option<u64> {
        Some(match ty {
            // As gcc has it.
            CType::Void | CType::Func(_) => 1,
            CType::Array(element, count) => self.size(element)?.checked_mul((*count)?)?,
            CType::Record(id) => {
                let info = self.records.get(id.0 as usize)?;
                info.members.as_ref()?;
                info.size
            }
            CType::VaList => 24,
            scalar => scalar.scalar().bytes(self.model),
        })
    }

    pub(crate) fn align(&self, ty: &CType) -> u64 {
        match ty {
            CType::Void | CType::Func(_) => 1,
            CType::Array(element, _) => self.align(element),
            CType::Record(id) => self.records.get(id.0 as usize).map_or(1, |info| info.align),
            CType::VaList => 8,
            scalar => scalar.scalar().bytes(self.model).max(1),
        }
    }

    /// Lays members out one after the other, or all at the start, as compilers for Linux do [System V
    /// ABI, AMD64, 3.1.2]: a bit-field is where the last one ended unless it would cross a border of its
    /// type there.
    pub(crate) fn record(&self, union: bool, members: Vec<Laid>) -> (Vec<Member>, u64, u64) {
        let (mut placed, mut end, mut size, mut align) = (Vec::new(), 0u64, 0u64, 1u64);
        for Laid { name, ty, bits, packed, aligned } in members {
            let natural = if packed { 1 } else { self.align(&ty) };
            let need = natural.max(aligned.unwrap_or(1));
            let bytes = self.size(&ty).unwrap_or(0);
            // The first bit that is free.
            let at = if union { 0 } else { end };
            let (member, after) = match bits {
                Some(0) => (None, at.next_multiple_of((bytes * 8).max(1))),
                Some(width) => {
                    let unit = (bytes * 8).max(1);
                    let crosses = at % unit + u64::from(width) > unit;
                    let first = match aligned {
                        Some(bytes) => at.next_multiple_of(bytes * 8),
                        None if crosses => at.next_multiple_of(unit),
                        None => at,
                    };
                    let in_unit = ((first % unit) as u8, width);
                    let offset = first / unit * bytes;
                    (Some((offset, Some(in_unit))), first + u64::from(width))
                }
                None => {
                    let offset = at.div_ceil(8).next_multiple_of(need);
                    (Some((offset, None)), offset.saturating_add(bytes).saturating_mul(8))
                }
            };
            // Padding has no alignment.
            if bits.is_none() || name.is_some() {
                align = align.max(need);
                if let Some((offset, bits)) = member {
                    placed.push(Member { name, ty, offset, bits });
                }
            }
            end = after;
            size = size.max(end.div_ceil(8));
        }
        (placed, size.next_multiple_of(align), align)
    }
}

/// A member that is to be laid out.
pub(crate) struct Laid {
    pub(crate) name: Option<String>,
    pub(crate) ty: CType,
    /// The width of a bit-field.
    pub(crate) bits: Option<u8>,
    /// Does it follow the one before without a gap?
    pub(crate) packed: bool,
    /// So many bytes it is aligned to at least.
    pub(crate) aligned: Option<u64>,
}
