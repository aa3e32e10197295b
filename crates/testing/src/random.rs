//! Random numbers.

/// Numbers that look random (Marsaglia's xorshift), the same for the same seed on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        // Zero is followed by zero for ever.
        Random(if seed == 0 { 0x5eed } else { seed })
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The lowest bits are the least random ones.
        self.0 >> 11
    }

    /// A number from 0 to `n - 1`; 0 if there is none.
    pub fn below(&mut self, n: usize) -> usize {
        self.number() as usize % n.max(1)
    }

    /// One of these, unless there are none.
    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.below(all.len()))
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}
