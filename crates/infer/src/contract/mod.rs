//! Contracts as symbolic heaps: what `//@ requires` and `//@ ensures` say, in the notation of `lancehead sl`.
//!
//! Formulas are read with the records of the program as sorts of locations (`notation`). Each disjunct of one becomes
//! a symbolic heap of `shape` (`heaps`); predicates become those of the analysis if they are lists or trees
//! (`predicates`). A precondition may be weakened on the way, a postcondition may not.

mod heaps;
mod notation;
mod predicates;

use heap::{Formula, Language, ProcId, Program, Scalar, VarId};
use report::{Diagnostic, FileId, Pos};
use shape::{Pred, Start, State};
use sl::{Kind, Semantics, Signature, SymbolicHeap};

use heaps::Reader;
use notation::Notation;

/// What the contract of a procedure says.
#[derive(Clone, Debug)]
pub struct Contract {
    /// The precondition.
    pub start: Start,
    /// The postcondition, if there is one.
    pub ensures: Option<Described>,
}

/// A formula about variables: one of these states holds, in which `vars` are their values.
#[derive(Clone, Debug)]
pub struct Described {
    /// The variables.
    pub names: Vec<(String, Scalar)>,
    /// The disjuncts.
    pub states: Vec<State>,
    /// Predicates, in the order of the numbers that the disjuncts have for them.
    pub preds: Vec<Pred>,
    /// May there be more in the heap?
    pub open: bool,
    /// Does it say less than what was written? Then why.
    pub weaker: Option<String>,
    /// Where it was written.
    pub pos: Pos,
}

/// The name of the result in postconditions.
pub const RESULT: &str = "result";

/// The contract of a procedure, if it has one.
///
/// # Errors
/// With what is wrong with a formula, or not supported.
pub fn read(program: &Program, proc: ProcId) -> Result<Option<Contract>, Box<Diagnostic>> {
    let decl = program.proc(proc);
    if decl.requires.is_empty() && decl.ensures.is_empty() {
        return Ok(None);
    }
    let variables = notation::variables(program, proc);
    let requires = describe(program, variables.clone(), &decl.requires)?;
    let ensures = if decl.ensures.is_empty() {
        None
    } else {
        let mut names = variables;
        if let Some(var) = decl.result.and_then(|id| decl.vars.get(id.index()))
            && names.iter().all(|(name, _)| name != RESULT)
        {
            names.push((RESULT.into(), var.ty));
        }
        Some(promised(program, names, &decl.ensures)?)
    };
    let params = decl.params as usize;
    // Those whose first values the postcondition needs.
    let is_mentioned = |var: usize| {
        let name = decl.vars.get(var).map_or("", |v| v.name.as_str());
        decl.ensures.iter().any(|formula| formula.in_logic().is_ok_and(|text| word(text, name)))
    };
    let anchors = (0..params).filter(|i| is_mentioned(*i)).map(|i| VarId(i as u32)).collect();
    let mut states = Vec::new();
    for state in &requires.states {
        let mut state = state.clone();
        let vars = state.vars.clone();
        let values = requires.names.iter().enumerate().map(|(i, name)| (name, vars.get(i)));
        let possible = values.fold(true, |possible, ((_, ty), value)| {
            possible && heaps::is_of_type(&mut state, value, *ty)
        });
        if !possible {
            continue;
        }
        for (i, (name, ty)) in requires.names.iter().enumerate().skip(params) {
            let value = state.vars.take(i);
            heaps::set_global(program, &mut state, name, *ty, value);
        }
        states.push(state);
    }
    Ok(Some(Contract { start: Start { states, preds: requires.preds, anchors }, ensures }))
}

/// A postcondition. What a clause of SPL says and formulas cannot say is not an error of the user: then nobody
/// knows whether it holds.
fn promised(
    program: &Program,
    names: Vec<(String, Scalar)>,
    formulas: &[Formula],
) -> Result<Described, Box<Diagnostic>> {
    let open = |why: &str, pos: Pos| Described {
        names: names.clone(),
        states: Vec::new(),
        preds: Vec::new(),
        open: true,
        weaker: Some(why.to_owned()),
        pos,
    };
    for formula in formulas {
        if let Err((why, pos)) = formula.in_logic() {
            return Ok(open(&format!("{why} cannot be said in the logic of shapes"), pos));
        }
        if let Some((what, pos)) = formula.missing() {
            return Ok(open(&format!("{what} cannot be said in the logic of shapes"), pos));
        }
    }
    match describe(program, names.clone(), formulas) {
        Err(problem) => match formulas.iter().find(|f| f.language != Language::Logic) {
            Some(formula) => Ok(open(&problem.message, formula.pos)),
            None => Err(problem),
        },
        described => described,
    }
}

/// Is a name a word of a text?
fn word(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|t| t.chars().next());
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

/// The separating conjunction of formulas about these variables.
///
/// # Errors
/// With what is wrong with one of them, or not supported.
pub fn describe(
    program: &Program,
    names: Vec<(String, Scalar)>,
    formulas: &[Formula],
) -> Result<Described, Box<Diagnostic>> {
    for formula in formulas {
        if let Err((why, pos)) = formula.in_logic() {
            let message = format!("{why} cannot be said in the logic of shapes");
            return Err(Box::new(Diagnostic::error("infer.contract", pos, message)));
        }
    }
    let notation = Notation::new(program);
    let (signature, formulas) = parse(program, &notation, &names, formulas)?;
    let pos = formulas.first().map_or(Pos::None, sl::Formula::pos);
    let whole = sl::Formula::new(Kind::Sep(formulas), pos);
    let mut reader = Reader::new(program, &notation, &signature, &names);
    let unfolded = reader.unfolded(&whole)?;
    let Some(disjuncts) = SymbolicHeap::disjuncts(&unfolded, Semantics::Precise) else {
        let message = "this formula is no disjunction of symbolic heaps";
        let help = "negation, `-*`, `forall` and `&&` of spatial formulas are not supported here";
        return Err(Box::new(Diagnostic::error("infer.contract", pos, message).with_help(help)));
    };
    let mut states = Vec::new();
    let open = disjuncts.iter().any(|d| d.open);
    for disjunct in &disjuncts {
        states.extend(reader.state(disjunct)?);
    }
    let (preds, weaker) = reader.finish();
    Ok(Described { names, states, preds, open, weaker, pos })
}

/// Formulas with their names resolved. `ls` is the list of some record: that for which sorts fit.
fn parse(
    program: &Program,
    notation: &Notation,
    names: &[(String, Scalar)],
    formulas: &[Formula],
) -> Result<(Signature, Vec<sl::Formula>), Box<Diagnostic>> {
    let defined: Vec<String> = program.definitions.iter().filter_map(defined_name).collect();
    let variables: String = names.iter().map(|(name, ty)| notation.variable(name, *ty)).collect();
    let texts: Vec<(FileId, String)> =
        program.definitions.iter().chain(formulas).map(in_place).collect();
    let mut first = None;
    for list in 0..notation.lists().len().max(1) {
        let declared = notation.declarations(&defined, list) + &variables;
        let mut all = vec![(FileId(0), declared.as_str())];
        all.extend(texts.iter().map(|(file, text)| (*file, text.as_str())));
        match sl::text::parse_partial(&all) {
            Ok(document) => {
                let unknown = |v: &&sl::Var| names.iter().all(|(n, _)| n != v.name.as_str());
                if let Some(var) = document.constants.iter().find(unknown) {
                    let mentions = |f: &&sl::Formula| f.free_vars().contains(var);
                    let at = document.formulas.iter().find(mentions).map_or(Pos::None, |f| f.pos());
                    let message =
                        format!("there is no parameter and no global variable `{}`", var.name);
                    let help = format!("for some value of it: `exists {}. …`", var.name);
                    let problem = Diagnostic::error("infer.contract", at, message).with_help(help);
                    return Err(Box::new(problem));
                }
                return Ok((Signature::clone(&document.signature), document.formulas));
            }
            Err(problem) => first = first.or(Some(problem)),
        }
    }
    Err(first.unwrap_or_else(|| {
        Box::new(Diagnostic::error("infer.contract", Pos::None, "there is no formula"))
    }))
}

/// A text that has its formula where the source has it, so that places in it are those of the source.
fn in_place(formula: &Formula) -> (FileId, String) {
    match formula.pos.span() {
        Some(span) => {
            let mut text = " ".repeat(span.start as usize);
            text.push_str(formula.in_logic().unwrap_or_default());
            (span.file, text)
        }
        None => (FileId(0), formula.in_logic().unwrap_or_default().to_owned()),
    }
}

fn defined_name(definition: &Formula) -> Option<String> {
    let rest = definition.in_logic().ok()?.trim_start().strip_prefix("pred")?;
    let (name, _) = rest.split_once('(')?;
    Some(name.trim().trim_matches('`').to_owned())
}
