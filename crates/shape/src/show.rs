//! States as text.

use std::fmt::Write as _;

use crate::heap::{Heap, State};
use crate::preds::{Preds, Shape};

impl Heap {
    /// As text, with names for symbols as they are.
    #[must_use]
    pub fn show(&self, preds: &Preds) -> String {
        let mut text = String::new();
        for (at, obj) in &self.objs {
            if obj.constant {
                continue;
            }
            let _ = write!(text, "v{} |->[{}]{{", at.0, obj.size);
            for (offset, cell) in &obj.cells {
                let _ = write!(text, " {offset}: {}", cell.value);
            }
            let _ = write!(text, "{} }} * ", if obj.zeroed { " zero" } else { "" });
        }
        for seg in &self.segs {
            let plus = if seg.nonempty { "+" } else { "" };
            let _ = match preds.shape(seg.pred) {
                Shape::List => write!(text, "ls{plus}{}({}, {}", seg.pred.0, seg.root, seg.to),
                Shape::Dlist => {
                    write!(
                        text,
                        "dls{plus}{}({}, {}, {}, {}",
                        seg.pred.0, seg.root, seg.before, seg.last, seg.to
                    )
                }
                Shape::Tree => {
                    write!(text, "tree{plus}{}({}, {}", seg.pred.0, seg.root, seg.before)
                }
            };
            for term in &seg.shared {
                let _ = write!(text, "; {term}");
            }
            text.push_str(") * ");
        }
        let _ = write!(
            text,
            "pure {:?} {:?} {:?}",
            self.pure.bounds,
            self.pure.linear.len(),
            self.pure.different
        );
        text
    }
}

impl State {
    /// As text.
    #[must_use]
    pub fn show(&self, preds: &Preds) -> String {
        let vars: Vec<String> = self.vars.iter().map(ToString::to_string).collect();
        let anchors: Vec<String> = self.anchors.iter().map(ToString::to_string).collect();
        format!("[{}] anchors [{}] {}", vars.join(" "), anchors.join(" "), self.heap.show(preds))
    }
}
