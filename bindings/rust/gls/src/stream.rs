//! BatchStream: batches as a stream of futures.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::thread::{self, JoinHandle};

use futures_core::Stream;
use gls_sys as sys;

use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::loader::{CancelHandle, NeighborLoader};

/// The batches of a loader as a [`futures_core::Stream`], for any executor.
///
/// The library has no call that tells when a batch is ready, so a thread of the stream's own waits
/// for it: one for the stream's whole life, and not one per batch. It takes one batch ahead of
/// those asked for. The stream ends with the epoch; [`BatchStream::seek`] goes to another.
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
/// let mut stream = sampler.loader().batch_size(2).build()?.into_stream()?;
/// let _ = epoch(&mut stream);
/// # Ok::<(), gls::Error>(())
/// ```
pub struct BatchStream {
    shared: Arc<Shared>,
    cancel: CancelHandle,
    driver: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    work: Condvar,
}

#[derive(Default)]
struct State {
    /// The next item, and the loader's state after it.
    ready: Option<(Result<Batch>, Option<String>)>,
    /// The loader's state after the last item handed out.
    position: Option<String>,
    over: bool,
    stop: bool,
    seek: Option<u64>,
    /// Counts seeks: what was begun before the last one is dropped.
    generation: u64,
    waker: Option<Waker>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic is done while it is held.
        self.state
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

fn drive(mut loader: NeighborLoader, shared: &Shared) {
    loop {
        let (generation, seek) = {
            let mut state = shared.lock();
            loop {
                if state.stop {
                    return;
                }
                if state.seek.is_some() || (state.ready.is_none() && !state.over) {
                    break;
                }
                state = shared
                    .work
                    .wait(state)
                    .unwrap_or_else(|poisoned| poisoned.into_inner());
            }
            (state.generation, state.seek.take())
        };
        let item = match seek {
            Some(epoch) => match loader.seek(epoch) {
                Ok(loader) => loader.next(),
                Err(error) => Some(Err(error)),
            },
            None => loader.next(),
        };
        let position = loader.save().ok();
        let mut state = shared.lock();
        let mut outdated = None;
        if state.generation != generation {
            outdated = item;
        } else if let Some(item) = item {
            state.ready = Some((item, position));
        } else {
            state.over = true;
        }
        let waker = state.waker.take();
        drop(state);
        drop(outdated);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl NeighborLoader {
    /// The rest of the epoch, and further epochs, as a stream. Starts a thread.
    pub fn into_stream(self) -> Result<BatchStream> {
        let cancel = self.cancel_handle();
        let shared = Arc::new(Shared::default());
        shared.lock().position = Some(self.save()?);
        let drivers = shared.clone();
        let driver = thread::Builder::new()
            .name("gls-stream".to_owned())
            .spawn(move || drive(self, &drivers))
            .map_err(|source| Error::caused(sys::GLS_ERR_OUT_OF_MEMORY, "thread", source))?;
        Ok(BatchStream {
            shared,
            cancel,
            driver: Some(driver),
        })
    }
}

impl BatchStream {
    /// Goes to the start of an epoch; batches made ahead are dropped. Ends a cancelled state.
    /// Should it fail, the next item says so.
    pub fn seek(&mut self, epoch: u64) {
        let outdated = {
            let mut state = self.shared.lock();
            state.generation += 1;
            state.seek = Some(epoch);
            state.position = None;
            state.over = false;
            state.ready.take()
        };
        drop(outdated);
        self.shared.work.notify_one();
    }

    /// As [`NeighborLoader::save`]: the position after the batches that the stream has given.
    ///
    /// # Errors
    /// [`Error::InvalidState`] between [`BatchStream::seek`] and the next batch.
    pub fn save(&self) -> Result<String> {
        let state = self.shared.lock();
        match &state.position {
            Some(position) => Ok(position.clone()),
            None => Err(Error::here(
                sys::GLS_ERR_INVALID_STATE,
                "stream",
                "stream: where it stands is not known before the next batch",
            )),
        }
    }

    /// Something that can cancel the stream's loader from any thread.
    pub fn cancel_handle(&self) -> CancelHandle {
        self.cancel.clone()
    }
}

impl Stream for BatchStream {
    type Item = Result<Batch>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut state = self.shared.lock();
        if let Some((item, position)) = state.ready.take() {
            state.position = position;
            drop(state);
            self.shared.work.notify_one();
            return Poll::Ready(Some(item));
        }
        if state.over && state.seek.is_none() {
            return Poll::Ready(None);
        }
        match &mut state.waker {
            Some(waker) if waker.will_wake(context.waker()) => {}
            waker => *waker = Some(context.waker().clone()),
        }
        Poll::Pending
    }
}

/// Cancels the work in progress and waits for the thread to end.
impl Drop for BatchStream {
    fn drop(&mut self) {
        self.shared.lock().stop = true;
        self.shared.work.notify_one();
        self.cancel.cancel();
        if let Some(driver) = self.driver.take() {
            let _ = driver.join();
        }
    }
}

impl fmt::Debug for BatchStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchStream").finish_non_exhaustive()
    }
}
