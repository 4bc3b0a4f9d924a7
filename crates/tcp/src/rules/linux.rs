//! What Linux 6 has where a scenario does not say otherwise.

use acklab_packet::Time;

use super::AckPolicyKind;

/// The policy `linux` as a scenario gets it that names no parameter.
pub fn policy() -> AckPolicyKind {
    AckPolicyKind::Linux {
        quick: quick(),
        window: window(),
        buffer: buffer(),
        autotune: autotune(),
        least: least(),
        timer: timer(),
        tick: tick(),
        sack_delay: sack_delay(),
        sack_most: sack_most(),
        low_water: low_water(),
    }
}

pub fn quick() -> u32 {
    16
}

/// Reads at once.
pub fn low_water() -> u32 {
    1
}

/// The longest that an ACK is held.
pub fn timer() -> Time {
    Time::from_secs(0.2)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_that_is_only_named_is_the_stacks() {
        let named: AckPolicyKind = serde_json::from_str(r#"{"policy": "linux"}"#).unwrap();
        assert_eq!(named, policy());
    }
}
