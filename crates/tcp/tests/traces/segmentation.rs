//! Segments that leave together as Linux forms them (`tcp_tso_autosize`, `tcp_tso_should_defer`, `__tcp_transmit_skb` in
//! net/ipv4/tcp_output.c), worked on paper.

use std::sync::Arc;

use acklab_packet::{Ack, Segment, Tail, Time};
use acklab_tcp::rules::{Segmentation, SenderRules, Stack};
use acklab_tcp::sender::{Sender, Supply};

use crate::tape::Tape;

const MSS: u64 = 1448;

/// A sender without handshake, and what it sends: P for a pushed segment, a dot for another.
struct Bench {
    sender: Sender,
    tape: Tape<Segment>,
}

impl Bench {
    fn new(rules: SenderRules) -> Bench {
        let rules = SenderRules { syn: false, ..rules };
        Bench { sender: Sender::new(Arc::new(rules), Supply::Bytes(1000 * MSS)), tape: Tape::default() }
    }

    fn sent(&mut self) -> String {
        let tails = self.tape.sent.drain(..).map(|segment| if segment.tail == Tail::Pushed { 'P' } else { '.' });
        tails.collect()
    }

    fn start(&mut self) -> String {
        self.sender.start(Time::ZERO, &mut self.tape);
        self.sent()
    }

    fn ack(&mut self, segments: u64, millis: f64) -> String {
        self.ack_with(segments, None, millis)
    }

    /// The same with a window in bytes.
    fn ack_with(&mut self, segments: u64, window: Option<u64>, millis: f64) -> String {
        let mut ack = Ack { ack: segments * MSS, ..Ack::default() };
        if let Some(window) = window {
            ack.sack.set_window(window);
        }
        self.sender.on_ack(&ack, Time::from_secs(millis / 1e3), &mut self.tape);
        self.sent()
    }
}

fn linux() -> SenderRules {
    SenderRules { segmentation: Segmentation::Linux, ..Stack::Linux.sender() }
}

/// Before a round trip is known only half of the window is the limit: two bursts of five. After one of 100 ms a millisecond of the
/// window is less than a segment, and bursts have two.
#[test]
fn the_last_segment_of_a_burst_is_pushed() {
    let mut bench = Bench::new(linux());
    assert_eq!(bench.start(), "....P....P");
    assert_eq!(bench.ack(2, 100.0), ".P.P");
    assert_eq!(bench.ack(3, 101.0), ".P");
    let mut plain = Bench::new(SenderRules { segmentation: Segmentation::Off, ..linux() });
    assert_eq!((plain.start(), plain.ack(2, 100.0)), ("..........".to_owned(), "....".to_owned()));
}

/// A window of ten that does not grow. An ACK frees one segment, which is less than a burst and than a third of the window. It leaves
/// alone if nothing has left for a millisecond. Else it waits for the next ACK, which is due, and both leave, the second one pushed.
#[test]
fn a_burst_waits_for_the_next_ack_within_a_millisecond() {
    let mut bench = Bench::new(SenderRules { initial_ssthresh: 5.0, ..linux() });
    bench.start();
    assert_eq!(bench.ack(1, 100.0), ".");
    assert_eq!(bench.ack(2, 100.1), "");
    assert_eq!(bench.ack(3, 100.2), ".P");
    assert_eq!(bench.ack(4, 101.3), ".");
}

/// Forty segments leave as two halves. After a round trip of 10 ms a burst is what leaves in a 1024th of a second, at twice the window a
/// round trip.
#[test]
fn a_burst_is_a_millisecond_of_the_rate_and_half_the_window_at_most() {
    let mut bench = Bench::new(SenderRules { initial_window: 40.0, ..linux() });
    assert_eq!(bench.start(), format!("{}P{}P", ".".repeat(19), ".".repeat(19)));
    // 80 segments in 10 ms, twice as fast: 15 of 1448 bytes in 1/1024 s. Five such bursts, and five segments.
    let burst = |segments: usize| ".".repeat(segments - 1) + "P";
    assert_eq!(bench.ack(40, 10.0), burst(15).repeat(5) + &burst(5));
}

/// Ten segments are out, and cwnd grows to twelve. A window of nine full segments and a half lets one more leave without bursts; with
/// bursts it lets two leave, of which the last fills the window. The next ACK tells less: only what it covers leaves. Without the rule the
/// window told does not count.
#[test]
fn the_window_that_acks_tell_limits_the_sender() {
    let told = Some(9 * MSS + MSS / 2);
    let reading = SenderRules { reads_window: true, ..linux() };
    let mut bench = Bench::new(SenderRules { segmentation: Segmentation::Off, ..reading.clone() });
    bench.start();
    assert_eq!(bench.ack_with(2, told, 100.0), ".");
    assert_eq!(bench.ack_with(3, Some(8 * MSS), 101.0), "");
    let mut bursts = Bench::new(reading);
    bursts.start();
    assert_eq!(bursts.ack_with(2, told, 100.0), ".P");
    assert_eq!(bursts.sender.core().seq.max, 11 * MSS + MSS / 2);
    let mut deaf = Bench::new(linux());
    deaf.start();
    assert_eq!(deaf.ack_with(2, told, 100.0), ".P.P");
}
