//! The Internet checksum (RFC 1071), computed and updated (RFC 1624).

/// The ones' complement sum of `bytes`, folded to 16 bits; an odd last byte counts as the high half of a word.
fn sum(bytes: &[u8], start: u32) -> u32 {
    let mut words = bytes.chunks_exact(2);
    let mut total = start;
    for word in &mut words {
        total += u32::from(u16::from_be_bytes([word[0], word[1]]));
        total = (total & 0xffff) + (total >> 16);
    }
    if let [last] = words.remainder() {
        total += u32::from(*last) << 8;
        total = (total & 0xffff) + (total >> 16);
    }
    total
}

/// The checksum of `bytes`, whose own checksum field must be zero; of bytes that hold a right one it is zero.
pub fn internet(bytes: &[u8]) -> u16 {
    !(sum(bytes, 0) as u16)
}

/// `checksum` after 16-bit words at even places changed from `old` to `new` (RFC 1624 equation 3).
pub fn updated(checksum: u16, old: &[u8], new: &[u8]) -> u16 {
    let complement: Vec<u8> = old.iter().map(|byte| !byte).collect();
    let total = sum(new, sum(&complement, u32::from(!checksum)));
    !(total as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_rfc_1071() {
        // Section 3: the words 0001 f203 f4f5 f6f7 sum to ddf2.
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(internet(&bytes), !0xddf2);
    }

    #[test]
    fn an_update_equals_a_new_computation() {
        let mut bytes: Vec<u8> = (0..60_u8).map(|k| k.wrapping_mul(37)).collect();
        for (k, place) in (0..58).step_by(2).enumerate() {
            let before = internet(&bytes);
            let old = [bytes[place], bytes[place + 1]];
            let new = [(k as u8).wrapping_mul(91), 0xff - k as u8];
            bytes[place..place + 2].copy_from_slice(&new);
            assert_eq!(updated(before, &old, &new), internet(&bytes));
        }
    }
}
