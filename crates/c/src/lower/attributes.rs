//! Attributes of gcc that change what a program does. All others only help a compiler.

use lang_c::ast::{self, Extension};
use lang_c::span::{Node, Span};

use super::{Lowered, Lowering};
use crate::ctype::CType;

/// What attributes say of a layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Attributes {
    /// Are there no gaps?
    pub(super) packed: bool,
    /// It is aligned at least to so many bytes.
    pub(super) aligned: Option<u64>,
    /// An integer has so many bits, whatever its type says.
    pub(super) bits: Option<u8>,
}

/// The most that `aligned` without a number means.
const LARGEST_ALIGNMENT: u64 = 16;

impl Attributes {
    pub(super) fn and(self, other: Attributes) -> Attributes {
        Attributes {
            packed: self.packed || other.packed,
            aligned: self.aligned.max(other.aligned),
            bits: self.bits.or(other.bits),
        }
    }

    /// The type with the bits that an attribute asks for.
    pub(super) fn mode(self, ty: CType) -> CType {
        match (self.bits, &ty) {
            (Some(bits), CType::Int(int)) => CType::Int(heap::IntType { bits, ..*int }),
            _ => ty,
        }
    }
}

impl Lowering<'_> {
    pub(super) fn attributes<'e>(
        &mut self,
        list: impl IntoIterator<Item = &'e Node<Extension>>,
    ) -> Lowered<Attributes> {
        let mut found = Attributes::default();
        for extension in list {
            let Extension::Attribute(attribute) = &extension.node else { continue };
            let argument = attribute.arguments.first();
            let more = match attribute.name.node.trim_matches('_') {
                "aligned" => {
                    let bytes = match argument {
                        Some(e) => self.constant_value(e)?,
                        None => LARGEST_ALIGNMENT.into(),
                    };
                    self.aligned(bytes, extension.span)?
                }
                "mode" => {
                    let word = match argument.map(|e| &e.node) {
                        Some(ast::Expression::Identifier(name)) => &*name.node.name,
                        _ => "",
                    };
                    let bits = match word.trim_matches('_') {
                        "QI" | "byte" => 8,
                        "HI" => 16,
                        "SI" => 32,
                        "DI" => 64,
                        "word" | "pointer" => (self.program.model.pointer() * 8) as u8,
                        _ => return self.unsupported(extension.span, "this mode of a type"),
                    };
                    Attributes { bits: Some(bits), ..Attributes::default() }
                }
                word => self.attribute(word, extension.span)?,
            };
            found = found.and(more);
        }
        Ok(found)
    }

    /// The attributes of a record.
    pub(super) fn attributes_of_record(&mut self, span: Span) -> Lowered<Attributes> {
        let Some(text) = self.text else { return Ok(Attributes::default()) };
        let words = text.attributes_of_record(span.start);
        let mut found = Attributes::default();
        for (i, word) in words.iter().enumerate() {
            let more = match word.trim_matches('_') {
                "aligned" if words.get(i + 1).is_some_and(|w| w == "(") => {
                    let bytes = words.get(i + 2).and_then(|w| w.parse::<i128>().ok());
                    self.aligned(bytes.unwrap_or(0), span)?
                }
                "aligned" => self.aligned(LARGEST_ALIGNMENT.into(), span)?,
                word => self.attribute(word, span)?,
            };
            found = found.and(more);
        }
        Ok(found)
    }

    fn aligned(&mut self, bytes: i128, span: Span) -> Lowered<Attributes> {
        match u64::try_from(bytes) {
            Ok(bytes) if bytes.is_power_of_two() && bytes <= 1 << 28 => {
                Ok(Attributes { aligned: Some(bytes), ..Attributes::default() })
            }
            _ => self.wrong(span, "an alignment is a power of two"),
        }
    }

    fn attribute(&mut self, word: &str, span: Span) -> Lowered<Attributes> {
        match word {
            "packed" => Ok(Attributes { packed: true, ..Attributes::default() }),
            "vector_size"
            | "scalar_storage_order"
            | "ms_struct"
            | "cleanup"
            | "constructor"
            | "destructor" => self.unsupported(span, &format!("the attribute `{word}`")),
            _ => Ok(Attributes::default()),
        }
    }
}
