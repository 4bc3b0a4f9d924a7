//! Accurate ECN at the sender (RFC 9768): what was agreed on, and how many marks an ACK tells where its counter may have wrapped.

use acklab_packet::{Ace, Ack, ByteCounts, Time};

use super::scoreboard::Scoreboard;
use super::sequence::SequenceSpace;
use crate::receiver::{FIRST_BYTES, FIRST_PACKETS};
use crate::rules::{AceRule, SenderRules};

/// ACE counts modulo this.
const WRAP: u64 = 8;
/// Packets that Linux's average must exceed (`ACK_COMP_THRESH`), its weight and its precision, both as powers of two
/// (`PKTS_ACKED_WEIGHT`, `PKTS_ACKED_PREC`).
const THINNED: u32 = 4;
const WEIGHT: u32 = 6;
const PRECISION: u32 = 6;

/// What both ends have agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The SYN has asked.
    Asked,
    /// Marks are counted.
    Accurate,
    /// Marks are echoed (RFC 3168).
    Classic,
    /// No segment may be marked any more.
    Off,
}

/// A byte counter of the option: ECT or CE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Ect,
    Ce,
}

/// What an ACK delivers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Segments, counted from their units.
    pub packets: u64,
    /// Units.
    pub units: u64,
}

/// What an ACK's option tells of its marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Nothing that can be used.
    Nothing,
    /// Units that came marked.
    Marked(u64),
}

/// A sender's side of accurate ECN. Bytes are sequence units.
#[derive(Clone, Debug)]
pub(super) struct Accurate {
    mode: Mode,
    rule: AceRule,
    /// `s.cep`: packets that came marked, as far as the sender knows.
    packets: u64,
    /// `s.ceb`, and `s.e0b` or `s.e1b`, modulo 2^24.
    marked: u32,
    unmarked: u32,
    /// An option has come; the one before had the counter that then changed (`est_ecnfield`).
    seen: bool,
    changed: Option<Field>,
    /// The last ACK that counted had an option.
    complete: bool,
    /// No counter has come yet.
    first: bool,
    /// Units reported above the cumulative number.
    reported: Scoreboard,
    /// The newest echo of a timestamp.
    echo: Time,
    /// Packets an ACK delivers, in 64ths (`pkts_acked_ewma`).
    average: u32,
    /// Units that the last ACK told of as marked.
    pub told: f64,
}

impl Accurate {
    /// The state of a sender with these rules; none if it only knows RFC 3168.
    pub fn new(rules: &SenderRules) -> Option<Accurate> {
        let state = Accurate {
            mode: if rules.syn { Mode::Asked } else { Mode::Accurate },
            rule: rules.ace,
            packets: FIRST_PACKETS,
            marked: 0,
            unmarked: FIRST_BYTES as u32,
            seen: false,
            changed: None,
            complete: false,
            first: true,
            reported: Scoreboard::default(),
            echo: Time::ZERO,
            average: 0,
            told: 0.0,
        };
        (rules.ecn && rules.accurate_ecn).then_some(state)
    }

    /// Whether segments may say that they can be marked.
    pub fn usable(&self) -> bool {
        self.mode != Mode::Off
    }

    /// Flags of the next segment, if they are a number; `syns`: SYNs sent so far, if it is one. The first two ask (section 3.1.4.1).
    pub fn flags(&mut self, syns: Option<u32>) -> Option<Ace> {
        match (syns, self.mode) {
            (Some(0 | 1), _) => Some(Ace::REQUEST),
            // The other direction has no marks.
            (None, Mode::Accurate) => Some(Ace::of(FIRST_PACKETS)),
            (Some(_) | None, _) => None,
        }
    }

    /// True if the sender answers marks by CWR.
    pub fn answers(&self) -> bool {
        self.mode == Mode::Classic
    }

    /// Marks counted so far, in packets.
    pub fn marks(&self) -> u64 {
        self.packets - FIRST_PACKETS
    }

    /// Units that came marked and unmarked, as the option told; modulo 2^24, from their first values.
    pub fn bytes(&self) -> (u32, u32) {
        (self.marked, self.unmarked)
    }

    /// The answer to the SYN arrives (section 3.1.1, Table 2). The first one decides, whatever SYN it answers (section 3.1.5).
    fn agree(&mut self, ace: Ace) {
        if self.mode != Mode::Asked {
            return;
        }
        self.mode = match ace.number() {
            None | Some(0 | 7) => Mode::Off,
            Some(1) => Mode::Classic,
            Some(_) => Mode::Accurate,
        };
    }

    /// An ACK arrives: the same ACK, whose ECE says whether it tells of marks.
    pub fn read(&mut self, ack: &Ack, seq: &SequenceSpace, timestamps: bool) -> Ack {
        self.told = 0.0;
        if ack.syn {
            self.agree(ack.ace);
            return Ack { ece: false, ..*ack };
        }
        match self.mode {
            Mode::Classic => return *ack,
            Mode::Off | Mode::Asked => return Ack { ece: false, ..*ack },
            Mode::Accurate => {}
        }
        // What was never sent makes no ACK acceptable (RFC 9293 section 3.10.7.4).
        if ack.ack > seq.max {
            return Ack { ece: false, ..*ack };
        }
        let delivered = deliver(&mut self.reported, ack, seq);
        let later = timestamps && ack.ts_ecr > self.echo;
        self.echo = self.echo.max(ack.ts_ecr);
        // An ACK that another has superseded does not count (section 3.2.2.2), nor does one that may be such.
        if ack.ack < seq.una || (delivered.units == 0 && !later) {
            return Ack { ece: false, ..*ack };
        }
        let ace = ack.ace.number().unwrap_or(0);
        // A path that clears the flags: no more marks (section 3.2.2.4).
        if std::mem::take(&mut self.first) && ace == 0 {
            self.mode = Mode::Off;
            return Ack { ece: false, ..*ack };
        }
        let option = ack.sack.counts();
        let told = self.take_option(option, delivered.units);
        let least = (u64::from(ace) + WRAP - self.packets % WRAP) % WRAP;
        self.average = averaged(self.average, delivered.packets as u32);
        let new = marks(self.rule, delivered, least, told, (u64::from(seq.mss), self.average));
        // Bytes without packets: something on the path changes the feedback (section 3.2.3.2.5).
        let whole = std::mem::replace(&mut self.complete, option.is_some());
        if whole && new == 0 && delivered.packets < WRAP && option.is_some() && matches!(told, Told::Marked(1..)) {
            self.mode = Mode::Off;
        }
        self.packets += new;
        self.told = match told {
            // Linux's controls count packets.
            Told::Marked(units) if option.is_some() && !self.rule.counts_packets() => units as f64,
            // As many units as the ACK delivers with a packet (appendix A.3).
            _ if delivered.packets > 0 => new as f64 * (delivered.units as f64 / delivered.packets as f64),
            _ => new as f64 * f64::from(seq.mss),
        };
        Ack { ece: new > 0, ..*ack }
    }

    /// Takes in an ACK's option, or what its absence means to Linux (`tcp_accecn_process_option`).
    fn take_option(&mut self, option: Option<ByteCounts>, delivered: u64) -> Told {
        let Some(counts) = option else {
            if !self.seen || !self.rule.counts_packets() {
                return Told::Nothing;
            }
            // Linux takes what arrives to go on as the last option showed.
            let add = |counter: u32| (counter.wrapping_add(delivered as u32)) % ByteCounts::MODULUS;
            return match self.changed {
                None => Told::Nothing,
                Some(Field::Ect) => {
                    self.unmarked = add(self.unmarked);
                    Told::Marked(0)
                }
                Some(Field::Ce) => {
                    self.marked = add(self.marked);
                    Told::Marked(delivered)
                }
            };
        };
        let before = self.changed;
        let (ect, ce) = (signed(counts.ect, self.unmarked), signed(counts.ce, self.marked));
        (self.unmarked, self.marked) = (counts.ect, counts.ce);
        let first = !std::mem::replace(&mut self.seen, true);
        let news = [(ect, Field::Ect), (ce, Field::Ce)].into_iter().filter(|&(change, _)| change != 0);
        let (mut new, mut several) = (None, false);
        for field in news.map(|(_, field)| field).filter(|&field| before != Some(field)) {
            (several, new) = (new.is_some(), Some(field));
        }
        self.changed = new.or(before);
        // Of two that begin to change, Linux cannot tell which goes on.
        let ambiguous = several && self.rule.counts_packets();
        if ect < 0 || ce < 0 || ambiguous {
            self.changed = None;
            return Told::Nothing;
        }
        let usable = !self.rule.counts_packets() || (!first && before.is_some());
        if usable { Told::Marked(ce as u64) } else { Told::Nothing }
    }
}

/// What an ACK delivers that no ACK before it did; `reported` has what came above the cumulative number.
pub(super) fn deliver(reported: &mut Scoreboard, ack: &Ack, seq: &SequenceSpace) -> Delivered {
    let (una, mss) = (ack.ack.max(seq.una), u64::from(seq.mss));
    let known = reported.within(seq.una, una);
    let units = una - seq.una - known;
    let mut delivered = Delivered { packets: units.div_ceil(mss), units };
    reported.clear_below(una);
    for (start, end) in ack.sack.iter(ack.ack) {
        let (start, end) = (start.max(una), end.min(seq.max));
        if start < end {
            reported.report(start, end, |from, to| {
                delivered.units += to - from;
                delivered.packets += (to - from).div_ceil(mss);
            });
        }
    }
    delivered
}

/// What a counter of 24 bits has gained; negative if an older one has come.
fn signed(new: u32, old: u32) -> i64 {
    let gained = new.wrapping_sub(old) % ByteCounts::MODULUS;
    i64::from(gained) - if gained >= ByteCounts::MODULUS / 2 { i64::from(ByteCounts::MODULUS) } else { 0 }
}

/// Linux's average of the packets that an ACK delivers, in 64ths, of which the newest is a 64th.
fn averaged(average: u32, packets: u32) -> u32 {
    let newest = packets.min(0xffff >> PRECISION) << PRECISION;
    let next = match (average, packets) {
        (_, 0) => average,
        (0, _) => newest,
        _ => ((average << WEIGHT) - average + newest) >> WEIGHT,
    };
    next.min(0xffff)
}

/// Marked packets of which an ACK tells that delivers so much, and whose counter has gained `least`, or 8, 16 ... more.
///
/// `mss` are the units of a full segment, `average` the packets an ACK delivers, in 64ths. The rules are appendices A.2.1 and A.2.2
/// of RFC 9768, and `__tcp_accecn_process` of Linux 7.3.
pub fn marks(rule: AceRule, delivered: Delivered, least: u64, told: Told, (mss, average): (u64, u32)) -> u64 {
    let Delivered { packets, units } = delivered;
    if rule == AceRule::Least || packets < WRAP {
        return least;
    }
    // The safest likely case: as many as fit.
    let safe = packets - (packets - least) % WRAP;
    let Told::Marked(marked) = told else {
        let thinned = rule == AceRule::LinuxThinned && average > THINNED << PRECISION;
        return if thinned { least } else { safe };
    };
    if rule.counts_packets() {
        if marked == 0 {
            return least;
        }
        if packets >= 2 * WRAP {
            if units <= marked {
                return safe;
            }
            let likely = (marked * packets).div_ceil(units);
            return safe.min(least + likely / WRAP * WRAP);
        }
    }
    if marked > least * mss {
        safe
    } else if marked < safe * mss / 2 {
        // Segments would be half as long as they are.
        least
    } else {
        safe
    }
}
