//! Names of files, made of the names that a scenario or a user gives.

use std::collections::HashSet;

/// Most bytes of a name; file systems allow 255, with its ending.
const MAX_BYTES: usize = 120;
/// Names that Windows takes for devices, whatever their ending; of the last two with a digit.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// Returns a file's or directory's name for each of `names`, no two the same: no way out of its directory, no device, not hidden, no
/// option of a command, not too long. The same names give the same files.
///
/// ```
/// let names = acklab_scenario::file_names(&["G-R@G", "..", "/abs/x", "_abs/X", "con", "-rf"]);
/// assert_eq!(names, ["G-R@G", "_", "_abs_x", "_abs_X-2", "_con", "_-rf"]);
/// ```
pub fn file_names(names: &[impl AsRef<str>]) -> Vec<String> {
    let mut taken = HashSet::new();
    // Some file systems do not distinguish capitals.
    let mut free = |name: &String| taken.insert(name.to_lowercase());
    let stems = names.iter().map(|name| stem(name.as_ref()));
    let numbered = |stem: String| (2..).map(move |again| format!("{stem}-{again}"));
    stems.map(|stem| [stem.clone()].into_iter().chain(numbered(stem)).find(&mut free).unwrap_or_default()).collect()
}

fn stem(name: &str) -> String {
    let keep = |c: char| if c.is_alphanumeric() || "._-+@ ".contains(c) { c } else { '_' };
    let all: String = name.chars().map(keep).collect();
    let kept = all.trim_matches(['.', ' ']);
    let first = kept.split('.').next().unwrap_or_default().to_lowercase();
    let port = first.get(..3).filter(|_| first.len() == 4 && first.ends_with(|c: char| c.is_ascii_digit()));
    let device = DEVICES[..4].contains(&first.as_str()) || port.is_some_and(|port| DEVICES[4..].contains(&port));
    let under = if kept.is_empty() || device || kept.starts_with('-') { "_" } else { "" };
    let kept = format!("{under}{kept}");
    if kept.len() <= MAX_BYTES {
        return kept;
    }
    // FNV-1a, 32 bits.
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let end = kept.char_indices().map(|(at, _)| at).take_while(|&at| at <= MAX_BYTES - 9).last();
    format!("{}-{hash:08x}", &kept[..end.unwrap_or(0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_files_of_their_directory_and_distinct() {
        let long = "名".repeat(300);
        let given =
            ["a/b", "a_b", "A_B", "../../x", "/abs/x", ".", "..", "", "\0", "com1.x", "COM1", "a\\b", "a:b\n", "-o"];
        let given: Vec<String> =
            given.map(str::to_owned).into_iter().chain([format!("{long}1"), format!("{long}2")]).collect();
        let names = file_names(&given);
        for name in &names {
            assert!(!name.is_empty() && name.len() <= MAX_BYTES + 3, "{name}");
            assert!(!name.contains(['/', '\\', ':', '\0', '\n']) && !name.starts_with(['.', '-', ' ']), "{name}");
        }
        let folded: HashSet<String> = names.iter().map(|name| name.to_lowercase()).collect();
        assert_eq!(folded.len(), given.len(), "{names:?}");
        assert_eq!(&names[..6], ["a_b", "a_b-2", "A_B-3", "_.._x", "_abs_x", "_"]);
        assert_eq!(&names[9..11], ["_com1.x", "_COM1"]);
        assert_eq!(names, file_names(&given));
    }
}
