//! Symbolic heaps as pictures: objects are boxes, segments are boxes of another kind, values that lead to one of them are arrows.

use std::collections::BTreeMap;

use heap::{ProcId, Type};
use report::picture::{Drawn, Held, Picture, Row};
use shape::{Shape, State, Term};

use crate::formula::{Names, Scope, fields, plain};

/// Segments have numbers from here on; those of objects are their symbols.
const SEGMENTS: u64 = 1 << 40;

impl Names<'_> {
    /// A state of a procedure as a picture.
    pub(crate) fn picture(&mut self, state: &State, proc: ProcId) -> Picture {
        let Some(decl) = self.program.procs.get(proc.index()) else { return Picture::default() };
        let heap = &state.heap;
        let number = |term: Term| {
            let base = term.base?;
            let object = heap.objs.get(&base).filter(|obj| !obj.constant);
            let first = |nonempty: bool| {
                let starts = |seg: &shape::Seg| seg.root == term && (seg.nonempty || !nonempty);
                heap.segs.iter().position(starts)
            };
            let last = || heap.segs.iter().position(|seg| seg.last == term);
            let segment = || first(true).or_else(|| first(false)).or_else(last);
            object.map(|_| u64::from(base.0)).or_else(|| Some(SEGMENTS + segment()? as u64))
        };
        let mut scope = Scope::default();
        let mut labels: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        let mut notes = Vec::new();
        for (id, sym) in &state.objects {
            if let Some(object) = decl.objects.get(*id as usize) {
                let name = format!("&{}", plain(&object.name));
                scope.names.insert(*sym, name.clone());
                labels.entry(u64::from(sym.0)).or_default().push(name);
            }
        }
        let vars = state.vars.iter().filter_map(|(i, term)| Some((decl.vars.get(i)?, term)));
        let vars: Vec<(&heap::Var, Term)> = vars.filter(|(var, _)| !var.temporary).collect();
        for (var, term) in &vars {
            if let Term { base: Some(sym), k: 0 } = *term
                && self.rigid(sym).is_none()
            {
                scope.names.entry(sym).or_insert_with(|| plain(&var.name));
            }
        }
        for (var, term) in vars {
            let name = plain(&var.name);
            match number(term) {
                Some(number) => {
                    let label = if term.k == 0 { name } else { format!("{name} (+{})", term.k) };
                    labels.entry(number).or_default().push(label);
                }
                None => {
                    let value = self.pointer(&mut scope, term, var.ty);
                    if value != name {
                        notes.push(format!("{name} = {value}"));
                    }
                }
            }
        }
        let mut drawn = Vec::new();
        for (at, obj) in heap.objs.iter().filter(|(_, obj)| !obj.constant) {
            if obj.kind == shape::Kind::Global && obj.cells.is_empty() {
                continue;
            }
            let mut places = Vec::new();
            if let Some(id) = obj.record {
                fields(self.program, &Type::Record(id), 0, "", &mut places);
            }
            let mut rows = Vec::new();
            for (offset, cell) in &obj.cells {
                let name = places.iter().find(|(o, _)| o == offset).map(|(_, n)| n.clone());
                let name = name.unwrap_or_else(|| format!("at {offset}"));
                let held = match number(cell.value) {
                    Some(number) => Held::Arrow(number),
                    None => Held::Text(self.pointer(&mut scope, cell.value, cell.ty)),
                };
                rows.push(Row { name, held });
            }
            let record = obj.record.and_then(|id| self.program.records.get(id.0 as usize));
            let title = match (self.rigid(*at), record) {
                (Some(name), _) => name,
                (None, Some(record)) => plain(&record.name),
                (None, None) => "object".into(),
            };
            let number = u64::from(at.0);
            let next =
                rows.iter().position(|row| matches!(row.held, Held::Arrow(n) if n != number));
            let labels = labels.remove(&number).unwrap_or_default();
            drawn.push(Drawn { number, title, labels, rows: Some(rows), next });
        }
        let mut segments = Vec::new();
        for (i, seg) in heap.segs.iter().enumerate() {
            let own = SEGMENTS + i as u64;
            let one = if seg.nonempty { "1" } else { "" };
            let title = self.predicate(seg.pred) + one;
            let ends: Vec<(&str, Term)> = match self.preds.shape(seg.pred) {
                Shape::List => vec![("to", seg.to)],
                Shape::Dlist => vec![("to", seg.to), ("before", seg.before)],
                Shape::Tree => vec![("parent", seg.before)],
            };
            let shared = seg.shared.iter().map(|term| ("", *term));
            let mut rows = Vec::new();
            for (name, term) in ends.into_iter().chain(shared) {
                let held = match number(term) {
                    Some(number) if number != own => Held::Arrow(number),
                    _ if term == Term::NULL => Held::Text("nil".into()),
                    _ => Held::Text(self.term(&mut scope, term)),
                };
                rows.push(Row { name: name.into(), held });
            }
            let next = rows.iter().position(|row| matches!(row.held, Held::Arrow(_)));
            let labels = labels.remove(&own).unwrap_or_default();
            drawn.push(Drawn { number: own, title, labels, rows: Some(rows), next });
            segments.push(own);
        }
        self.pure(&mut scope, heap, &mut notes);
        Picture::new(drawn, notes).with_segments(segments)
    }
}
