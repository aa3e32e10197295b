//! Assertions as text in the notation of `lancehead sl`: disjuncts first, then each as one symbolic heap.

use std::collections::{BTreeMap, BTreeSet};

use heap::{Scalar, Target};
use report::Span;

use crate::core::{BinOp, Expr, ExprKind, Local, LocalId, Name, Program, Quantifier, Type, UnOp};
use crate::lower::types::Layouts;

/// More alternatives than this are not written out.
const ALTERNATIVES: usize = 32;

/// After so many steps nobody waits for alternatives any longer: what is negated is looked at twice.
const STEPS: u32 = 10_000;

/// Why something cannot be said.
#[derive(Clone, Debug)]
pub(super) struct Unsayable {
    pub(super) span: Span,
    pub(super) what: String,
}

pub(super) type Said<T> = Result<T, Unsayable>;

pub(super) fn unsayable<T>(span: Span, what: impl Into<String>) -> Said<T> {
    Err(Unsayable { span, what: what.into() })
}

/// A formula, and what was left out.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) left_out: Option<Unsayable>,
}

pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "'"))
}

pub(super) fn list_name(field: &Name) -> String {
    quoted(&format!("{field} list"))
}

/// The sort of values of a type.
pub(super) fn sort(layouts: &Layouts, ty: &Type) -> Option<String> {
    match layouts.scalar(ty)? {
        Scalar::Int(_) | Scalar::Float(_) => Some("Int".to_owned()),
        Scalar::Ptr(Target::Record(id)) => {
            layouts.records.get(id.0 as usize).map(|record| quoted(&record.name))
        }
        Scalar::Ptr(_) => None,
    }
}

/// What a field is called in its record.
pub(super) fn written_field(
    program: &Program,
    layouts: &Layouts,
    owner: &Type,
    field: &Name,
) -> Option<String> {
    let place = layouts.field(field)?;
    let owns = program.fields.get(field).is_some_and(|f| Type::Struct(f.owner.clone()) == *owner);
    let (_, record) = layouts.record(owner).filter(|_| owns)?;
    record.fields.iter().find(|f| f.offset == place.offset).map(|f| quoted(&f.name))
}

/// A part of a conjunction, or its negation.
#[derive(Clone, Copy, Debug)]
struct Atom<'e> {
    expr: &'e Expr,
    negated: bool,
}

type Alternatives<'e> = Vec<Vec<Atom<'e>>>;

/// What variables are called.
pub(super) struct Names<'a> {
    pub(super) locals: &'a [Local],
    /// Those that have a name; the others are existential.
    pub(super) named: BTreeMap<LocalId, String>,
    /// May others be existential, or must everything have a name?
    pub(super) existential: bool,
}

pub(super) struct Translator<'a> {
    program: &'a Program,
    layouts: &'a Layouts,
    known: &'a BTreeMap<Name, Said<Text>>,
    /// What global variables are called.
    globals: BTreeMap<Name, String>,
    names: Names<'a>,
    /// Variables of existential quantifiers.
    bound: BTreeSet<LocalId>,
    /// Those that are footprints.
    footprints: BTreeSet<LocalId>,
    /// Fields of which lists are mentioned.
    pub(super) lists: BTreeSet<Name>,
    left_out: Option<Unsayable>,
    steps: u32,
}

impl<'a> Translator<'a> {
    pub(super) fn new(
        program: &'a Program,
        layouts: &'a Layouts,
        known: &'a BTreeMap<Name, Said<Text>>,
        globals: BTreeMap<Name, String>,
        names: Names<'a>,
    ) -> Translator<'a> {
        Translator {
            program,
            layouts,
            known,
            globals,
            names,
            bound: BTreeSet::new(),
            footprints: BTreeSet::new(),
            lists: BTreeSet::new(),
            left_out: None,
            steps: 0,
        }
    }

    /// The separating conjunction of assertions.
    pub(super) fn clause(&mut self, all: &[&Expr]) -> Said<Text> {
        self.left_out = None;
        let mut alternatives: Alternatives<'_> = vec![Vec::new()];
        for e in all {
            let these = self.alternatives(e, false)?;
            alternatives = product(alternatives, these, e.span)?;
        }
        let mut disjuncts = Vec::new();
        for atoms in &alternatives {
            disjuncts.push(self.disjunct(atoms)?);
        }
        let text = match disjuncts.as_slice() {
            [] => "false".to_owned(),
            [one] => one.clone(),
            many => many.iter().map(|one| format!("({one})")).collect::<Vec<_>>().join(" || "),
        };
        Ok(Text { text, left_out: self.left_out.take() })
    }

    fn leave_out(&mut self, why: Unsayable) {
        self.left_out.get_or_insert(why);
    }

    // --- Disjuncts

    /// The disjuncts of an assertion.
    fn alternatives<'e>(&mut self, e: &'e Expr, negated: bool) -> Said<Alternatives<'e>> {
        self.steps += 1;
        if self.steps > STEPS {
            return unsayable(e.span, "so many alternatives");
        }
        let atom = || Ok(vec![vec![Atom { expr: e, negated }]]);
        let spatial = e.ty == Type::Perm;
        match &*e.kind {
            ExprKind::Bool(truth) => {
                Ok(if *truth != negated { vec![Vec::new()] } else { Vec::new() })
            }
            ExprKind::Emp if !negated => Ok(vec![Vec::new()]),
            ExprKind::Unary(UnOp::Not, inner) if !spatial => self.alternatives(inner, !negated),
            ExprKind::Binary(BinOp::SepStar, a, b) if !negated => {
                let (a, b) = (self.alternatives(a, false)?, self.alternatives(b, false)?);
                product(a, b, e.span)
            }
            ExprKind::Binary(BinOp::And, a, b) if spatial && !negated => {
                // `A && acc(X)` says that X is the footprint of A.
                let (inner, name) = match (footprint_name(a), footprint_name(b)) {
                    (_, Some(name)) if a.ty == Type::Perm => (a, name),
                    (Some(name), _) if b.ty == Type::Perm => (b, name),
                    _ => return unsayable(e.span, "`&&` of spatial assertions"),
                };
                // A name that nothing else knows says nothing.
                if !self.bound.contains(&name) || !self.footprints.insert(name) {
                    let what = "which locations these are".to_owned();
                    self.leave_out(Unsayable { span: e.span, what });
                }
                self.alternatives(inner, false)
            }
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) if !spatial || !negated => {
                let (a, b) = (self.alternatives(a, negated)?, self.alternatives(b, negated)?);
                if (*op == BinOp::And) != negated {
                    product(a, b, e.span)
                } else {
                    sum(a, b, e.span)
                }
            }
            ExprKind::Binary(BinOp::Implies, a, b) if !negated => {
                let (not, holds) = (self.alternatives(a, true)?, self.alternatives(a, false)?);
                let then = product(holds, self.alternatives(b, false)?, e.span)?;
                sum(not, then, e.span)
            }
            ExprKind::Binary(BinOp::Implies, a, b) if !spatial => {
                let (a, b) = (self.alternatives(a, false)?, self.alternatives(b, true)?);
                product(a, b, e.span)
            }
            ExprKind::Cond(c, a, b) if spatial && !negated => {
                let yes =
                    product(self.alternatives(c, false)?, self.alternatives(a, false)?, e.span)?;
                let no =
                    product(self.alternatives(c, true)?, self.alternatives(b, false)?, e.span)?;
                sum(yes, no, e.span)
            }
            ExprKind::Quant(Quantifier::Exists, vars, body) if !negated => {
                self.bound.extend(vars);
                self.alternatives(body, false)
            }
            _ if negated && spatial => unsayable(e.span, "a negated spatial assertion"),
            _ => atom(),
        }
    }

    fn disjunct(&mut self, atoms: &[Atom<'_>]) -> Said<String> {
        let mut disjunct = Disjunct::default();
        // What is owned first: fields of it can be mentioned.
        for atom in atoms {
            match &*atom.expr.kind {
                ExprKind::Acc(x) | ExprKind::PointsTo(x, _, _) => {
                    disjunct.own(x)?;
                }
                ExprKind::AccSet(set) => {
                    if let ExprKind::Set(elements) = &*set.kind
                        && let [one] = elements.as_slice()
                    {
                        disjunct.own(one)?;
                    }
                }
                _ => {}
            }
        }
        let mut used = BTreeSet::new();
        for atom in atoms.iter().filter(|a| a.expr.ty == Type::Perm) {
            self.spatial(&mut disjunct, atom.expr, atoms, &mut used)?;
        }
        for atom in atoms.iter().filter(|a| a.expr.ty != Type::Perm) {
            if used.contains(&std::ptr::from_ref(atom.expr)) {
                continue;
            }
            match self.pure(&mut disjunct, atom) {
                Ok(text) => disjunct.parts.push(text),
                Err(why) => self.leave_out(why),
            }
        }
        self.finish(disjunct)
    }

    fn finish(&mut self, disjunct: Disjunct) -> Said<String> {
        let mut parts = disjunct.parts;
        let mut bound = disjunct.bound;
        for (key, root) in &disjunct.owned {
            let mut fields = Vec::new();
            for (field, value) in &root.fields {
                let Some(field) = written_field(self.program, self.layouts, &root.ty, field) else {
                    return unsayable(root.span, "a field that is erased");
                };
                fields.push(format!("{field}: {value}"));
            }
            if fields.is_empty() {
                // What is there is some record.
                let (field, sort) = self.some_field(&root.ty, root.span)?;
                let value = quoted(&format!("{key} some"));
                fields.push(format!("{field}: {value}"));
                bound.insert(value, sort);
            }
            parts.push(format!("{} |-> {{{}}}", root.text, fields.join(", ")));
        }
        for local in &disjunct.mentioned {
            let Some(declared) = self.names.locals.get(local.0 as usize) else { continue };
            let Some(sort) = sort(self.layouts, &declared.ty) else { continue };
            bound.insert(existential(declared, *local), sort);
        }
        let body = if parts.is_empty() { "emp".to_owned() } else { parts.join(" * ") };
        if bound.is_empty() {
            return Ok(body);
        }
        let vars: Vec<String> =
            bound.iter().map(|(name, sort)| format!("{name}: {sort}")).collect();
        Ok(format!("exists {}. {body}", vars.join(", ")))
    }

    /// A field of a record, and the sort of what it holds.
    fn some_field(&self, ty: &Type, span: Span) -> Said<(String, String)> {
        let Type::Struct(name) = ty else {
            return unsayable(span, format!("a location of type `{ty}`"));
        };
        let fields = self.program.structs.get(name).into_iter().flatten();
        let mut written = fields.filter_map(|field| {
            let declared = self.program.fields.get(field)?;
            let written = written_field(self.program, self.layouts, ty, field)?;
            Some((written, sort(self.layouts, &declared.ty)?))
        });
        match written.next() {
            Some(field) => Ok(field),
            None => unsayable(span, format!("a location of type `{ty}`, which has no fields")),
        }
    }

    // --- Parts

    fn spatial(
        &mut self,
        disjunct: &mut Disjunct,
        e: &Expr,
        atoms: &[Atom<'_>],
        used: &mut BTreeSet<*const Expr>,
    ) -> Said<()> {
        match &*e.kind {
            ExprKind::Acc(x) => self.owned(disjunct, x),
            ExprKind::PointsTo(x, read, value) => {
                self.owned(disjunct, x)?;
                let (read, value) = (self.term(disjunct, read)?, self.term(disjunct, value)?);
                disjunct.parts.push(format!("{read} = {value}"));
                Ok(())
            }
            ExprKind::AccSet(set) => match &*set.kind {
                ExprKind::Set(elements) if elements.is_empty() => Ok(()),
                ExprKind::Set(elements) => match elements.as_slice() {
                    [one] => self.owned(disjunct, one),
                    _ => unsayable(e.span, "a set of several locations"),
                },
                ExprKind::Comprehension(var, body) => {
                    self.segment(disjunct, *var, body, atoms, used)
                }
                _ => unsayable(e.span, "`acc` of a set"),
            },
            ExprKind::Predicate(name, args) => {
                let text = self.instance(disjunct, e, name, args)?;
                disjunct.parts.push(text);
                Ok(())
            }
            ExprKind::Binary(op, ..) => {
                unsayable(e.span, format!("`{}` of spatial assertions", op.text()))
            }
            _ => unsayable(e.span, "this spatial assertion"),
        }
    }

    fn owned(&mut self, disjunct: &mut Disjunct, x: &Expr) -> Said<()> {
        let text = self.term(disjunct, x)?;
        if sort(self.layouts, &x.ty).is_none() {
            return unsayable(x.span, format!("a location of type `{}`", x.ty));
        }
        if let Some(root) = key(x).and_then(|key| disjunct.owned.get_mut(&key)) {
            root.text = text;
        }
        Ok(())
    }

    /// `acc({z :: Btwn(f, x, z, y) && z != y}) &*& Reach(f, x, y)`
    fn segment(
        &mut self,
        disjunct: &mut Disjunct,
        var: LocalId,
        body: &Expr,
        atoms: &[Atom<'_>],
        used: &mut BTreeSet<*const Expr>,
    ) -> Said<()> {
        let other = || unsayable(body.span, "a set of locations that is no list segment");
        let ExprKind::Binary(BinOp::And, a, b) = &*body.kind else { return other() };
        let is_var = |e: &Expr| matches!(&*e.kind, ExprKind::Local(local) if *local == var);
        let (path, apart) = if let ExprKind::Btwn(..) = &*a.kind { (a, b) } else { (b, a) };
        let ExprKind::Btwn(field, x, z, y) = &*path.kind else { return other() };
        let ExprKind::Binary(BinOp::Ne, left, right) = &*apart.kind else { return other() };
        let end = if is_var(left) { right } else { left };
        let (Some(from), Some(to), ExprKind::Field(name)) = (key(x), key(y), &*field.kind) else {
            return other();
        };
        let fits = is_var(z) && (is_var(left) || is_var(right)) && key(end).as_ref() == Some(&to);
        if !fits || self.layouts.field(name).is_none() {
            return other();
        }
        // There is a path if nodes are between the two, or if they are equal. `Reach` says nothing else.
        let same = |e: &Expr, k: &String| key(e).as_ref() == Some(k);
        let is_path = |atom: &&Atom<'_>| match &*atom.expr.kind {
            ExprKind::Btwn(f, a, _, c) => {
                let field = matches!(&*f.kind, ExprKind::Field(n) if n == name);
                !atom.negated && field && same(a, &from) && same(c, &to)
            }
            ExprKind::Binary(BinOp::Eq, a, b) => {
                !atom.negated && (same(a, &from) && same(b, &to) || same(a, &to) && same(b, &from))
            }
            _ => false,
        };
        if !atoms.iter().any(|atom| is_path(&atom)) {
            return unsayable(body.span, "nodes on a path that may not be there");
        }
        for reach in atoms.iter().filter(is_path) {
            if matches!(&*reach.expr.kind, ExprKind::Btwn(_, _, b, _) if same(b, &to)) {
                used.insert(std::ptr::from_ref(reach.expr));
            }
        }
        let (x, y) = (self.term(disjunct, x)?, self.term(disjunct, y)?);
        self.lists.insert(name.clone());
        disjunct.parts.push(format!("{}({x}, {y})", list_name(name)));
        Ok(())
    }

    fn instance(
        &mut self,
        disjunct: &mut Disjunct,
        e: &Expr,
        name: &Name,
        args: &[Expr],
    ) -> Said<String> {
        let Some(predicate) = self.program.predicates.get(name) else {
            return unsayable(e.span, format!("`{name}`"));
        };
        match self.known.get(name) {
            Some(Ok(Text { left_out: Some(less), .. })) => {
                self.leave_out(Unsayable { span: e.span, what: less.what.clone() });
            }
            Some(Ok(_)) => {}
            Some(Err(why)) => return unsayable(e.span, format!("`{name}`: {}", why.what)),
            None => return unsayable(e.span, format!("`{name}`, which has no body")),
        }
        let mut values = Vec::new();
        for (param, arg) in predicate.params.iter().zip(args) {
            let ty = predicate.locals.get(param.local.0 as usize).map(|l| &l.ty);
            if ty.is_some_and(|ty| sort(self.layouts, ty).is_some()) {
                values.push(self.term(disjunct, arg)?);
            } else {
                self.leave_out(Unsayable {
                    span: arg.span,
                    what: format!("a value of type `{}`", arg.ty),
                });
            }
        }
        Ok(format!("{}({})", quoted(name), values.join(", ")))
    }

    fn pure(&mut self, disjunct: &mut Disjunct, atom: &Atom<'_>) -> Said<String> {
        let e = atom.expr;
        let nothing = || unsayable(e.span, "a pure condition that is no relation of values");
        match &*e.kind {
            ExprKind::Binary(op, a, b) => {
                if matches!(a.ty, Type::Set(_) | Type::Map(..) | Type::Datatype(_) | Type::Perm) {
                    return unsayable(e.span, format!("values of type `{}`", a.ty));
                }
                let (x, y) = (self.term(disjunct, a)?, self.term(disjunct, b)?);
                let op = match (op, atom.negated) {
                    (BinOp::Eq | BinOp::Iff, false) | (BinOp::Ne, true) => "=",
                    (BinOp::Ne, false) | (BinOp::Eq | BinOp::Iff, true) => "!=",
                    (BinOp::Lt, false) | (BinOp::Ge, true) => "<",
                    (BinOp::Le, false) | (BinOp::Gt, true) => "<=",
                    (BinOp::Gt, false) | (BinOp::Le, true) => ">",
                    (BinOp::Ge, false) | (BinOp::Lt, true) => ">=",
                    _ => return nothing(),
                };
                Ok(format!("{x} {op} {y}"))
            }
            ExprKind::Predicate(name, args) if !atom.negated => {
                self.instance(disjunct, e, name, args)
            }
            ExprKind::Btwn(..) => unsayable(e.span, "a path between locations"),
            ExprKind::Quant(..) => unsayable(e.span, "a quantifier"),
            ExprKind::Local(_) | ExprKind::Read(..) => {
                let term = self.term(disjunct, e)?;
                Ok(format!("{term} {} 0", if atom.negated { "=" } else { "!=" }))
            }
            _ => nothing(),
        }
    }

    fn term(&mut self, disjunct: &mut Disjunct, e: &Expr) -> Said<String> {
        let no_value = || unsayable(e.span, format!("a value of type `{}`", e.ty));
        Ok(match &*e.kind {
            ExprKind::Null if sort(self.layouts, &e.ty).is_some() => "nil".to_owned(),
            ExprKind::Int(n) => n.to_string(),
            ExprKind::Byte(n) => n.to_string(),
            ExprKind::Bool(b) => i32::from(*b).to_string(),
            ExprKind::Local(local) => match self.names.named.get(local) {
                Some(name) => quoted(name),
                None => {
                    let Some(declared) = self.names.locals.get(local.0 as usize) else {
                        return no_value();
                    };
                    if sort(self.layouts, &declared.ty).is_none() {
                        return no_value();
                    }
                    if !self.names.existential && !self.bound.contains(local) {
                        return unsayable(
                            e.span,
                            format!("the ghost variable `{}`, which is erased", declared.name),
                        );
                    }
                    disjunct.mentioned.insert(*local);
                    existential(declared, *local)
                }
            },
            ExprKind::Global(name) => match self.globals.get(name) {
                Some(name) if sort(self.layouts, &e.ty).is_some() => quoted(name),
                _ => return no_value(),
            },
            ExprKind::Read(map, object) => {
                let ExprKind::Field(field) = &*map.kind else { return no_value() };
                let (Some(own), Some(of)) = (key(object), key(e)) else { return no_value() };
                let Some(sort) = sort(self.layouts, &e.ty) else { return no_value() };
                if self.layouts.field(field).is_none() {
                    return unsayable(
                        e.span,
                        format!("the ghost field `{field}`, which is erased"),
                    );
                }
                let Some(root) = disjunct.owned.get_mut(&own) else {
                    return unsayable(e.span, "a field of a location that is not owned here");
                };
                let name = quoted(&self.readable(object, &of, field));
                root.fields.insert(field.clone(), name.clone());
                disjunct.bound.insert(name.clone(), sort);
                name
            }
            ExprKind::Unary(UnOp::Neg, a)
                if self.layouts.int() == heap::IntType::UNBOUNDED && e.ty == Type::Int =>
            {
                format!("(0 - {})", self.term(disjunct, a)?)
            }
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), a, b)
                if self.layouts.int() == heap::IntType::UNBOUNDED && e.ty == Type::Int =>
            {
                let (a, b) = (self.term(disjunct, a)?, self.term(disjunct, b)?);
                format!("({a} {} {b})", if *op == BinOp::Add { "+" } else { "-" })
            }
            ExprKind::Old(_) => return unsayable(e.span, "`old`"),
            _ => return no_value(),
        })
    }
}

impl Translator<'_> {
    /// A name for a field that is read: `x.next`.
    fn readable(&self, object: &Expr, key: &str, field: &Name) -> String {
        match &*object.kind {
            ExprKind::Local(local) => match self.names.named.get(local) {
                Some(name) => format!("{name}.{field}"),
                None => key.to_owned(),
            },
            ExprKind::Read(map, inner) => match &*map.kind {
                ExprKind::Field(outer) => {
                    format!("{}.{field}", self.readable(inner, key, outer))
                }
                _ => key.to_owned(),
            },
            _ => key.to_owned(),
        }
    }
}

/// A disjunct on its way.
#[derive(Default)]
struct Disjunct {
    parts: Vec<String>,
    /// Locations that `acc` is about, by what they are written as.
    owned: BTreeMap<String, Owned>,
    /// Existential variables, with their sorts.
    bound: BTreeMap<String, String>,
    mentioned: BTreeSet<LocalId>,
}

struct Owned {
    text: String,
    ty: Type,
    span: Span,
    /// What fields hold.
    fields: BTreeMap<Name, String>,
}

impl Disjunct {
    fn own(&mut self, x: &Expr) -> Said<()> {
        let Some(key) = key(x) else { return unsayable(x.span, "`acc` of this") };
        let (ty, span) = (x.ty.clone(), x.span);
        if self.owned.contains_key(&key) {
            // Twice the same location: that holds nowhere.
            self.parts.push("false".to_owned());
            return Ok(());
        }
        self.owned.insert(key, Owned { text: String::new(), ty, span, fields: BTreeMap::new() });
        Ok(())
    }
}

fn existential(local: &Local, id: LocalId) -> String {
    quoted(&format!("{} #{}", local.name, id.0))
}

/// What a reference is written as: equal texts are equal values in one state.
fn key(e: &Expr) -> Option<String> {
    match &*e.kind {
        ExprKind::Local(local) => Some(format!("#{}", local.0)),
        ExprKind::Global(name) => Some(format!("global {name}")),
        ExprKind::Null => Some("null".to_owned()),
        ExprKind::Read(map, object) => match &*map.kind {
            ExprKind::Field(field) => Some(format!("{}.{field}", key(object)?)),
            _ => None,
        },
        _ => None,
    }
}

/// The variable of `acc(X)`.
fn footprint_name(e: &Expr) -> Option<LocalId> {
    let ExprKind::AccSet(set) = &*e.kind else { return None };
    match &*set.kind {
        ExprKind::Local(local) => Some(*local),
        _ => None,
    }
}

fn product<'e>(a: Alternatives<'e>, b: Alternatives<'e>, span: Span) -> Said<Alternatives<'e>> {
    if a.len().saturating_mul(b.len()) > ALTERNATIVES {
        return unsayable(span, "so many alternatives");
    }
    let both = |x: &Vec<Atom<'e>>, y: &Vec<Atom<'e>>| x.iter().chain(y).copied().collect();
    Ok(a.iter().flat_map(|x| b.iter().map(move |y| both(x, y))).collect())
}

fn sum<'e>(mut a: Alternatives<'e>, b: Alternatives<'e>, span: Span) -> Said<Alternatives<'e>> {
    a.extend(b);
    if a.len() > ALTERNATIVES { unsayable(span, "so many alternatives") } else { Ok(a) }
}
