//! A live run's two kernels under one virtual clock: each side is a kernel, and the path between them is the plan's.

use std::path::{Path, PathBuf};

use acklab_packet::Time;

use super::frame::{self, Goal};
use super::host::{BROKE, ENDED, Told};
use super::machine::Start;
use super::network::{Arrival, Network};
use super::run::{EPOCH_NS, Ended, Places, Went, drive};
use crate::lateness::Lateness;
use crate::outcome::Outcome;
use crate::packet::WirePacket;
use crate::plan::Plan;
use crate::rows::{Seen, outcome};
use crate::way::{Way, write_captures};

/// Routes and settings take virtual time. A kernel's count of ticks begins at -300,000. After this time it is a multiple of 4096, the
/// coarsest slot of timers of four minutes, so the simulator's tick has the phase 0.
const BOOT_NS: u64 = 992_000_000;
/// Packets that exactly meet their instant are not late.
const LATE_S: f64 = 0.0;

/// What is asked of a run besides its plan.
#[derive(Debug)]
pub struct Asked {
    /// Each side's kernel.
    pub starts: [Start; 2],
    /// Their places.
    pub places: Places,
    /// Where each side's first process leaves what it was told.
    pub results: [PathBuf; 2],
    /// Where `sender.pcap` and `receiver.pcap` go, and the bytes to keep of each packet (0: all).
    pub captures: Option<(PathBuf, u32)>,
}

/// The path, and when it ends.
pub(crate) struct Pair {
    pub(crate) ways: [Way; 2],
    now: Time,
    end: Time,
    /// Flows that have not ended, where the run ends with them.
    unended: Option<usize>,
    over: bool,
    through: Vec<(Time, WirePacket)>,
    arrivals: Vec<Arrival>,
}

impl Pair {
    /// `snap` is the bytes to keep of each packet (0: all), if captures are wanted.
    pub(crate) fn new(plan: &Plan, snap: Option<u32>, end: Time) -> Pair {
        Pair {
            ways: [0, 1].map(|direction| Way::new(plan, direction, snap)),
            now: Time::ZERO,
            end,
            unended: plan.until_complete.then_some(plan.flows.len()),
            over: false,
            through: Vec::new(),
            arrivals: Vec::new(),
        }
    }

    /// What a first process tells.
    fn note(&mut self, payload: &[u8]) {
        if payload == ENDED
            && let Some(left) = &mut self.unended
        {
            *left = left.saturating_sub(1);
        }
        if payload == BROKE || self.unended == Some(0) {
            self.end = self.end.min(self.now);
        }
    }
}

impl Network for Pair {
    fn name(&self, node: usize) -> String {
        ["the senders", "the receivers"][node].to_owned()
    }

    fn number(&self, node: usize) -> u32 {
        node as u32
    }

    fn boot_ns(&self) -> u64 {
        BOOT_NS
    }

    fn due(&mut self) -> Option<Time> {
        (!self.over).then(|| self.ways.iter().filter_map(Way::next).fold(self.end, Time::min).max(self.now))
    }

    fn step(&mut self, now: Time) -> Result<(), String> {
        self.now = now;
        if now >= self.end {
            self.over = true;
            return Ok(());
        }
        for direction in 0..2 {
            self.ways[direction].wake(now);
            self.ways[direction].advance(now, &mut self.through);
            for (at, packet) in self.through.drain(..) {
                let seen = self.ways[direction].arrives(&packet, now);
                self.ways[1 - direction].hears.extend(seen);
                self.arrivals.push(Arrival { node: 1 - direction, at, bytes: packet.bytes().to_vec() });
            }
            // The other direction's shapers receive it before the kernel answers.
            self.ways[1 - direction].wake(now);
        }
        Ok(())
    }

    fn ended(&self) -> bool {
        self.over
    }

    fn sent(&mut self, node: usize, frame: &[u8], at: Option<Time>, _: u64) -> Result<Option<Vec<u8>>, String> {
        let Some(bytes) = frame::packet(frame) else {
            self.ways[node].foreign += u64::from(at.is_some() && !self.over);
            return Ok(None);
        };
        self.now = self.now.max(at.unwrap_or_default());
        if frame::goal(bytes, 2) == Goal::Control {
            self.note(frame::control(bytes));
        } else if at.is_some() && !self.over {
            self.ways[node].comes(bytes, self.now);
        }
        Ok(None)
    }

    fn arrivals(&mut self, into: &mut Vec<Arrival>) {
        std::mem::swap(&mut self.arrivals, into);
    }

    fn capture(&mut self, _: usize, _: &[u8], _: u64) -> Result<(), String> {
        Ok(()) // the ways have tapes
    }
}

/// Runs a plan between two kernels. The outcome, if both first processes have left what they were told; and how each kernel ended.
///
/// # Errors
/// Why it could not be, or broke off, in one line.
pub fn run(
    plan: &Plan,
    asked: &Asked,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<(Option<Outcome>, Vec<Ended>), String> {
    let pair = Pair::new(plan, asked.captures.as_ref().map(|(_, snap)| *snap), Time::from_secs(plan.end_s));
    let Went { network, ended, overrun, .. } = drive(pair, &asked.starts, &asked.places, go_on)?;
    let [Some(near), Some(far)] = asked.results.each_ref().map(|place| told(place)) else { return Ok((None, ended)) };
    if let Some(trouble) = near.trouble.or(far.trouble) {
        return Err(trouble);
    }
    let Pair { ways, now, mut end, .. } = network;
    end = end.min(now);
    if let Some((directory, _)) = &asked.captures {
        write_captures(&ways, directory, EPOCH_NS)
            .map_err(|error| format!("cannot write captures to {}: {error}", directory.display()))?;
    }
    let mut series: Vec<_> = near.series.into_iter().chain(far.series).collect();
    series.sort_by(|a, b| a.time_s.total_cmp(&b.time_s).then(a.flow.cmp(&b.flow)));
    series.retain(|sample| sample.time_s <= end.secs());
    let kernel = if near.kernel == far.kernel { near.kernel } else { format!("{} to {}", near.kernel, far.kernel) };
    let seen = Seen {
        ways,
        series,
        end,
        lateness: Lateness::default().summary(),
        late_s: LATE_S,
        refused: overrun,
        recoveries: [near.recoveries, far.recoveries],
        labels: near.labels,
        notes: near.notes,
        ignored: near.ignored,
        kernel,
    };
    Ok((Some(outcome(plan, seen)), ended))
}

/// What a first process has left.
fn told(place: &Path) -> Option<Told> {
    serde_json::from_slice(&std::fs::read(place).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use acklab_scenario::parse_toml;

    use super::*;
    use crate::checksum;
    use crate::plan::Options;
    use crate::settings::{FIRST_PORT, address};

    const TEXT: &str = "stop = { when = 'flows-complete' }
[[link]]
between = ['S', 'R']
rate = '8Mbps'
delay = '10ms'
[[flow]]
from = 'S'
to = 'R'
size = { segments = 3 }
sender = { stack = 'linux' }
receiver = { stack = 'linux' }
";

    /// A SYN of side 0 to the first flow's receiver, in a frame.
    fn syn() -> Vec<u8> {
        let mut bytes = vec![0x45, 0, 0, 40, 0, 0, 0x40, 0, 64, 6, 0, 0];
        bytes.extend(address(0, false));
        bytes.extend(address(1, false));
        let sum = checksum::internet(&bytes);
        bytes[10..12].copy_from_slice(&sum.to_be_bytes());
        bytes.extend(50_000_u16.to_be_bytes());
        bytes.extend(FIRST_PORT.to_be_bytes());
        bytes.extend([0, 0, 0, 7, 0, 0, 0, 0, 0x50, 2, 1, 0, 0, 0, 0, 0]);
        frame::frame(&bytes, 0)
    }

    #[test]
    fn a_packet_arrives_when_the_path_says_and_the_last_flow_ends_the_run() {
        let plan = Plan::new(parse_toml(TEXT, "t").expect("a scenario").into(), &Options::default()).expect("a plan");
        let mut pair = Pair::new(&plan, None, Time::NEVER);
        let (mut found, at) = (Vec::new(), Time::from_secs(0.25));
        assert_eq!(pair.sent(0, &syn(), None, 0), Ok(None), "before the beginning there is no path");
        assert_eq!(pair.sent(0, &syn(), Some(at), 0), Ok(None));
        let due = pair.due().expect("it is on its way");
        assert_eq!(due, at + (Time::from_secs(8.0 * 40.0 / 8e6) + Time::from_secs(0.01)));
        while found.is_empty() && !pair.ended() {
            pair.step(due).expect("a step");
            pair.arrivals(&mut found);
        }
        assert_eq!((found[0].node, found[0].at), (1, due));
        let told = frame::frame(&frame::told(0, ENDED), 0);
        let to_control = [&told[..30], &frame::CONTROL, &told[34..]].concat();
        assert_eq!((pair.sent(0, &to_control, Some(due), 0), pair.due()), (Ok(None), Some(due)));
        pair.step(due).expect("the end");
        assert!(pair.ended() && pair.due().is_none());
    }

    #[test]
    fn only_datagrams_to_one_port_are_for_the_first_processes() {
        let mut bytes = frame::told(0, b"ended 1");
        bytes[16..20].copy_from_slice(&frame::CONTROL);
        assert_eq!(frame::goal(&bytes, 2), Goal::Control);
        let changed = |at: usize, value: u8| {
            let mut other = bytes.clone();
            other[at] = value;
            frame::goal(&other, 2)
        };
        // TCP, another port, a later fragment.
        assert_eq!([changed(9, 6), changed(23, 2), changed(7, 1)], [Goal::Nobody; 3]);
    }
}
