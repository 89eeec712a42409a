//! TensorView: an array in memory that something else keeps alive.

use std::fmt;
use std::marker::PhantomData;
use std::slice;

use gls_sys as sys;

use crate::memory::dtype::{DType, Element};
use crate::runtime::device::Device;
use crate::runtime::error::{Error, Result};

/// Extents and strides. Of up to four dimensions without an allocation, as every batch has several.
#[derive(Clone, Default)]
pub(crate) struct Dims {
    ndim: usize,
    few: [(usize, isize); 4],
    many: Vec<(usize, isize)>,
}

impl Dims {
    pub(crate) fn as_slice(&self) -> &[(usize, isize)] {
        if self.ndim <= self.few.len() {
            &self.few[..self.ndim]
        } else {
            &self.many
        }
    }
}

/// The address and layout of an array.
#[derive(Clone)]
pub(crate) struct Layout {
    pub(crate) data: *const u8,
    pub(crate) dtype: DType,
    pub(crate) dims: Dims,
    pub(crate) device: Device,
}

impl Layout {
    /// # Safety
    /// `tensor` is a valid DLTensor.
    pub(crate) unsafe fn of(tensor: &sys::DLTensor) -> Self {
        let ndim = usize::try_from(tensor.ndim).unwrap_or(0);
        let mut dims = Dims {
            ndim,
            ..Dims::default()
        };
        if ndim > dims.few.len() {
            dims.many = vec![(0, 0); ndim];
        }
        // Without strides it is row-major.
        let mut row_major = 1isize;
        for d in (0..ndim).rev() {
            let extent = *tensor.shape.add(d) as usize;
            let stride = if tensor.strides.is_null() {
                row_major
            } else {
                *tensor.strides.add(d) as isize
            };
            row_major = row_major.wrapping_mul(extent as isize);
            if ndim > dims.few.len() {
                dims.many[d] = (extent, stride);
            } else {
                dims.few[d] = (extent, stride);
            }
        }
        let data = tensor.data.cast::<u8>();
        Self {
            data: if data.is_null() {
                data
            } else {
                data.wrapping_add(tensor.byte_offset as usize) // which the host may not own
            },
            dtype: DType::from_dl(tensor.dtype),
            dims,
            device: Device::from_dl(tensor.device),
        }
    }

    fn num_elements(&self) -> usize {
        self.dims.as_slice().iter().map(|d| d.0).product()
    }

    /// Whether the dimensions from `first` on are row-major without gaps.
    fn is_contiguous_from(&self, first: usize) -> bool {
        let mut expected = 1isize;
        for &(extent, stride) in self.dims.as_slice()[first..].iter().rev() {
            if extent == 0 {
                return true;
            }
            if extent != 1 && stride != expected {
                return false;
            }
            expected *= extent as isize;
        }
        true
    }

    /// Before elements are read or written here.
    pub(crate) fn check<T: Element>(&self) -> Result<()> {
        if !self.device.is_host() {
            return Err(Error::here(
                sys::GLS_ERR_UNSUPPORTED,
                "device",
                format!(
                    "device: the array lies on {}, whose memory the host cannot read: take it from \
                     Batch::to_host(), or hand it on by Tensor::into_dlpack()",
                    self.device
                ),
            ));
        }
        if !T::reads(self.dtype) {
            return Err(Error::invalid(
                "dtype",
                format_args!("the array is of {}, not of {}", self.dtype, T::DTYPE),
            ));
        }
        if self.data as usize % std::mem::align_of::<T>() != 0 {
            return Err(Error::here(
                sys::GLS_ERR_UNSUPPORTED,
                "data",
                format!(
                    "data: the memory at {:p} is not aligned for {}",
                    self.data,
                    T::DTYPE
                ),
            ));
        }
        Ok(())
    }

    /// The number of elements, if they lie without gaps in row-major order.
    pub(crate) fn contiguous<T: Element>(&self) -> Result<usize> {
        self.check::<T>()?;
        if !self.is_contiguous_from(0) {
            return Err(Error::here(
                sys::GLS_ERR_UNSUPPORTED,
                "strides",
                format!(
                    "strides: the array {self:?} is not contiguous: use row(), array() or to_vec()"
                ),
            ));
        }
        Ok(self.num_elements())
    }
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims = self.dims.as_slice();
        let shape: Vec<_> = dims.iter().map(|d| d.0).collect();
        write!(f, "{}{shape:?}", self.dtype)?;
        if !self.is_contiguous_from(0) {
            let strides: Vec<_> = dims.iter().map(|d| d.1).collect();
            write!(f, " with strides {strides:?}")?;
        }
        if !self.device.is_host() {
            write!(f, " on {}", self.device)?;
        }
        Ok(())
    }
}

/// An array in memory that a batch or tensor keeps alive for `'a`.
///
/// ```
/// let tensor = gls::Tensor::from_vec_with_shape(vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[3, 2])?;
/// let view = tensor.view();
/// assert_eq!(view.shape(), [3, 2]);
/// assert_eq!(view.row::<f32>(1)?, [3.0, 4.0]);
/// assert_eq!(view.as_slice::<f32>()?.len(), 6);
/// assert!(view.as_slice::<i64>().is_err());
/// # Ok::<(), gls::Error>(())
/// ```
#[derive(Clone)]
pub struct TensorView<'a> {
    pub(crate) layout: Layout,
    alive: PhantomData<&'a [u8]>,
}

// SAFETY: a shared reference to memory that nothing writes for 'a; see TensorView::new().
unsafe impl Send for TensorView<'_> {}
// SAFETY: as above.
unsafe impl Sync for TensorView<'_> {}

impl<'a> TensorView<'a> {
    /// # Safety
    /// The memory that `layout` describes is there, and nothing writes it, for `'a`.
    pub(crate) unsafe fn new(layout: Layout) -> Self {
        Self {
            layout,
            alive: PhantomData,
        }
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.layout.dtype
    }

    /// Where the elements lie. Methods that read elements return [`Error::Unsupported`] for an
    /// array on a GPU.
    pub fn device(&self) -> Device {
        self.layout.device
    }

    /// The extents, rows first.
    pub fn shape(&self) -> Vec<usize> {
        self.layout.dims.as_slice().iter().map(|d| d.0).collect()
    }

    /// From one element to the next in each dimension, in elements. Rows may be padded.
    pub fn strides(&self) -> Vec<isize> {
        self.layout.dims.as_slice().iter().map(|d| d.1).collect()
    }

    /// Number of dimensions.
    pub fn ndim(&self) -> usize {
        self.layout.dims.as_slice().len()
    }

    /// Extent of the first dimension; 1 for a scalar.
    pub fn len(&self) -> usize {
        self.layout.dims.as_slice().first().map_or(1, |d| d.0)
    }

    /// Whether [`TensorView::len`] is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of elements.
    pub fn num_elements(&self) -> usize {
        self.layout.num_elements()
    }

    /// Address of the first element, on its device; null for some empty arrays.
    pub fn as_ptr(&self) -> *const u8 {
        self.layout.data
    }

    /// All elements in row-major order, in place.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the elements are of another type. [`Error::Unsupported`]
    /// when they are not contiguous, as in columns of datasets with padded rows.
    pub fn as_slice<T: Element>(&self) -> Result<&'a [T]> {
        let count = self.layout.contiguous::<T>()?;
        // SAFETY: this many elements of this type lie there, aligned, and stay for 'a unwritten.
        Ok(unsafe { slice_of(self.layout.data, count) })
    }

    /// The elements of one row, in place.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the elements are of another type or the row does not exist.
    /// [`Error::Unsupported`] when those of a row are not contiguous.
    pub fn row<T: Element>(&self, index: usize) -> Result<&'a [T]> {
        self.layout.check::<T>()?;
        let dims = self.layout.dims.as_slice();
        if dims.is_empty() || index >= dims[0].0 {
            let message = format!("row {index} of {:?}", self.layout);
            return Err(Error::invalid("index", message));
        }
        if !self.layout.is_contiguous_from(1) {
            return Err(Error::here(
                sys::GLS_ERR_UNSUPPORTED,
                "strides",
                format!(
                    "strides: the rows of {:?} are not contiguous: use array()",
                    self.layout
                ),
            ));
        }
        let count: usize = dims[1..].iter().map(|d| d.0).product();
        if count == 0 {
            return Ok(&[]);
        }
        // SAFETY: the row is inside of the array, whose elements lie where the strides say.
        unsafe {
            let first = self
                .layout
                .data
                .cast::<T>()
                .offset(dims[0].1 * index as isize);
            Ok(slice_of(first.cast(), count))
        }
    }

    /// A row-major copy of all elements.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.layout.check::<T>()?;
        if self.layout.is_contiguous_from(0) {
            return Ok(self.as_slice::<T>()?.to_vec());
        }
        let dims = self.layout.dims.as_slice();
        let mut out = Vec::with_capacity(self.num_elements());
        let mut index = vec![0usize; dims.len()];
        for _ in 0..self.num_elements() {
            let at: isize = dims
                .iter()
                .zip(&index)
                .map(|(d, &i)| d.1 * i as isize)
                .sum();
            // SAFETY: an index inside of the array.
            out.push(unsafe { *self.layout.data.cast::<T>().offset(at) });
            for d in (0..dims.len()).rev() {
                index[d] += 1;
                if index[d] < dims[d].0 {
                    break;
                }
                index[d] = 0;
            }
        }
        Ok(out)
    }

    /// These elements as an array of ndarray, in place; `D` is `Ix1`, `Ix2`, or `IxDyn` for any.
    ///
    /// ```
    /// use ndarray::Ix2;
    ///
    /// let tensor = gls::Tensor::from_vec_with_shape(vec![1i64, 2, 3, 4], &[2, 2])?;
    /// let array = tensor.view().array::<i64, Ix2>()?;
    /// assert_eq!(array[[1, 0]], 3);
    /// # Ok::<(), gls::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the elements are of another type, or there are more or fewer
    /// dimensions; [`Error::Unsupported`] for strides below 0.
    #[cfg(feature = "ndarray")]
    pub fn array<T: Element, D: ndarray::Dimension>(&self) -> Result<ndarray::ArrayView<'a, T, D>> {
        use ndarray::{ArrayViewD, IxDyn, ShapeBuilder};

        self.layout.check::<T>()?;
        let strides = self.strides();
        if strides.iter().any(|&stride| stride < 0) {
            return Err(Error::here(
                sys::GLS_ERR_UNSUPPORTED,
                "strides",
                format!("strides: {:?} has one below 0", self.layout),
            ));
        }
        let shape = IxDyn(&self.shape());
        let view = if self.num_elements() == 0 {
            // The pointer may be null, and the strides may be anything.
            ArrayViewD::from_shape(shape, &[])
                .map_err(|source| Error::caused(sys::GLS_ERR_UNSUPPORTED, "shape", source))?
        } else {
            let strides: Vec<usize> = strides.iter().map(|&stride| stride as usize).collect();
            // SAFETY: elements of this type lie where shape and strides say, and stay for 'a.
            unsafe {
                ArrayViewD::from_shape_ptr(
                    shape.strides(IxDyn(&strides)),
                    self.layout.data.cast::<T>(),
                )
            }
        };
        view.into_dimensionality::<D>()
            .map_err(|_| Error::invalid("ndim", format_args!("the array is {:?}", self.layout)))
    }
}

impl fmt::Debug for TensorView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TensorView({:?})", self.layout)
    }
}

/// A slice, also of no elements at a null pointer.
///
/// # Safety
/// As of `slice::from_raw_parts`, but for that.
pub(crate) unsafe fn slice_of<'a, T>(data: *const u8, count: usize) -> &'a [T] {
    if count == 0 {
        &[]
    } else {
        slice::from_raw_parts(data.cast(), count)
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;

    /// A view of `values`, with strides in elements.
    fn view<'a, T: Element>(values: &'a [T], dims: &[(i64, i64)]) -> TensorView<'a> {
        let mut shape: Vec<_> = dims.iter().map(|d| d.0).collect();
        let mut strides: Vec<_> = dims.iter().map(|d| d.1).collect();
        let tensor = sys::DLTensor {
            data: values.as_ptr() as *mut _,
            device: sys::DLDevice {
                device_type: sys::kDLCPU,
                device_id: 0,
            },
            ndim: dims.len() as i32,
            dtype: T::DTYPE.to_dl(),
            shape: shape.as_mut_ptr(),
            strides: strides.as_mut_ptr(),
            byte_offset: 0,
        };
        // SAFETY: describes `values`, as the callers see to.
        unsafe { TensorView::new(Layout::of(&tensor)) }
    }

    #[test]
    fn elements_are_where_the_strides_say() {
        let values: Vec<i32> = (0..24).collect();
        let plain = view(&values, &[(2, 12), (3, 4), (4, 1)]);
        assert_eq!(plain.as_slice::<i32>().unwrap(), values);
        assert_eq!(plain.row::<i32>(1).unwrap(), &values[12..]);
        assert!(matches!(
            plain.row::<i32>(2),
            Err(Error::InvalidArgument(_))
        ));
        let turned = view(&values, &[(4, 1), (6, 4)]);
        assert!(turned.as_slice::<i32>().is_err() && turned.row::<i32>(0).is_err());
        assert_eq!(
            &turned.to_vec::<i32>().unwrap()[..7],
            [0, 4, 8, 12, 16, 20, 1]
        );
        let backwards = view(&values[23..], &[(24, -1)]);
        assert_eq!(
            format!("{backwards:?}"),
            "TensorView(int32[24] with strides [-1])"
        );
        // One element may have any stride, and a scalar has no dimension.
        assert_eq!(
            view(&values, &[(1, 99), (3, 1)]).as_slice::<i32>().unwrap(),
            [0, 1, 2]
        );
        let scalar = view(&values[5..], &[]);
        assert_eq!(
            (scalar.len(), scalar.as_slice::<i32>().unwrap()),
            (1, &[5][..])
        );
        let deep = view(&values, &[(2, 12), (1, 12), (3, 4), (2, 2), (2, 1), (1, 1)]);
        assert_eq!(
            (deep.ndim(), deep.as_slice::<i32>().unwrap()),
            (6, &values[..])
        );
    }

    #[test]
    fn nothing_may_lie_at_null() {
        let mut shape = [0i64, 3];
        let tensor = sys::DLTensor {
            data: ptr::null_mut(),
            device: sys::DLDevice {
                device_type: sys::kDLCPU,
                device_id: 0,
            },
            ndim: 2,
            dtype: DType::F64.to_dl(),
            shape: shape.as_mut_ptr(),
            strides: ptr::null_mut(),
            byte_offset: 0,
        };
        // SAFETY: there are no elements.
        let view = unsafe { TensorView::new(Layout::of(&tensor)) };
        assert!(view.is_empty() && view.as_slice::<f64>().unwrap().is_empty());
        assert!(view.to_vec::<f64>().unwrap().is_empty() && view.row::<f64>(0).is_err());
        assert_eq!(view.strides(), [3, 1]);
        #[cfg(feature = "ndarray")]
        assert_eq!(view.array::<f64, ndarray::Ix2>().unwrap().dim(), (0, 3));
    }

    #[test]
    fn elements_of_another_type_are_refused() {
        let bytes = [1u8, 2, 3, 4, 5, 6, 7, 8, 9];
        let shown = view(&bytes, &[(9, 1)]);
        assert!(matches!(
            shown.as_slice::<i8>(),
            Err(Error::InvalidArgument(_))
        ));
        let odd = (bytes.as_ptr() as usize % 2 == 0) as usize;
        let mut unaligned = view(&bytes[odd..], &[(4, 1)]);
        unaligned.layout.dtype = DType::I16;
        assert!(matches!(
            unaligned.as_slice::<i16>(),
            Err(Error::Unsupported(_))
        ));
    }
}
