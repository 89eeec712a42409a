//! Arrays shared with arrow.

use std::mem::size_of;
use std::ptr;

use arrow_array::ffi::{from_ffi, FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{make_array, Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_buffer::ScalarBuffer;
use gls_sys as sys;

use crate::memory::dtype::Element;
use crate::memory::tensor::{give, IntoTensor, Tensor};
use crate::runtime::error::{Error, Result};

// Those of gls.h are the same structs of Arrow's C interface, so pointers to them may be cast.
const _: () = assert!(
    size_of::<FFI_ArrowSchema>() == size_of::<sys::ArrowSchema>()
        && size_of::<FFI_ArrowArray>() == size_of::<sys::ArrowArray>()
        && size_of::<FFI_ArrowArrayStream>() == size_of::<sys::ArrowArrayStream>()
);

impl Tensor {
    /// This memory as an array of arrow without nulls: numbers for one dimension, lists of a fixed
    /// size for more. Bool, and rows that are padded, are copied.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for bfloat16 and complex numbers, for an array on a GPU, and for rows
    /// of more than 2^31 - 1 elements.
    pub fn into_arrow(self) -> Result<ArrayRef> {
        let mut schema = FFI_ArrowSchema::empty();
        let mut array = FFI_ArrowArray::empty();
        let to_schema = ptr::addr_of_mut!(schema).cast();
        let to_array = ptr::addr_of_mut!(array).cast();
        // SAFETY: a live tensor, and structs of Arrow's C interface without content.
        give([self], |[tensor], error| unsafe {
            sys::gls_tensor_to_arrow(tensor, to_schema, to_array, error)
        })?;
        // SAFETY: the library just made both, and they describe memory that the array keeps.
        let data = unsafe { from_ffi(array, &schema) };
        data.map(make_array)
            .map_err(|source| Error::caused(sys::GLS_ERR_INTERNAL, "tensor", source))
    }

    /// The values of an array of arrow, in place.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when values are missing.
    pub fn from_arrow<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>) -> Result<Self>
    where
        T::Native: Element,
    {
        struct Values<N: arrow_buffer::ArrowNativeType>(ScalarBuffer<N>);

        impl<N: arrow_buffer::ArrowNativeType> AsRef<[N]> for Values<N> {
            fn as_ref(&self) -> &[N] {
                &self.0
            }
        }

        if array.null_count() > 0 {
            let message = format!(
                "{} of {} values are missing",
                array.null_count(),
                array.len()
            );
            return Err(Error::invalid("array", message));
        }
        Self::from_owner(Values(array.values().clone()), &[array.len()])
    }
}

/// In place; see [`Tensor::from_arrow`].
impl<T: ArrowPrimitiveType> IntoTensor for &PrimitiveArray<T>
where
    T::Native: Element,
{
    fn into_tensor(self) -> Result<Tensor> {
        Tensor::from_arrow(self)
    }
}
