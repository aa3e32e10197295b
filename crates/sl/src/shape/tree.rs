//! Trees: a case that stops and one with a location and several subtrees.

use super::Tree;
use super::cases::Cases;
use crate::formula::Kind;
use crate::term::Term;

pub(super) fn classify(cases: &Cases<'_>) -> Option<Tree> {
    let ([stop], [step]) = (cases.stops.as_slice(), cases.steps.as_slice()) else { return None };
    let [(address, values)] = step.cells.as_slice() else { return None };
    let root = cases.param(address)?;
    if step.calls.len() < 2 || !step.others.is_empty() || !step.pure.is_empty() {
        return None;
    }
    let mut children = Vec::new();
    for call in &step.calls {
        let child = call.get(root)?;
        step.bound(child)?;
        let field = values.iter().position(|v| v == child)?;
        if children.contains(&field) {
            return None;
        }
        children.push(field);
    }
    children.sort_unstable();
    let params = cases.definition.params.len();
    let before = (0..params).find(|p| *p != root);
    let parent = match before {
        None => None,
        Some(param) => {
            let up = |call: &Vec<Term>| call.get(param).is_some_and(|a| cases.is_param(a, root));
            if params != 2 || !step.calls.iter().all(up) {
                return None;
            }
            Some((values.iter().position(|v| cases.is_param(v, param))?, param))
        }
    };
    let is_root = |t: &Term| cases.is_param(t, root);
    let may_be_empty = match (stop.cells.as_slice(), stop.pure.as_slice()) {
        ([], [atom]) => match atom.kind() {
            Kind::Eq(a, b) if is_root(a) && b.is_nil() || is_root(b) && a.is_nil() => true,
            _ => return None,
        },
        ([(at, held)], []) if is_root(at) => {
            let leaf = children.iter().all(|f| held.get(*f).is_some_and(Term::is_nil));
            let up = parent.is_none_or(|(field, param)| {
                held.get(field).is_some_and(|v| cases.is_param(v, param))
            });
            if !leaf || !up {
                return None;
            }
            false
        }
        _ => return None,
    };
    if !stop.others.is_empty() {
        return None;
    }
    Some(Tree { root, children, parent, may_be_empty })
}
