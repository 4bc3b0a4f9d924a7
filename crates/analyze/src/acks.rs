//! What is counted of the ACKs of one direction, and what must be remembered of them.

use crate::holds::Holds;
use crate::numbers::Spread;
use crate::thresholds::IDENTIFICATION_STEP;

/// What an ACK was to the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AckKind {
    /// It acknowledges something for the first time.
    #[default]
    New,
    /// It repeats the last, without data, with the same window (RFC 5681 section 2, RFC 6675).
    Duplicate,
    /// It repeats the last, with another window.
    WindowUpdate,
    /// A keep-alive or window probe, or the answer to one.
    Probe,
    /// It repeats the last on data of its own.
    Repeated,
    /// It acknowledges less than an earlier one: it was overtaken.
    Old,
}

/// Names of [`AckKind`]s.
pub const ACK_KINDS: [&str; 6] = ["new", "duplicate", "window-update", "probe", "repeated", "old"];

/// An ACK as the table shows it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told {
    pub kind: AckKind,
    pub ack: u64,
    pub bytes: u64,
    pub segments: u64,
    pub delay: Option<f64>,
    pub rtt: Option<f64>,
    pub clean: bool,
    pub divided: bool,
    pub ahead: bool,
    pub sacks: u8,
    pub window: u64,
    pub flight: u64,
}

/// What is counted of them.
#[derive(Clone, Debug, Default)]
pub struct AckCounts {
    pub packets: u64,
    pub pure: u64,
    pub new: u64,
    pub duplicates: u64,
    pub unprompted: u64,
    pub window_updates: u64,
    pub probes: u64,
    pub old: u64,
    pub sacks: u64,
    pub dsacks: u64,
    pub ece: u64,
    pub ect: u64,
    pub zero_window: u64,
    pub divided: u64,
    pub compressed: u64,
    pub of_unseen: u64,
    pub ahead: u64,
    pub stamped_rtts: u64,
    pub later_echoes: u64,
    pub earlier_echoes: u64,
    pub acked_bytes: u64,
    pub acked_segments: u64,
    pub last_ns: Option<i64>,
}

/// Identifications in the IPv4 headers of the end that acknowledges, where they count its packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Identifications {
    last: Option<u16>,
    pub near: u64,
    pub far: u64,
    pub missing: u64,
}

impl Identifications {
    /// A packet that stands for `packets` passes.
    pub fn on_packet(&mut self, identification: u16) {
        let Some(last) = self.last.replace(identification) else { return };
        match identification.wrapping_sub(last) {
            1 => self.near += 1,
            step if (2..=IDENTIFICATION_STEP).contains(&step) => {
                self.near += 1;
                self.missing += u64::from(step) - 1;
            }
            _ => self.far += 1,
        }
    }
}

/// The ACKs' state.
#[derive(Clone, Debug, Default)]
pub struct Acks {
    pub counts: AckCounts,
    pub rtt: Spread,
    pub holds: Holds,
    pub ids: Identifications,
    pub scale: u8,
    pub window: Option<u64>,
    /// Data segments that passed and no ACK has answered yet.
    pub prompts: u64,
    /// ACKs of what had not passed.
    pub ahead: Vec<u64>,
    /// When the last ACK of new data passed, when what it covers was complete, and how many came compressed in a row.
    pub last_new: Option<(i64, i64)>,
    pub compressed_run: u32,
}

impl Acks {
    /// Data pass that begin at `seq` and make `segments`, for the first time if they are `new`.
    pub fn on_data(&mut self, new: bool, seq: u64, segments: u64) {
        self.prompts += segments;
        if new && !self.ahead.is_empty() {
            let before = self.ahead.len();
            self.ahead.retain(|&ack| ack <= seq);
            self.counts.ahead += (before - self.ahead.len()) as u64;
        }
    }
}

/// The number of a segment with an ACK, to the one its sender should use next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    /// The same.
    Next,
    /// One less: it asks for an answer.
    Probe,
    /// Another.
    Other,
}
