//! The rules that a kernel's sender follows (bpf/rules.h) are the simulator's, to the last byte: both are told of the
//! same random ACKs, round trips and losses.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use acklab_live::bpf::rules::{Rules, stock};
use acklab_packet::Time;
use acklab_tcp::rules::{
    ControlKind, CreditKind, Growth, SenderRules, SlowStart, Stack, VenoBase, VenoEstimate, VenoFirstLoss, named,
};
use acklab_tcp::sender::CaState;
use acklab_tcp::sender::control::{AckEvent, CongestionControl, Control, Needs, Signal, Window};
use acklab_tcp::sender::credit::{Covered, Credit, WindowCredit};

/// ACKs in a row, for each combination of rules, segment size and seed.
const ACKS: u32 = 300;
const SEEDS: u64 = 2;

/// Numbers that look random.
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// The simulator's side: what `crates/tcp/src/sender/congestion` does with credit and control, without the rest of a sender.
struct Simulated {
    credit: Credit,
    control: Control,
    cwnd: f64,
    ssthresh: f64,
    mss: f64,
    /// Where a timeout's slow start ends.
    recover: Option<u64>,
}

impl Simulated {
    fn window(&self, now: Time) -> Window {
        let (cwnd, ssthresh, mss) = (self.cwnd, self.ssthresh, self.mss);
        Window { cwnd, ssthresh, mss, advertised: 1e9, bytes: true, now, srtt: 0.0 }
    }

    fn grow_by(&mut self, credit: f64) {
        if credit > 0.0 {
            let mut window = self.window(Time::ZERO);
            self.control.grow(credit, &mut window);
            self.cwnd = window.cwnd;
        }
    }

    fn ack(&mut self, ack: u64, acked: u64) {
        let worth = self.credit.worth(&Covered {
            acked: acked as f64,
            mss: self.mss,
            cwnd: self.cwnd,
            slow_start: self.cwnd < self.ssthresh,
            after_timeout: self.recover.is_some_and(|recover| ack - acked < recover),
            all: false,
        });
        self.grow_by(worth.first);
        (0..worth.times).for_each(|_| self.grow_by(worth.then));
    }

    fn signal(&mut self, signal: Signal, in_use: u64, end: u64) -> f64 {
        let window = self.window(Time::ZERO);
        let left = self.control.on_congestion(signal, in_use as f64, &window).ssthresh.floor().max(2.0 * self.mss);
        match signal {
            Signal::Timeout => self.credit.on_timeout(),
            Signal::Loss => self.credit.on_reduction(),
            Signal::Mark | Signal::Idle => {}
        }
        self.recover = (signal == Signal::Timeout).then_some(end);
        (self.cwnd, self.ssthresh) = (if signal == Signal::Timeout { self.mss } else { left }, left);
        left
    }
}

/// One connection's life: the lines for the C side, and what the simulator says to each that asks.
fn live(rules: &SenderRules, mss: u64, seed: u64, lines: &mut String, expected: &mut Vec<u64>) {
    let told = Rules::of(rules).expect("a sender that a kernel can be");
    for (name, value) in told.numbers() {
        writeln!(lines, "number {name} {value}").unwrap();
    }
    let mut draw = Draw(seed ^ mss << 20);
    let mut simulated = Simulated {
        credit: Credit::new(rules),
        control: Control::new(rules.control.clone(), rules.packet, 0),
        cwnd: (10 * mss + draw.below(mss)) as f64,
        ssthresh: (mss * (5 + draw.below(60))) as f64,
        mss: mss as f64,
        recover: None,
    };
    writeln!(lines, "begin {}", simulated.cwnd).unwrap();
    let (mut una, mut now, mut recovering) = (0, 1_000_003, None);
    for _ in 0..ACKS {
        let acked = match draw.below(8) {
            0 | 1 => 1 + draw.below(mss),
            2 => 2 * mss,
            3 => 1 + draw.below(20 * mss),
            _ => mss,
        };
        let (before, end) = (una, una + acked + simulated.cwnd as u64);
        una += acked;
        if recovering.is_some_and(|recover| una >= recover) {
            recovering = None;
            writeln!(lines, "recovering 0").unwrap();
        }
        // No instant is a tick's: there doubles may fall either way.
        now += 1000 * draw.below(9) + 1000;
        let base = if draw.below(3) == 0 { 20 } else { 31 };
        let rtt = 1000 * (base + draw.below(4)) + draw.below(2);
        let timed = draw.below(5) > 0;
        let ack = AckEvent {
            ack: una,
            snd_max: end,
            acked: acked as f64,
            rtt: timed.then_some(rtt as f64 / 1e6),
            newly_delivered: acked as f64,
            state: if recovering.is_some() { CaState::Recovery } else { CaState::Open },
            ..AckEvent::default()
        };
        let mut window = simulated.window(Time::from_secs(now as f64 / 1e6));
        simulated.control.on_ack(&ack, &mut window);
        if let Some(backlog) = simulated.control.estimate().map(|estimate| estimate.backlog)
            && [1.0, 3.0, 2.5].iter().any(|limit| (backlog - limit).abs() < 1e-9)
        {
            // Neither more nor less: in doubles, a matter of rounding.
            return;
        }
        if timed {
            writeln!(lines, "trip {rtt} {now} {una} {end} {mss} {}", simulated.ssthresh).unwrap();
        }
        if recovering.is_none() {
            writeln!(lines, "ack {una} {acked} {mss} {}", simulated.ssthresh).unwrap();
            simulated.ack(una, acked);
            expected.push(simulated.cwnd as u64);
        }
        assert!(simulated.cwnd >= mss as f64 && before < una);
        if draw.below(40) == 0 {
            let number = draw.below(3);
            let signal = [Signal::Loss, Signal::Timeout, Signal::Mark][number as usize];
            let in_use = simulated.cwnd as u64 - draw.below(mss);
            writeln!(lines, "signal {number} {in_use} {end} {mss}").unwrap();
            expected.push(simulated.signal(signal, in_use, end) as u64);
            recovering = (signal == Signal::Loss).then_some(una + 5 * mss);
            writeln!(lines, "recovering {}", u8::from(recovering.is_some())).unwrap();
        }
    }
}

fn credits() -> Vec<CreditKind> {
    let mut all = vec![CreditKind::AckCounting {}, CreditKind::Rfc5681 {}, CreditKind::FullSegments {}];
    all.extend([CreditKind::Counter {}, CreditKind::SegmentCounter {}]);
    for growth in [Growth::Whole, Growth::Steps, Growth::AllThenOne] {
        all.push(CreditKind::Ubc { growth });
        all.extend([1.0, 1.5, 2.0, 4.25].map(|limit| CreditKind::Lbc { limit, growth }));
    }
    all.extend([1.0, 2.0, 8.5].map(|limit| CreditKind::Abc { limit }));
    all.extend([2.0, 4.0].map(|limit| CreditKind::Sabc { limit }));
    all
}

fn controls() -> Vec<ControlKind> {
    let mut all = vec![named("reno")];
    for clock in [Time::ZERO, Time::from_secs(0.001)] {
        for (alpha, beta) in [(1.0, 3.0), (1.0, 1.0), (2.5, 3.0)] {
            for estimate in [VenoEstimate::PerAck, VenoEstimate::PerRtt] {
                for first_loss in [VenoFirstLoss::Half, VenoFirstLoss::ByFlag] {
                    for base_rtt in [VenoBase::SinceLoss, VenoBase::Ever] {
                        all.push(ControlKind::Veno {
                            alpha,
                            beta,
                            estimate,
                            first_loss,
                            base_rtt,
                            clock,
                            slow_start: SlowStart::Standard,
                        });
                    }
                }
            }
        }
    }
    all
}

/// What the C sources say to `lines`.
fn compiled(lines: &str) -> Vec<u64> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("bpf");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("replay");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let built = Command::new(compiler)
        .args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable", "-o"])
        .args([&program, &sources.join("replay.c")])
        .status();
    assert!(built.expect("the C compiler that links Rust programs, too").success());
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let said = std::thread::scope(|scope| {
        scope.spawn(move || input.write_all(lines.as_bytes()).unwrap());
        child.wait_with_output().unwrap()
    });
    assert!(said.status.success());
    String::from_utf8(said.stdout).unwrap().lines().map(|line| line.parse().unwrap()).collect()
}

#[test]
fn every_credit_and_control_is_the_simulators_to_the_last_byte() {
    let mut lines = String::new();
    let (mut expected, mut lives) = (Vec::new(), Vec::new());
    for control in controls() {
        for credit in credits() {
            for seed in 0..SEEDS {
                for mss in [1448, 1000, 536 + 7 * seed] {
                    let rules = SenderRules { credit, control: control.clone(), ..Stack::Rfc.sender() };
                    lives.push((expected.len(), format!("{credit:?} with {control:?}, {mss} bytes, seed {seed}")));
                    live(&rules, mss, seed, &mut lines, &mut expected);
                }
            }
        }
    }
    assert!(expected.len() > 1_000_000, "{} windows", expected.len());
    let said = compiled(&lines);
    assert_eq!(said.len(), expected.len());
    if let Some(wrong) = (0..said.len()).find(|&index| said[index] != expected[index]) {
        let (from, life) = lives.iter().rfind(|(from, _)| *from <= wrong).unwrap();
        panic!("{life}: answer {} is {} in C, {} simulated", wrong - from, said[wrong], expected[wrong]);
    }
}

#[test]
fn what_linux_does_by_itself_needs_no_other_sender() {
    let of = |credit, control| stock(&SenderRules { credit, control, ..Stack::Rfc.sender() });
    let veno = controls()[1].clone();
    assert!(of(CreditKind::FullSegments {}, named("reno")) && of(CreditKind::SegmentCounter {}, named("reno")));
    assert!(!of(CreditKind::AckCounting {}, named("reno")) && !of(CreditKind::Rfc5681 {}, named("reno")));
    assert!(!of(CreditKind::FullSegments {}, veno), "no module is counted on");
    let vegas = Control::new(named("westwood"), 1460, 0);
    assert_eq!(vegas.needs(), Needs::RoundTrips);
    let westwood = SenderRules { control: named("westwood"), ..Stack::Rfc.sender() };
    assert_eq!(Rules::of(&westwood), None, "not known to the eBPF sender");
}
