//! A program's own control has the events of the native ones, whichever recovery finds the losses.

use std::sync::{Arc, Mutex};

use acklab_scenario::parse_toml;
use acklab_sim::Simulation;
use acklab_sim::outcome::Outcome;
use acklab_tcp::sender::control::{AckEvent, CongestionControl, LostSegment, Needs, Reduced, Signal, Window};

/// Counts of what ACKs said, in segments.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    events: u64,
    delivered: f64,
    lost: f64,
    marked: f64,
}

/// DCTCP (RFC 8257), written again from the public event.
#[derive(Clone, Debug)]
struct Copied {
    needs: Needs,
    alpha: f64,
    window_end: u64,
    counts: (f64, f64),
    seen: Arc<Mutex<Seen>>,
}

impl CongestionControl for Copied {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        let mut seen = self.seen.lock().unwrap();
        seen.events += 1;
        seen.delivered += ack.newly_delivered / window.mss;
        seen.lost += ack.newly_lost / window.mss;
        seen.marked += ack.ce_count / window.mss;
        self.counts = (self.counts.0 + ack.newly_delivered, self.counts.1 + ack.ce_count);
        if ack.ack > self.window_end && self.counts.0 > 0.0 {
            self.alpha += 0.0625 * (self.counts.1 / self.counts.0 - self.alpha);
            (self.window_end, self.counts) = (ack.snd_max, (0.0, 0.0));
        }
    }

    fn on_congestion(&mut self, signal: Signal, in_use: f64, _: &Window) -> Reduced {
        Reduced::to(if signal == Signal::Mark { in_use * (1.0 - self.alpha / 2.0) } else { in_use / 2.0 })
    }

    fn marked_share(&self) -> Option<f64> {
        Some(self.alpha)
    }
}

fn text(recovery: &str) -> String {
    format!(
        "[[link]]
        between = ['S', 'R']
        rate = '8Mbps'
        delay = '10ms'
        loss = {{ rate = 0.005 }}
        queue = {{ kind = 'red', packets = 60, min = 3.0, max = 30.0, weight = 1.0, max_p = 0.3, ecn = true }}
        [[flow]]
        from = 'S'
        to = 'R'
        size = {{ segments = 3000 }}
        sender = {{ control = 'dctcp', recovery = '{recovery}', timestamps = false }}"
    )
}

fn run(recovery: &str, own: Option<Needs>) -> (Outcome, Seen) {
    let mut scenario = parse_toml(&text(recovery), "t").unwrap();
    let seen = Arc::new(Mutex::new(Seen::default()));
    if let Some(needs) = own {
        let copied = Copied { needs, alpha: 1.0, window_end: 0, counts: (0.0, 0.0), seen: seen.clone() };
        scenario.flows[0].custom.control = Some(Box::new(copied));
    }
    let outcome = Simulation::new(scenario.into()).run();
    let seen = *seen.lock().unwrap();
    (outcome, seen)
}

#[test]
fn a_copy_of_a_native_control_does_what_it_does_over_every_recovery() {
    for recovery in ["tahoe", "reno", "newreno", "sack", "rfc6675", "fack", "rack", "rfc9002"] {
        let (native, _) = run(recovery, None);
        let (own, seen) = run(recovery, Some(Needs::RoundTrips));
        assert_eq!(native.flows, own.flows, "{recovery}");
        assert!(seen.marked > 3.0 && seen.lost > 10.0, "{recovery}: {seen:?}");
        // With the SYN.
        assert!((seen.delivered - 3000.0).abs() < 0.01, "{recovery}: {seen:?}");
    }
}

/// Each segment sent again had been found lost by an ACK, but for those that a timeout or a probe sends.
#[test]
fn losses_and_deliveries_reach_a_control_that_does_not_own_the_window() {
    for recovery in ["rfc6675", "fack", "rack", "rfc9002"] {
        let (own, seen) = run(recovery, Some(Needs::Deliveries));
        assert_eq!(run(recovery, None).0.flows, own.flows, "{recovery}");
        let resent = own.flows[0].retransmits as f64;
        assert!((seen.lost - resent).abs() <= 0.25 * resent, "{recovery}: {seen:?}, {resent} sent again");
        assert!(seen.events <= own.flows[0].acks_received, "{recovery}: once an ACK");
    }
}

#[test]
fn a_recovery_that_reports_no_losses_is_refused() {
    let text = "link = [{ between = ['S', 'R'], rate = '1Mbps', delay = '1ms' }]
        flow = [{ from = 'S', to = 'R', size = { segments = 3 }, sender = { recovery = 'newreno' } }]";
    let mut scenario = parse_toml(text, "t").unwrap();
    let seen = Arc::default();
    let copied = Copied { needs: Needs::Deliveries, alpha: 1.0, window_end: 0, counts: (0.0, 0.0), seen };
    scenario.flows[0].custom.control = Some(Box::new(copied));
    let why = Simulation::try_new(scenario.into()).err().unwrap().to_string();
    assert!(why.contains("sender.control: is \"custom\", which needs a recovery that reports losses"), "{why}");
}

/// Twenty segments, whatever happens; notes each window that it finds.
#[derive(Clone, Debug)]
struct Constant(Arc<Mutex<Vec<f64>>>);

impl CongestionControl for Constant {
    fn needs(&self) -> Needs {
        Needs::RoundTrips
    }

    fn owns_window(&self) -> bool {
        true
    }

    fn on_ack(&mut self, _: &AckEvent, window: &mut Window) {
        self.0.lock().unwrap().push(window.cwnd / window.mss);
        window.cwnd = 20.0 * window.mss;
    }

    fn on_congestion(&mut self, _: Signal, _: f64, window: &Window) -> Reduced {
        Reduced::to(window.cwnd)
    }
}

#[test]
fn a_recovery_that_reports_losses_leaves_a_control_its_window() {
    for recovery in ["rfc6675", "fack", "rack", "rfc9002"] {
        let found = Arc::new(Mutex::new(Vec::new()));
        let mut scenario = parse_toml(&text(recovery), "t").unwrap();
        scenario.flows[0].custom.control = Some(Box::new(Constant(found.clone())));
        let outcome = Simulation::new(scenario.into()).run();
        let (flow, found) = (&outcome.flows[0], found.lock().unwrap());
        assert!(flow.completed && flow.fast_retransmits > 3, "{recovery}: {flow:?}");
        // The SYN's ACK begins the window, after the event of its own.
        let moved = found.iter().skip(2).filter(|cwnd| **cwnd != 20.0).count();
        assert!(moved as u64 <= flow.timeouts, "{recovery}: {moved} of {}", found.len());
    }
}

#[test]
fn bbr_fills_a_lossy_link_over_every_recovery_that_reports_losses() {
    for recovery in ["rfc6675", "fack", "rack", "rfc9002"] {
        let text = text(recovery).replace("'dctcp'", "'bbr'").replace("ecn = true }", "}").replace("3000", "10000");
        let outcome = Simulation::new(parse_toml(&text, "t").unwrap().into()).run();
        let flow = &outcome.flows[0];
        assert!(flow.completed && flow.goodput_bps > 6.5e6, "{recovery}: {flow:?}");
    }
}

/// Reno that counts lost segments one by one, and checks each.
#[derive(Clone, Debug)]
struct Losses(Arc<Mutex<(f64, f64)>>);

impl CongestionControl for Losses {
    fn needs(&self) -> Needs {
        Needs::Losses
    }

    fn on_lost(&mut self, lost: &LostSegment, window: &mut Window) {
        let size = (lost.end - lost.start) as f64;
        assert!(lost.tx_in_flight >= size && lost.lost >= size && lost.lost <= 1e6, "{lost:?}");
        assert!(lost.tx_in_flight <= window.advertised, "{lost:?}");
        self.0.lock().unwrap().0 += size / window.mss;
    }

    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        self.0.lock().unwrap().1 += ack.newly_lost / window.mss;
        let newest = ack.rate.and_then(|rate| rate.newest);
        assert!(newest.is_none_or(|newest| newest.tx_in_flight > 0), "{ack:?}");
    }

    fn on_congestion(&mut self, _: Signal, in_use: f64, _: &Window) -> Reduced {
        Reduced::to(in_use / 2.0)
    }
}

#[test]
fn each_lost_segment_reaches_a_control_that_needs_losses() {
    for recovery in ["rack", "rfc9002"] {
        let counts = Arc::new(Mutex::new((0.0, 0.0)));
        let mut scenario = parse_toml(&text(recovery), "t").unwrap();
        scenario.flows[0].custom.control = Some(Box::new(Losses(counts.clone())));
        let outcome = Simulation::new(scenario.into()).run();
        let ((one_by_one, in_acks), flow) = (*counts.lock().unwrap(), &outcome.flows[0]);
        assert!(flow.completed && one_by_one > 10.0, "{recovery}: {flow:?}");
        // Those of a timeout are not in an ACK's count.
        assert!(one_by_one >= in_acks && (flow.timeouts > 0 || one_by_one == in_acks), "{one_by_one}, {in_acks}");
    }
    let mut scenario = parse_toml(&text("fack"), "t").unwrap();
    scenario.flows[0].custom.control = Some(Box::new(Losses(Arc::default())));
    let why = Simulation::try_new(scenario.into()).err().unwrap().to_string();
    assert!(why.contains("needs a recovery that judges each segment"), "{why}");
}

#[test]
fn bbr3_fills_a_lossy_link_over_both_recoveries_that_judge_each_segment() {
    for recovery in ["rack", "rfc9002"] {
        let text = text(recovery).replace("'dctcp'", "'bbr3'").replace("ecn = true }", "}").replace("3000", "10000");
        let outcome = Simulation::new(parse_toml(&text, "t").unwrap().into()).run();
        let flow = &outcome.flows[0];
        assert!(flow.completed && flow.goodput_bps > 6.5e6, "{recovery}: {flow:?}");
    }
}
