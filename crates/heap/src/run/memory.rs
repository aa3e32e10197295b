//! Memory: objects that never move, each with what is at its places.
//!
//! An object is an array of cells. A cell stands for as many bytes as the object's *granule*, which is
//! the largest power of two that all accesses so far fit; the first access that does not makes it
//! smaller. So a record of pointers has a cell for each of them, and only what is accessed byte by byte
//! has a cell for each byte.
//!
//! Every object has an address, and none is used twice. A pointer is an object and a place in it as long
//! as a program moves and copies it; where a program looks at its bits, they are those of the address, and
//! a number that is the address of a place in an object leads there. So hash tables over addresses, marks
//! in the low bits of pointers and lists linked by exclusive or do what they do on a real machine.

use report::Pos;

use super::fault::FaultKind;
use super::value::{Pointer, Value};
use crate::program::ProcId;
use crate::types::RecordId;

/// Objects have addresses above those of procedures.
const FIRST_OBJECT: u64 = 1 << 24;
const FIRST_PROC: u64 = 1 << 12;
/// Objects are aligned to it, and so far apart that the end of one is not the start of another.
const ALIGNMENT: u64 = 16;
/// The bits of a pointer that was never set. Nothing is at that address.
const GARBAGE: i128 = 0x7eb7_b7b7_b7b0;

/// All objects that there are or were.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// By number; their addresses ascend.
    objects: Vec<Object>,
    /// Was a byte of a pointer looked at?
    pub(super) bytes_seen: bool,
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its size in bytes.
    pub size: u64,
    /// Where it starts.
    pub address: u64,
    /// Is it still there?
    pub life: Life,
    /// Whose it is.
    pub owner: Owner,
    /// Must nobody write to it?
    pub constant: bool,
    /// Where it was made.
    pub pos: Pos,
    /// What it is meant to be, if it is on the heap and that is known.
    pub record: Option<RecordId>,
    /// The logarithm of the bytes of a cell.
    granule: u8,
    /// Are cells zero that nothing was stored in?
    zeroed: bool,
    cells: Vec<Cell>,
}

/// Is an object still there?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Life {
    /// Yes.
    Live,
    /// It was freed.
    Freed,
    /// Its block was left, or its procedure.
    Gone,
}

/// Whose an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// Allocated on the heap.
    Heap,
    /// A global object, by its number.
    Global(u32),
    /// A local object of a procedure, by its number.
    Local(ProcId, u32),
    /// Allocated until a procedure ends.
    Alloca(ProcId),
}

/// What is at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cell {
    /// Nothing was stored there.
    Empty,
    /// It is a later part of a value that starts before.
    Covered,
    /// A value of so many bytes starts here.
    Value(Value, u8),
    /// One byte of a value that has no bytes: which, of how many. Only with granule 1.
    Part(Value, u8, u8),
}

/// The largest object. It has a cell for each of its granules.
pub const MAX_OBJECT: u64 = 1 << 28;
const START_GRANULE: u8 = 2;

impl Memory {
    /// A new object.
    pub fn allocate(&mut self, size: u64, owner: Owner, zeroed: bool, pos: Pos) -> u32 {
        let granule = START_GRANULE;
        let cells = vec![Cell::Empty; size.div_ceil(1 << granule) as usize];
        let life = Life::Live;
        let (constant, record) = (false, None);
        let address = self.objects.last().map_or(FIRST_OBJECT, |last| {
            (last.address + last.size + 1).next_multiple_of(ALIGNMENT)
        });
        self.objects.push(Object {
            size,
            address,
            life,
            owner,
            constant,
            pos,
            record,
            granule,
            zeroed,
            cells,
        });
        (self.objects.len() - 1) as u32
    }

    /// All objects, by number.
    #[must_use]
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// The object of a number.
    #[must_use]
    pub fn object(&self, number: u32) -> Option<&Object> {
        self.objects.get(number as usize)
    }

    pub(super) fn object_mut(&mut self, number: u32) -> Option<&mut Object> {
        self.objects.get_mut(number as usize)
    }

    /// The place that a number is the address of, at the end of an object included.
    #[must_use]
    pub fn at_address(&self, n: i128) -> Option<Pointer> {
        let n = u64::try_from(n).ok().filter(|n| *n >= FIRST_OBJECT)?;
        let number = self.objects.partition_point(|object| object.address <= n).checked_sub(1)?;
        let object = self.objects.get(number)?;
        let offset = n - object.address;
        (offset <= object.size).then_some(Pointer { object: number as u32, offset: offset as i64 })
    }

    /// The procedure that a number is the address of.
    pub(super) fn proc_at_address(n: i128) -> Option<ProcId> {
        let n = u64::try_from(n).ok().filter(|n| *n < FIRST_OBJECT)?.checked_sub(FIRST_PROC)?;
        (n % ALIGNMENT == 0).then_some(ProcId((n / ALIGNMENT) as u32))
    }

    /// A value as a number: the address of a pointer.
    #[must_use]
    pub fn number(&self, value: Value) -> i128 {
        match value {
            Value::Int(n) => n,
            Value::Ptr(p) => {
                let base = self.object(p.object).map_or(0, |object| object.address);
                i128::from(base) + i128::from(p.offset)
            }
            Value::Proc(id) => i128::from(FIRST_PROC + ALIGNMENT * u64::from(id.0)),
            Value::Float(x) => x as i128,
            Value::Garbage | Value::Undef => GARBAGE,
        }
    }

    /// The bits of a value that takes so many bytes.
    fn image(&self, value: Value, bytes: u8) -> i128 {
        match value {
            Value::Float(x) if bytes == 4 => (x as f32).to_bits().into(),
            Value::Float(x) => x.to_bits().into(),
            value => self.number(value),
        }
    }

    /// The object is no longer there. What it held is forgotten.
    pub(super) fn end(&mut self, number: u32, life: Life) {
        if let Some(object) = self.object_mut(number) {
            object.life = life;
            object.cells = Vec::new();
        }
    }

    /// The object holds anything from now on.
    pub(super) fn forget(&mut self, number: u32) {
        if let Some(object) = self.object_mut(number) {
            object.zeroed = false;
            object.cells.fill(Cell::Empty);
        }
    }

    /// May so many bytes be accessed at a place? Otherwise why not.
    pub(super) fn check(&self, at: Value, bytes: u64, write: bool) -> Result<Pointer, FaultKind> {
        match at {
            Value::Ptr(at) => {
                let Some(object) = self.object(at.object) else { return Err(FaultKind::Wild) };
                match object.life {
                    Life::Freed => return Err(FaultKind::Freed),
                    Life::Gone => return Err(FaultKind::Dangling),
                    Life::Live => {}
                }
                let inside = at.offset >= 0
                    && (at.offset as u64).checked_add(bytes).is_some_and(|end| end <= object.size);
                match inside {
                    false => Err(FaultKind::OutOfBounds),
                    true if write && object.constant => Err(FaultKind::Constant),
                    true => Ok(at),
                }
            }
            // As on a real machine, where nothing is mapped near address zero.
            Value::Int(n) if n.unsigned_abs() < 4096 => Err(FaultKind::Null),
            Value::Undef | Value::Garbage => Err(FaultKind::Uninitialised),
            Value::Int(n) => match self.at_address(n) {
                Some(at) => self.check(Value::Ptr(at), bytes, write),
                None => Err(FaultKind::Wild),
            },
            Value::Proc(_) | Value::Float(_) => Err(FaultKind::Wild),
        }
    }

    /// What is at a place that was checked. `None` if nothing was stored there; if something was stored in
    /// some of its bytes, `draw` says what is in the others from now on.
    pub(super) fn read(
        &mut self,
        at: Pointer,
        bytes: u8,
        draw: &mut dyn FnMut() -> u8,
    ) -> Option<Value> {
        let offset = at.offset as u64;
        let object = self.objects.get_mut(at.object as usize)?;
        if let Some(found) = object.read(offset, bytes) {
            return found;
        }
        // A value made of bytes that were stored otherwise.
        object.break_up(offset, bytes);
        let range = offset as usize..offset as usize + usize::from(bytes);
        let parts: Vec<Cell> = object.cells.get(range)?.to_vec();
        if let Some(Cell::Part(value, 0, of)) = parts.first()
            && *of == bytes
            && parts.iter().enumerate().all(|(i, c)| *c == Cell::Part(*value, i as u8, bytes))
        {
            return Some(*value);
        }
        let (mut whole, mut numbers) = (0i128, true);
        for (i, cell) in parts.iter().enumerate() {
            let byte = match *cell {
                Cell::Value(value, _) => self.number(value) & 0xff,
                Cell::Part(value, k, of) => {
                    numbers = false;
                    self.bytes_seen |= !matches!(value, Value::Float(_));
                    (self.image(value, of) >> (8 * u32::from(k).min(15))) & 0xff
                }
                Cell::Empty | Cell::Covered => {
                    let byte = i128::from(draw());
                    let place = Pointer { offset: at.offset + i as i64, ..at };
                    self.write(place, 1, Value::Int(byte));
                    byte
                }
            };
            whole |= byte << (8 * i);
        }
        // The next time it is one value; bytes of a pointer stay what they are.
        if numbers {
            self.write(at, bytes, Value::Int(whole));
        }
        Some(Value::Int(whole))
    }

    /// Stores a value at a place that was checked.
    pub(super) fn write(&mut self, at: Pointer, bytes: u8, value: Value) {
        if let Some(object) = self.object_mut(at.object) {
            object.write(at.offset as u64, bytes, value);
        }
    }

    /// Copies bytes between places that were checked.
    pub(super) fn copy(&mut self, to: Pointer, from: Pointer, bytes: u64) {
        let Some(source) = self.object_mut(from.object) else { return };
        let (start, end) = (from.offset as u64, from.offset as u64 + bytes);
        source.align(start, bytes);
        // Parts of values at the borders are copied byte by byte.
        source.cut(start);
        source.cut(end);
        let (granule, zeroed) = (source.granule, source.zeroed);
        let range = (start >> granule) as usize..end.div_ceil(1 << granule) as usize;
        let cells: Vec<Cell> = source.cells.get(range).map(<[Cell]>::to_vec).unwrap_or_default();
        let Some(object) = self.object_mut(to.object) else { return };
        let (start, end) = (to.offset as u64, to.offset as u64 + bytes);
        while object.granule > granule || !object.fits(start, bytes) {
            object.halve();
        }
        object.cut(start);
        object.cut(end);
        let step = 1 << (granule - object.granule);
        let first = (start >> object.granule) as usize;
        for (i, cell) in cells.into_iter().enumerate() {
            let at = first + i * step;
            let cell = match cell {
                Cell::Empty if zeroed => Cell::Value(Value::Int(0), 1 << granule),
                cell => cell,
            };
            let rest = match cell {
                Cell::Empty => Cell::Empty,
                _ => Cell::Covered,
            };
            for (k, place) in object.cells.iter_mut().skip(at).take(step).enumerate() {
                *place = if k == 0 { cell } else { rest };
            }
            if matches!(cell, Cell::Empty) && object.zeroed {
                // Uninitialised bytes in an object whose other bytes are zero.
                object.materialise();
                for place in object.cells.iter_mut().skip(at).take(step) {
                    *place = Cell::Empty;
                }
            }
        }
    }

    /// Sets bytes at a place that was checked.
    pub(super) fn fill(&mut self, at: Pointer, byte: u8, bytes: u64) {
        let Some(object) = self.object_mut(at.object) else { return };
        let start = at.offset as u64;
        if start == 0 && bytes == object.size && byte == 0 {
            object.zeroed = true;
            object.cells.fill(Cell::Empty);
            return;
        }
        object.align(start, bytes);
        let width = 1u64 << object.granule;
        let mut whole = 0i128;
        for i in 0..width {
            whole |= i128::from(byte) << (8 * i);
        }
        for i in 0..bytes >> object.granule {
            object.write(start + i * width, width as u8, Value::Int(whole));
        }
    }
}

impl Object {
    /// What it holds: offset, bytes and value.
    pub fn values(&self) -> impl Iterator<Item = (u64, u8, Value)> {
        self.cells.iter().enumerate().filter_map(|(i, cell)| {
            let offset = (i as u64) << self.granule;
            match cell {
                Cell::Value(value, bytes) => Some((offset, *bytes, *value)),
                Cell::Part(value, 0, of) => Some((offset, *of, *value)),
                Cell::Empty | Cell::Covered | Cell::Part(..) => None,
            }
        })
    }

    /// Is what nothing was stored in zero?
    #[must_use]
    pub fn is_zeroed(&self) -> bool {
        self.zeroed
    }

    fn fits(&self, offset: u64, bytes: u64) -> bool {
        let mask = (1u64 << self.granule) - 1;
        offset & mask == 0 && bytes & mask == 0
    }

    /// Makes cells small enough for an access.
    fn align(&mut self, offset: u64, bytes: u64) {
        while self.granule > 0 && !self.fits(offset, bytes) {
            self.halve();
        }
    }

    fn halve(&mut self) {
        if self.granule == 0 {
            return;
        }
        self.granule -= 1;
        let count = self.size.div_ceil(1 << self.granule) as usize;
        let mut cells = Vec::with_capacity(count + 1);
        for cell in &self.cells {
            cells.push(*cell);
            cells.push(match cell {
                Cell::Empty => Cell::Empty,
                _ => Cell::Covered,
            });
        }
        cells.truncate(count);
        self.cells = cells;
    }

    /// Stores the zeros that are only known to be there.
    fn materialise(&mut self) {
        if std::mem::take(&mut self.zeroed) {
            let width = 1u8 << self.granule;
            for cell in &mut self.cells {
                if *cell == Cell::Empty {
                    *cell = Cell::Value(Value::Int(0), width);
                }
            }
        }
    }

    /// No value reaches over this offset afterwards.
    fn cut(&mut self, offset: u64) {
        let at = (offset >> self.granule) as usize;
        if self.cells.get(at) == Some(&Cell::Covered) {
            self.shatter(at);
        }
    }

    /// Makes bytes of the value that a cell is part of.
    fn shatter(&mut self, at: usize) {
        let Some(start) = self.cells.iter().take(at + 1).rposition(|c| *c != Cell::Covered) else {
            return;
        };
        let start = (start as u64) << self.granule;
        while self.granule > 0 {
            self.halve();
        }
        let start = start as usize;
        let Some(Cell::Value(value, bytes)) = self.cells.get(start).copied() else { return };
        for i in 0..bytes {
            let cell = match value {
                Value::Int(n) => {
                    Cell::Value(Value::Int((n >> (8 * u32::from(i).min(15))) & 0xff), 1)
                }
                value => Cell::Part(value, i, bytes),
            };
            if let Some(place) = self.cells.get_mut(start + usize::from(i)) {
                *place = cell;
            }
        }
    }

    /// The value of an access that is what was stored, or nothing if nothing was.
    #[inline]
    fn read(&mut self, offset: u64, bytes: u8) -> Option<Option<Value>> {
        self.align(offset, u64::from(bytes));
        let at = (offset >> self.granule) as usize;
        match self.cells.get(at).copied()? {
            Cell::Value(value, width) if width == bytes => Some(Some(value)),
            Cell::Empty if self.is_empty(at, bytes) => Some(self.zeroed.then_some(Value::Int(0))),
            _ => None,
        }
    }

    fn is_empty(&self, at: usize, bytes: u8) -> bool {
        let count = usize::from(bytes) >> self.granule;
        self.cells.iter().skip(at).take(count.max(1)).all(|cell| *cell == Cell::Empty)
    }

    /// Makes bytes of all values that an access touches.
    fn break_up(&mut self, offset: u64, bytes: u8) {
        self.materialise();
        while self.granule > 0 {
            self.halve();
        }
        for at in offset..offset + u64::from(bytes) {
            match self.cells.get(at as usize) {
                Some(Cell::Value(_, width)) if *width != 1 => self.shatter(at as usize),
                Some(Cell::Covered) => self.shatter(at as usize),
                _ => {}
            }
        }
    }

    fn write(&mut self, offset: u64, bytes: u8, value: Value) {
        self.align(offset, u64::from(bytes));
        let at = (offset >> self.granule) as usize;
        let count = usize::from(bytes) >> self.granule;
        if let Some(Cell::Value(old, width)) = self.cells.get_mut(at)
            && *width == bytes
        {
            *old = value;
            return;
        }
        self.cut(offset);
        self.cut(offset + u64::from(bytes));
        // Cutting may have made cells smaller.
        let (at, count) = match self.granule {
            0 => (offset as usize, usize::from(bytes)),
            _ => (at, count),
        };
        for (i, cell) in self.cells.iter_mut().skip(at).take(count).enumerate() {
            *cell = if i == 0 { Cell::Value(value, bytes) } else { Cell::Covered };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> (Memory, impl Fn(i64) -> Pointer) {
        let mut memory = Memory::default();
        let object = memory.allocate(16, Owner::Heap, false, Pos::None);
        (memory, move |offset| Pointer { object, offset })
    }

    /// Every byte that nothing was stored in.
    const OTHER: u8 = 0xab;

    fn read(m: &mut Memory, at: Pointer, bytes: u8) -> Option<Value> {
        m.read(at, bytes, &mut || OTHER)
    }

    #[test]
    fn what_is_stored_is_read() {
        let (mut m, at) = memory();
        m.write(at(0), 8, Value::Ptr(at(4)));
        m.write(at(8), 4, Value::Int(7));
        assert_eq!(read(&mut m, at(0), 8), Some(Value::Ptr(at(4))));
        assert_eq!(read(&mut m, at(8), 4), Some(Value::Int(7)));
        assert_eq!(read(&mut m, at(12), 4), None);
    }

    #[test]
    fn bytes_of_a_number_are_little_endian() {
        let (mut m, at) = memory();
        m.write(at(0), 4, Value::Int(0x0102_0304));
        assert_eq!(read(&mut m, at(0), 1), Some(Value::Int(4)));
        assert_eq!(read(&mut m, at(2), 2), Some(Value::Int(0x0102)));
        m.write(at(1), 1, Value::Int(0xff));
        assert_eq!(read(&mut m, at(0), 4), Some(Value::Int(0x0102_ff04)));
    }

    #[test]
    fn pointers_are_copied_byte_by_byte() {
        let (mut m, at) = memory();
        let pointer = Value::Ptr(at(0));
        m.write(at(0), 8, pointer);
        for i in 0..8 {
            m.copy(at(8 + i), at(i), 1);
        }
        assert_eq!(read(&mut m, at(8), 8), Some(pointer));
        let bits = m.number(pointer);
        assert_eq!(read(&mut m, at(8), 2), Some(Value::Int(bits & 0xffff)));
        m.write(at(8), 1, Value::Int(1));
        assert_eq!(read(&mut m, at(8), 8), Some(Value::Int(bits & !0xff | 1)));
        assert_eq!(read(&mut m, at(0), 8), Some(pointer));
        assert_eq!(m.at_address(bits), Some(at(0)));
    }

    #[test]
    fn bytes_that_are_not_initialised_are_drawn_one_by_one() {
        let (mut m, at) = memory();
        m.write(at(0), 1, Value::Int(5));
        assert_eq!(read(&mut m, at(0), 4), Some(Value::Int(0xabab_ab05)));
        assert_eq!(read(&mut m, at(0), 1), Some(Value::Int(5)));
        assert_eq!(read(&mut m, at(2), 1), Some(Value::Int(0xab)));
    }

    #[test]
    fn numbers_have_the_bits_of_floating_point() {
        let (mut m, at) = memory();
        m.write(at(0), 4, Value::Float(1.5));
        assert_eq!(read(&mut m, at(2), 2), Some(Value::Int(0x3fc0)));
        m.write(at(8), 8, Value::Float(2.5));
        assert_eq!(read(&mut m, at(12), 4), Some(Value::Int(0x4004_0000)));
    }

    #[test]
    fn copies_keep_what_is_not_initialised() {
        let (mut m, at) = memory();
        let zeroed = m.allocate(8, Owner::Heap, true, Pos::None);
        let to = Pointer { object: zeroed, offset: 0 };
        assert_eq!(read(&mut m, to, 4), Some(Value::Int(0)));
        m.copy(to, at(0), 4);
        assert_eq!(read(&mut m, to, 4), None);
        assert_eq!(read(&mut m, Pointer { offset: 4, ..to }, 4), Some(Value::Int(0)));
        m.fill(to, 1, 8);
        assert_eq!(read(&mut m, to, 4), Some(Value::Int(0x0101_0101)));
    }
}
