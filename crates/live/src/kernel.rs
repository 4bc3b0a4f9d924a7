//! The running kernel: its release, its counters, its connections, and the rules that it does not follow.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use acklab_packet::Time;
use nix::time::{ClockId, clock_getres};

use crate::clock::Clock;
use crate::endpoint::Shared;
use crate::ignored::{Ignored, ticks};
use crate::plan::Plan;
use crate::sample::{self, Sample};
use crate::sys;

/// Time between two looks at the kernels.
pub(crate) const LOOK: Duration = Duration::from_millis(5);

/// Returns its release.
pub fn release() -> String {
    fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned()
}

/// Recoveries in the calling thread's namespace that duplicate ACKs or SACK began (`TCPRenoRecovery`, `TCPSackRecovery`).
pub(crate) fn recoveries() -> Option<u64> {
    let text = fs::read_to_string("/proc/thread-self/net/netstat").ok()?;
    let mut lines = text.lines().filter(|line| line.starts_with("TcpExt:"));
    let (names, counts) = (lines.next()?, lines.next()?);
    let of = |name: &str| {
        let (_, count) = names.split(' ').zip(counts.split(' ')).find(|(given, _)| *given == name)?;
        count.parse::<u64>().ok()
    };
    Some(of("TCPRenoRecovery")? + of("TCPSackRecovery")?)
}

/// Asks the kernel about every connection that is open.
pub(crate) fn look(shared: &[Arc<Shared>], clock: Clock, series: &mut Vec<Sample>) {
    for (flow, state) in (0..).zip(shared) {
        let Some(stream) = state.stream.get() else { continue };
        let mut info = [0; sample::BYTES];
        if let Ok(length) = sys::tcp_info(stream, &mut info) {
            series.extend(sample::read(&info[..length], flow, clock.now().secs()));
        }
    }
}

/// The rules that this kernel did not follow, its clock's tick (1/HZ) among them.
pub(crate) fn ignored(plan: &Plan, taken: bool) -> Vec<Ignored> {
    let tick =
        clock_getres(ClockId::CLOCK_MONOTONIC_COARSE).map(|tick| Time::from_secs(Duration::from(tick).as_secs_f64()));
    let ticks = plan.scenario.flows.iter().flat_map(|spec| tick.map_or_else(|_| Vec::new(), |tick| ticks(spec, tick)));
    let mut found: Vec<_> = plan.ignored(taken).into_iter().chain(ticks).collect();
    found.sort_by(|a, b| a.key.cmp(&b.key));
    found
}
