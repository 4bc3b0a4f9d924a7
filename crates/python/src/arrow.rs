//! Columns of an Arrow record batch, built one by one from rows.

use std::sync::Arc;

use arrow_array::types::{ArrowDictionaryKeyType, Int8Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, ListArray, PrimitiveArray, RecordBatch,
    RecordBatchOptions, StringArray, UInt32Array, UInt64Array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, Schema};

/// The columns gathered so far. A column's nullability is part of its declaration, not of the data at hand, so that
/// a table's schema is the same for every run.
#[derive(Default)]
pub(crate) struct Columns {
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl Columns {
    fn push(mut self, name: &str, nullable: bool, array: impl Array + 'static) -> Self {
        self.fields.push(Field::new(name, array.data_type().clone(), nullable));
        self.arrays.push(Arc::new(array));
        self
    }

    /// Numbers; never null.
    pub(crate) fn f64(self, name: &str, values: impl Iterator<Item = f64>) -> Self {
        self.push(name, false, Float64Array::from_iter_values(values))
    }

    /// Numbers that may be missing.
    pub(crate) fn maybe_f64(self, name: &str, values: impl Iterator<Item = Option<f64>>) -> Self {
        self.push(name, true, Float64Array::from_iter(values))
    }

    /// Counts; never null.
    pub(crate) fn u64(self, name: &str, values: impl Iterator<Item = u64>) -> Self {
        self.push(name, false, UInt64Array::from_iter_values(values))
    }

    /// Counts that may be missing.
    pub(crate) fn maybe_u64(self, name: &str, values: impl Iterator<Item = Option<u64>>) -> Self {
        self.push(name, true, UInt64Array::from_iter(values))
    }

    /// Small counts; never null.
    pub(crate) fn u32(self, name: &str, values: impl Iterator<Item = u32>) -> Self {
        self.push(name, false, UInt32Array::from_iter_values(values))
    }

    /// Small counts that may be missing.
    pub(crate) fn maybe_u32(self, name: &str, values: impl Iterator<Item = Option<u32>>) -> Self {
        self.push(name, true, UInt32Array::from_iter(values))
    }

    /// Truth values; never null.
    pub(crate) fn bool(self, name: &str, values: impl Iterator<Item = bool>) -> Self {
        self.push(name, false, BooleanArray::from_iter(values.map(Some)))
    }

    /// Texts; never null.
    pub(crate) fn text<'a>(self, name: &str, values: impl Iterator<Item = &'a str>) -> Self {
        self.push(name, false, StringArray::from_iter_values(values))
    }

    /// Texts out of a vocabulary of any size (names of flows and links, which all differ), by index.
    pub(crate) fn names(self, name: &str, vocabulary: &[String], indices: impl Iterator<Item = u32>) -> Self {
        let keys = indices.map(|index| index as i32);
        self.dictionary::<Int32Type>(name, StringArray::from_iter_values(vocabulary), keys)
    }

    /// Texts out of a handful (kinds, events, states), by index.
    pub(crate) fn words(self, name: &str, vocabulary: &[&str], indices: impl Iterator<Item = usize>) -> Self {
        let keys = indices.map(|index| index as i8);
        self.dictionary::<Int8Type>(name, StringArray::from_iter_values(vocabulary), keys)
    }

    /// The same where some are missing.
    pub(crate) fn maybe_words(
        self,
        name: &str,
        vocabulary: &[&str],
        indices: impl Iterator<Item = Option<u32>>,
    ) -> Self {
        let keys = PrimitiveArray::<Int8Type>::from_iter(indices.map(|index| index.map(|index| index as i8)));
        self.push(name, true, DictionaryArray::new(keys, Arc::new(StringArray::from_iter_values(vocabulary))))
    }

    fn dictionary<K: ArrowDictionaryKeyType>(
        self,
        name: &str,
        vocabulary: StringArray,
        keys: impl Iterator<Item = K::Native>,
    ) -> Self {
        let keys = PrimitiveArray::<K>::from_iter_values(keys);
        self.push(name, false, DictionaryArray::new(keys, Arc::new(vocabulary)))
    }

    /// Lists of `[start, end]` pairs; never null, mostly empty.
    pub(crate) fn ranges<I: Iterator<Item = (u64, u64)>>(self, name: &str, rows: impl Iterator<Item = I>) -> Self {
        let (mut edges, mut lengths) = (Vec::new(), Vec::new());
        for row in rows {
            let before = edges.len();
            row.for_each(|(start, end)| edges.extend([start, end]));
            lengths.push((edges.len() - before) / 2);
        }
        let list = |values: ArrayRef, lengths: OffsetBuffer<i32>| {
            let item = Arc::new(Field::new("item", values.data_type().clone(), false));
            ListArray::new(item, lengths, values, None)
        };
        let pairs = OffsetBuffer::from_lengths(std::iter::repeat_n(2, edges.len() / 2));
        let pairs = list(Arc::new(UInt64Array::from(edges)), pairs);
        self.push(name, false, list(Arc::new(pairs), OffsetBuffer::from_lengths(lengths)))
    }

    /// The finished table.
    ///
    /// # Panics
    /// When columns differ in length, which [`crate::tables`] rules out: every column maps the same rows.
    pub(crate) fn finish(self) -> RecordBatch {
        let rows = RecordBatchOptions::new().with_row_count(self.arrays.first().map(|a| a.len()));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(self.fields)), self.arrays, &rows)
            .expect("columns of one table have one length")
    }
}

/// A type's name in the words a Python user knows.
pub(crate) fn type_name(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Float64 => "float",
        DataType::UInt64 | DataType::UInt32 => "int",
        DataType::Boolean => "bool",
        DataType::Utf8 | DataType::Dictionary(..) => "str",
        DataType::List(_) => "list",
        _ => "other",
    }
}
