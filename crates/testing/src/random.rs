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

    /// The numbers of one of many seeds that are close to each other, as when things are counted.
    #[must_use]
    pub fn numbered(number: u64) -> Random {
        let mut random = Random::new(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            random.number();
        }
        random
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
