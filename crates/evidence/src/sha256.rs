//! SHA-256 (FIPS 180-4): witnesses name the programs that they are about by it.

/// The digest of a text, in hexadecimal digits.
#[must_use]
pub fn hex(text: &[u8]) -> String {
    digest(text).iter().map(|word| format!("{word:08x}")).collect()
}

/// The first so many prime numbers.
fn primes<const N: usize>() -> [u64; N] {
    let mut found = [0; N];
    let mut n = 2;
    for i in 0..N {
        while found.iter().take(i).any(|p| n % p == 0) {
            n += 1;
        }
        found[i] = n;
        n += 1;
    }
    found
}

/// 32 bits behind the point of a root: the largest `x` with `x^k <= p * 2^(32k)`, without what is before the point.
fn fraction(p: u64, k: u32) -> u32 {
    let limit = |x: u128| match k {
        2 => x * x <= u128::from(p) << 64,
        _ => x * x * x <= u128::from(p) << 96,
    };
    let mut root: u128 = 0;
    for bit in (0..38).rev() {
        if limit(root | 1 << bit) {
            root |= 1 << bit;
        }
    }
    root as u32
}

fn digest(text: &[u8]) -> [u32; 8] {
    let constants = primes::<64>().map(|p| fraction(p, 3));
    let mut state = primes::<8>().map(|p| fraction(p, 2));
    let mut padded = text.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64) - 8, 0);
    padded.extend((text.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        let mut w = [0u32; 64];
        for (word, bytes) in w.iter_mut().zip(block.chunks_exact(4)) {
            *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
        }
        for i in 16..64 {
            let (a, b) = (w[i - 15], w[i - 2]);
            let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
            let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
            w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for (k, w) in constants.iter().zip(w) {
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = e & f ^ !e & g;
            let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(*k).wrapping_add(w);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let majority = a & b ^ a & c ^ b & c;
            (h, g, f, e) = (g, f, e, d.wrapping_add(t1));
            (d, c, b, a) = (c, b, a, t1.wrapping_add(s0.wrapping_add(majority)));
        }
        for (word, more) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *word = word.wrapping_add(more);
        }
    }
    state
}

#[cfg(test)]
mod tests {
    use super::hex;

    // The examples of the standard.
    #[test]
    fn digests_that_are_known() {
        assert_eq!(hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let long = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(long), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    }
}
