//! Progress of long calls.

use std::any::Any;
use std::ops::ControlFlow;
use std::os::raw::{c_char, c_void};
use std::panic::{self, AssertUnwindSafe};
use std::ptr;

use gls_sys as sys;

use crate::runtime::error::lossy;

/// How far a long call is.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// The current work, for people: "reading edges".
    pub stage: &'a str,
    /// How far, in `unit`.
    pub done: u64,
    /// How far it will go; `None` while unknown.
    pub total: Option<u64>,
    /// What `done` and `total` count.
    pub unit: &'a str,
}

/// A progress function: called on the thread that made the call. `Break` ends the call with
/// [`Error::Canceled`](crate::Error::Canceled) and leaves nothing behind. If it panics, the call
/// ends in the same way, and then the panic continues.
pub(crate) type ProgressFn<'f> = dyn FnMut(&Progress<'_>) -> ControlFlow<()> + 'f;

struct State<'s, 'f> {
    function: &'s mut ProgressFn<'f>,
    panic: Option<Box<dyn Any + Send>>,
}

unsafe extern "C" fn report(
    user_data: *mut c_void,
    stage: *const c_char,
    done: u64,
    total: u64,
    unit: *const c_char,
) -> i32 {
    // SAFETY: what with_progress() passed, which is waiting for the call, on this thread.
    let state = &mut *user_data.cast::<State<'_, '_>>();
    if state.panic.is_some() {
        return 1;
    }
    let progress = Progress {
        stage: lossy(stage),
        done,
        total: (total != 0).then_some(total),
        unit: lossy(unit),
    };
    // The state of the closure is not looked at again after a panic.
    match panic::catch_unwind(AssertUnwindSafe(|| (state.function)(&progress))) {
        Ok(ControlFlow::Continue(())) => 0,
        Ok(ControlFlow::Break(())) => 1,
        Err(payload) => {
            state.panic = Some(payload);
            1
        }
    }
}

/// Makes `call` with a function and its data to be passed on, and lets a panic go on afterwards.
pub(crate) fn with_progress<R>(
    function: Option<&mut ProgressFn<'_>>,
    call: impl FnOnce(sys::gls_progress_fn, *mut c_void) -> R,
) -> R {
    let function = match function {
        Some(function) => function,
        None => return call(None, ptr::null_mut()),
    };
    let mut state = State {
        function,
        panic: None,
    };
    let result = call(Some(report), ptr::addr_of_mut!(state).cast());
    match state.panic {
        Some(payload) => {
            drop(result);
            panic::resume_unwind(payload)
        }
        None => result,
    }
}
