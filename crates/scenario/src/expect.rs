//! Expectations of results, or of a state at a time: the file's tables, checked.

use acklab_packet::{Bytes, Rate, Time};
use acklab_table::{Column, FlowRow, Kind, LinkRow, Row, SeriesRow};
use schemars::JsonSchema;
use serde::Deserialize;

use super::error::Problem;
use super::network::Network;
use super::suggest::{did_you_mean, listed};
use crate::spec::{ExpectSpec, FlowSpec, Stop, Subject, Test};

/// Most expectations of a scenario.
const MAX_EXPECTATIONS: usize = 10_000;
/// Columns of the table `series` that are no state.
const NO_STATE: [&str; 3] = ["time_s", "flow", "rtt_s"];

/// A column that may be expected.
#[derive(Clone, Copy)]
struct Known {
    name: &'static str,
    kind: Kind,
    unit: &'static str,
}

impl Known {
    fn of<R>(column: &Column<R>) -> Known {
        Known { name: column.name, kind: column.kind, unit: column.unit() }
    }
}

/// Metrics that a flow may be expected to have: those of the table `flows`, and the states of the table `series`.
fn of_flows() -> Vec<Known> {
    let mut known = metrics::<FlowRow>();
    let state = |column: &&Column<SeriesRow>| {
        !NO_STATE.contains(&column.name) && FlowRow::COLUMNS.iter().all(|of_flow| of_flow.name != column.name)
    };
    known.extend(SeriesRow::COLUMNS.iter().filter(state).map(Known::of));
    known
}

/// The columns of a table that are metrics.
fn metrics<R: Row>() -> Vec<Known> {
    R::COLUMNS.iter().filter(|column| column.metric.is_some()).map(Known::of).collect()
}

/// What is expected of a flow or of a link direction: `acklab run` ends with exit code 1 if it does not hold.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectTable {
    /// Name of the flow. Where a table describes several, one of them, such as `f3`; where transfers repeat, `f#2` is the second.
    pub flow: Option<String>,
    /// The link direction, such as `G->R`, instead of a flow.
    pub link: Option<String>,
    /// When the state is read, before what else is due at that instant. If left out: at the end of the run.
    pub at: Option<Time>,
    /// A column of the table `flows` or `links`; of a flow also a state of the table `series`.
    pub what: String,
    /// It has to be greater.
    pub above: Option<Bound>,
    /// It has to be less.
    pub below: Option<Bound>,
    /// It has to be exactly this.
    pub equals: Option<Bound>,
    /// It has to be from the first to the second.
    pub within: Option<[Bound; 2]>,
}

/// A number, in the unit of the column or with a unit of its own (`10Mbps`, `25ms`); or true, false, a word.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Bound {
    Truth(bool),
    Number(f64),
    Text(String),
}

/// The expectations, each of a flow or of a link direction that there is.
pub(super) fn checked(
    tables: Vec<ExpectTable>,
    network: &Network,
    flows: &[FlowSpec],
    stop: Stop,
) -> Result<Vec<ExpectSpec>, Problem> {
    if tables.len() > MAX_EXPECTATIONS {
        return Err(Problem::at("expect", format!("there are {}; at most {MAX_EXPECTATIONS}", tables.len())));
    }
    let (Stop::At(end) | Stop::FlowsComplete { at_most: end }) = stop;
    let one = |(index, table): (usize, ExpectTable)| {
        let key = |key: &str| format!("expect[{index}].{key}");
        let (subject, known) = subject(&table, network, flows, &key)?;
        let Some(column) = known.iter().find(|column| column.name == table.what) else {
            let names = || known.iter().map(|column| column.name);
            let mean = did_you_mean(&table.what, names()).unwrap_or_default();
            return Err(Problem::at(key("what"), format!("is no column that can be expected{mean}"))
                .given_text(&table.what)
                .help(format!("known: {}", listed(names()))));
        };
        if let Some(at) = table.at.filter(|&at| at > end) {
            return Err(Problem::at(key("at"), format!("is after the run's end, {end}")).given(at));
        }
        Ok(ExpectSpec { subject, at: table.at, what: column.name, test: test(table, column, &key)? })
    };
    tables.into_iter().enumerate().map(one).collect()
}

/// What an expectation is about, and the columns it may name.
fn subject(
    table: &ExpectTable,
    network: &Network,
    flows: &[FlowSpec],
    key: &impl Fn(&str) -> String,
) -> Result<(Subject, Vec<Known>), Problem> {
    match (&table.flow, &table.link) {
        (Some(name), None) => {
            let found = (0..).zip(flows).find_map(|(table, flow)| Some((table, member_of(name, flow)?)));
            if let Some((table, member)) = found {
                return Ok((Subject::Flow { name: name.clone(), table, member }, of_flows()));
            }
            let mean = did_you_mean(name, flows.iter().map(|flow| flow.name.as_str())).unwrap_or_default();
            Err(Problem::at(key("flow"), format!("is no flow of this scenario{mean}")).given_text(name))
        }
        (None, Some(name)) => {
            let node = |index: u32| network.nodes[index as usize].as_str();
            let named = || network.links.iter().map(|link| format!("{}->{}", node(link.from), node(link.to)));
            match (0..).zip(named()).find(|(_, known)| known == name) {
                Some((index, _)) => Ok((Subject::Link(index), metrics::<LinkRow>())),
                None => {
                    let names: Vec<String> = named().take(60).collect();
                    Err(Problem::at(key("link"), "is no link direction of this scenario")
                        .given_text(name)
                        .help(format!("known: {}", listed(names.iter().map(String::as_str)))))
                }
            }
        }
        _ => Err(Problem::at(key("flow"), "give a flow or a link, and not both")),
    }
}

/// Which of the table's flows has a transfer of this name: the first one has the flow's name, others its name and `#2` and so on.
fn member_of(name: &str, flow: &FlowSpec) -> Option<u32> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| number.to_string() == text);
    let member = |name: &str| match flow.count {
        ..=1 => (name == flow.name).then_some(0),
        _ => name.strip_prefix(&*flow.name).and_then(number).filter(|&member| member < flow.count),
    };
    let times = flow.repeat.map_or(1, |repeat| repeat.times);
    let later = |(name, transfer)| number(transfer).filter(|transfer| (2..=times).contains(transfer)).and(member(name));
    member(name).or_else(|| name.rsplit_once('#').and_then(later))
}

/// The one comparison that a table has.
fn test(table: ExpectTable, column: &Known, key: &impl Fn(&str) -> String) -> Result<Test, Problem> {
    let &Known { name: what, kind, .. } = column;
    let is_number = matches!(kind, Kind::Number | Kind::Count | Kind::Count32);
    let ExpectTable { above, below, equals, within, .. } = table;
    let number = |name: &str, bound: Bound| match bound {
        Bound::Number(number) if number.is_finite() => Ok(number),
        Bound::Text(text) => in_unit(&text, column).map_err(|why| Problem::at(key(name), why).given_text(&text)),
        Bound::Number(_) | Bound::Truth(_) => Err(Problem::at(key(name), format!("must be a number: {what} is one"))),
    };
    if !is_number && equals.is_none() {
        return Err(Problem::at(key("equals"), format!("missing: {what} is no number, so it can only be equal")));
    }
    match (above, below, equals, within) {
        (Some(least), None, None, None) => Ok(Test::Above(number("above", least)?)),
        (None, Some(most), None, None) => Ok(Test::Below(number("below", most)?)),
        (None, None, None, Some([low, high])) => {
            let (low, high) = (number("within", low)?, number("within", high)?);
            if low > high {
                return Err(Problem::at(key("within"), format!("begins at {low}, after its end {high}")));
            }
            Ok(Test::Within(low, high))
        }
        (None, None, Some(bound), None) => match (kind, bound) {
            (Kind::Truth, Bound::Truth(truth)) => Ok(Test::Is(truth.to_string())),
            (Kind::Truth, _) => {
                Err(Problem::at(key("equals"), format!("must be true or false: {what} is one of them")))
            }
            (Kind::Word(words), Bound::Text(word)) if words.contains(&&*word) => Ok(Test::Is(word)),
            (Kind::Word(words), _) => {
                Err(Problem::at(key("equals"), format!("must be one of {}", listed(words.iter().copied()))))
            }
            (_, bound) => Ok(Test::Equals(number("equals", bound)?)),
        },
        _ => Err(Problem::at(key("what"), "needs one of `above`, `below`, `equals` and `within`").given_text(what)),
    }
}

/// A number with a unit, in the unit of the column.
fn in_unit(text: &str, column: &Known) -> Result<f64, String> {
    let why = |error: &dyn std::fmt::Display| error.to_string();
    match column.unit {
        "s" => text.parse::<Time>().map(Time::secs).map_err(|error| why(&error)),
        "b/s" => text.parse::<Rate>().map(Rate::bps).map_err(|error| why(&error)),
        "bytes" => text.parse::<Bytes>().map(|bytes| bytes.get() as f64).map_err(|error| why(&error)),
        _ => Err(format!("must be a number: {} has no unit", column.name)),
    }
}

#[cfg(test)]
mod tests {
    use crate::spec::{Subject, Test};
    use crate::{expanded_toml, parse_toml};

    const WORLD: &str = "stop = { at = '10s' }\n[[link]]\nbetween = ['S', 'R']\nrate = '1Mbps'\ndelay = '1ms'\n\
                         [[flow]]\nname = 'f'\nfrom = 'S'\nto = 'R'\nrepeat = { times = 3 }\n\
                         [[flow]]\nname = 'g'\nfrom = 'S'\nto = 'R'\ncount = 12\n";

    #[test]
    fn expectations_survive_being_written_out() {
        let text = format!(
            "{WORLD}[[expect]]\nflow = 'f#2'\nat = '2s'\nwhat = 'rto_s'\nabove = '200ms'\n\
             [[expect]]\nflow = 'g11'\nwhat = 'goodput_bps'\nwithin = ['1kbps', 1e6]\n\
             [[expect]]\nlink = 'R->S'\nwhat = 'drops'\nequals = 0\n\
             [[expect]]\nflow = 'f'\nat = '1s'\nwhat = 'state'\nequals = 'slow-start'\n"
        );
        let scenario = parse_toml(&text, "t").expect("a scenario");
        let tests: Vec<&Test> = scenario.expect.iter().map(|expect| &expect.test).collect();
        let slow_start = Test::Is("slow-start".into());
        assert_eq!(tests, [&Test::Above(0.2), &Test::Within(1e3, 1e6), &Test::Equals(0.0), &slow_start]);
        assert_eq!(scenario.expect[2].subject, Subject::Link(1));
        let long = expanded_toml(&scenario);
        assert_eq!(parse_toml(&long, "long").expect("the same scenario"), scenario, "{long}");
    }

    #[test]
    fn a_flow_may_have_any_name() {
        let world = WORLD.replace("name = 'f'", "name = 'a#b'");
        let text = format!("{world}[[expect]]\nflow = 'a#b#2'\nwhat = 'bytes'\nabove = 1\n");
        let scenario = parse_toml(&text, "t").expect("a scenario");
        assert_eq!(scenario.expect[0].subject, Subject::Flow { name: "a#b#2".into(), table: 0, member: 0 });
        assert!(parse_toml(&text.replace("#b#2", "#b"), "t").is_ok());
        let text = format!("{WORLD}[[expect]]\nflow = 'g11'\nwhat = 'bytes'\nabove = 1\n");
        let scenario = parse_toml(&text, "t").expect("a scenario");
        assert_eq!(scenario.expect[0].subject, Subject::Flow { name: "g11".into(), table: 1, member: 11 });
    }

    #[test]
    fn mistakes_are_told_at_their_place() {
        for (expect, told) in [
            ("flow = 'h'\nwhat = 'bytes'\nabove = 1", "expect[0].flow = \"h\": is no flow"),
            ("flow = 'g12'\nwhat = 'bytes'\nabove = 1", "expect[0].flow = \"g12\": is no flow"),
            ("flow = 'f#1'\nwhat = 'bytes'\nabove = 1", "expect[0].flow = \"f#1\": is no flow"),
            ("flow = 'f#4'\nwhat = 'bytes'\nabove = 1", "expect[0].flow = \"f#4\": is no flow"),
            ("link = 'S->Q'\nwhat = 'drops'\nabove = 1", "expect[0].link = \"S->Q\": is no link direction"),
            ("what = 'drops'\nabove = 1", "expect[0].flow: give a flow or a link"),
            ("flow = 'f'\nwhat = 'cwnd_segment'\nabove = 1", "did you mean `cwnd_segments`?"),
            ("flow = 'f'\nwhat = 'bytes'", "needs one of `above`, `below`, `equals` and `within`"),
            ("flow = 'f'\nwhat = 'bytes'\nabove = 1\nbelow = 3", "needs one of `above`"),
            ("flow = 'f'\nwhat = 'bytes'\nabove = '3ms'", "expect[0].above = \"3ms\""),
            ("flow = 'f'\nwhat = 'timeouts'\nequals = '3'", "must be a number: timeouts has no unit"),
            ("flow = 'f'\nwhat = 'bytes'\nwithin = [3, 1]", "expect[0].within: begins at 3, after its end 1"),
            ("flow = 'f'\nwhat = 'completed'\nabove = 1", "expect[0].equals: missing"),
            ("flow = 'f'\nwhat = 'state'\nequals = 'slow'", "expect[0].equals: must be one of `slow-start`"),
            ("flow = 'f'\nat = '11s'\nwhat = 'bytes'\nabove = 1", "is after the run's end, 10s"),
        ] {
            let error = parse_toml(&format!("{WORLD}[[expect]]\n{expect}\n"), "t").expect_err(expect).to_string();
            assert!(error.contains(told), "{expect}: {error}");
        }
    }
}
