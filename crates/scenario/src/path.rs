//! Where a value stands in a scenario: `flow[0].sender.window`.

use std::fmt;

/// A place in the tree, on the stack of the function that walks it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Path<'a> {
    Root,
    Key(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    /// The value under `key`.
    pub fn key(&'a self, key: &'a str) -> Path<'a> {
        Path::Key(self, key)
    }

    /// The value at `index`.
    pub fn index(&'a self, index: usize) -> Path<'a> {
        Path::Index(self, index)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => Ok(()),
            Path::Key(Path::Root, key) => write!(f, "{}", bare_or_quoted(key)),
            Path::Key(parent, key) => write!(f, "{parent}.{}", bare_or_quoted(key)),
            Path::Index(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// A key as TOML writes it.
pub(super) fn bare_or_quoted(key: &str) -> String {
    let bare = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    if !key.is_empty() && key.bytes().all(bare) { key.to_owned() } else { format!("{key:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_like_the_file() {
        let flow = Path::Root.key("flow");
        assert_eq!(flow.index(2).key("sender").key("window").to_string(), "flow[2].sender.window");
        assert_eq!(Path::Root.key("stack").key("a b").to_string(), "stack.\"a b\"");
    }
}
