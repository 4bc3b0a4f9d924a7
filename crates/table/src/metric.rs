//! A column as a metric: the aggregate of its rows, and which values are better.

use crate::{Column, Kind};

/// The aggregate of a column's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// The values add up.
    Sum,
    /// Every row counts the same.
    Mean,
    /// The least value.
    Min,
    /// The largest value.
    Max,
}

impl Aggregate {
    /// Its word in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Aggregate::Sum => "sum",
            Aggregate::Mean => "mean",
            Aggregate::Min => "min",
            Aggregate::Max => "max",
        }
    }
}

/// Which values are better, and why. More or less is where a value alone says which of two runs is better; a count that grows
/// with what is carried has no direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The larger.
    More(&'static str),
    /// The smaller.
    Less(&'static str),
    /// None.
    Neither(&'static str),
}

/// A column as a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Aggregate of its rows, unless another is asked for.
    pub aggregate: Aggregate,
    /// Which values are better.
    pub better: Better,
    /// Heading on a terminal, with the unit that is shown; empty if a summary leaves the column out.
    pub head: &'static str,
    /// Exceptions.
    pub flag: Option<Flag>,
}

/// Exceptions of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(non_camel_case_types)]
pub enum Flag {
    /// A missing cell says that something has not happened yet: it is later than everything that has.
    later,
    /// A summary shows the column where a value is not 0.
    if_any,
}

/// Units by the last word of a column's name.
const UNITS: [(&str, &str); 5] =
    [("s", "s"), ("bps", "b/s"), ("bytes", "bytes"), ("packets", "packets"), ("segments", "segments")];

impl<R> Column<R> {
    /// Unit, which the name ends in; empty for a count or a share.
    pub fn unit(&self) -> &'static str {
        let last = self.name.rsplit('_').next();
        UNITS.iter().find(|(word, _)| last == Some(*word)).map_or("", |(_, unit)| unit)
    }
}

/// Refuses a table of metrics in which a number is none, by the column's name; while it is compiled.
///
/// # Panics
/// In such a table.
pub const fn check<R>(columns: &[Column<R>]) {
    let (mut index, mut metrics, mut missing) = (0, false, None);
    while index < columns.len() {
        let column = &columns[index];
        match (column.kind, &column.metric) {
            (_, Some(_)) => metrics = true,
            (Kind::Truth | Kind::Count32 | Kind::Count | Kind::Number, None) => missing = Some(column.name),
            _ => {}
        }
        index += 1;
    }
    if let Some(name) = missing {
        assert!(!metrics, "{}", name);
    }
}
