//! Guard of a run: its clock must advance, and its packets and rows must fit into memory.
//!
//! It acts once every [`LOOK`] events, outside the loop over events.

use std::collections::BTreeMap;

use acklab_packet::Time;

use super::Simulation;
use crate::error::CannotGoOn;
use crate::event::Event;
use crate::network::Held;
use crate::summary::transfer_name;

/// Events between two checks.
pub(crate) const LOOK: usize = 1 << 16;

/// Events, and more for each flow, in which the clock goes on by [`STANDSTILL`] at least: all flows may start at one instant.
const MOST_AT_ONCE: u64 = 1_000_000;
const MOST_AT_ONCE_OF_A_FLOW: u64 = 64;

/// In seconds: less than the service of the smallest packet on the fastest link.
const STANDSTILL: f64 = 1e-13;

/// Bytes that a run may hold in packets and recorded rows.
pub(crate) const MOST_HELD: u64 = 4 << 30;

/// How many events of a clock that stands still are distinguished, to name what most of them are.
const CENSUS: usize = 1_000;

/// State of the guard.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    /// Events until the next look.
    pub(crate) next_look: usize,
    /// Where the clock stood at an earlier look, and events since then.
    since: Time,
    events: u64,
    /// [`MOST_HELD`], but in tests.
    pub(crate) most_held: u64,
}

impl Default for Watch {
    fn default() -> Watch {
        Watch { next_look: LOOK, since: Time::ZERO, events: 0, most_held: MOST_HELD }
    }
}

impl Simulation {
    /// Checks that the clock advances and that memory is enough.
    #[cold]
    pub(crate) fn look(&mut self) -> Result<(), CannotGoOn> {
        let (now, flows) = (self.now(), self.flows.len() as u64);
        self.watch.next_look = LOOK;
        self.watch.events += LOOK as u64;
        if now.secs() - self.watch.since.secs() >= STANDSTILL {
            (self.watch.since, self.watch.events) = (now, 0);
        }
        if self.watch.events >= MOST_AT_ONCE + MOST_AT_ONCE_OF_A_FLOW * flows {
            return Err(self.standstill());
        }
        let held = self.net.held();
        if held.bytes > self.watch.most_held {
            let Held { packets, rows, bytes } = held;
            return Err(CannotGoOn::new(format!(
                "at {now} the run holds {} MiB, in {packets} packets that wait or are on their way and {rows} recorded \
                 rows; at most {} MiB: limit the queues, record less, or stop earlier",
                bytes >> 20,
                self.watch.most_held >> 20
            )));
        }
        Ok(())
    }

    /// Names what most of the events are that keep the clock where it is.
    fn standstill(&mut self) -> CannotGoOn {
        let (now, events) = (self.now(), self.watch.events);
        let mut census: BTreeMap<String, usize> = BTreeMap::new();
        for _ in 0..CENSUS {
            *census.entry(self.next_source()).or_default() += 1;
            self.handle(1);
        }
        let most = census.into_iter().max_by_key(|(_, events)| *events).map(|(name, _)| name).unwrap_or_default();
        CannotGoOn::new(format!("time stands still at {now}: {events} events at this instant, most of them of {most}"))
    }

    /// To whom the next event belongs.
    fn next_source(&mut self) -> String {
        let Some(due) = self.net.peek() else { return "nobody".to_owned() };
        let flow = |id: u32| match self.flows.get(id as usize) {
            Some(flow) => transfer_name(&self.scenario, flow),
            None => self.stream_rows().nth(id as usize - self.flows.len()).map(|(_, row)| row.name).unwrap_or_default(),
        };
        match due.event() {
            Event::Deliver(lane) => match self.net.front(lane) {
                Some((link, id)) => format!("packets of flow `{}` on link {}", flow(id), self.link_name(link)),
                None => "packets".to_owned(),
            },
            Event::Free(link) => format!("link {}", self.link_name(link)),
            Event::SenderTimer(id) => format!("the retransmission timer of flow `{}`", flow(id)),
            Event::ReceiverTimer(id) => format!("the ACK timer of flow `{}`", flow(id)),
            Event::Pacer(id) => format!("the pacer of flow `{}`", flow(id)),
            Event::Start(id) => format!("starts of flow `{}`", flow(id)),
            Event::Write(id) => format!("the source of flow `{}`", flow(id)),
            Event::Medium(id) => format!("wlan `{}`", self.scenario.media[id as usize].name),
            Event::Stages(id) => {
                format!("the stages of link {}", self.link_name(self.net.stages[id as usize].link))
            }
            Event::Look(_) => "expectations".to_owned(),
            Event::Stop => "the end".to_owned(),
        }
    }

    fn link_name(&self, link: u32) -> String {
        let links = &self.scenario.links;
        // Behind the links stand places of stages.
        let spec = links.get(link as usize).or_else(|| {
            let placed = self.net.stages.get(link as usize - links.len())?;
            links.get(placed.link as usize)
        });
        let name = |node: u32| &self.scenario.nodes[node as usize];
        spec.map(|spec| format!("{} -> {}", name(spec.from), name(spec.to))).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_scenario::parse_toml;

    fn simulation(text: &str) -> Simulation {
        Simulation::new(parse_toml(text, "t").unwrap_or_else(|error| panic!("{error}")).into())
    }

    const LINK: &str = "[[link]]\nbetween = ['S', 'R']\nrate = '1Mbps'\ndelay = '1ms'\n";

    /// What no check of a text rules out: at 1e9 s a clock's double moves in steps of 0.1 us.
    fn late(flow: &str, link: &str) -> String {
        format!(
            "stop.at = '1000000000s'\n[[link]]\nbetween = ['S', 'R']\n{link}\n[[flow]]\nname = 'f'\nfrom = 'S'\nto = 'R'\n{flow}"
        )
    }

    #[test]
    fn a_clock_that_stands_still_ends_the_run_and_names_who_stops_it() {
        let wide = "rate = '1000000Gbps'\ndelay = '0s'";
        for (flow, link, named) in [
            ("start = '900000000s'", wide, "packets of flow `f` on link "),
            (
                "start = '900000000s'\nsource = { kind = 'udp', rate = '1000000Gbps', packet = 28 }",
                wide,
                "the source of flow `f`",
            ),
        ] {
            let mut simulation = simulation(&late(flow, link));
            let why = loop {
                match simulation.run_some(10_000) {
                    Ok(ended) => assert!(!ended, "{flow}"),
                    Err(why) => break why.to_string(),
                }
            };
            assert!(why.starts_with("time stands still at ") && why.contains(named), "{why}");
        }
    }

    #[test]
    fn many_flows_may_start_at_one_instant() {
        let mut simulation =
            simulation(&format!("stop.at = '1ms'\n{LINK}[[flow]]\nfrom = 'S'\nto = 'R'\ncount = 1000"));
        assert_eq!(simulation.run_some(usize::MAX), Ok(true));
    }

    #[test]
    fn a_run_that_holds_too_much_ends() {
        let queue = "queue = { kind = 'drop-tail', waiting = 1000000000000 }\n";
        let flood = "[[flow]]\nfrom = 'S'\nto = 'R'\nsource = { kind = 'udp', rate = '1Gbps', packet = 28 }\n";
        let plenty = "[[flow]]\nfrom = 'S'\nto = 'R'\n";
        for (more, flow) in [(queue, flood), ("", plenty)] {
            for record in ["", "record.packets = true\n", "record.series = true\n"] {
                let mut simulation = simulation(&format!("stop.at = '1000s'\n{record}{LINK}{more}{flow}"));
                simulation.watch.most_held = 8 << 20;
                let result = simulation.run_some(usize::MAX);
                let grows = more == queue || record == "record.packets = true\n";
                assert_eq!(result.is_err(), grows, "{more}{record}");
                assert!(result.is_ok_and(|ended| ended) || simulation.net.held().bytes < 64 << 20);
            }
        }
    }
}
