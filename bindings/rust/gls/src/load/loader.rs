//! NeighborLoader: an epoch of batches, sampled and gathered ahead of the caller.

use std::fmt;
use std::ptr::{self, NonNull};
use std::sync::{Arc, Weak};
use std::task::Poll;
use std::time::Duration;

use gls_sys as sys;

use crate::load::batch::{Batch, Rows};
use crate::load::epoch::Due;
use crate::load::seed_set::{SeedSet, SeedSets};
use crate::load::transform::{Transform, TransformBatch};
use crate::memory::dtype::{DType, Id};
use crate::memory::tensor::{IntoTensor, Tensor};
use crate::memory::zero::Zero;
use crate::runtime::callback;
use crate::runtime::device::Device;
use crate::runtime::error::{call, make, text, Error, Result};
use crate::runtime::names::{c_string, Name};
use crate::runtime::options::{milliseconds, set_flag};
use crate::runtime::own_names::LOADER;
use crate::sample::links::pairs_tensor;
use crate::sample::sampler::Sampler;

/// What to do about trainers having different numbers of batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Even {
    /// They may differ by one.
    #[default]
    None = sys::GLS_EVEN_NONE as isize,
    /// The last batches are left out.
    Drop = sys::GLS_EVEN_DROP as isize,
    /// The epoch's first batches are repeated at its end.
    Repeat = sys::GLS_EVEN_REPEAT as isize,
}

/// Which processes make the batches. They are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum MadeBy {
    /// This one, on the context's threads.
    #[default]
    Here = sys::GLS_MADE_HERE as isize,
    /// The servers of a graph that was opened as `gls://host:port`: they sample and gather, and this
    /// process pads and transforms. A batch is one question.
    Servers = sys::GLS_MADE_BY_SERVERS as isize,
}

/// In proportion to what seeds are drawn, see [`LoaderBuilder::draw_seeds`]: the laws of GraphSAINT
/// (Zeng et al., ICLR 2020).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum SeedLaw {
    /// All alike.
    #[default]
    Uniform = sys::GLS_LAW_UNIFORM as isize,
    /// Of nodes: the number of edges, of all types, from the node.
    Degree = sys::GLS_LAW_DEGREE as isize,
    /// Of links given as edge ids: 1 / (edges from the source) + 1 / (edges to the target).
    InverseDegree = sys::GLS_LAW_INVERSE_DEGREE as isize,
}

/// A column to gather. A name stands for the column of every type that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnRequest {
    name: String,
    type_name: Option<String>,
    rows: Rows,
    dtype: Option<DType>,
}

impl ColumnRequest {
    /// A column of every type that has it, as stored.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            type_name: None,
            rows: Rows::Auto,
            dtype: None,
        }
    }

    /// Only of this node or edge type.
    pub fn of(mut self, type_name: &str) -> Self {
        self.type_name = Some(type_name.to_owned());
        self
    }

    /// For which nodes.
    pub fn rows(mut self, rows: Rows) -> Self {
        self.rows = rows;
        self
    }

    /// As this type: float16 and bfloat16 can be widened to [`DType::F32`].
    pub fn dtype(mut self, dtype: DType) -> Self {
        self.dtype = Some(dtype);
        self
    }
}

impl From<&str> for ColumnRequest {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

/// The options of a [`NeighborLoader`].
///
/// Seeds are nodes, or links of an edge type:
///
/// ```
/// # use gls::{Context, DatasetBuilder, Negatives};
/// # let context = Context::new()?;
/// # let mut builder = DatasetBuilder::new(&context)?;
/// # builder.add_edges("user__likes__item", vec![0i64, 1, 2, 2], vec![0i64, 0, 1, 2])?;
/// # let dataset = builder.build()?;
/// let sampler = dataset.sampler().fanouts([5]).negatives(Negatives::triplet()).build()?;
/// let loader = sampler.loader().links("user__likes__item").labels(vec![5i64, 3, 4, 1]);
/// for batch in loader.batch_size(2).shuffle(true).build()? {
///     let batch = batch?;
///     let (users, items) = (batch.link_source::<i64>()?, batch.link_target::<i64>()?);
///     let others = batch.link_negative()?; // one for each link
///     assert_eq!((users.len(), items.len(), others.shape()), (2, 2, vec![2, 1]));
///     assert_eq!(batch.link_label::<i64>()?.len(), 2);
/// }
/// # Ok::<(), gls::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "nothing is made before build()"]
pub struct LoaderBuilder<'s> {
    sampler: &'s Sampler,
    node_type: Option<String>,
    /// `Some(None)`: links of the only edge type.
    links: Option<Option<String>>,
    id_set: Option<String>,
    seeds: Option<Result<Tensor>>,
    times: Option<Result<Tensor>>,
    labels: Option<Result<Tensor>>,
    anchor_labels: Vec<Option<Tensor>>,
    seed_sets: Vec<SeedSet>,
    options: sys::gls_loader_options_t,
    columns: Option<Vec<ColumnRequest>>,
    pad: Option<Pad>,
    transform: Option<Transform>,
    seed_weight: Option<String>,
    cluster: Option<String>,
    clusters: Option<Result<Tensor>>,
    zero: Zero,
}

/// Batches of one shape, for programs that are compiled for fixed shapes.
///
/// Padding has these values:
///
/// - Nodes have the id -1 and zeros in all columns.
/// - Edges have the id -1, and go from and to the first padding node.
/// - Seeds are filled up to the batch size with the first padding node. So are both ends of links,
///   whose labels are zeros. Negative pairs begin after `batch_size` links.
/// - Walks are filled up with walks that ended at once, and neighbours with the first padding node.
/// - Labels of anchors are filled up with rows of -1. The edge types of these labels then need a
///   most number of edges.
///
/// Masks mark the real entries. A batch that is too large keeps its own shapes:
/// [`BatchInfo::padding`](crate::BatchInfo::padding).
#[derive(Debug, Clone, Default)]
pub struct Pad {
    sizes: Vec<(String, i64)>,
    batches: u32,
    multiple: u32,
    sigma: f64,
    zero: Zero,
}

impl Pad {
    /// All sizes are estimated.
    pub fn new() -> Self {
        Self::default()
    }

    /// Rows of a node or edge type; a node type needs one more than it has nodes.
    pub fn size(mut self, type_name: &str, rows: i64) -> Self {
        self.sizes.push((type_name.to_owned(), rows));
        self
    }

    /// Batches of epoch 0, evenly spread, that estimates are made from; 16 by default.
    pub fn batches(mut self, batches: u32) -> Self {
        self.batches = self.zero.note("batches", batches);
        self
    }

    /// Estimates are rounded up to a multiple of this; 64 by default.
    pub fn multiple(mut self, multiple: u32) -> Self {
        self.multiple = self.zero.note("multiple", multiple);
        self
    }

    /// An estimate is the mean and this many standard deviations; 3 by default.
    pub fn sigma(mut self, sigma: f64) -> Self {
        self.sigma = self.zero.note("sigma", sigma);
        self
    }
}

// SAFETY: the pointers of the options are NULL before build(), and all else is Send.
unsafe impl Send for LoaderBuilder<'_> {}
// SAFETY: as above.
unsafe impl Sync for LoaderBuilder<'_> {}

impl<'s> LoaderBuilder<'s> {
    pub(crate) fn new(sampler: &'s Sampler) -> Self {
        Self {
            sampler,
            node_type: None,
            links: None,
            id_set: None,
            seeds: None,
            times: None,
            labels: None,
            anchor_labels: Vec::new(),
            seed_sets: Vec::new(),
            options: sys::gls_loader_options_t::default(),
            columns: None,
            pad: None,
            transform: None,
            seed_weight: None,
            cluster: None,
            clusters: None,
            zero: Zero::default(),
        }
    }

    /// Makes all batches of one shape.
    pub fn pad(mut self, pad: Pad) -> Self {
        self.pad = Some(pad);
        self
    }

    /// Draws the seeds of each batch anew, with replacement, `batches` in an epoch; 0: as many as
    /// if each seed were taken once. There is no order to shuffle.
    pub fn draw_seeds(mut self, law: SeedLaw, batches: u64) -> Self {
        self = self.no_rule();
        self.options.seed_rule = sys::GLS_SEEDS_DRAW;
        self.options.seed_law = law as i32;
        self.options.batches = batches;
        self
    }

    /// The same in proportion to a column of non-negative numbers, of the nodes or of the edges.
    pub fn draw_seeds_by(mut self, column: &str, batches: u64) -> Self {
        self = self.draw_seeds(SeedLaw::Uniform, batches);
        self.seed_weight = Some(column.to_owned());
        self
    }

    /// Each batch has all seeds in [`batch_size`](LoaderBuilder::batch_size) clusters of nodes:
    /// int32 or int64, one for each node of the type, below their number; negative: in none.
    pub fn clusters(mut self, clusters: impl IntoTensor) -> Self {
        self = self.no_rule();
        self.options.seed_rule = sys::GLS_SEEDS_CLUSTER;
        self.clusters = Some(clusters.into_tensor());
        self
    }

    /// The same by the clusters in a node column.
    pub fn cluster_column(mut self, column: &str) -> Self {
        self = self.no_rule();
        self.options.seed_rule = sys::GLS_SEEDS_CLUSTER;
        self.cluster = Some(column.to_owned());
        self
    }

    fn no_rule(mut self) -> Self {
        self.options.seed_law = 0;
        self.options.batches = 0;
        self.seed_weight = None;
        self.cluster = None;
        self.clusters = None;
        self
    }

    /// The type of the seeds; `None`, the default: the only one.
    pub fn node_type<'t>(mut self, node_type: impl Into<Option<&'t str>>) -> Self {
        self.node_type = node_type.into().map(str::to_owned);
        self
    }

    /// The seeds are this id set. By default they are all nodes of the type.
    pub fn id_set(mut self, name: &str) -> Self {
        self.id_set = Some(name.to_owned());
        self
    }

    /// The seeds are links of this type, `None`: the only one; by default all edges of it, in the
    /// order of their ids.
    pub fn links<'t>(mut self, edge_type: impl Into<Option<&'t str>>) -> Self {
        self.links = Some(edge_type.into().map(str::to_owned));
        self
    }

    /// The links from `sources[i]` to `targets[i]`, which need not be edges, copied. Their type is
    /// that of [`links`](LoaderBuilder::links).
    pub fn link_pairs<T: Id>(mut self, sources: &[T], targets: &[T]) -> Self {
        self.seeds = Some(pairs_tensor(sources, targets));
        self
    }

    /// The label of each link, `[n]`, or a row of labels, `[n, ...]`; of any number.
    pub fn labels(mut self, labels: impl IntoTensor) -> Self {
        self.labels = Some(labels.into_tensor());
        self
    }

    /// Labels of anchors that are given: for each supervision of the sampler `None`, or where it has
    /// no edge type int32 or int64 `[seeds, m]`, -1 where there is no label.
    pub fn anchor_labels(mut self, labels: impl Into<Vec<Option<Tensor>>>) -> Self {
        self.anchor_labels = labels.into();
        self
    }

    /// Adds seeds of one type, of several types, all of nodes or all of links. They are in place of what
    /// else says which the seeds are. A batch has [`batch_size`](LoaderBuilder::batch_size) seeds in
    /// all: [`NodeArrays::seed`](crate::NodeArrays::seed) and
    /// [`NodeArrays::input_id`](crate::NodeArrays::input_id), or the arrays of
    /// [`EdgeArrays`](crate::EdgeArrays), say which, by type.
    ///
    /// ```
    /// # use gls::{Context, DatasetBuilder, SeedSet};
    /// # let context = Context::new()?;
    /// # let mut builder = DatasetBuilder::new(&context)?;
    /// # builder.add_edges("user__likes__item", vec![0i64, 1, 2, 2], vec![0i64, 0, 1, 2])?;
    /// # let dataset = builder.build()?;
    /// let sampler = dataset.sampler().fanouts([5]).build()?;
    /// let loader = sampler.loader().batch_size(4).shuffle(true);
    /// let loader = loader.seed_set(SeedSet::nodes("user")).seed_set(SeedSet::nodes("item").ids(vec![2i64]));
    /// for batch in loader.build()? {
    ///     let batch = batch?;
    ///     assert_eq!(batch.nodes("user").input_id()?.len(), 3);
    ///     assert_eq!(batch.nodes("item").input_id()?, [0]);
    /// }
    /// # Ok::<(), gls::Error>(())
    /// ```
    pub fn seed_set(mut self, set: SeedSet) -> Self {
        self.seed_sets.push(set);
        self
    }

    /// The seeds are these node ids: int32 or int64 `[n]`. With [`links`](LoaderBuilder::links) they
    /// are edge ids `[n]`, or sources and targets `[2, n]`.
    pub fn seeds(mut self, ids: impl IntoTensor) -> Self {
        self.seeds = Some(ids.into_tensor());
        self
    }

    /// The time of each seed, where the sampler goes by times: int32 or int64 `[n]`. By default
    /// their own, from the column [`node_time`](crate::SamplerBuilder::node_time).
    pub fn times(mut self, times: impl IntoTensor) -> Self {
        self.times = Some(times.into_tensor());
        self
    }

    /// Seeds per batch; 1024 by default.
    pub fn batch_size(mut self, batch_size: u32) -> Self {
        self.options.batch_size = self.zero.note("batch_size", batch_size);
        self
    }

    /// Whether each epoch has a new order, a function of the sampler's seed and the epoch's number.
    pub fn shuffle(self, on: bool) -> Self {
        self.flag(sys::GLS_LOADER_SHUFFLE, on)
    }

    /// Whether a last batch that is not full is left out.
    pub fn drop_last(self, on: bool) -> Self {
        self.flag(sys::GLS_LOADER_DROP_LAST, on)
    }

    fn flag(mut self, flag: u32, on: bool) -> Self {
        set_flag(&mut self.options.flags, flag, on);
        self
    }

    /// Which of `world_size` trainers this is, that share each epoch: 0 .. world_size-1.
    pub fn trainer(mut self, rank: u32, world_size: u32) -> Self {
        self.options.rank = rank;
        self.options.world_size = self.zero.note("world_size", world_size);
        self
    }

    /// What to do about trainers having different numbers of batches.
    pub fn even(mut self, even: Even) -> Self {
        self.options.even = even as i32;
        self
    }

    /// Which processes make the batches.
    pub fn made_by(mut self, made_by: MadeBy) -> Self {
        self.options.made_by = made_by as i32;
        self
    }

    /// Batches in work at once; by default as many as the context has threads, or 3 at most where a
    /// GPU samples. Of [`MadeBy::Servers`] those that are asked for at once, 8 by default.
    pub fn num_workers(mut self, num_workers: u32) -> Self {
        self.options.num_workers = self.zero.note("num_workers", num_workers);
        self
    }

    /// Finished batches kept ready at most. By default two per worker, or 4 where a GPU samples and
    /// the number of workers is not set.
    pub fn prefetch(mut self, batches: u32) -> Self {
        self.options.prefetch = self.zero.note("prefetch", batches);
        self
    }

    /// Bytes of batches in work or ready at most (one batch may always be made); 1 GiB by
    /// default.
    pub fn prefetch_bytes(mut self, bytes: u64) -> Self {
        self.options.prefetch_bytes = self.zero.note("prefetch_bytes", bytes);
        self
    }

    /// What to gather: these columns and no others, `[]` for none. By default columns of role
    /// feature for all nodes (and edges, given their ids), and labels for the seeds.
    pub fn columns<C: Into<ColumnRequest>>(mut self, columns: impl IntoIterator<Item = C>) -> Self {
        self.columns = Some(columns.into_iter().map(Into::into).collect());
        self
    }

    /// Gathers nothing; the same as `columns` of nothing.
    pub fn no_columns(mut self) -> Self {
        self.columns = Some(Vec::new());
        self
    }

    /// Where batches are delivered; by default on the sampler's device. A GPU also samples, where
    /// it can. The batches are equal. Read them by [`Batch::to_host`], or pass them to consumers of
    /// DLPack by [`Tensor::into_dlpack`].
    pub fn device(mut self, device: Device) -> Self {
        self.options.device = device.to_dl();
        self
    }

    /// A function that changes each batch after its columns were gathered and before the loader
    /// delivers it. It may write into the arrays, and attach arrays of its own.
    ///
    /// The threads that make batches call it, for several batches at once, and also for batches
    /// that are then dropped. An error or a panic fails its batch alone. A [`gls::Error`](Error)
    /// keeps its variant and message; any other error becomes [`Error::InvalidArgument`] with its
    /// text. Dropping the loader waits for the running calls. The function must not ask its own
    /// loader for batches.
    ///
    /// ```
    /// # use gls::{Context, DatasetBuilder};
    /// # let context = Context::new()?;
    /// # let mut builder = DatasetBuilder::new(&context)?;
    /// # builder.add_edges("a__b__a", vec![0i64, 1], vec![1i64, 0])?;
    /// # let dataset = builder.build()?;
    /// let sampler = dataset.sampler().fanouts([5]).build()?;
    /// let loader = sampler.loader().transform(|batch| {
    ///     let doubled = batch.node::<i64>()?.iter().map(|id| 2 * id).collect::<Vec<_>>();
    ///     batch.attach("doubled", doubled)
    /// });
    /// for batch in loader.build()? {
    ///     let batch = batch?;
    ///     assert_eq!(batch.attached("doubled")?.as_slice::<i64>()?, [0, 2]);
    /// }
    /// # Ok::<(), gls::Error>(())
    /// ```
    pub fn transform<E>(
        mut self,
        function: impl Fn(&mut TransformBatch<'_>) -> Result<(), E> + Send + Sync + 'static,
    ) -> Self
    where
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        self.transform = Some(Transform::new(function));
        self
    }

    /// Makes the loader, at epoch 0, batch 0. Work starts with the first batch asked for.
    pub fn build(self) -> Result<NeighborLoader> {
        self.zero.check()?;
        self.pad.as_ref().map_or(Ok(()), |pad| pad.zero.check())?;
        let node_type = Name::new("node_type", self.node_type.as_deref())?;
        let edge_type = match &self.links {
            Some(None) => Some(self.sampler.only_edge_type("links")?),
            links => links.as_ref().and_then(|name| name.as_deref()),
        };
        let edge_type = Name::new("links", edge_type)?;
        let id_set = Name::new("id_set", self.id_set.as_deref())?;
        let requests = self.columns.as_deref().unwrap_or_default();
        let names = requests
            .iter()
            .map(|request| {
                Ok((
                    Name::new("columns", request.type_name.as_deref())?,
                    c_string("columns", &request.name)?,
                ))
            })
            .collect::<Result<Vec<_>>>()?;
        let columns: Vec<_> = requests
            .iter()
            .zip(&names)
            .map(|(request, (type_name, name))| sys::gls_column_request_t {
                type_: type_name.as_ptr(),
                name: name.as_ptr(),
                rows: request.rows as i32,
                dtype: request.dtype.map_or(
                    sys::DLDataType {
                        code: 0,
                        bits: 0,
                        lanes: 0,
                    },
                    DType::to_dl,
                ),
            })
            .collect();
        let mut options = self.options;
        let pads = self.pad.is_some();
        options.node_type = node_type.as_ptr();
        options.edge_type = edge_type.as_ptr();
        options.id_set = id_set.as_ptr();
        let seed_weight = Name::new("seed_weight", self.seed_weight.as_deref())?;
        let cluster = Name::new("cluster", self.cluster.as_deref())?;
        options.seed_weight = seed_weight.as_ptr();
        options.cluster = cluster.as_ptr();
        let clusters = self.clusters.transpose()?;
        options.clusters = clusters
            .as_ref()
            .map_or(ptr::null_mut(), |clusters| clusters.raw_ptr());
        if self.columns.is_some() {
            options.flags |= sys::GLS_LOADER_NO_COLUMNS;
        }
        if !columns.is_empty() {
            options.columns = columns.as_ptr();
            options.num_columns = columns.len();
        }
        let wanted = self.pad.unwrap_or_default();
        let pad_names = wanted
            .sizes
            .iter()
            .map(|(type_name, _)| c_string("pad", type_name))
            .collect::<Result<Vec<_>>>()?;
        let pad_sizes: Vec<_> = pad_names
            .iter()
            .zip(&wanted.sizes)
            .map(|(name, (_, rows))| sys::gls_pad_size_t {
                type_: name.as_ptr(),
                rows: *rows,
            })
            .collect();
        let pad = sys::gls_pad_options_t {
            sizes: pad_sizes.as_ptr(),
            num_sizes: pad_sizes.len(),
            batches: wanted.batches,
            multiple: wanted.multiple,
            sigma: wanted.sigma,
            ..Default::default()
        };
        if pads {
            options.pad = &pad;
        }
        let seeds = self.seeds.transpose()?;
        let taken = seeds
            .as_ref()
            .map_or(ptr::null_mut(), |seeds| seeds.raw_ptr());
        let times = self.times.transpose()?;
        options.times = times
            .as_ref()
            .map_or(ptr::null_mut(), |times| times.raw_ptr());
        let labels = self.labels.transpose()?;
        options.labels = labels
            .as_ref()
            .map_or(ptr::null_mut(), |labels| labels.raw_ptr());
        let seed_sets = SeedSets::new(self.seed_sets)?;
        seed_sets.lend(&mut options);
        let transform = self.transform.map(Arc::new);
        if let Some(transform) = &transform {
            transform.lend(&mut options);
        }
        let anchor_labels: Vec<_> = self
            .anchor_labels
            .iter()
            .map(|rows| rows.as_ref().map_or(ptr::null_mut(), |rows| rows.raw_ptr()))
            .collect();
        options.anchor_labels = anchor_labels.as_ptr();
        options.num_anchor_labels = anchor_labels.len();
        // SAFETY: live handles, and options that borrow from this function.
        let made = make(|out, error| unsafe {
            sys::gls_loader_create(self.sampler.raw(), taken, &options, out, error)
        });
        let raw = made.map_err(|error| error.renamed(&LOADER))?;
        for tensor in seeds
            .into_iter()
            .chain(times)
            .chain(labels)
            .chain(clusters)
            .chain(self.anchor_labels.into_iter().flatten())
            .chain(seed_sets.into_tensors())
        {
            let _ = tensor.into_raw(); // taken, as the call succeeded
        }
        Ok(NeighborLoader {
            handle: Arc::new(Handle(raw)),
            over: false,
            due: Due::Fresh(0),
            transform,
            attached: false,
        })
    }
}

struct Handle(NonNull<sys::gls_loader_t>);

// SAFETY: gls.h: cancel, get_info, get_stats, sample and save are [any]. A shared reference to a
// NeighborLoader and a CancelHandle call only these. next, seek and restore are [one] and need the
// loader exclusively. Release, by Drop, is the last call by any thread, as the last owner makes it.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // A waker that is dropped may drop its task, and the stream with it.
        let owned = Owned(self.0);
        callback::release(move || owned.release());
    }
}

/// A loader on its way to its release.
struct Owned(NonNull<sys::gls_loader_t>);

// SAFETY: release may happen on any thread.
unsafe impl Send for Owned {}

impl Owned {
    fn release(self) {
        // SAFETY: owned, and this is the last call on it.
        unsafe { sys::gls_loader_release(self.0.as_ptr()) }
    }
}

/// The result of waiting for a batch with a time limit.
#[derive(Debug)]
pub enum Step {
    /// The next batch.
    Batch(Batch),
    /// The time passed and nothing is ready yet: ask again.
    InProgress,
    /// The epoch is over.
    End,
}

/// Iterates over mini-batches of a graph, which the context's threads make ahead, in order.
///
/// Each iteration is the next epoch, see [`Epoch`](crate::Epoch). The batches do not depend on the
/// number of threads.
///
/// ```
/// # use gls::{Context, DatasetBuilder, Role};
/// # let context = Context::new()?;
/// # let mut builder = DatasetBuilder::new(&context)?;
/// # builder.add_edges("node__to__node", vec![0i64, 1, 2], vec![1i64, 2, 0])?;
/// # builder.add_node_column("node", "x", vec![0.0f32, 1.0, 2.0], Role::Feature)?;
/// # let dataset = builder.build()?;
/// let sampler = dataset.sampler().fanouts([10, 10]).seed(1).build()?;
/// let mut loader = sampler.loader().batch_size(2).shuffle(true).build()?;
/// for _epoch in 0..3 {
///     for batch in &mut loader {
///         let batch = batch?;
///         let x: &[f32] = batch.column("x")?.as_slice()?;
///         assert_eq!(x.len(), batch.node::<i64>()?.len());
///     }
/// }
/// assert_eq!(loader.stats()?.batches, 6);
/// # Ok::<(), gls::Error>(())
/// ```
pub struct NeighborLoader {
    handle: Arc<Handle>,
    /// An error came that every later call would give again.
    pub(crate) over: bool,
    /// What the next iteration gives.
    pub(crate) due: Due,
    transform: Option<Arc<Transform>>,
    /// Batches lie in memory that another process writes.
    attached: bool,
}

impl NeighborLoader {
    /// # Safety
    /// `raw` is owned.
    pub(crate) unsafe fn attached(raw: NonNull<sys::gls_loader_t>) -> Self {
        Self {
            handle: Arc::new(Handle(raw)),
            over: false,
            due: Due::Fresh(0),
            transform: None,
            attached: true,
        }
    }

    /// Options of a loader; the same as [`Sampler::loader`].
    pub fn builder(sampler: &Sampler) -> LoaderBuilder<'_> {
        LoaderBuilder::new(sampler)
    }

    pub(crate) fn raw(&self) -> *mut sys::gls_loader_t {
        self.handle.0.as_ptr()
    }

    /// The next batch of the epoch, in order, waiting for it `timeout` at most; `None`: without
    /// limit.
    ///
    /// # Errors
    /// [`Error::Canceled`] after [`CancelHandle::cancel`]; any error of sampling or gathering, for
    /// the batch that failed: the next call continues with the batch after it.
    pub fn next_batch(&mut self, timeout: Option<Duration>) -> Result<Step> {
        let timeout_ms = milliseconds(timeout);
        if let Due::Fresh(epoch) = self.due {
            self.due = Due::Epoch(epoch); // asked for outside of an iteration
        }
        let mut out = ptr::null_mut();
        // SAFETY: a live handle, borrowed exclusively: next is [one].
        let status =
            call(|error| unsafe { sys::gls_loader_next(self.raw(), timeout_ms, &mut out, error) })?;
        match (status, NonNull::new(out)) {
            // SAFETY: just handed over.
            (sys::GLS_OK, Some(raw)) => Ok(Step::Batch(unsafe { self.batch(raw) })),
            (sys::GLS_END, _) => Ok(Step::End),
            (sys::GLS_OK, None) => Err(Error::here(
                sys::GLS_ERR_INTERNAL,
                "",
                "success without a batch",
            )),
            // An unknown state means that no batch is ready yet.
            _ => Ok(Step::InProgress),
        }
    }

    /// Goes to the start of an epoch, for [`next`](NeighborLoader::next) and for the next iteration;
    /// batches made ahead are dropped. Ends a cancelled state.
    pub fn seek(&mut self, epoch: u64) -> Result<&mut Self> {
        // SAFETY: a live handle, borrowed exclusively: seek is [one].
        call(|error| unsafe { sys::gls_loader_seek(self.raw(), epoch, error) })?;
        self.over = false;
        self.due = Due::Fresh(epoch);
        Ok(self)
    }

    /// Any batch of any epoch by its number, below [`LoaderInfo::num_global_batches`]: the same
    /// bytes that iterating gives. It is made on the calling thread, and nothing before it is.
    /// Iteration, totals and state are not touched.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when there is no such batch; any error of sampling or gathering.
    pub fn sample(&self, epoch: u64, batch: u64) -> Result<Batch> {
        // SAFETY: a live handle; sample is [any].
        let raw = make(|out, error| unsafe {
            sys::gls_loader_sample(self.raw(), epoch, batch, out, error)
        })?;
        // SAFETY: just handed over.
        Ok(unsafe { self.batch(raw) })
    }

    /// # Safety
    /// `raw` is owned.
    unsafe fn batch(&self, raw: NonNull<sys::gls_batch_t>) -> Batch {
        let transform = self.transform.as_ref();
        Batch::from_raw(
            raw,
            transform.map_or(self.attached, |transform| transform.shared()),
        )
    }

    /// Rows to which arrays of a node or edge type are padded.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such type, or batches are not padded.
    pub fn pad_size(&self, type_name: &str) -> Result<i64> {
        let name = c_string("type", type_name)?;
        let mut rows = 0;
        // SAFETY: a live handle; pad_size is [any].
        call(|error| unsafe {
            sys::gls_loader_pad_size(self.raw(), name.as_ptr(), &mut rows, error)
        })?;
        Ok(rows)
    }

    /// Something that can cancel this loader from any thread.
    pub fn cancel_handle(&self) -> CancelHandle {
        CancelHandle(Arc::downgrade(&self.handle))
    }

    /// Where the loader stands.
    pub fn info(&self) -> Result<LoaderInfo> {
        let mut info = sys::gls_loader_info_t::default();
        // SAFETY: a live handle, and a struct of the stated size; get_info is [any].
        call(|error| unsafe { sys::gls_loader_get_info(self.raw(), &mut info, error) })?;
        Ok(LoaderInfo {
            epoch: info.epoch,
            next_batch: info.next_batch,
            num_batches: info.num_batches,
            num_global_batches: info.num_global_batches,
            num_seeds: info.num_seeds,
            batch_size: info.batch_size,
        })
    }

    /// Totals since the loader was made.
    pub fn stats(&self) -> Result<LoaderStats> {
        let mut s = sys::gls_loader_stats_t::default();
        // SAFETY: a live handle, and a struct of the stated size; get_stats is [any].
        call(|error| unsafe { sys::gls_loader_get_stats(self.raw(), &mut s, error) })?;
        Ok(LoaderStats {
            batches: s.batches,
            seeds: s.seeds,
            nodes: s.nodes,
            edges: s.edges,
            gathered_rows: s.gathered_rows,
            gathered_bytes: s.gathered_bytes,
            sample_ns: s.sample_ns,
            gather_ns: s.gather_ns,
            worker_wait_ns: s.worker_wait_ns,
            caller_wait_ns: s.caller_wait_ns,
            wall_ns: s.wall_ns,
            ready_batches: s.ready_batches,
            ready_bytes: s.ready_bytes,
            peak_bytes: s.peak_bytes,
            device_rows: s.device_rows,
            pinned_rows: s.pinned_rows,
            host_rows: s.host_rows,
            remote_rows: s.remote_rows,
            peer_rows: s.peer_rows,
            disk_rows: s.disk_rows,
            disk_row_bytes: s.disk_row_bytes,
            disk_read_bytes: s.disk_read_bytes,
            disk_packed_bytes: s.disk_packed_bytes,
        })
    }

    /// The position after the delivered batches, and the options that it depends on, as JSON text.
    /// A loader with other numbers of threads or trainers may resume from it.
    pub fn save(&self) -> Result<String> {
        // SAFETY: a live handle, and a buffer of the length given; save is [any].
        text(
            sys::GLS_LOADER_STATE_MAX as usize,
            |buffer, capacity, length, error| unsafe {
                sys::gls_loader_save(self.raw(), buffer, capacity, length, error)
            },
        )
    }

    /// Continues where a saved loader stood: [`next`](NeighborLoader::next) and the next iteration
    /// give the rest of that epoch. Ends a cancelled state.
    ///
    /// # Errors
    /// - [`Error::InvalidArgument`] when the state is of another dataset, seeds, seed, batch size,
    ///   order or contract; the message names which.
    /// - [`Error::Unsupported`] for the state of a newer library.
    pub fn restore(&mut self, state: &str) -> Result<&mut Self> {
        let state = c_string("state", state)?;
        // SAFETY: a live handle, borrowed exclusively, and a terminated string: restore is [one].
        call(|error| unsafe { sys::gls_loader_restore(self.raw(), state.as_ptr(), error) })?;
        self.over = false;
        self.due = Due::Rest;
        Ok(self)
    }

    /// The next item of an iterator or a stream, if it is ready within the time.
    pub(crate) fn poll_item(&mut self, timeout: Option<Duration>) -> Poll<Option<Result<Batch>>> {
        if self.over {
            return Poll::Ready(None);
        }
        match self.next_batch(timeout) {
            Ok(Step::Batch(batch)) => Poll::Ready(Some(Ok(batch))),
            Ok(Step::InProgress) => Poll::Pending,
            Ok(Step::End) => Poll::Ready(None),
            Err(error) => Poll::Ready(self.failed(error)),
        }
    }

    /// An error as an item, the last one if every later call would give it again.
    pub(crate) fn failed(&mut self, error: Error) -> Option<Result<Batch>> {
        let of_one_batch = error.detail("batch").is_some(); // its transform may return any error
        self.over = !of_one_batch && matches!(error, Error::Canceled(_) | Error::InvalidState(_));
        Some(Err(error))
    }
}

impl fmt::Debug for NeighborLoader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("NeighborLoader");
        if let Ok(info) = self.info() {
            out.field("info", &info);
        }
        out.finish_non_exhaustive()
    }
}

/// Cancels a loader from any thread. It does not keep the loader alive.
#[derive(Clone)]
pub struct CancelHandle(Weak<Handle>);

impl CancelHandle {
    /// Makes the waiting and all later calls for a batch give [`Error::Canceled`], until
    /// [`NeighborLoader::seek`], [`NeighborLoader::restore`] or the iteration of another epoch.
    ///
    /// Returns whether the loader was still there.
    pub fn cancel(&self) -> bool {
        match self.0.upgrade() {
            Some(handle) => {
                // SAFETY: a live handle, which this share keeps alive; cancel is [any].
                unsafe { sys::gls_loader_cancel(handle.0.as_ptr()) };
                true
            }
            None => false,
        }
    }
}

impl fmt::Debug for CancelHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancelHandle").finish_non_exhaustive()
    }
}

/// Where a loader stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoaderInfo {
    /// The current epoch.
    pub epoch: u64,
    /// Global number of the next batch this loader hands out; at the end of the epoch, a number
    /// beyond its last.
    pub next_batch: u64,
    /// Batches of this trainer per epoch.
    pub num_batches: u64,
    /// Batches of all trainers per epoch, without repeats.
    pub num_global_batches: u64,
    /// Seeds of an epoch, over all trainers.
    pub num_seeds: u64,
    /// Seeds per batch.
    pub batch_size: u64,
}

/// Totals since a loader was made. Times of workers are summed over workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoaderStats {
    /// Delivered batches.
    pub batches: u64,
    /// Seeds of these.
    pub seeds: u64,
    /// Nodes sampled, over all types.
    pub nodes: u64,
    /// Edges sampled.
    pub edges: u64,
    /// Rows gathered.
    pub gathered_rows: u64,
    /// Bytes gathered.
    pub gathered_bytes: u64,
    /// Workers: in sampling.
    pub sample_ns: u64,
    /// Workers: in gathering.
    pub gather_ns: u64,
    /// Workers: there was work, but as much was ready as may be.
    pub worker_wait_ns: u64,
    /// Caller: waiting for a batch.
    pub caller_wait_ns: u64,
    /// From the first batch of each epoch being asked for to the last.
    pub wall_ns: u64,
    /// Batches ready now.
    pub ready_batches: u64,
    /// Bytes ready now.
    pub ready_bytes: u64,
    /// Most bytes in work or ready at once.
    pub peak_bytes: u64,
    /// Of gathered rows, those read in memory of a GPU.
    pub device_rows: u64,
    /// Read by a GPU in memory of the host.
    pub pinned_rows: u64,
    /// Read by the processor, or from files straight into memory of a GPU.
    pub host_rows: u64,
    /// Asked from servers, other parts or other processes.
    pub remote_rows: u64,
    /// Read by a GPU in memory of others of its group.
    pub peer_rows: u64,
    /// Of the host's rows, those that were not in memory when a batch needed them. This and the
    /// next three are of loaders that plan their reads (settings `storage.*`).
    pub disk_rows: u64,
    /// Bytes of these rows.
    pub disk_row_bytes: u64,
    /// Bytes read from files of columns, with those between needed rows.
    pub disk_read_bytes: u64,
    /// Bytes written to temporary files, and read once.
    pub disk_packed_bytes: u64,
}
