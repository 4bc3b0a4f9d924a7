//! Where a capture is taken.

use acklab_sim::Outcome;

use crate::CaptureError;

/// Most bytes of a node's name in a file's name: a file system allows 255 for three names and an ending.
const LONGEST: usize = 60;

/// One end of a link: the interface through which a node uses it, both directions.
///
/// It is written `G->R@G`: the link, then the node. Either direction names the link, so `R->G@G` is the same end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinkEnd {
    /// The direction that leaves the node, as an index into [`Outcome::links`].
    outgoing: usize,
}

impl LinkEnd {
    /// Both ends of every link, in the scenario's order.
    pub fn all(outcome: &Outcome) -> Vec<LinkEnd> {
        (0..outcome.links.len()).map(|outgoing| LinkEnd { outgoing }).collect()
    }

    /// The end called `name`.
    ///
    /// # Errors
    /// [`CaptureError::UnknownEnd`] if there is none.
    pub fn find(outcome: &Outcome, name: &str) -> Result<LinkEnd, CaptureError> {
        let ends = Self::all(outcome);
        let called = |end: &&LinkEnd| {
            [end.outgoing, end.incoming()].iter().any(|&link| name == full_name(outcome, link, end.node(outcome)))
        };
        ends.iter().find(called).copied().ok_or_else(|| CaptureError::UnknownEnd {
            name: name.to_owned(),
            known: ends.iter().map(|end| end.name(outcome)).collect(),
        })
    }

    /// The ends called `names`, each once, in the scenario's order; `all` stands for every end.
    ///
    /// # Errors
    /// [`CaptureError::UnknownEnd`] if the scenario does not have one of them.
    pub fn select<S: AsRef<str>>(outcome: &Outcome, names: &[S]) -> Result<Vec<LinkEnd>, CaptureError> {
        let mut ends = Vec::new();
        for name in names {
            match name.as_ref() {
                "all" => ends.extend(Self::all(outcome)),
                name => ends.push(Self::find(outcome, name)?),
            }
        }
        ends.sort_by_key(|end| end.outgoing);
        ends.dedup();
        Ok(ends)
    }

    /// Its name; the link's direction is the one the scenario writes.
    pub fn name(self, outcome: &Outcome) -> String {
        full_name(outcome, self.outgoing & !1, self.node(outcome))
    }

    /// A file's name for it, without ending: `G-R@G`, letters that file systems dislike replaced, long names cut.
    pub fn file_stem(self, outcome: &Outcome) -> String {
        let plain = |name: &str| {
            let keep = |c: char| if c.is_alphanumeric() || "._-+".contains(c) { c } else { '_' };
            let kept = name.chars().map(keep).collect::<String>();
            if kept.len() <= LONGEST { kept } else { format!("{}-{:08x}", beginning(&kept, LONGEST - 9), digest(name)) }
        };
        let forward = &outcome.links[self.outgoing & !1];
        let stem = format!("{}-{}@{}", plain(&forward.from), plain(&forward.to), plain(self.node(outcome)));
        // Neither an option of a command nor hidden.
        if stem.starts_with(['-', '.']) { format!("_{stem}") } else { stem }
    }

    /// The node whose interface it is.
    pub fn node(self, outcome: &Outcome) -> &str {
        &outcome.links[self.outgoing].from
    }

    /// The direction that leaves the node, as an index into [`Outcome::links`].
    pub fn outgoing(self) -> usize {
        self.outgoing
    }

    /// The direction that enters it: links stand in pairs, forward and back.
    pub fn incoming(self) -> usize {
        self.outgoing ^ 1
    }
}

/// At most so many bytes of a text.
fn beginning(text: &str, most: usize) -> &str {
    let end = text.char_indices().map(|(place, _)| place).take_while(|&place| place <= most).last();
    &text[..end.unwrap_or(0)]
}

/// FNV-1a, 32 bits.
fn digest(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn full_name(outcome: &Outcome, link: usize, node: &str) -> String {
    outcome.links.get(link).map_or(String::new(), |row| format!("{}->{}@{node}", row.from, row.to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_sim::outcome::LinkRow;

    fn two_hops() -> Outcome {
        let link = |from: &str, to: &str| LinkRow { from: from.into(), to: to.into(), ..LinkRow::default() };
        Outcome {
            links: vec![link("S", "G"), link("G", "S"), link("G", "R/0"), link("R/0", "G")],
            ..Outcome::default()
        }
    }

    #[test]
    fn either_direction_names_a_link() {
        let outcome = two_hops();
        let end = LinkEnd::find(&outcome, "R/0->G@G").unwrap();
        assert_eq!(end, LinkEnd::find(&outcome, "G->R/0@G").unwrap());
        assert_eq!((end.outgoing(), end.incoming(), end.node(&outcome)), (2, 3, "G"));
        assert_eq!(end.name(&outcome), "G->R/0@G");
        assert_eq!(end.file_stem(&outcome), "G-R_0@G");
    }

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        let stem = |ending: &str| {
            let far = format!("{}{ending}", "名".repeat(300));
            let link = LinkRow { from: "G".into(), to: far, ..LinkRow::default() };
            LinkEnd { outgoing: 0 }.file_stem(&Outcome { links: vec![link], ..Outcome::default() })
        };
        assert!(stem("1").len() <= 3 * LONGEST + 2 && stem("1").starts_with("G-名") && stem("1").ends_with("@G"));
        assert_ne!(stem("1"), stem("2"));
    }

    #[test]
    fn no_file_is_an_option_or_hidden() {
        for name in ["-rf", "..", "."] {
            let link = LinkRow { from: name.into(), to: "R".into(), ..LinkRow::default() };
            let stem = LinkEnd { outgoing: 0 }.file_stem(&Outcome { links: vec![link], ..Outcome::default() });
            assert_eq!(stem, format!("_{name}-R@{name}"));
        }
    }

    #[test]
    fn all_are_selected_once() {
        let outcome = two_hops();
        let ends = LinkEnd::select(&outcome, &["R/0->G@G", "all", "G->R/0@G"]).unwrap();
        assert_eq!(ends, LinkEnd::all(&outcome));
        assert!(LinkEnd::select(&outcome, &["any"]).is_err());
    }

    #[test]
    fn an_unknown_end_is_told_the_known_ones() {
        let error = LinkEnd::find(&two_hops(), "S->R@S").unwrap_err().to_string();
        assert_eq!(error, "no link end is called `S->R@S`; there is S->G@S, S->G@G, G->R/0@G, G->R/0@R/0");
    }
}
