//! Values that nobody determines: inputs, and what is not initialised.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::types::IntType;

/// Where nondeterministic values come from: first from a list, then from a seed.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    given: VecDeque<i128>,
    /// Without one, what is not given is zero.
    seed: Option<u64>,
    /// Drawn in so many of 16 cases, if there are some.
    preferred: (Arc<[i128]>, u8),
    drawn: Vec<Drawn>,
}

/// A value that was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// The value.
    pub value: i128,
    /// Does the program ask for it, or was something not initialised?
    pub asked: bool,
}

impl Inputs {
    /// Random ones.
    #[must_use]
    pub fn seeded(seed: u64) -> Inputs {
        // Neighbouring seeds should not look alike.
        let seed = Some(mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15)) | 1);
        Inputs { seed, ..Inputs::default() }
    }

    /// These, then zeros.
    #[must_use]
    pub fn given(values: impl IntoIterator<Item = i128>) -> Inputs {
        Inputs { given: values.into_iter().collect(), ..Inputs::default() }
    }

    /// In so many of 16 cases one of these is drawn.
    #[must_use]
    pub fn preferring(mut self, values: Arc<[i128]>, of_16: u8) -> Inputs {
        self.preferred = (values, of_16);
        self
    }

    /// These first.
    #[must_use]
    pub fn after(mut self, values: impl IntoIterator<Item = i128>) -> Inputs {
        self.given = values.into_iter().collect();
        self
    }

    /// What was drawn so far. Given again it leads to the same run.
    #[must_use]
    pub fn drawn(&self) -> &[Drawn] {
        &self.drawn
    }

    /// A value of a type.
    pub fn draw(&mut self, ty: IntType, asked: bool) -> i128 {
        let value = match self.given.pop_front() {
            Some(value) => ty.wrap(value),
            None => self.random(ty),
        };
        self.drawn.push(Drawn { value, asked });
        value
    }

    /// One of so many ways.
    pub fn choose(&mut self, count: usize) -> usize {
        let value = match self.given.pop_front() {
            Some(value) => value.rem_euclid(count.max(1) as i128) as usize,
            None => (self.next() % count.max(1) as u64) as usize,
        };
        self.drawn.push(Drawn { value: value as i128, asked: true });
        value
    }

    /// Small numbers are what programs make decisions on; now and then a large one.
    fn random(&mut self, ty: IntType) -> i128 {
        if self.seed.is_none() {
            return 0;
        }
        let (preferred, of_16) = self.preferred.clone();
        if !preferred.is_empty() {
            let bits = self.next();
            let one = preferred.get((bits >> 8) as usize % preferred.len());
            if let Some(value) = one.filter(|_| bits % 16 < of_16.into()) {
                return ty.wrap(*value);
            }
        }
        let bits = self.next();
        let value = match bits % 16 {
            0..=5 => i128::from((bits >> 8) % 2),
            6..=9 => i128::from((bits >> 8) % 8),
            10..=12 => i128::from((bits >> 8) % 41) - 20,
            13 => i128::from((bits >> 8) % 2001) - 1000,
            14 => i128::from(self.next() as i64),
            _ => {
                // Beyond all machine integers, and such that sums of some have a value.
                let (least, largest) = ty.bounds().unwrap_or((-1 << 70, 1 << 70));
                [least, largest, -1][(bits >> 8) as usize % 3]
            }
        };
        ty.wrap(value)
    }

    /// Marsaglia's xorshift with a multiplication at the end.
    fn next(&mut self) -> u64 {
        let Some(state) = &mut self.seed else { return 0 };
        let mut x = *state;
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        *state = x;
        x.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
