//! What of a live run works on this machine: found out by trying.

use acklab_tcp::rules::{CreditKind, SenderRules, Stack, named};
use serde::Serialize;

use crate::bpf::load::register;
use crate::bpf::rules::Rules;
use crate::endpoint::available_controls;
use crate::kernel::release;
use crate::namespace::{Namespace, Trouble, ip, open_tun};
use crate::settings::DEVICE;
use crate::sys;

/// The findings. What works has no text; what does not says why and what helps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Findings {
    /// Whether a live run can be.
    pub works: bool,
    pub kernel: String,
    /// Congestion controls the kernel has.
    pub controls: Vec<String>,
    /// What keeps a run from being: network namespaces, TUN, iproute2.
    pub missing: Vec<String>,
    /// Why `--realtime` does not work.
    pub realtime: Option<String>,
    /// Why the scenario's sender cannot be in this kernel.
    pub sender: Option<String>,
}

/// Tries all of it in a namespace that is gone afterwards.
pub fn probe() -> Findings {
    let tried = Namespace::make(|| {
        let tun = open_tun();
        let link = if tun.is_ok() { ip(&["link", "set", "dev", DEVICE, "up"]) } else { ip(&["link"]) };
        let all: Vec<Trouble> = [tun.map(drop), link].into_iter().filter_map(Result::err).collect();
        Ok(all)
    });
    let missing: Vec<String> = match tried {
        Ok((_, troubles)) => troubles.iter().map(Trouble::to_string).collect(),
        Err(trouble) => vec![trouble.to_string()],
    };
    // On a thread of its own, which takes the priority with it.
    let realtime = std::thread::spawn(|| sys::run_first().err().map(|error| error.to_string()));
    Findings {
        works: missing.is_empty(),
        kernel: release(),
        controls: available_controls(),
        missing,
        sender: senders().err().map(|trouble| trouble.to_string()),
        realtime: realtime.join().unwrap_or_else(|_| Some("a thread broke down".to_owned())),
    }
}

/// Registers a sender, and lets it go.
fn senders() -> Result<(), Trouble> {
    let standard = SenderRules { credit: CreditKind::AckCounting {}, control: named("reno"), ..Stack::Rfc.sender() };
    Rules::of(&standard).map_or(Ok(()), |rules| register(&rules).map(drop))
}
