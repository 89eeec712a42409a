//! Ending calls that block.

use std::any::Any;
use std::ops::ControlFlow;
use std::os::raw::c_void;
use std::panic::{self, AssertUnwindSafe};
use std::ptr;

use gls_sys as sys;

struct State<'f> {
    check: &'f mut dyn FnMut() -> ControlFlow<()>,
    panic: Option<Box<dyn Any + Send>>,
}

unsafe extern "C" fn ask(user_data: *mut c_void) -> i32 {
    // SAFETY: what interruptible() set, which is waiting for its body, on this thread.
    let state = &mut *user_data.cast::<State<'_>>();
    if state.panic.is_some() {
        return 1;
    }
    // The state of the closure is not looked at again after a panic.
    match panic::catch_unwind(AssertUnwindSafe(|| (state.check)())) {
        Ok(ControlFlow::Continue(())) => 0,
        Ok(ControlFlow::Break(())) => 1,
        Err(payload) => {
            state.panic = Some(payload);
            1
        }
    }
}

/// Puts back what was set before, also when the body panics.
struct Scope {
    check: sys::gls_interrupt_fn,
    user_data: *mut c_void,
}

impl Scope {
    fn new(check: sys::gls_interrupt_fn, user_data: *mut c_void) -> Self {
        let mut outer = Self {
            check: None,
            user_data: ptr::null_mut(),
        };
        // SAFETY: of this thread alone; until the scope ends, `user_data` is valid.
        unsafe {
            sys::gls_thread_set_interrupt(check, user_data, &mut outer.check, &mut outer.user_data);
        }
        outer
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        // SAFETY: as new(); an outer scope lives as long as the call of its interruptible().
        unsafe {
            sys::gls_thread_set_interrupt(
                self.check,
                self.user_data,
                ptr::null_mut(),
                ptr::null_mut(),
            );
        }
    }
}

/// Runs `body`. Calls of the library in it that block ask `check`, on this thread and at most every
/// 50 ms, whether to end: `Break` ends one with [`Error::Canceled`](crate::Error::Canceled). What it
/// asked for is given up, and its object stays usable: an interrupted
/// [`NeighborLoader::next`](crate::NeighborLoader) takes no batch, and the next call gives the one
/// that was due.
///
/// A function that panics ends the call in the same way, and the panic goes on when `body` has
/// returned.
///
/// ```no_run
/// use std::ops::ControlFlow;
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// static STOP: AtomicBool = AtomicBool::new(false); // set by a handler of SIGINT
///
/// # fn main() -> gls::Result<()> {
/// let context = gls::Context::new()?;
/// let check = || match STOP.load(Ordering::Relaxed) {
///     true => ControlFlow::Break(()),
///     false => ControlFlow::Continue(()),
/// };
/// let dataset = gls::interruptible(check, || {
///     gls::Dataset::open(&context, "gls://server.example:4711")
/// })?;
/// # drop(dataset);
/// # Ok(())
/// # }
/// ```
pub fn interruptible<R>(mut check: impl FnMut() -> ControlFlow<()>, body: impl FnOnce() -> R) -> R {
    let mut state = State {
        check: &mut check,
        panic: None,
    };
    let scope = Scope::new(Some(ask), ptr::addr_of_mut!(state).cast());
    let result = body();
    drop(scope);
    match state.panic {
        Some(payload) => {
            drop(result);
            panic::resume_unwind(payload)
        }
        None => result,
    }
}
