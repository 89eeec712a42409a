//! Future: the result of an asynchronous operation.

use std::fmt;
use std::ops::Deref;
use std::os::raw::c_void;
use std::pin::Pin;
use std::ptr::NonNull;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use gls_sys as sys;

use crate::memory::tensor::Tensor;
use crate::runtime::bell::{ring, Bell};
use crate::runtime::error::{call, make, Result};
use crate::runtime::options::milliseconds;

/// Bytes that came from another process, read in place.
#[derive(Debug)]
pub struct Bytes(Tensor);

impl Bytes {
    /// The tensor that keeps them: u8, of one dimension.
    pub fn into_tensor(self) -> Tensor {
        self.0
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_slice().unwrap_or_default() // always a vector of u8
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

/// The result of an asynchronous operation: a call, a barrier, an all-gather.
///
/// Wait with [`Future::wait`], or use it as a [`std::future::Future`] in any executor, without a
/// thread. When it is dropped before it is over, the operation is cancelled.
#[must_use = "the operation is cancelled when this is dropped"]
pub struct Future<T> {
    raw: NonNull<sys::gls_future_t>,
    read: fn(&Future<T>) -> Result<T>,
    bell: Arc<Bell>,
}

// SAFETY: gls.h: every call on it is [any]; release, by Drop, is the last call by any thread.
unsafe impl<T> Send for Future<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Future<T> {}

impl<T> Future<T> {
    /// # Safety
    /// `raw` is owned.
    pub(crate) unsafe fn new(
        raw: NonNull<sys::gls_future_t>,
        read: fn(&Future<T>) -> Result<T>,
    ) -> Self {
        Self {
            raw,
            read,
            bell: Arc::default(),
        }
    }

    fn is_over(&self, timeout_ms: i64) -> Result<bool> {
        // SAFETY: a live handle; wait is [any].
        let status =
            call(|error| unsafe { sys::gls_future_wait(self.raw.as_ptr(), timeout_ms, error) })?;
        Ok(status == sys::GLS_OK)
    }

    /// Waits until the operation is over. A second call returns the same result.
    ///
    /// # Errors
    /// Those of the operation.
    pub fn wait(&self) -> Result<T> {
        self.is_over(-1)?;
        (self.read)(self)
    }

    /// Waits this long; `None`: the operation is not over. Zero polls.
    ///
    /// # Errors
    /// Those of the operation.
    pub fn wait_for(&self, time: Duration) -> Result<Option<T>> {
        if !self.is_over(milliseconds(Some(time)))? {
            return Ok(None);
        }
        (self.read)(self).map(Some)
    }

    /// Ends it with [`Error::Canceled`](crate::Error::Canceled), if it is not over. A function that runs
    /// is not stopped, but can see it.
    pub fn cancel(&self) {
        // SAFETY: a live handle; cancel is [any].
        unsafe { sys::gls_future_cancel(self.raw.as_ptr()) }
    }

    pub(crate) fn items(&self) -> Result<Vec<Bytes>> {
        // SAFETY: a live handle; count is [any].
        let count = unsafe { sys::gls_future_count(self.raw.as_ptr()) };
        (0..count).map(|index| self.item(index)).collect()
    }

    pub(crate) fn item(&self, index: usize) -> Result<Bytes> {
        // SAFETY: a live handle; bytes is [any].
        let raw = make(|out, error| unsafe {
            sys::gls_future_bytes(self.raw.as_ptr(), index, out, error)
        })?;
        // SAFETY: just handed over.
        Ok(Bytes(unsafe { Tensor::from_raw(raw) }))
    }

    /// Asks for the bell to be rung; false: it is over, and it will not be.
    fn ask(&self) -> Result<bool> {
        let share = Arc::into_raw(self.bell.clone());
        // SAFETY: a live handle; notify is [any]. The share of the bell is given back by ring(), which
        // is called once if this is IN_PROGRESS, or below.
        let asked = call(|error| unsafe {
            let user_data = share as *mut c_void;
            sys::gls_future_notify(self.raw.as_ptr(), Some(ring), user_data, error)
        });
        if matches!(asked, Ok(sys::GLS_IN_PROGRESS)) {
            return Ok(true);
        }
        // SAFETY: the share from above, which nothing else has.
        let bell = unsafe { Arc::from_raw(share) };
        drop(bell.answer());
        asked.map(|_| false)
    }
}

impl<T> std::future::Future for Future<T> {
    type Output = Result<T>;

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            match self.is_over(0) {
                Ok(true) => return Poll::Ready((self.read)(&self)),
                Ok(false) if self.bell.wakes(task.waker()) => return Poll::Pending,
                Ok(false) => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
            match self.ask() {
                Ok(true) => return Poll::Pending,
                Ok(false) => {} // over by now
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl<T> Drop for Future<T> {
    fn drop(&mut self) {
        self.bell.forget();
        // SAFETY: owned, and this is the last call on it.
        unsafe { sys::gls_future_release(self.raw.as_ptr()) }
    }
}

impl<T> fmt::Debug for Future<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Future").finish_non_exhaustive()
    }
}
