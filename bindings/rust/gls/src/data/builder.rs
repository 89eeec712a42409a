//! DatasetBuilder: makes datasets, from memory and from files.

use std::ffi::CString;
use std::fmt;
use std::marker::PhantomData;
use std::os::raw::c_char;
use std::path::Path;
use std::ptr::{self, NonNull};

use gls_sys as sys;

use crate::data::dataset::{Dataset, Layout, Role, WriteOptions};
use crate::memory::dtype::DType;
use crate::memory::tensor::{give, IntoTensor};
use crate::runtime::context::Context;
use crate::runtime::error::{call, make, Error, Result};
use crate::runtime::names::{c_path, c_string, Name};

/// What text files call nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Ids {
    /// 0 .. num_nodes-1 already.
    #[default]
    Dense = sys::GLS_IDS_DENSE as isize,
    /// Any integers; numbered in ascending order, originals kept as keys.
    Integer = sys::GLS_IDS_INTEGER as isize,
    /// Any text; numbered in ascending byte order, originals kept as keys.
    String = sys::GLS_IDS_STRING as isize,
}

/// Collects the parts of a dataset, then makes it in memory or as a folder.
///
/// Vectors and owned arrays are moved in, without a copy; slices are copied; see [`IntoTensor`].
/// For use by one thread at a time, which `&mut self` sees to.
///
/// ```
/// use gls::{Context, DatasetBuilder, Role};
///
/// let context = Context::new()?;
/// let mut builder = DatasetBuilder::new(&context)?;
/// builder
///     .add_edges("node__to__node", vec![0i64, 1, 2], vec![1i64, 2, 0])?
///     .add_node_column("node", "y", vec![7i64, 8, 9], Role::Label)?
///     .add_id_set("node", "train", vec![0i64, 2])?;
/// let dataset = builder.build()?;
/// assert_eq!(dataset.num_nodes(None)?, 3);
/// # Ok::<(), gls::Error>(())
/// ```
pub struct DatasetBuilder {
    raw: NonNull<sys::gls_builder_t>,
    /// Not Sync: calls on a builder are [one].
    one: PhantomData<*mut ()>,
}

// SAFETY: gls.h: calls on a builder are [one]: any thread, one at a time.
unsafe impl Send for DatasetBuilder {}

impl Drop for DatasetBuilder {
    fn drop(&mut self) {
        // SAFETY: owned, and this is the last call on it.
        unsafe { sys::gls_builder_release(self.raw.as_ptr()) }
    }
}

impl DatasetBuilder {
    /// An empty builder.
    pub fn new(context: &Context) -> Result<Self> {
        // SAFETY: a live handle.
        let raw = make(|out, error| unsafe { sys::gls_builder_create(context.raw(), out, error) })?;
        Ok(Self::of(raw))
    }

    /// A builder that has something already; taken.
    pub(crate) fn of(raw: NonNull<sys::gls_builder_t>) -> Self {
        Self {
            raw,
            one: PhantomData,
        }
    }

    pub(crate) fn raw(&mut self) -> *mut sys::gls_builder_t {
        self.raw.as_ptr()
    }

    /// Declares a node type. It is needed only to set one of these properties, and then first.
    ///
    /// `num_nodes` 0 means: found from the edges, columns and id sets.
    pub fn add_node_type(
        &mut self,
        node_type: &str,
        num_nodes: usize,
        ids: Ids,
    ) -> Result<&mut Self> {
        let name = c_string("type", node_type)?;
        let options = sys::gls_node_type_options_t {
            num_nodes: i64::try_from(num_nodes)
                .map_err(|_| Error::invalid("num_nodes", num_nodes))?,
            ids: ids as i32,
            ..Default::default()
        };
        // SAFETY: a live handle, a terminated string, options of this header.
        call(|error| unsafe {
            sys::gls_builder_add_node_type(self.raw(), name.as_ptr(), &options, error)
        })?;
        Ok(self)
    }

    /// Adds an edge type given as edge list: edge i goes from `source[i]` to `target[i]`. Both are
    /// int32 or int64 `[edges]`.
    pub fn add_edges(
        &mut self,
        edge_type: &str,
        source: impl IntoTensor,
        target: impl IntoTensor,
    ) -> Result<&mut Self> {
        self.edges(edge_type, source, target, 0)
    }

    /// As [`DatasetBuilder::add_edges`], and also stores each edge turned round: within one node
    /// type as edges E .. 2E-1 of this type; between two as the type "target__rev_relation__source"
    /// with equal ids.
    pub fn add_edges_and_reverse(
        &mut self,
        edge_type: &str,
        source: impl IntoTensor,
        target: impl IntoTensor,
    ) -> Result<&mut Self> {
        self.edges(edge_type, source, target, sys::GLS_EDGES_ADD_REVERSE)
    }

    fn edges(
        &mut self,
        edge_type: &str,
        source: impl IntoTensor,
        target: impl IntoTensor,
        flags: u32,
    ) -> Result<&mut Self> {
        let name = c_string("type", edge_type)?;
        let options = sys::gls_edge_type_options_t {
            flags,
            ..Default::default()
        };
        let tensors = [source.into_tensor()?, target.into_tensor()?];
        // SAFETY: a live handle, a terminated string, live tensors, options of this header.
        give(tensors, |[source, target], error| unsafe {
            sys::gls_builder_add_edges(self.raw(), name.as_ptr(), source, target, &options, error)
        })?;
        Ok(self)
    }

    /// Adds an edge type given as a ready topology, which is used as it is. Give it twice to store
    /// both layouts.
    ///
    /// `indptr` is int64 `[nodes + 1]`, `indices` int32 or int64 `[edges]`. The id of an edge is
    /// its position.
    pub fn add_topology(
        &mut self,
        edge_type: &str,
        layout: Layout,
        indptr: impl IntoTensor,
        indices: impl IntoTensor,
    ) -> Result<&mut Self> {
        let name = c_string("type", edge_type)?;
        let tensors = [indptr.into_tensor()?, indices.into_tensor()?];
        // SAFETY: a live handle, a terminated string, live tensors.
        give(tensors, |[indptr, indices], error| unsafe {
            sys::gls_builder_add_topology(
                self.raw(),
                name.as_ptr(),
                layout as u32,
                indptr,
                indices,
                ptr::null_mut(),
                error,
            )
        })?;
        Ok(self)
    }

    /// As [`DatasetBuilder::add_topology`], with the id of each edge: int32 or int64 `[edges]`.
    pub fn add_topology_with_edge_ids(
        &mut self,
        edge_type: &str,
        layout: Layout,
        indptr: impl IntoTensor,
        indices: impl IntoTensor,
        edge_ids: impl IntoTensor,
    ) -> Result<&mut Self> {
        let name = c_string("type", edge_type)?;
        let tensors = [
            indptr.into_tensor()?,
            indices.into_tensor()?,
            edge_ids.into_tensor()?,
        ];
        // SAFETY: a live handle, a terminated string, live tensors.
        give(tensors, |[indptr, indices, edge_ids], error| unsafe {
            sys::gls_builder_add_topology(
                self.raw(),
                name.as_ptr(),
                layout as u32,
                indptr,
                indices,
                edge_ids,
                error,
            )
        })?;
        Ok(self)
    }

    /// Adds an edge type given as delimited text: one edge a line, plain or compressed
    /// with gzip, zstd or bzip2. The file is read by [`DatasetBuilder::build`] or
    /// [`DatasetBuilder::write`].
    pub fn add_edges_text(
        &mut self,
        edge_type: &str,
        path: impl AsRef<Path>,
        options: &TextOptions,
    ) -> Result<&mut Self> {
        let name = c_string("type", edge_type)?;
        let path = c_path("path", path.as_ref())?;
        options.call(|options| {
            // SAFETY: a live handle, terminated strings, options of this header.
            call(|error| unsafe {
                let (name, path) = (name.as_ptr(), path.as_ptr());
                sys::gls_builder_add_edges_text(self.raw(), name, path, options, error)
            })
        })?;
        Ok(self)
    }

    /// Adds the nodes of a type given as delimited text: one node a line, numbered in this order. With
    /// [`Ids::Dense`] the list must be 0, 1, 2, ... in this order.
    pub fn add_nodes_text(
        &mut self,
        node_type: &str,
        path: impl AsRef<Path>,
        options: &TextOptions,
    ) -> Result<&mut Self> {
        let name = c_string("type", node_type)?;
        let path = c_path("path", path.as_ref())?;
        options.call(|options| {
            // SAFETY: a live handle, terminated strings, options of this header.
            call(|error| unsafe {
                let (name, path) = (name.as_ptr(), path.as_ptr());
                sys::gls_builder_add_nodes_text(self.raw(), name, path, options, error)
            })
        })?;
        Ok(self)
    }

    /// Adds a column of a node type: `[nodes, ...]`, row i is node i.
    pub fn add_node_column<'t>(
        &mut self,
        node_type: impl Into<Option<&'t str>>,
        name: &str,
        data: impl IntoTensor,
        role: Role,
    ) -> Result<&mut Self> {
        let node_type = Name::new("type", node_type.into())?;
        let name = c_string("name", name)?;
        // SAFETY: a live handle, terminated strings or NULL, a live tensor.
        give([data.into_tensor()?], |[data], error| unsafe {
            sys::gls_builder_add_node_column(
                self.raw(),
                node_type.as_ptr(),
                name.as_ptr(),
                role as i32,
                data,
                error,
            )
        })?;
        Ok(self)
    }

    /// Adds a column of an edge type: `[edges, ...]`, row e belongs to edge e.
    pub fn add_edge_column<'t>(
        &mut self,
        edge_type: impl Into<Option<&'t str>>,
        name: &str,
        data: impl IntoTensor,
        role: Role,
    ) -> Result<&mut Self> {
        let edge_type = Name::new("type", edge_type.into())?;
        let name = c_string("name", name)?;
        // SAFETY: a live handle, terminated strings or NULL, a live tensor.
        give([data.into_tensor()?], |[data], error| unsafe {
            sys::gls_builder_add_edge_column(
                self.raw(),
                edge_type.as_ptr(),
                name.as_ptr(),
                role as i32,
                data,
                error,
            )
        })?;
        Ok(self)
    }

    /// Adds a named set of nodes: int32 or int64 ids, in the order given.
    pub fn add_id_set<'t>(
        &mut self,
        node_type: impl Into<Option<&'t str>>,
        name: &str,
        ids: impl IntoTensor,
    ) -> Result<&mut Self> {
        let node_type = Name::new("type", node_type.into())?;
        let name = c_string("name", name)?;
        // SAFETY: a live handle, terminated strings or NULL, a live tensor.
        give([ids.into_tensor()?], |[ids], error| unsafe {
            sys::gls_builder_add_id_set(self.raw(), node_type.as_ptr(), name.as_ptr(), ids, error)
        })?;
        Ok(self)
    }

    /// Makes the dataset in memory; the builder is empty afterwards and can be used again.
    pub fn build(&mut self) -> Result<Dataset> {
        self.build_with(WriteOptions::new())
    }

    /// As [`DatasetBuilder::build`], with options.
    pub fn build_with(&mut self, options: WriteOptions<'_>) -> Result<Dataset> {
        options.call(|options| {
            // SAFETY: a live handle, options of this header.
            let raw = make(|out, error| unsafe {
                sys::gls_builder_build(self.raw(), options, out, error)
            })?;
            // SAFETY: just handed over.
            Ok(unsafe { Dataset::from_raw(raw) })
        })
    }

    /// Makes a dataset folder, in bounded memory; it appears complete or not at all. The builder is
    /// empty afterwards.
    pub fn write(&mut self, path: impl AsRef<Path>) -> Result<()> {
        self.write_with(path, WriteOptions::new())
    }

    /// As [`DatasetBuilder::write`], with options.
    pub fn write_with(&mut self, path: impl AsRef<Path>, options: WriteOptions<'_>) -> Result<()> {
        let path = c_path("path", path.as_ref())?;
        options.call(|options| {
            // SAFETY: a live handle, a terminated string, options of this header.
            call(|error| unsafe {
                sys::gls_builder_write(self.raw(), path.as_ptr(), options, error)
            })
        })?;
        Ok(())
    }
}

impl fmt::Debug for DatasetBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatasetBuilder").finish_non_exhaustive()
    }
}

/// A field of a delimited file or of a stream of Arrow batches: its name, or its number from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    /// As the header line or the schema calls it.
    Name(String),
    /// Counted from 0.
    Number(usize),
}

impl From<&str> for Field {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<usize> for Field {
    fn from(number: usize) -> Self {
        Self::Number(number)
    }
}

impl Field {
    pub(crate) fn to_c(&self, argument: &'static str) -> Result<CString> {
        match self {
            Self::Name(name) => c_string(argument, name),
            Self::Number(number) => c_string(argument, &format!("#{number}")),
        }
    }
}

#[derive(Debug, Clone)]
struct TextColumn {
    field: Field,
    name: Option<String>,
    dtype: DType,
    role: Role,
}

/// How the characters of a delimited file are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8, or UTF-16 where the file begins with its byte order mark.
    #[default]
    Detect = sys::GLS_ENCODING_DETECT as isize,
    /// UTF-8.
    Utf8 = sys::GLS_ENCODING_UTF8 as isize,
    /// ISO 8859-1: each byte is a character.
    Latin1 = sys::GLS_ENCODING_LATIN1 as isize,
    /// UTF-16 in the byte order of its mark; without one, in that which makes the first character one
    /// of ASCII.
    Utf16 = sys::GLS_ENCODING_UTF16 as isize,
}

/// How to read a delimited file. By default the delimiter and the header line are detected. Lines
/// that begin with '#' or '%' are skipped. The first field is the source of an edge, or the key of
/// a node. The second field is the target.
///
/// ```
/// # use gls::{DType, Role, TextOptions};
/// let options = TextOptions::new()
///     .source("from")
///     .target("to")
///     .column("weight", None, DType::F32, Role::Weight);
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "options do nothing by themselves"]
pub struct TextOptions {
    delimiter: u8,
    comment: Option<Option<u8>>,
    header: Option<bool>,
    source: Option<Field>,
    target: Option<Field>,
    columns: Vec<TextColumn>,
    add_reverse: bool,
    encoding: Encoding,
    ragged: bool,
}

impl TextOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The character between two fields, in ASCII. By default it is the first of tab, comma,
    /// semicolon and pipe that ends the first field of the first line. Without any of these, fields
    /// are separated by runs of blanks.
    pub fn delimiter(mut self, delimiter: u8) -> Self {
        self.delimiter = delimiter;
        self
    }

    /// Lines beginning with this ASCII character are skipped; `None`: no lines.
    pub fn comment(mut self, comment: Option<u8>) -> Self {
        self.comment = Some(comment);
        self
    }

    /// Whether the first line is a header.
    pub fn header(mut self, header: bool) -> Self {
        self.header = Some(header);
        self
    }

    /// The field with the source of an edge.
    pub fn source(mut self, field: impl Into<Field>) -> Self {
        self.source = Some(field.into());
        self
    }

    /// The field with what edges call a node; the same as [`TextOptions::source`].
    pub fn key(self, field: impl Into<Field>) -> Self {
        self.source(field)
    }

    /// The field with the target of an edge.
    pub fn target(mut self, field: impl Into<Field>) -> Self {
        self.target = Some(field.into());
        self
    }

    /// Makes a column of a field, with the field's name unless another is given.
    pub fn column<'n>(
        mut self,
        field: impl Into<Field>,
        name: impl Into<Option<&'n str>>,
        dtype: DType,
        role: Role,
    ) -> Self {
        self.columns.push(TextColumn {
            field: field.into(),
            name: name.into().map(str::to_owned),
            dtype,
            role,
        });
        self
    }

    /// Whether each edge is also stored turned round; see
    /// [`DatasetBuilder::add_edges_and_reverse`].
    pub fn add_reverse(mut self, add_reverse: bool) -> Self {
        self.add_reverse = add_reverse;
        self
    }

    /// The encoding of the file.
    pub fn encoding(mut self, encoding: Encoding) -> Self {
        self.encoding = encoding;
        self
    }

    /// Whether lines may have more or fewer fields than the first; by default such a line is an error.
    pub fn ragged(mut self, ragged: bool) -> Self {
        self.ragged = ragged;
        self
    }

    fn call<R>(&self, function: impl FnOnce(&sys::gls_text_options_t) -> Result<R>) -> Result<R> {
        let optional = |argument, field: &Option<Field>| match field {
            Some(field) => field.to_c(argument).map(Some),
            None => Ok(None),
        };
        let pointer = |text: &Option<CString>| text.as_ref().map_or(ptr::null(), |t| t.as_ptr());
        let source = optional("source", &self.source)?;
        let target = optional("target", &self.target)?;
        let texts: Vec<(CString, Name, CString)> = self
            .columns
            .iter()
            .map(|column| {
                Ok((
                    column.field.to_c("field")?,
                    Name::new("name", column.name.as_deref())?,
                    c_string("dtype", column.dtype.name())?,
                ))
            })
            .collect::<Result<_>>()?;
        let columns: Vec<sys::gls_text_column_t> = texts
            .iter()
            .zip(&self.columns)
            .map(|((field, name, dtype), column)| sys::gls_text_column_t {
                field: field.as_ptr(),
                name: name.as_ptr(),
                dtype: dtype.as_ptr(),
                role: column.role as i32,
                reserved: 0,
            })
            .collect();
        let options = sys::gls_text_options_t {
            delimiter: self.delimiter as c_char,
            comment: match self.comment {
                None => 0,
                Some(None) => sys::GLS_COMMENT_NONE as c_char,
                Some(Some(comment)) => comment as c_char,
            },
            header: match self.header {
                None => sys::GLS_HEADER_DETECT,
                Some(true) => sys::GLS_HEADER_YES,
                Some(false) => sys::GLS_HEADER_NO,
            },
            source_field: pointer(&source),
            target_field: pointer(&target),
            columns: if columns.is_empty() {
                ptr::null()
            } else {
                columns.as_ptr()
            },
            num_columns: columns.len(),
            flags: if self.add_reverse {
                sys::GLS_EDGES_ADD_REVERSE
            } else {
                0
            } | if self.ragged { sys::GLS_TEXT_RAGGED } else { 0 },
            encoding: self.encoding as i32,
            ..Default::default()
        };
        function(&options)
    }
}
