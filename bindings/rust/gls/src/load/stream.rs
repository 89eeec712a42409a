//! BatchStream: batches as a stream of futures.

use std::fmt;
use std::os::raw::c_void;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use gls_sys as sys;

use crate::load::batch::Batch;
use crate::load::loader::{CancelHandle, NeighborLoader};
use crate::runtime::bell::{ring, Bell};
use crate::runtime::error::{call, Result};

/// The batches of a loader as a [`futures_core::Stream`], for any executor.
///
/// It has no thread and never waits: if no batch is ready, the library wakes the task later. The
/// stream ends with the epoch. Polling it after that end begins the next epoch, as each iteration
/// of a [`NeighborLoader`] does. [`BatchStream::seek`] goes to another epoch.
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
    /// An epoch has begun and has not ended.
    within: bool,
    bell: Arc<Bell>,
}

impl NeighborLoader {
    /// The next epoch and further ones as a stream.
    pub fn into_stream(self) -> BatchStream {
        BatchStream {
            loader: self,
            within: false,
            bell: Arc::default(),
        }
    }
}

impl BatchStream {
    /// As [`NeighborLoader::seek`].
    pub fn seek(&mut self, epoch: u64) -> Result<&mut Self> {
        self.loader.seek(epoch)?;
        self.within = false;
        Ok(self)
    }

    /// As [`NeighborLoader::restore`].
    pub fn restore(&mut self, state: &str) -> Result<&mut Self> {
        self.loader.restore(state)?;
        self.within = false;
        Ok(self)
    }

    /// As [`NeighborLoader::save`]: the position after the batches that the stream has given.
    pub fn save(&self) -> Result<String> {
        self.loader.save()
    }

    /// The loader, for its information.
    pub fn loader(&self) -> &NeighborLoader {
        &self.loader
    }

    /// Something that can cancel the stream's loader from any thread, which wakes the task.
    pub fn cancel_handle(&self) -> CancelHandle {
        self.loader.cancel_handle()
    }

    /// Requests a call of the bell. False: an item is ready now, and the bell will not be called.
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
        if !self.within && !self.loader.over {
            if let Err(error) = self.loader.begin() {
                return Poll::Ready(self.loader.failed(error));
            }
            self.within = true;
        }
        loop {
            // Asked first also while the bell is to be rung: it may be just about to, and in a
            // forked child it never will.
            let item = self.loader.poll_item(Some(Duration::ZERO));
            if let Poll::Ready(None) = item {
                self.within = false;
            }
            if item.is_ready() || self.bell.wakes(task.waker()) {
                return item;
            }
            match self.ask() {
                Ok(true) => return Poll::Pending,
                // The next item is the ready batch, or the reason why the bell was not accepted.
                Ok(false) => {}
                Err(error) => return Poll::Ready(self.loader.failed(error)),
            }
        }
    }
}

/// Drops batches that were made ahead and waits for the batches in work. The task is not woken,
/// unless it is being woken already.
impl Drop for BatchStream {
    fn drop(&mut self) {
        self.bell.forget();
    }
}

impl fmt::Debug for BatchStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchStream")
            .field("loader", &self.loader)
            .finish_non_exhaustive()
    }
}
