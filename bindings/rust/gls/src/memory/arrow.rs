//! Arrays shared with arrow, without a copy.

use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, FixedSizeListArray, PrimitiveArray};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_schema::Field;
use gls_sys as sys;

use crate::memory::dtype::{DType, Element};
use crate::memory::tensor::{IntoTensor, Tensor};
use crate::runtime::error::{Error, Result};

/// Keeps the memory of a tensor alive for arrow.
struct Owner(#[allow(dead_code)] Tensor);

// Nothing of it can be seen half changed after a panic: it is only dropped.
impl std::panic::RefUnwindSafe for Owner {}

impl Tensor {
    /// This memory as an array of arrow: of numbers when there is one dimension, and of lists of
    /// equal length when there are two.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for other numbers of dimensions, and for bool, bfloat16 and float16.
    /// Also for elements that are not contiguous, as in columns of datasets with padded rows.
    pub fn into_arrow(self) -> Result<ArrayRef> {
        match self.dtype() {
            DType::I8 => self.primitive::<Int8Type>(),
            DType::I16 => self.primitive::<Int16Type>(),
            DType::I32 => self.primitive::<Int32Type>(),
            DType::I64 => self.primitive::<Int64Type>(),
            DType::U8 => self.primitive::<UInt8Type>(),
            DType::U16 => self.primitive::<UInt16Type>(),
            DType::U32 => self.primitive::<UInt32Type>(),
            DType::U64 => self.primitive::<UInt64Type>(),
            DType::F32 => self.primitive::<Float32Type>(),
            DType::F64 => self.primitive::<Float64Type>(),
            other => Err(unsupported(format!("elements of {other}"))),
        }
    }

    fn primitive<T: ArrowPrimitiveType>(self) -> Result<ArrayRef>
    where
        T::Native: Element,
    {
        let shape = self.shape();
        let values = self.as_slice::<T::Native>()?;
        let count = values.len();
        let bytes = std::mem::size_of_val(values);
        let buffer = match NonNull::new(values.as_ptr() as *mut u8) {
            Some(data) if bytes > 0 => {
                // SAFETY: the owner keeps so many bytes there alive and unwritten.
                unsafe { Buffer::from_custom_allocation(data, bytes, Arc::new(Owner(self))) }
            }
            _ => Buffer::default(),
        };
        let values = PrimitiveArray::<T>::new(ScalarBuffer::new(buffer, 0, count), None);
        match shape[..] {
            [_] => Ok(Arc::new(values)),
            [_, width] => {
                let width = i32::try_from(width)
                    .map_err(|_| unsupported(format!("rows of {width} elements")))?;
                let field = Arc::new(Field::new("item", T::DATA_TYPE, false));
                FixedSizeListArray::try_new(field, width, Arc::new(values), None)
                    .map(|lists| Arc::new(lists) as ArrayRef)
                    .map_err(|source| Error::caused(sys::GLS_ERR_UNSUPPORTED, "tensor", source))
            }
            _ => Err(unsupported(format!("{} dimensions", shape.len()))),
        }
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

fn unsupported(what: String) -> Error {
    let message = format!("tensor: {what}, which arrow arrays are not made of");
    Error::here(sys::GLS_ERR_UNSUPPORTED, "tensor", message)
}
