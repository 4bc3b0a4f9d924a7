//! Tables of rows as Arrow record batches.

use acklab_table::{Cell, Column, Kind, Names, Row};
use arrow_array::RecordBatch;

use crate::arrow::Columns;

/// The table of these rows, which refer to `names` by index.
pub(crate) fn batch<R: Row>(rows: &[R], names: &Names) -> RecordBatch {
    R::COLUMNS.iter().fold(Columns::default(), |columns, column| add(columns, column, rows, names)).finish()
}

/// Name, type and meaning of each column.
pub(crate) fn reference<R: Row>() -> Vec<(&'static str, String, &'static str)> {
    let word = |column: &Column<R>| {
        let word = match column.kind {
            Kind::Truth => "bool",
            Kind::Count | Kind::Count32 => "whole number",
            Kind::Number => "number",
            Kind::Text | Kind::Word(_) | Kind::Flow | Kind::Link => "text",
            Kind::Ranges => "list",
        };
        if column.optional { format!("{word} or null") } else { word.to_owned() }
    };
    R::COLUMNS.iter().map(|column| (column.name, word(column), column.about)).collect()
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
