//! A table as Python sees it: a name, columns, and a door to every data frame library.

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::DataType;
use arrow_schema::ffi::FFI_ArrowSchema;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// An immutable Arrow table; clones share the data.
#[pyclass(frozen, module = "acklab._core")]
pub(crate) struct Table {
    name: String,
    batch: RecordBatch,
}

impl Table {
    pub(crate) fn new(name: &'static str, batch: RecordBatch) -> Table {
        Table { name: name.to_owned(), batch }
    }
}

/// A type's name in the words a Python user knows.
fn type_name(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Float64 => "float",
        DataType::UInt64 | DataType::UInt32 => "int",
        DataType::Boolean => "bool",
        DataType::Utf8 | DataType::Dictionary(..) => "str",
        DataType::List(_) => "list",
        _ => "other",
    }
}

/// The package's functions on tables.
fn frames(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("acklab.results.frames")
}

#[pymethods]
impl Table {
    /// Which of a run's tables this is (flows, links, series, queue or packets), or of an analysis
    /// (connections, acks or segments).
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Column names in order; a suffix such as `_s` or `_bytes` is the unit.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Bytes the columns hold in memory.
    #[getter]
    fn nbytes(&self) -> usize {
        self.batch.get_array_memory_size()
    }

    /// The rows as dicts, one after another.
    fn __iter__<'py>(slf: &Bound<'py, Table>) -> PyResult<Bound<'py, PyAny>> {
        frames(slf.py())?.call_method1("rows", (slf,))
    }

    /// A row as a dict by its number, a polars frame of rows by a slice, a polars column by its name.
    fn __getitem__<'py>(slf: &Bound<'py, Table>, key: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        frames(slf.py())?.call_method1("item", (slf, key))
    }

    /// The table as a polars DataFrame, which shares the data.
    fn to_polars<'py>(slf: &Bound<'py, Table>) -> PyResult<Bound<'py, PyAny>> {
        frames(slf.py())?.call_method1("to_polars", (slf,))
    }

    /// The table as a pandas DataFrame; pandas has to be installed.
    fn to_pandas<'py>(slf: &Bound<'py, Table>) -> PyResult<Bound<'py, PyAny>> {
        frames(slf.py())?.call_method1("to_pandas", (slf,))
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Table>) -> PyResult<Bound<'py, PyAny>> {
        frames(slf.py())?.call_method1("to_polars", (slf,))?.call_method0("_repr_html_")
    }

    /// What [`pickle`] keeps: a table in Python (`acklab.results.kept`).
    fn __reduce__<'py>(slf: &Bound<'py, Table>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("acklab.results.kept")?.call_method1("reduced", (slf,))
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __repr__(&self) -> String {
        let schema = self.batch.schema();
        let columns = schema.fields().iter().map(|field| format!("{}: {}", field.name(), type_name(field.data_type())));
        format!("<{}: {} rows; {}>", self.name, self.batch.num_rows(), columns.collect::<Vec<_>>().join(", "))
    }

    /// The schema as an Arrow PyCapsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref())
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The table as an Arrow PyCapsule stream of one batch; data is shared, not copied.
    ///
    /// The interface lets a consumer ask for another schema and a producer decline; this one always declines.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), c"arrow_array_stream")
    }
}
