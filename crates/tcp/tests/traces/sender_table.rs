//! A sender follows a table.
//!
//! ```text
//! at  | event              | sends  | cwnd  | timer
//! 0   | start              | 0 1    | 2000  | 1
//! 0.1 | ack 1              | 2-3    |       | 1.1
//! 0.2 | ack 1 sack 3-4     |        |       | off
//! 1.1 | timeout            | 1*     | 1000  | 3.1
//! ```
//!
//! Segments are numbered from 0 in payload units; `syn` and `fin` stand for themselves. `2-4` means 2, 3 and 4, `1*` a
//! retransmission, `[500,900)` a run of units that is no whole segment (as a SACK block too). `counts 3/0/1` are QUIC's: ECT(0), ECT(1), CE. `ack 4` says that 4 is expected next, `ack
//! 4+300` that 300 units of it have arrived, `ts 0.3` is the timestamp echoed, `ece` a mark. `pacer` is the instant the
//! pacer asked for. Columns that a table leaves out, and
//! empty cells (but for `sends`), are not checked. Windows are in sequence units, times in seconds.

use std::sync::Arc;

use acklab_packet::{Ack, PacketCounts, SackBlocks, Segment, Seq, Time};
use acklab_tcp::rules::{SenderRules, Stack};
use acklab_tcp::sender::{Sender, Supply};

use crate::tape::Tape;

/// The `rfc` stack with 1000-byte segments, without timestamps or SYN: arithmetic for people.
pub fn rfc() -> SenderRules {
    SenderRules { packet: 1000, timestamps: false, syn: false, ..Stack::Rfc.sender() }
}

/// A sender with `rules` and `supply` follows `table`; whatever differs is told, line by line.
pub fn follow(rules: SenderRules, supply: Supply, table: &str) -> Sender {
    let mut sender = Sender::new(Arc::new(rules), supply);
    let mut tape = Tape::default();
    let mut lines = table.lines().filter(|line| line.contains('|') && !line.trim_start().starts_with('#'));
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let columns = cells(lines.next().expect("a table has a head"));
    let mut wrong = Vec::new();
    for line in lines {
        let row = cells(line);
        assert!(row.len() <= columns.len(), "too many cells: {line}");
        let at = Time::from_secs(row[0].parse().unwrap_or_else(|_| panic!("no time: {line}")));
        happen(&mut sender, &mut tape, &row[1], at);
        for (column, expected) in columns.iter().zip(&row).skip(2) {
            if let Some(got) = differs(&sender, &mut tape, column, expected) {
                wrong.push(format!("{line}\n    {column}: expected {expected}, got {got}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    sender
}

fn happen(sender: &mut Sender, tape: &mut Tape<Segment>, event: &str, at: Time) {
    let mut words = event.split_whitespace();
    match words.next() {
        Some("start") => sender.start(at, tape),
        Some("write") => {
            let segments: u64 = words.next().and_then(|n| n.parse().ok()).expect("write so many segments");
            sender.write(segments * u64::from(sender.core().seq.mss), at, tape);
        }
        Some("timeout") => {
            let due = due(tape.timer.take(), at);
            sender.on_timeout(due, tape);
        }
        Some("pacer") => {
            let due = due(tape.pacer.take(), at);
            sender.on_pacer(due, tape);
        }
        Some("ack") => {
            let mut ack = Ack { ack: edge(sender, words.next().expect("ack what?"), 0), ..Ack::default() };
            let mut sack = SackBlocks::default();
            while let Some(word) = words.next() {
                match word {
                    "sack" => {}
                    "ece" => ack.ece = true,
                    "ts" => ack.ts_ecr = Time::from_secs(words.next().and_then(|t| t.parse().ok()).expect("ts when?")),
                    "counts" => {
                        let fields = words.next().expect("which counts?").split('/');
                        let fields: Vec<u32> = fields.map(|n| n.parse().expect("a count")).collect();
                        let [ect0, ect1, ce] = fields.try_into().expect("three counts");
                        sack.set_packet_counts(PacketCounts { ect0, ect1, ce });
                    }
                    run if run.starts_with('[') => {
                        let (start, end) = run[1..run.len() - 1].split_once(',').expect("[start,end)");
                        sack.push(ack.ack, start.parse().expect("a unit"), end.parse().expect("a unit"));
                    }
                    run => {
                        let (first, last) = run.split_once('-').unwrap_or((run, run));
                        sack.push(ack.ack, edge(sender, first, 0), edge(sender, last, 1));
                    }
                }
            }
            sender.on_ack(&Ack { sack, ..ack }, at, tape);
        }
        other => panic!("unknown event {other:?}"),
    }
}

/// When a timer that must run out at `at`, and does, has been set to.
fn due(timer: Option<Time>, at: Time) -> Time {
    let due = timer.unwrap_or_else(|| panic!("at {}: the timer is off", at.secs()));
    assert!((due.secs() - at.secs()).abs() < 1e-9, "the timer is due at {}, not {}", due.secs(), at.secs());
    due
}

/// The unit at which segment `word` starts, or, with `more` 1, ends.
fn edge(sender: &Sender, word: &str, more: u64) -> Seq {
    let core = sender.core();
    if word == "fin" {
        return core.seq.limit - 1 + more.max(1);
    }
    let (number, bytes) = word.split_once('+').unwrap_or((word, "0"));
    let [number, bytes] = [number, bytes].map(|n| n.parse::<u64>().unwrap_or_else(|_| panic!("no segment: {word}")));
    let start = u64::from(core.rules.syn) + (number + more) * u64::from(core.seq.mss) + bytes;
    start.min(core.seq.limit - u64::from(core.rules.fin))
}

/// The name of a segment, as tables write it.
fn name(sender: &Sender, segment: &Segment) -> String {
    let core = sender.core();
    let (base, mss) = (u64::from(core.rules.syn), u64::from(core.seq.mss));
    let number = segment.seq.saturating_sub(base) / mss;
    let left = core.seq.limit.saturating_sub(u64::from(core.rules.fin) + segment.seq);
    let whole = segment.seq == base + number * mss && u64::from(segment.len) == mss.min(left);
    let name = match segment {
        _ if segment.syn => "syn".to_owned(),
        _ if segment.fin => "fin".to_owned(),
        _ if whole => number.to_string(),
        _ => format!("[{},{})", segment.seq, segment.end()),
    };
    if segment.retransmit { name + "*" } else { name }
}

/// `2-4` becomes 2 3 4.
fn expand(cell: &str) -> String {
    let each = cell.split_whitespace().map(|word| match word.split_once('-') {
        Some((first, last)) => {
            let star = if last.ends_with('*') { "*" } else { "" };
            let [first, last] = [first, last.trim_end_matches('*')].map(|n| n.parse::<u64>().expect("a range"));
            (first..=last).map(|n| format!("{n}{star}")).collect::<Vec<_>>().join(" ")
        }
        None => word.to_owned(),
    });
    each.collect::<Vec<_>>().join(" ")
}

/// What the sender shows under `column`, if it is not `expected`.
fn differs(sender: &Sender, tape: &mut Tape<Segment>, column: &str, expected: &str) -> Option<String> {
    let core = sender.core();
    if column == "sends" {
        let sent: Vec<_> = tape.sent.drain(..).map(|segment| name(sender, &segment)).collect();
        return (sent.join(" ") != expand(expected)).then(|| sent.join(" "));
    }
    let got = match column {
        "why" => return None,
        "cwnd" => core.cc.cwnd,
        "ssthresh" => core.cc.ssthresh,
        "flight" => core.seq.flight_size() as f64,
        "window" => core.cc.window(core.seq.wnd) as f64,
        "inflation" => core.cc.inflation as f64,
        "pipe" => sender.pipe().map_or(f64::NAN, |pipe| pipe as f64),
        "rto" => sender.view().rto,
        "timer" => tape.timer.map_or(f64::NAN, Time::secs),
        "pacer" => tape.pacer.map_or(f64::NAN, Time::secs),
        "samples" => sender.counters().rtt_samples as f64,
        other => panic!("unknown column {other}"),
    };
    let matches = match expected {
        "" => true,
        "off" | "none" => got.is_nan(),
        number => {
            let number: f64 = number.parse().unwrap_or_else(|_| panic!("{column}: no number: {number}"));
            (got - number).abs() <= 1e-6 * number.abs().max(1e-3)
        }
    };
    (!matches).then(|| got.to_string())
}
