//! Rows as JSON objects: a key a column, in order; what is missing is null.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::{Cell, Column, Kind, Row};

/// Names that rows refer to by index.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Of flows.
    pub flows: Vec<String>,
    /// Of link directions, as `G->R`.
    pub links: Vec<String>,
}

/// A row with the names it refers to.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a, R>(pub &'a Names, pub &'a R);

impl<R: Row> Serialize for Named<'_, R> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Named(names, row) = self;
        let mut object = to.serialize_map(Some(R::COLUMNS.len()))?;
        for &Column { name, kind, cell, .. } in R::COLUMNS {
            match (cell(row), kind) {
                (Cell::Missing, _) => object.serialize_entry(name, &()),
                (Cell::Truth(truth), _) => object.serialize_entry(name, &truth),
                (Cell::Count(count), _) => object.serialize_entry(name, &count),
                (Cell::Number(number), _) => object.serialize_entry(name, &number),
                (Cell::Text(text), _) => object.serialize_entry(name, text),
                (Cell::Index(index), Kind::Word(words)) => object.serialize_entry(name, words[index as usize]),
                (Cell::Index(index), Kind::Flow) => object.serialize_entry(name, &names.flows[index as usize]),
                (Cell::Index(index), _) => object.serialize_entry(name, &names.links[index as usize]),
                (Cell::Ranges(ranges), _) => object.serialize_entry(name, &ranges),
            }?;
        }
        object.end()
    }
}
