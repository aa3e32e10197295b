//! Random choices: values that nothing determines.

use std::collections::{BTreeMap, BTreeSet};

use viper::core::Type;

use crate::machine::Machine;
use crate::state::{Run, outside};
use crate::value::{Value, amount};

/// SplitMix64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random(u64);

impl Random {
    /// Equal seeds, equal numbers.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, 0 if there is none.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next_u64() % n as u64) as usize }
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of them.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }
}

/// A value that is not decided before somebody looks at it.
#[derive(Clone)]
pub(crate) struct Unknown {
    pub ty: Type,
    pub value: Option<Value>,
}

/// Objects that exist from the start, besides `null`.
pub(crate) const OBJECTS: u32 = 4;
/// Beyond these, there are so many that nobody mentions: `Ref` is infinite.
pub(crate) const UNMENTIONED: u32 = 2;

impl Machine<'_> {
    /// A value of this type that is decided later.
    pub fn unknown(&mut self, ty: &Type) -> Value {
        self.unknowns.push(Unknown { ty: ty.clone(), value: None });
        Value::Unknown((self.unknowns.len() - 1) as u32)
    }

    /// What is known of the value by now.
    pub fn resolve(&self, value: &Value) -> Value {
        match value {
            Value::Unknown(i) => match &self.unknowns[*i as usize].value {
                Some(known) => self.resolve(known),
                None => value.clone(),
            },
            _ => value.clone(),
        }
    }

    /// Decides on a value.
    pub fn force(&mut self, value: &Value) -> Run<Value> {
        let value = self.resolve(value);
        let Value::Unknown(i) = value else { return Ok(value) };
        let ty = self.unknowns[i as usize].ty.clone();
        let chosen = self.choose(&ty, 0)?;
        self.bind(i, chosen.clone());
        Ok(chosen)
    }

    /// `unknown` is this value, which is not undecided itself.
    pub fn bind(&mut self, unknown: u32, value: Value) {
        self.unknowns[unknown as usize].value = Some(value);
        self.decided.push(unknown);
    }

    /// Takes back all decisions since then.
    pub fn undecide(&mut self, (unknowns, decided): (usize, usize)) {
        for i in self.decided.drain(decided..) {
            self.unknowns[i as usize].value = None;
        }
        self.unknowns.truncate(unknowns);
    }

    fn choose(&mut self, ty: &Type, depth: usize) -> Run<Value> {
        let size = if depth > 2 { 0 } else { self.random.below(4) };
        Ok(match ty {
            Type::Int => Value::Int(self.choose_int()),
            Type::Bool => Value::Bool(self.random.one_in(2)),
            Type::Perm => {
                const AMOUNTS: [(i64, i64); 8] =
                    [(0, 1), (1, 4), (1, 3), (1, 2), (1, 2), (1, 1), (2, 1), (-1, 2)];
                let (n, d) = self.random.pick(&AMOUNTS).copied().unwrap_or((1, 2));
                Value::Perm(amount(n, d))
            }
            Type::Ref => {
                if self.random.one_in(3) {
                    Value::Ref(0)
                } else {
                    Value::Ref(1 + self.random.below(self.objects as usize) as u32)
                }
            }
            Type::Seq(t) => {
                let mut elements = Vec::new();
                for _ in 0..size {
                    elements.push(self.choose(t, depth + 1)?);
                }
                Value::Seq(elements)
            }
            Type::Set(t) => {
                let mut elements = BTreeSet::new();
                for _ in 0..size {
                    elements.insert(self.choose(t, depth + 1)?);
                }
                Value::Set(elements)
            }
            Type::Multiset(t) => {
                let mut elements = BTreeMap::new();
                for _ in 0..size {
                    *elements.entry(self.choose(t, depth + 1)?).or_insert(0) += 1;
                }
                Value::Multiset(elements)
            }
            Type::Map(kv) => {
                let mut entries = BTreeMap::new();
                for _ in 0..size {
                    entries.insert(self.choose(&kv.0, depth + 1)?, self.choose(&kv.1, depth + 1)?);
                }
                Value::Map(entries)
            }
            Type::Domain(id, args) => match &self.program.domain(*id).adt {
                None => Value::Opaque(*id, self.random.below(3) as u32),
                Some(adt) => {
                    if depth > 4 {
                        return outside("deep data");
                    }
                    let Some(constructor) = self.random.pick(&adt.constructors) else {
                        return outside("data type without constructors");
                    };
                    let function = self.program.domain_function(constructor.function);
                    let mut values = Vec::new();
                    for (_, ty) in &function.params {
                        values.push(self.choose(&ty.substitute(args), depth + 1)?);
                    }
                    Value::Data(constructor.function, values)
                }
            },
            Type::Param(_) => return outside("type parameter"),
        })
    }

    /// Small, or near a number that the program mentions.
    fn choose_int(&mut self) -> i64 {
        if self.random.one_in(4)
            && let Some(literal) = self.random.pick(&self.literals).copied()
        {
            return literal.saturating_add(self.random.below(3) as i64 - 1);
        }
        self.random.below(9) as i64 - 2
    }
}
