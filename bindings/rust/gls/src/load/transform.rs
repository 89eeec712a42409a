//! A stage of the caller's own in a loader.

use std::error::Error as StdError;
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::os::raw::{c_char, c_void};
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use gls_sys as sys;

use crate::load::batch::{Batch, BatchArray};
use crate::memory::dtype::Element;
use crate::memory::tensor::IntoTensor;
use crate::runtime::callback::{self, drop_quietly, words_of};
use crate::runtime::error::{call, Error, Result};
use crate::runtime::names::c_string;

/// A batch that a transform may change before the loader delivers it.
///
/// It is read as any [`Batch`] is. A [`Tensor`](crate::Tensor) made from it may be kept. Batches of
/// that loader can then not be written any more, neither here nor when the loader has delivered
/// them.
///
/// It cannot be kept:
///
/// ```compile_fail
/// # fn f(sampler: gls::Sampler) {
/// let kept = std::sync::Mutex::new(None);
/// let loader = sampler.loader().transform(move |batch| -> gls::Result<()> {
///     *kept.lock().unwrap() = Some(batch);
///     Ok(())
/// });
/// # }
/// ```
pub struct TransformBatch<'b> {
    batch: ManuallyDrop<Batch>, // the library's own
    lent: PhantomData<&'b mut Batch>,
}

impl TransformBatch<'_> {
    /// As [`Batch::slice_mut`].
    ///
    /// # Errors
    /// As there.
    pub fn slice_mut<'t, 'c, T: Element>(
        &mut self,
        array: BatchArray,
        type_name: impl Into<Option<&'t str>>,
        column: impl Into<Option<&'c str>>,
    ) -> Result<&mut [T]> {
        self.batch.slice_mut(array, type_name, column)
    }

    /// As [`Batch::column_mut`].
    ///
    /// # Errors
    /// As there.
    pub fn column_mut<T: Element>(&mut self, name: &str) -> Result<&mut [T]> {
        self.batch.column_mut(name)
    }

    /// Adds an array to the batch, by a name of its own: see [`Batch::attached`].
    ///
    /// # Errors
    /// [`Error::AlreadyExists`], [`Error::InvalidArgument`].
    pub fn attach(&mut self, name: &str, tensor: impl IntoTensor) -> Result<()> {
        let name = c_string("name", name)?;
        let tensor = tensor.into_tensor()?;
        // SAFETY: a live handle, borrowed exclusively, a terminated string and a live tensor.
        call(|error| unsafe {
            let raw = self.batch.raw();
            sys::gls_batch_attach(raw, name.as_ptr(), tensor.raw_ptr(), error)
        })?;
        let _ = tensor.into_raw(); // taken, as the call succeeded
        Ok(())
    }
}

impl Deref for TransformBatch<'_> {
    type Target = Batch;

    fn deref(&self) -> &Batch {
        &self.batch
    }
}

impl fmt::Debug for TransformBatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TransformBatch").field(&*self.batch).finish()
    }
}

type Failure = Box<dyn StdError + Send + Sync>;
type Function = dyn Fn(&mut TransformBatch<'_>) -> Result<(), Failure> + Send + Sync;

/// A function of the caller's, and what the loader has to know of its batches.
pub(crate) struct Transform {
    function: Box<Function>,
    /// Whether a Tensor was made of any batch. Batches then must not be written through `&mut`: an
    /// owner of the tensor may read it.
    shared: AtomicBool,
}

impl Transform {
    pub(crate) fn new<E: Into<Failure>>(
        function: impl Fn(&mut TransformBatch<'_>) -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        Self {
            function: Box::new(move |batch| function(batch).map_err(Into::into)),
            shared: AtomicBool::new(false),
        }
    }

    pub(crate) fn shared(&self) -> bool {
        self.shared.load(Ordering::Acquire)
    }

    /// Lends a share of itself to the library, which returns it through `transform_destroy`, also when
    /// it makes no loader.
    pub(crate) fn lend(self: &Arc<Self>, options: &mut sys::gls_loader_options_t) {
        options.transform = Some(run);
        options.transform_data = Arc::into_raw(self.clone()) as *mut c_void;
        options.transform_destroy = Some(release);
    }

    fn call(&self, raw: NonNull<sys::gls_batch_t>) -> Result<(), Failure> {
        // SAFETY: lent for the call; it is not dropped here, and users get no more than a reference
        // that ends before it does.
        let batch = ManuallyDrop::new(unsafe { Batch::from_raw(raw, self.shared()) });
        let mut lent = TransformBatch {
            batch,
            lent: PhantomData,
        };
        let result = panic::catch_unwind(AssertUnwindSafe(|| (self.function)(&mut lent)));
        if lent.batch.is_shared() {
            self.shared.store(true, Ordering::Release);
        }
        result.unwrap_or_else(|payload| {
            let words = format!("panicked: {}", words_of(&*payload));
            drop_quietly(payload);
            Err(words.into())
        })
    }
}

impl fmt::Debug for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transform").finish_non_exhaustive()
    }
}

/// # Safety
/// As a `gls_transform_fn`, `user_data` being a share of a Transform.
unsafe extern "C" fn run(
    batch: *mut sys::gls_batch_t,
    user_data: *mut c_void,
    message: *mut c_char,
    capacity: usize,
) -> sys::gls_status_t {
    let transform = &*(user_data as *const Transform);
    let mut status = sys::GLS_ERR_INTERNAL;
    callback::run(|| {
        let raw = match NonNull::new(batch) {
            Some(raw) => raw,
            None => return,
        };
        status = sys::GLS_OK;
        if let Err(failure) = transform.call(raw) {
            let (number, words) = match failure.downcast_ref::<Error>() {
                Some(error) => (error.status(), error.message().to_owned()),
                None => (sys::GLS_ERR_INVALID_ARGUMENT, failure.to_string()),
            };
            status = number;
            put(&words, message, capacity);
            drop_quietly(failure);
        }
    });
    status
}

/// # Safety
/// `out` has room for `capacity` bytes.
unsafe fn put(words: &str, out: *mut c_char, capacity: usize) {
    let mut length = words.len().min(capacity.saturating_sub(1));
    while !words.is_char_boundary(length) {
        length -= 1;
    }
    for (index, byte) in words.bytes().take(length).enumerate() {
        // A NUL would end the words.
        *out.add(index) = if byte == 0 { b' ' } else { byte } as c_char;
    }
    if capacity > 0 {
        *out.add(length) = 0;
    }
}

/// # Safety
/// `user_data` is a share of a Transform, which this takes.
unsafe extern "C" fn release(user_data: *mut c_void) {
    let share = Arc::from_raw(user_data as *const Transform);
    drop_quietly(share);
}
