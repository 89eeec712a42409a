//! Tensor: an array that owns its memory, or a share of it.

use std::fmt;
use std::marker::PhantomData;
use std::os::raw::c_void;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use gls_sys as sys;

use crate::memory::dtype::{DType, Element};
use crate::memory::view::{Layout, TensorView};
use crate::runtime::callback;
use crate::runtime::device::Device;
use crate::runtime::error::{call, make, Error, Result};
use crate::runtime::names::c_path;

/// An array in memory that the library made or mapped, or that was given to it.
///
/// It keeps its memory alive, whatever becomes of the batch, loader or dataset that it came from.
/// Elements are read through [`TensorView`]: `tensor.as_slice::<i64>()?`.
///
/// A tensor is DLPack's own managed tensor: [`Tensor::into_dlpack`] hands it to any other consumer
/// as it is, and [`Tensor::from_dlpack`] takes one of any producer.
///
/// ```
/// use gls::{DType, Tensor};
///
/// let values = vec![1i64, 2, 3];
/// let address = values.as_ptr();
/// let tensor = Tensor::from_vec(values)?; // moved, not copied
/// assert_eq!(tensor.dtype(), DType::I64);
/// assert_eq!(tensor.as_slice::<i64>()?, [1, 2, 3]);
/// assert_eq!(tensor.as_slice::<i64>()?.as_ptr(), address);
/// # Ok::<(), gls::Error>(())
/// ```
///
/// A slice cannot outlive its tensor:
///
/// ```compile_fail,E0505
/// let tensor = gls::Tensor::from_vec(vec![1i64])?;
/// let slice = tensor.as_slice::<i64>()?;
/// drop(tensor);
/// println!("{slice:?}");
/// # Ok::<(), gls::Error>(())
/// ```
pub struct Tensor {
    raw: NonNull<sys::gls_tensor_t>,
    layout: Layout,
}

// SAFETY: a DLPack tensor may be released by any thread, and its memory is only read through this
// type.
unsafe impl Send for Tensor {}
// SAFETY: a shared reference only reads the description and the memory. Writing memory that a
// tensor may use is `unsafe` (as_mut_ptr, DLPack), or requires that no such tensor was made
// (Batch::slice_mut).
unsafe impl Sync for Tensor {}

impl Tensor {
    /// # Safety
    /// `raw` is owned and valid.
    pub(crate) unsafe fn from_raw(raw: NonNull<sys::gls_tensor_t>) -> Self {
        let layout = Layout::of(&raw.as_ref().dl_tensor);
        Self { raw, layout }
    }

    pub(crate) fn into_raw(mut self) -> NonNull<sys::gls_tensor_t> {
        self.layout.dims = Default::default(); // which may own memory, and is not dropped below
        let raw = self.raw;
        std::mem::forget(self);
        raw
    }

    pub(crate) fn raw_ptr(&self) -> *mut sys::gls_tensor_t {
        self.raw.as_ptr()
    }

    /// For a call that borrows the array; valid while `self` is.
    pub(crate) fn describe(&self) -> *const sys::DLTensor {
        // SAFETY: a live tensor.
        unsafe { &(*self.raw.as_ptr()).dl_tensor }
    }

    /// A vector, moved in without a copy.
    pub fn from_vec<T: Element>(values: Vec<T>) -> Result<Self> {
        let shape = [values.len()];
        Self::from_vec_with_shape(values, &shape)
    }

    /// A row-major array, moved in without a copy.
    pub fn from_vec_with_shape<T: Element>(values: Vec<T>, shape: &[usize]) -> Result<Self> {
        check_count(values.len(), shape)?;
        let data = values.as_ptr().cast();
        // SAFETY: the vector owns so many elements, and nothing else can reach them.
        unsafe { Self::wrap(Box::new(values), data, T::DTYPE, shape, false) }
    }

    /// A vector of bool, moved in without a copy. Its bytes are read back as `u8`.
    pub fn from_bools(values: Vec<bool>) -> Result<Self> {
        let (data, shape) = (values.as_ptr().cast(), [values.len()]);
        // SAFETY: as for from_vec_with_shape(); a bool is a byte. It is read-only, as other bytes
        // than 0 and 1 must not be written into a bool.
        unsafe { Self::wrap(Box::new(values), data, DType::Bool, &shape, true) }
    }

    /// A row-major array of float16 or bfloat16, given as their bits, moved in without a copy.
    pub fn from_half_bits(bits: Vec<u16>, dtype: DType, shape: &[usize]) -> Result<Self> {
        if !matches!(dtype, DType::F16 | DType::BF16) {
            let message = format!("{dtype}, expected float16 or bfloat16");
            return Err(Error::invalid("dtype", message));
        }
        check_count(bits.len(), shape)?;
        let data = bits.as_ptr().cast();
        // SAFETY: as for from_vec_with_shape().
        unsafe { Self::wrap(Box::new(bits), data, dtype, shape, false) }
    }

    /// A row-major array in memory that `owner` keeps: a mapped file, an `Arc<[T]>`. Nothing is
    /// copied, and it is read-only.
    ///
    /// The thread that releases the tensor last drops `owner`. It may be a thread of the library,
    /// so dropping must not call this crate.
    ///
    /// ```
    /// let shared: std::sync::Arc<[f32]> = vec![0.5; 6].into();
    /// let tensor = gls::Tensor::from_owner(shared.clone(), &[2, 3])?;
    /// assert_eq!(tensor.as_slice::<f32>()?.as_ptr(), shared.as_ptr());
    /// # Ok::<(), gls::Error>(())
    /// ```
    pub fn from_owner<T, O>(owner: O, shape: &[usize]) -> Result<Self>
    where
        T: Element,
        O: AsRef<[T]> + Send + Sync + 'static,
    {
        // Raw before it is looked at: moving a box may invalidate references into it.
        let owner = Box::into_raw(Box::new(owner));
        // SAFETY: just made; the slice lives as long as the owner is not touched, which is until it
        // is dropped, here or by the library.
        unsafe {
            let values: &[T] = (*owner).as_ref();
            if let Err(error) = check_count(values.len(), shape) {
                drop(Box::from_raw(owner));
                return Err(error);
            }
            Self::wrap_raw(owner, values.as_ptr().cast(), T::DTYPE, shape, true)
        }
    }

    /// # Safety
    /// `data` is row-major memory of this shape. Moving the box leaves it valid until the box is
    /// dropped. Until then several threads may read it, and one may write it, unless `read_only`.
    pub(crate) unsafe fn wrap<O: Send + 'static>(
        owner: Box<O>,
        data: *const u8,
        dtype: DType,
        shape: &[usize],
        read_only: bool,
    ) -> Result<Self> {
        Self::wrap_raw(Box::into_raw(owner), data, dtype, shape, read_only)
    }

    /// # Safety
    /// As wrap(); `owner` is of a box, which this owns from now on.
    unsafe fn wrap_raw<O: Send + 'static>(
        owner: *mut O,
        data: *const u8,
        dtype: DType,
        shape: &[usize],
        read_only: bool,
    ) -> Result<Self> {
        unsafe extern "C" fn drop_owner<O>(user_data: *mut c_void) {
            // SAFETY: what wrap() passed; called once.
            let owner = Box::from_raw(user_data.cast::<O>());
            callback::run(|| drop(owner));
        }

        let mut extents: Vec<i64> = shape.iter().map(|&extent| extent as i64).collect();
        let view = sys::DLTensor {
            data: data as *mut c_void,
            device: sys::DLDevice {
                device_type: sys::kDLCPU,
                device_id: 0,
            },
            ndim: shape.len() as i32,
            dtype: dtype.to_dl(),
            shape: extents.as_mut_ptr(),
            strides: ptr::null_mut(),
            byte_offset: 0,
        };
        // `destroy` runs also when this fails.
        let raw = make(|out, error| {
            sys::gls_tensor_wrap(
                &view,
                i32::from(read_only),
                owner.cast(),
                Some(drop_owner::<O>),
                out,
                error,
            )
        })?;
        Ok(Self::from_raw(raw))
    }

    /// A NumPy `.npy` file, mapped read-only; nothing is read but its header.
    pub fn map_npy(path: impl AsRef<Path>) -> Result<Self> {
        let path = c_path("path", path.as_ref())?;
        // SAFETY: a terminated string.
        let raw = make(|out, error| unsafe { sys::gls_tensor_map_npy(path.as_ptr(), out, error) })?;
        // SAFETY: just handed over.
        Ok(unsafe { Self::from_raw(raw) })
    }

    /// Takes a tensor of any DLPack producer, without a copy.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for memory other than the CPU's and for vector types; the tensor then
    /// stays the caller's.
    ///
    /// # Safety
    /// `tensor` is valid, owned by the caller, and may be released by any thread. Its memory is not
    /// written while this tensor, or an object made from it, is in use.
    pub unsafe fn from_dlpack(tensor: NonNull<sys::DLManagedTensorVersioned>) -> Result<Self> {
        let view = &tensor.as_ref().dl_tensor;
        if tensor.as_ref().version.major > sys::DLPACK_MAJOR_VERSION {
            let version = tensor.as_ref().version;
            return Err(unsupported(format!(
                "version {}.{} of DLPack",
                version.major, version.minor
            )));
        }
        check_foreign(view)?;
        Ok(Self::from_raw(tensor))
    }

    /// Takes a tensor of a producer older than DLPack 1.0, without a copy.
    ///
    /// # Errors
    /// As [`Tensor::from_dlpack`].
    ///
    /// # Safety
    /// As [`Tensor::from_dlpack`].
    pub unsafe fn from_dlpack_legacy(
        tensor: NonNull<sys::DLManagedTensor>,
        read_only: bool,
    ) -> Result<Self> {
        check_foreign(&tensor.as_ref().dl_tensor)?;
        let raw = make(|out, error| {
            sys::gls_tensor_from_legacy(tensor.as_ptr(), i32::from(read_only), out, error)
        })?;
        Ok(Self::from_raw(raw))
    }

    /// Hands the tensor to a DLPack consumer, which must call its deleter once.
    ///
    /// A consumer that writes the memory must see to it that nothing else reads it then.
    pub fn into_dlpack(self) -> NonNull<sys::DLManagedTensorVersioned> {
        self.into_raw()
    }

    /// Hands the tensor to a consumer older than DLPack 1.0, which must call its deleter once.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a read-only tensor, which the old struct cannot express.
    pub fn into_dlpack_legacy(self) -> Result<NonNull<sys::DLManagedTensor>> {
        // SAFETY: a live tensor, which is taken when the call succeeds.
        let out =
            make(|out, error| unsafe { sys::gls_tensor_to_legacy(self.raw.as_ptr(), out, error) })?;
        let _ = self.into_raw();
        Ok(out)
    }

    /// A view of the tensor, for as long as it is borrowed.
    pub fn view(&self) -> TensorView<'_> {
        // SAFETY: the tensor keeps the memory alive, and nothing writes it; see Sync.
        unsafe { TensorView::new(self.layout.clone()) }
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.layout.dtype
    }

    /// Where the elements lie. Methods that read elements return [`Error::Unsupported`] for an
    /// array on a GPU. [`Tensor::into_dlpack`] passes it on where it lies.
    pub fn device(&self) -> Device {
        self.layout.device
    }

    /// Names a stream of a GPU on which the elements are used. Later batches reuse the memory only
    /// after the work that is queued there at its release. A caller that hands the tensor to a
    /// consumer of DLPack names the consumer's stream. On the host this does nothing.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a tensor that did not come out of this library.
    ///
    /// # Safety
    /// `stream` is a `cudaStream_t` of the GPU, null for the default stream, and exists until the memory
    /// is let go.
    pub unsafe fn record_stream(&self, stream: *mut c_void) -> Result<()> {
        call(|error| sys::gls_tensor_record_stream(self.raw_ptr(), stream, error))?;
        Ok(())
    }

    /// The extents, rows first.
    pub fn shape(&self) -> Vec<usize> {
        self.view().shape()
    }

    /// Extent of the first dimension; 1 for a scalar.
    pub fn len(&self) -> usize {
        self.view().len()
    }

    /// Whether [`Tensor::len`] is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the memory must not be written: mapped files and shared buffers.
    pub fn is_read_only(&self) -> bool {
        // SAFETY: a live tensor.
        let flags = unsafe { self.raw.as_ref().flags };
        flags & u64::from(sys::DLPACK_FLAG_BITMASK_READ_ONLY) != 0
    }

    /// See [`TensorView::as_slice`].
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        self.view().as_slice()
    }

    /// See [`TensorView::to_vec`].
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.view().to_vec()
    }

    /// See [`TensorView::array`].
    #[cfg(feature = "ndarray")]
    pub fn array<T: Element, D: ndarray::Dimension>(&self) -> Result<ndarray::ArrayView<'_, T, D>> {
        self.view().array()
    }

    /// Address of the first element, on its device; null for some empty arrays.
    pub fn as_ptr(&self) -> *const u8 {
        self.layout.data
    }

    /// Address of the first element, for writing; `None` for read-only tensors.
    ///
    /// Writing needs the caller's `unsafe`: another tensor, view or slice may use this memory.
    /// [`Batch::slice_mut`](crate::Batch::slice_mut) is the safe way to write arrays of a batch.
    pub fn as_mut_ptr(&mut self) -> Option<*mut u8> {
        (!self.is_read_only()).then_some(self.layout.data as *mut u8)
    }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        // As gls_tensor_release() does; Miri, which knows no C, can follow it here.
        // SAFETY: owned, and this is the last call on it.
        unsafe {
            if let Some(deleter) = self.raw.as_ref().deleter {
                deleter(self.raw.as_ptr());
            }
        }
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let note = if self.is_read_only() {
            ", read-only"
        } else {
            ""
        };
        write!(f, "Tensor({:?}{note})", self.layout)
    }
}

fn unsupported(what: String) -> Error {
    Error::here(
        sys::GLS_ERR_UNSUPPORTED,
        "tensor",
        format!("tensor: {what}"),
    )
}

fn check_foreign(view: &sys::DLTensor) -> Result<()> {
    if view.device.device_type != sys::kDLCPU {
        let number = view.device.device_type;
        return Err(unsupported(format!(
            "device type {number}, expected the CPU"
        )));
    }
    if view.dtype.lanes != 1 {
        let lanes = view.dtype.lanes;
        return Err(unsupported(format!(
            "a vector type of {lanes} lanes, expected 1"
        )));
    }
    Ok(())
}

fn check_count(count: usize, shape: &[usize]) -> Result<()> {
    let expected = shape
        .iter()
        .try_fold(1usize, |product, &extent| product.checked_mul(extent));
    if expected != Some(count) {
        return Err(Error::invalid(
            "shape",
            format_args!("{count} elements do not fill {shape:?}"),
        ));
    }
    Ok(())
}

/// What can be given to the library as an array. Vectors and owned arrays are moved in; slices are
/// copied, as the library keeps what it is given.
pub trait IntoTensor {
    /// Makes a tensor of it.
    fn into_tensor(self) -> Result<Tensor>;
}

impl IntoTensor for Tensor {
    fn into_tensor(self) -> Result<Tensor> {
        Ok(self)
    }
}

impl<T: Element> IntoTensor for Vec<T> {
    fn into_tensor(self) -> Result<Tensor> {
        Tensor::from_vec(self)
    }
}

impl IntoTensor for Vec<bool> {
    fn into_tensor(self) -> Result<Tensor> {
        Tensor::from_bools(self)
    }
}

impl<T: Element> IntoTensor for &[T] {
    fn into_tensor(self) -> Result<Tensor> {
        Tensor::from_vec(self.to_vec())
    }
}

impl<T: Element, const N: usize> IntoTensor for [T; N] {
    fn into_tensor(self) -> Result<Tensor> {
        Tensor::from_vec(self.to_vec())
    }
}

impl<T: Element> IntoTensor for Arc<[T]> {
    fn into_tensor(self) -> Result<Tensor> {
        let shape = [self.len()];
        Tensor::from_owner(self, &shape)
    }
}

/// Row-major arrays are moved in; others are copied.
#[cfg(feature = "ndarray")]
impl<T: Element, D: ndarray::Dimension + 'static> IntoTensor for ndarray::Array<T, D> {
    fn into_tensor(self) -> Result<Tensor> {
        let array = if self.is_standard_layout() {
            self
        } else {
            self.as_standard_layout().into_owned()
        };
        let shape = array.shape().to_vec();
        let data = array.as_ptr().cast();
        // SAFETY: the array owns row-major memory of this shape, and nothing else can reach it.
        unsafe { Tensor::wrap(Box::new(array), data, T::DTYPE, &shape, false) }
    }
}

/// Copied.
#[cfg(feature = "ndarray")]
impl<T: Element, D: ndarray::Dimension + 'static> IntoTensor for ndarray::ArrayView<'_, T, D> {
    fn into_tensor(self) -> Result<Tensor> {
        self.to_owned().into_tensor()
    }
}

/// A borrowed array of the caller's, described for one call.
pub(crate) struct Borrowed<'a> {
    shape: [i64; 2],
    data: *mut c_void,
    dtype: DType,
    ndim: i32,
    alive: PhantomData<&'a [u8]>,
}

// SAFETY: a shared reference to numbers.
unsafe impl Send for Borrowed<'_> {}
// SAFETY: as above.
unsafe impl Sync for Borrowed<'_> {}

impl<'a> Borrowed<'a> {
    pub(crate) fn vector<T: Element>(values: &'a [T]) -> Self {
        Self {
            shape: [values.len() as i64, 0],
            data: values.as_ptr() as *mut c_void,
            dtype: T::DTYPE,
            ndim: 1,
            alive: PhantomData,
        }
    }

    /// Two rows of equal length, one after the other.
    pub(crate) fn pairs<T: Element>(values: &'a [T]) -> Self {
        Self {
            shape: [2, (values.len() / 2) as i64],
            ndim: 2,
            ..Self::vector(values)
        }
    }

    /// This many rows of a width, one after the other: all of the values. The type is `dtype` if
    /// Rust's type can hold its bits, else Rust's type.
    pub(crate) fn rows<T: Element>(
        values: &'a [T],
        count: usize,
        width: usize,
        dtype: DType,
    ) -> Self {
        Self {
            shape: [count as i64, width as i64],
            dtype: if T::reads(dtype) { dtype } else { T::DTYPE },
            ndim: 2,
            ..Self::vector(values)
        }
    }

    /// Borrows from `self`, which must neither move nor end while the result is used.
    pub(crate) fn describe(&self) -> sys::DLTensor {
        sys::DLTensor {
            data: self.data,
            device: sys::DLDevice {
                device_type: sys::kDLCPU,
                device_id: 0,
            },
            ndim: self.ndim,
            dtype: self.dtype.to_dl(),
            shape: self.shape.as_ptr() as *mut i64,
            strides: ptr::null_mut(),
            byte_offset: 0,
        }
    }
}

type TensorPtr = *mut sys::gls_tensor_t;

/// Gives tensors to a call that takes them when it succeeds.
pub(crate) fn give<const N: usize>(
    tensors: [Tensor; N],
    function: impl FnOnce([TensorPtr; N], *mut *mut sys::gls_error_t) -> sys::gls_status_t,
) -> Result<()> {
    let mut raw = [ptr::null_mut(); N];
    for (to, from) in raw.iter_mut().zip(&tensors) {
        *to = from.raw.as_ptr();
    }
    call(|error| function(raw, error))?;
    for tensor in tensors {
        let _ = tensor.into_raw();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    /// An array of another producer.
    struct Foreign {
        values: Vec<f32>,
        shape: Vec<i64>,
        strides: Vec<i64>,
        drops: Arc<AtomicUsize>,
    }

    impl Drop for Foreign {
        fn drop(&mut self) {
            self.drops.fetch_add(1, Ordering::SeqCst);
        }
    }

    unsafe extern "C" fn free(tensor: *mut sys::gls_tensor_t) {
        let tensor = Box::from_raw(tensor);
        drop(Box::from_raw(tensor.manager_ctx.cast::<Foreign>()));
    }

    fn foreign(drops: &Arc<AtomicUsize>, shape: &[i64], strides: &[i64]) -> sys::gls_tensor_t {
        let owner = Box::into_raw(Box::new(Foreign {
            values: (0..12).map(|i| i as f32).collect(),
            shape: shape.to_vec(),
            strides: strides.to_vec(),
            drops: drops.clone(),
        }));
        // SAFETY: just made, and a box of its own.
        let fields = unsafe { &mut *owner };
        sys::DLManagedTensorVersioned {
            version: sys::DLPackVersion { major: 1, minor: 1 },
            manager_ctx: owner.cast(),
            deleter: Some(free),
            flags: 0,
            dl_tensor: sys::DLTensor {
                data: fields.values.as_mut_ptr().cast(),
                device: sys::DLDevice {
                    device_type: sys::kDLCPU,
                    device_id: 0,
                },
                ndim: shape.len() as i32,
                dtype: DType::F32.to_dl(),
                shape: fields.shape.as_mut_ptr(),
                strides: match fields.strides.is_empty() {
                    true => ptr::null_mut(),
                    false => fields.strides.as_mut_ptr(),
                },
                byte_offset: 0,
            },
        }
    }

    fn own(tensor: sys::gls_tensor_t) -> NonNull<sys::gls_tensor_t> {
        NonNull::from(Box::leak(Box::new(tensor)))
    }

    #[test]
    fn the_deleter_is_called_once() {
        let drops = Arc::new(AtomicUsize::new(0));
        // SAFETY: made above, as DLPack says.
        let tensor = unsafe { Tensor::from_dlpack(own(foreign(&drops, &[3, 4], &[]))) };
        let tensor = tensor.unwrap();
        assert_eq!(tensor.view().row::<f32>(2).unwrap(), [8.0, 9.0, 10.0, 11.0]);
        let raw = tensor.into_dlpack();
        assert_eq!(drops.load(Ordering::SeqCst), 0);
        // SAFETY: owned.
        let tensor = unsafe { Tensor::from_dlpack(raw).unwrap() };
        // By another thread, and read by two.
        let view = tensor.view();
        let sum = |view: TensorView<'_>| view.as_slice::<f32>().unwrap().iter().sum::<f32>();
        let there = thread::scope(|scope| {
            let thread = scope.spawn(|| sum(view.clone()));
            (sum(tensor.view()), thread.join().unwrap())
        });
        assert_eq!(there, (66.0, 66.0));
        thread::spawn(move || drop(tensor)).join().unwrap();
        assert_eq!(drops.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_tensor_of_many_dimensions_leaves_nothing_behind() {
        let drops = Arc::new(AtomicUsize::new(0));
        let raw = own(foreign(&drops, &[1, 2, 1, 3, 2], &[]));
        // SAFETY: made above, as DLPack says; then owned.
        let tensor = unsafe {
            let tensor = Tensor::from_dlpack(raw).unwrap();
            Tensor::from_dlpack(tensor.into_dlpack()).unwrap()
        };
        assert_eq!(tensor.shape(), [1, 2, 1, 3, 2]);
        drop(tensor);
        let mut none = foreign(&drops, &[1], &[]);
        none.deleter = None; // of a producer that keeps it
        let none = own(none);
        // SAFETY: as above; freed below.
        drop(unsafe { Tensor::from_dlpack(none).unwrap() });
        unsafe { free(none.as_ptr()) };
        assert_eq!(drops.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn what_is_refused_stays_the_callers() {
        let drops = Arc::new(AtomicUsize::new(0));
        for change in [
            |tensor: &mut sys::gls_tensor_t| tensor.version.major = 2,
            |tensor: &mut sys::gls_tensor_t| tensor.dl_tensor.dtype.lanes = 4,
            |tensor: &mut sys::gls_tensor_t| tensor.dl_tensor.device.device_type = sys::kDLCUDA,
        ] {
            let mut tensor = foreign(&drops, &[12], &[]);
            change(&mut tensor);
            let raw = own(tensor);
            // SAFETY: made above, and still ours after an error.
            unsafe {
                assert!(matches!(
                    Tensor::from_dlpack(raw),
                    Err(Error::Unsupported(_))
                ));
                free(raw.as_ptr());
            }
        }
        assert_eq!(drops.load(Ordering::SeqCst), 3);
    }

    #[test]
    fn rows_may_be_padded_and_offset() {
        let drops = Arc::default();
        let mut padded = foreign(&drops, &[3, 2], &[4, 1]);
        padded.dl_tensor.byte_offset = 4;
        // SAFETY: made above, as DLPack says.
        let tensor = unsafe { Tensor::from_dlpack(own(padded)).unwrap() };
        assert_eq!(tensor.view().row::<f32>(1).unwrap(), [5.0, 6.0]);
        assert_eq!(
            tensor.to_vec::<f32>().unwrap(),
            [1.0, 2.0, 5.0, 6.0, 9.0, 10.0]
        );
        assert!(tensor.as_slice::<f32>().is_err());
        #[cfg(feature = "ndarray")]
        {
            let array = tensor.array::<f32, ndarray::Ix2>().unwrap();
            assert_eq!(array.column(1).to_vec(), [2.0, 6.0, 10.0]);
        }
    }

    #[test]
    fn a_borrowed_array_is_described() {
        let values = [1i64, 2, 3, 4];
        let borrowed = Borrowed::pairs(&values);
        let view = borrowed.describe();
        // SAFETY: describes `values`.
        let layout = unsafe { Layout::of(&view) };
        assert_eq!(layout.dims.as_slice(), [(2, 2), (2, 1)]);
        assert_eq!(layout.contiguous::<i64>().unwrap(), 4);
        assert!(check_count(6, &[2, 3]).is_ok() && check_count(1, &[]).is_ok());
        assert!(check_count(0, &[usize::MAX, 2]).is_err());
    }
}
