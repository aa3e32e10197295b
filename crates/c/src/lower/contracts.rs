//! Contracts of functions: comments such as `//@ requires ls(x, nil)` before a definition.

use heap::{Formula, Proc};
use report::{Diagnostic, Pos};

use crate::pp::{Annotation, Preprocessed, Word};

/// Annotations whose functions are still to come.
pub(super) struct Contracts<'a> {
    pending: Vec<&'a Annotation>,
    /// Definitions of predicates, wherever they are.
    pub(super) definitions: Vec<Formula>,
    /// Annotations that are about nothing.
    pub(super) warnings: Vec<Diagnostic>,
}

impl<'a> Contracts<'a> {
    /// Of a text; the library has none.
    pub(super) fn new(text: Option<&'a Preprocessed>, library: bool) -> Contracts<'a> {
        let all = text.filter(|_| !library).map_or(&[][..], |text| &text.annotations);
        let formula = |a: &Annotation| Formula::logic(a.text.clone(), a.formula.into());
        let definitions = all.iter().filter(|a| a.word == Word::Pred).map(formula).collect();
        let unknown = all.iter().filter(|a| a.word == Word::Unknown).map(|a| {
            let message = "this annotation is not understood, and ignored";
            let help = "`//@ requires`, `//@ ensures` and `//@ pred` are";
            Diagnostic::warning("c.annotation", a.span, message).with_help(help)
        });
        let warnings = unknown.collect();
        let is_contract = |a: &&Annotation| matches!(a.word, Word::Requires | Word::Ensures);
        Contracts { pending: all.iter().filter(is_contract).collect(), definitions, warnings }
    }

    /// The next declaration is at this place, and is this function if it is one with a body. What stands before it
    /// and after the last one is its contract.
    pub(super) fn before(&mut self, place: Option<Pos>, mut function: Option<&mut Proc>) {
        let Some(place) = place.and_then(Pos::span) else { return };
        let is_past = |a: &&Annotation| a.span.file == place.file && a.span.start < place.end;
        let (now, later) = std::mem::take(&mut self.pending).into_iter().partition(is_past);
        self.pending = later;
        let now: Vec<&Annotation> = now;
        for annotation in now {
            let is_before = annotation.span.end <= place.start;
            let formula = || Formula::logic(annotation.text.clone(), annotation.formula.into());
            match (annotation.word, function.as_deref_mut().filter(|_| is_before)) {
                (Word::Requires, Some(function)) => function.requires.push(formula()),
                (Word::Ensures, Some(function)) => function.ensures.push(formula()),
                (Word::Pred | Word::Unknown, _) => {}
                (Word::Requires | Word::Ensures, None) => self.warn(annotation),
            }
        }
    }

    /// There are no more declarations.
    pub(super) fn finish(&mut self) {
        for annotation in std::mem::take(&mut self.pending) {
            self.warn(annotation);
        }
    }

    fn warn(&mut self, annotation: &Annotation) {
        let message = "there is no function with a body behind this contract";
        self.warnings.push(Diagnostic::warning("c.annotation", annotation.span, message));
    }
}
