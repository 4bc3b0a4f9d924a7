//! Programs that run on kernels at the scenario's nodes: the file's tables, checked.

use std::collections::BTreeMap;

use acklab_packet::Time;
use schemars::JsonSchema;
use serde::Deserialize;

use super::error::Problem;
use super::network::Network;
use crate::spec::{FlowSpec, ProgramSpec, Ready};

/// Most programs of a scenario.
const MOST_PROGRAMS: usize = 256;
/// Longest command line and environment of one.
const MOST_TEXT: usize = 16 << 10;

/// The nodes that a path's file need not name.
const SERVER: &str = "@server";
const CLIENT: &str = "@client";

/// A program on a Linux at a node: `acklab run --virtual --allow-programs` runs it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ProgramTable {
    /// Node at which it runs. `@server` is the sender's node of the first flow, `@client` the receiver's; without flows the first node
    /// and the last one.
    pub at: String,
    /// Command line, for a shell. `{S}` stands for the address of node S, `{server}` and `{client}` for those of the two nodes of
    /// that name.
    pub run: String,
    /// When it starts, at the earliest: it waits for those above it to be ready.
    #[serde(default)]
    pub start: Time,
    /// When it is stopped. If left out, one that says `ready` is stopped when all others have ended, and the run ends when all have.
    pub stop: Option<Time>,
    /// How to see that it is ready, if others have to wait for that: a server.
    pub ready: Option<Ready>,
    /// Environment variables.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Version of its node's Linux, such as 7.3, among those that `make kernel` built. If left out, that of another program there, or the
    /// default.
    pub kernel: Option<String>,
}

/// The programs, each at its node.
pub(super) fn checked(
    tables: Vec<ProgramTable>,
    network: &mut Network,
    flows: &[FlowSpec],
) -> Result<Vec<ProgramSpec>, Problem> {
    if tables.len() > MOST_PROGRAMS {
        return Err(Problem::at("program", format!("there are {}; at most {MOST_PROGRAMS}", tables.len())));
    }
    let mut programs = Vec::with_capacity(tables.len());
    for (index, table) in tables.into_iter().enumerate() {
        let at = |key: &str| format!("program[{index}].{key}");
        let ProgramTable { at: node, run, start, stop, ready, environment, kernel } = table;
        let last = network.nodes.len().saturating_sub(1) as u32;
        let node = match (node.as_str(), flows.first()) {
            (SERVER, flow) => flow.map_or(0, |flow| flow.from),
            (CLIENT, flow) => flow.map_or(last, |flow| flow.to),
            (name, _) => network.find(name, at("at"))?,
        };
        if run.trim().is_empty() || run.contains('\0') {
            return Err(Problem::at(at("run"), "must be a command line").given_text(&run));
        }
        let named = |(name, value): (&String, &String)| {
            !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0')
        };
        if let Some((name, _)) = environment.iter().find(|&entry| !named(entry)) {
            return Err(
                Problem::at(at("environment"), "has a name or a value that no environment can hold").given_text(name)
            );
        }
        let text: usize = environment.iter().map(|(name, value)| name.len() + value.len()).sum();
        if run.len() + text > MOST_TEXT {
            return Err(Problem::at(at("run"), format!("and its environment have more than {MOST_TEXT} bytes")));
        }
        if stop.is_some_and(|stop| stop <= start) {
            return Err(Problem::at(at("stop"), format!("must be after its start, {start}")));
        }
        match &ready {
            Some(Ready::Port(0)) => return Err(Problem::at(at("ready.port"), "must be from 1 to 65535").given(0)),
            Some(Ready::Line(line)) if line.is_empty() => {
                return Err(
                    Problem::at(at("ready.line"), "must be a text that stands in a line it prints").given_text(line)
                );
            }
            _ => {}
        }
        if let Some(kernel) = &kernel {
            if !is_version(kernel) {
                return Err(
                    Problem::at(at("kernel"), "must be a version, such as \"7.3\" or \"6.12.9\"").given_text(kernel)
                );
            }
            let other = programs.iter().find(|other: &&ProgramSpec| other.at == node && other.kernel.is_some());
            if let Some(before) = other.and_then(|other| other.kernel.as_ref()).filter(|&before| before != kernel) {
                let why = format!("but another program at this node wants {before}: a node has one kernel");
                return Err(Problem::at(at("kernel"), why).given_text(kernel));
            }
        }
        programs.push(ProgramSpec { at: node, run, start, stop, ready, environment, kernel });
    }
    Ok(programs)
}

/// Two numbers or three.
fn is_version(text: &str) -> bool {
    let number = |part: &str| !part.is_empty() && part.len() <= 5 && part.bytes().all(|byte| byte.is_ascii_digit());
    matches!(text.split('.').count(), 2 | 3) && text.split('.').all(number)
}

#[cfg(test)]
mod tests {
    use crate::spec::Ready;
    use crate::{expanded_toml, parse_toml};

    const LINK: &str = "[[link]]\nbetween = ['S', 'R']\nrate = '1Mbps'\ndelay = '1ms'\n";

    #[test]
    fn programs_need_no_flow_and_survive_being_written_out() {
        let text = format!(
            "{LINK}[[program]]\nat = '@server'\nrun = 'iperf3 -s'\nready = {{ port = 5201 }}\nenvironment = {{ A = 'b c' }}\n\
             [[program]]\nat = '@client'\nrun = 'iperf3 -c {{server}}'\nstart = '1s'\nstop = '3s'\nkernel = '7.3'\n\
             [[program]]\nat = 'S'\nrun = 'x'\nready = 'listens'\n"
        );
        let scenario = parse_toml(&text, "t").expect("a scenario");
        let nodes: Vec<u32> = scenario.programs.iter().map(|program| program.at).collect();
        assert_eq!((nodes.as_slice(), &scenario.programs[0].ready), (&[0, 1, 0][..], &Some(Ready::Port(5201))));
        let long = expanded_toml(&scenario);
        assert_eq!(parse_toml(&long, "long").expect("the same scenario"), scenario, "{long}");
    }

    #[test]
    fn a_flow_names_server_and_client() {
        let text = format!("{LINK}[[flow]]\nfrom = 'R'\nto = 'S'\n[[program]]\nat = '@server'\nrun = 'x'\n");
        assert_eq!(parse_toml(&text, "t").expect("a scenario").programs[0].at, 1);
    }

    #[test]
    fn mistakes_are_told_at_their_place() {
        for (program, told) in [
            ("at = 'Q'\nrun = 'x'", "program[0].at"),
            ("at = 'S'\nrun = ' '", "program[0].run = \" \": must be a command line"),
            ("at = 'S'\nrun = 'x'\nstart = '2s'\nstop = '1s'", "must be after its start, 2s"),
            ("at = 'S'\nrun = 'x'\nready = { port = 0 }", "program[0].ready.port"),
            ("at = 'S'\nrun = 'x'\nready = { line = '' }", "program[0].ready.line"),
            ("at = 'S'\nrun = 'x'\nenvironment = { 'A=B' = 'c' }", "program[0].environment"),
            ("at = 'S'\nrun = 'x'\nkernel = '/bin/true'", "program[0].kernel = \"/bin/true\": must be a version"),
            (
                "at = 'S'\nrun = 'x'\nkernel = '7.3'\n[[program]]\nat = 'S'\nrun = 'y'\nkernel = '6.12'",
                "program[1].kernel = \"6.12\": but another program at this node wants 7.3",
            ),
        ] {
            let error = parse_toml(&format!("{LINK}[[program]]\n{program}\n"), "t").expect_err(program).to_string();
            assert!(error.contains(told), "{program}: {error}");
        }
    }
}
