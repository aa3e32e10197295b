//! Choices, and going back on them.
//!
//! Code that chooses is written as if it knew the right choice: `choose(n)`. A search runs it again and again,
//! each time with the last choice changed that can be, until it succeeds or there are none left. What is
//! chosen late is so changed first, as in Korat [Boyapati, Khurshid, Marinov 2002]: values that an assertion
//! never looks at are never chosen.

/// A generator of numbers that look random (xorshift*).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        // No state may be zero; seeds that are close must not give numbers that are.
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..4 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Below `n`, or 0.
    pub fn below(&mut self, n: usize) -> usize {
        match n {
            0 | 1 => 0,
            n => (self.next() >> 33) as usize % n,
        }
    }
}

/// One choice of a search.
#[derive(Clone, Copy, Debug)]
struct Choice {
    taken: usize,
    options: usize,
    /// The option that comes first.
    first: usize,
}

/// The choices of a search, in the order in which they were made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choices {
    made: Vec<Choice>,
    position: usize,
}

impl Choices {
    /// One of `options`: what was chosen here before, or the first that a random number says.
    pub fn choose(&mut self, options: usize, random: &mut Random) -> usize {
        if self.position == self.made.len() {
            self.made.push(Choice { taken: 0, options, first: random.below(options) });
        }
        let choice = self.made.get(self.position).copied();
        self.position += 1;
        choice.map_or(0, |c| (c.first + c.taken) % c.options.max(1))
    }

    /// Goes back to the start with the last choice changed; false if all were tried.
    pub fn advance(&mut self) -> bool {
        self.made.truncate(self.position);
        self.position = 0;
        while let Some(last) = self.made.last_mut() {
            last.taken += 1;
            if last.taken < last.options {
                return true;
            }
            self.made.pop();
        }
        false
    }
}
