//! Random numbers, and random changes of bytes and of packets.

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

/// Changes some packets of a pcap file of IPv4: their numbers, ports, flags, parts, times, order and number. None if it is no
/// such file.
pub fn mutate_packets(bytes: &[u8], rng: &mut Rng) -> Option<Vec<u8>> {
    if !matches!(bytes.first()?, 0xd4 | 0x4d)
        || bytes.get(1..4)? != [0xc3, 0xb2, 0xa1] && bytes.get(1..4)? != [0x3c, 0xb2, 0xa1]
    {
        return None;
    }
    let mut packets: Vec<Vec<u8>> = Vec::new();
    let mut rest = bytes.get(24..)?;
    while let Some(kept) = rest.get(8..12).and_then(|kept| kept.try_into().ok()).map(u32::from_le_bytes) {
        let Some((packet, after)) = rest.split_at_checked(16 + kept as usize) else { break };
        packets.push(packet.to_vec());
        rest = after;
    }
    for _ in 0..=rng.below(40) {
        if packets.is_empty() {
            break;
        }
        let (at, other) = (rng.below(packets.len()), rng.below(packets.len()));
        let packet = &mut packets[at];
        // Behind the record's header: IPv4's flags and offset, TCP's ports, numbers, flags, window.
        let (place, width) =
            *rng.pick(&[(0, 4), (4, 4), (22, 2), (36, 2), (38, 2), (40, 4), (44, 4), (49, 1), (50, 2)]);
        match rng.below(8) {
            0..5 => packet.iter_mut().skip(place).take(width).for_each(|byte| *byte = rng.below(256) as u8),
            5 => packets.swap(at, other),
            6 => drop(packets.remove(at)),
            _ => {
                let copies = vec![packets[at].clone(); 1 + rng.below(30)];
                drop(packets.splice(other..other, copies));
            }
        }
    }
    Some([&bytes[..24], &packets.concat()].concat())
}
