//! Functions that other processes call.

use std::error::Error as StdError;
use std::ffi::CString;
use std::fmt;
use std::os::raw::{c_char, c_void};
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;
use std::slice;
use std::time::Duration;

use gls_sys as sys;

use crate::cluster::future::{Bytes, Future};
use crate::runtime::callback::{self, drop_quietly, words_of};
use crate::runtime::error::{call, lossy, make, Error, Result};
use crate::runtime::names::c_string;
use crate::runtime::options::milliseconds;

/// Why a function of the caller's failed.
pub(crate) type Failure = Box<dyn StdError + Send + Sync>;

/// A call of a function of this process. Answer it once, on any thread. If it is dropped without an
/// answer, the caller gets an error that reports it.
pub struct Call {
    raw: NonNull<sys::gls_call_t>,
}

// SAFETY: gls.h: every call on it is [any]; release, by Drop, is the last call by any thread.
unsafe impl Send for Call {}
// SAFETY: as above.
unsafe impl Sync for Call {}

impl Call {
    /// `None` in a forked child.
    fn info(&self) -> Option<sys::gls_call_info_t> {
        let mut info = sys::gls_call_info_t::default();
        // SAFETY: a live handle, and a struct of the stated size; get_info is [any].
        call(|error| unsafe { sys::gls_call_get_info(self.raw.as_ptr(), &mut info, error) })
            .ok()
            .map(|_| info)
    }

    /// What the caller gave.
    pub fn data(&self) -> &[u8] {
        match self.info() {
            // SAFETY: so many bytes, which live as long as the call.
            Some(info) if info.size > 0 => unsafe {
                slice::from_raw_parts(info.data.cast(), info.size)
            },
            _ => &[],
        }
    }

    /// The name that it was called by.
    pub fn function(&self) -> &str {
        // SAFETY: a terminated string, which lives as long as the call.
        self.info()
            .map_or("", |info| unsafe { lossy(info.function) })
    }

    /// The name of the process that calls, and where it is.
    pub fn caller(&self) -> &str {
        // SAFETY: as above.
        self.info().map_or("", |info| unsafe { lossy(info.caller) })
    }

    /// The caller's rank in the group; `None`: the caller is a client of a server.
    pub fn rank(&self) -> Option<u32> {
        self.info().and_then(|info| u32::try_from(info.rank).ok())
    }

    /// Of the graph, that it was called for; `None`: as a process of a group.
    pub fn part(&self) -> Option<u32> {
        self.info().and_then(|info| u32::try_from(info.part).ok())
    }

    /// Whether the caller no longer waits for the answer.
    pub fn is_canceled(&self) -> bool {
        self.info().map_or(true, |info| info.canceled != 0)
    }

    /// Answers the call with bytes, which are copied, also when the caller no longer waits.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when they are more than 1 GiB less 64 bytes.
    pub fn reply(self, data: impl AsRef<[u8]>) -> Result<()> {
        self.reply_with(data.as_ref())
    }

    fn reply_with(&self, data: &[u8]) -> Result<()> {
        // SAFETY: a live handle, and so many bytes; reply is [any].
        call(|error| unsafe {
            sys::gls_call_reply(self.raw.as_ptr(), data.as_ptr().cast(), data.len(), error)
        })?;
        Ok(())
    }

    /// Answers it with an error, which the caller gets with the names of this process and of the
    /// function before its words: an [`Error`] as it is, anything else as
    /// [`Error::InvalidArgument`].
    ///
    /// # Errors
    /// [`Error::InvalidState`] after a fork.
    pub fn fail(self, failure: impl Into<Box<dyn StdError + Send + Sync>>) -> Result<()> {
        self.fail_with(failure.into())
    }

    fn fail_with(&self, failure: Failure) -> Result<()> {
        let (status, words) = match failure.downcast_ref::<Error>() {
            Some(error) => (error.status(), error.message().to_owned()),
            None => (sys::GLS_ERR_INVALID_ARGUMENT, failure.to_string()),
        };
        drop_quietly(failure);
        // A NUL would end the words.
        let words = CString::new(words.replace('\0', " ")).unwrap_or_default();
        // SAFETY: a live handle and a terminated string; fail is [any].
        call(|error| unsafe {
            sys::gls_call_fail(self.raw.as_ptr(), status, words.as_ptr(), error)
        })?;
        Ok(())
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        // SAFETY: owned, and this is the last call on it.
        unsafe { sys::gls_call_release(self.raw.as_ptr()) }
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("function", &self.function())
            .field("caller", &self.caller())
            .field("size", &self.data().len())
            .finish_non_exhaustive()
    }
}

/// How a function is called.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct CallOptions {
    raw: sys::gls_call_options_t,
    timeout_ms: i64,
}

impl Default for CallOptions {
    fn default() -> Self {
        Self {
            raw: sys::gls_call_options_t::default(),
            timeout_ms: sys::GLS_TIMEOUT_DEFAULT,
        }
    }
}

impl CallOptions {
    /// Those that hold unless others are given.
    pub fn new() -> Self {
        Self::default()
    }

    /// How long to wait for the answer; `None`: without limit. By default the setting
    /// "cluster.request_timeout_ms".
    pub fn timeout(mut self, time: Option<Duration>) -> Self {
        self.timeout_ms = milliseconds(time);
        self
    }

    /// To call the function twice is as good as once: when the process that was called is lost before
    /// it answered, it is called again, there or at another server of the part.
    pub fn idempotent(mut self, idempotent: bool) -> Self {
        self.raw.flags = if idempotent {
            sys::GLS_CALL_IDEMPOTENT
        } else {
            0
        };
        self
    }
}

/// Calls a function by one of the two possible ways.
pub(crate) fn begin(
    function: &str,
    options: CallOptions,
    make_future: impl FnOnce(
        *const c_char,
        i64,
        *const sys::gls_call_options_t,
        *mut *mut sys::gls_future_t,
        *mut *mut sys::gls_error_t,
    ) -> sys::gls_status_t,
) -> Result<Future<Bytes>> {
    let function = c_string("function", function)?;
    let (name, timeout_ms) = (function.as_ptr(), options.timeout_ms);
    let raw = make(|out, error| make_future(name, timeout_ms, &options.raw, out, error))?;
    // SAFETY: just handed over.
    Ok(unsafe { Future::new(raw, |future| future.item(0)) })
}

// ---- functions of this process ----

type Function = dyn Fn(Call) + Send + Sync;

/// A function that is answered by what it returns.
pub(crate) fn answering<R, E>(
    function: impl Fn(&Call) -> Result<R, E> + Send + Sync + 'static,
) -> impl Fn(Call) + Send + Sync + 'static
where
    R: AsRef<[u8]>,
    E: Into<Failure>,
{
    move |call| {
        let result = panic::catch_unwind(AssertUnwindSafe(|| {
            function(&call)
                .map_err(Into::into)
                .and_then(|data| call.reply_with(data.as_ref()).map_err(Into::into))
        }));
        let failure: Failure = match result {
            Ok(Ok(())) => return,
            Ok(Err(failure)) => failure,
            Err(payload) => {
                let words = format!("panicked: {}", words_of(&*payload));
                drop_quietly(payload);
                words.into()
            }
        };
        let _ = call.fail_with(failure); // or it is dropped, which reports that no answer came
    }
}

/// Gives a function to the library by `add`, which owns it from then on, also when it fails.
pub(crate) fn register(
    name: &str,
    function: impl Fn(Call) + Send + Sync + 'static,
    add: impl FnOnce(
        *const c_char,
        sys::gls_function_fn,
        *mut c_void,
        sys::gls_destroy_fn,
        *mut *mut sys::gls_error_t,
    ) -> sys::gls_status_t,
) -> Result<()> {
    let name = c_string("name", name)?;
    let function: Box<Function> = Box::new(function);
    let share = Box::into_raw(Box::new(function));
    call(|error| add(name.as_ptr(), Some(run), share.cast(), Some(release), error)).map(|_| ())
}

/// # Safety
/// As a `gls_function_fn`, `user_data` being a boxed function.
unsafe extern "C" fn run(raw: *mut sys::gls_call_t, user_data: *mut c_void) {
    let function = &*(user_data as *const Box<Function>);
    callback::run(|| {
        if let Some(raw) = NonNull::new(raw) {
            function(Call { raw });
        }
    });
}

/// # Safety
/// `user_data` is a boxed function, which this takes.
unsafe extern "C" fn release(user_data: *mut c_void) {
    let function = Box::from_raw(user_data as *mut Box<Function>);
    drop_quietly(function);
}
