//! Stores, and datasets that have them.

use std::fmt;
use std::os::raw::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use gls_sys as sys;

use crate::data::dataset::Dataset;
use crate::memory::dtype::Element;
use crate::runtime::callback::{self, drop_quietly};
use crate::runtime::context::Context;
use crate::runtime::error::{call, make, Result};
use crate::store::fetch::{
    answer_neighbors, answer_rows, check_type, ColumnFetch, FetchNeighbors, FetchRows,
    NeighborFetch, Question,
};
use crate::store::options::{StoreColumn, StoreNeighbors, StoreOptions};

/// A column, or the neighbours of an edge type, that the caller's code answers. See
/// [`Dataset::with_stores`].
///
/// ```
/// use gls::{Context, DType, DatasetBuilder, Store, StoreColumn, StoreOptions};
///
/// let context = Context::new()?;
/// let mut builder = DatasetBuilder::new(&context)?;
/// builder.add_edges("user__follows__user", vec![0i64, 1, 2], vec![1i64, 2, 0])?;
/// let graph = builder.build()?;
///
/// let column = StoreColumn::new("user", "x", DType::F32).row_shape(&[2]);
/// let options = StoreOptions::new().cache_bytes(1 << 20);
/// let features = Store::column(&context, &column, options, |ids: &[i64], rows: &mut [f32]| {
///     for (id, row) in ids.iter().zip(rows.chunks_exact_mut(2)) {
///         row.copy_from_slice(&[*id as f32, 0.5]); // from a database
///     }
///     Ok::<_, gls::Error>(())
/// })?;
/// let dataset = graph.with_stores(&[&features])?;
///
/// let sampler = dataset.sampler().fanouts([10]).build()?;
/// for batch in sampler.loader().batch_size(2).build()? {
///     let batch = batch?;
///     let x: &[f32] = batch.column("x")?.as_slice()?;
///     assert_eq!(x[0], batch.node::<i64>()?[0] as f32);
/// }
/// assert!(features.stats()?.fetches > 0);
/// # Ok::<(), gls::Error>(())
/// ```
pub struct Store {
    raw: NonNull<sys::gls_store_t>,
}

// SAFETY: gls.h: every call on a store is [any]; release, by Drop, may happen on any thread.
unsafe impl Send for Store {}
// SAFETY: as above.
unsafe impl Sync for Store {}

impl Drop for Store {
    fn drop(&mut self) {
        // SAFETY: owned, and this is the last call on it.
        unsafe { sys::gls_store_release(self.raw.as_ptr()) }
    }
}

/// What a store was asked since it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreStats {
    /// Questions that the store got.
    pub fetches: u64,
    /// Ids in them.
    pub ids: u64,
    /// Ids that the cache answered.
    pub cached_ids: u64,
    /// Questions that ended with an error, without those canceled.
    pub failures: u64,
    /// Time from question to answer, summed.
    pub fetch_ns: u64,
    /// Time that questions waited for their turn, summed.
    pub wait_ns: u64,
    /// Memory that cached answers take.
    pub cache_bytes: u64,
}

impl Store {
    /// A store of a column. The type of the rows is that of the column's elements, or `u8` for their
    /// bytes.
    ///
    /// Columns of labels, weights and times may be in stores, too.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument).
    pub fn column<T: Element>(
        context: &Context,
        column: &StoreColumn,
        options: StoreOptions,
        fetch: impl ColumnFetch<T> + 'static,
    ) -> Result<Self> {
        check_type::<T>(column.dtype)?;
        Self::make_column(context, column, options, move |question| {
            answer_rows(&fetch, question)
        })
    }

    /// As [`Store::column`], of a closure that owns the question and may answer it at any later time. A
    /// thread that makes batches calls it. A panic of it drops the question.
    ///
    /// # Errors
    /// As there.
    pub fn column_later(
        context: &Context,
        column: &StoreColumn,
        options: StoreOptions,
        fetch: impl Fn(FetchRows) + Send + Sync + 'static,
    ) -> Result<Self> {
        let dtype = column.dtype;
        Self::make_column(context, column, options, move |question| {
            fetch(FetchRows::new(question, dtype))
        })
    }

    /// A store of neighbours. Each question asks for all neighbours of some nodes; the library picks
    /// from them. Two stores may have both layouts of one edge type.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument).
    pub fn neighbors(
        context: &Context,
        neighbors: &StoreNeighbors,
        options: StoreOptions,
        fetch: impl NeighborFetch + 'static,
    ) -> Result<Self> {
        Self::make_neighbors(context, neighbors, options, move |question| {
            answer_neighbors(&fetch, question)
        })
    }

    /// As [`Store::neighbors`], of a closure that owns the question and may answer it at any later
    /// time. A thread that makes batches calls it. A panic of it drops the question.
    ///
    /// # Errors
    /// As there.
    pub fn neighbors_later(
        context: &Context,
        neighbors: &StoreNeighbors,
        options: StoreOptions,
        fetch: impl Fn(FetchNeighbors) + Send + Sync + 'static,
    ) -> Result<Self> {
        Self::make_neighbors(context, neighbors, options, move |question| {
            fetch(FetchNeighbors::new(question))
        })
    }

    fn make_column(
        context: &Context,
        column: &StoreColumn,
        options: StoreOptions,
        function: impl Fn(Question) + Send + Sync + 'static,
    ) -> Result<Self> {
        column.call(|column| {
            let options = lend(options, function)?;
            // SAFETY: live handles, and structs of their sizes; the library takes the function.
            let raw = make(|out, error| unsafe {
                sys::gls_store_create_column(context.raw(), column, &options, out, error)
            })?;
            Ok(Self { raw })
        })
    }

    fn make_neighbors(
        context: &Context,
        neighbors: &StoreNeighbors,
        options: StoreOptions,
        function: impl Fn(Question) + Send + Sync + 'static,
    ) -> Result<Self> {
        neighbors.call(|neighbors| {
            let options = lend(options, function)?;
            // SAFETY: as above.
            let raw = make(|out, error| unsafe {
                sys::gls_store_create_neighbors(context.raw(), neighbors, &options, out, error)
            })?;
            Ok(Self { raw })
        })
    }

    /// What it was asked.
    pub fn stats(&self) -> Result<StoreStats> {
        let mut stats = sys::gls_store_stats_t::default();
        // SAFETY: a live handle, and a struct of the stated size.
        call(|error| unsafe { sys::gls_store_get_stats(self.raw.as_ptr(), &mut stats, error) })?;
        Ok(StoreStats {
            fetches: stats.fetches,
            ids: stats.ids,
            cached_ids: stats.cached_ids,
            failures: stats.failures,
            fetch_ns: stats.fetch_ns,
            wait_ns: stats.wait_ns,
            cache_bytes: stats.cache_bytes,
        })
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Store");
        if let Ok(stats) = self.stats() {
            out.field("stats", &stats);
        }
        out.finish_non_exhaustive()
    }
}

impl Dataset {
    /// This graph with the columns and edge types of stores, which follow its own. A sampler or loader
    /// makes the same batches as with arrays of the same contents. Nothing is asked before a batch
    /// needs it. The stores may be dropped before the dataset.
    ///
    /// # Errors
    /// - [`Error::NotFound`](crate::Error::NotFound): a type.
    /// - [`Error::AlreadyExists`](crate::Error::AlreadyExists): a column or layout.
    /// - [`Error::InvalidArgument`](crate::Error::InvalidArgument): two stores do not agree.
    /// - [`Error::Unsupported`](crate::Error::Unsupported): neighbours for a graph in parts or on
    ///   servers.
    pub fn with_stores(&self, stores: &[&Store]) -> Result<Self> {
        let stores: Vec<_> = stores.iter().map(|store| store.raw.as_ptr()).collect();
        // SAFETY: live handles.
        let raw = make(|out, error| unsafe {
            sys::gls_dataset_with_stores(self.raw(), stores.as_ptr(), stores.len(), out, error)
        })?;
        // SAFETY: just handed over.
        Ok(unsafe { Self::from_raw(raw) })
    }
}

/// Code of the caller's. The library has a share of it, and so has each call of it.
struct Function(Box<dyn Fn(Question) + Send + Sync>);

/// The library takes what the options have, also when it makes no store of them.
fn lend(
    options: StoreOptions,
    function: impl Fn(Question) + Send + Sync + 'static,
) -> Result<sys::gls_store_options_t> {
    let mut options = options.to_sys()?;
    options.fetch = Some(run);
    options.user_data = Arc::into_raw(Arc::new(Function(Box::new(function)))) as *mut c_void;
    options.destroy = Some(release);
    Ok(options)
}

/// # Safety
/// As a `gls_fetch_fn`, `user_data` being a share of a Function.
unsafe extern "C" fn run(raw: *mut sys::gls_fetch_t, user_data: *mut c_void) {
    let share = user_data as *const Function;
    Arc::increment_strong_count(share);
    // What the library has may go once the question is answered, and the function may go on.
    let function = Arc::from_raw(share);
    callback::run(|| {
        if let Some(question) = NonNull::new(raw).and_then(|raw| Question::take(raw)) {
            (function.0)(question);
        }
    });
    drop_quietly(function);
}

/// # Safety
/// `user_data` is a share of a Function, which this takes.
unsafe extern "C" fn release(user_data: *mut c_void) {
    let share = Arc::from_raw(user_data as *const Function);
    drop_quietly(share);
}
