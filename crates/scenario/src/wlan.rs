//! `[[wlan]]`: an access point and its stations on one 802.11 medium, and the links that they make.

use std::collections::HashMap;

use acklab_packet::Time;
use acklab_path::server::{DcfParams, DcfSpec};
use acklab_path::spec::{QueueSpec, RateSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::error::{Problem, not_a_name};
use super::link::{BackTable, LinkTable};
use super::network::{Key, Network, Origin, checked_queue};
use crate::spec::MediumSpec;

/// Most stations: each transmission asks them all.
const MOST_STATIONS: usize = 1000;

/// An 802.11 network: a link between the access point and each station, all on one medium.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WlanTable {
    /// Unique; `wlan0`, `wlan1`, ... by place in the file where left out. It names the stations' random streams.
    pub name: Option<String>,
    /// Node of the access point; forward is from it.
    pub ap: String,
    /// Nodes of the stations.
    pub stations: Vec<String>,
    /// Interface queue of each station; drop-tail with room for 50 waiting packets where left out.
    pub queue: Option<QueueSpec>,
    /// The access point's, one for all stations; as `queue` where left out.
    pub ap_queue: Option<QueueSpec>,
    /// Rates, times and rules of the medium.
    #[serde(default)]
    pub mac: DcfSpec,
}

/// A wlan whose own keys are in order.
pub(super) struct Wlan {
    name: String,
    ap: String,
    stations: Vec<String>,
    queue: QueueSpec,
    ap_queue: QueueSpec,
    mac: DcfSpec,
}

/// Checks what concerns the tables alone.
pub(super) fn checked(tables: Vec<WlanTable>) -> Result<Vec<Wlan>, Problem> {
    let (mut wlans, mut names) = (Vec::with_capacity(tables.len()), HashMap::new());
    for (index, table) in tables.into_iter().enumerate() {
        let at = |key: &str| format!("wlan[{index}].{key}");
        let name = table.name.unwrap_or_else(|| format!("wlan{index}"));
        if let Some(what) = not_a_name(&name) {
            return Err(Problem::at(at("name"), what).given_text(name));
        }
        if let Some(earlier) = names.insert(name.clone(), index) {
            return Err(Problem::at(at("name"), format!("wlan[{earlier}] has this name too")).given_text(&name));
        }
        if let Some(what) = not_a_name(&table.ap) {
            return Err(Problem::at(at("ap"), format!("a node's name {what}")).given_text(&table.ap));
        }
        if table.stations.is_empty() || table.stations.len() > MOST_STATIONS {
            let what = format!("must be from 1 to {MOST_STATIONS} nodes");
            return Err(Problem::at(at("stations"), what).given(table.stations.len()));
        }
        let mut seen = HashMap::new();
        for (place, station) in table.stations.iter().enumerate() {
            let wrong = |what: String| Err(Problem::at(at(&format!("stations[{place}]")), what).given_text(station));
            if let Some(what) = not_a_name(station) {
                return wrong(format!("a node's name {what}"));
            }
            if *station == table.ap {
                return wrong("is the access point".into());
            }
            if let Some(earlier) = seen.insert(station, place) {
                return wrong(format!("is stations[{earlier}] already"));
            }
        }
        if let Some((key, what)) = DcfParams::check(&table.mac) {
            return Err(Problem::at(at(&format!("mac.{key}")), what));
        }
        let key = format!("wlan[{index}]");
        let queue = checked_queue(limited(table.queue), format_args!("{key}.queue"), None)?;
        let ap_queue =
            table.ap_queue.map(|queue| checked_queue(limited(Some(queue)), format_args!("{key}.ap_queue"), None));
        let ap_queue = ap_queue.transpose()?.unwrap_or_else(|| queue.clone());
        let mac = table.mac.complete();
        wlans.push(Wlan { name, ap: table.ap, stations: table.stations, queue, ap_queue, mac });
    }
    Ok(wlans)
}

/// The queue with an interface's limit where it has none.
fn limited(queue: Option<QueueSpec>) -> QueueSpec {
    let mut queue = queue.unwrap_or(QueueSpec::drop_tail(None, None, None, None));
    if let QueueSpec::DropTail(params) = &mut queue
        && params.limits().is_empty()
    {
        params.waiting = Some(50);
    }
    queue
}

impl Wlan {
    /// The links it stands for; `index` is its place in the file.
    pub fn links(&self, index: usize) -> impl Iterator<Item = Origin> + '_ {
        let rate = DcfParams::new(&self.mac).rate;
        self.stations.iter().enumerate().map(move |(place, station)| Origin {
            link: LinkTable {
                between: [self.ap.clone(), station.clone()],
                rate: RateSpec::Constant(rate),
                delay: Time::ZERO,
                crossings: 1,
                queue: Some(self.ap_queue.clone()),
                loss: None,
                stages: Vec::new(),
                back: Some(BackTable { queue: Some(self.queue.clone()), ..BackTable::default() }),
            },
            key: Key::Wlan(index, place),
        })
    }
}

/// The media, whose links begin at `first` among the network's.
pub(super) fn media(wlans: Vec<Wlan>, first: u32, network: &Network) -> Result<Vec<MediumSpec>, Problem> {
    let mut next = first;
    let mut media = Vec::with_capacity(wlans.len());
    for (index, wlan) in wlans.into_iter().enumerate() {
        let mut stations = vec![(network.find(&wlan.ap, format_args!("wlan[{index}].ap"))?, wlan.ap_queue)];
        for station in &wlan.stations {
            stations.push((network.find(station, format_args!("wlan[{index}].stations"))?, wlan.queue.clone()));
        }
        let end = next + 2 * wlan.stations.len() as u32;
        media.push(MediumSpec { name: wlan.name, mac: wlan.mac, stations, links: (next..end).collect() });
        next = end;
    }
    Ok(media)
}
