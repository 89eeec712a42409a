//! A dataset of libgls, which exports read.

use std::ffi::{c_char, CStr, CString};

use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};

use super::builder::Reader;
use super::c;
use super::tensor::from_tensor;
use crate::arrays::{Array, DType};
use crate::failure::{Code, Failure};
use crate::recipe::Role;

/// A column of nodes or edges. Those of codes have the numbers' dtype and shape.
#[derive(Clone, Debug)]
pub struct ColumnInfo {
    pub name: String,
    pub role: Role,
    pub dtype: DType,
    pub shape: Vec<i64>,
    pub codes: Option<Codebook>,
    /// What the numbers stand for, as Arrow's format string.
    pub logical_type: Option<String>,
}

/// Of a quantised column: bits of a code, and the number for each.
#[derive(Clone, Debug)]
pub struct Codebook {
    pub bits: u32,
    pub numbers: Vec<f32>,
}

#[derive(Clone, Debug)]
pub struct NodeTypeInfo {
    pub name: String,
    pub count: i64,
    pub has_keys: bool,
    pub columns: Vec<ColumnInfo>,
    pub sets: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct EdgeTypeInfo {
    /// "source__relation__target".
    pub name: String,
    pub source: String,
    pub relation: String,
    pub target: String,
    pub count: i64,
    pub has_csc: bool,
    pub columns: Vec<ColumnInfo>,
}

/// An array of a dataset. Columns of codes are the codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    NodeColumn,
    EdgeColumn,
    IdSet,
    CscIndptr,
    CscIndices,
    CscEdgeIds,
    CsrIndptr,
    CsrIndices,
    CsrEdgeIds,
}

impl Which {
    fn number(self) -> c::gls_dataset_array_t {
        match self {
            Which::NodeColumn => c::GLS_ARRAY_NODE_COLUMN,
            Which::EdgeColumn => c::GLS_ARRAY_EDGE_COLUMN,
            Which::IdSet => c::GLS_ARRAY_ID_SET,
            Which::CscIndptr => c::GLS_ARRAY_CSC_INDPTR,
            Which::CscIndices => c::GLS_ARRAY_CSC_INDICES,
            Which::CscEdgeIds => c::GLS_ARRAY_CSC_EDGE_IDS,
            Which::CsrIndptr => c::GLS_ARRAY_CSR_INDPTR,
            Which::CsrIndices => c::GLS_ARRAY_CSR_INDICES,
            Which::CsrEdgeIds => c::GLS_ARRAY_CSR_EDGE_IDS,
        }
    }
}

/// What exports read. The functions are those of `gls/dataset.h` and `gls/arrow.h`.
pub trait Dataset {
    fn node_types(&self) -> &[NodeTypeInfo];
    fn edge_types(&self) -> &[EdgeTypeInfo];
    /// A view of an array. `name` is of a column or set, and empty for others. [`Code::NotFound`]: it
    /// is not stored.
    fn array(&self, which: Which, of_type: &str, name: &str) -> Result<Array, Failure>;
    /// One node a row, ascending.
    fn nodes(&self, name: &str) -> Result<Reader, Failure>;
    /// One edge a row, in the order of edge ids.
    fn edges(&self, name: &str) -> Result<Reader, Failure>;
    /// An error: a file was cut while it was mapped, so what was read of it may be zeros.
    fn check_files(&self) -> Result<(), Failure>;
}

type Status = c::gls_status_t;
type Text = *const c_char;
type Errors = *mut *mut c::gls_error_t;
type Handle = *const c::gls_dataset_t;
type GetColumn =
    unsafe extern "C" fn(Handle, Text, usize, *mut c::gls_column_info_t, Errors) -> Status;
type GetStream = unsafe extern "C" fn(Handle, Text, *mut FFI_ArrowArrayStream, Errors) -> Status;

/// The dataset's calls, as `formats_plugin.h` has them.
#[repr(C)]
#[allow(clippy::type_complexity)]
pub struct DatasetCalls {
    num_node_types: unsafe extern "C" fn(Handle) -> usize,
    num_edge_types: unsafe extern "C" fn(Handle) -> usize,
    get_node_type_info:
        unsafe extern "C" fn(Handle, usize, *mut c::gls_node_type_info_t, Errors) -> Status,
    get_edge_type_info:
        unsafe extern "C" fn(Handle, usize, *mut c::gls_edge_type_info_t, Errors) -> Status,
    get_node_column_info: GetColumn,
    get_edge_column_info: GetColumn,
    get_id_set_info:
        unsafe extern "C" fn(Handle, Text, usize, *mut c::gls_id_set_info_t, Errors) -> Status,
    tensor: unsafe extern "C" fn(
        Handle,
        c::gls_dataset_array_t,
        Text,
        Text,
        *mut *mut c::gls_tensor_t,
        Errors,
    ) -> Status,
    nodes_to_arrow: GetStream,
    edges_to_arrow: GetStream,
    error_message: unsafe extern "C" fn(*const c::gls_error_t) -> *const c_char,
    error_detail: unsafe extern "C" fn(*const c::gls_error_t, *const c_char) -> *const c_char,
    error_release: unsafe extern "C" fn(*mut c::gls_error_t),
    check_files: unsafe extern "C" fn(Handle, Errors) -> Status,
}

/// A dataset behind the C ABI, whose descriptions were read.
pub struct CDataset<'a> {
    calls: &'a DatasetCalls,
    handle: Handle,
    node_types: Vec<NodeTypeInfo>,
    edge_types: Vec<EdgeTypeInfo>,
}

impl<'a> CDataset<'a> {
    /// # Safety
    /// `handle` is a dataset that lives as long as `calls`.
    pub unsafe fn new(calls: &'a DatasetCalls, handle: Handle) -> Result<Self, Failure> {
        let mut made = CDataset {
            calls,
            handle,
            node_types: Vec::new(),
            edge_types: Vec::new(),
        };
        // SAFETY: the handle is valid. All pointers live until the call returns; so it is below.
        let counts = unsafe {
            (
                (calls.num_node_types)(handle),
                (calls.num_edge_types)(handle),
            )
        };
        for index in 0..counts.0 {
            made.node_types.push(made.node_type(index)?);
        }
        for index in 0..counts.1 {
            made.edge_types.push(made.edge_type(index)?);
        }
        Ok(made)
    }

    fn check(&self, call: impl FnOnce(Errors) -> Status) -> Result<(), Failure> {
        let calls = self.calls;
        // SAFETY: the functions are libgls's.
        unsafe {
            super::builder::checked(
                call,
                calls.error_message,
                calls.error_detail,
                calls.error_release,
            )
        }
    }

    fn node_type(&self, index: usize) -> Result<NodeTypeInfo, Failure> {
        // SAFETY: a struct of numbers and pointers, which may be zero.
        let mut info: c::gls_node_type_info_t = unsafe { std::mem::zeroed() };
        info.struct_size = size_of_val(&info);
        self.check(|err| unsafe {
            (self.calls.get_node_type_info)(self.handle, index, &raw mut info, err)
        })?;
        let name = owned(info.name);
        let mut sets = Vec::new();
        for set in 0..info.num_id_sets {
            sets.push(self.set(&name, set)?);
        }
        let of = self.calls.get_node_column_info;
        Ok(NodeTypeInfo {
            count: info.num_nodes,
            has_keys: info.has_keys != 0,
            columns: self.columns(of, &name, info.num_columns)?,
            sets,
            name,
        })
    }

    fn edge_type(&self, index: usize) -> Result<EdgeTypeInfo, Failure> {
        // SAFETY: as for nodes.
        let mut info: c::gls_edge_type_info_t = unsafe { std::mem::zeroed() };
        info.struct_size = size_of_val(&info);
        self.check(|err| unsafe {
            (self.calls.get_edge_type_info)(self.handle, index, &raw mut info, err)
        })?;
        let name = owned(info.name);
        let of = self.calls.get_edge_column_info;
        Ok(EdgeTypeInfo {
            source: owned(info.source),
            relation: owned(info.relation),
            target: owned(info.target),
            count: info.num_edges,
            has_csc: info.layouts & c::GLS_LAYOUT_CSC != 0,
            columns: self.columns(of, &name, info.num_columns)?,
            name,
        })
    }

    fn set(&self, of_type: &str, index: usize) -> Result<String, Failure> {
        // SAFETY: as for nodes.
        let mut info: c::gls_id_set_info_t = unsafe { std::mem::zeroed() };
        info.struct_size = size_of_val(&info);
        let name = text(of_type)?;
        self.check(|err| unsafe {
            (self.calls.get_id_set_info)(self.handle, name.as_ptr(), index, &raw mut info, err)
        })?;
        Ok(owned(info.name))
    }

    fn columns(
        &self,
        get: GetColumn,
        of_type: &str,
        count: usize,
    ) -> Result<Vec<ColumnInfo>, Failure> {
        let type_name = text(of_type)?;
        let mut all = Vec::new();
        for index in 0..count {
            // SAFETY: as for nodes.
            let mut info: c::gls_column_info_t = unsafe { std::mem::zeroed() };
            info.struct_size = size_of_val(&info);
            self.check(|err| unsafe {
                get(self.handle, type_name.as_ptr(), index, &raw mut info, err)
            })?;
            let name = owned(info.name);
            let c::DLDataType { code, bits, lanes } = info.dtype;
            let dtype = DType::of_dlpack(code, bits, lanes).ok_or_else(|| {
                let what = format!("{of_type}.{name}: a dtype of code {code} and {bits} bits");
                Failure::new(Code::Unsupported, what)
            })?;
            // SAFETY: libgls gives as many extents as dimensions, and a number for each code.
            let (shape, codes) = unsafe { layout_of(&info) }.map_err(|what| {
                Failure::new(Code::Unsupported, format!("{of_type}.{name}: {what}"))
            })?;
            all.push(ColumnInfo {
                role: Role::of_number(info.role),
                dtype,
                shape,
                codes,
                logical_type: (!info.logical_type.is_null()).then(|| owned(info.logical_type)),
                name,
            });
        }
        Ok(all)
    }

    fn stream(&self, get: GetStream, name: &str) -> Result<Reader, Failure> {
        let text = text(name)?;
        let mut stream = FFI_ArrowArrayStream::empty();
        self.check(|err| unsafe { get(self.handle, text.as_ptr(), &raw mut stream, err) })?;
        let reader = ArrowArrayStreamReader::try_new(stream)
            .map_err(|error| Failure::new(Code::Unsupported, format!("{name}: {error}")))?;
        Ok(Box::new(reader))
    }
}

impl Dataset for CDataset<'_> {
    fn node_types(&self) -> &[NodeTypeInfo] {
        &self.node_types
    }

    fn edge_types(&self) -> &[EdgeTypeInfo] {
        &self.edge_types
    }

    fn array(&self, which: Which, of_type: &str, name: &str) -> Result<Array, Failure> {
        let (type_text, name_text) = (text(of_type)?, text(name)?);
        let name_text = if name.is_empty() {
            std::ptr::null()
        } else {
            name_text.as_ptr()
        };
        let mut out = std::ptr::null_mut();
        self.check(|err| unsafe {
            (self.calls.tensor)(
                self.handle,
                which.number(),
                type_text.as_ptr(),
                name_text,
                &raw mut out,
                err,
            )
        })?;
        // SAFETY: libgls made the tensor, and hands it over.
        unsafe { from_tensor(out) }.map_err(|what| {
            let words = format!("{of_type}.{name}: {what}");
            Failure::new(Code::Unsupported, words)
        })
    }

    fn nodes(&self, name: &str) -> Result<Reader, Failure> {
        self.stream(self.calls.nodes_to_arrow, name)
    }

    fn edges(&self, name: &str) -> Result<Reader, Failure> {
        self.stream(self.calls.edges_to_arrow, name)
    }

    fn check_files(&self) -> Result<(), Failure> {
        self.check(|err| unsafe { (self.calls.check_files)(self.handle, err) })
    }
}

/// The shape of a column, and its codes.
///
/// # Safety
/// Pointers that are not NULL lead to as many numbers as the counts tell.
unsafe fn layout_of(info: &c::gls_column_info_t) -> Result<(Vec<i64>, Option<Codebook>), String> {
    if info.ndim < 1 || info.shape.is_null() {
        return Err("a column without rows".to_owned());
    }
    // SAFETY: as the caller promises.
    let shape = unsafe { std::slice::from_raw_parts(info.shape, info.ndim as usize) };
    let codes = match info.bits {
        0 => None,
        bits @ (1 | 2 | 4 | 8) if !info.codebook.is_null() => {
            // SAFETY: as the caller promises.
            let numbers = unsafe { std::slice::from_raw_parts(info.codebook, 1 << bits) };
            let numbers = numbers.to_vec();
            Some(Codebook { bits, numbers })
        }
        bits => return Err(format!("codes of {bits} bits")),
    };
    Ok((shape.to_vec(), codes))
}

fn text(text: &str) -> Result<CString, Failure> {
    CString::new(text).map_err(|_| Failure::invalid(format!("the name {text:?} has a NUL")))
}

/// A text of libgls, which is UTF-8.
fn owned(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: libgls gives texts with a NUL, which live as long as the dataset.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_checked() {
        let (shape, numbers) = ([5_i64, 3], [0.0_f32; 256]);
        let layout = |ndim, shape: Option<&[i64]>, bits, numbers: Option<&[f32]>| {
            // SAFETY: a struct of numbers and pointers, which may be zero. There are two extents and
            // as many numbers as a byte has codes.
            unsafe {
                let mut info: c::gls_column_info_t = std::mem::zeroed();
                info.ndim = ndim;
                info.shape = shape.map_or(std::ptr::null(), <[i64]>::as_ptr);
                info.bits = bits;
                info.codebook = numbers.map_or(std::ptr::null(), <[f32]>::as_ptr);
                layout_of(&info)
            }
        };
        let (shape, numbers) = (&shape[..], &numbers[..]);
        for bits in [1, 2, 4, 8] {
            let (found, codes) = layout(2, Some(shape), bits, Some(numbers)).unwrap();
            assert_eq!(found, shape);
            assert_eq!(codes.unwrap().numbers.len(), 1 << bits);
            assert!(layout(2, Some(shape), bits, None).is_err());
        }
        assert!(layout(2, Some(shape), 0, None).unwrap().1.is_none());
        for bits in [3, 16, 64] {
            assert!(layout(2, Some(shape), bits, Some(numbers)).is_err());
        }
        assert!(layout(0, None, 0, None).is_err());
        assert!(layout(1, None, 0, None).is_err());
    }
}
