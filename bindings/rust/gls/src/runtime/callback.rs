//! Code of the caller's that the library calls.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::thread;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function that the library calls. A panic ends it and is not propagated: the panic hook
/// has reported it, and a thread of the library must not unwind.
pub(crate) fn run(function: impl FnOnce()) {
    let before = INSIDE.with(|inside| inside.replace(true));
    if let Err(payload) = panic::catch_unwind(AssertUnwindSafe(function)) {
        // What a panic carried might panic itself when dropped.
        if let Err(again) = panic::catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(again);
        }
    }
    INSIDE.with(|inside| inside.set(before));
}

/// Releases something whose release waits for callbacks to return. Inside of one it would wait for
/// itself, so another thread does it; should there be none to be had, it is kept for good.
pub(crate) fn release(function: impl FnOnce() + Send + 'static) {
    if INSIDE.with(Cell::get) {
        let _ = thread::Builder::new().spawn(function);
    } else {
        function();
    }
}

/// What a panic carried, for people.
pub(crate) fn words_of(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("with something that is no text")
}

/// Drops a value of the caller.
pub(crate) fn drop_quietly<T>(value: T) {
    run(|| drop(value));
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "keeps what the second panic carried: a leak")]
    fn a_panic_goes_no_further() {
        struct PanicsWhenDropped;
        impl Drop for PanicsWhenDropped {
            fn drop(&mut self) {
                panic!("again");
            }
        }
        run(|| panic::panic_any(PanicsWhenDropped));
        assert!(!INSIDE.with(Cell::get));
    }

    #[test]
    fn inside_of_a_callback_another_thread_releases() {
        let (sender, receiver) = mpsc::channel();
        let say = move |sender: mpsc::Sender<_>| sender.send(thread::current().id()).unwrap();
        let here = thread::current().id();
        let other = sender.clone();
        release(move || say(other));
        assert_eq!(receiver.recv().unwrap(), here);
        run(|| {
            run(|| ());
            release(move || say(sender));
            assert_ne!(receiver.recv().unwrap(), here);
        });
    }
}
