//! Sampling in separate processes: feeds, and loaders that are attached to them.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::time::Duration;

use gls_sys as sys;

use crate::load::loader::NeighborLoader;
use crate::memory::zero::Zero;
use crate::runtime::context::Context;
use crate::runtime::error::{call, make, Error, Result};
use crate::runtime::options::milliseconds;

fn c_path(path: &Path) -> Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| {
        Error::here(
            sys::GLS_ERR_INVALID_ARGUMENT,
            "path",
            "path has a zero byte",
        )
    })
}

/// Serves the batches of a loader to trainers in other processes of this machine, until it is dropped.
///
/// Trainers [attach](Attach) and get the batches that a loader of their rank would give them. Each has
/// shared memory of its own, in which batches are written once and read in place.
#[derive(Debug)]
pub struct Feed {
    raw: NonNull<sys::gls_feed_t>,
}

// SAFETY: gls.h: wait and get_info are [any]; release, by Drop, is the last call by any thread.
unsafe impl Send for Feed {}
// SAFETY: as above.
unsafe impl Sync for Feed {}

/// What a [`Feed`] has done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FeedInfo {
    /// Trainers that are attached now.
    pub consumers: u64,
    /// Trainers since it was made.
    pub attached: u64,
    /// Of these, gone without dropping their loader, as when killed.
    pub lost: u64,
    /// Batches sent.
    pub batches: u64,
    /// Bytes of these.
    pub batch_bytes: u64,
    /// Shared memory that batches occupy now.
    pub used_bytes: u64,
    /// Summed over trainers: a batch was sampled, but there was no room for it.
    pub wait_ns: u64,
    /// The part of `batch_bytes` that was made in other memory and copied. Columns are gathered
    /// where they are read, unless servers make the batches or the loader has a transform.
    pub copied_bytes: u64,
}

/// The options of a [`Feed`].
#[derive(Debug)]
#[must_use = "nothing is served before build()"]
pub struct FeedBuilder<'l> {
    loader: &'l NeighborLoader,
    path: PathBuf,
    options: sys::gls_feed_options_t,
    zero: Zero,
}

// SAFETY: the pointers in the options are set in build() only.
unsafe impl Send for FeedBuilder<'_> {}
// SAFETY: as above.
unsafe impl Sync for FeedBuilder<'_> {}

impl FeedBuilder<'_> {
    /// Trainers at one time; 1 by default.
    pub fn consumers(mut self, consumers: u32) -> Self {
        self.options.consumers = self.zero.note("consumers", consumers);
        self
    }

    /// Shared memory of each trainer; 256 MiB by default.
    pub fn bytes(mut self, bytes: u64) -> Self {
        self.options.bytes = self.zero.note("bytes", bytes);
        self
    }

    /// Batches ready for each trainer at most; by default as many as the loader keeps.
    pub fn prefetch(mut self, batches: u32) -> Self {
        self.options.prefetch = self.zero.note("prefetch", batches);
        self
    }

    /// Permissions of the socket; 0o600 by default. Every process that may open it may attach.
    pub fn mode(mut self, mode: u32) -> Self {
        self.options.mode = self.zero.note("mode", mode);
        self
    }

    /// Begins to serve.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`] when another feed serves there; [`Error::InvalidArgument`];
    /// [`Error::Io`].
    pub fn build(self) -> Result<Feed> {
        self.zero.check()?;
        let path = c_path(&self.path)?;
        let mut options = self.options;
        options.path = path.as_ptr();
        // SAFETY: a live handle, and options that borrow from this function.
        let raw = make(|out, error| unsafe {
            sys::gls_feed_create(self.loader.raw(), &options, out, error)
        })?;
        Ok(Feed { raw })
    }
}

impl Feed {
    /// A feed of a loader that was made for one trainer. Where it stands is of no matter. The socket
    /// that a killed process left at `path` is replaced.
    pub fn builder(loader: &NeighborLoader, path: impl Into<PathBuf>) -> FeedBuilder<'_> {
        FeedBuilder {
            loader,
            path: path.into(),
            options: sys::gls_feed_options_t::default(),
            zero: Zero::default(),
        }
    }

    /// Waits until trainers were attached and none is any more; false when the time has passed.
    /// `None`: without limit.
    ///
    /// # Errors
    /// [`Error::InvalidState`] after a fork.
    pub fn wait(&self, timeout: Option<Duration>) -> Result<bool> {
        let timeout_ms = milliseconds(timeout);
        // SAFETY: a live handle; wait is [any].
        let status =
            call(|error| unsafe { sys::gls_feed_wait(self.raw.as_ptr(), timeout_ms, error) })?;
        Ok(status == sys::GLS_OK)
    }

    /// What it has done so far.
    ///
    /// # Errors
    /// [`Error::InvalidState`] after a fork.
    pub fn info(&self) -> Result<FeedInfo> {
        let mut info = sys::gls_feed_info_t::default();
        // SAFETY: a live handle, and a struct of the stated size; get_info is [any].
        call(|error| unsafe { sys::gls_feed_get_info(self.raw.as_ptr(), &mut info, error) })?;
        Ok(FeedInfo {
            consumers: info.consumers,
            attached: info.attached,
            lost: info.lost,
            batches: info.batches,
            batch_bytes: info.batch_bytes,
            used_bytes: info.used_bytes,
            wait_ns: info.wait_ns,
            copied_bytes: info.copied_bytes,
        })
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        // SAFETY: owned, and this is the last call on it.
        unsafe { sys::gls_feed_release(self.raw.as_ptr()) }
    }
}

/// How to get a loader whose batches [feeds](Feed) in other processes make.
///
/// It is a [`NeighborLoader`] in all but this: batches by number, norms and plans are for the
/// process that has the graph, and arrays cannot be written. When a feed is gone, [`Error::Io`]
/// comes after the batches that had arrived.
#[derive(Debug)]
#[must_use = "nothing is attached before connect()"]
pub struct Attach {
    paths: Vec<PathBuf>,
    options: sys::gls_attach_options_t,
    timeout_ms: i64,
}

// SAFETY: the pointers in the options are set in connect() only.
unsafe impl Send for Attach {}
// SAFETY: as above.
unsafe impl Sync for Attach {}

impl Attach {
    /// To a feed.
    pub fn to(path: impl Into<PathBuf>) -> Self {
        Self {
            paths: vec![path.into()],
            options: sys::gls_attach_options_t::default(),
            timeout_ms: sys::GLS_TIMEOUT_DEFAULT,
        }
    }

    /// And to another one, of a loader that was made alike: they share the work, and the batches and
    /// their order are those of one loader.
    pub fn and(mut self, path: impl Into<PathBuf>) -> Self {
        self.paths.push(path.into());
        self
    }

    /// Which of `world_size` trainers this is; 0: as many as the feed has configured.
    pub fn trainer(mut self, rank: u32, world_size: u32) -> Self {
        self.options.rank = rank;
        self.options.world_size = world_size;
        self
    }

    /// How long to wait until the feeds are running, zero: not at all; 10 s by default.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.timeout_ms = milliseconds(Some(time));
        self
    }

    /// How long to wait for a batch while batches that the program keeps fill this trainer's
    /// memory. Then the loader returns [`Error::OutOfMemory`]. 10 s by default.
    pub fn stall(mut self, time: Duration) -> Self {
        self.options.stall_ms = u32::try_from(milliseconds(Some(time)).max(1)).unwrap_or(u32::MAX);
        self
    }

    /// Pins the shared memory, so that copies of batches to GPUs are asynchronous, by the GPU of
    /// this number. Pinning takes all of the memory at once. Name the streams of such copies by
    /// [`Batch::record_stream`](crate::Batch::record_stream), or a later batch is written over the
    /// data that is being copied.
    pub fn pin(mut self, gpu: i32) -> Self {
        self.options.pin = sys::DLDevice {
            device_type: sys::kDLCUDA,
            device_id: gpu,
        };
        self
    }

    /// The loader.
    ///
    /// # Errors
    /// - [`Error::TimedOut`] when a feed was not running in time.
    /// - [`Error::AlreadyExists`] when a trainer of this rank is attached.
    /// - [`Error::Unsupported`] when the memory cannot be pinned.
    /// - [`Error::InvalidArgument`]; [`Error::Io`].
    pub fn connect(self, context: &Context) -> Result<NeighborLoader> {
        let paths = self
            .paths
            .iter()
            .map(|path| c_path(path))
            .collect::<Result<Vec<_>>>()?;
        let raw_paths: Vec<_> = paths.iter().map(|path| path.as_ptr()).collect();
        let mut options = self.options;
        options.paths = raw_paths.as_ptr();
        options.num_paths = raw_paths.len();
        let timeout_ms = self.timeout_ms;
        // SAFETY: a live handle, and options that borrow from this function.
        let raw = make(|out, error| unsafe {
            sys::gls_feed_attach(context.raw(), &options, timeout_ms, out, error)
        })?;
        // SAFETY: just handed over.
        Ok(unsafe { NeighborLoader::attached(raw) })
    }
}
