//! Questions to a store, and the code that answers them.

use std::error::Error as StdError;
use std::ffi::CString;
use std::fmt;
use std::io;
use std::mem::{align_of, size_of};
use std::panic::{self, AssertUnwindSafe};
use std::ptr::{self, NonNull};
use std::slice;
use std::time::Duration;

use gls_sys as sys;

use crate::cluster::calls::Failure;
use crate::memory::dtype::{DType, Element};
use crate::runtime::callback::{drop_quietly, words_of};
use crate::runtime::error::{call, Error, Result};
use crate::store::answer::NeighborLists;

/// Answers for a column. Closures of this signature implement it.
///
/// Threads that make batches call it, several at once. It must not use a dataset that has this store.
pub trait ColumnFetch<T: Element>: Send + Sync {
    /// Writes the rows of some nodes or edges, one after another. The memory is the batch's own, and
    /// is zero before.
    ///
    /// # Errors
    /// The batch fails with an [`Error`] as it is, with an [`io::Error`] as [`Error::Io`], and with
    /// anything else as [`Error::InvalidArgument`]. [`Error::new`] makes one of any status.
    fn fetch(&self, ids: &[i64], rows: &mut [T]) -> Result<(), Box<dyn StdError + Send + Sync>>;
}

impl<T, F, E> ColumnFetch<T> for F
where
    T: Element,
    F: Fn(&[i64], &mut [T]) -> Result<(), E> + Send + Sync,
    E: Into<Failure>,
{
    fn fetch(&self, ids: &[i64], rows: &mut [T]) -> Result<(), Failure> {
        self(ids, rows).map_err(Into::into)
    }
}

/// Answers for neighbours. Closures of this signature implement it.
///
/// Threads that make batches call it, several at once. It must not use a dataset that has this store.
pub trait NeighborFetch: Send + Sync {
    /// All neighbours of some nodes.
    ///
    /// # Errors
    /// As of [`ColumnFetch::fetch`].
    fn fetch(&self, nodes: &[i64]) -> Result<NeighborLists, Box<dyn StdError + Send + Sync>>;
}

impl<F, E> NeighborFetch for F
where
    F: Fn(&[i64]) -> Result<NeighborLists, E> + Send + Sync,
    E: Into<Failure>,
{
    fn fetch(&self, nodes: &[i64]) -> Result<NeighborLists, Failure> {
        self(nodes).map_err(Into::into)
    }
}

/// A question of the library, which is answered once, and released by Drop.
pub(crate) struct Question {
    raw: NonNull<sys::gls_fetch_t>,
    ids: *const i64,
    num_ids: usize,
    rows: *mut u8,
    num_bytes: usize,
}

// SAFETY: gls.h: every call on it is [any]; release, by Drop, is the last call by any thread. The rows
// are written through `&mut` alone.
unsafe impl Send for Question {}
// SAFETY: as above.
unsafe impl Sync for Question {}

impl Question {
    /// `None`: after a fork.
    ///
    /// # Safety
    /// `raw` is owned.
    pub(crate) unsafe fn take(raw: NonNull<sys::gls_fetch_t>) -> Option<Self> {
        let mut out = Self {
            raw,
            ids: ptr::null(),
            num_ids: 0,
            rows: ptr::null_mut(),
            num_bytes: 0,
        };
        let info = out.info()?;
        (out.ids, out.num_ids) = (info.ids, info.num_ids);
        if !info.rows.is_null() {
            (out.rows, out.num_bytes) = (info.rows.cast(), info.num_ids * info.row_bytes);
            // A slice of it needs bytes with values.
            ptr::write_bytes(out.rows, 0, out.num_bytes);
        }
        Some(out)
    }

    fn info(&self) -> Option<sys::gls_fetch_info_t> {
        let mut info = sys::gls_fetch_info_t::default();
        // SAFETY: a live handle, and a struct of the stated size; get_info is [any].
        call(|error| unsafe { sys::gls_fetch_get_info(self.raw.as_ptr(), &mut info, error) })
            .ok()
            .map(|_| info)
    }

    fn ids(&self) -> &[i64] {
        match self.num_ids {
            0 => &[],
            // SAFETY: so many ids, which live as long as the question.
            count => unsafe { slice::from_raw_parts(self.ids, count) },
        }
    }

    fn ids_and_rows<T: Element>(&mut self) -> Result<(&[i64], &mut [T])> {
        if self.rows as usize % align_of::<T>() != 0 || self.num_bytes % size_of::<T>() != 0 {
            let message = format!("the rows are not aligned for {}", T::DTYPE);
            return Err(Error::here(sys::GLS_ERR_UNSUPPORTED, "", message));
        }
        let rows = match self.num_bytes / size_of::<T>() {
            0 => &mut [],
            // SAFETY: so many elements, of which every pattern of bits is a value, aligned; they live
            // as long as the question, which is borrowed exclusively.
            count => unsafe { slice::from_raw_parts_mut(self.rows.cast::<T>(), count) },
        };
        Ok((self.ids(), rows))
    }

    fn rows_done(&self) -> Result<()> {
        // SAFETY: a live handle; rows_done is [any].
        call(|error| unsafe { sys::gls_fetch_rows_done(self.raw.as_ptr(), error) }).map(drop)
    }

    fn neighbors(&self, lists: &NeighborLists) -> Result<()> {
        lists.check(self.num_ids)?;
        let edge_ids = lists.edge_ids().map_or(ptr::null(), <[i64]>::as_ptr);
        // SAFETY: a live handle, and arrays of the lengths that were checked; neighbors is [any].
        call(|error| unsafe {
            sys::gls_fetch_neighbors(
                self.raw.as_ptr(),
                lists.counts().as_ptr(),
                lists.neighbors().as_ptr(),
                edge_ids,
                error,
            )
        })
        .map(drop)
    }

    fn fail(&self, failure: Failure) -> Result<()> {
        let (status, words) = status_and_words(&failure);
        drop_quietly(failure);
        // A NUL would end the words.
        let words = CString::new(words.replace('\0', " ")).unwrap_or_default();
        // SAFETY: a live handle and a terminated string; fail is [any].
        call(|error| unsafe {
            sys::gls_fetch_fail(self.raw.as_ptr(), status, words.as_ptr(), error)
        })
        .map(drop)
    }

    fn remaining(&self) -> Option<Duration> {
        let ms = self.info().map_or(0, |info| info.remaining_ms);
        u64::try_from(ms).ok().map(Duration::from_millis)
    }

    fn is_canceled(&self) -> bool {
        self.info().map_or(true, |info| info.canceled != 0)
    }

    /// Does what ends with an answer. An error or panic of it becomes the answer.
    fn settle(mut self, work: impl FnOnce(&mut Self) -> Result<(), Failure>) {
        let failure = match panic::catch_unwind(AssertUnwindSafe(|| work(&mut self))) {
            Ok(Ok(())) => return,
            Ok(Err(failure)) => failure,
            Err(payload) => {
                let words = format!("panicked: {}", words_of(&*payload));
                drop_quietly(payload);
                words.into()
            }
        };
        let _ = self.fail(failure); // or it was answered with this error already
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        // SAFETY: owned, and this is the last call on it.
        unsafe { sys::gls_fetch_release(self.raw.as_ptr()) }
    }
}

/// What a batch gets of an error of the caller's code.
fn status_and_words(failure: &Failure) -> (i32, String) {
    let io = failure.downcast_ref::<io::Error>();
    let inner = io.and_then(|error| error.get_ref()?.downcast_ref::<Error>());
    match inner.or_else(|| failure.downcast_ref::<Error>()) {
        Some(error) => (error.status(), error.message().to_owned()),
        None if io.is_some() => (sys::GLS_ERR_IO, failure.to_string()),
        None => (sys::GLS_ERR_INVALID_ARGUMENT, failure.to_string()),
    }
}

pub(crate) fn answer_rows<T: Element>(fetch: &impl ColumnFetch<T>, question: Question) {
    question.settle(|question| {
        let (ids, rows) = question.ids_and_rows()?;
        fetch.fetch(ids, rows)?;
        question.rows_done().map_err(Into::into)
    });
}

pub(crate) fn answer_neighbors(fetch: &impl NeighborFetch, question: Question) {
    question.settle(|question| {
        let lists = fetch.fetch(question.ids())?;
        question.neighbors(&lists).map_err(Into::into)
    });
}

/// Whether elements of a column can be written as this type. Bytes are those of any column.
pub(crate) fn check_type<T: Element>(dtype: DType) -> Result<()> {
    if T::reads(dtype) || T::DTYPE == DType::U8 {
        return Ok(());
    }
    let message = format!("{dtype}, but the rows are written as {}", T::DTYPE);
    Err(Error::invalid("dtype", message))
}

/// A question for rows of a column. Answer it once, on any thread. If it is dropped without an answer,
/// the batch fails.
pub struct FetchRows {
    question: Question,
    dtype: DType,
}

impl FetchRows {
    pub(crate) fn new(question: Question, dtype: DType) -> Self {
        Self { question, dtype }
    }

    /// The nodes or edges.
    pub fn ids(&self) -> &[i64] {
        self.question.ids()
    }

    /// The bytes of the rows, one row after another. They are the batch's own, and zero at first.
    pub fn rows_mut(&mut self) -> &mut [u8] {
        match self.question.ids_and_rows() {
            Ok((_, rows)) => rows,
            Err(_) => &mut [], // never, as bytes are always aligned
        }
    }

    /// The elements of the rows; see [`FetchRows::ids_and_rows`].
    ///
    /// # Errors
    /// As there.
    pub fn rows_as_mut<T: Element>(&mut self) -> Result<&mut [T]> {
        Ok(self.ids_and_rows()?.1)
    }

    /// The ids, and the elements of their rows, one row after another.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the column has other elements. `u8` is for all columns.
    pub fn ids_and_rows<T: Element>(&mut self) -> Result<(&[i64], &mut [T])> {
        check_type::<T>(self.dtype)?;
        self.question.ids_and_rows()
    }

    /// Time until the library gives up; `None`: without limit.
    pub fn remaining(&self) -> Option<Duration> {
        self.question.remaining()
    }

    /// Whether no thread waits for the answer any more.
    pub fn is_canceled(&self) -> bool {
        self.question.is_canceled()
    }

    /// Answers it: all rows are written.
    ///
    /// # Errors
    /// [`Error::InvalidState`] after a fork.
    pub fn done(self) -> Result<()> {
        self.question.rows_done()
    }

    /// Answers it with an error, which the batch gets with the name of the store before its words: an
    /// [`Error`] as it is, an [`io::Error`] as [`Error::Io`], anything else as
    /// [`Error::InvalidArgument`].
    ///
    /// # Errors
    /// [`Error::InvalidState`] after a fork.
    pub fn fail(self, failure: impl Into<Box<dyn StdError + Send + Sync>>) -> Result<()> {
        self.question.fail(failure.into())
    }
}

impl fmt::Debug for FetchRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FetchRows")
            .field("ids", &self.ids())
            .field("dtype", &self.dtype)
            .finish_non_exhaustive()
    }
}

/// A question for all neighbours of some nodes. Answer it once, on any thread. If it is dropped without
/// an answer, the batch fails.
pub struct FetchNeighbors {
    question: Question,
}

impl FetchNeighbors {
    pub(crate) fn new(question: Question) -> Self {
        Self { question }
    }

    /// The nodes.
    pub fn nodes(&self) -> &[i64] {
        self.question.ids()
    }

    /// Time until the library gives up; `None`: without limit.
    pub fn remaining(&self) -> Option<Duration> {
        self.question.remaining()
    }

    /// Whether no thread waits for the answer any more.
    pub fn is_canceled(&self) -> bool {
        self.question.is_canceled()
    }

    /// Answers it.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the lists do not fit the nodes, or an id is out of range; then
    /// the batch gets this error. [`Error::InvalidState`] after a fork.
    pub fn done(self, lists: &NeighborLists) -> Result<()> {
        let result = self.question.neighbors(lists);
        if let Err(error) = &result {
            let again = Error::here(error.status(), "", error.message());
            let _ = self.question.fail(again.into()); // or it has this answer already
        }
        result
    }

    /// As [`FetchRows::fail`].
    ///
    /// # Errors
    /// As there.
    pub fn fail(self, failure: impl Into<Box<dyn StdError + Send + Sync>>) -> Result<()> {
        self.question.fail(failure.into())
    }
}

impl fmt::Debug for FetchNeighbors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FetchNeighbors")
            .field("nodes", &self.nodes())
            .finish_non_exhaustive()
    }
}
