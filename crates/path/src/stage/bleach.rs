//! Middleboxes that remove congestion signals: the field of IP (bleaching), TCP's flags, or an option. RFC 9768 sections
//! 3.2.2.3, 3.2.2.4 and 3.2.3.2 name the cases.

use acklab_packet::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Passing, Reissue, Stage, StageParams};
use crate::random::Random;
use crate::values::{Checked, Wrong};

/// Congestion signals are removed: the field of IP, TCP's flags, or the AccECN option.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BleachParams {
    /// The field of the IP header becomes Not-ECT, whatever it was.
    #[serde(default)]
    pub field: bool,
    /// ECT(0) becomes ECT(1), and ECT(1) becomes ECT(0).
    #[serde(default)]
    pub remark: bool,
    /// The flags AE, CWR and ECE of the TCP header are cleared, on SYNs and their answers, too.
    #[serde(default)]
    pub flags: bool,
    /// The AccECN option is removed.
    #[serde(default)]
    pub option: bool,
    /// The option ACK Rate Request is removed, on SYNs and their answers, too.
    #[serde(default)]
    pub request: bool,
    /// Packets that pass untouched first, counted from 0: a path that changes its behaviour.
    #[serde(default)]
    pub after: u64,
}

impl StageParams for BleachParams {
    fn check(&mut self) -> Checked {
        if self.field || self.flags || self.option || self.request || self.remark {
            return Ok(());
        }
        Err(Wrong::at("", "removes nothing; set `field`, `remark`, `flags`, `option` or `request` to true"))
    }

    fn only_simulated(&self) -> Option<&'static str> {
        Some("removes congestion signals, which only simulated packets lose")
    }
}

/// The stage of [`BleachParams`].
#[derive(Clone, Debug)]
pub struct Bleach<P> {
    params: BleachParams,
    seen: u64,
    packets: std::marker::PhantomData<P>,
}

impl<P> Bleach<P> {
    /// A stage that has seen nothing.
    pub fn new(params: &BleachParams, _: impl FnOnce() -> Random) -> Bleach<P> {
        Bleach { params: *params, seen: 0, packets: std::marker::PhantomData }
    }
}

impl<P: Reissue> Stage<P> for Bleach<P> {
    fn arrive(&mut self, mut passing: Passing<P>, _: Time, out: &mut Vec<Passing<P>>) {
        if self.seen >= self.params.after {
            passing.packet.bleach(&self.params);
        }
        self.seen += 1;
        out.push(passing);
    }
}
