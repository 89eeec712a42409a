//! How the library wakes tasks.

use std::mem;
use std::os::raw::c_void;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Waker;

use crate::runtime::callback;

/// The waker of a waiting task. The waiting object and the library's promised call share it.
#[derive(Default)]
pub(crate) struct Bell(Mutex<Promise>);

#[derive(Default)]
struct Promise {
    /// The library has promised a call. It is not asked again before that call: asking again makes
    /// it call at once. A task that is polled for other reasons would then wake itself for ever.
    made: bool,
    waker: Option<Waker>,
}

impl Bell {
    fn lock(&self) -> MutexGuard<'_, Promise> {
        // Nothing that can panic is done while it is held: wakers are code of the executor's.
        self.0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Sets the waker. Returns whether a promise existed already; if not, ask the library for one.
    pub(crate) fn wakes(&self, waker: &Waker) -> bool {
        let waker = waker.clone();
        let mut promise = self.lock();
        let before = promise.waker.replace(waker);
        let made = mem::replace(&mut promise.made, true);
        drop(promise);
        drop(before);
        made
    }

    /// Wakes no task from now on, unless a call is waking it already.
    pub(crate) fn forget(&self) {
        // The holder of the lock is taking the waker. In a forked child the lock is never released.
        let waker = self
            .0
            .try_lock()
            .ok()
            .and_then(|mut bell| bell.waker.take());
        drop(waker);
    }

    /// The promise is over, kept or not made.
    pub(crate) fn answer(&self) -> Option<Waker> {
        let mut promise = self.lock();
        promise.made = false;
        promise.waker.take()
    }
}

/// # Safety
/// `user_data` is a share of a bell, which this takes.
pub(crate) unsafe extern "C" fn ring(user_data: *mut c_void) {
    let bell = Arc::from_raw(user_data as *const Bell);
    callback::run(|| {
        if let Some(waker) = bell.answer() {
            waker.wake();
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    struct Panics;

    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            panic!("in wake");
        }
    }

    fn promise(bell: &Arc<Bell>) -> *mut c_void {
        Arc::into_raw(bell.clone()) as *mut c_void
    }

    #[test]
    fn a_bell_wakes_the_last_waker_once() {
        let (first, last) = (Arc::new(Count::default()), Arc::new(Count::default()));
        let bell = Arc::new(Bell::default());
        assert!(!bell.wakes(&first.clone().into()));
        let promised = promise(&bell);
        assert!(bell.wakes(&last.clone().into()));
        assert_eq!(Arc::strong_count(&first), 1);
        // SAFETY: a share, once.
        unsafe { ring(promised) };
        assert_eq!(first.0.load(Ordering::SeqCst), 0);
        assert_eq!(last.0.load(Ordering::SeqCst), 1);
        assert_eq!((Arc::strong_count(&bell), Arc::strong_count(&last)), (1, 1));
        assert!(!bell.wakes(&last.clone().into())); // asks anew
    }

    #[test]
    fn a_bell_outlives_its_owner_and_a_panic() {
        let bell = Arc::new(Bell::default());
        assert!(!bell.wakes(&Arc::new(Panics).into()));
        let promised = promise(&bell);
        // SAFETY: a share, once.
        unsafe { ring(promised) };
        let waker = Arc::new(Count::default());
        assert!(!bell.wakes(&waker.clone().into()));
        let promised = AtomicPtr::new(promise(&bell));
        drop(bell.lock().waker.take()); // as its owner does when dropped
        drop(bell);
        // From another thread, as the library does.
        // SAFETY: a share, once.
        let thread = std::thread::spawn(move || unsafe { ring(promised.into_inner()) });
        thread.join().unwrap();
        assert_eq!(waker.0.load(Ordering::SeqCst), 0);
        assert_eq!(Arc::strong_count(&waker), 1);
    }
}
