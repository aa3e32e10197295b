//! Value maps of quantified permissions, and symbols about wands and reads.

use std::fmt::Write as _;

use smt::{FunId, Meaning, Node, Sort, Term, symbol};
use viper::core::FieldId;

use super::Encoding;
use super::symbols::{SymbolKind, Use, ValueMap};
use crate::state::{ResourceId, WandId};

impl Encoding<'_> {
    /// The value maps of a resource: functions from locations to values, as values themselves.
    pub fn value_map(&mut self, resource: ResourceId) -> ValueMap {
        if let Some(map) = self.symbols.value_maps.get(&resource) {
            return map.clone();
        }
        let (name, args, result) = match resource {
            ResourceId::Field(id) => {
                let field = self.program.field(id);
                let sort = self.sort(&field.ty);
                (format!("field.{}", field.name.as_str()), vec![self.prelude.reference], sort)
            }
            ResourceId::Predicate(id) => {
                let predicate = self.program.predicate(id);
                let params = &predicate.locals[..predicate.params as usize];
                let args = params.iter().map(|p| self.sort(&p.ty)).collect();
                (format!("pred.{}", predicate.name.as_str()), args, self.prelude.snap)
            }
            ResourceId::Wand(WandId(id)) => {
                let args = self.symbols.wands.get(id as usize).cloned().unwrap_or_default();
                (format!("wand.{id}"), args, self.prelude.snap)
            }
        };
        let sort_name = format!("Values.{name}");
        let sort_text = symbol(&sort_name);
        let _ = writeln!(self.symbols.text, "(declare-sort {sort_text} 0)");
        let sort = self.terms.signature.add_sort(sort_text, Meaning::Builtin);
        self.symbols.sort_names.insert(sort, sort_name.clone());
        let mut full = vec![sort];
        full.extend(&args);
        let map = ValueMap {
            sort,
            lookup: self.declare(&format!("{sort_name}.at"), full.clone(), result),
            domain: self.declare(&format!("{sort_name}.has"), full, Sort::Bool),
            args: args.clone(),
        };
        self.symbols.value_maps.insert(resource, map.clone());
        self.symbols.note(Use::ValueMap(resource));
        let (wrap, _) = self.wrapper(sort);
        self.value_map_axiom(&sort_name, &map, wrap);
        map
    }

    /// Maps that agree on their domains are the same; where they differ, they do so at a witness.
    /// [MSS16, Fig. 10], with a function for the witness.
    fn value_map_axiom(&mut self, name: &str, map: &ValueMap, wrap: FunId) {
        let pair = vec![map.sort, map.sort];
        let mut at = String::new();
        for (i, sort) in map.args.iter().enumerate() {
            let witness = format!("{name}.differ.{i}");
            self.declare(&witness, pair.clone(), *sort);
            let _ = write!(at, " ({} a b)", symbol(&witness));
        }
        let sort = self.terms.signature.sort_text(map.sort);
        let has = &self.terms.signature.fun(map.domain).name;
        let lookup = &self.terms.signature.fun(map.lookup).name;
        let wrap = &self.terms.signature.fun(wrap).name;
        let call = |f: &str, m: &str| {
            if map.args.is_empty() { format!("({f} {m})") } else { format!("({f} {m}{at})") }
        };
        let (has_a, has_b) = (call(has, "a"), call(has, "b"));
        let (at_a, at_b) = (call(lookup, "a"), call(lookup, "b"));
        let _ = writeln!(
            self.symbols.text,
            "(assert (forall ((a {sort}) (b {sort})) (! (or (= a b) (not (= {has_a} {has_b})) \
             (and {has_a} (not (= {at_a} {at_b})))) :pattern (({wrap} a) ({wrap} b)) :qid {})))",
            symbol(&format!("same.{name}"))
        );
    }

    /// What is gained by applying a wand, from the snapshots of the wand and of its left-hand side.
    pub fn wand_gain(&mut self, wand: Term, lhs: Term) -> Term {
        let fun = self.declare(
            "Wand.gain",
            vec![self.prelude.snap, self.prelude.snap],
            self.prelude.snap,
        );
        self.terms.app(fun, &[wand, lhs])
    }

    /// That a left-hand side with this snapshot was given up for a wand.
    pub fn wand_applied(&mut self, wand: Term, lhs: Term) -> Term {
        let fun =
            self.declare("Wand.applied", vec![self.prelude.snap, self.prelude.snap], Sort::Bool);
        self.terms.app(fun, &[wand, lhs])
    }

    /// That a wand with this snapshot is one of many that are held.
    pub fn wand_held(&mut self, wand: Term) -> Term {
        let fun = self.declare("Wand.held", vec![self.prelude.snap], Sort::Bool);
        self.terms.app(fun, &[wand])
    }

    /// That a field of an object was read: what triggers that mention the field match.
    pub fn read(&mut self, field: FieldId, object: Term) -> Term {
        let name = format!("field.{}.read", self.program.field(field).name.as_str());
        self.symbols.note(Use::Read(field));
        let fun = self.declare(&name, vec![self.prelude.reference], Sort::Bool);
        self.symbols.kinds.insert(fun, SymbolKind::Read);
        self.terms.app(fun, &[object])
    }

    /// Is it a term of [`Encoding::read`]?
    pub fn is_read(&self, term: Term) -> bool {
        matches!(self.terms.node(term), Node::App(fun, _)
            if self.symbol_kind(*fun) == Some(&SymbolKind::Read))
    }
}
