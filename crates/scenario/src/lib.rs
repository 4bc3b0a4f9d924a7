//! From a TOML or JSON text to a checked [`Scenario`].
//!
//! ```
//! use acklab_scenario::parse_toml;
//! let scenario = parse_toml(r#"
//!     title = "One transfer over a T1"
//!
//!     [[link]]
//!     between = ["S", "R"]
//!     rate  = "1.5Mbps"
//!     delay = "48ms"
//!     queue = { kind = "drop-tail", packets = 22 }
//!
//!     [[flow]]
//!     from = "S"
//!     to   = "R"
//!     size = { bytes = "200kB" }
//!     sender   = { stack = "ns2-1998", window = 40 }
//!     receiver = { ack = { policy = "delayed", timer = "200ms" } }
//! "#, "t1.toml").unwrap();
//! assert_eq!(scenario.nodes, ["S", "R"]);
//! assert_eq!(scenario.links[0].delay.secs(), 0.048);
//! assert!(!scenario.flows[0].receiver.sack); // follows the sender's recovery
//! ```
//!
//! Reading goes in three steps, one file each. `file` is what serde reads, straight into structs. `resolve` checks
//! what serde cannot and turns names into indices. Only where a text fails, `diagnose` reads it again as a tree
//! and looks for the reason along the schema, so that no message costs anything on the good path.

mod after;
mod conflicts;
mod diagnose;
mod error;
mod expand;
mod expect;
mod file;
mod hosts;
mod limits;
mod link;
mod moved;
mod names;
mod nesting;
mod network;
mod overrides;
mod path;
mod places;
mod program;
mod quantity;
mod resolve;
mod schema;
mod size;
mod source;
pub mod spec;
mod stacks;
mod stage;
mod suggest;
mod tables;
mod template;
pub mod topology;
mod tree;
mod wlan;

use serde::Deserialize;
use serde_json::Value;

pub use error::{ScenarioError, visible};
pub use expand::expanded_toml;
pub use names::file_names;
pub use nesting::too_deep;
pub use overrides::Overrides;
pub use places::place;
pub use schema::{StackRow, schema, stack_table, stack_table_markdown};
pub use template::Template;

use crate::spec::Scenario;
use error::Problem;
use file::File;
use places::Places;

/// Longest text that is read.
pub const MOST_BYTES: usize = 32 << 20;

/// How a scenario is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// TOML, for people.
    Toml,
    /// The same tree in JSON, for programs.
    Json,
}

impl Format {
    /// By the file's name, or else by the text: JSON begins with a brace, which no TOML does.
    ///
    /// ```
    /// use acklab_scenario::Format;
    /// assert_eq!(Format::of("t1.json", ""), Format::Json);
    /// assert_eq!(Format::of("-", " {\"seed\": 1}"), Format::Json);
    /// assert_eq!(Format::of("-", "seed = 1"), Format::Toml);
    /// ```
    pub fn of(file: &str, text: &str) -> Format {
        let ending = std::path::Path::new(file).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let json = match ending.to_ascii_lowercase().as_str() {
            "json" | "jsonl" => true,
            "toml" => false,
            _ => text.trim_start_matches('\u{feff}').trim_start().starts_with('{'),
        };
        if json { Format::Json } else { Format::Toml }
    }
}

/// Reads a scenario in TOML; `file` is what errors call it.
///
/// # Errors
/// What is wrong, where, and what is allowed.
pub fn parse_toml(text: &str, file: &str) -> Result<Scenario, ScenarioError> {
    parse(text, file, Format::Toml)
}

/// Reads a scenario in JSON; `file` is what errors call it.
///
/// ```
/// use acklab_scenario::parse_json;
/// let text = r#"{
///     "link": [{ "between": ["S", "R"], "rate": "10Mbps", "delay": "5ms" }],
///     "flow": [{ "from": "S", "to": "R", "size": { "segments": 0 } }]
/// }"#;
/// let error = parse_json(text, "line 1").unwrap_err();
/// assert_eq!(error.to_string(), "line 1:3:50: flow[0].size.segments: is 0; must be at least 1");
/// ```
///
/// # Errors
/// What is wrong, where, and what is allowed.
pub fn parse_json(text: &str, file: &str) -> Result<Scenario, ScenarioError> {
    parse(text, file, Format::Json)
}

/// Reads a scenario; `file` is what errors call it.
///
/// # Errors
/// What is wrong, where, and what is allowed.
pub fn parse(text: &str, file: &str, format: Format) -> Result<Scenario, ScenarioError> {
    let text = readable(text).map_err(|problem| ScenarioError::new(file, problem))?;
    let typed = match format {
        Format::Json => serde_json::from_str::<File>(text).map_err(|error| error.to_string()),
        Format::Toml => toml::from_str::<File>(text).map_err(|error| error.message().to_owned()),
    };
    let resolved = match typed {
        Ok(typed) => resolve::resolve(typed).map_err(|problems| Places::of(text, format).first(problems)),
        Err(message) => {
            tree::read(text, format).and_then(|tree| Err(explain(tree, message, &Places::of(text, format))))
        }
    };
    resolved.map_err(|problem| ScenarioError::new(file, Places::of(text, format).put_into(problem, text)))
}

/// Reads a scenario after changing single values of it.
///
/// # Errors
/// What is wrong, where, and what is allowed.
pub fn parse_with(text: &str, file: &str, format: Format, overrides: &Overrides) -> Result<Scenario, ScenarioError> {
    if overrides.values.is_empty() {
        let scenario = parse(text, file, format)?;
        return Ok(Scenario { seed: overrides.seed.unwrap_or(scenario.seed), ..scenario });
    }
    Template::new(text, file, format)?.check(overrides)
}

/// Reads a scenario whose text may not be text.
///
/// # Errors
/// What is wrong, where, and what is allowed.
pub fn parse_bytes(bytes: &[u8], file: &str, format: Format) -> Result<Scenario, ScenarioError> {
    decoded(bytes, file).and_then(|text| parse(text, file, format))
}

/// The text that `bytes` are.
///
/// # Errors
/// They are no UTF-8: which byte, where.
pub fn decoded<'b>(bytes: &'b [u8], file: &str) -> Result<&'b str, ScenarioError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
        let kind = if utf16 { "; it is UTF-16" } else { "" };
        let what = format!("not UTF-8 text: byte {at} is 0x{:02x}{kind}; save the file as UTF-8", bytes[at]);
        ScenarioError::new(file, Problem::in_text(&String::from_utf8_lossy(&bytes[..at]), at, what))
    })
}

/// The text without a byte-order mark; an error if it can not be a scenario.
fn readable(text: &str) -> Result<&str, Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(Problem {
            what: "empty; a scenario has [[link]] and [[flow]] tables".into(),
            ..Problem::default()
        });
    }
    if text.len() > MOST_BYTES {
        let what = format!("{} MiB long; at most {} MiB", text.len() >> 20, MOST_BYTES >> 20);
        return Err(Problem { what, ..Problem::default() });
    }
    match nesting::too_deep(text) {
        Some((at, what)) => Err(Problem::in_text(text, at, what)),
        None => Ok(text),
    }
}

/// Why `tree` is no scenario, after serde has said `message`.
fn explain(tree: Value, message: String, places: &Places) -> Problem {
    if let Some(problem) = diagnose::diagnose(&schema::SCHEMA, &tree, places) {
        return problem;
    }
    // The schema allows it, so the reader's types are stricter somewhere: their own words, and where they stand.
    match serde_path_to_error::deserialize::<_, File>(tree) {
        Err(error) => match error.inner().to_string() {
            null if null.starts_with("invalid type: null") => Problem::at(error.path(), "is null; leave the key out"),
            other => Problem::at(error.path(), other),
        },
        Ok(_) => Problem { what: message, ..Problem::default() },
    }
}

/// Where the reader and the schema disagree about a text; for the fuzzer. Texts with a null are left out: serde reads
/// `{ "sack": null }` as `"sack"`, and the schema knows no null.
#[doc(hidden)]
pub fn disagreement(text: &str, format: Format) -> Option<String> {
    let tree = tree::read(readable(text).ok()?, format).ok().filter(|_| !text.contains("null"))?;
    let read = File::deserialize(&tree).map_err(|error| error.to_string());
    match (read.map(resolve::resolve), diagnose::diagnose(&schema::SCHEMA, &tree, &Places::default())) {
        (Ok(Ok(_)), Some(problem)) => Some(format!("only the schema refuses it: {problem:?}")),
        (Err(error), None) => Some(format!("only the types refuse it: {error}")),
        _ => None,
    }
}
