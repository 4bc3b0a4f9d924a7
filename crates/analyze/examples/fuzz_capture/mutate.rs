//! Random numbers, and random changes of bytes.

/// Xorshift: short, and good enough to choose with.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// From 0 to `n` - 1; 0 for an `n` of 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % n.max(1) as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// Words that readers stumble over.
const WORDS: [u32; 9] = [0, 1, 3, 12, 0x7fff_ffff, 0x8000_0000, u32::MAX - 3, u32::MAX, 1 << 26];

/// Changes `bytes` in up to eight places; `other` lends pieces.
pub fn mutate(bytes: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=rng.below(8) {
        let at = rng.below(bytes.len());
        match rng.below(8) {
            _ if bytes.is_empty() => break,
            0 | 1 => bytes[at] = rng.below(256) as u8,
            2 => bytes[at] ^= 1 << rng.below(8),
            3 => bytes.truncate(at.max(1)),
            4 => bytes.insert(at, rng.below(256) as u8),
            5 => drop(bytes.splice(at..(at + rng.below(16)).min(bytes.len()), [])),
            6 => {
                let from = rng.below(other.len());
                let piece = &other[from..(from + rng.below(200)).min(other.len())];
                drop(bytes.splice(at..(at + piece.len()).min(bytes.len()), piece.iter().copied()));
            }
            _ => {
                let word = rng.pick(&WORDS);
                let word = if rng.below(2) == 0 { word.to_le_bytes() } else { word.to_be_bytes() };
                bytes.iter_mut().skip(at & !3).zip(word).for_each(|(byte, new)| *byte = new);
            }
        }
    }
    bytes
}
