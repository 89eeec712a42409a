//! A builder of libgls, which recipes fill.

use std::ffi::{c_char, CStr, CString};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::RecordBatchReader;

use super::c;
use super::guarded::Guarded;
use super::tensor::into_tensor;
use crate::arrays::Array;
use crate::failure::{Code, Failure};
use crate::recipe::{Codes, Ids, Role, Text, TextEnds};

pub type Reader = Box<dyn RecordBatchReader + Send>;

/// What becomes of a field of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldUse {
    #[default]
    Column,
    IdSet,
    Split,
}

/// A field of a stream, as `gls_arrow_column_t`.
#[derive(Clone, Debug, Default)]
pub struct StreamField {
    pub field: String,
    pub name: Option<String>,
    pub dtype: Option<String>,
    pub fill: Option<String>,
    pub mask: Option<String>,
    pub role: Role,
    pub used_as: FieldUse,
}

/// How a stream is read, as `gls_arrow_options_t`.
#[derive(Clone, Debug, Default)]
pub struct StreamOptions {
    /// The key of nodes, or the sources of edges.
    pub source: Option<String>,
    pub target: Option<String>,
    pub fields: Vec<StreamField>,
    /// The others are features.
    pub all_fields: bool,
    pub undirected: bool,
    /// What errors call the stream.
    pub label: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    Csc,
    Csr,
}

/// Where recipes put a graph. The functions are those of `gls/builder.h` and `gls/arrow.h`.
pub trait Builder {
    fn add_node_type(&mut self, name: &str, count: i64, ids: Ids) -> Result<(), Failure>;
    fn add_edges(
        &mut self,
        edge_type: &str,
        source: Array,
        target: Array,
        undirected: bool,
    ) -> Result<(), Failure>;
    fn add_topology(
        &mut self,
        edge_type: &str,
        layout: Layout,
        indptr: Array,
        indices: Array,
        edge_ids: Option<Array>,
    ) -> Result<(), Failure>;
    fn add_nodes_text(&mut self, name: &str, path: &str, text: &Text) -> Result<(), Failure>;
    fn add_edges_text(
        &mut self,
        edge_type: &str,
        path: &str,
        text: &TextEnds,
        undirected: bool,
    ) -> Result<(), Failure>;
    fn add_nodes(
        &mut self,
        name: &str,
        reader: Reader,
        options: &StreamOptions,
    ) -> Result<(), Failure>;
    fn add_edge_rows(
        &mut self,
        edge_type: &str,
        reader: Reader,
        options: &StreamOptions,
    ) -> Result<(), Failure>;
    fn add_node_column(
        &mut self,
        name: &str,
        column: &str,
        role: Role,
        rows: Array,
        codes: Option<&Codes>,
    ) -> Result<(), Failure>;
    fn add_edge_column(
        &mut self,
        edge_type: &str,
        column: &str,
        role: Role,
        rows: Array,
        codes: Option<&Codes>,
    ) -> Result<(), Failure>;
    fn add_id_set(&mut self, name: &str, set: &str, ids: Array) -> Result<(), Failure>;
}

type Status = c::gls_status_t;
type Text_ = *const c_char;
type Errors = *mut *mut c::gls_error_t;
type Handle = *mut c::gls_builder_t;
type Tensor = *mut c::DLManagedTensorVersioned;

/// The builder's calls, as `formats_plugin.h` has them.
#[repr(C)]
#[allow(clippy::type_complexity)]
pub struct BuilderCalls {
    add_node_type:
        unsafe extern "C" fn(Handle, Text_, *const c::gls_node_type_options_t, Errors) -> Status,
    add_edges: unsafe extern "C" fn(
        Handle,
        Text_,
        Tensor,
        Tensor,
        *const c::gls_edge_type_options_t,
        Errors,
    ) -> Status,
    add_topology: unsafe extern "C" fn(
        Handle,
        Text_,
        c::gls_layout_t,
        Tensor,
        Tensor,
        Tensor,
        Errors,
    ) -> Status,
    add_nodes_text:
        unsafe extern "C" fn(Handle, Text_, Text_, *const c::gls_text_options_t, Errors) -> Status,
    add_edges_text:
        unsafe extern "C" fn(Handle, Text_, Text_, *const c::gls_text_options_t, Errors) -> Status,
    add_nodes_arrow: unsafe extern "C" fn(
        Handle,
        Text_,
        *mut FFI_ArrowArrayStream,
        *const c::gls_arrow_options_t,
        Errors,
    ) -> Status,
    add_edges_arrow: unsafe extern "C" fn(
        Handle,
        Text_,
        *mut FFI_ArrowArrayStream,
        *const c::gls_arrow_options_t,
        Errors,
    ) -> Status,
    add_node_column:
        unsafe extern "C" fn(Handle, Text_, Text_, c::gls_role_t, Tensor, Errors) -> Status,
    add_edge_column:
        unsafe extern "C" fn(Handle, Text_, Text_, c::gls_role_t, Tensor, Errors) -> Status,
    add_node_codes: unsafe extern "C" fn(
        Handle,
        Text_,
        Text_,
        c::gls_role_t,
        Tensor,
        *const c::gls_quantization_options_t,
        Errors,
    ) -> Status,
    add_edge_codes: unsafe extern "C" fn(
        Handle,
        Text_,
        Text_,
        c::gls_role_t,
        Tensor,
        *const c::gls_quantization_options_t,
        Errors,
    ) -> Status,
    add_id_set: unsafe extern "C" fn(Handle, Text_, Text_, Tensor, Errors) -> Status,
    error_message: unsafe extern "C" fn(*const c::gls_error_t) -> *const c_char,
    error_detail: unsafe extern "C" fn(*const c::gls_error_t, *const c_char) -> *const c_char,
    error_release: unsafe extern "C" fn(*mut c::gls_error_t),
}

/// Makes a [`Failure`] of an error of the C ABI.
///
/// # Safety
/// The functions are those of libgls for errors.
pub unsafe fn checked(
    call: impl FnOnce(Errors) -> Status,
    message: unsafe extern "C" fn(*const c::gls_error_t) -> *const c_char,
    detail: unsafe extern "C" fn(*const c::gls_error_t, *const c_char) -> *const c_char,
    release: unsafe extern "C" fn(*mut c::gls_error_t),
) -> Result<(), Failure> {
    let mut error = std::ptr::null_mut();
    let status = call(&raw mut error);
    if status == c::GLS_OK {
        return Ok(());
    }
    let mut failure = Failure::new(Code(status), format!("status {status}"));
    if !error.is_null() {
        // SAFETY: a failed call made `error`, which is released once.
        unsafe {
            let text = |text| CStr::from_ptr(text).to_string_lossy().into_owned();
            failure.message = text(message(error));
            let file = detail(error, c"file".as_ptr());
            failure.file = (!file.is_null()).then(|| text(file));
            release(error);
        }
    }
    Err(failure)
}

/// A builder behind the C ABI.
pub struct CBuilder<'a> {
    calls: &'a BuilderCalls,
    handle: Handle,
}

impl<'a> CBuilder<'a> {
    /// # Safety
    /// `handle` is a builder that lives as long as `calls`, and no other thread uses it.
    pub unsafe fn new(calls: &'a BuilderCalls, handle: Handle) -> Self {
        CBuilder { calls, handle }
    }

    /// Makes a [`Failure`] of an error of the C ABI.
    fn check(&self, call: impl FnOnce(Errors) -> Status) -> Result<(), Failure> {
        let calls = self.calls;
        // SAFETY: the functions are libgls's.
        unsafe {
            checked(
                call,
                calls.error_message,
                calls.error_detail,
                calls.error_release,
            )
        }
    }

    /// As `check`, for a call that takes tensors if it succeeds.
    fn check_taking(
        &self,
        tensors: &[Tensor],
        call: impl FnOnce(Errors) -> Status,
    ) -> Result<(), Failure> {
        let done = self.check(call);
        if done.is_err() {
            for &tensor in tensors.iter().filter(|tensor| !tensor.is_null()) {
                // SAFETY: a failed call leaves its tensors to the caller.
                unsafe {
                    if let Some(delete) = (*tensor).deleter {
                        delete(tensor);
                    }
                }
            }
        }
        done
    }

    fn add_stream(
        &self,
        add: unsafe extern "C" fn(
            Handle,
            Text_,
            *mut FFI_ArrowArrayStream,
            *const c::gls_arrow_options_t,
            Errors,
        ) -> Status,
        name: &str,
        reader: Reader,
        options: &StreamOptions,
    ) -> Result<(), Failure> {
        let mut texts = Texts::default();
        let mut columns = Vec::with_capacity(options.fields.len());
        for field in &options.fields {
            columns.push(c::gls_arrow_column_t {
                field: texts.of(&field.field)?,
                name: texts.of_some(field.name.as_deref())?,
                dtype: texts.of_some(field.dtype.as_deref())?,
                fill: texts.of_some(field.fill.as_deref())?,
                mask: texts.of_some(field.mask.as_deref())?,
                role: field.role.number(),
                use_: match field.used_as {
                    FieldUse::Column => c::GLS_ARROW_COLUMN,
                    FieldUse::IdSet => c::GLS_ARROW_ID_SET,
                    FieldUse::Split => c::GLS_ARROW_SPLIT,
                },
            });
        }
        let given = c::gls_arrow_options_t {
            struct_size: size_of::<c::gls_arrow_options_t>(),
            source_field: texts.of_some(options.source.as_deref())?,
            target_field: texts.of_some(options.target.as_deref())?,
            columns: columns.as_ptr(),
            num_columns: columns.len(),
            flags: reverse(options.undirected)
                | if options.all_fields {
                    c::GLS_ARROW_ALL_FIELDS
                } else {
                    0
                },
            reserved: 0,
            label: texts.of(&options.label)?,
        };
        let name = texts.of(name)?;
        // On failure the stream stays here and is released with `stream`.
        let mut stream = FFI_ArrowArrayStream::new(Guarded::of(reader));
        // SAFETY: all pointers live until the call returns.
        let done = self
            .check(|err| unsafe { add(self.handle, name, &raw mut stream, &raw const given, err) });
        if done.is_ok() {
            // It was moved.
            std::mem::forget(std::mem::replace(
                &mut stream,
                FFI_ArrowArrayStream::empty(),
            ));
        }
        done
    }
}

fn reverse(undirected: bool) -> u32 {
    if undirected {
        c::GLS_EDGES_ADD_REVERSE
    } else {
        0
    }
}

/// Texts with a NUL, which live as long as this.
#[derive(Default)]
struct Texts(Vec<CString>);

impl Texts {
    fn of(&mut self, text: &str) -> Result<*const c_char, Failure> {
        let text = CString::new(text)
            .map_err(|_| Failure::invalid(format!("the name {text:?} has a NUL")))?;
        self.0.push(text);
        Ok(self.0[self.0.len() - 1].as_ptr())
    }

    fn of_some(&mut self, text: Option<&str>) -> Result<*const c_char, Failure> {
        text.map_or(Ok(std::ptr::null()), |text| self.of(text))
    }
}

/// A quantisation, and the codebook that it points to.
fn quantization(codes: &Codes) -> c::gls_quantization_options_t {
    c::gls_quantization_options_t {
        struct_size: size_of::<c::gls_quantization_options_t>(),
        bits: codes.bits,
        reserved: 0,
        width: codes.width,
        codebook: codes
            .codebook
            .as_ref()
            .map_or(std::ptr::null(), |numbers| numbers.as_ptr()),
        num_codebook: codes.codebook.as_ref().map_or(0, Vec::len),
        low: codes.low.unwrap_or(0.0),
        high: codes.high.unwrap_or(0.0),
    }
}

struct TextOptions {
    columns: Vec<c::gls_text_column_t>,
    options: c::gls_text_options_t,
}

fn text_options(
    texts: &mut Texts,
    text: &Text,
    ends: [Option<&str>; 2],
    undirected: bool,
) -> Result<Box<TextOptions>, Failure> {
    let one_byte = |what: &str, text: &Option<String>| -> Result<c_char, Failure> {
        match text.as_deref() {
            None => Ok(0),
            Some("tab") => Ok(b'\t' as c_char),
            Some("none") if what == "comment" => Ok(c::GLS_COMMENT_NONE as c_char),
            Some(one) if one.len() == 1 => Ok(one.as_bytes()[0] as c_char),
            Some(other) => Err(Failure::invalid(format!(
                "{what}: {other:?} is not one character of ASCII"
            ))),
        }
    };
    let mut columns = Vec::with_capacity(text.columns.len());
    for column in &text.columns {
        columns.push(c::gls_text_column_t {
            field: texts.of(&column.field)?,
            name: texts.of_some(column.name.as_deref())?,
            dtype: texts.of(&column.dtype)?,
            role: column.role.number(),
            reserved: 0,
        });
    }
    let options = c::gls_text_options_t {
        struct_size: size_of::<c::gls_text_options_t>(),
        delimiter: one_byte("delimiter", &text.delimiter)?,
        comment: one_byte("comment", &text.comment)?,
        reserved0: 0,
        header: text.header.number(),
        source_field: texts.of_some(ends[0])?,
        target_field: texts.of_some(ends[1])?,
        columns: columns.as_ptr(),
        num_columns: columns.len(),
        flags: reverse(undirected) | if text.ragged { c::GLS_TEXT_RAGGED } else { 0 },
        encoding: text.encoding.number(),
    };
    Ok(Box::new(TextOptions { columns, options }))
}

impl Builder for CBuilder<'_> {
    fn add_node_type(&mut self, name: &str, count: i64, ids: Ids) -> Result<(), Failure> {
        let mut texts = Texts::default();
        let name = texts.of(name)?;
        let options = c::gls_node_type_options_t {
            struct_size: size_of::<c::gls_node_type_options_t>(),
            num_nodes: count,
            ids: ids.number(),
            reserved: 0,
        };
        // SAFETY: all pointers live until the call returns. So it is in all calls below.
        self.check(|err| unsafe {
            (self.calls.add_node_type)(self.handle, name, &raw const options, err)
        })
    }

    fn add_edges(
        &mut self,
        edge_type: &str,
        source: Array,
        target: Array,
        undirected: bool,
    ) -> Result<(), Failure> {
        let mut texts = Texts::default();
        let name = texts.of(edge_type)?;
        let options = c::gls_edge_type_options_t {
            struct_size: size_of::<c::gls_edge_type_options_t>(),
            flags: reverse(undirected),
            reserved: 0,
        };
        let (source, target) = (source.into_aligned()?, target.into_aligned()?);
        let ends = [into_tensor(source)?, into_tensor(target)?];
        self.check_taking(&ends, |err| unsafe {
            (self.calls.add_edges)(self.handle, name, ends[0], ends[1], &raw const options, err)
        })
    }

    fn add_topology(
        &mut self,
        edge_type: &str,
        layout: Layout,
        indptr: Array,
        indices: Array,
        edge_ids: Option<Array>,
    ) -> Result<(), Failure> {
        let mut texts = Texts::default();
        let name = texts.of(edge_type)?;
        let layout = match layout {
            Layout::Csc => c::GLS_LAYOUT_CSC,
            Layout::Csr => c::GLS_LAYOUT_CSR,
        };
        // Copies may fail; after them nothing does, so no tensor is lost.
        let (indptr, indices) = (indptr.into_aligned()?, indices.into_aligned()?);
        let edge_ids = edge_ids.map(Array::into_aligned).transpose()?;
        let given = [
            into_tensor(indptr)?,
            into_tensor(indices)?,
            edge_ids.map_or(Ok(std::ptr::null_mut()), into_tensor)?,
        ];
        self.check_taking(&given, |err| unsafe {
            (self.calls.add_topology)(self.handle, name, layout, given[0], given[1], given[2], err)
        })
    }

    fn add_nodes_text(&mut self, name: &str, path: &str, text: &Text) -> Result<(), Failure> {
        let mut texts = Texts::default();
        let (name, path) = (texts.of(name)?, texts.of(path)?);
        let made = text_options(&mut texts, text, [text.key.as_deref(), None], false)?;
        debug_assert_eq!(made.columns.len(), made.options.num_columns);
        self.check(|err| unsafe {
            (self.calls.add_nodes_text)(self.handle, name, path, &raw const made.options, err)
        })
    }

    fn add_edges_text(
        &mut self,
        edge_type: &str,
        path: &str,
        text: &TextEnds,
        undirected: bool,
    ) -> Result<(), Failure> {
        let mut texts = Texts::default();
        let (name, path) = (texts.of(edge_type)?, texts.of(path)?);
        let ends = [text.source.as_deref(), text.target.as_deref()];
        let made = text_options(&mut texts, &text.as_text(), ends, undirected)?;
        self.check(|err| unsafe {
            (self.calls.add_edges_text)(self.handle, name, path, &raw const made.options, err)
        })
    }

    fn add_nodes(
        &mut self,
        name: &str,
        reader: Reader,
        options: &StreamOptions,
    ) -> Result<(), Failure> {
        self.add_stream(self.calls.add_nodes_arrow, name, reader, options)
    }

    fn add_edge_rows(
        &mut self,
        edge_type: &str,
        reader: Reader,
        options: &StreamOptions,
    ) -> Result<(), Failure> {
        self.add_stream(self.calls.add_edges_arrow, edge_type, reader, options)
    }

    fn add_node_column(
        &mut self,
        name: &str,
        column: &str,
        role: Role,
        rows: Array,
        codes: Option<&Codes>,
    ) -> Result<(), Failure> {
        let calls = self.calls;
        self.add_column(
            [name, column],
            role,
            rows,
            codes,
            calls.add_node_column,
            calls.add_node_codes,
        )
    }

    fn add_edge_column(
        &mut self,
        edge_type: &str,
        column: &str,
        role: Role,
        rows: Array,
        codes: Option<&Codes>,
    ) -> Result<(), Failure> {
        let calls = self.calls;
        self.add_column(
            [edge_type, column],
            role,
            rows,
            codes,
            calls.add_edge_column,
            calls.add_edge_codes,
        )
    }

    fn add_id_set(&mut self, name: &str, set: &str, ids: Array) -> Result<(), Failure> {
        let mut texts = Texts::default();
        let (name, set) = (texts.of(name)?, texts.of(set)?);
        let ids = into_tensor(ids)?;
        self.check_taking(&[ids], |err| unsafe {
            (self.calls.add_id_set)(self.handle, name, set, ids, err)
        })
    }
}

type AddColumn =
    unsafe extern "C" fn(Handle, Text_, Text_, c::gls_role_t, Tensor, Errors) -> Status;
type AddCodes = unsafe extern "C" fn(
    Handle,
    Text_,
    Text_,
    c::gls_role_t,
    Tensor,
    *const c::gls_quantization_options_t,
    Errors,
) -> Status;

impl CBuilder<'_> {
    fn add_column(
        &self,
        names: [&str; 2],
        role: Role,
        rows: Array,
        codes: Option<&Codes>,
        add: AddColumn,
        add_codes: AddCodes,
    ) -> Result<(), Failure> {
        let mut texts = Texts::default();
        let (name, column) = (texts.of(names[0])?, texts.of(names[1])?);
        let rows = into_tensor(rows)?;
        let role = role.number();
        self.check_taking(&[rows], |err| unsafe {
            match codes {
                None => add(self.handle, name, column, role, rows, err),
                Some(codes) => {
                    let given = quantization(codes);
                    add_codes(self.handle, name, column, role, rows, &raw const given, err)
                }
            }
        })
    }
}
