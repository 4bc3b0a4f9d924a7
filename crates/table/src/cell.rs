//! Cells of tables, and the types they are made of.

/// Type of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Truth,
    /// A whole number of 32 bits.
    Count32,
    /// A whole number.
    Count,
    /// A number.
    Number,
    /// Text.
    Text,
    /// One of a few words.
    Word(&'static [&'static str]),
    /// The name of a flow, by its index.
    Flow,
    /// The name of a link direction, by its index.
    Link,
    /// Pairs of first unit and one past the last.
    Ranges,
}

/// A cell of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Nothing.
    Missing,
    /// See [`Kind::Truth`].
    Truth(bool),
    /// See [`Kind::Count`] and [`Kind::Count32`].
    Count(u64),
    /// See [`Kind::Number`]; a NaN counts as missing.
    Number(f64),
    /// See [`Kind::Text`].
    Text(&'a str),
    /// An index into a list of words or names.
    Index(u32),
    /// See [`Kind::Ranges`].
    Ranges(Vec<(u64, u64)>),
}

impl<'a> Cell<'a> {
    /// The cell of a value, or a missing one.
    pub fn maybe<V>(value: Option<V>, cell: impl FnOnce(V) -> Cell<'a>) -> Cell<'a> {
        value.map_or(Cell::Missing, cell)
    }
}

/// A type of a row's fields.
pub trait Value {
    /// Type of its column.
    const KIND: Kind;
    /// It may be missing.
    const OPTIONAL: bool = false;
    /// Its cell.
    fn cell(&self) -> Cell<'_>;
    /// Its word; empty if it is none of a few.
    fn word(&self) -> &'static str {
        match (Self::KIND, self.cell()) {
            (Kind::Word(words), Cell::Index(index)) => words[index as usize],
            _ => "",
        }
    }
}

macro_rules! values {
    ($($type:ty: $kind:ident, $value:ident => $cell:expr;)+) => {
        $(impl Value for $type {
            const KIND: Kind = Kind::$kind;
            fn cell(&self) -> Cell<'_> {
                let $value = self;
                $cell
            }
        })+
    };
}

values! {
    bool: Truth, value => Cell::Truth(*value);
    u32: Count32, value => Cell::Count(u64::from(*value));
    u64: Count, value => Cell::Count(*value);
    f64: Number, value => Cell::Number(*value);
    String: Text, value => Cell::Text(value);
}

impl<V: Value> Value for Option<V> {
    const KIND: Kind = V::KIND;
    const OPTIONAL: bool = true;
    fn cell(&self) -> Cell<'_> {
        self.as_ref().map_or(Cell::Missing, Value::cell)
    }
}

/// Reads a field of type `V` for a column.
pub trait As<V> {
    /// Type of the column.
    const KIND: Kind;
    /// Cells may be missing.
    const OPTIONAL: bool;
    /// The cell of a value.
    fn cell(value: &V) -> Cell<'_>;
}

/// As its type says.
#[derive(Debug)]
pub struct Plain;
/// A number whose NaN is a missing cell: an option takes more memory.
#[derive(Debug)]
pub struct NanIsMissing;
/// The index of a flow.
#[derive(Debug)]
pub struct Flow;
/// The index of a link direction.
#[derive(Debug)]
pub struct Link;

impl<V: Value> As<V> for Plain {
    const KIND: Kind = V::KIND;
    const OPTIONAL: bool = V::OPTIONAL;
    fn cell(value: &V) -> Cell<'_> {
        value.cell()
    }
}

impl<V: Copy + Into<f64>> As<V> for NanIsMissing {
    const KIND: Kind = Kind::Number;
    const OPTIONAL: bool = true;
    fn cell(&value: &V) -> Cell<'_> {
        let number = value.into();
        if number.is_nan() { Cell::Missing } else { Cell::Number(number) }
    }
}

impl As<u32> for Flow {
    const KIND: Kind = Kind::Flow;
    const OPTIONAL: bool = false;
    fn cell(&index: &u32) -> Cell<'_> {
        Cell::Index(index)
    }
}

impl As<u32> for Link {
    const KIND: Kind = Kind::Link;
    const OPTIONAL: bool = false;
    fn cell(&index: &u32) -> Cell<'_> {
        Cell::Index(index)
    }
}

/// Makes a plain enum a column's type: one of a few words, in the order of the variants.
#[macro_export]
macro_rules! words {
    ($type:ty: $($word:literal),+ $(,)?) => {
        impl $crate::Value for $type {
            const KIND: $crate::Kind = $crate::Kind::Word(&[$($word),+]);
            fn cell(&self) -> $crate::Cell<'_> {
                $crate::Cell::Index(*self as u32)
            }
        }
    };
}
