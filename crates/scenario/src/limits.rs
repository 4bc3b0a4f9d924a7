//! Limits of a scenario: what would not advance time, and what would not fit into memory (docs/reference/limits.md).

use acklab_packet::Time;
use acklab_path::stage::StageSpec;
use acklab_tcp::rules::{SenderRules, Window};

use crate::spec::Size;

/// Most flows of one scenario.
pub(super) const MOST_FLOWS: u64 = 1_000_000;

/// Most transfers of one scenario, if every flow repeats as often as it may.
pub(super) const MOST_TRANSFERS: u64 = 10_000_000;

/// Most listed writes of one scenario, those of all flows together.
pub(super) const MOST_LISTED: u64 = 10_000_000;

/// Most links, those of topologies and wlans included.
pub(super) const MOST_LINKS: usize = 100_000;

/// Most packets that all flows together may send at their starts.
const MOST_AT_START: f64 = 16_000_000.0;

/// Most packets that one may become in the stages of a far end.
const MOST_COPIES: f64 = 65_536.0;

/// The shortest span that may be repeated without end. Shorter ones would keep the clock where it is.
pub(super) const SHORTEST: Time = Time::from_secs(1e-6);

/// The latest end of a run. Later, a clock's double moves in steps of nearly [`SHORTEST`].
pub(super) const LATEST: Time = Time::from_secs(1e9);

/// What is wrong with a span that is repeated without end, if it is too short.
pub(super) fn too_short(span: Time) -> Option<String> {
    (span < SHORTEST).then(|| format!("is {}; must be at least 1us, or the clock would stand still", brief(span)))
}

/// A short span in few digits.
pub(super) fn brief(span: Time) -> String {
    if span == Time::ZERO { "0s".to_owned() } else { format!("{:e}s", span.secs()) }
}

/// How many packets one may become in these stages; what is wrong if that is too many.
pub(super) fn too_many_copies(stages: &[StageSpec]) -> Option<String> {
    let most: f64 = stages.iter().map(|stage| stage.copies()).product();
    (most > MOST_COPIES).then(|| format!("make up to {most:.0} packets of one; at most {MOST_COPIES:.0}"))
}

/// Packets that `count` flows send at their starts; what is wrong if, with `before` of others, they are too many.
pub(super) fn too_many_at_start(count: u64, sender: &SenderRules, size: Size, before: &mut f64) -> Option<String> {
    let packet = f64::from(sender.packet);
    let window = match sender.window {
        Window::Segments(segments) => segments.into(),
        Window::Bytes(bytes) => bytes.get() as f64 / packet,
    };
    let size = match size {
        Size::Segments(segments) => segments as f64,
        Size::Bytes(bytes) | Size::Uniform { high: bytes, .. } | Size::Pareto { high: bytes, .. } => {
            (bytes as f64 / packet).ceil()
        }
        Size::Unlimited => f64::INFINITY,
    };
    *before += count as f64 * sender.initial_window.min(window).min(size);
    let most = *before;
    (most > MOST_AT_START)
        .then(|| format!("lets the flows send {most:.0} packets at their starts; at most {MOST_AT_START:.0} in all"))
}
