//! What is said about a text that is no scenario.

use std::fmt;

use acklab_path::Wrong;

/// Why a text is no scenario: the file, the key, the value given and what is allowed, in one or two lines.
///
/// ```
/// let error = acklab_scenario::parse_toml("[[link]]\nrat = '10Mbps'", "two-hops.toml").unwrap_err();
/// assert_eq!(error.to_string(), "two-hops.toml:2:1: link[0].rat: unknown key; did you mean `rate`?");
/// assert_eq!((error.file(), error.path()), ("two-hops.toml", "link[0].rat"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    file: String,
    /// The text was a single line of many.
    in_line: bool,
    problem: Box<Problem>,
}

impl ScenarioError {
    pub(super) fn new(file: &str, problem: Problem) -> ScenarioError {
        ScenarioError { file: file.to_owned(), in_line: false, problem: Box::new(problem) }
    }

    /// The same of a text that was line `number` of many, a scenario each: places in it are columns of that line.
    ///
    /// ```
    /// let error = acklab_scenario::parse_json("{\"seed\": }", "").unwrap_err().in_line(4);
    /// assert_eq!(error.to_string(), "line 4, column 10: not valid JSON: expected value");
    /// ```
    pub fn in_line(self, number: u64) -> ScenarioError {
        ScenarioError { file: format!("line {number}"), in_line: true, ..self }
    }

    /// The file as it was named to the parser.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The key at fault, such as `flow[0].sender.window`; empty where the text as a whole cannot be read.
    pub fn path(&self) -> &str {
        &self.problem.path
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { path, line_column, value, what, help } = &*self.problem;
        f.write_str(&clip(&self.file, 200))?;
        match line_column {
            Some((_, column)) if self.in_line => write!(f, ", column {column}")?,
            Some((line, column)) => write!(f, ":{line}:{column}")?,
            None => {}
        }
        if !path.is_empty() {
            write!(f, ": {}", clip(path, 200))?;
        }
        if let Some(value) = value {
            write!(f, " = {}", clip(value, 60))?;
        }
        write!(f, ": {}", clip(what, 600))?;
        if !help.is_empty() {
            write!(f, "\n  {}", clip(help, 2000))?;
        }
        Ok(())
    }
}

impl std::error::Error for ScenarioError {}

/// One thing wrong, before it is known in which file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Problem {
    pub path: String,
    pub line_column: Option<(usize, usize)>,
    pub value: Option<String>,
    pub what: String,
    pub help: String,
}

impl Problem {
    /// `what` is wrong at `path`.
    pub fn at(path: impl fmt::Display, what: impl Into<String>) -> Problem {
        Problem { path: path.to_string(), what: what.into(), ..Problem::default() }
    }

    /// The text cannot be read at all from byte `offset` on.
    pub fn in_text(text: &str, offset: usize, what: impl Into<String>) -> Problem {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
        let column = 1 + String::from_utf8_lossy(&before[line_start..]).chars().count();
        Problem { line_column: Some((line, column)), what: what.into(), ..Problem::default() }
    }

    /// The error of a part's parameters, which stand at `path`.
    pub fn below(path: impl fmt::Display, wrong: Wrong) -> Problem {
        let dot = if wrong.key.is_empty() { "" } else { "." };
        let problem = Problem::at(format_args!("{path}{dot}{}", wrong.key), wrong.what);
        Problem { value: wrong.given, ..problem }
    }

    /// Shows the value given.
    pub fn given(mut self, value: impl fmt::Display) -> Problem {
        self.value = Some(value.to_string());
        self
    }

    /// Shows the text given, in quotes.
    pub fn given_text(self, value: impl fmt::Display) -> Problem {
        self.given(format_args!("\"{value}\""))
    }

    /// Adds a second line.
    pub fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = help.into();
        self
    }
}

/// The problems of a text. A check that fails does not end the others, so that the first in the text can be named.
#[derive(Debug, Default)]
pub(super) struct Problems(pub Vec<Problem>);

impl Problems {
    /// The result of a check; `None` if it failed, and its problem is kept.
    pub fn note<T>(&mut self, checked: Result<T, Problem>) -> Option<T> {
        checked.map_err(|problem| self.0.push(problem)).ok()
    }
}

/// What is wrong with `name` as a name; names stand in tables, messages and file names.
pub(super) fn not_a_name(name: &str) -> Option<&'static str> {
    match name {
        "" => Some("must not be empty"),
        name if name.chars().any(char::is_control) => Some("must not contain control characters"),
        _ => None,
    }
}

/// A text with an escape for every character that shows nothing of its own or moves others, such as an override of the
/// direction; line ends stay.
///
/// ```
/// assert_eq!(acklab_scenario::visible("back\u{202e}wards, \u{540d}e\u{301}"), "back\\u{202e}wards, \u{540d}e\u{301}");
/// ```
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '\n' && is_shapeless(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    shown
}

/// Whether a character shows nothing of its own, or moves others. Rust escapes such characters, and leaves combining marks
/// that follow a letter.
fn is_shapeless(c: char) -> bool {
    c.is_control() || !c.is_ascii() && format!("a{c}").escape_debug().nth(2).is_some()
}

/// At most `most` characters on one line.
pub(super) fn clip(text: &str, most: usize) -> String {
    let mut clipped = String::new();
    for (at, c) in text.chars().enumerate() {
        if at == most {
            clipped.push('…');
            break;
        }
        match c {
            '\n' | '\t' => clipped.push(' '),
            c if is_shapeless(c) => clipped.extend(c.escape_unicode()),
            c => clipped.push(c),
        }
    }
    clipped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_become_lines_and_columns() {
        assert_eq!(Problem::in_text("a\nbé c", 5, "").line_column, Some((2, 3)));
        assert_eq!(Problem::in_text("", 7, "").line_column, Some((1, 1)));
    }

    #[test]
    fn long_and_wild_values_stay_on_one_line() {
        assert_eq!(clip("a\nb\u{1b}c", 9), "a b\\u{1b}c");
        assert_eq!(clip("abcdef", 3), "abc…");
    }
}
