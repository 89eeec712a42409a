//! Arrays as DLPack tensors, and tensors as arrays.

use std::ffi::c_void;

use super::c;
use crate::arrays::{Array, Bytes, DType};
use crate::failure::Failure;

/// What a tensor needs until it is deleted.
struct Owner {
    tensor: c::DLManagedTensorVersioned,
    shape: Vec<i64>,
    _array: Array,
}

unsafe extern "C" fn delete(tensor: *mut c::DLManagedTensorVersioned) {
    // SAFETY: `into_tensor` made it, and DLPack calls this once.
    drop(unsafe { Box::from_raw((*tensor).manager_ctx.cast::<Owner>()) });
}

/// A tensor on the array's memory, which is copied only if its rows have gaps or its elements are not
/// aligned. The taker calls its `deleter`.
pub fn into_tensor(array: Array) -> Result<*mut c::DLManagedTensorVersioned, Failure> {
    let array = array.into_aligned()?;
    let data = array.bytes().as_ptr();
    let dtype = array.dtype.dlpack();
    let shape = array.shape.clone();
    let mut owner = Box::new(Owner {
        tensor: c::DLManagedTensorVersioned {
            version: c::DLPackVersion {
                major: c::DLPACK_MAJOR_VERSION,
                minor: c::DLPACK_MINOR_VERSION,
            },
            manager_ctx: std::ptr::null_mut(),
            deleter: Some(delete),
            flags: u64::from(c::DLPACK_FLAG_BITMASK_READ_ONLY),
            dl_tensor: c::DLTensor {
                data: data.cast_mut().cast::<c_void>(),
                device: c::DLDevice {
                    device_type: c::kDLCPU,
                    device_id: 0,
                },
                ndim: shape.len() as i32,
                dtype,
                shape: std::ptr::null_mut(),
                strides: std::ptr::null_mut(),
                byte_offset: 0,
            },
        },
        shape,
        _array: array,
    });
    owner.tensor.dl_tensor.shape = owner.shape.as_mut_ptr();
    let raw = Box::into_raw(owner);
    // SAFETY: `raw` was just made.
    unsafe {
        (*raw).tensor.manager_ctx = raw.cast();
        Ok(&raw mut (*raw).tensor)
    }
}

/// A tensor of libgls, which is deleted with this.
struct Held {
    tensor: *mut c::DLManagedTensorVersioned,
    data: *const u8,
    size: usize,
}

// SAFETY: a tensor's memory is only read, and any thread may delete it.
unsafe impl Send for Held {}
// SAFETY: as above.
unsafe impl Sync for Held {}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        if self.size == 0 {
            return &[];
        }
        // SAFETY: the tensor has this memory until it is deleted.
        unsafe { std::slice::from_raw_parts(self.data, self.size) }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: DLPack calls the deleter once.
        unsafe {
            if let Some(delete) = (*self.tensor).deleter {
                delete(self.tensor);
            }
        }
    }
}

/// An array on the memory of a tensor, which it deletes at last.
///
/// # Safety
/// `tensor` is a valid tensor on the CPU that belongs to the caller, with strides.
pub unsafe fn from_tensor(tensor: *mut c::DLManagedTensorVersioned) -> Result<Array, String> {
    let mut held = Held {
        tensor,
        data: std::ptr::null(),
        size: 0,
    };
    // SAFETY: as the caller promises.
    let (view, shape, strides) = unsafe {
        let view = &(*tensor).dl_tensor;
        let dimensions = view.ndim as usize;
        if dimensions == 0 {
            (view, Vec::new(), Vec::new())
        } else {
            let shape = std::slice::from_raw_parts(view.shape, dimensions).to_vec();
            let strides = std::slice::from_raw_parts(view.strides, dimensions).to_vec();
            (view, shape, strides)
        }
    };
    let c::DLDataType { code, bits, lanes } = view.dtype;
    let dtype = DType::of_dlpack(code, bits, lanes)
        .ok_or_else(|| format!("a tensor of the type {code} with {bits} bits"))?;
    let strides: Vec<usize> = strides.iter().map(|&s| s as usize * dtype.size()).collect();
    let count: i64 = shape.iter().product();
    if count > 0 {
        let mut pairs = shape.iter().zip(&strides);
        let last = pairs.try_fold(dtype.size(), |end, (&extent, &stride)| {
            end.checked_add((extent as usize - 1).checked_mul(stride)?)
        });
        held.size = last.ok_or("the shape is too large")?;
        // SAFETY: the data begin there.
        held.data = unsafe { view.data.cast::<u8>().add(view.byte_offset as usize) };
    }
    Array::with_strides(dtype, shape, strides, Bytes::of_owner(held))
}
