//! Axioms that are told once they can matter.
//!
//! A prelude of a front end has hundreds of axioms, and each question is about few of them; the solver would
//! find out which again and again. Here an axiom waits until
//!
//! - all symbols of one of its triggers are mentioned, if it is quantified and has triggers: before that,
//!   matching cannot instantiate it, so that nothing is lost;
//! - an individual that it is about is mentioned, if it is a fact without variables: `extends(cell, object)`
//!   matters if somebody speaks of `cell`. Constants of which quantified axioms speak, as `object`, are no
//!   individuals: everybody mentions those. Here a proof may be lost, never gained.
//!
//! *Mentioned* means: in an assertion of an open scope, or in an axiom that was told in one. What is told in a
//! scope is forgotten with it. This is relevance as in sine qua non selection (Hoder and Voronkov 2011), by
//! triggers instead of by frequency.

use crate::hash::FastMap;

/// A symbol of axioms.
type Symbol = u32;

/// The depth of scopes that do not exist.
const NOWHERE: usize = usize::MAX;

/// What became known in a scope.
#[derive(Default)]
pub(crate) struct Mentions {
    symbols: Vec<Symbol>,
    /// Axioms that were told.
    told: Vec<usize>,
}

/// An axiom that is told when, for one of its ways, no symbol is missing.
struct Axiom {
    text: String,
    symbols: Vec<Symbol>,
    missing: Vec<usize>,
    told: bool,
}

/// What is known of a symbol.
struct Mentioned {
    /// The outermost scope that mentions it.
    depth: usize,
    /// It is declared without parameters.
    constant: bool,
    /// Quantified axioms mention it.
    general: bool,
    /// The axioms that wait for it, and which of their ways.
    waiting: Vec<(usize, usize)>,
}

/// The axioms of a session, and what is mentioned in its scopes.
#[derive(Default)]
pub(crate) struct Relevance {
    names: FastMap<Box<str>, Symbol>,
    symbols: Vec<Mentioned>,
    axioms: Vec<Axiom>,
    /// How many are not told.
    withheld: usize,
    /// The symbols of function symbols, by number.
    funs: Vec<Option<Symbol>>,
}

impl Relevance {
    /// Are there axioms that were not told?
    pub fn withholds(&self) -> bool {
        self.withheld > 0
    }

    fn symbol(&mut self, name: &str) -> Symbol {
        if let Some(symbol) = self.names.get(name) {
            return *symbol;
        }
        let symbol = self.symbols.len() as Symbol;
        let (depth, waiting) = (NOWHERE, Vec::new());
        self.symbols.push(Mentioned { depth, constant: false, general: false, waiting });
        self.names.insert(name.into(), symbol);
        symbol
    }

    /// A function symbol, by number, is mentioned in a scope. What has to be told now is written behind
    /// the commands of that scope.
    pub fn mention_fun(
        &mut self,
        fun: usize,
        name: &str,
        depth: usize,
        scope: &mut Mentions,
        commands: &mut String,
    ) {
        let symbol = match self.funs.get(fun).copied().flatten() {
            Some(symbol) => symbol,
            None => {
                let symbol = self.symbol(name);
                if self.funs.len() <= fun {
                    self.funs.resize(fun + 1, None);
                }
                self.funs[fun] = Some(symbol);
                symbol
            }
        };
        self.mention(vec![symbol], depth, scope, commands);
    }

    fn mention(
        &mut self,
        mut pending: Vec<Symbol>,
        depth: usize,
        scope: &mut Mentions,
        commands: &mut String,
    ) {
        while let Some(symbol) = pending.pop() {
            let mentioned = &mut self.symbols[symbol as usize];
            if mentioned.depth <= depth {
                continue;
            }
            let before = std::mem::replace(&mut mentioned.depth, depth);
            scope.symbols.push(symbol);
            if before != NOWHERE {
                continue;
            }
            for (index, way) in &mentioned.waiting {
                let axiom = &mut self.axioms[*index];
                axiom.missing[*way] -= 1;
                if axiom.missing[*way] == 0 && !axiom.told {
                    axiom.told = true;
                    self.withheld -= 1;
                    scope.told.push(*index);
                    commands.push_str(&axiom.text);
                    pending.extend(&axiom.symbols);
                }
            }
        }
    }

    /// A scope was closed. What was told in it, and matters outside of it, too, is told again, in the scope
    /// around it.
    pub fn close(
        &mut self,
        closed: Mentions,
        depth: usize,
        around: &mut Mentions,
        commands: &mut String,
    ) {
        for symbol in closed.symbols {
            let mentioned = &mut self.symbols[symbol as usize];
            if mentioned.depth == depth {
                mentioned.depth = NOWHERE;
                for (index, way) in &mentioned.waiting {
                    self.axioms[*index].missing[*way] += 1;
                }
            }
        }
        for index in &closed.told {
            self.axioms[*index].told = false;
            self.withheld += 1;
        }
        for index in closed.told {
            self.tell_if_due(index, depth - 1, around, commands);
        }
    }

    fn tell_if_due(
        &mut self,
        index: usize,
        depth: usize,
        scope: &mut Mentions,
        commands: &mut String,
    ) {
        let axiom = &mut self.axioms[index];
        if axiom.told || !axiom.missing.contains(&0) {
            return;
        }
        axiom.told = true;
        self.withheld -= 1;
        scope.told.push(index);
        commands.push_str(&axiom.text);
        let symbols = axiom.symbols.clone();
        self.mention(symbols, depth, scope, commands);
    }

    /// All axioms but those that are told in a scope, which may be told in scopes inside of it.
    pub fn into_others(self, told: &Mentions) -> String {
        let mut others = vec![true; self.axioms.len()];
        for index in &told.told {
            others[*index] = false;
        }
        let axioms = self.axioms.iter().zip(others).filter(|(_, other)| *other);
        axioms.map(|(axiom, _)| axiom.text.as_str()).collect()
    }

    /// Reads declarations and axioms of a scope. Those that matter are written behind its commands.
    pub fn read(&mut self, text: &str, depth: usize, scope: &mut Mentions, commands: &mut String) {
        let mut waiting = Vec::new();
        for command in commands_of(text) {
            let kind = self.classify(command);
            match kind {
                Kind::Declaration => push_line(commands, command),
                Kind::Formula(symbols) => {
                    push_line(commands, command);
                    self.mention(symbols, depth, scope, commands);
                }
                Kind::Axiom { triggers, symbols } => {
                    for symbol in &symbols {
                        self.symbols[*symbol as usize].general = true;
                    }
                    waiting.push((command, symbols, triggers));
                }
                Kind::Fact(symbols) => waiting.push((command, symbols, Vec::new())),
            }
        }
        let first = self.axioms.len();
        for (command, symbols, triggers) in waiting {
            let ways = if triggers.is_empty() { self.ways_to(&symbols) } else { triggers };
            let index = self.axioms.len();
            let mut missing = vec![0; ways.len()];
            for (way, gate) in ways.into_iter().enumerate() {
                for symbol in gate {
                    let mentioned = &mut self.symbols[symbol as usize];
                    mentioned.waiting.push((index, way));
                    missing[way] += usize::from(mentioned.depth == NOWHERE);
                }
            }
            let mut text = String::with_capacity(command.len() + 1);
            push_line(&mut text, command);
            self.axioms.push(Axiom { text, symbols, missing, told: false });
            self.withheld += 1;
        }
        for index in first..self.axioms.len() {
            self.tell_if_due(index, depth, scope, commands);
        }
    }

    /// When a fact matters: if one of its individuals is mentioned; if it has none, one of its constants;
    /// if it has none, one of its functions.
    fn ways_to(&self, symbols: &[Symbol]) -> Vec<Vec<Symbol>> {
        let known = |symbol: &Symbol| &self.symbols[*symbol as usize];
        let ways = |wanted: &dyn Fn(&Symbol) -> bool| -> Vec<Vec<Symbol>> {
            symbols.iter().copied().filter(wanted).map(|symbol| vec![symbol]).collect()
        };
        let individuals = ways(&|symbol| known(symbol).constant && !known(symbol).general);
        if !individuals.is_empty() {
            return individuals;
        }
        let constants = ways(&|symbol| known(symbol).constant);
        if constants.is_empty() { ways(&|_| true) } else { constants }
    }

    /// What a command says. Symbols are known once they are declared; others, such as variables and sorts,
    /// do not count.
    fn classify(&mut self, command: &str) -> Kind {
        let mut tokens = Tokens(command).peekable();
        tokens.next();
        match tokens.next() {
            Some("declare-fun") => {
                if let Some(name) = tokens.next() {
                    let symbol = self.symbol(name);
                    tokens.next();
                    self.symbols[symbol as usize].constant = tokens.peek() == Some(&")");
                }
                return Kind::Declaration;
            }
            Some("declare-const") => {
                if let Some(name) = tokens.next() {
                    let symbol = self.symbol(name);
                    self.symbols[symbol as usize].constant = true;
                }
                return Kind::Declaration;
            }
            Some("assert") => {}
            _ => return Kind::Declaration,
        }
        // (assert (forall (…) (! … :pattern (…) …))): the annotation is the third parenthesis.
        const ANNOTATED: usize = 3;
        let mut depth = 1;
        let (mut symbols, mut triggers): (Vec<Symbol>, Vec<Vec<Symbol>>) = Default::default();
        let (mut head, mut quantified, mut annotated, mut in_trigger) = (None, false, false, false);
        let mut opened = false;
        for token in tokens {
            match token {
                "(" => depth += 1,
                ")" => {
                    depth -= 1;
                    in_trigger &= depth > ANNOTATED;
                }
                "forall" | "exists" if opened => {
                    quantified = true;
                    if depth == 2 && token == "forall" {
                        head = Some(token);
                    }
                }
                "distinct" if opened && depth == 2 => return Kind::Declaration,
                "!" if opened && depth == ANNOTATED && head.is_some() => annotated = true,
                ":pattern" if annotated && depth == ANNOTATED => {
                    triggers.push(Vec::new());
                    in_trigger = true;
                    opened = false;
                    continue;
                }
                _ => {
                    if let Some(symbol) = self.names.get(token).copied() {
                        symbols.push(symbol);
                        if in_trigger && let Some(trigger) = triggers.last_mut() {
                            trigger.push(symbol);
                        }
                    }
                }
            }
            opened = token == "(";
        }
        symbols.sort_unstable();
        symbols.dedup();
        for trigger in &mut triggers {
            trigger.sort_unstable();
            trigger.dedup();
        }
        match quantified {
            false if symbols.is_empty() => Kind::Declaration,
            false => Kind::Fact(symbols),
            true if triggers.is_empty() || triggers.iter().any(Vec::is_empty) => {
                Kind::Formula(symbols)
            }
            true => Kind::Axiom { triggers, symbols },
        }
    }
}

/// What a command says.
enum Kind {
    /// It is told at once, and mentions nothing.
    Declaration,
    /// It is told at once.
    Formula(Vec<Symbol>),
    /// It is quantified, and has triggers.
    Axiom { triggers: Vec<Vec<Symbol>>, symbols: Vec<Symbol> },
    /// It has no variables.
    Fact(Vec<Symbol>),
}

fn push_line(commands: &mut String, command: &str) {
    commands.push_str(command);
    commands.push('\n');
}

/// The commands of a text.
fn commands_of(text: &str) -> impl Iterator<Item = &str> {
    let mut tokens = Tokens(text);
    std::iter::from_fn(move || {
        let mut start = None;
        let mut depth = 0usize;
        loop {
            let token = tokens.next()?;
            // A token is a part of the text, so this is where it is.
            let at = token.as_ptr() as usize - text.as_ptr() as usize;
            let start = *start.get_or_insert(at);
            match token {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return text.get(start..at + token.len());
            }
        }
    })
}

/// Parentheses and what is between them, without comments.
struct Tokens<'t>(&'t str);

impl<'t> Iterator for Tokens<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        loop {
            self.0 = self.0.trim_ascii_start();
            match self.0.strip_prefix(';') {
                Some(comment) => self.0 = comment.find('\n').map_or("", |end| &comment[end..]),
                None => break,
            }
        }
        let bytes = self.0.as_bytes();
        let until = |quote: u8| {
            bytes.iter().skip(1).position(|b| *b == quote).map_or(bytes.len(), |end| end + 2)
        };
        let end = match bytes.first()? {
            b'(' | b')' => 1,
            quote @ (b'|' | b'"') => until(*quote),
            _ => bytes
                .iter()
                .position(|b| b.is_ascii_whitespace() || matches!(b, b'(' | b')' | b';'))
                .unwrap_or(bytes.len()),
        };
        let (token, rest) = self.0.split_at_checked(end)?;
        self.0 = rest;
        Some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: &str = "
        (declare-sort T 0)
        (declare-fun object () T)
        (declare-fun cell () T)
        (declare-fun |a b| () T)
        (declare-fun sub (T T) Bool)
        (declare-fun box (Int) T) ; (assert nothing)
        (declare-fun unbox (T) Int)
        (assert (distinct object cell |a b|))
        (assert (forall ((t T)) (! (sub t object) :pattern ((sub t object)) :qid top)))
        (assert (sub cell object))
        (assert (sub |a b| object))
        (assert (forall ((i Int)) (! (= (unbox (box i)) i) :pattern ((box i)) :qid box)))
        (assert (forall ((t T)) (! (= (box (unbox t)) t)
          :pattern ((box (unbox t))) :pattern ((unbox t) (sub t t)) :qid unbox)))
        (assert (forall ((t T)) (sub t t)))";

    /// Scopes, as in a session.
    struct Scopes {
        relevance: Relevance,
        open: Vec<(Mentions, String)>,
    }

    impl Scopes {
        fn new(text: &str) -> Scopes {
            let mut scopes = Scopes { relevance: Relevance::default(), open: vec![] };
            scopes.push();
            let (mentions, commands) = &mut scopes.open[0];
            scopes.relevance.read(text, 0, mentions, commands);
            scopes
        }

        fn push(&mut self) {
            self.open.push(Default::default());
        }

        fn pop(&mut self) {
            let (closed, _) = self.open.pop().unwrap_or_default();
            let depth = self.open.len();
            if let Some((around, commands)) = self.open.last_mut() {
                self.relevance.close(closed, depth, around, commands);
            }
        }

        fn mention(&mut self, name: &str) {
            let symbol = self.relevance.symbol(name);
            let depth = self.open.len() - 1;
            if let Some((mentions, commands)) = self.open.last_mut() {
                self.relevance.mention(vec![symbol], depth, mentions, commands);
            }
        }

        fn knows(&self, part: &str) -> bool {
            self.open.iter().any(|(_, commands)| commands.contains(part))
        }
    }

    #[test]
    fn quantified_axioms_wait_for_a_trigger() {
        let mut scopes = Scopes::new(TYPES);
        assert!(scopes.knows("(distinct object cell |a b|)"));
        // It has no trigger; what it mentions is mentioned.
        assert!(scopes.knows("(assert (forall ((t T)) (sub t t)))"));
        assert!(!scopes.knows("top") && !scopes.knows("qid box") && !scopes.knows("qid unbox"));
        scopes.mention("box");
        // The axiom of `box` mentions `unbox`, for which the other one waits.
        assert!(scopes.knows("qid box") && scopes.knows("qid unbox"));
        assert!(scopes.relevance.withholds());
    }

    #[test]
    fn facts_wait_for_their_individuals() {
        let mut scopes = Scopes::new(TYPES);
        scopes.mention("object");
        assert!(scopes.knows("qid top"));
        assert!(!scopes.knows("(sub cell object)"), "`object` is no individual");
        scopes.mention("|a b|");
        assert!(scopes.knows("(sub |a b| object)") && !scopes.knows("(sub cell object)"));
    }

    #[test]
    fn what_is_told_in_a_scope_is_forgotten_with_it() {
        let mut scopes = Scopes::new(TYPES);
        scopes.push();
        scopes.mention("cell");
        assert!(scopes.knows("(sub cell object)"));
        scopes.pop();
        assert!(!scopes.knows("(sub cell object)"));
        scopes.push();
        scopes.mention("cell");
        assert!(scopes.knows("(sub cell object)"));
    }

    #[test]
    fn what_matters_in_an_outer_scope_is_told_there() {
        let mut scopes = Scopes::new(TYPES);
        scopes.push();
        scopes.mention("cell");
        // A later axiom of the outermost scope mentions it, too.
        let (mentions, commands) = &mut scopes.open[0];
        scopes.relevance.read("(assert (exists ((t T)) (sub t cell)))", 0, mentions, commands);
        scopes.pop();
        assert!(scopes.knows("(sub cell object)"));
    }

    #[test]
    fn all_can_be_had() {
        let mut scopes = Scopes::new(TYPES);
        scopes.push();
        scopes.mention("cell");
        let others = scopes.relevance.into_others(&scopes.open[0].0);
        assert!(others.contains("(sub cell object)") && others.contains("(sub |a b| object)"));
        assert!(!others.contains("distinct") && !others.contains("(sub t t)))"));
    }
}
