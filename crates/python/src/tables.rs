//! Tables of rows as Arrow record batches.

use acklab_table::{Better, Cell, Column, Flag, Kind, Names, Row};
use arrow_array::RecordBatch;
use pyo3::prelude::*;

use crate::arrow::Columns;

/// The table of these rows, which refer to `names` by index.
pub(crate) fn batch<R: Row>(rows: &[R], names: &Names) -> RecordBatch {
    R::COLUMNS.iter().fold(Columns::default(), |columns, column| add(columns, column, rows, names)).finish()
}

/// Returns the declaration of a column as a dict.
#[derive(IntoPyObject)]
pub(crate) struct Declared {
    name: &'static str,
    kind: String,
    about: &'static str,
    unit: &'static str,
    /// None of a column that is no metric.
    aggregate: Option<&'static str>,
    /// Which values are better: 1 the larger, -1 the smaller, 0 none.
    better: i8,
    why: &'static str,
    head: &'static str,
    later: bool,
    if_any: bool,
}

/// Returns the declarations of all columns.
pub(crate) fn declared<R: Row>() -> Vec<Declared> {
    R::COLUMNS.iter().map(Declared::of).collect()
}

impl Declared {
    fn of<R>(column: &Column<R>) -> Declared {
        let word = match column.kind {
            Kind::Truth => "bool",
            Kind::Count | Kind::Count32 => "whole number",
            Kind::Number => "number",
            Kind::Text | Kind::Word(_) | Kind::Flow | Kind::Link => "text",
            Kind::Ranges => "list",
        };
        let (better, why) = match column.metric.map(|metric| metric.better) {
            Some(Better::More(why)) => (1, why),
            Some(Better::Less(why)) => (-1, why),
            Some(Better::Neither(why)) => (0, why),
            None => (0, ""),
        };
        let flag = column.metric.and_then(|metric| metric.flag);
        Declared {
            name: column.name,
            kind: if column.optional { format!("{word} or null") } else { word.to_owned() },
            about: column.about,
            unit: column.unit(),
            aggregate: column.metric.map(|metric| metric.aggregate.name()),
            better,
            why,
            head: column.metric.map_or("", |metric| metric.head),
            later: flag == Some(Flag::later),
            if_any: flag == Some(Flag::if_any),
        }
    }
}

fn add<R: Row>(columns: Columns, column: &Column<R>, rows: &[R], names: &Names) -> Columns {
    let &Column { name, kind, optional, cell, .. } = column;
    let cells = rows.iter().map(cell);
    match kind {
        Kind::Truth => columns.bool(name, cells.map(|cell| matches!(cell, Cell::Truth(true)))),
        Kind::Count if optional => columns.maybe_u64(name, cells.map(count)),
        Kind::Count => columns.u64(name, cells.filter_map(count)),
        Kind::Count32 if optional => columns.maybe_u32(name, cells.map(|cell| count(cell).map(|count| count as u32))),
        Kind::Count32 => columns.u32(name, cells.filter_map(count).map(|count| count as u32)),
        Kind::Number if optional => columns.maybe_f64(name, cells.map(number)),
        Kind::Number => columns.f64(name, cells.filter_map(number)),
        Kind::Text => {
            columns.text(name, cells.filter_map(|cell| if let Cell::Text(text) = cell { Some(text) } else { None }))
        }
        Kind::Word(words) if optional => columns.maybe_words(name, words, cells.map(index)),
        Kind::Word(words) => columns.words(name, words, cells.filter_map(index).map(|index| index as usize)),
        Kind::Flow => columns.names(name, &names.flows, cells.filter_map(index)),
        Kind::Link => columns.names(name, &names.links, cells.filter_map(index)),
        Kind::Ranges => columns.ranges(
            name,
            cells.map(|cell| if let Cell::Ranges(ranges) = cell { ranges.into_iter() } else { Vec::new().into_iter() }),
        ),
    }
}

fn count(cell: Cell<'_>) -> Option<u64> {
    if let Cell::Count(count) = cell { Some(count) } else { None }
}

fn number(cell: Cell<'_>) -> Option<f64> {
    if let Cell::Number(number) = cell { Some(number) } else { None }
}

fn index(cell: Cell<'_>) -> Option<u32> {
    if let Cell::Index(index) = cell { Some(index) } else { None }
}
