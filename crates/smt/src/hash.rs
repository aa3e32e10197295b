//! Hashing for small keys that nobody chooses to do harm.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map with keys that are quickly hashed, such as terms.
pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;

/// A set of such keys.
pub type FastSet<K> = HashSet<K, BuildHasherDefault<FastHasher>>;

/// Mixes words by multiplication.
#[derive(Clone, Copy, Default)]
pub struct FastHasher(u64);

/// Odd, with bits all over.
const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;

impl FastHasher {
    fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(FACTOR);
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

    fn write_u8(&mut self, n: u8) {
        self.word(n.into());
    }

    fn write_u32(&mut self, n: u32) {
        self.word(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        self.word(n);
    }

    fn write_usize(&mut self, n: usize) {
        self.word(n as u64);
    }

    fn finish(&self) -> u64 {
        // Products have their best bits on top; tables look at the lowest ones.
        self.0 ^ (self.0 >> 32)
    }
}

/// Which things in a list have some hash: a hash table that leaves them where they are.
#[derive(Default)]
pub(crate) struct Index {
    /// The upper half of each is the lower half of a hash, the lower half a position from 1; 0 is
    /// empty. There is always an empty one, and the number of slots is a power of two.
    slots: Vec<u64>,
    used: usize,
}

impl Index {
    /// The position at which this hash was added and which is the one that is meant.
    pub fn find(&self, hash: u64, meant: impl Fn(u32) -> bool) -> Option<u32> {
        let hash = hash as u32;
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        while self.slots[at] != 0 {
            let (other, position) = ((self.slots[at] >> 32) as u32, self.slots[at] as u32 - 1);
            if other == hash && meant(position) {
                return Some(position);
            }
            at = (at + 1) & mask;
        }
        None
    }

    /// Adds a position that is not there yet.
    pub fn add(&mut self, hash: u64, position: u32) {
        if self.used >= self.slots.len() / 2 {
            let slots = vec![0; (self.slots.len() * 2).max(64)];
            let old = std::mem::replace(&mut self.slots, slots);
            old.into_iter().filter(|slot| *slot != 0).for_each(|slot| self.put(slot));
        }
        self.used += 1;
        self.put((hash << 32) | (u64::from(position) + 1));
    }

    fn put(&mut self, slot: u64) {
        let mask = self.slots.len() - 1;
        let mut at = (slot >> 32) as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_finds_what_was_added() {
        let mut index = Index::default();
        // Few hashes, so that many are equal.
        let hash = |n: u32| u64::from(n % 7) << 3;
        for n in 0..1000 {
            assert_eq!(index.find(hash(n), |p| p == n), None);
            index.add(hash(n), n);
        }
        for n in 0..1000 {
            assert_eq!(index.find(hash(n), |p| p == n), Some(n));
        }
        assert_eq!(index.find(hash(1), |_| false), None);
    }
}
