//! Tables of rows as Arrow record batches.

use std::sync::Arc;

use acklab_table::{Better, Cell, Column, Flag, Kind, Names, Row};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int8Array, Int32Array, ListArray, RecordBatch,
    RecordBatchOptions, StringArray, UInt32Array, UInt64Array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{Field, Schema};
use pyo3::prelude::*;

/// The table of these rows, which refer to `names` by index.
pub(crate) fn batch<R: Row>(rows: &[R], names: &Names) -> RecordBatch {
    let arrays: Vec<ArrayRef> = R::COLUMNS.iter().map(|column| array(column, rows, names)).collect();
    let fields = R::COLUMNS.iter().zip(&arrays);
    let fields = fields.map(|(column, array)| Field::new(column.name, array.data_type().clone(), column.optional));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    RecordBatch::try_new_with_options(schema, arrays, &options).expect("each column has a cell of each row")
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

/// The cells of a column. Whether one may be missing is part of its declaration, not of the data at hand.
fn array<R: Row>(column: &Column<R>, rows: &[R], names: &Names) -> ArrayRef {
    let cells = rows.iter().map(column.cell);
    match column.kind {
        Kind::Truth => Arc::new(BooleanArray::from_iter(cells.map(|cell| Some(matches!(cell, Cell::Truth(true)))))),
        Kind::Count => Arc::new(UInt64Array::from_iter(cells.map(count))),
        Kind::Count32 => Arc::new(UInt32Array::from_iter(cells.map(|cell| count(cell).map(|count| count as u32)))),
        Kind::Number => {
            let number = |cell| if let Cell::Number(number) = cell { Some(number) } else { None };
            Arc::new(Float64Array::from_iter(cells.map(number)))
        }
        Kind::Text => Arc::new(StringArray::from_iter(
            cells.map(|cell| if let Cell::Text(text) = cell { Some(text) } else { None }),
        )),
        Kind::Word(words) => {
            let keys = Int8Array::from_iter(cells.map(|cell| index(cell).map(|index| index as i8)));
            Arc::new(DictionaryArray::new(keys, Arc::new(StringArray::from_iter_values(words))))
        }
        Kind::Flow | Kind::Link => {
            let names = if column.kind == Kind::Flow { &names.flows } else { &names.links };
            let keys = Int32Array::from_iter(cells.map(|cell| index(cell).map(|index| index as i32)));
            Arc::new(DictionaryArray::new(keys, Arc::new(StringArray::from_iter_values(names))))
        }
        Kind::Ranges => Arc::new(ranges(cells)),
    }
}

fn count(cell: Cell<'_>) -> Option<u64> {
    if let Cell::Count(count) = cell { Some(count) } else { None }
}

fn index(cell: Cell<'_>) -> Option<u32> {
    if let Cell::Index(index) = cell { Some(index) } else { None }
}

/// Lists of `[start, end]` pairs.
fn ranges<'a>(cells: impl Iterator<Item = Cell<'a>>) -> ListArray {
    let (mut edges, mut lengths) = (Vec::new(), Vec::new());
    for cell in cells {
        let pairs = if let Cell::Ranges(pairs) = cell { pairs } else { Vec::new() };
        lengths.push(pairs.len());
        edges.extend(pairs.into_iter().flat_map(|(start, end)| [start, end]));
    }
    let list = |values: ArrayRef, lengths: OffsetBuffer<i32>| {
        let item = Arc::new(Field::new("item", values.data_type().clone(), false));
        ListArray::new(item, lengths, values, None)
    };
    let pairs = OffsetBuffer::from_lengths(std::iter::repeat_n(2, edges.len() / 2));
    let pairs = list(Arc::new(UInt64Array::from(edges)), pairs);
    list(Arc::new(pairs), OffsetBuffer::from_lengths(lengths))
}
