//! Expectations of a scenario, compared with what a run gives.

use acklab_scenario::spec::{ExpectSpec, Subject, Test};
use acklab_table::{Cell, Column, Kind, Row};

use super::Simulation;
use crate::outcome::{Check, FlowRow, LinkRow, SeriesRow};
use crate::{record, summary};

impl Simulation {
    /// The time of an expectation has come.
    pub(super) fn on_look(&mut self, index: u32) {
        let expect = &self.scenario.expect[index as usize];
        let links = if matches!(expect.subject, Subject::Link(_)) { self.link_rows() } else { Vec::new() };
        let found = self.found(expect, &links);
        self.looked[index as usize] = Some(found);
    }

    /// Every expectation, with what was found. One without a time is compared with the run as it stands.
    pub(super) fn checks(&self, links: &[LinkRow]) -> Vec<Check> {
        let looked = |(expect, looked): (&ExpectSpec, &Option<Option<Found>>)| match (looked, expect.at) {
            (Some(found), _) => self.check(expect, found.clone(), "nothing"),
            (None, None) => self.check(expect, self.found(expect, links), "nothing"),
            (None, Some(_)) => self.check(expect, None, &format!("nothing: the run ended at {}", self.now())),
        };
        self.scenario.expect.iter().zip(&self.looked).map(looked).collect()
    }

    fn check(&self, expect: &ExpectSpec, found: Option<Found>, nothing: &str) -> Check {
        let ExpectSpec { subject, at, what, test } = expect;
        let subject = match subject {
            Subject::Flow { name, .. } => format!("flow {name}"),
            Subject::Link(index) => {
                let link = &self.scenario.links[*index as usize];
                let [from, to] = [link.from, link.to].map(|node| &self.scenario.nodes[node as usize]);
                format!("link {from}->{to}")
            }
        };
        let holds = found.as_ref().is_some_and(|found| found.passes(test));
        let found = found.map_or_else(|| nothing.to_owned(), |found| found.to_string());
        Check {
            subject,
            at_s: at.map(|at| at.secs()),
            what: (*what).to_owned(),
            expected: test.to_string(),
            found,
            holds,
        }
    }

    /// The present value of the column that an expectation names; `links` are the links' rows.
    fn found(&self, expect: &ExpectSpec, links: &[LinkRow]) -> Option<Found> {
        match &expect.subject {
            Subject::Link(index) => cell::<LinkRow>(&links[*index as usize], expect.what),
            Subject::Flow { name, table, member } => {
                let before = self.scenario.flows.iter().take(*table as usize).map(|flow| flow.count as usize);
                let id = before.sum::<usize>() + *member as usize;
                let flow = &self.flows[id];
                if summary::transfer_name(&self.scenario, flow) != *name {
                    let (_, row) = self.earlier.iter().find(|(_, row)| row.name == *name)?;
                    return cell::<FlowRow>(row, expect.what);
                }
                let row = summary::flow_row(&self.scenario, flow, id, &self.net);
                let state = || record::state(self.now(), flow.transfer, &flow.sender, &flow.receiver);
                cell::<FlowRow>(&row, expect.what).or_else(|| cell::<SeriesRow>(&state(), expect.what))
            }
        }
    }
}

/// What a column has.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// A number.
    Number(f64),
    /// A word, `true` or `false`.
    Word(String),
}

impl Found {
    fn passes(&self, test: &Test) -> bool {
        match (self, test) {
            (Found::Number(found), Test::Above(least)) => found > least,
            (Found::Number(found), Test::Below(most)) => found < most,
            (Found::Number(found), Test::Equals(number)) => found == number,
            (Found::Number(found), Test::Within(low, high)) => low <= found && found <= high,
            (Found::Word(found), Test::Is(word)) => found == word,
            (Found::Word(_), _) | (Found::Number(_), Test::Is(_)) => false,
        }
    }
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Found::Number(number) => number.fmt(f),
            Found::Word(word) => word.fmt(f),
        }
    }
}

/// What a row has in the column of that name, if it has that column and anything in it.
fn cell<R: Row>(row: &R, name: &str) -> Option<Found> {
    let Column { kind, cell, .. } = R::COLUMNS.iter().find(|column| column.name == name)?;
    match (cell(row), kind) {
        (Cell::Number(number), _) if !number.is_nan() => Some(Found::Number(number)),
        (Cell::Count(count), _) => Some(Found::Number(count as f64)),
        (Cell::Truth(truth), _) => Some(Found::Word(truth.to_string())),
        (Cell::Index(index), Kind::Word(words)) => Some(Found::Word(words[index as usize].to_owned())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn run(text: &str) -> Vec<Check> {
        let scenario = acklab_scenario::parse_toml(text, "t").expect("a scenario");
        Simulation::new(scenario.into()).run().checks
    }

    /// One packet of 1000 bytes takes 8 ms at 1 Mb/s and 1 ms to the other end; its ACK of 40 bytes 0.32 ms and 1 ms back.
    const WORLD: &str = "stop = { at = '1s' }\n[[link]]\nbetween = ['S', 'R']\nrate = '1Mbps'\ndelay = '1ms'\n\
                         [[flow]]\nname = 'f'\nfrom = 'S'\nto = 'R'\nsize = { segments = 3 }\n\
                         sender = { stack = 'ns2-1998', packet = 1000 }\nreceiver = { ack = { policy = 'every' } }\n";

    #[test]
    fn a_state_is_read_at_its_time_and_a_result_at_the_end() {
        let checks = run(&format!(
            "{WORLD}[[expect]]\nflow = 'f'\nat = '10.31ms'\nwhat = 'cwnd_segments'\nequals = 1\n\
             [[expect]]\nflow = 'f'\nat = '10.33ms'\nwhat = 'cwnd_segments'\nequals = 2\n\
             [[expect]]\nflow = 'f'\nwhat = 'cwnd_segments'\nequals = 4\n\
             [[expect]]\nflow = 'f'\nwhat = 'completed'\nequals = true\n\
             [[expect]]\nlink = 'S->R'\nat = '500ms'\nwhat = 'packets'\nwithin = [3, 3]\n\
             [[expect]]\nflow = 'f'\nat = '5ms'\nwhat = 'state'\nequals = 'recovery'\n\
             [[expect]]\nflow = 'f'\nwhat = 'goodput_bps'\nabove = '2Mbps'\n"
        ));
        let told: Vec<(bool, &str)> = checks.iter().map(|check| (check.holds, check.found.as_str())).collect();
        let goodput = checks[6].found.clone();
        let expected = [
            (true, "1"),
            (true, "2"),
            (true, "4"),
            (true, "true"),
            (true, "3"),
            (false, "slow-start"),
            (false, &*goodput),
        ];
        assert_eq!(told, expected);
        let Check { subject, at_s, what, expected, .. } = &checks[5];
        assert_eq!(
            (subject.as_str(), *at_s, what.as_str(), expected.as_str()),
            ("flow f", Some(0.005), "state", "recovery")
        );
        assert_eq!((checks[6].at_s, checks[6].expected.as_str()), (None, "above 2000000"));
    }

    #[test]
    fn each_flow_and_each_transfer_is_found_by_its_name() {
        let world = WORLD.replace("size = { segments = 3 }", "size = { segments = 3 }\nrepeat = { times = 2 }");
        let more =
            "[[flow]]\nname = 'g'\nfrom = 'S'\nto = 'R'\ncount = 3\nstagger = '100ms'\nsize = { segments = 1 }\n";
        let expect = |flow: &str, low: f64, high: f64| {
            format!("[[expect]]\nflow = '{flow}'\nwhat = 'start_s'\nwithin = [{low}, {high}]\n")
        };
        let several = [("f", 0.0, 0.0), ("f#2", 0.02, 0.1), ("g0", 0.0, 0.0), ("g2", 0.2, 0.2)];
        let tables: String = several.iter().map(|&(flow, low, high)| expect(flow, low, high)).collect();
        let told: Vec<(bool, String)> =
            run(&format!("{world}{more}{tables}")).into_iter().map(|check| (check.holds, check.found)).collect();
        assert!(told.iter().all(|(holds, _)| *holds), "{told:?}");
    }

    #[test]
    fn a_run_that_ends_before_has_nothing_to_show() {
        let world = WORLD.replace("stop = { at = '1s' }\n", "");
        let checks = run(&format!("{world}[[expect]]\nflow = 'f'\nat = '2s'\nwhat = 'bytes'\nabove = 1\n"));
        assert!(!checks[0].holds && checks[0].found.starts_with("nothing: the run ended at "), "{:?}", checks[0]);
    }

    #[test]
    fn expectations_change_nothing_of_a_run() {
        let with = format!("{WORLD}[[expect]]\nflow = 'f'\nat = '10ms'\nwhat = 'bytes'\nabove = 1\n");
        let outcome = |text: &str| {
            let scenario = acklab_scenario::parse_toml(text, "t").expect("a scenario");
            let outcome = Simulation::new(scenario.into()).run();
            (outcome.end_s, outcome.flows, outcome.links)
        };
        assert_eq!(outcome(&with), outcome(WORLD));
    }
}
