//! Where a capture is taken.

use acklab_sim::Outcome;

use crate::CaptureError;

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

    /// A name for its file, before what file systems dislike is replaced: `G-R@G`.
    pub fn file_name(self, outcome: &Outcome) -> String {
        let forward = &outcome.links[self.outgoing & !1];
        format!("{}-{}@{}", forward.from, forward.to, self.node(outcome))
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
        assert_eq!(end.file_name(&outcome), "G-R/0@G");
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
