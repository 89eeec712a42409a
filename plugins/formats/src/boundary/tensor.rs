//! Arrays as DLPack tensors.

use std::ffi::c_void;

use super::c;
use crate::arrays::Array;
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
