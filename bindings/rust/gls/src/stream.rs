//! BatchStream: batches as a stream of futures.

use std::fmt;
use std::mem;
use std::os::raw::c_void;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_core::Stream;
use gls_sys as sys;

use crate::batch::Batch;
use crate::callback;
use crate::error::{call, Result};
use crate::loader::{CancelHandle, NeighborLoader};

/// The batches of a loader as a [`futures_core::Stream`], for any executor.
///
/// It has no thread and never waits: where there is no batch yet, the library wakes the task when
/// there is one. The stream ends with the epoch; [`BatchStream::seek`] goes to another.
///
/// ```
/// # use gls::{Context, DatasetBuilder};
/// # let context = Context::new()?;
/// # let mut builder = DatasetBuilder::new(&context)?;
/// # builder.add_edges("node__to__node", vec![0i64, 1, 2], vec![1i64, 2, 0])?;
/// # let dataset = builder.build()?;
/// # let sampler = dataset.sampler().fanouts([1]).build()?;
/// use std::future::poll_fn;
/// use std::pin::Pin;
/// use futures_core::Stream;
///
/// async fn epoch(stream: &mut gls::BatchStream) -> gls::Result<usize> {
///     let mut nodes = 0;
///     // With the crate futures: while let Some(batch) = stream.next().await
///     while let Some(batch) = poll_fn(|task| Pin::new(&mut *stream).poll_next(task)).await {
///         nodes += batch?.node::<i64>()?.len();
///     }
///     Ok(nodes)
/// }
/// let mut stream = sampler.loader().batch_size(2).build()?.into_stream();
/// let _ = epoch(&mut stream);
/// # Ok::<(), gls::Error>(())
/// ```
///
/// The task is woken by threads of the library, or by one that cancels or seeks. A panic of its
/// waker is caught, and its task then not woken.
pub struct BatchStream {
    loader: NeighborLoader,
    bell: Arc<Bell>,
}

impl NeighborLoader {
    /// The rest of the epoch, and further epochs, as a stream.
    pub fn into_stream(self) -> BatchStream {
        BatchStream {
            loader: self,
            bell: Arc::default(),
        }
    }
}

impl BatchStream {
    /// As [`NeighborLoader::seek`].
    pub fn seek(&mut self, epoch: u64) -> Result<&mut Self> {
        self.loader.seek(epoch)?;
        Ok(self)
    }

    /// As [`NeighborLoader::restore`].
    pub fn restore(&mut self, state: &str) -> Result<&mut Self> {
        self.loader.restore(state)?;
        Ok(self)
    }

    /// As [`NeighborLoader::save`]: the position after the batches that the stream has given.
    pub fn save(&self) -> Result<String> {
        self.loader.save()
    }

    /// The loader, for what it tells of itself.
    pub fn loader(&self) -> &NeighborLoader {
        &self.loader
    }

    /// Something that can cancel the stream's loader from any thread, which wakes the task.
    pub fn cancel_handle(&self) -> CancelHandle {
        self.loader.cancel_handle()
    }

    /// Asks for the bell to be rung; false: there is something now, and it will not be.
    fn ask(&self) -> Result<bool> {
        let share = Arc::into_raw(self.bell.clone());
        // SAFETY: a live handle, borrowed by poll_next() exclusively: notify is [one]. The share of
        // the bell is given back by ring(), which is called once if this is IN_PROGRESS, or below.
        let asked = call(|error| unsafe {
            let user_data = share as *mut c_void;
            sys::gls_loader_notify(self.loader.raw(), Some(ring), user_data, error)
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

impl Stream for BatchStream {
    type Item = Result<Batch>;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            // Asked first also while the bell is to be rung: it may be just about to, and in a
            // forked child it never will.
            let item = self.loader.poll_item(Some(Duration::ZERO));
            if item.is_ready() || self.bell.wakes(task.waker()) {
                return item;
            }
            match self.ask() {
                Ok(true) => return Poll::Pending,
                // What there is, or why the bell was not taken, is the next item.
                Ok(false) => {}
                Err(error) => return Poll::Ready(self.loader.failed(error)),
            }
        }
    }
}

/// Drops what was made ahead and waits for the batches in work. The task is not woken, unless it is
/// being woken already.
impl Drop for BatchStream {
    fn drop(&mut self) {
        // Whoever has the lock is about to take the waker; or, in a forked child, never gives it back.
        let waker = self
            .bell
            .0
            .try_lock()
            .ok()
            .and_then(|mut bell| bell.waker.take());
        drop(waker);
    }
}

impl fmt::Debug for BatchStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchStream")
            .field("loader", &self.loader)
            .finish_non_exhaustive()
    }
}

/// Whom to wake. Shared by the stream and the call that the library has promised.
#[derive(Default)]
struct Bell(Mutex<Promise>);

#[derive(Default)]
struct Promise {
    /// The library will ring. It is not asked again before that: asking again makes it ring at
    /// once, and a task that is polled for other reasons would then wake itself for ever.
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

    /// Leaves word whom to wake. Says whether a promise was there already; if not, the library is
    /// to be asked for one.
    fn wakes(&self, waker: &Waker) -> bool {
        let waker = waker.clone();
        let mut promise = self.lock();
        let before = promise.waker.replace(waker);
        let made = mem::replace(&mut promise.made, true);
        drop(promise);
        drop(before);
        made
    }

    /// The promise is over, kept or not made.
    fn answer(&self) -> Option<Waker> {
        let mut promise = self.lock();
        promise.made = false;
        promise.waker.take()
    }
}

/// # Safety
/// `user_data` is a share of a bell, which this takes.
unsafe extern "C" fn ring(user_data: *mut c_void) {
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
    fn a_bell_outlives_its_stream_and_a_panic() {
        let bell = Arc::new(Bell::default());
        assert!(!bell.wakes(&Arc::new(Panics).into()));
        let promised = promise(&bell);
        // SAFETY: a share, once.
        unsafe { ring(promised) };
        let waker = Arc::new(Count::default());
        assert!(!bell.wakes(&waker.clone().into()));
        let promised = AtomicPtr::new(promise(&bell));
        drop(bell.lock().waker.take()); // as a stream does when dropped
        drop(bell);
        // From another thread, as the library does.
        // SAFETY: a share, once.
        let thread = std::thread::spawn(move || unsafe { ring(promised.into_inner()) });
        thread.join().unwrap();
        assert_eq!(waker.0.load(Ordering::SeqCst), 0);
        assert_eq!(Arc::strong_count(&waker), 1);
    }
}
