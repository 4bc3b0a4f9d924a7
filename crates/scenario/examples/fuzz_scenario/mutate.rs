//! Random numbers, and random changes of a text.

/// SplitMix64: short, and good enough to choose with.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to `n` - 1; 0 for an `n` of 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// True once in `n`.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// Pieces that parsers stumble over.
const PIECES: &[&str] = &[
    "0",
    "-1",
    "-0",
    "1e308",
    "1e-400",
    "4294967296",
    "18446744073709551615",
    "99999999999999999999",
    "nan",
    "inf",
    "0x7fffffffffffffff",
    "null",
    "true",
    "\"\"",
    "\"0s\"",
    "\"1e12s\"",
    "\"-1ms\"",
    "\"5e-324Gbps\"",
    "\"9e6GB\"",
    "\"1min\"",
    "{}",
    "[]",
    "{",
    "}",
    "[[",
    "]]",
    "[[flow]]\n",
    "[[link]]\n",
    "[stack.x]\nbase = \"x\"\n",
    "\u{feff}",
    "\0",
    "é",
    "\u{10ffff}",
    "\\u0000",
    "\\ud800",
    "1979-05-27T07:32:00Z",
    "'''",
    "\"\"\"",
    "#",
    "=",
    ".",
    ",",
    ":",
    "base",
    "stack",
    "back",
    "loss",
    "queue",
    "count = 10000000\n",
    "\"unlimited\"",
    "1_0",
    "+1",
    "01",
    "1.",
    "e1",
];

/// A changed copy of `text`; parts of `other` may be spliced in.
pub fn mutate(text: &str, other: &str, rng: &mut Rng) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=rng.below(4) / 2 {
        let at = rng.below(bytes.len() + 1);
        match rng.below(9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(at..(at + rng.below(20)).min(bytes.len()))),
            3 => insert(&mut bytes, at, rng.pick(PIECES).as_bytes()),
            4 => {
                let (from, to) = span(other.as_bytes(), rng);
                insert(&mut bytes, at, &other.as_bytes()[from..to]);
            }
            5 => {
                let (from, to) = span(&bytes, rng);
                let again = bytes[from..to].to_vec();
                insert(&mut bytes, at, &again);
            }
            _ => swap_token(&mut bytes, other, rng),
        }
    }
    bytes
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}

fn span(bytes: &[u8], rng: &mut Rng) -> (usize, usize) {
    let from = rng.below(bytes.len() + 1);
    (from, (from + rng.below(200)).min(bytes.len()))
}

/// Puts a piece, or a token from elsewhere, in place of one token.
fn swap_token(bytes: &mut Vec<u8>, other: &str, rng: &mut Rng) {
    let Some((from, to)) = token(bytes, rng) else { return };
    let piece = match token(other.as_bytes(), rng) {
        Some((from, to)) if rng.once_in(2) => other.as_bytes()[from..to].to_vec(),
        _ => rng.pick(PIECES).as_bytes().to_vec(),
    };
    bytes.splice(from..to, piece);
}

/// A word, number or quoted text.
fn token(bytes: &[u8], rng: &mut Rng) -> Option<(usize, usize)> {
    let word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'"');
    let start = rng.below(bytes.len());
    let from = start + bytes[start..].iter().position(|&b| word(b))?;
    let to = from + bytes[from..].iter().position(|&b| !word(b)).unwrap_or(bytes.len() - from);
    Some((from, to))
}
