//! How a dataset is cut into parts.

use std::ffi::CString;
use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::ptr;

use gls_sys as sys;

use crate::data::dataset::Dataset;
use crate::memory::tensor::{IntoTensor, Tensor};
use crate::runtime::error::{call, Error, Result};
use crate::runtime::names::{c_path, c_string};
use crate::runtime::progress::{with_progress, Progress, ProgressFn};

/// How owners of nodes are chosen. An edge belongs to the owner of its target where in-neighbours are
/// stored ([`Layout::Csc`](crate::Layout::Csc)), else to that of its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum PartitionMethod {
    /// Fewer edges between parts than at random, in passes over the graph as it is mapped.
    #[default]
    Stream = sys::GLS_PARTITION_STREAM as isize,
    /// Few edges between parts; needs the plugin `libgls_metis.so`, and memory for several copies of
    /// the edges.
    Metis = sys::GLS_PARTITION_METIS as isize,
    /// Exactly even.
    Random = sys::GLS_PARTITION_RANDOM as isize,
    /// Of the id and the seed alone.
    Hash = sys::GLS_PARTITION_HASH as isize,
    /// In [`owners`](PartitionOptions::owners) or [`owners_file`](PartitionOptions::owners_file).
    Given = sys::GLS_PARTITION_GIVEN as isize,
}

/// How [`Dataset::partition`] cuts a graph into [`parts`](PartitionOptions::parts), which must be
/// set.
///
/// ```
/// # use gls::{PartitionMethod, PartitionOptions};
/// let options = PartitionOptions::new()
///     .parts(4)
///     .method(PartitionMethod::Stream)
///     .balance_sets(["train"])
///     .halo_hops(1);
/// ```
#[derive(Default)]
#[must_use = "options do nothing by themselves"]
pub struct PartitionOptions<'p> {
    method: Option<PartitionMethod>,
    parts: u32,
    seed: u64,
    balance_sets: Vec<String>,
    imbalance: Option<f64>,
    balance_edges: bool,
    halo_hops: u32,
    hot_rows: usize,
    hot_fraction: f64,
    hot_id_set: Option<String>,
    hot_fanouts: Vec<i64>,
    hot_max_seeds: Option<usize>,
    owners: Option<Result<Vec<Tensor>>>,
    owners_file: Option<PathBuf>,
    overwrite: bool,
    compact_rows: bool,
    progress: Option<Box<ProgressFn<'p>>>,
}

impl<'p> PartitionOptions<'p> {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How owners are chosen. By default [`PartitionMethod::Given`] where they are, else
    /// [`PartitionMethod::Stream`].
    pub fn method(mut self, method: PartitionMethod) -> Self {
        self.method = Some(method);
        self
    }

    /// How many parts: 1 to 65535.
    pub fn parts(mut self, parts: u32) -> Self {
        self.parts = parts;
        self
    }

    /// Other seeds, other parts.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Names of id sets that are shared out evenly, too.
    pub fn balance_sets(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.balance_sets = names.into_iter().map(Into::into).collect();
        self
    }

    /// A part may have so much more than the mean, of each thing that is balanced; 0.05 by
    /// default.
    pub fn imbalance(mut self, imbalance: f64) -> Self {
        self.imbalance = Some(imbalance);
        self
    }

    /// Whether in-degrees are shared out evenly, too.
    pub fn balance_edges(mut self, balance: bool) -> Self {
        self.balance_edges = balance;
        self
    }

    /// Rows of nodes so many hops from those that a part owns are complete in it, too: with hops - 1
    /// a part can sample for its own nodes alone.
    pub fn halo_hops(mut self, hops: u32) -> Self {
        self.halo_hops = hops;
        self
    }

    /// How many nodes of each type that a part does not own have rows in its features and labels.
    /// They are the nodes at the ends of the most of the part's edges.
    pub fn hot_rows(mut self, rows: usize) -> Self {
        self.hot_rows = rows;
        self
    }

    /// The same as a fraction of the nodes it owns, instead of [`hot_rows`](Self::hot_rows).
    pub fn hot_fraction(mut self, fraction: f64) -> Self {
        self.hot_fraction = fraction;
        self
    }

    /// The id set whose batches measure which rows are hot. Hot nodes are those that sampled
    /// batches of a part's own nodes in this set need most. By default the batches are of all its
    /// own nodes if [`hot_fanouts`](Self::hot_fanouts) are set; else nothing is measured and ends
    /// of edges are counted.
    pub fn hot_id_set(mut self, name: impl Into<String>) -> Self {
        self.hot_id_set = Some(name.into());
        self
    }

    /// Neighbours of each hop of the batches by which hot rows are measured, for all edge types: 1 or
    /// more, or -1 for all. By default 15 and 10.
    pub fn hot_fanouts(mut self, fanouts: impl IntoIterator<Item = i64>) -> Self {
        self.hot_fanouts = fanouts.into_iter().collect();
        self
    }

    /// The most own nodes of a part, for each type, that are sampled from to measure hot rows.
    /// [`seed`](Self::seed) chooses them. By default they are all of
    /// [`hot_id_set`](Self::hot_id_set), or 1048576 of all nodes.
    pub fn hot_max_seeds(mut self, seeds: usize) -> Self {
        self.hot_max_seeds = Some(seeds);
        self
    }

    /// The owner of each node: for each node type, in their order, integers `[nodes]` below
    /// [`parts`](Self::parts).
    pub fn owners(mut self, owners: impl IntoIterator<Item = impl IntoTensor>) -> Self {
        self.owners = Some(owners.into_iter().map(IntoTensor::into_tensor).collect());
        self
    }

    /// The same in a file: integers in `.npy`, or text with a number per line (as METIS writes it), of
    /// all nodes of all types one after another.
    pub fn owners_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.owners_file = Some(path.into());
        self
    }

    /// Whether an existing partition at the path is replaced. Anything that is not a partition
    /// stays.
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// Whether rows of columns are padded to cache lines: they are by default.
    pub fn row_padding(mut self, padding: bool) -> Self {
        self.compact_rows = !padding;
        self
    }

    /// Called during the work. `Break` ends the call with
    /// [`Error::Canceled`](crate::Error::Canceled) and leaves nothing behind. If it panics, the
    /// call ends in the same way, and the panic continues.
    pub fn progress(mut self, progress: impl FnMut(&Progress<'_>) -> ControlFlow<()> + 'p) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    fn method_or_implied(&self) -> PartitionMethod {
        let given = self.owners.is_some() || self.owners_file.is_some();
        let implied = if given {
            PartitionMethod::Given
        } else {
            PartitionMethod::Stream
        };
        self.method.unwrap_or(implied)
    }

    fn call<R>(
        mut self,
        function: impl FnOnce(&sys::gls_partition_options_t) -> Result<R>,
    ) -> Result<R> {
        let method = self.method_or_implied() as i32;
        if self.imbalance == Some(0.0) {
            return Err(Error::invalid("imbalance", "0, expected a number above 0"));
        }
        if self.hot_max_seeds == Some(0) {
            return Err(Error::invalid(
                "hot_max_seeds",
                "0, expected a number above 0",
            ));
        }
        let names: Vec<CString> = self
            .balance_sets
            .iter()
            .map(|name| c_string("balance_sets", name))
            .collect::<Result<_>>()?;
        let names: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
        let owners = self.owners.take().transpose()?.unwrap_or_default();
        let views: Vec<_> = owners.iter().map(Tensor::describe).collect();
        let file = match &self.owners_file {
            Some(path) => Some(c_path("owners_file", path)?),
            None => None,
        };
        let hot = match &self.hot_id_set {
            Some(name) => Some(c_string("hot_id_set", name)?),
            None => None,
        };
        let mut options = sys::gls_partition_options_t {
            method,
            parts: self.parts,
            seed: self.seed,
            balance_sets: names.as_ptr(),
            num_balance_sets: names.len(),
            imbalance: self.imbalance.unwrap_or(0.0),
            balance_edges: self.balance_edges.into(),
            halo_hops: self.halo_hops,
            hot_rows: i64::try_from(self.hot_rows).unwrap_or(i64::MAX),
            hot_fraction: self.hot_fraction,
            hot_id_set: hot.as_ref().map_or(ptr::null(), |name| name.as_ptr()),
            hot_fanouts: self.hot_fanouts.as_ptr(),
            num_hot_fanouts: self.hot_fanouts.len(),
            hot_max_seeds: i64::try_from(self.hot_max_seeds.unwrap_or(0)).unwrap_or(i64::MAX),
            owners: views.as_ptr(),
            num_owners: views.len(),
            owners_file: file.as_ref().map_or(ptr::null(), |path| path.as_ptr()),
            overwrite: self.overwrite.into(),
            compact_rows: self.compact_rows.into(),
            ..Default::default()
        };
        with_progress(self.progress.as_deref_mut(), |progress, data| {
            options.progress = progress;
            options.progress_user_data = data;
            function(&options)
        })
    }
}

impl fmt::Debug for PartitionOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartitionOptions")
            .field("method", &self.method_or_implied())
            .field("parts", &self.parts)
            .field("seed", &self.seed)
            .field("balance_sets", &self.balance_sets)
            .field("imbalance", &self.imbalance)
            .field("balance_edges", &self.balance_edges)
            .field("halo_hops", &self.halo_hops)
            .field("hot_rows", &self.hot_rows)
            .field("hot_fraction", &self.hot_fraction)
            .field("hot_id_set", &self.hot_id_set)
            .field("hot_fanouts", &self.hot_fanouts)
            .field("hot_max_seeds", &self.hot_max_seeds)
            .field("owners", &self.owners)
            .field("owners_file", &self.owners_file)
            .field("overwrite", &self.overwrite)
            .field("row_padding", &!self.compact_rows)
            .finish_non_exhaustive()
    }
}

impl Dataset {
    /// Verifies the dataset, and writes its parts to a new folder, which appears complete or not at
    /// all: a [`Partition`](crate::Partition).
    ///
    /// # Errors
    /// - [`Error::InvalidArgument`](crate::Error::InvalidArgument) for an option, or an owner that
    ///   is not the number of a part.
    /// - [`Error::NotFound`](crate::Error::NotFound) for an id set, or for METIS; the message names
    ///   the package to install.
    /// - [`Error::Unsupported`](crate::Error::Unsupported) for a dataset that is a part, or too
    ///   large for METIS.
    /// - [`Error::CorruptData`](crate::Error::CorruptData) for the dataset or the file of owners.
    /// - [`Error::AlreadyExists`](crate::Error::AlreadyExists).
    pub fn partition(&self, path: impl AsRef<Path>, options: PartitionOptions<'_>) -> Result<()> {
        let path = c_path("path", path.as_ref())?;
        options.call(|options| {
            // SAFETY: a live handle, a terminated string, options that live for the call.
            call(|error| unsafe {
                sys::gls_dataset_partition(self.raw(), path.as_ptr(), options, error)
            })
        })?;
        Ok(())
    }
}
