//! Result tables: a column is declared once, with its name, type and meaning.
//!
//! From a row type's [`Row::COLUMNS`] come its JSON object, its Arrow column and its line in the reference.
//!
//! ```
//! acklab_table::table! {
//!     /// A measured transfer.
//!     pub struct Transfer {
//!         /// Name of the flow.
//!         pub name: String,
//!         /// Seconds it took; missing if it did not end.
//!         pub completion_s: Option<f64>,
//!     }
//! }
//! use acklab_table::{Named, Names, Row};
//! let row = Transfer { name: "f".into(), completion_s: None };
//! assert_eq!(serde_json::to_string(&row).unwrap(), r#"{"name":"f","completion_s":null}"#);
//! assert_eq!(Transfer::COLUMNS[1].about, "Seconds it took; missing if it did not end.");
//! assert!(Transfer::COLUMNS[1].optional);
//! ```

mod cell;
mod json;

pub use cell::{Cell, Kind, Value};
pub use json::{Named, Names};

/// A column of a table whose rows are `R`.
#[derive(Clone, Copy, Debug)]
pub struct Column<R> {
    /// Name; a suffix such as `_s` or `_bytes` is the unit.
    pub name: &'static str,
    /// Meaning, in one sentence.
    pub about: &'static str,
    /// Type of its cells.
    pub kind: Kind,
    /// Cells may be missing.
    pub optional: bool,
    /// The cell of a row.
    pub cell: fn(&R) -> Cell<'_>,
}

impl<R> Column<R> {
    /// A column without missing cells.
    pub const fn new(name: &'static str, about: &'static str, kind: Kind, cell: fn(&R) -> Cell<'_>) -> Column<R> {
        Column { name, about, kind, optional: false, cell }
    }

    /// The same with cells that may be missing.
    pub const fn optional(name: &'static str, about: &'static str, kind: Kind, cell: fn(&R) -> Cell<'_>) -> Column<R> {
        Column { name, about, kind, optional: true, cell }
    }
}

/// A row of a table.
pub trait Row: Sized + 'static {
    /// The columns, in order.
    const COLUMNS: &'static [Column<Self>];
}

/// Declares a row type: a struct whose fields are the columns.
#[macro_export]
macro_rules! table {
    ($(#[$meta:meta])* pub struct $row:ident { $($(#[doc = $about:literal])+ pub $name:ident: $type:ty,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, $crate::serde::Deserialize)]
        #[serde(crate = "acklab_table::serde")]
        pub struct $row { $($(#[doc = $about])+ pub $name: $type,)+ }

        impl $crate::Row for $row {
            const COLUMNS: &'static [$crate::Column<Self>] = &[$($crate::Column {
                name: stringify!($name),
                about: concat!($($about),+).trim_ascii(),
                kind: <$type as $crate::Value>::KIND,
                optional: <$type as $crate::Value>::OPTIONAL,
                cell: |row| $crate::Value::cell(&row.$name),
            },)+];
        }

        impl $crate::serde::Serialize for $row {
            fn serialize<S: $crate::serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                $crate::Named(&$crate::Names::default(), self).serialize(to)
            }
        }
    };
}

#[doc(hidden)]
pub use serde;
