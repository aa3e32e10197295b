//! What the types of records say about links.

use heap::{Program, RecordId, Scalar, Target, Type};

/// Links of records to their own kind.
#[derive(Debug, Default)]
pub struct Records {
    links: Vec<Vec<i128>>,
}

impl Records {
    /// Of a program.
    #[must_use]
    pub fn new(program: &Program) -> Records {
        let mut links = Vec::new();
        for (i, record) in program.records.iter().enumerate() {
            let mut own = Vec::new();
            for field in &record.fields {
                collect(program, RecordId(i as u32), &field.ty, field.offset, &mut own, 0);
            }
            own.sort_unstable();
            own.dedup();
            links.push(own);
        }
        Records { links }
    }

    /// Offsets of pointers to records of the same type.
    #[must_use]
    pub fn self_links(&self, record: Option<RecordId>) -> &[i128] {
        record.and_then(|id| self.links.get(id.0 as usize)).map_or(&[], Vec::as_slice)
    }

    /// Are there several?
    #[must_use]
    pub fn is_tree_like(&self, record: Option<RecordId>) -> bool {
        self.self_links(record).len() >= 2
    }
}

fn collect(
    program: &Program,
    own: RecordId,
    ty: &Type,
    offset: u64,
    links: &mut Vec<i128>,
    depth: u8,
) {
    match ty {
        Type::Scalar(Scalar::Ptr(Target::Record(target))) if *target == own => {
            links.push(i128::from(offset));
        }
        Type::Array(element, count) if *count <= 8 => {
            let size = program.size_of(element);
            for i in 0..*count {
                collect(program, own, element, offset + i * size, links, depth);
            }
        }
        Type::Record(inner) if depth < 4 => {
            for field in &program.record(*inner).fields {
                collect(program, own, &field.ty, offset + field.offset, links, depth + 1);
            }
        }
        _ => {}
    }
}
