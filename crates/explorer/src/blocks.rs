//! Tables of doubles, and the offset of each in the bytes that the page receives.

use serde::Serialize;

/// A table's columns, rows, and the index of its first double. Columns follow one another.
#[derive(Serialize)]
pub(crate) struct Place {
    at: usize,
    rows: usize,
    columns: &'static [&'static str],
}

/// The doubles of all tables so far.
#[derive(Default)]
pub(crate) struct Blocks {
    numbers: Vec<f64>,
}

impl Blocks {
    /// Adds a table of these rows.
    pub(crate) fn add<const N: usize>(&mut self, columns: &'static [&'static str; N], rows: &[[f64; N]]) -> Place {
        let at = self.numbers.len();
        for column in 0..N {
            self.numbers.extend(rows.iter().map(|row| row[column]));
        }
        Place { at, rows: rows.len(), columns }
    }

    /// Appends the doubles, from the next multiple of 8 bytes.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.resize(out.len().next_multiple_of(8), b' ');
        out.reserve(8 * self.numbers.len());
        for number in &self.numbers {
            out.extend_from_slice(&number.to_le_bytes());
        }
    }
}
