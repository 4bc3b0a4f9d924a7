//! What Linux 6 has where a scenario does not say otherwise.

use acklab_packet::Time;

/// 65,160 bytes, in segments of 1448.
pub fn window() -> u32 {
    45
}

/// 131,072 bytes, of which such a segment takes 2304.
pub fn buffer() -> u32 {
    57
}

pub fn autotune() -> bool {
    true
}

pub fn least() -> Time {
    Time::from_secs(0.04)
}

/// HZ = 250.
pub fn tick() -> Time {
    Time::from_secs(0.004)
}

pub fn sack_delay() -> Time {
    Time::from_secs(0.001)
}

pub fn sack_most() -> u32 {
    44
}
