//! Forms evaluated in a model of the solver: which locations addresses are, what they hold, and how
//! many others there are. Splits and extensions are tried one by one, as far as they differ.

use std::collections::{BTreeSet, HashMap};

use smt::{FastMap, Term};

use crate::form::{Content, Form, FormId, Forms};
use crate::heap::Filling;
use crate::translate::{Instance, Share};

/// The number of a location that some address is.
type Class = usize;

/// Heaps with more allocated addresses are not split in all ways.
const MAX_SPLIT: usize = 16;
/// A heap is not extended in more ways.
const MAX_EXTENSIONS: usize = 100_000;
/// After this many steps the answer is not known.
const MAX_STEPS: u64 = 3_000_000;

/// It would take too long to find out.
#[derive(Debug)]
pub(crate) struct TooHard;

type Result<T> = std::result::Result<T, TooHard>;

/// A heap.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Concrete {
    /// By location.
    pub(crate) cells: Vec<Option<Filling>>,
    /// By the cells of the signature.
    pub(crate) others: Vec<u32>,
}

/// What the solver thinks of the stack.
pub(crate) struct Values {
    /// The location of every address, as text; `None` for `nil`.
    pub(crate) addresses: Vec<Option<String>>,
    /// Every content as texts.
    pub(crate) contents: Vec<Vec<String>>,
    /// The truth of pure formulas.
    pub(crate) pure: FastMap<Term, bool>,
}

/// A stack, and what is known of forms there.
pub(crate) struct World<'f> {
    forms: &'f Forms,
    /// The location of every address.
    classes: Vec<Option<Class>>,
    /// An address of every location.
    representatives: Vec<usize>,
    /// Of contents that are equal, one.
    contents: Vec<Content>,
    values: Values,
    memo: HashMap<(FormId, Concrete), bool>,
    steps: u64,
}

impl<'f> World<'f> {
    pub(crate) fn new(forms: &'f Forms, values: Values) -> World<'f> {
        let mut classes = Vec::with_capacity(values.addresses.len());
        let mut representatives: Vec<usize> = Vec::new();
        for (index, text) in values.addresses.iter().enumerate() {
            let cell = |i: usize| forms.addresses.get(i).map(|place| place.cell);
            let same =
                |i: &usize| cell(*i) == cell(index) && values.addresses.get(*i) == Some(text);
            classes.push(text.as_ref().map(|_| {
                representatives.iter().position(same).unwrap_or_else(|| {
                    representatives.push(index);
                    representatives.len() - 1
                })
            }));
        }
        let mut world = World {
            forms,
            classes,
            representatives,
            contents: Vec::new(),
            values,
            memo: HashMap::new(),
            steps: 0,
        };
        world.contents = (0..forms.contents.len())
            .map(|index| match (forms.contents.get(index), world.values.contents.get(index)) {
                (Some(held), Some(texts)) => match world.filling(held.cell, texts) {
                    Filling::Content(first) => first,
                    Filling::Else => index,
                },
                _ => index,
            })
            .collect();
        world
    }

    /// Which content some texts are.
    fn filling(&self, cell: usize, texts: &[String]) -> Filling {
        let mut all = self.forms.contents.iter().zip(&self.values.contents);
        match all.position(|(held, value)| held.cell == cell && value == texts) {
            Some(first) => Filling::Content(first),
            None => Filling::Else,
        }
    }

    /// The heap where these addresses are allocated and hold these texts.
    pub(crate) fn heap(&self, cells: &[(bool, Vec<String>)], others: Vec<u32>) -> Concrete {
        let cells = self
            .representatives
            .iter()
            .map(|index| {
                let (allocated, texts) = cells.get(*index)?;
                let cell = self.forms.addresses.get(*index)?.cell;
                allocated.then(|| self.filling(cell, texts))
            })
            .collect();
        Concrete { cells, others }
    }

    /// Does the form hold of the heap?
    pub(crate) fn holds(&mut self, form: FormId, heap: &Concrete) -> Result<bool> {
        let forms = self.forms;
        match forms.form(form) {
            Form::Const(value) => return Ok(*value),
            Form::Pure(term) => return self.values.pure.get(term).copied().ok_or(TooHard),
            Form::Emp => return Ok(heap.is_empty()),
            Form::PointsTo(address, content) => {
                let Some(class) = self.class(*address) else { return Ok(false) };
                return Ok(self.lies_at(heap, class, *content) && heap.len() == 1);
            }
            Form::Not(part) => return Ok(!self.holds(*part, heap)?),
            _ => {}
        }
        // More others cannot be told apart.
        let size = forms.facts(form).size;
        let mut heap = heap.clone();
        heap.others.iter_mut().for_each(|k| *k = (*k).min(size));
        let key = (form, heap);
        if let Some(known) = self.memo.get(&key) {
            return Ok(*known);
        }
        self.step()?;
        let heap = &key.1;
        let value = match forms.form(form) {
            Form::And(parts) => {
                let mut all = true;
                for part in parts {
                    all = all && self.holds(*part, heap)?;
                }
                all
            }
            Form::Or(parts) => {
                let mut any = false;
                for part in parts {
                    any = any || self.holds(*part, heap)?;
                }
                any
            }
            Form::Sep(a, b) => self.good_split(*a, *b, heap)?.is_some(),
            Form::Wand(a, b) => self.bad_extension(*a, *b, heap)?.is_none(),
            _ => return Err(TooHard),
        };
        self.memo.insert(key, value);
        Ok(value)
    }

    /// Why a `*` holds that should not, or a `-*` does not that should.
    pub(crate) fn violation(&mut self, form: FormId, heap: &Concrete) -> Result<Option<Instance>> {
        let forms = self.forms;
        let mut heap = heap.clone();
        heap.others.iter_mut().for_each(|k| *k = (*k).min(forms.facts(form).size));
        match forms.form(form) {
            Form::Sep(a, b) => {
                let Some((first, second)) = self.good_split(*a, *b, &heap)? else {
                    return Ok(None);
                };
                let (size, rest) = (forms.facts(*a).size, forms.facts(*b).size);
                let shares = first.others.iter().zip(&second.others).map(|(k1, k2)| {
                    if *k1 < size {
                        Share::First(*k1)
                    } else if *k2 < rest {
                        Share::Second(*k2)
                    } else {
                        Share::First(size)
                    }
                });
                let members = self.cells_of(&first).map(|(address, _)| address).collect();
                Ok(Some(Instance::Split(members, shares.collect())))
            }
            Form::Wand(a, b) => Ok(self
                .bad_extension(*a, *b, &heap)?
                .map(|added| Instance::Extension(self.cells_of(&added).collect(), added.others))),
            _ => Ok(None),
        }
    }

    fn cells_of(&self, heap: &Concrete) -> impl Iterator<Item = (usize, Filling)> {
        let cells = heap.cells.iter().zip(&self.representatives);
        cells.filter_map(|(filling, address)| Some((*address, (*filling)?)))
    }

    fn step(&mut self) -> Result<()> {
        self.steps += 1;
        if self.steps > MAX_STEPS { Err(TooHard) } else { Ok(()) }
    }

    fn class(&self, address: usize) -> Option<Class> {
        self.classes.get(address).copied().flatten()
    }

    fn held(&self, content: Content) -> Filling {
        Filling::Content(self.contents.get(content).copied().unwrap_or(content))
    }

    fn lies_at(&self, heap: &Concrete, class: Class, content: Content) -> bool {
        heap.cells.get(class).copied().flatten() == Some(self.held(content))
    }

    fn nothing(&self, heap: &Concrete) -> Concrete {
        Concrete { cells: vec![None; heap.cells.len()], others: vec![0; heap.others.len()] }
    }

    /// Two parts of the heap, one as `a` says and one as `b` says.
    fn good_split(
        &mut self,
        a: FormId,
        b: FormId,
        heap: &Concrete,
    ) -> Result<Option<(Concrete, Concrete)>> {
        let narrow = |form| self.forms.facts(form).narrow;
        // Whichever part can be listed.
        let (list, other, swapped) =
            if !narrow(a) && narrow(b) { (b, a, true) } else { (a, b, false) };
        for part in self.parts(list, heap)? {
            let rest = heap.without(&part);
            if self.holds(other, &rest)? {
                return Ok(Some(if swapped { (rest, part) } else { (part, rest) }));
            }
        }
        Ok(None)
    }

    /// All parts of a heap that are as a form says.
    fn parts(&mut self, form: FormId, heap: &Concrete) -> Result<Vec<Concrete>> {
        self.step()?;
        if self.forms.facts(form).narrow {
            return self.list(form, Some(heap));
        }
        let mut good = Vec::new();
        for part in all_parts(heap)? {
            self.step()?;
            if self.holds(form, &part)? {
                good.push(part);
            }
        }
        Ok(good)
    }

    /// All heaps of which a narrow form holds; if `within` is given, only parts of it.
    fn list(&mut self, form: FormId, within: Option<&Concrete>) -> Result<Vec<Concrete>> {
        self.step()?;
        let forms = self.forms;
        let nothing = Concrete {
            cells: vec![None; self.representatives.len()],
            others: vec![0; forms.something_else.len()],
        };
        Ok(match forms.form(form) {
            Form::Emp => vec![nothing],
            Form::PointsTo(address, content) => {
                let Some(class) = self.class(*address) else { return Ok(Vec::new()) };
                if within.is_some_and(|heap| !self.lies_at(heap, class, *content)) {
                    return Ok(Vec::new());
                }
                let mut single = nothing;
                if let Some(slot) = single.cells.get_mut(class) {
                    *slot = Some(self.held(*content));
                }
                vec![single]
            }
            Form::And(parts) => {
                for part in parts {
                    // Cheap ones first: they say that there is nothing to list.
                    if matches!(forms.form(*part), Form::Pure(_)) && !self.holds(*part, &nothing)? {
                        return Ok(Vec::new());
                    }
                }
                let Some(narrow) = parts.iter().find(|part| forms.facts(**part).narrow) else {
                    return Err(TooHard);
                };
                let mut good = Vec::new();
                'next: for heap in self.list(*narrow, within)? {
                    for part in parts.iter().filter(|part| *part != narrow) {
                        if !self.holds(*part, &heap)? {
                            continue 'next;
                        }
                    }
                    good.push(heap);
                }
                good
            }
            Form::Or(parts) => {
                let mut all: Vec<Concrete> = Vec::new();
                for part in parts {
                    for heap in self.list(*part, within)? {
                        if !all.contains(&heap) {
                            all.push(heap);
                        }
                    }
                }
                all
            }
            Form::Sep(a, b) => {
                let mut all: Vec<Concrete> = Vec::new();
                let firsts = self.list(*a, within)?;
                let seconds = if firsts.is_empty() { Vec::new() } else { self.list(*b, within)? };
                for first in &firsts {
                    for second in &seconds {
                        self.step()?;
                        if let Some(both) = first.with(second)
                            && !all.contains(&both)
                        {
                            all.push(both);
                        }
                    }
                }
                all
            }
            // The others are not narrow, except for `false`.
            _ => Vec::new(),
        })
    }

    /// A heap as `a` says that can be added, so that together they are not as `b` says.
    fn bad_extension(&mut self, a: FormId, b: FormId, heap: &Concrete) -> Result<Option<Concrete>> {
        let listed = self.forms.facts(a).narrow;
        let candidates =
            if listed { self.list(a, None)? } else { self.all_extensions(a, b, heap)? };
        for added in candidates {
            self.step()?;
            let Some(union) = heap.with(&added) else { continue };
            if (listed || self.holds(a, &added)?) && !self.holds(b, &union)? {
                return Ok(Some(added));
            }
        }
        Ok(None)
    }

    /// Every heap that could be added, as far as `a` and `b` can tell them apart.
    fn all_extensions(&mut self, a: FormId, b: FormId, heap: &Concrete) -> Result<Vec<Concrete>> {
        let forms = self.forms;
        let (mut addresses, mut contents) = forms.mentioned(a);
        let more = forms.mentioned(b);
        addresses.extend(more.0);
        contents.extend(more.1);
        let classes: BTreeSet<Class> = addresses.iter().filter_map(|p| self.class(*p)).collect();
        let mut all = vec![self.nothing(heap)];
        let add = |all: &mut Vec<Concrete>, change: &dyn Fn(&mut Concrete)| {
            let changed: Vec<Concrete> = all
                .iter()
                .map(|heap| {
                    let mut heap = heap.clone();
                    change(&mut heap);
                    heap
                })
                .collect();
            changed
        };
        for class in classes {
            if heap.cells.get(class).copied().flatten().is_some() {
                continue;
            }
            let Some(cell) = self.representatives.get(class).and_then(|p| forms.addresses.get(*p))
            else {
                continue;
            };
            let infinite = matches!(forms.something_else.get(cell.cell), Some(Some(_)));
            let mut fillings: BTreeSet<Content> = BTreeSet::new();
            for (index, held) in forms.contents.iter().enumerate() {
                if held.cell == cell.cell && (!infinite || contents.contains(&index)) {
                    fillings.extend(self.contents.get(index));
                }
            }
            let fillings = fillings.into_iter().map(Filling::Content);
            let fillings = fillings.chain(infinite.then_some(Filling::Else));
            let mut larger = all.clone();
            for filling in fillings {
                larger.extend(add(&mut all, &|heap| {
                    if let Some(slot) = heap.cells.get_mut(class) {
                        *slot = Some(filling);
                    }
                }));
                if larger.len() > MAX_EXTENSIONS {
                    return Err(TooHard);
                }
            }
            all = larger;
        }
        let most = forms.facts(a).size.max(forms.facts(b).size);
        for sort in 0..heap.others.len() {
            let mut larger = Vec::new();
            for number in 0..=most {
                larger.extend(add(&mut all, &|heap| {
                    if let Some(slot) = heap.others.get_mut(sort) {
                        *slot = number;
                    }
                }));
                if larger.len() > MAX_EXTENSIONS {
                    return Err(TooHard);
                }
            }
            all = larger;
        }
        Ok(all)
    }
}

impl Concrete {
    fn len(&self) -> u64 {
        let cells = self.cells.iter().flatten().count() as u64;
        cells + self.others.iter().map(|k| u64::from(*k)).sum::<u64>()
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is left of it without a part.
    fn without(&self, part: &Concrete) -> Concrete {
        let cells = self.cells.iter().zip(&part.cells);
        let others = self.others.iter().zip(&part.others);
        Concrete {
            cells: cells.map(|(all, taken)| if taken.is_some() { None } else { *all }).collect(),
            others: others.map(|(all, taken)| all.saturating_sub(*taken)).collect(),
        }
    }

    /// Both together, if they have nothing in common.
    fn with(&self, other: &Concrete) -> Option<Concrete> {
        let mut cells = Vec::with_capacity(self.cells.len());
        for (a, b) in self.cells.iter().zip(&other.cells) {
            if a.is_some() && b.is_some() {
                return None;
            }
            cells.push(a.or(*b));
        }
        let others = self.others.iter().zip(&other.others);
        let others = others.map(|(a, b)| a.saturating_add(*b)).collect();
        Some(Concrete { cells, others })
    }
}

/// All parts of a heap, small ones first.
fn all_parts(heap: &Concrete) -> Result<Vec<Concrete>> {
    if heap.cells.iter().flatten().count() > MAX_SPLIT {
        return Err(TooHard);
    }
    let others = vec![0; heap.others.len()];
    let mut all = vec![Concrete { cells: vec![None; heap.cells.len()], others }];
    for (class, filling) in heap.cells.iter().enumerate() {
        if filling.is_none() {
            continue;
        }
        for index in 0..all.len() {
            let Some(mut larger) = all.get(index).cloned() else { continue };
            if let Some(slot) = larger.cells.get_mut(class) {
                *slot = *filling;
            }
            all.push(larger);
        }
    }
    for (sort, k) in heap.others.iter().enumerate() {
        let mut larger = Vec::with_capacity(all.len());
        for number in 0..=*k {
            for part in &all {
                let mut part = part.clone();
                if let Some(slot) = part.others.get_mut(sort) {
                    *slot = number;
                }
                larger.push(part);
            }
        }
        all = larger;
    }
    Ok(all)
}
