//! Sampler: batches on demand, and the options that loaders share with it.

use std::ffi::CString;
use std::fmt;
use std::ptr::{self, NonNull};

use gls_sys as sys;

use crate::data::dataset::Dataset;
use crate::load::batch::Batch;
use crate::load::loader::LoaderBuilder;
use crate::memory::dtype::Id;
use crate::memory::tensor::{Borrowed, Tensor};
use crate::runtime::device::Device;
use crate::runtime::error::{make, Error, Result};
use crate::runtime::names::{c_string, Name};
use crate::runtime::options::set_flag;
use crate::sample::anchors::{self, Supervision};
use crate::sample::hgt::Hgt;
use crate::sample::importance::{Importance, Ppr};
use crate::sample::links::{unequal_pairs, LinkSet, Negatives};
use crate::sample::walks::Walks;

/// Which way edges are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Direction {
    /// From target to source, as PyG does; needs [`Layout::Csc`](crate::Layout::Csc).
    #[default]
    In = sys::GLS_DIRECTION_IN as isize,
    /// From source to target; needs [`Layout::Csr`](crate::Layout::Csr).
    Out = sys::GLS_DIRECTION_OUT as isize,
}

/// Whether an edge may be taken twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Replace {
    /// Distinct edges.
    #[default]
    Never = sys::GLS_REPLACE_NEVER as isize,
    /// All neighbours if they are at most as many as the fanout; beyond that, draws with
    /// replacement.
    Above = sys::GLS_REPLACE_ABOVE as isize,
    /// As many draws with replacement as asked for from any non-empty neighbourhood, as PyG and DGL
    /// do.
    Always = sys::GLS_REPLACE_ALWAYS as isize,
}

/// Which edges are left out besides those named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ExcludeMode {
    /// None: the edge itself. GLS_EXCLUDE_SELF, and "self" in other languages, which is no name in
    /// Rust.
    #[default]
    #[doc(alias = "self")]
    SelfOnly = sys::GLS_EXCLUDE_SELF as isize,
    /// Those whose ids the column [`SamplerBuilder::reverse_column`] gives.
    ReverseId = sys::GLS_EXCLUDE_REVERSE_ID as isize,
    /// Those of equal id of the type paired by [`SamplerBuilder::reverse_types`].
    ReverseTypes = sys::GLS_EXCLUDE_REVERSE_TYPES as isize,
}

/// Which of the neighbours that are early enough are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum TimeStrategy {
    /// Any of them, as without times.
    #[default]
    Uniform = sys::GLS_TIME_UNIFORM as isize,
    /// The latest of them; of equal times those stored later.
    Last = sys::GLS_TIME_LAST as isize,
}

/// Which edges between the sampled nodes are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Subgraph {
    /// Those that were picked.
    #[default]
    Sampled = sys::GLS_SUBGRAPH_SAMPLED as isize,
    /// All between the sampled nodes (of one tree, where each seed grows its own) that are neither
    /// excluded nor out of time.
    Induced = sys::GLS_SUBGRAPH_INDUCED as isize,
    /// Those that were picked and their reverses, each pair of nodes once; see
    /// [`reverse_types`](SamplerBuilder::reverse_types).
    Bidirectional = sys::GLS_SUBGRAPH_BIDIRECTIONAL as isize,
}

/// How a row's picks go together with those of other rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Pick {
    /// They do not: each row has random numbers of its own.
    #[default]
    Independent = sys::GLS_PICK_INDEPENDENT as isize,
    /// Each neighbour has one random number for all rows, which take those of the smallest
    /// (LABOR-0). So they pick the same nodes, and a batch has fewer.
    Layer = sys::GLS_PICK_LAYER as isize,
}

/// A set of edges of one type.
#[derive(Debug, Clone)]
pub struct EdgeSet {
    edge_type: Option<String>,
    edges: Vec<i64>,
    pairs: Option<usize>,
}

impl EdgeSet {
    /// Edges by id; `None`: of the only edge type.
    pub fn ids<'t>(edge_type: impl Into<Option<&'t str>>, ids: impl Into<Vec<i64>>) -> Self {
        Self {
            edge_type: edge_type.into().map(str::to_owned),
            edges: ids.into(),
            pairs: None,
        }
    }

    /// All edges from `sources[i]` to `targets[i]`. Sets of unequal length are refused where they
    /// are used.
    pub fn pairs<'t>(
        edge_type: impl Into<Option<&'t str>>,
        sources: &[i64],
        targets: &[i64],
    ) -> Self {
        Self {
            edge_type: edge_type.into().map(str::to_owned),
            edges: [sources, targets].concat(),
            pairs: Some(sources.len()),
        }
    }

    pub(crate) fn type_name(&self) -> Option<&str> {
        self.edge_type.as_deref()
    }

    pub(crate) fn borrow(&self, argument: &'static str) -> Result<Borrowed<'_>> {
        match self.pairs {
            None => Ok(Borrowed::vector(&self.edges)),
            Some(count) if self.edges.len() == 2 * count => Ok(Borrowed::pairs(&self.edges)),
            Some(count) => Err(unequal_pairs(argument, count, self.edges.len() - count)),
        }
    }
}

/// Edge sets as the library takes them.
pub(crate) struct EdgeSets<'a> {
    names: Vec<Name>,
    views: Vec<Borrowed<'a>>,
}

impl<'a> EdgeSets<'a> {
    pub(crate) fn new(sets: &'a [EdgeSet]) -> Result<Self> {
        let names = sets
            .iter()
            .map(|set| Name::new("exclude", set.type_name()))
            .collect::<Result<_>>()?;
        let views = sets
            .iter()
            .map(|set| set.borrow("exclude"))
            .collect::<Result<_>>()?;
        Ok(Self { names, views })
    }

    pub(crate) fn with<R>(
        &self,
        function: impl FnOnce(*const sys::gls_edge_set_t, usize) -> R,
    ) -> R {
        if self.views.is_empty() {
            return function(ptr::null(), 0);
        }
        let tensors: Vec<_> = self.views.iter().map(Borrowed::describe).collect();
        let sets: Vec<_> = self
            .names
            .iter()
            .zip(&tensors)
            .map(|(name, edges)| sys::gls_edge_set_t {
                edge_type: name.as_ptr(),
                edges,
            })
            .collect();
        function(sets.as_ptr(), sets.len())
    }
}

/// Samples neighbourhoods, one batch a call. Safe to use from several threads.
///
/// A batch is a function of the dataset, the options, `seed`, `epoch` and `batch` alone.
///
/// ```
/// # use gls::{Context, DatasetBuilder};
/// # let context = Context::new()?;
/// # let mut builder = DatasetBuilder::new(&context)?;
/// # builder.add_edges("node__to__node", vec![0i64, 1, 2], vec![1i64, 2, 0])?;
/// # let dataset = builder.build()?;
/// let sampler = dataset.sampler().fanouts([10, 5]).seed(42).edge_ids(true).build()?;
/// let batch = sampler.sample(&[1i64])?;
/// assert_eq!(batch.node::<i64>()?[0], 1); // seeds come first
/// let (row, col) = (batch.row::<i64>()?, batch.col::<i64>()?);
/// assert_eq!(row.len(), col.len());
/// # Ok::<(), gls::Error>(())
/// ```
pub struct Sampler {
    raw: NonNull<sys::gls_sampler_t>,
    edge_types: Vec<String>, // of its dataset
}

// SAFETY: gls.h: sample is [any], and so is making loaders; release, by Drop, may happen on any
// thread.
unsafe impl Send for Sampler {}
// SAFETY: as above.
unsafe impl Sync for Sampler {}

impl Drop for Sampler {
    fn drop(&mut self) {
        // SAFETY: owned, and this is the last call on it.
        unsafe { sys::gls_sampler_release(self.raw.as_ptr()) }
    }
}

impl Sampler {
    /// Options of a sampler; the same as [`Dataset::sampler`].
    pub fn builder(dataset: &Dataset) -> SamplerBuilder<'_> {
        SamplerBuilder::new(dataset)
    }

    /// The name of the only edge type, for a caller that named none.
    pub(crate) fn only_edge_type(&self, argument: &'static str) -> Result<&str> {
        match &self.edge_types[..] {
            [only] => Ok(only),
            many => Err(Error::invalid(
                argument,
                format_args!(
                    "no edge type was named, and the dataset has {}: {}",
                    many.len(),
                    many.join(", ")
                ),
            )),
        }
    }

    pub(crate) fn raw(&self) -> *mut sys::gls_sampler_t {
        self.raw.as_ptr()
    }

    /// The handle, for calls of [`sys`] that this crate does not have. Borrowed: it must not be
    /// released.
    pub fn as_raw(&self) -> *mut sys::gls_sampler_t {
        self.raw()
    }

    /// Samples batch 0 of epoch 0 around seeds of the only node type, on the calling thread; no
    /// columns are gathered. Seeds that have times are given to a [request](Sampler::request).
    pub fn sample<T: Id>(&self, seeds: &[T]) -> Result<Batch> {
        let ids = Borrowed::vector(seeds);
        let ids = ids.describe();
        let set = sys::gls_seed_set_t {
            node_type: ptr::null(),
            ids: &ids,
        };
        let request = sys::gls_sample_request_t {
            seeds: &set,
            num_seeds: 1,
            ..Default::default()
        };
        // SAFETY: the request borrows from this function.
        unsafe { self.sample_raw(&request) }
    }

    /// A request with more options.
    pub fn request(&self) -> SampleRequest<'_> {
        SampleRequest {
            sampler: self,
            types: Vec::new(),
            ids: Vec::new(),
            times: Vec::new(),
            epoch: 0,
            batch: 0,
            exclude: Vec::new(),
            links: None,
            labels: Vec::new(),
            fault: None,
        }
    }

    /// The device of its batches: that of its options, or of its dataset.
    pub fn device(&self) -> Result<Device> {
        // SAFETY: a live handle.
        Device::asked(|out, error| unsafe { sys::gls_sampler_device(self.raw(), out, error) })
    }

    /// Options of a [`NeighborLoader`](crate::NeighborLoader) with this sampler.
    pub fn loader(&self) -> LoaderBuilder<'_> {
        LoaderBuilder::new(self)
    }

    /// # Safety
    /// All that the request points to is alive.
    unsafe fn sample_raw(&self, request: &sys::gls_sample_request_t) -> Result<Batch> {
        let raw = make(|out, error| sys::gls_sampler_sample(self.raw(), request, out, error))?;
        Ok(Batch::from_raw(raw, false))
    }
}

impl fmt::Debug for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sampler").finish_non_exhaustive()
    }
}

/// The request for one batch.
///
/// ```
/// # use gls::{Context, DatasetBuilder, EdgeSet};
/// # let context = Context::new()?;
/// # let mut builder = DatasetBuilder::new(&context)?;
/// # builder.add_edges("user__likes__item", vec![0i64, 1, 1], vec![0i64, 0, 1])?;
/// # let dataset = builder.build()?;
/// # let sampler = dataset.sampler().fanouts([-1]).build()?;
/// let batch = sampler
///     .request()
///     .seeds("item", &[0i64, 1])
///     .epoch(3)
///     .batch(17)
///     .exclude(EdgeSet::ids(None, [1]))
///     .sample()?;
/// assert_eq!(batch.edges(None).num_edges()?, 2);
/// # Ok::<(), gls::Error>(())
/// ```
#[must_use = "nothing is sampled before sample()"]
pub struct SampleRequest<'s> {
    sampler: &'s Sampler,
    types: Vec<Name>,
    ids: Vec<Borrowed<'s>>,
    times: Vec<Option<Borrowed<'s>>>,
    epoch: u64,
    batch: u64,
    exclude: Vec<EdgeSet>,
    links: Option<LinkSet>,
    labels: Vec<Option<Tensor>>,
    fault: Option<Error>,
}

impl<'s> SampleRequest<'s> {
    /// Seeds of one node type; each type at most once, in the order of the calls.
    pub fn seeds<'t, T: Id>(self, node_type: impl Into<Option<&'t str>>, ids: &'s [T]) -> Self {
        self.add(node_type.into(), Borrowed::vector(ids), None)
    }

    /// Seeds of one node type, as [`SampleRequest::seeds`], with the time of each seed, for a
    /// sampler that goes by times. Seeds of the other types then need times, too.
    pub fn seeds_at<'t, T: Id, U: Id>(
        self,
        node_type: impl Into<Option<&'t str>>,
        ids: &'s [T],
        times: &'s [U],
    ) -> Self {
        let times = Some(Borrowed::vector(times));
        self.add(node_type.into(), Borrowed::vector(ids), times)
    }

    fn add(
        mut self,
        node_type: Option<&str>,
        ids: Borrowed<'s>,
        times: Option<Borrowed<'s>>,
    ) -> Self {
        match Name::new("seeds", node_type) {
            Ok(name) => {
                self.types.push(name);
                self.ids.push(ids);
                self.times.push(times);
            }
            Err(error) => self.fault = self.fault.or(Some(error)),
        }
        self
    }

    /// Links instead of seeds; a second set replaces the first. The sampler's
    /// [`negatives`](SamplerBuilder::negatives) set what is drawn for them.
    pub fn links(mut self, links: LinkSet) -> Self {
        self.links = Some(links);
        self
    }

    /// Labels of anchors that are given: for each supervision of the sampler `None`, or where it has
    /// no edge type int32 or int64 `[seeds, m]`, -1 where there is no label.
    pub fn anchor_labels(mut self, labels: impl Into<Vec<Option<Tensor>>>) -> Self {
        self.labels = labels.into();
        self
    }

    /// With the number of the batch, part of the random key.
    pub fn epoch(mut self, epoch: u64) -> Self {
        self.epoch = epoch;
        self
    }

    /// See [`SampleRequest::epoch`].
    pub fn batch(mut self, batch: u64) -> Self {
        self.batch = batch;
        self
    }

    /// Edges not to be used for this batch.
    pub fn exclude(mut self, edges: EdgeSet) -> Self {
        self.exclude.push(edges);
        self
    }

    /// Samples on the calling thread; no columns are gathered.
    pub fn sample(self) -> Result<Batch> {
        if let Some(error) = self.fault {
            return Err(error);
        }
        let ids: Vec<_> = self.ids.iter().map(Borrowed::describe).collect();
        let times: Vec<_> = self
            .times
            .iter()
            .map(|times| times.as_ref().map(Borrowed::describe))
            .collect();
        let all_times: Vec<*const _> = times
            .iter()
            .map(|times| {
                times
                    .as_ref()
                    .map_or(ptr::null(), |times| times as *const _)
            })
            .collect();
        let seeds: Vec<_> = self
            .types
            .iter()
            .zip(&ids)
            .map(|(name, ids)| sys::gls_seed_set_t {
                node_type: name.as_ptr(),
                ids,
            })
            .collect();
        let (sampler, epoch, batch) = (self.sampler, self.epoch, self.batch);
        let exclude = EdgeSets::new(&self.exclude)?;
        let labels = anchors::describe(&self.labels);
        LinkSet::with(self.links, |links| {
            exclude.with(|exclude, num_exclude| {
                let request = sys::gls_sample_request_t {
                    seeds: if seeds.is_empty() {
                        ptr::null()
                    } else {
                        seeds.as_ptr()
                    },
                    num_seeds: seeds.len(),
                    epoch,
                    batch,
                    exclude,
                    num_exclude,
                    times: if times.iter().any(Option::is_some) {
                        all_times.as_ptr()
                    } else {
                        ptr::null()
                    },
                    links,
                    labels: labels.as_ptr(),
                    num_labels: labels.len(),
                    ..Default::default()
                };
                // SAFETY: the request borrows from this function and from self.
                unsafe { sampler.sample_raw(&request) }
            })
        })
    }
}

impl fmt::Debug for SampleRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SampleRequest")
            .field("epoch", &self.epoch)
            .field("batch", &self.batch)
            .finish_non_exhaustive()
    }
}

/// The options of a [`Sampler`]. At least [`fanouts`](SamplerBuilder::fanouts) or
/// [`fanouts_of`](SamplerBuilder::fanouts_of) must be set. Without either, [`Subgraph::Induced`] is
/// the subgraph of the seeds alone.
///
/// In a graph whose edges have times, a sampler can take only the edges that existed at the time of
/// each seed:
///
/// ```
/// # use gls::{Context, DatasetBuilder, Role, TimeStrategy};
/// # let context = Context::new()?;
/// let mut builder = DatasetBuilder::new(&context)?;
/// builder
///     .add_edges("node__to__node", vec![1i64, 2, 3], vec![0i64, 0, 0])?
///     .add_edge_column("node__to__node", "time", vec![10i64, 20, 30], Role::Time)?;
/// let dataset = builder.build()?;
/// let sampler = dataset
///     .sampler()
///     .fanouts([1])
///     .edge_time("time")
///     .time_strategy(TimeStrategy::Last)
///     .build()?;
/// let batch = sampler.request().seeds_at("node", &[0i64, 0], &[15i64, 25]).sample()?;
/// assert_eq!(batch.node::<i64>()?, [0, 0, 1, 2]);
/// assert_eq!(batch.tree::<i64>()?, [0, 1, 0, 1]); // each seed has a tree of its own
/// assert_eq!(batch.seed_time()?, [15, 25]);
/// # Ok::<(), gls::Error>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is made before build()"]
pub struct SamplerBuilder<'d> {
    dataset: &'d Dataset,
    flags: u32,
    seed: u64,
    fanouts: Vec<(Option<String>, Vec<i64>)>,
    direction: Direction,
    replace: Replace,
    weight: Option<String>,
    exclude: Vec<EdgeSet>,
    exclude_mode: ExcludeMode,
    contract: u32,
    reverse_column: Option<String>,
    reverse_types: Vec<(String, String)>,
    node_time: Option<String>,
    edge_time: Option<String>,
    time_window: i64,
    time_strategy: TimeStrategy,
    subgraph: Subgraph,
    negatives: Option<Negatives>,
    walks: Option<Walks>,
    pick: Pick,
    batch_dependency: u32,
    supervisions: Vec<Supervision>,
    importance: Option<Importance>,
    ppr: Option<Ppr>,
    hgt: Option<Hgt>,
    device: Option<Device>,
}

impl<'d> SamplerBuilder<'d> {
    pub(crate) fn new(dataset: &'d Dataset) -> Self {
        Self {
            dataset,
            flags: 0,
            seed: 0,
            fanouts: Vec::new(),
            direction: Direction::default(),
            replace: Replace::default(),
            weight: None,
            exclude: Vec::new(),
            exclude_mode: ExcludeMode::default(),
            contract: 0,
            reverse_column: None,
            reverse_types: Vec::new(),
            node_time: None,
            edge_time: None,
            time_window: 0,
            time_strategy: TimeStrategy::default(),
            subgraph: Subgraph::default(),
            negatives: None,
            walks: None,
            pick: Pick::default(),
            batch_dependency: 0,
            supervisions: Vec::new(),
            importance: None,
            ppr: None,
            hgt: None,
            device: None,
        }
    }

    /// Neighbours to take per hop, of every edge type without an entry of its own; -1 takes all, 0
    /// none. `[]`, for [`Subgraph::Induced`]: no hops, just the seeds.
    pub fn fanouts(mut self, per_hop: impl IntoIterator<Item = i64>) -> Self {
        let per_hop: Vec<i64> = per_hop.into_iter().collect();
        if !per_hop.is_empty() {
            self.fanouts.push((None, per_hop));
        }
        self
    }

    /// Neighbours to take per hop, of one edge type.
    pub fn fanouts_of(mut self, edge_type: &str, per_hop: impl IntoIterator<Item = i64>) -> Self {
        let entry = (Some(edge_type.to_owned()), per_hop.into_iter().collect());
        self.fanouts.push(entry);
        self
    }

    /// The same seed gives the same batches; 0 by default.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Which way edges are followed.
    pub fn direction(mut self, direction: Direction) -> Self {
        self.direction = direction;
        self
    }

    /// Whether an edge may be taken twice.
    pub fn replace(mut self, replace: Replace) -> Self {
        self.replace = replace;
        self
    }

    /// Edge column of non-negative numbers to sample in proportion to.
    pub fn weight(mut self, column: &str) -> Self {
        self.weight = Some(column.to_owned());
        self
    }

    /// Whether batches report the id of every sampled edge:
    /// [`EdgeArrays::edge`](crate::EdgeArrays::edge).
    pub fn edge_ids(self, on: bool) -> Self {
        self.flag(sys::GLS_SAMPLE_EDGE_IDS, on)
    }

    /// Whether each seed grows a tree of its own; batches then have
    /// [`NodeArrays::tree`](crate::NodeArrays::tree).
    pub fn disjoint(self, on: bool) -> Self {
        self.flag(sys::GLS_SAMPLE_DISJOINT, on)
    }

    /// Whether `col` is always the end nearer to the seed, also with [`Direction::Out`].
    pub fn toward_seeds(self, on: bool) -> Self {
        self.flag(sys::GLS_SAMPLE_TOWARD_SEEDS, on)
    }

    /// Whether local and global ids are int32; every count must fit.
    pub fn int32(self, on: bool) -> Self {
        self.flag(sys::GLS_SAMPLE_INT32, on)
    }

    fn flag(mut self, flag: u32, on: bool) -> Self {
        set_flag(&mut self.flags, flag, on);
        self
    }

    /// Edges that are never used; adds to those named before.
    pub fn exclude(mut self, edges: EdgeSet) -> Self {
        self.exclude.push(edges);
        self
    }

    /// Which edges are left out besides those named, here and per call. Loaders, and requests for
    /// links, refuse other modes than [`ExcludeMode::SelfOnly`] where no edges are left out.
    pub fn exclude_mode(mut self, mode: ExcludeMode) -> Self {
        self.exclude_mode = mode;
        self
    }

    /// Edge column of int64 with the id of each edge's reverse, for [`ExcludeMode::ReverseId`].
    pub fn reverse_column(mut self, column: &str) -> Self {
        self.reverse_column = Some(column.to_owned());
        self
    }

    /// Two edge types that are each other's reverse, for [`ExcludeMode::ReverseTypes`]; adds to the
    /// pairs named before.
    pub fn reverse_types(mut self, edge_type: &str, reverse_type: &str) -> Self {
        self.reverse_types
            .push((edge_type.to_owned(), reverse_type.to_owned()));
        self
    }

    /// Node column of integers: a neighbour is used for a seed of time t only if its time is at
    /// most t. Each seed then needs a time and grows its own tree, as with
    /// [`disjoint`](SamplerBuilder::disjoint); types without the column are always early enough.
    pub fn node_time(mut self, column: &str) -> Self {
        self.node_time = Some(column.to_owned());
        self
    }

    /// The same as [`node_time`](SamplerBuilder::node_time) for edges; with both, both must be
    /// early enough.
    pub fn edge_time(mut self, column: &str) -> Self {
        self.edge_time = Some(column.to_owned());
        self
    }

    /// Which of the neighbours that are early enough are taken. [`TimeStrategy::Last`] goes by
    /// `edge_time` if given, else `node_time`, and takes neither weights nor replacement.
    pub fn time_strategy(mut self, strategy: TimeStrategy) -> Self {
        self.time_strategy = strategy;
        self
    }

    /// Whether times must be below that of the seed, not equal to it.
    pub fn time_strict(self, on: bool) -> Self {
        self.flag(sys::GLS_SAMPLE_TIME_STRICT, on)
    }

    /// Above 0: times below that of the seed minus this are too early; 0, the default: none are.
    pub fn time_window(mut self, window: i64) -> Self {
        self.time_window = window;
        self
    }

    /// Which edges between the sampled nodes are reported.
    pub fn subgraph(mut self, subgraph: Subgraph) -> Self {
        self.subgraph = subgraph;
        self
    }

    /// How a row's picks go together with those of other rows. [`Pick::Layer`] takes neither
    /// replacement nor [`TimeStrategy::Last`].
    pub fn pick(mut self, pick: Pick) -> Self {
        self.pick = pick;
        self
    }

    /// With [`Pick::Layer`], for how many batches in a row a node keeps its random number. With
    /// each batch, one node in so many gets a new number. 0, the default, or 1: all are new in each
    /// batch.
    pub fn batch_dependency(mut self, batches: u32) -> Self {
        self.batch_dependency = batches;
        self
    }

    /// With [`Pick::Layer`], whether a node has the same random number in all hops.
    pub fn layer_dependent(self, on: bool) -> Self {
        self.flag(sys::GLS_SAMPLE_LAYER_DEPENDENT, on)
    }

    /// The negatives to draw for links that are seeds; by default none.
    pub fn negatives(mut self, negatives: Negatives) -> Self {
        self.negatives = Some(negatives);
        self
    }

    /// Random walks instead of neighbourhoods; they have no fanouts. Batches then have
    /// [`walk`](crate::NodeArrays::walk) and [`walk_edge`](crate::NodeArrays::walk_edge), and no
    /// other edges.
    pub fn walks(mut self, walks: Walks) -> Self {
        self.walks = Some(walks);
        self
    }

    /// Makes every seed an anchor with labels; adds to the supervisions named before.
    pub fn supervision(mut self, supervision: Supervision) -> Self {
        self.supervisions.push(supervision);
        self
    }

    /// The nodes that random walks visit most; they have no fanouts. Batches then have
    /// [`near_seed`](crate::NodeArrays::near_seed), [`near_node`](crate::NodeArrays::near_node) and
    /// [`near_score`](crate::NodeArrays::near_score), and no other edges.
    pub fn importance(mut self, importance: Importance) -> Self {
        self.importance = Some(importance);
        self
    }

    /// The nodes of highest personalised PageRank; as for [`SamplerBuilder::importance`].
    pub fn ppr(mut self, ppr: Ppr) -> Self {
        self.ppr = Some(ppr);
        self
    }

    /// Nodes of each type drawn from budgets; they have no fanouts. Batches have one number of edges of
    /// each type, as edges have no hops.
    pub fn hgt(mut self, hgt: Hgt) -> Self {
        self.hgt = Some(hgt);
        self
    }

    /// Whether links that are seeds are not used for their batch, nor those that
    /// [`exclude_mode`](SamplerBuilder::exclude_mode) adds to them. Loaders of nodes refuse it.
    pub fn exclude_links(self, on: bool) -> Self {
        self.flag(sys::GLS_SAMPLE_EXCLUDE_LINKS, on)
    }

    /// Where batches are sampled and lie, and where loaders of the sampler deliver, unless they set
    /// another device. By default it is the device of the dataset. If a GPU cannot sample a batch,
    /// the CPU samples it and the batch is moved, unless the setting `device.sampling` forbids it.
    /// The batches are equal.
    pub fn device(mut self, device: Device) -> Self {
        self.device = Some(device);
        self
    }

    /// The version of the sampling contract; 0, the default: the newest.
    pub fn contract(mut self, version: u32) -> Self {
        self.contract = version;
        self
    }

    /// Checks the options against the dataset.
    ///
    /// # Errors
    /// - [`Error::NotFound`] for an edge type or column.
    /// - [`Error::Unsupported`] when the layout that the direction needs is not stored, or for a
    ///   device that cannot be used.
    /// - [`Error::InvalidArgument`].
    pub fn build(&self) -> Result<Sampler> {
        let fanout_types: Vec<Name> = self
            .fanouts
            .iter()
            .map(|(name, _)| Name::new("fanouts", name.as_deref()))
            .collect::<Result<_>>()?;
        let fanouts: Vec<_> = self
            .fanouts
            .iter()
            .zip(&fanout_types)
            .map(|((_, per_hop), name)| sys::gls_fanout_t {
                edge_type: name.as_ptr(),
                per_hop: per_hop.as_ptr(),
                num_hops: per_hop.len(),
            })
            .collect();
        let weight = Name::new("weight", self.weight.as_deref())?;
        let reverse_column = Name::new("reverse_column", self.reverse_column.as_deref())?;
        let node_time = Name::new("node_time", self.node_time.as_deref())?;
        let edge_time = Name::new("edge_time", self.edge_time.as_deref())?;
        let pair_names: Vec<(CString, CString)> = self
            .reverse_types
            .iter()
            .map(|(one, other)| {
                Ok((
                    c_string("reverse_types", one)?,
                    c_string("reverse_types", other)?,
                ))
            })
            .collect::<Result<_>>()?;
        let pairs: Vec<_> = pair_names
            .iter()
            .map(|(one, other)| sys::gls_type_pair_t {
                edge_type: one.as_ptr(),
                reverse_type: other.as_ptr(),
            })
            .collect();
        let exclude = EdgeSets::new(&self.exclude)?;
        let kind = match (&self.walks, &self.importance, &self.ppr, &self.hgt) {
            (Some(_), _, _, _) => sys::GLS_SAMPLER_WALK,
            (_, Some(_), _, _) => sys::GLS_SAMPLER_IMPORTANCE,
            (_, _, Some(_), _) => sys::GLS_SAMPLER_PPR,
            (_, _, _, Some(_)) => sys::GLS_SAMPLER_HGT,
            _ => sys::GLS_SAMPLER_NEIGHBOR,
        };
        let edge_types: Vec<String> = self
            .dataset
            .edge_types()?
            .into_iter()
            .map(|edges| edges.name.to_owned())
            .collect();
        let create = |negatives, walk, supervisions, num_supervisions, importance, ppr, hgt| {
            exclude.with(|exclude, num_exclude| {
                let options = sys::gls_sampler_options_t {
                    kind,
                    flags: self.flags,
                    seed: self.seed,
                    fanouts: fanouts.as_ptr(),
                    num_fanouts: fanouts.len(),
                    direction: self.direction as i32,
                    replace: self.replace as i32,
                    weight: weight.as_ptr(),
                    exclude,
                    num_exclude,
                    exclude_mode: self.exclude_mode as i32,
                    contract: self.contract,
                    reverse_column: reverse_column.as_ptr(),
                    reverse_types: pairs.as_ptr(),
                    num_reverse_types: pairs.len(),
                    node_time: node_time.as_ptr(),
                    edge_time: edge_time.as_ptr(),
                    time_window: self.time_window,
                    time_strategy: self.time_strategy as i32,
                    subgraph: self.subgraph as i32,
                    negatives,
                    walk,
                    pick: self.pick as i32,
                    batch_dependency: self.batch_dependency,
                    supervisions,
                    num_supervisions,
                    importance,
                    ppr,
                    hgt,
                    device: self.device.map_or(Device::INHERITED, Device::to_dl),
                    ..Default::default()
                };
                // SAFETY: a live handle, and options that borrow from this function and from self.
                let raw = make(|out, error| unsafe {
                    sys::gls_sampler_create(self.dataset.raw(), &options, out, error)
                })?;
                Ok(Sampler {
                    raw,
                    edge_types: edge_types.clone(),
                })
            })
        };
        Negatives::with(self.negatives.as_ref(), |negatives| {
            Walks::with(self.walks.as_ref(), |walk| {
                Importance::with(self.importance.as_ref(), |importance| {
                    Ppr::with(self.ppr.as_ref(), |ppr| {
                        Hgt::with(self.hgt.as_ref(), |hgt| {
                            Supervision::with(&self.supervisions, |supervisions, count| {
                                create(negatives, walk, supervisions, count, importance, ppr, hgt)
                            })
                        })
                    })
                })
            })
        })
    }
}
