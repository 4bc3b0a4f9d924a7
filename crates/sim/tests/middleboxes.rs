//! Random middleboxes and receivers between the ends of accurate ECN and of QUIC's counts: whatever the path clears, changes or removes, a
//! transfer ends, and where the RFCs forbid it no segment may be marked (RFC 9768 sections 3.1 and 3.2.2.4, RFC 9000 section 13.4.2).

#[path = "world/mod.rs"]
mod world;

use acklab_packet::{Body, Ecn};
use acklab_scenario::parse_toml;
use acklab_sim::outcome::{Outcome, PacketEvent};
use proptest::prelude::*;
use proptest::sample::select;
use world::{for_all, run};

/// Longest time for which a stage here holds an ACK, and in which a copy may come: in seconds.
const HELD: f64 = 0.05;

/// What a middlebox clears, and from which packet on.
#[derive(Clone, Copy, Debug)]
struct Bleach {
    field: bool,
    remark: bool,
    flags: bool,
    option: bool,
    after: u64,
}

impl Bleach {
    fn stage(self) -> Option<String> {
        let Bleach { field, remark, flags, option, after } = self;
        (field || remark || flags || option).then(|| {
            format!(
                "{{ kind = 'bleach', field = {field}, remark = {remark}, flags = {flags}, option = {option}, after = {after} }}"
            )
        })
    }
}

fn bleach() -> impl Strategy<Value = Bleach> {
    let rarely = || prop::bool::weighted(0.3);
    (rarely(), rarely(), rarely(), rarely(), select(&[0, 0, 1, 2, 7, 40][..]))
        .prop_map(|(field, remark, flags, option, after)| Bleach { field, remark, flags, option, after })
}

/// A path, and what both ends do.
#[derive(Clone, Debug)]
struct Case {
    forth: Bleach,
    back: Bleach,
    thin: bool,
    marked: f64,
    lost: f64,
    quic: bool,
    feedback: &'static str,
    sender: String,
    receiver: String,
    seed: u64,
}

fn case() -> impl Strategy<Value = Case> {
    let path =
        (bleach(), bleach(), prop::bool::ANY, select(&[0.0, 0.01, 0.2, 1.0][..]), select(&[0.0, 0.01, 0.05][..]));
    let sender = (
        select(&["reno", "cubic", "dctcp", "prague", "fixed"][..]),
        select(&["least", "rfc9768", "linux", "linux-thinned"][..]),
        prop::bool::ANY,
        select(&[0, 0, 20][..]),
    );
    let receiver = (
        select(&["accurate", "accurate", "accurate", "classic", "none", "reflected"][..]),
        select(&["off", "changes", "always"][..]),
        select(&["off", "marks", "both"][..]),
        select(&[0, 1, 2][..]),
        select(&[1.0, 0.5, 0.0][..]),
    );
    (path, select(&["rfc", "linux", "quic"][..]), sender, receiver, 0..1000_u64).prop_map(
        |((forth, back, thin, marked, lost), stack, (control, ace, ect1, tests), told, seed)| {
            let (feedback, option, change, at_once, share) = told;
            let quic = stack == "quic";
            // Only rules that count no mark too few can be tested by marks of the sender's own.
            let tests = if quic || ["rfc9768", "linux"].contains(&ace) { tests } else { 0 };
            let feedback = match feedback {
                "accurate" if quic => "counts",
                "reflected" if quic => "none",
                other => other,
            };
            // Prague paces by itself.
            let accurate = if quic {
                ", pacing = { kind = 'off' }".to_owned()
            } else {
                format!(", accurate_ecn = true, ace = '{ace}'")
            };
            let says = if quic {
                String::new()
            } else {
                format!(", accecn_option = '{option}', change_acks = '{change}', marked_acks = {at_once}")
            };
            Case {
                sender: format!(
                    "stack = '{stack}', control = '{control}', ecn = true, ect1 = {}, test_marks = {tests}{accurate}",
                    ect1 || control == "prague"
                ),
                receiver: format!("stack = '{stack}', feedback = '{feedback}', marks_told = {share}{says}"),
                forth,
                back,
                thin,
                marked,
                lost,
                quic,
                feedback,
                seed,
            }
        },
    )
}

impl Case {
    fn play(&self) -> Outcome {
        let listed = |stages: Vec<String>| stages.join(", ");
        let mut forth: Vec<String> = self.forth.stage().into_iter().collect();
        if self.marked > 0.0 {
            forth.push(format!("{{ kind = 'mark', rate = {:?}, only = 'data' }}", self.marked));
        }
        let mut back: Vec<String> = self.back.stage().into_iter().collect();
        if self.thin {
            back.push("{ kind = 'thin', every = 8, hold = '20ms', blind = true }".into());
        }
        let text = format!(
            "seed = {}
            stop = {{ when = 'flows-complete', at_most = '2000s' }}
            [[link]]
            between = ['S', 'R']
            rate = '20Mbps'
            delay = '10ms'
            loss = {{ rate = {:?} }}
            stages = [{}]
            back = {{ loss = {{ rate = {:?} }}, stages = [{}] }}
            [[flow]]
            from = 'S'
            to = 'R'
            size = {{ bytes = '100kB' }}
            sender = {{ {} }}
            receiver = {{ {} }}
            [record]
            packets = true",
            self.seed,
            self.lost,
            listed(forth),
            self.lost,
            listed(back),
            self.sender,
            self.receiver
        );
        run(&parse_toml(&text, "t").unwrap_or_else(|error| panic!("{text}\n{error}")))
    }

    /// True if the handshake shows that nothing may be marked.
    fn refused(&self) -> bool {
        let cleared = |at: Bleach| at.flags && at.after == 0;
        !self.quic && (cleared(self.forth) || cleared(self.back) || ["none", "reflected"].contains(&self.feedback))
    }

    /// True if the first ACK of data shows it.
    fn refuted(&self) -> bool {
        if self.quic {
            // A mark hides the codepoint that was changed before.
            let changed = self.forth.field || self.forth.remark && self.marked == 0.0;
            return changed && self.forth.after == 0 || self.feedback != "counts";
        }
        // The answer to the SYN passes; the counter does not.
        let agreed = self.feedback == "accurate" && !(self.forth.flags && self.forth.after == 0);
        agreed && self.back.flags && self.back.after == 1
    }
}

/// When which new data left, and whether it may be marked.
fn departures(outcome: &Outcome) -> impl Iterator<Item = (f64, bool)> {
    outcome.packets.iter().filter(|row| row.link == 0 && row.event == PacketEvent::Enqueue).filter_map(|row| match row
        .packet
        .body
    {
        Body::Data(segment) if !segment.syn => Some((row.time_s, segment.ecn != Ecn::NotEct)),
        _ => None,
    })
}

#[test]
fn transfers_end_and_nothing_is_marked_where_it_may_not_be() {
    let (mut refused, mut refuted) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_all(400, case(), |case| {
        let outcome = case.play();
        prop_assert!(outcome.flows[0].completed);
        if let Some(share) = outcome.flows[0].marked_share {
            prop_assert!((0.0..=1.0).contains(&share), "{share}");
        }
        if case.refused() {
            refused.set(refused.get() + 1);
            prop_assert!(departures(&outcome).all(|(_, may)| !may), "after the handshake");
        } else if case.refuted() {
            refuted.set(refuted.get() + 1);
            let told = |row: &&acklab_sim::outcome::PacketRow| match row.packet.body {
                Body::Ack(ack) => {
                    row.event == PacketEvent::Deliver && !ack.syn && (ack.ack > 1 || !ack.sack.is_empty())
                }
                _ => false,
            };
            let first = outcome.packets.iter().find(told).map_or(f64::INFINITY, |row| row.time_s + HELD);
            prop_assert!(departures(&outcome).all(|(at, may)| !may || at <= first), "after the first ACK, at {first}");
        }
        Ok(())
    });
    // Both kinds are drawn.
    assert!(*refused.get_mut() > 20 && *refuted.get_mut() > 10, "{refused:?} {refuted:?}");
}
