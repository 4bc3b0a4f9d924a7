//! A receiver follows a table.
//!
//! ```text
//! at  | event  | acks        | echo | timer
//! 0   | 0      |             |      | 0.2
//! 0.1 | 2      | 1 sack 2    | 0    | off
//! 0.2 | 1 ts 1 | 3           | 1    |
//! 0.4 | timer  | 4           |
//! ```
//!
//! An event is a segment's number, counted from 0 in payload units (`syn`, `fin`, or `[500,900)` for a run of units that
//! is no whole segment), with its timestamp if that is not its instant, or the ACK timer. An ACK is the number of the
//! segment expected next (`fin` once that has come), then the SACK blocks in order: `5-6` means 5 and 6.

use std::sync::Arc;

use acklab_packet::{Ack, Segment, Seq, Time};
use acklab_tcp::receiver::Receiver;
use acklab_tcp::rules::ReceiverRules;

use crate::tape::Tape;

/// How segments are numbered.
#[derive(Clone, Copy)]
pub struct Numbers {
    /// Units in a segment.
    pub mss: u64,
    /// Whether a SYN takes the first unit.
    pub syn: bool,
    /// Whole segments before a FIN, if there is one.
    pub fin_after: Option<u64>,
}

/// 1000-byte segments, no SYN, no FIN.
pub const PLAIN: Numbers = Numbers { mss: 1000, syn: false, fin_after: None };

impl Numbers {
    fn start(self, number: u64) -> Seq {
        u64::from(self.syn) + number * self.mss
    }

    fn segment(self, word: &str, ts_val: Time) -> Segment {
        let plain = Segment { ts_val, ..Segment::default() };
        match word {
            "syn" => Segment { seq: 0, len: 1, syn: true, ..plain },
            "fin" => {
                let seq = self.start(self.fin_after.expect("the test has a FIN"));
                Segment { seq, len: 1, fin: true, ..plain }
            }
            run if run.starts_with('[') => {
                let (start, end) = run[1..run.len() - 1].split_once(',').expect("[start,end)");
                let [start, end] = [start, end].map(|n| n.parse::<u64>().expect("a unit"));
                Segment { seq: start, len: (end - start) as u32, ..plain }
            }
            number => {
                let number = number.parse().unwrap_or_else(|_| panic!("no segment: {number}"));
                Segment { seq: self.start(number), len: self.mss as u32, ..plain }
            }
        }
    }

    /// `5` for the start of segment 5, `5+300` within it, `fin` past the FIN.
    fn edge(self, seq: Seq) -> String {
        if self.fin_after.is_some_and(|n| seq == self.start(n) + 1) {
            return "fin".to_owned();
        }
        let base = u64::from(self.syn);
        let (number, more) = (seq.saturating_sub(base) / self.mss, seq.saturating_sub(base) % self.mss);
        if more == 0 { number.to_string() } else { format!("{number}+{more}") }
    }

    fn shown(self, ack: &Ack) -> String {
        let mut text = self.edge(ack.ack);
        for (index, (start, end)) in ack.sack.iter(ack.ack).enumerate() {
            text += if index == 0 { " sack " } else { " " };
            let (first, last) = (self.edge(start), self.edge(end - self.mss.min(end - start)));
            let whole = (end - start) % self.mss == 0;
            text += &match whole {
                true if first == last => first,
                true => format!("{first}-{last}"),
                false => format!("[{start},{end})"),
            };
        }
        text
    }
}

/// A receiver with `rules` follows `table`; whatever differs is told, line by line.
pub fn follow(rules: ReceiverRules, numbers: Numbers, table: &str) -> Receiver {
    let (mut receiver, mut tape) = (Receiver::new(Arc::new(rules)), Tape::default());
    let mut lines = table.lines().filter(|line| line.contains('|') && !line.trim_start().starts_with('#'));
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let columns = cells(lines.next().expect("a table has a head"));
    let mut wrong = Vec::new();
    for line in lines {
        let row = cells(line);
        let at = Time::from_secs(row[0].parse().unwrap_or_else(|_| panic!("no time: {line}")));
        match row[1].split_once(" ts ").unwrap_or((&row[1], &row[0])) {
            ("timer", _) => {
                let due = tape.timer.take().unwrap_or_else(|| panic!("the timer is off: {line}"));
                assert!((due.secs() - at.secs()).abs() < 1e-9, "the timer is due at {}: {line}", due.secs());
                receiver.on_timer(due, &mut tape);
            }
            (segment, ts) => {
                let ts = Time::from_secs(ts.parse().unwrap_or_else(|_| panic!("no timestamp: {line}")));
                receiver.on_segment(&numbers.segment(segment, ts), at, &mut tape);
            }
        }
        let sent: Vec<Ack> = tape.sent.drain(..).collect();
        for (column, expected) in columns.iter().zip(&row).skip(2) {
            let got = match column.as_str() {
                "why" => continue,
                "acks" => sent.iter().map(|ack| numbers.shown(ack)).collect::<Vec<_>>().join(", "),
                "echo" => sent.last().map_or(String::new(), |ack| ack.ts_ecr.secs().to_string()),
                "timer" => tape.timer.map_or("off".to_owned(), |at| format!("{:.6}", at.secs())),
                other => panic!("unknown column {other}"),
            };
            let same = match (column.as_str(), expected.parse::<f64>(), got.parse::<f64>()) {
                ("timer" | "echo", Ok(expected), Ok(got)) => (expected - got).abs() < 1e-6,
                ("timer" | "echo", _, _) if expected.is_empty() => true,
                _ => *expected == got,
            };
            if !same {
                wrong.push(format!("{line}\n    {column}: expected {expected}, got {got}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    receiver
}
