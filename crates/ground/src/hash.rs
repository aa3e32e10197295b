//! Hashing for keys that are short rows of numbers.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

pub(crate) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;
pub(crate) type FastSet<K> = HashSet<K, BuildHasherDefault<FastHasher>>;

/// Mixes words by multiplication.
#[derive(Clone, Copy, Default)]
pub(crate) struct FastHasher(u64);

/// Odd, with bits all over.
const FACTOR: u64 = 0xa24b_aed4_963e_e407;

impl FastHasher {
    fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(25) ^ word).wrapping_mul(FACTOR);
    }
}

impl Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }

    fn write_u32(&mut self, n: u32) {
        self.word(n.into());
    }

    fn write_usize(&mut self, n: usize) {
        self.word(n as u64);
    }

    fn finish(&self) -> u64 {
        // Products have their best bits on top; tables look at the lowest ones.
        self.0 ^ (self.0 >> 32)
    }
}
