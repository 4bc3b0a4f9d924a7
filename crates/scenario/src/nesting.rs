//! How deep a text is nested, found before a reader gets the text: readers recurse, and the time of one grows with the square of a
//! key's parts.

/// Most tables, lists and parts of a key inside each other.
const MOST: usize = 64;

/// The byte at which a TOML or JSON text is nested too deep, and what is wrong.
///
/// ```
/// use acklab_scenario::too_deep;
/// assert_eq!(too_deep(&"[".repeat(65)), Some((64, "nested more than 64 deep".to_owned())));
/// ```
pub fn too_deep(text: &str) -> Option<(usize, String)> {
    let bytes = text.as_bytes();
    let (mut depth, mut parts, mut at) = (0usize, 0usize, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'[' | b'{' => (depth, parts) = (depth + 1, 0),
            b']' | b'}' => (depth, parts) = (depth.saturating_sub(1), 0),
            b'.' => parts += 1,
            b'=' | b',' | b'\n' => parts = 0,
            b'#' => at += bytes[at..].iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len() - at) - 1,
            quote @ (b'"' | b'\'') => at = after(bytes, at, quote) - 1,
            _ => {}
        }
        if depth > MOST || parts > MOST {
            return Some((at, format!("nested more than {MOST} deep")));
        }
        at += 1;
    }
    None
}

/// The byte behind the text that begins with `quote` at `at`; three quotes end a text of several lines.
fn after(bytes: &[u8], at: usize, quote: u8) -> usize {
    let many = bytes[at..].starts_with(&[quote; 3]);
    let ending = if many { 3 } else { 1 };
    let mut next = at + ending;
    while next < bytes.len() {
        match bytes[next] {
            b'\\' if quote == b'"' => next += 2,
            b'\n' if !many => return next,
            _ if bytes[next..].starts_with(&[quote; 3][..ending]) => return next + ending,
            _ => next += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_deep_is_refused() {
        let deep = |sign: &str, times: usize| sign.repeat(times);
        for (text, at) in [
            (deep("{\"a\":", 65), Some(64 * 5)),
            (deep("{\"a\":", 64), None),
            (format!("a = {}", deep("[", 65)), Some(68)),
            (format!("{}b = 1", deep("a.", 65)), Some(129)),
            (format!("[{}b]", deep("a.", 65)), Some(130)),
            (format!("{}b = 1", deep("a.", 64)), None),
            ("a = 1.5\n".repeat(100), None),
            (format!("a = \"{}\\\"{}\"", deep("[", 65), deep("{", 65)), None),
            (format!("a = '{}\\'\nb = \"\"", deep("[", 65)), None),
            (format!("a = \"\"\"{}\n\"\" {}\"\"\"\nb = 1", deep("[", 65), deep(".", 65)), None),
            (format!("# it's {}\na = 1", deep("[", 65)), None),
            (deep("[]", 100), None),
        ] {
            assert_eq!(too_deep(&text).map(|(at, _)| at), at, "{text}");
        }
    }
}
