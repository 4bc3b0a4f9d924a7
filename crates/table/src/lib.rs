//! Result tables: a column is declared once, with its name, type and meaning, and a number with its aggregate and its direction.
//!
//! From a row type's [`Row::COLUMNS`] come its JSON object, its Arrow column, its line in the reference, what may be expected
//! of it, and its metric. [`FlowRow`] and [`LinkRow`] are a run's summary.
//!
//! ```
//! use acklab_table::{Aggregate, Named, Names, Row, table};
//! table! {
//!     /// A measured transfer.
//!     pub struct Transfer {
//!         /// Name of the flow.
//!         pub name: String,
//!         /// Seconds it took; missing if it did not end.
//!         pub completion_s: Option<f64> = Mean, Less("a transfer ends earlier"), later,
//!     }
//! }
//! let row = Transfer { name: "f".into(), completion_s: None };
//! assert_eq!(serde_json::to_string(&row).unwrap(), r#"{"name":"f","completion_s":null}"#);
//! let column = &Transfer::COLUMNS[1];
//! assert_eq!((column.about, column.unit()), ("Seconds it took; missing if it did not end.", "s"));
//! assert_eq!(column.metric.unwrap().aggregate, Aggregate::Mean);
//! ```
//!
//! A number without an aggregate does not compile beside numbers that have one:
//!
//! ```compile_fail,E0080
//! acklab_table::table! {
//!     /// A measured transfer.
//!     pub struct Transfer {
//!         /// Bytes carried.
//!         pub bytes: u64 = Sum, More("more is delivered"),
//!         /// Bytes carried twice.
//!         pub again_bytes: u64,
//!     }
//! }
//! ```

extern crate self as acklab_table;

mod cell;
mod json;
mod metric;
mod recorded;
mod summary;

pub use cell::{As, Cell, Flow, Kind, Link, NanIsMissing, Plain, Value};
pub use json::{Named, Names};
pub use metric::{Aggregate, Better, Flag, Metric, check};
pub use recorded::{PacketEvent, PacketRow, QueueRow, SenderState, SeriesRow};
pub use summary::{FlowRow, LinkRow};

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
    /// The metric, if the column is one.
    pub metric: Option<Metric>,
    /// The cell of a row.
    pub cell: fn(&R) -> Cell<'_>,
}

impl<R> Column<R> {
    /// A column without missing cells, and no metric.
    pub const fn new(name: &'static str, about: &'static str, kind: Kind, cell: fn(&R) -> Cell<'_>) -> Column<R> {
        Column { name, about, kind, optional: false, metric: None, cell }
    }

    /// The same with cells that may be missing.
    pub const fn optional(name: &'static str, about: &'static str, kind: Kind, cell: fn(&R) -> Cell<'_>) -> Column<R> {
        Column { optional: true, ..Column::new(name, about, kind, cell) }
    }
}

/// A row of a table.
pub trait Row: Sized + 'static {
    /// The columns, in order.
    const COLUMNS: &'static [Column<Self>];
}

/// Declares a row type: a struct whose fields are the columns.
///
/// Behind a field's type may stand how a column reads it (`as Flow`), and what it is as a metric (`= Sum, More("why")`, its
/// heading on a terminal, and a [`Flag`]). In a table of metrics every number is one.
#[macro_export]
macro_rules! table {
    ($(#[$meta:meta])* pub struct $row:ident {
        $($(#[doc = $about:literal])* pub $name:ident: $type:ty $(as $view:ident)? $(= $aggregate:ident, $better:expr $(, $head:literal)? $(, $flag:ident)?)?,)+
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $row { $($(#[doc = $about])* pub $name: $type,)+ }

        impl $crate::Row for $row {
            const COLUMNS: &'static [$crate::Column<Self>] = &[$($crate::Column {
                name: stringify!($name),
                about: concat!($($about),*).trim_ascii(),
                kind: <$crate::table!(@view $($view)?) as $crate::As<$type>>::KIND,
                optional: <$crate::table!(@view $($view)?) as $crate::As<$type>>::OPTIONAL,
                metric: $crate::table!(@metric $($aggregate, $better, [$($head)?], [$($flag)?])?),
                cell: |row| <$crate::table!(@view $($view)?) as $crate::As<$type>>::cell(&row.$name),
            },)+];
        }

        const _: () = $crate::check(<$row as $crate::Row>::COLUMNS);

        impl $crate::serde::Serialize for $row {
            fn serialize<S: $crate::serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                $crate::Named(&$crate::Names::default(), self).serialize(to)
            }
        }
    };
    (@view) => { $crate::Plain };
    (@view $view:ident) => { $crate::$view };
    (@metric) => { None };
    (@metric $aggregate:ident, $better:expr, [$($head:literal)?], [$($flag:ident)?]) => {{
        #[allow(unused_imports)]
        use $crate::Better::{Less, More, Neither};
        Some($crate::Metric {
            aggregate: $crate::Aggregate::$aggregate,
            better: $better,
            head: concat!($($head)?),
            flag: $crate::table!(@flag $($flag)?),
        })
    }};
    (@flag) => { None };
    (@flag $flag:ident) => { Some($crate::Flag::$flag) };
}

#[doc(hidden)]
pub use serde;
