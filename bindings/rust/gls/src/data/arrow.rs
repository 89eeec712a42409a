//! Tables of arrow: record batches into a builder, and out of a dataset.

use std::ffi::CString;
use std::os::raw::c_char;
use std::panic::{self, AssertUnwindSafe};
use std::ptr;

use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use gls_sys as sys;

use crate::data::builder::{DatasetBuilder, Field};
use crate::data::dataset::{Dataset, Role};
use crate::memory::dtype::DType;
use crate::runtime::callback::{drop_quietly, words_of};
use crate::runtime::error::{call, Error, Result};
use crate::runtime::names::{c_string, Name};

/// A field of a stream of record batches, and what becomes of it: a column, or id sets.
///
/// A null is an error that names row and field, unless [`fill`](Self::fill) or [`mask`](Self::mask)
/// is set. Fields with the same [`name`](Self::name) form one column: their values follow each other
/// in each row. They need one type and role.
///
/// ```
/// # use gls::{ArrowColumn, DType, Role};
/// let age = ArrowColumn::new("age").dtype(DType::F32).fill(0).mask("has_age");
/// let label = ArrowColumn::new("class").name("y").role(Role::Label);
/// let train = ArrowColumn::id_set("train_mask").name("train");
/// ```
#[derive(Debug, Clone)]
#[must_use = "it does nothing by itself"]
pub struct ArrowColumn {
    field: Field,
    usage: sys::gls_arrow_use_t,
    name: Option<String>,
    dtype: Option<DType>,
    fill: Option<String>,
    mask: Option<String>,
    role: Role,
}

impl ArrowColumn {
    /// A field that becomes a column of its name and type.
    pub fn new(field: impl Into<Field>) -> Self {
        Self {
            field: field.into(),
            usage: sys::GLS_ARROW_COLUMN,
            name: None,
            dtype: None,
            fill: None,
            mask: None,
            role: Role::default(),
        }
    }

    /// A field of nodes that becomes an id set of its name: the nodes whose value is true, or 1. It has
    /// no type, mask or role.
    pub fn id_set(field: impl Into<Field>) -> Self {
        Self {
            usage: sys::GLS_ARROW_ID_SET,
            ..Self::new(field)
        }
    }

    /// A field of nodes that becomes an id set for each different text, named by it: "train",
    /// "valid". A null is in no set. There can be 64 sets.
    pub fn split(field: impl Into<Field>) -> Self {
        Self {
            usage: sys::GLS_ARROW_SPLIT,
            ..Self::new(field)
        }
    }

    /// The name of the column or id set, instead of the field's.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The type of the column, instead of the field's. A number that it cannot hold is an error;
    /// floats are rounded.
    pub fn dtype(mut self, dtype: DType) -> Self {
        self.dtype = Some(dtype);
        self
    }

    /// The number, or the bool of an id set, that stands for a null.
    pub fn fill(mut self, value: impl ToString) -> Self {
        self.fill = Some(value.to_string());
        self
    }

    /// The name of one more column: bool, false where the row had a null. Nulls are then the number
    /// of [`fill`](Self::fill), or 0.
    pub fn mask(mut self, name: impl Into<String>) -> Self {
        self.mask = Some(name.into());
        self
    }

    /// What the column is for.
    pub fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }
}

impl From<&str> for ArrowColumn {
    fn from(field: &str) -> Self {
        Self::new(field)
    }
}

impl From<usize> for ArrowColumn {
    fn from(field: usize) -> Self {
        Self::new(field)
    }
}

/// How to read a stream of record batches. By default the first field is the source of an edge, and the
/// second field is its target. Without a [`key`](Self::key), row i is node i. All other fields become
/// columns, unless [`column`](Self::column) names some.
///
/// ```
/// # use gls::{ArrowColumn, ArrowOptions, Role};
/// let options = ArrowOptions::new()
///     .source("from")
///     .target("to")
///     .column("distance") // this and the next one alone
///     .column(ArrowColumn::new("weight").fill(1).role(Role::Weight));
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "options do nothing by themselves"]
pub struct ArrowOptions {
    source: Option<Field>,
    target: Option<Field>,
    columns: Vec<ArrowColumn>,
    all_fields: Option<bool>,
    add_reverse: bool,
    label: Option<String>,
}

impl ArrowOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The field with the source of an edge.
    pub fn source(mut self, field: impl Into<Field>) -> Self {
        self.source = Some(field.into());
        self
    }

    /// The field with what edges call a node; the same as [`ArrowOptions::source`].
    pub fn key(self, field: impl Into<Field>) -> Self {
        self.source(field)
    }

    /// The field with the target of an edge.
    pub fn target(mut self, field: impl Into<Field>) -> Self {
        self.target = Some(field.into());
        self
    }

    /// Makes a column, or id sets, of a field.
    pub fn column(mut self, column: impl Into<ArrowColumn>) -> Self {
        self.columns.push(column.into());
        self
    }

    /// Whether each field that neither an id nor a [`column`](Self::column) names becomes a column
    /// with [`Role::Feature`]. By default it does where no [`ArrowColumn::new`] is given.
    pub fn all_fields(mut self, all_fields: bool) -> Self {
        self.all_fields = Some(all_fields);
        self
    }

    /// Whether each edge is also stored turned round; see
    /// [`DatasetBuilder::add_edges_and_reverse`].
    pub fn add_reverse(mut self, add_reverse: bool) -> Self {
        self.add_reverse = add_reverse;
        self
    }

    /// What errors call the stream, such as the name of a file.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    fn call<R>(&self, function: impl FnOnce(&sys::gls_arrow_options_t) -> Result<R>) -> Result<R> {
        let optional = |argument, field: &Option<Field>| match field {
            Some(field) => field.to_c(argument).map(Some),
            None => Ok(None),
        };
        let pointer = |text: &Option<CString>| text.as_ref().map_or(ptr::null(), |t| t.as_ptr());
        let source = optional("source", &self.source)?;
        let target = optional("target", &self.target)?;
        let label = Name::new("label", self.label.as_deref())?;
        let texts: Vec<(CString, [Name; 4])> = self
            .columns
            .iter()
            .map(|column| {
                Ok((
                    column.field.to_c("field")?,
                    [
                        Name::new("name", column.name.as_deref())?,
                        Name::new("dtype", column.dtype.map(DType::name))?,
                        Name::new("fill", column.fill.as_deref())?,
                        Name::new("mask", column.mask.as_deref())?,
                    ],
                ))
            })
            .collect::<Result<_>>()?;
        let columns: Vec<sys::gls_arrow_column_t> = texts
            .iter()
            .zip(&self.columns)
            .map(
                |((field, [name, dtype, fill, mask]), column)| sys::gls_arrow_column_t {
                    field: field.as_ptr(),
                    name: name.as_ptr(),
                    dtype: dtype.as_ptr(),
                    fill: fill.as_ptr(),
                    mask: mask.as_ptr(),
                    role: column.role as i32,
                    use_: column.usage,
                },
            )
            .collect();
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        let is_column = |column: &ArrowColumn| column.usage == sys::GLS_ARROW_COLUMN;
        let all_fields = self
            .all_fields
            .unwrap_or(!self.columns.iter().any(is_column));
        let options = sys::gls_arrow_options_t {
            source_field: pointer(&source),
            target_field: pointer(&target),
            columns: if columns.is_empty() {
                ptr::null()
            } else {
                columns.as_ptr()
            },
            num_columns: columns.len(),
            flags: flag(self.add_reverse, sys::GLS_EDGES_ADD_REVERSE)
                | flag(all_fields, sys::GLS_ARROW_ALL_FIELDS),
            label: label.as_ptr(),
            ..Default::default()
        };
        function(&options)
    }
}

/// A reader of the caller's, as the library may read it: nothing unwinds out of it, and its batches
/// have the types of its schema, which the library relies on.
struct CheckedReader<R> {
    reader: Option<R>, // until it is dropped
    schema: SchemaRef,
}

impl<R: RecordBatchReader> CheckedReader<R> {
    fn new(reader: R) -> Result<Self> {
        let schema = reader.schema();
        for field in schema.flattened_fields() {
            let zone = match field.data_type() {
                DataType::Timestamp(_, Some(zone)) => &**zone,
                _ => "",
            };
            // No string of C holds it, and arrow would panic.
            if field.name().contains('\0') || zone.contains('\0') {
                let name = field.name();
                let message = format!("field {name:?} has a NUL in its name or time zone");
                return Err(Error::invalid("reader", message));
            }
        }
        Ok(Self {
            reader: Some(reader),
            schema,
        })
    }

    fn read(&mut self) -> Option<Result<RecordBatch, ArrowError>> {
        let batch = match self.reader.as_mut()?.next()? {
            Ok(batch) => batch,
            Err(error) => return Some(Err(error_for_c(error))),
        };
        let fields = self.schema.fields();
        let mut pairs = batch.columns().iter().zip(fields);
        let same = batch.num_columns() == fields.len()
            && pairs.all(|(column, field)| column.data_type().equals_datatype(field.data_type()));
        Some(if same {
            Ok(batch)
        } else {
            let words = "a batch has other types than the schema of its reader".to_owned();
            Err(ArrowError::SchemaError(words))
        })
    }
}

impl<R: RecordBatchReader> Iterator for CheckedReader<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        // The library does not read it again after an error.
        panic::catch_unwind(AssertUnwindSafe(|| self.read())).unwrap_or_else(|payload| {
            let words = format!("the reader panicked: {}", words_of(&*payload));
            drop_quietly(payload);
            Some(Err(error_for_c(ArrowError::ExternalError(words.into()))))
        })
    }
}

impl<R: RecordBatchReader> RecordBatchReader for CheckedReader<R> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

impl<R> Drop for CheckedReader<R> {
    fn drop(&mut self) {
        drop_quietly(self.reader.take());
    }
}

/// The error, with a text that a string of C holds.
fn error_for_c(error: ArrowError) -> ArrowError {
    let words = error.to_string();
    if words.contains('\0') {
        ArrowError::ExternalError(words.replace('\0', " ").into())
    } else {
        error
    }
}

type AddStream = unsafe extern "C" fn(
    *mut sys::gls_builder_t,
    *const c_char,
    *mut sys::ArrowArrayStream,
    *const sys::gls_arrow_options_t,
    *mut *mut sys::gls_error_t,
) -> sys::gls_status_t;

impl DatasetBuilder {
    /// Adds the nodes of a type given as record batches: one node a row, numbered in this order.
    /// [`DatasetBuilder::build`] or [`DatasetBuilder::write`] reads them, once, on its own thread.
    ///
    /// Keys are integers, text or binary. Columns are numbers, bool, timestamps, dates, times and
    /// durations, and lists of these of one length. A type that was not declared gets
    /// [`Ids::String`](crate::Ids::String) when its keys are text.
    ///
    /// The reader is dropped when it was read, or with the builder. If it panics, the build fails.
    /// Threads of the library may drop its batches.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use arrow_array::{ArrayRef, Float32Array, RecordBatch, RecordBatchIterator, StringArray};
    /// use gls::{ArrowOptions, Context, DatasetBuilder};
    ///
    /// let name: ArrayRef = Arc::new(StringArray::from(vec!["ada", "bob"]));
    /// let age: ArrayRef = Arc::new(Float32Array::from(vec![36.0, 41.0]));
    /// let batch = RecordBatch::try_from_iter([("name", name), ("age", age)]).unwrap();
    /// let schema = batch.schema();
    /// let reader = RecordBatchIterator::new([Ok(batch)], schema); // or that of a Parquet file
    ///
    /// let context = Context::new()?;
    /// let mut builder = DatasetBuilder::new(&context)?;
    /// builder.add_nodes_arrow("user", reader, &ArrowOptions::new().key("name"))?;
    /// let dataset = builder.build()?;
    /// assert_eq!(dataset.find_node("user", "bob")?, 1);
    /// assert_eq!(dataset.node_column("user", "age")?.as_slice::<f32>()?, [36.0, 41.0]);
    /// # Ok::<(), gls::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::InvalidArgument`] for the options, or a field that does not exist or has another
    ///   type than its use needs.
    /// - [`Error::Unsupported`] for a type of arrow that cannot be a column.
    /// - [`Error::AlreadyExists`].
    ///
    /// Building fails with [`Error::CorruptData`], naming row and field, for a null, an id or a value.
    /// It fails with [`Error::Io`] when the reader does. A reader that was read is not read again, so
    /// the next build after a failed one gives [`Error::InvalidState`].
    pub fn add_nodes_arrow(
        &mut self,
        node_type: &str,
        reader: impl RecordBatchReader + Send + 'static,
        options: &ArrowOptions,
    ) -> Result<&mut Self> {
        if options.add_reverse {
            return Err(Error::invalid(
                "add_reverse",
                "true for nodes, expected false",
            ));
        }
        let reader = CheckedReader::new(reader)?;
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        self.add_stream(node_type, stream, options, sys::gls_builder_add_nodes_arrow)
    }

    /// Adds an edge type given as record batches: one edge a row. Row i has edge id i. Otherwise as
    /// [`DatasetBuilder::add_nodes_arrow`].
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use arrow_array::{ArrayRef, Int64Array, RecordBatch, RecordBatchIterator};
    /// # use gls::{ArrowOptions, Context, DatasetBuilder};
    /// # let context = Context::new()?;
    /// # let mut builder = DatasetBuilder::new(&context)?;
    /// # let from: ArrayRef = Arc::new(Int64Array::from(vec![0, 1]));
    /// # let to: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    /// # let year: ArrayRef = Arc::new(Int64Array::from(vec![1998, 2003]));
    /// # let batch = RecordBatch::try_from_iter([("from", from), ("to", to), ("year", year)]).unwrap();
    /// # let schema = batch.schema();
    /// # let reader = RecordBatchIterator::new([Ok(batch)], schema);
    /// let options = ArrowOptions::new().source("from").target("to"); // the others become columns
    /// builder.add_edges_arrow("paper__cites__paper", reader, &options)?;
    /// let dataset = builder.build()?;
    /// assert_eq!(dataset.edge_column(None, "year")?.as_slice::<i64>()?, [1998, 2003]);
    /// # Ok::<(), gls::Error>(())
    /// ```
    ///
    /// # Errors
    /// As there.
    pub fn add_edges_arrow(
        &mut self,
        edge_type: &str,
        reader: impl RecordBatchReader + Send + 'static,
        options: &ArrowOptions,
    ) -> Result<&mut Self> {
        let reader = CheckedReader::new(reader)?;
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        self.add_stream(edge_type, stream, options, sys::gls_builder_add_edges_arrow)
    }

    fn add_stream(
        &mut self,
        type_name: &str,
        mut stream: FFI_ArrowArrayStream,
        options: &ArrowOptions,
        add: AddStream,
    ) -> Result<&mut Self> {
        let name = c_string("type", type_name)?;
        let raw = ptr::addr_of_mut!(stream).cast();
        options.call(|options| {
            // SAFETY: a live handle, a terminated string, a stream that is moved out when the call
            // succeeds and is dropped here otherwise, options of this header.
            call(|error| unsafe { add(self.raw(), name.as_ptr(), raw, options, error) })
        })?;
        Ok(self)
    }
}

type GetStream = unsafe extern "C" fn(
    *const sys::gls_dataset_t,
    *const c_char,
    *mut sys::ArrowArrayStream,
    *mut *mut sys::gls_error_t,
) -> sys::gls_status_t;

impl Dataset {
    /// The nodes of a type as record batches of arrow: one node a row, ascending.
    ///
    /// The first field is `_key`, the original id, int64 or large utf8. For types without original ids
    /// it is `_id`, int64. The other fields are the columns, with their logical types. Quantised
    /// columns are decoded. [`Dataset::id_set`] returns the id sets.
    ///
    /// The reader keeps the dataset alive, and so do its batches. Columns are not copied, except bool
    /// and padded rows.
    ///
    /// ```
    /// # use gls::{Context, DatasetBuilder, Ids, Role};
    /// # let context = Context::new()?;
    /// # let mut builder = DatasetBuilder::new(&context)?;
    /// # builder.add_node_type("paper", 2, Ids::Dense)?;
    /// builder.add_node_column("paper", "year", vec![1998i64, 2003], Role::Feature)?;
    /// let dataset = builder.build()?;
    /// for batch in dataset.nodes_to_arrow("paper")? {
    ///     let batch = batch.unwrap();
    ///     assert_eq!(batch.schema().field(1).name(), "year");
    ///     assert_eq!(batch.num_rows(), 2);
    /// }
    /// # Ok::<(), gls::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Unsupported`] for a graph in parts or on servers, and for a column
    /// of bfloat16.
    pub fn nodes_to_arrow<'t>(
        &self,
        node_type: impl Into<Option<&'t str>>,
    ) -> Result<ArrowArrayStreamReader> {
        self.stream(node_type.into(), sys::gls_dataset_nodes_to_arrow)
    }

    /// The edges of a type as record batches of arrow: one edge a row, in ascending order of edge
    /// ids. The first fields are `_source` and `_target`: the original ids of the ends, or node ids
    /// for types without. Otherwise as [`Dataset::nodes_to_arrow`].
    ///
    /// Where edge ids are not positions, it keeps 8 bytes per edge with the dataset, as
    /// [`Dataset::find_edges`] does.
    ///
    /// # Errors
    /// As there.
    pub fn edges_to_arrow<'t>(
        &self,
        edge_type: impl Into<Option<&'t str>>,
    ) -> Result<ArrowArrayStreamReader> {
        self.stream(edge_type.into(), sys::gls_dataset_edges_to_arrow)
    }

    fn stream(&self, of: Option<&str>, get: GetStream) -> Result<ArrowArrayStreamReader> {
        let of = Name::new("type", of)?;
        let mut stream = FFI_ArrowArrayStream::empty();
        let raw = ptr::addr_of_mut!(stream).cast();
        // SAFETY: a live handle, a terminated string or NULL, and an empty stream.
        call(|error| unsafe { get(self.raw(), of.as_ptr(), raw, error) })?;
        ArrowArrayStreamReader::try_new(stream)
            .map_err(|source| Error::caused(sys::GLS_ERR_INTERNAL, "stream", source))
    }
}
