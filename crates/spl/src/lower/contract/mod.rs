//! Clauses in the notation of `lancehead sl`, as far as that can say them.
//!
//! Both are precise: a Boolean clause says that the heap is empty, and conjuncts are joined by `*`. `acc(x)` is
//! `x |-> {…}` with variables for the fields of `x` that the rest mentions; the nodes between two locations, together with
//! a path between them, are a list segment. A pure conjunct that cannot be said is left out: the clause then says less,
//! which is right for what is assumed, and is written down for what is to be shown ([`heap::Meaning::Weaker`]). A
//! spatial conjunct that cannot be said makes the whole clause unknown.

mod translate;

use std::collections::{BTreeMap, BTreeSet};

use heap::{Formula, Language, Meaning};
use report::Span;

use super::Lowering;
use super::types::Layouts;
use crate::core::{Clause, Expr, Local, LocalId, Mods, Name, Predicate, Procedure, Program, Type};
use translate::{Names, Said, Text, Translator, list_name, quoted, sort, unsayable, written_field};

/// A clause of which there is only the text.
pub(super) fn unknown(text: String, mods: Mods, why: &str, span: Span) -> Formula {
    formula(text, mods, Meaning::None(why.to_owned(), span.into()), span)
}

fn formula(text: String, mods: Mods, meaning: Meaning, span: Span) -> Formula {
    let clause = heap::Clause { pure: mods.pure, free: mods.free, meaning };
    Formula { text, language: Language::Spl(clause), pos: span.into() }
}

fn meaning(said: Said<Text>) -> Meaning {
    match said {
        Ok(Text { text, left_out: None }) => Meaning::Same(text),
        Ok(Text { text, left_out: Some(left_out) }) => {
            Meaning::Weaker(text, left_out.what, left_out.span.into())
        }
        Err(why) => Meaning::None(why.what, why.span.into()),
    }
}

/// Which predicates can be said, and the lists that clauses mention.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    /// Predicates, with what they say; the value of one that cannot be said is why.
    predicates: BTreeMap<Name, Said<Text>>,
    /// Fields of which lists are mentioned.
    lists: BTreeSet<Name>,
    written: Vec<(Name, String, Span)>,
}

impl Definitions {
    /// All of them: those of the program, then lists.
    pub(super) fn finish(&self, program: &Program, layouts: &Layouts) -> Vec<Formula> {
        let mut all = Vec::new();
        for (name, text, span) in &self.written {
            let mods = Mods { pure: false, free: false };
            let meaning = match self.predicates.get(name) {
                Some(said) => meaning(said.clone()),
                None => Meaning::None("it is not understood".to_owned(), (*span).into()),
            };
            all.push(formula(text.clone(), mods, meaning, *span));
        }
        for field in &self.lists {
            let owner = program.fields.get(field).map(|f| Type::Struct(f.owner.clone()));
            let sort = owner.as_ref().and_then(|ty| sort(layouts, ty));
            let link = owner.and_then(|ty| written_field(program, layouts, &ty, field));
            if let (Some(sort), Some(link)) = (sort, link) {
                let list = list_name(field);
                all.push(Formula::logic(
                    format!(
                        "pred {list}(x: {sort}, y: {sort}) := x = y || exists u: {sort}. \
                         x != y * x |-> {{{link}: u}} * {list}(u, y);"
                    ),
                    report::Pos::None,
                ));
            }
        }
        all
    }
}

impl<'p> Lowering<'p> {
    /// Finds out which predicates can be said. Those that mention one that cannot be said cannot, either.
    pub(super) fn define(&mut self) {
        let program = self.program;
        let with_body = program.predicates.values().filter(|p| p.body.is_some());
        let written: Vec<&Predicate> = with_body.collect();
        let start = Text { text: String::new(), left_out: None };
        let mut known: BTreeMap<Name, Said<Text>> =
            written.iter().map(|p| (p.name.clone(), Ok(start.clone()))).collect();
        let mut lists = BTreeSet::new();
        // Each round takes away what cannot be said, or marks what says less.
        for _ in 0..=2 * written.len() {
            let mut next = BTreeMap::new();
            for predicate in &written {
                let before = known.get(&predicate.name);
                let said = match before {
                    Some(Err(why)) => Err(why.clone()),
                    _ => self.predicate(predicate, &known, &mut lists),
                };
                next.insert(predicate.name.clone(), said);
            }
            let mark = |said: &Said<Text>| match said {
                Err(_) => 2,
                Ok(text) => u8::from(text.left_out.is_some()),
            };
            let stable = known.iter().zip(&next).all(|((_, a), (_, b))| mark(a) == mark(b));
            known = next;
            if stable {
                break;
            }
        }
        self.definitions.lists.extend(lists);
        for predicate in written {
            let body = predicate.body.as_ref().map_or(predicate.span, |body| body.span);
            let text = format!("{} {{ {} }}", self.text(predicate.span), self.text(body));
            self.definitions.written.push((predicate.name.clone(), text, predicate.span));
        }
        self.definitions.predicates = known;
    }

    fn predicate(
        &self,
        predicate: &Predicate,
        known: &BTreeMap<Name, Said<Text>>,
        lists: &mut BTreeSet<Name>,
    ) -> Said<Text> {
        let layouts = &self.map.layouts;
        let (mut params, mut named) = (Vec::new(), BTreeMap::new());
        for param in &predicate.params {
            let Some(local) = predicate.locals.get(param.local.0 as usize) else { continue };
            if let Some(sort) = sort(layouts, &local.ty) {
                params.push(format!("{}: {sort}", quoted(&local.name)));
                named.insert(param.local, local.name.to_string());
            }
        }
        let Some(body) = &predicate.body else {
            return unsayable(predicate.span, "a predicate without a body");
        };
        if params.is_empty() {
            return unsayable(predicate.span, "a predicate without parameters");
        }
        let names = Names { locals: &predicate.locals, named, existential: false };
        let mut translator = self.translator(names, known);
        let mut said = translator.clause(&[body])?;
        lists.append(&mut translator.lists);
        said.text =
            format!("pred {}({}) := {};", quoted(&predicate.name), params.join(", "), said.text);
        Ok(said)
    }

    fn translator<'a>(
        &'a self,
        names: Names<'a>,
        known: &'a BTreeMap<Name, Said<Text>>,
    ) -> Translator<'a> {
        let globals = self.global_names();
        Translator::new(self.program, &self.map.layouts, known, globals, names)
    }

    fn global_names(&self) -> BTreeMap<Name, String> {
        let name = |id: heap::GlobalId| Some(self.out.globals.get(id.index())?.name.clone());
        let all = self.map.globals.iter();
        all.filter_map(|(written, (id, _))| Some((written.clone(), name(*id)?))).collect()
    }

    /// The contract of a procedure whose variables have these names.
    pub(super) fn contract(
        &mut self,
        procedure: &Procedure,
        names: &BTreeMap<LocalId, String>,
    ) -> (Vec<Formula>, Vec<Formula>) {
        let Some(shape) = self.map.procedures.get(&procedure.name).cloned() else {
            return (Vec::new(), Vec::new());
        };
        let mut named: BTreeMap<LocalId, String> = BTreeMap::new();
        for param in &shape.params {
            if let Some(name) = names.get(param) {
                named.insert(*param, name.clone());
            }
        }
        let mut requires = self.clauses(procedure, &procedure.requires, named.clone(), true);
        if requires.is_empty() {
            // Nothing is owned.
            let (mods, text) = (Mods { pure: false, free: false }, "emp".to_owned());
            requires.push(formula(text.clone(), mods, Meaning::Same(text), procedure.span));
        }
        for (local, place, _) in &shape.results {
            let name = match place {
                None => "result".to_owned(),
                Some(id) => match self.out.globals.get(id.index()) {
                    Some(global) => global.name.clone(),
                    None => continue,
                },
            };
            named.insert(*local, name);
        }
        let mut ensures = self.clauses(procedure, &procedure.ensures, named, false);
        // Without a spatial clause the footprint may be any.
        if !ensures.is_empty() && procedure.ensures.iter().all(|c| c.mods.pure) {
            ensures.push(Formula::logic("true", procedure.span.into()));
        }
        (requires, ensures)
    }

    /// A claim about variables of a body. Those that are erased have some value.
    pub(super) fn claim(
        &mut self,
        locals: &[Local],
        named: BTreeMap<LocalId, String>,
        mods: Mods,
        e: &Expr,
    ) -> Formula {
        let known = std::mem::take(&mut self.definitions.predicates);
        let names = Names { locals, named, existential: true };
        let mut translator = self.translator(names, &known);
        let said = translator.clause(&[e]);
        let lists = translator.lists;
        self.definitions.lists.extend(lists);
        self.definitions.predicates = known;
        formula(self.text(e.span), mods, meaning(said), e.span)
    }

    fn clauses(
        &mut self,
        procedure: &Procedure,
        clauses: &[Clause],
        named: BTreeMap<LocalId, String>,
        existential: bool,
    ) -> Vec<Formula> {
        let known = std::mem::take(&mut self.definitions.predicates);
        let mut lists = BTreeSet::new();
        let mut say = |all: &[&Expr]| -> Said<Text> {
            let names = Names { locals: &procedure.locals, named: named.clone(), existential };
            let mut translator = self.translator(names, &known);
            let said = translator.clause(all);
            lists.append(&mut translator.lists);
            said
        };
        // What is assumed and never checked is no part of what is to be shown.
        let matters = |clause: &&Clause| existential || !(clause.mods.free && clause.mods.pure);
        let mut meanings: Vec<Meaning> = Vec::new();
        for clause in clauses {
            meanings.push(match matters(&clause) {
                true => meaning(say(&[&clause.expr])),
                false => Meaning::Same("emp".to_owned()),
            });
        }
        // One clause may be about fields of what another owns, or share a ghost variable with it.
        let alone =
            meanings.iter().all(|m| matches!(m, Meaning::Same(text) if !text.contains('#')));
        if clauses.len() > 1 && !alone {
            let all: Vec<&Expr> = clauses.iter().filter(matters).map(|c| &c.expr).collect();
            let joint = meaning(say(&all));
            let others = meanings.iter().skip(1).map(|_| Meaning::Same("emp".to_owned()));
            meanings = std::iter::once(joint).chain(others).collect();
        }
        let formulas = clauses.iter().zip(meanings).map(|(clause, meaning)| {
            formula(self.text(clause.expr.span), clause.mods, meaning, clause.expr.span)
        });
        let formulas = formulas.collect();
        self.definitions.lists.extend(lists);
        self.definitions.predicates = known;
        formulas
    }
}
