//! Reads SMT-LIB commands: declarations and assertions.
//!
//! What is not understood is not believed: a command that mentions it is dropped, which is sound for
//! proofs, and counted, so that nobody takes what is left for all that is known.

use std::collections::HashMap;

use crate::rational::Rational;
use crate::syntax::{Head, Quant, Role, Sort, SymbolDecl, Syntax, Template, TemplateNode};

/// Terms that nest deeper than this are not read.
const MAX_DEPTH: usize = 400;

/// Distinct values are different in pairs; there are at most this many of them.
const MAX_DISTINCT: usize = 64;

/// What a text says.
#[derive(Default)]
pub(crate) struct Read {
    /// In order.
    pub asserted: Vec<Template>,
    /// How many commands were not understood.
    pub dropped: usize,
    /// Was a name declared again as something else? Then nothing that was read of it counts.
    pub clash: bool,
}

enum Sexp<'a> {
    Atom(&'a str),
    List(Vec<Sexp<'a>>),
}

/// Reads commands.
pub(crate) fn read(syntax: &mut Syntax, text: &str) -> Read {
    let mut result = Read::default();
    let mut tokens = Tokens { text, at: 0 };
    while let Some(command) = tokens.sexp(0) {
        let Some(command) = command else {
            result.dropped += 1;
            break;
        };
        match run(syntax, &command, &mut result) {
            Some(()) => {}
            None => result.dropped += 1,
        }
    }
    result
}

fn run(syntax: &mut Syntax, command: &Sexp<'_>, result: &mut Read) -> Option<()> {
    let parts = command.list()?;
    let name = parts.first()?.atom()?;
    match (name, parts.get(1..)?) {
        ("declare-sort", [name, _]) => {
            syntax.sort(name.atom()?);
        }
        ("declare-const", [name, sort]) => {
            let result_sort = sort_of(syntax, sort)?;
            declare(syntax, name.atom()?, 0, result_sort, Role::Free, result)?;
        }
        ("declare-fun", [name, args, sort]) => {
            let result_sort = sort_of(syntax, sort)?;
            let arity = args.list()?.len();
            declare(syntax, name.atom()?, arity, result_sort, Role::Free, result)?;
        }
        ("declare-datatypes", [names, types]) => {
            datatypes(syntax, names.list()?, types.list()?, result)?;
        }
        ("assert", [formula]) => {
            let mut reader = Reader { syntax, scopes: HashMap::new(), vars: Vec::new() };
            let formula = reader.term(formula, 0)?;
            if reader.syntax.sort_of(formula) != Sort::BOOL {
                return None;
            }
            result.asserted.push(formula);
        }
        ("set-option" | "set-info" | "set-logic", _) => {}
        _ => return None,
    }
    Some(())
}

fn declare(
    syntax: &mut Syntax,
    name: &str,
    arity: usize,
    result_sort: Sort,
    role: Role,
    read: &mut Read,
) -> Option<crate::syntax::Symbol> {
    let decl = SymbolDecl { name: name.into(), result: result_sort, role, arity };
    let symbol = syntax.declare(decl);
    read.clash |= symbol.is_none();
    symbol
}

/// `((T 0)) (((nil) (cons (head Int) (tail T))))`
fn datatypes(
    syntax: &mut Syntax,
    names: &[Sexp<'_>],
    types: &[Sexp<'_>],
    read: &mut Read,
) -> Option<()> {
    for (name, constructors) in names.iter().zip(types) {
        let sort = syntax.sort(name.list()?.first()?.atom()?);
        for constructor in constructors.list()? {
            let parts = constructor.list()?;
            let (name, fields) = parts.split_first()?;
            let name = name.atom()?;
            let made = declare(syntax, name, fields.len(), sort, Role::Constructor, read)?;
            let tester = format!("(_ is {name})");
            declare(syntax, &tester, 1, Sort::BOOL, Role::Tester(made), read)?;
            for (position, field) in fields.iter().enumerate() {
                let [selector, field] = field.list()? else { return None };
                let field = sort_of(syntax, field)?;
                let role = Role::Selector(made, position as u32);
                declare(syntax, selector.atom()?, 1, field, role, read)?;
            }
        }
    }
    Some(())
}

fn sort_of(syntax: &mut Syntax, sort: &Sexp<'_>) -> Option<Sort> {
    match sort {
        Sexp::Atom(name) => Some(syntax.sort(name)),
        Sexp::List(_) => {
            let mut text = String::new();
            sort.print(&mut text);
            Some(syntax.sort(&text))
        }
    }
}

struct Reader<'s, 't> {
    syntax: &'s mut Syntax,
    /// What the names mean that `let` and quantifiers bind, the innermost last.
    scopes: HashMap<&'t str, Vec<Template>>,
    /// The sorts of the variables of all quantifiers around here.
    vars: Vec<Sort>,
}

impl<'t> Reader<'_, 't> {
    fn term(&mut self, term: &Sexp<'t>, depth: usize) -> Option<Template> {
        if depth > MAX_DEPTH {
            return None;
        }
        match term {
            Sexp::Atom(name) => self.atom(name),
            Sexp::List(parts) => self.application(parts, depth + 1),
        }
    }

    fn atom(&mut self, name: &'t str) -> Option<Template> {
        if let Some(bound) = self.scopes.get(name).and_then(|all| all.last()) {
            return Some(*bound);
        }
        match name {
            "true" => return Some(self.syntax.app(Head::True, &[])),
            "false" => return Some(self.syntax.app(Head::False, &[])),
            _ => {}
        }
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            return self.number(name);
        }
        self.symbol(name, &[])
    }

    fn number(&mut self, text: &str) -> Option<Template> {
        let (value, sort) = match text.split_once('.') {
            None => (Rational::integer(text.parse().ok()?)?, Sort::INT),
            Some((whole, fraction)) => {
                let scale = 10i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
                let whole = whole.parse::<i128>().ok()?.checked_mul(scale)?;
                let digits = if fraction.is_empty() { 0 } else { fraction.parse().ok()? };
                (Rational::new(whole.checked_add(digits)?, scale)?, Sort::REAL)
            }
        };
        Some(self.syntax.app(Head::Number(value, sort), &[]))
    }

    fn symbol(&mut self, name: &str, args: &[Template]) -> Option<Template> {
        let symbol = self.syntax.symbol(name)?;
        let arity = self.syntax.symbols[symbol.0 as usize].arity;
        (arity == args.len()).then(|| self.syntax.app(Head::Symbol(symbol), args))
    }

    fn application(&mut self, parts: &[Sexp<'t>], depth: usize) -> Option<Template> {
        let (head, rest) = parts.split_first()?;
        let Sexp::Atom(name) = head else {
            // A tester: `(_ is cons)`.
            let mut text = String::new();
            head.print(&mut text);
            let args = self.terms(rest, depth)?;
            return self.symbol(&text, &args);
        };
        match *name {
            "let" => return self.let_in(rest, depth),
            "forall" | "exists" => return self.quantifier(*name == "forall", rest, depth),
            // Attributes of what is no quantifier say nothing of its value.
            "!" => return self.term(rest.first()?, depth),
            _ => {}
        }
        let args = self.terms(rest, depth)?;
        let real = args.first().is_some_and(|arg| self.syntax.sort_of(*arg) == Sort::REAL);
        match (*name, &*args) {
            ("not", [_]) => Some(self.syntax.app(Head::Not, &args)),
            ("and", _) => Some(self.connective(Head::And, Head::True, &args)),
            ("or", _) => Some(self.connective(Head::Or, Head::False, &args)),
            ("=>", [premises @ .., conclusion]) => {
                let mut result = *conclusion;
                for premise in premises.iter().rev() {
                    result = self.syntax.app(Head::Implies, &[*premise, result]);
                }
                Some(result)
            }
            ("ite", [_, a, b]) if self.syntax.sort_of(*a) == self.syntax.sort_of(*b) => {
                Some(self.syntax.app(Head::Ite, &args))
            }
            ("=", [_, _, ..]) => self.chain(&args, |this, a, b| this.equal(a, b)),
            ("<=", [_, _, ..]) => self.chain(&args, |this, a, b| this.compare(Head::Le, a, b)),
            ("<", [_, _, ..]) => self.chain(&args, |this, a, b| this.compare(Head::Lt, a, b)),
            (">=", [_, _, ..]) => self.chain(&args, |this, a, b| this.compare(Head::Le, b, a)),
            (">", [_, _, ..]) => self.chain(&args, |this, a, b| this.compare(Head::Lt, b, a)),
            ("distinct", _) if args.len() <= MAX_DISTINCT => {
                let mut pairs = Vec::new();
                for (i, a) in args.iter().enumerate() {
                    for b in &args[i + 1..] {
                        let equal = self.equal(*a, *b)?;
                        pairs.push(self.syntax.app(Head::Not, &[equal]));
                    }
                }
                Some(self.connective(Head::And, Head::True, &pairs))
            }
            ("-", [a]) => {
                if let TemplateNode::App(Head::Number(value, sort), _) = self.syntax.template(*a) {
                    let negative = Head::Number(value.negative(), *sort);
                    return Some(self.syntax.app(negative, &[]));
                }
                let sort = self.syntax.sort_of(*a);
                let zero = self.syntax.app(Head::Number(Rational::ZERO, sort), &[]);
                self.arithmetic(Head::Sub, &[zero, *a])
            }
            ("+", [_, ..]) => self.arithmetic(Head::Add, &args),
            ("-", [_, _, ..]) => self.arithmetic(Head::Sub, &args),
            ("*", [_, ..]) => self.arithmetic(Head::Mul, &args),
            ("div", [_, _]) if !real => self.arithmetic(Head::Div, &args),
            ("mod", [_, _]) if !real => self.arithmetic(Head::Mod, &args),
            ("/", [a, b]) => {
                use TemplateNode::App;
                let quotient = match (self.syntax.template(*a), self.syntax.template(*b)) {
                    (App(Head::Number(a, _), _), App(Head::Number(b, _), _)) => a.over(*b),
                    _ => None,
                };
                match quotient {
                    Some(value) => Some(self.syntax.app(Head::Number(value, Sort::REAL), &[])),
                    None if real => self.arithmetic(Head::RealDiv, &args),
                    None => None,
                }
            }
            ("to_real", [a]) if self.syntax.sort_of(*a) == Sort::INT => {
                Some(self.syntax.app(Head::ToReal, &args))
            }
            _ => self.symbol(name, &args),
        }
    }

    fn terms(&mut self, terms: &[Sexp<'t>], depth: usize) -> Option<Vec<Template>> {
        terms.iter().map(|term| self.term(term, depth)).collect()
    }

    fn connective(&mut self, head: Head, neutral: Head, args: &[Template]) -> Template {
        match args {
            [] => self.syntax.app(neutral, &[]),
            [one] => *one,
            _ => self.syntax.app(head, args),
        }
    }

    /// `(< a b c)` is `a < b && b < c`.
    fn chain(
        &mut self,
        args: &[Template],
        relate: impl Fn(&mut Self, Template, Template) -> Option<Template>,
    ) -> Option<Template> {
        let mut links = Vec::new();
        for pair in args.windows(2) {
            let [a, b] = pair else { return None };
            links.push(relate(self, *a, *b)?);
        }
        Some(self.connective(Head::And, Head::True, &links))
    }

    fn equal(&mut self, a: Template, b: Template) -> Option<Template> {
        if self.syntax.sort_of(a) != self.syntax.sort_of(b) {
            return None;
        }
        // Equations have a direction, so that `a = b` and `b = a` are one.
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        Some(self.syntax.app(Head::Eq, &[a, b]))
    }

    fn compare(&mut self, head: Head, a: Template, b: Template) -> Option<Template> {
        let sort = self.syntax.sort_of(a);
        (sort.is_arithmetic() && sort == self.syntax.sort_of(b))
            .then(|| self.syntax.app(head, &[a, b]))
    }

    fn arithmetic(&mut self, head: Head, args: &[Template]) -> Option<Template> {
        let (first, rest) = args.split_first()?;
        let sort = self.syntax.sort_of(*first);
        if !sort.is_arithmetic() || rest.iter().any(|arg| self.syntax.sort_of(*arg) != sort) {
            return None;
        }
        let mut result = *first;
        for arg in rest {
            result = self.syntax.app(head, &[result, *arg]);
        }
        Some(result)
    }

    fn let_in(&mut self, parts: &[Sexp<'t>], depth: usize) -> Option<Template> {
        let [bindings, body] = parts else { return None };
        let mut values = Vec::new();
        for binding in bindings.list()? {
            let [name, value] = binding.list()? else { return None };
            values.push((name.atom()?, self.term(value, depth)?));
        }
        for (name, value) in &values {
            self.scopes.entry(name).or_default().push(*value);
        }
        // A chain of these is as deep as it is long; it is no deeper than what it binds.
        let body = self.term(body, depth.saturating_sub(1));
        for (name, _) in &values {
            self.scopes.entry(name).or_default().pop();
        }
        body
    }

    fn quantifier(
        &mut self,
        universal: bool,
        parts: &[Sexp<'t>],
        depth: usize,
    ) -> Option<Template> {
        let [vars, body] = parts else { return None };
        let first = self.vars.len();
        let mut names = Vec::new();
        for var in vars.list()? {
            let [name, sort] = var.list()? else { return None };
            let sort = sort_of(self.syntax, sort)?;
            let template = self.syntax.var(self.vars.len() as u32, sort);
            self.vars.push(sort);
            names.push((name.atom()?, template));
        }
        for (name, template) in &names {
            self.scopes.entry(name).or_default().push(*template);
        }
        let binders = names.iter().map(|(name, _)| Box::from(*name)).collect();
        let quant = self.quantified(universal, first, binders, body, depth);
        for (name, _) in &names {
            self.scopes.entry(name).or_default().pop();
        }
        self.vars.truncate(first);
        let quant = quant?;
        let sorts = self.vars.clone();
        let args: Vec<Template> = quant
            .free
            .iter()
            .map(|position| self.syntax.var(*position, sorts[*position as usize]))
            .collect();
        let id = self.syntax.add_quant(quant);
        Some(self.syntax.app(Head::Quant(id), &args))
    }

    fn quantified(
        &mut self,
        universal: bool,
        first: usize,
        names: Box<[Box<str>]>,
        body: &Sexp<'t>,
        depth: usize,
    ) -> Option<Quant> {
        let mut triggers: Vec<Box<[Template]>> = Vec::new();
        let mut weight = 0;
        let body = match body.list() {
            Some([Sexp::Atom("!"), body, attributes @ ..]) => {
                for pair in attributes.chunks(2) {
                    match pair {
                        [Sexp::Atom(":pattern"), Sexp::List(set)] => {
                            triggers.push(self.terms(set, depth)?.into());
                        }
                        [Sexp::Atom(":weight"), value] => weight = value.atom()?.parse().ok()?,
                        [Sexp::Atom(":qid" | ":skolemid"), _] => {}
                        _ => return None,
                    }
                }
                body
            }
            _ => body,
        };
        let body = self.term(body, depth)?;
        let sorts: Box<[Sort]> = self.vars[first..].into();
        if self.syntax.sort_of(body) != Sort::BOOL {
            return None;
        }
        let mut free = Vec::new();
        let mut pending: Vec<Template> = vec![body];
        pending.extend(triggers.iter().flatten().copied());
        let mut seen = std::collections::HashSet::new();
        while let Some(template) = pending.pop() {
            if self.syntax.is_closed(template) || !seen.insert(template) {
                continue;
            }
            match self.syntax.template(template) {
                TemplateNode::Var(position, _) if (*position as usize) < first => {
                    free.push(*position);
                }
                TemplateNode::Var(..) => {}
                TemplateNode::App(_, args) => pending.extend(args.iter().copied()),
            }
        }
        free.sort_unstable();
        let first = first as u32;
        Some(Quant { universal, free: free.into(), first, names, sorts, triggers, body, weight })
    }
}

impl<'a> Sexp<'a> {
    fn atom(&self) -> Option<&'a str> {
        match self {
            Sexp::Atom(text) => Some(text),
            Sexp::List(_) => None,
        }
    }

    fn list(&self) -> Option<&[Sexp<'a>]> {
        match self {
            Sexp::Atom(_) => None,
            Sexp::List(parts) => Some(parts),
        }
    }

    fn print(&self, out: &mut String) {
        match self {
            Sexp::Atom(text) => out.push_str(text),
            Sexp::List(parts) => {
                out.push('(');
                for (i, part) in parts.iter().enumerate() {
                    if i > 0 {
                        out.push(' ');
                    }
                    part.print(out);
                }
                out.push(')');
            }
        }
    }
}

/// Is it a symbol without bars, too?
fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let reserved = ["!", "_", "as", "let", "exists", "forall", "match", "par"];
    name.starts_with(|c: char| plain(c) && !c.is_ascii_digit())
        && name.chars().all(plain)
        && !reserved.contains(&name)
}

struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    /// The next expression: none at the end, nothing in it if there is no sense in the text.
    fn sexp(&mut self, depth: usize) -> Option<Option<Sexp<'a>>> {
        self.skip();
        let rest = self.text.get(self.at..)?;
        let first = rest.chars().next()?;
        if depth > 4 * MAX_DEPTH {
            return Some(None);
        }
        match first {
            '(' => {
                self.at += 1;
                let mut parts = Vec::new();
                loop {
                    self.skip();
                    if self.text.get(self.at..).is_some_and(|rest| rest.starts_with(')')) {
                        self.at += 1;
                        return Some(Some(Sexp::List(parts)));
                    }
                    match self.sexp(depth + 1) {
                        Some(Some(part)) => parts.push(part),
                        _ => return Some(None),
                    }
                }
            }
            ')' => Some(None),
            '|' | '"' => {
                let inner = rest.get(1..)?;
                let Some(end) = inner.find(first) else { return Some(None) };
                self.at += end + 2;
                // `|x|` and `x` are the same symbol, unless `x` would not be one.
                let bare = &inner[..end];
                let strip = first == '|' && is_plain(bare);
                Some(Some(Sexp::Atom(if strip { bare } else { &rest[..end + 2] })))
            }
            _ => {
                let stop = |c: char| c.is_whitespace() || "()|\";".contains(c);
                let end = rest.find(stop).unwrap_or(rest.len());
                self.at += end.max(1);
                Some(Some(Sexp::Atom(&rest[..end])))
            }
        }
    }

    /// Past spaces and comments.
    fn skip(&mut self) {
        loop {
            let Some(rest) = self.text.get(self.at..) else { return };
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with(';') {
                return;
            }
            self.at += trimmed.find('\n').map_or(trimmed.len(), |end| end + 1);
        }
    }
}
