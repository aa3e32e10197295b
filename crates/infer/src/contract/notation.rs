//! What formulas about a program can mention: its records as sorts of locations, lists along their links, variables.

use std::fmt::Write as _;

use heap::{ProcId, Program, RecordId, Scalar, Target, Type};

/// A field of a record that holds one value.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Its name; those of nested records are joined by `_`.
    pub(crate) name: String,
    pub(crate) offset: u64,
    pub(crate) ty: Scalar,
}

/// What locations of a sort are.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The sort.
    pub(crate) sort: String,
    pub(crate) record: Option<RecordId>,
    pub(crate) size: u64,
    pub(crate) places: Vec<Place>,
}

/// Sorts of locations, one for each record and each type of integers that a pointer leads to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notation {
    pub(crate) layouts: Vec<Layout>,
}

impl Notation {
    pub(crate) fn new(program: &Program) -> Notation {
        let mut layouts: Vec<Layout> = Vec::new();
        for (i, record) in program.records.iter().enumerate() {
            let mut sort = plain(&record.name);
            while layouts.iter().any(|l| l.sort == sort) {
                sort.push('\'');
            }
            let id = RecordId(i as u32);
            let mut places = Vec::new();
            collect(program, &Type::Record(id), 0, "", &mut places);
            layouts.push(Layout { sort, record: Some(id), size: record.size, places });
        }
        for bits in [8, 16, 32, 64] {
            for ty in [heap::IntType::signed(bits), heap::IntType::unsigned(bits)] {
                let places = vec![Place { name: "value".into(), offset: 0, ty: Scalar::Int(ty) }];
                let sort = format!("{ty} cell");
                layouts.push(Layout { sort, record: None, size: ty.bytes(), places });
            }
        }
        for ty in [heap::IntType::UNBOUNDED, heap::IntType::unsigned(1)] {
            let places = vec![Place { name: "value".into(), offset: 0, ty: Scalar::Int(ty) }];
            let sort = format!("{ty} cell");
            layouts.push(Layout { sort, record: None, size: ty.bytes(), places });
        }
        Notation { layouts }
    }

    /// The layout of a sort.
    pub(crate) fn layout(&self, sort: &str) -> Option<&Layout> {
        self.layouts.iter().find(|layout| layout.sort == sort)
    }

    /// The sort of what a variable or a field holds.
    fn sort(&self, ty: Scalar) -> String {
        match ty {
            Scalar::Int(_) | Scalar::Float(_) => "Int".into(),
            Scalar::Ptr(Target::Record(id)) => {
                let own = self.layouts.iter().find(|l| l.record == Some(id));
                own.map_or_else(|| "any cell".into(), |l| l.sort.clone())
            }
            Scalar::Ptr(Target::Int(ty)) => format!("{ty} cell"),
            Scalar::Ptr(Target::Unknown | Target::Ptr | Target::Proc) => "any cell".into(),
        }
    }

    /// Sorts, records and lists as declarations. `ls` and `lseg` are the lists of the record at this place among
    /// those that have links to their own kind.
    pub(crate) fn declarations(&self, taken: &[String], list: usize) -> String {
        let mut text = String::from("sort `any cell`;\n");
        for layout in &self.layouts {
            let _ = writeln!(text, "sort `{}`;", layout.sort);
        }
        for layout in self.layouts.iter().filter(|layout| !layout.places.is_empty()) {
            let sort = |ty| match self.sort(ty) {
                sort if sort == "Int" => sort,
                sort => format!("`{sort}`"),
            };
            let field = |p: &Place| format!("`{}`: {}", p.name, sort(p.ty));
            let fields: Vec<String> = layout.places.iter().map(field).collect();
            let name = &layout.sort;
            let _ = writeln!(text, "record `{name} record` {{ {} }};", fields.join(", "));
            let _ = writeln!(text, "heap `{name}` -> `{name} record`;");
        }
        let mut define = |name: &str, layout: &Layout, link: &str| {
            if taken.iter().any(|known| known == name) {
                return;
            }
            let sort = &layout.sort;
            let _ = writeln!(
                text,
                "pred `{name}`(x: `{sort}`, y: `{sort}`) := x = y || exists u: `{sort}`. \
                 x != y * x |-> {{`{link}`: u}} * `{name}`(u, y);"
            );
        };
        for (i, (layout, link)) in self.lists().into_iter().enumerate() {
            define(&format!("{}_ls", layout.sort), layout, link);
            if i == list {
                define("ls", layout, link);
                define("lseg", layout, link);
            }
        }
        text
    }

    /// Records with a link to their own kind, and the first such link.
    pub(crate) fn lists(&self) -> Vec<(&Layout, &str)> {
        let link = |layout: &Layout, place: &Place| matches!(place.ty, Scalar::Ptr(Target::Record(to)) if Some(to) == layout.record);
        let all = self.layouts.iter().filter_map(|layout| {
            let place = layout.places.iter().find(|place| link(layout, place))?;
            Some((layout, place.name.as_str()))
        });
        all.collect()
    }

    /// A variable as a declaration.
    pub(crate) fn variable(&self, name: &str, ty: Scalar) -> String {
        match self.sort(ty) {
            sort if sort == "Int" => format!("var `{name}`: Int;\n"),
            sort => format!("var `{name}`: `{sort}`;\n"),
        }
    }
}

/// Variables that formulas about a procedure can mention, with their types: parameters and global scalars.
pub(crate) fn variables(program: &Program, proc: ProcId) -> Vec<(String, Scalar)> {
    let decl = program.proc(proc);
    let params = decl.vars.iter().take(decl.params as usize);
    let mut all: Vec<(String, Scalar)> = params.map(|v| (v.name.clone(), v.ty)).collect();
    for global in program.globals.iter().filter(|g| !g.constant) {
        if let Type::Scalar(ty) = global.ty
            && all.iter().all(|(name, _)| *name != global.name)
        {
            all.push((global.name.clone(), ty));
        }
    }
    all.retain(|(name, _)| !name.contains('`'));
    all
}

fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect()
}

fn collect(program: &Program, ty: &Type, offset: u64, prefix: &str, places: &mut Vec<Place>) {
    // Records of records of records: nobody writes formulas about all of it.
    if places.len() > 256 {
        return;
    }
    match ty {
        Type::Scalar(ty) => {
            if places.iter().all(|p| p.name != prefix) {
                places.push(Place { name: prefix.to_owned(), offset, ty: *ty });
            }
        }
        Type::Array(element, count) => {
            let size = program.size_of(element);
            for i in 0..(*count).min(16) {
                collect(program, element, offset + i * size, &format!("{prefix}_{i}"), places);
            }
        }
        Type::Record(id) => {
            let Some(record) = program.records.get(id.0 as usize) else { return };
            for field in &record.fields {
                let name = match prefix.is_empty() {
                    true => plain(&field.name),
                    false => format!("{prefix}_{}", plain(&field.name)),
                };
                collect(program, &field.ty, offset + field.offset, &name, places);
            }
        }
    }
}
