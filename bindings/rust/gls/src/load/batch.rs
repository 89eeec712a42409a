//! Batch: the sampled graph and its gathered columns.

use std::fmt;
use std::os::raw::c_void;
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};

use gls_sys as sys;

use crate::load::blocks::Block;
use crate::memory::dtype::Element;
use crate::memory::tensor::Tensor;
use crate::memory::view::{Layout, TensorView};
use crate::runtime::device::Device;
use crate::runtime::error::{call, lossy, make, Error, Result};
use crate::runtime::names::Name;

/// What an array of a batch is. B: seeds given; S: distinct seeds; N: nodes; E: edges, of one type;
/// L: links given, and binary negatives.
/// Ids are `i64`, or `i32` when the sampler has [`int32`](crate::SamplerBuilder::int32).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum BatchArray {
    /// Node type; ids `[N]`: dataset ids, seeds first, then in the order of sampling.
    Node = sys::GLS_BATCH_NODE as isize,
    /// Edge type; ids `[E]`: local id of each edge's source.
    Row = sys::GLS_BATCH_ROW as isize,
    /// Edge type; ids `[E]`: local id of each edge's target.
    Col = sys::GLS_BATCH_COL as isize,
    /// Edge type; ids `[E]`: dataset edge ids.
    Edge = sys::GLS_BATCH_EDGE as isize,
    /// Node type; ids `[N]`: position of the seed whose tree the node is in.
    Tree = sys::GLS_BATCH_TREE as isize,
    /// Node type; `i64` `[hops + 1]`: new nodes, seeds then per hop.
    NumNodes = sys::GLS_BATCH_NUM_NODES as isize,
    /// Edge type; `i64` `[hops]`; of an induced subgraph `[1]`.
    NumEdges = sys::GLS_BATCH_NUM_EDGES as isize,
    /// Node type; ids `[B]`: local id of each seed as given.
    Seed = sys::GLS_BATCH_SEED as isize,
    /// Node type, or edge type where links are seeds; `i64` `[B]`: position of each in the loader's
    /// seeds.
    Input = sys::GLS_BATCH_INPUT as isize,
    /// Node type and column; `[N, ...]`, or `[S, ...]` for seeds only.
    NodeColumn = sys::GLS_BATCH_NODE_COLUMN as isize,
    /// Edge type and column; `[E, ...]`.
    EdgeColumn = sys::GLS_BATCH_EDGE_COLUMN as isize,
    /// Node type; `i64` `[B]`: time of each seed as given.
    SeedTime = sys::GLS_BATCH_SEED_TIME as isize,
    /// Edge type; ids `[L]`: local id of each link's source, then those of binary negatives.
    LinkSource = sys::GLS_BATCH_LINK_SOURCE as isize,
    /// Edge type; ids `[L]`: local id of each link's target, then those of binary negatives.
    LinkTarget = sys::GLS_BATCH_LINK_TARGET as isize,
    /// Edge type; ids `[links, amount]`: local ids of the targets drawn in triplets, -1 where there
    /// is none.
    LinkNegative = sys::GLS_BATCH_LINK_NEGATIVE as isize,
    /// Edge type; `[L, ...]`: labels given, then 0 for binary negatives.
    LinkLabel = sys::GLS_BATCH_LINK_LABEL as isize,
    /// Node type of the seeds; ids `[walks, length + 1]`: local ids of the nodes of each walk.
    Walk = sys::GLS_BATCH_WALK as isize,
    /// Node type of the seeds; ids `[walks, length]`: dataset edge ids of its steps.
    WalkEdge = sys::GLS_BATCH_WALK_EDGE as isize,
    /// Node type; `bool` `[N]`: which are nodes of the batch, and no padding.
    NodeMask = sys::GLS_BATCH_NODE_MASK as isize,
    /// Edge type; `bool` `[E]`: which are edges of the batch, and no padding.
    EdgeMask = sys::GLS_BATCH_EDGE_MASK as isize,
    /// Node type of seeds; `bool` `[B]`: which are seeds, and no padding.
    SeedMask = sys::GLS_BATCH_SEED_MASK as isize,
    /// Edge type; `bool` `[L]`: which are links or negative pairs, and no padding.
    LinkMask = sys::GLS_BATCH_LINK_MASK as isize,
    /// Edge type; `bool` `[links, amount]`: which targets of triplets were drawn.
    LinkNegativeMask = sys::GLS_BATCH_LINK_NEGATIVE_MASK as isize,
    /// Node type of the seeds; `bool` `[walks]`: which rows are walks, and no padding.
    WalkMask = sys::GLS_BATCH_WALK_MASK as isize,
    /// Node type; `bool` `[K]`: which are neighbours, and no padding.
    NearMask = sys::GLS_BATCH_NEAR_MASK as isize,
    /// Node type of the anchors; `bool` `[anchors]`: which rows of labels are of anchors.
    AnchorMask = sys::GLS_BATCH_ANCHOR_MASK as isize,
    /// Edge type; ids `[2, E]`: `Row` and `Col`, in the same memory. [`Batch::arrays`] lists these two.
    EdgeIndex = sys::GLS_BATCH_EDGE_INDEX as isize,
    /// No type; what a transform attached by this name.
    Attached = sys::GLS_BATCH_ATTACHED as isize,
    /// Node type of the labels and name of a supervision; ids `[anchors, m]`: local ids of the
    /// labels of each anchor, then -1.
    AnchorPositive = sys::GLS_BATCH_ANCHOR_POSITIVE as isize,
    /// The same of negative labels.
    AnchorNegative = sys::GLS_BATCH_ANCHOR_NEGATIVE as isize,
    /// Node type; ids `[K]`: for each neighbour the local id, in the seeds' type, of its seed.
    NearSeed = sys::GLS_BATCH_NEAR_SEED as isize,
    /// Node type; ids `[K]`: local ids of the neighbours.
    NearNode = sys::GLS_BATCH_NEAR_NODE as isize,
    /// Node type; float32 `[K, 2]`: their scores.
    NearScore = sys::GLS_BATCH_NEAR_SCORE as isize,
}

impl BatchArray {
    fn from_number(array: i32) -> Option<Self> {
        use BatchArray::*;
        const ALL: [BatchArray; 33] = [
            Node,
            Row,
            Col,
            Edge,
            Tree,
            NumNodes,
            NumEdges,
            Seed,
            Input,
            NodeColumn,
            EdgeColumn,
            SeedTime,
            LinkSource,
            LinkTarget,
            LinkNegative,
            LinkLabel,
            Walk,
            WalkEdge,
            NodeMask,
            EdgeMask,
            SeedMask,
            Attached,
            AnchorPositive,
            AnchorNegative,
            NearSeed,
            NearNode,
            NearScore,
            LinkMask,
            LinkNegativeMask,
            WalkMask,
            NearMask,
            AnchorMask,
            EdgeIndex,
        ];
        ALL.into_iter().find(|&known| known as i32 == array)
    }
}

/// Which rows of a column were, or are to be, gathered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Rows {
    /// Labels for the seeds; all else for all.
    #[default]
    Auto = sys::GLS_GATHER_AUTO as isize,
    /// For every sampled node, or every sampled edge.
    All = sys::GLS_GATHER_ALL as isize,
    /// Node columns only: for the seeds.
    Seeds = sys::GLS_GATHER_SEEDS as isize,
}

/// One array that a batch has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArrayInfo<'b> {
    /// What it is.
    pub array: BatchArray,
    /// For which rows a column was gathered.
    pub rows: Rows,
    /// The node or edge type; empty for attached arrays.
    pub type_name: &'b str,
    /// The column, the supervision of labels, or the name of an attached array; `None` for other
    /// arrays.
    pub column: Option<&'b str>,
}

/// Whether a batch was padded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Padding {
    /// Padding was not requested.
    None,
    /// The arrays have the loader's sizes.
    Fits,
    /// The batch is too large: the arrays have their own sizes.
    Overflow,
}

/// Where a batch stands and what it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchInfo {
    /// The epoch.
    pub epoch: u64,
    /// Number of the batch in its epoch, counted over all trainers.
    pub batch: u64,
    /// Number of hops.
    pub num_hops: u64,
    /// Memory that the batch holds.
    pub bytes: u64,
    /// Time a worker spent sampling it.
    pub sample_ns: u64,
    /// Time a worker spent gathering for it.
    pub gather_ns: u64,
    /// Whether it was padded; see [`pad`](crate::LoaderBuilder::pad).
    pub padding: Padding,
}

/// One mini-batch: a sampled part of the graph and the columns gathered for it.
///
/// Of a graph with one node type and one edge type the arrays are methods here:
/// [`node`](Batch::node), [`row`](Batch::row), [`column`](Batch::column). Of a graph with several,
/// they are methods of [`nodes("paper")`](Batch::nodes) and
/// [`edges("author__writes__paper")`](Batch::edges).
///
/// Slices and views borrow from the batch. A [`Tensor`] of it ([`Batch::tensor`]) keeps the memory
/// alive on its own, without a copy.
///
/// A slice cannot outlive its batch:
///
/// ```compile_fail,E0505
/// # fn f(batch: gls::Batch) -> gls::Result<()> {
/// let row = batch.row::<i64>()?;
/// drop(batch);
/// println!("{row:?}");
/// # Ok(())
/// # }
/// ```
///
/// nor can arrays be written while they are read:
///
/// ```compile_fail,E0502
/// # fn f(mut batch: gls::Batch) -> gls::Result<()> {
/// let x = batch.column("x")?.as_slice::<f32>()?;
/// batch.column_mut::<f32>("x")?[0] = 1.0;
/// println!("{x:?}");
/// # Ok(())
/// # }
/// ```
pub struct Batch {
    raw: NonNull<sys::gls_batch_t>,
    /// Whether a Tensor uses memory of the batch, which must then not be written through `&mut`.
    shared: AtomicBool,
}

// SAFETY: gls.h: a batch is immutable and every call on it is [any]; release, by Drop, may happen
// on any thread.
unsafe impl Send for Batch {}
// SAFETY: as above. slice_mut() needs an exclusive reference, and that no Tensor was made.
unsafe impl Sync for Batch {}

impl Drop for Batch {
    fn drop(&mut self) {
        // SAFETY: owned, and this is the last call on it.
        unsafe { sys::gls_batch_release(self.raw.as_ptr()) }
    }
}

impl Batch {
    /// # Safety
    /// `raw` is owned.
    pub(crate) unsafe fn from_raw(raw: NonNull<sys::gls_batch_t>, shared: bool) -> Self {
        Self {
            raw,
            shared: AtomicBool::new(shared),
        }
    }

    pub(crate) fn is_shared(&self) -> bool {
        self.shared.load(Ordering::Relaxed)
    }

    pub(crate) fn raw(&self) -> *mut sys::gls_batch_t {
        self.raw.as_ptr()
    }

    // ---- any array ----

    /// All arrays that the batch has.
    pub fn arrays(&self) -> Result<Vec<ArrayInfo<'_>>> {
        // SAFETY: a live handle.
        let count = unsafe { sys::gls_batch_num_arrays(self.raw()) };
        let mut out = Vec::with_capacity(count);
        for index in 0..count {
            let mut info = sys::gls_array_info_t::default();
            // SAFETY: a live handle, and a struct of the stated size.
            call(|error| unsafe {
                sys::gls_batch_get_array_info(self.raw(), index, &mut info, error)
            })?;
            // A newer library may have arrays that this crate does not know.
            if let Some(array) = BatchArray::from_number(info.array) {
                // SAFETY: the names live as long as the batch.
                unsafe {
                    out.push(ArrayInfo {
                        array,
                        rows: if info.rows == sys::GLS_GATHER_SEEDS {
                            Rows::Seeds
                        } else {
                            Rows::All
                        },
                        type_name: lossy(info.type_),
                        column: (!info.name.is_null()).then(|| lossy(info.name)),
                    });
                }
            }
        }
        Ok(out)
    }

    fn get(&self, array: BatchArray, of: &Name, name: &Name) -> Result<Tensor> {
        // SAFETY: a live handle, and terminated strings or NULL.
        unsafe {
            let raw = make(|out, error| {
                let (of, name) = (of.as_ptr(), name.as_ptr());
                sys::gls_batch_tensor(self.raw(), array as i32, of, name, out, error)
            })?;
            Ok(Tensor::from_raw(raw))
        }
    }

    fn view_of(&self, array: BatchArray, of: &Name, name: &Name) -> Result<TensorView<'_>> {
        let layout: Layout = self.get(array, of, name)?.view().layout;
        // SAFETY: the memory is the batch's ("two calls for one array give the same memory"), which
        // lives as long as the batch is borrowed. It is only written through slice_mut(), which
        // borrows the batch exclusively, or by `unsafe` functions.
        Ok(unsafe { TensorView::new(layout) })
    }

    /// One array, in place, for as long as the batch is borrowed.
    ///
    /// `type_name` is a node or edge type, `None`: the only one; `column` is `None` for arrays that
    /// are no columns.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such type or column, or its option was not set.
    pub fn view<'t, 'c>(
        &self,
        array: BatchArray,
        type_name: impl Into<Option<&'t str>>,
        column: impl Into<Option<&'c str>>,
    ) -> Result<TensorView<'_>> {
        let of = Name::new("type", type_name.into())?;
        self.view_of(array, &of, &Name::new("name", column.into())?)
    }

    /// One array, in place, as a tensor that keeps the memory alive whatever becomes of the batch.
    /// The batch can then not be written anymore.
    ///
    /// # Errors
    /// As [`Batch::view`].
    pub fn tensor<'t, 'c>(
        &self,
        array: BatchArray,
        type_name: impl Into<Option<&'t str>>,
        column: impl Into<Option<&'c str>>,
    ) -> Result<Tensor> {
        let of = Name::new("type", type_name.into())?;
        let name = Name::new("name", column.into())?;
        self.shared.store(true, Ordering::Relaxed);
        self.get(array, &of, &name)
    }

    /// One array, in place, for writing: nothing reads it again.
    ///
    /// # Errors
    /// As [`Batch::view`] and [`TensorView::as_slice`]; [`Error::InvalidState`] when a [`Tensor`]
    /// of the batch was made, as that may show the same memory; [`Error::Unsupported`] for attached
    /// arrays.
    pub fn slice_mut<'t, 'c, T: Element>(
        &mut self,
        array: BatchArray,
        type_name: impl Into<Option<&'t str>>,
        column: impl Into<Option<&'c str>>,
    ) -> Result<&mut [T]> {
        if array == BatchArray::Attached {
            // The transform owns their memory, and may use it in other places.
            return Err(Error::here(
                sys::GLS_ERR_UNSUPPORTED,
                "array",
                "array: attached arrays cannot be written",
            ));
        }
        if *self.shared.get_mut() {
            return Err(Error::here(
                sys::GLS_ERR_INVALID_STATE,
                "array",
                "array: a tensor of this batch was made, which may show the same memory",
            ));
        }
        let of = Name::new("type", type_name.into())?;
        let mut tensor = self.get(array, &of, &Name::new("name", column.into())?)?;
        let count = tensor.view().layout.contiguous::<T>()?;
        match tensor.as_mut_ptr() {
            _ if count == 0 => Ok(&mut []),
            // SAFETY: memory of the batch: this many elements of this type, aligned and writable.
            // The batch is borrowed exclusively, and no other tensor was made.
            Some(data) => Ok(unsafe { slice::from_raw_parts_mut(data.cast(), count) }),
            None => Err(Error::here(
                sys::GLS_ERR_UNSUPPORTED,
                "array",
                "array: this memory is read-only",
            )),
        }
    }

    // ---- devices ----

    /// Where the arrays lie. Numbers of nodes and edges, and arrays that a transform attached, are
    /// always on the host.
    pub fn device(&self) -> Result<Device> {
        for array in self.arrays()? {
            if array.array == BatchArray::Node {
                return Ok(self.view(array.array, array.type_name, None)?.device());
            }
        }
        Ok(Device::Host)
    }

    /// The same batch with its arrays in memory of the host: a copy of those that lie on a GPU.
    /// Waits for the work that is queued by now on named streams. Neither batch can be written
    /// after this, because arrays on the host are not copied.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn to_host(&self) -> Result<Self> {
        // SAFETY: a live handle.
        let raw = make(|out, error| unsafe { sys::gls_batch_to_host(self.raw(), out, error) })?;
        self.shared.store(true, Ordering::Relaxed);
        // SAFETY: just handed over.
        Ok(unsafe { Self::from_raw(raw, true) })
    }

    /// Names a stream of a GPU on which the arrays are used, as
    /// [`Tensor::record_stream`](crate::Tensor::record_stream).
    ///
    /// # Safety
    /// As there.
    pub unsafe fn record_stream(&self, stream: *mut c_void) -> Result<()> {
        call(|error| sys::gls_batch_record_stream(self.raw(), stream, error))?;
        Ok(())
    }

    // ---- layers of a model ----

    /// A block for each layer of a model with as many layers as the batch has hops, that of the first
    /// layer first.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the batch has none: its subgraph is induced or bidirectional, or its
    /// sampler takes walks, or finds neighbours by importance or PPR.
    pub fn blocks(&self) -> Result<Vec<Block<'_>>> {
        Block::all(self)
    }

    // ---- by type ----

    /// The arrays of a node type; `None`: of the only one.
    pub fn nodes<'t>(&self, node_type: impl Into<Option<&'t str>>) -> NodeArrays<'_> {
        NodeArrays(Arrays::new(self, node_type.into()))
    }

    /// The arrays of an edge type; `None`: of the only one.
    pub fn edges<'t>(&self, edge_type: impl Into<Option<&'t str>>) -> EdgeArrays<'_> {
        EdgeArrays(Arrays::new(self, edge_type.into()))
    }

    // ---- of the only type ----

    /// See [`NodeArrays::node`].
    pub fn node<T: Element>(&self) -> Result<&[T]> {
        self.nodes(None).node()
    }

    /// See [`NodeArrays::seed`].
    pub fn seed<T: Element>(&self) -> Result<&[T]> {
        self.nodes(None).seed()
    }

    /// See [`NodeArrays::tree`].
    pub fn tree<T: Element>(&self) -> Result<&[T]> {
        self.nodes(None).tree()
    }

    /// See [`NodeArrays::input_id`]; where links are seeds, [`EdgeArrays::input_id`].
    pub fn input_id(&self) -> Result<&[i64]> {
        self.nodes(None).input_id()
    }

    /// See [`NodeArrays::seed_time`].
    pub fn seed_time(&self) -> Result<&[i64]> {
        self.nodes(None).seed_time()
    }

    /// See [`NodeArrays::walk`].
    pub fn walk(&self) -> Result<TensorView<'_>> {
        self.nodes(None).walk()
    }

    /// See [`NodeArrays::walk_edge`].
    pub fn walk_edge(&self) -> Result<TensorView<'_>> {
        self.nodes(None).walk_edge()
    }

    /// See [`NodeArrays::near_seed`].
    pub fn near_seed<T: Element>(&self) -> Result<&[T]> {
        self.nodes(None).near_seed()
    }

    /// See [`NodeArrays::near_node`].
    pub fn near_node<T: Element>(&self) -> Result<&[T]> {
        self.nodes(None).near_node()
    }

    /// See [`NodeArrays::near_score`].
    pub fn near_score(&self) -> Result<TensorView<'_>> {
        self.nodes(None).near_score()
    }

    /// See [`NodeArrays::num_sampled_nodes`].
    pub fn num_sampled_nodes(&self) -> Result<&[i64]> {
        self.nodes(None).num_sampled_nodes()
    }

    /// See [`EdgeArrays::row`].
    pub fn row<T: Element>(&self) -> Result<&[T]> {
        self.edges(None).row()
    }

    /// See [`EdgeArrays::col`].
    pub fn col<T: Element>(&self) -> Result<&[T]> {
        self.edges(None).col()
    }

    /// See [`EdgeArrays::edge_index`].
    pub fn edge_index(&self) -> Result<TensorView<'_>> {
        self.edges(None).edge_index()
    }

    /// See [`EdgeArrays::edge`].
    pub fn edge<T: Element>(&self) -> Result<&[T]> {
        self.edges(None).edge()
    }

    /// See [`EdgeArrays::num_sampled_edges`].
    pub fn num_sampled_edges(&self) -> Result<&[i64]> {
        self.edges(None).num_sampled_edges()
    }

    /// See [`EdgeArrays::link_source`].
    pub fn link_source<T: Element>(&self) -> Result<&[T]> {
        self.edges(None).link_source()
    }

    /// See [`EdgeArrays::link_target`].
    pub fn link_target<T: Element>(&self) -> Result<&[T]> {
        self.edges(None).link_target()
    }

    /// See [`EdgeArrays::link_negative`].
    pub fn link_negative(&self) -> Result<TensorView<'_>> {
        self.edges(None).link_negative()
    }

    /// See [`EdgeArrays::link_label`].
    pub fn link_label<T: Element>(&self) -> Result<&[T]> {
        self.edges(None).link_label()
    }

    /// Positive labels of the anchors, by the name of their supervision: local ids `[anchors, m]` of
    /// nodes of the labels' type, -1 where there are no more. Anchors are the first of
    /// [`NodeArrays::seed`], as many as there are rows.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such supervision.
    pub fn positives(&self, supervision: &str) -> Result<TensorView<'_>> {
        self.labels(BatchArray::AnchorPositive, supervision)
    }

    /// As [`Batch::positives`], of the negative labels.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such supervision.
    pub fn negatives(&self, supervision: &str) -> Result<TensorView<'_>> {
        self.labels(BatchArray::AnchorNegative, supervision)
    }

    fn labels(&self, array: BatchArray, supervision: &str) -> Result<TensorView<'_>> {
        for info in self.arrays()? {
            if info.array == array && info.column == Some(supervision) {
                return self.view(array, info.type_name, supervision);
            }
        }
        Err(Error::here(
            sys::GLS_ERR_NOT_FOUND,
            "name",
            format!("name: the batch has no labels {supervision:?} of this role"),
        ))
    }

    /// A column that was gathered for the only node type or, failing that, the only edge type.
    pub fn column(&self, name: &str) -> Result<TensorView<'_>> {
        match self.nodes(None).column(name) {
            Err(Error::NotFound(info)) => match self.edges(None).column(name) {
                Err(Error::NotFound(_)) => Err(Error::NotFound(info)),
                other => other,
            },
            other => other,
        }
    }

    /// A column that was gathered for the only node type, for writing. See [`Batch::slice_mut`].
    pub fn column_mut<T: Element>(&mut self, name: &str) -> Result<&mut [T]> {
        self.slice_mut(BatchArray::NodeColumn, None, name)
    }

    /// What the loader's transform attached by this name.
    pub fn attached(&self, name: &str) -> Result<TensorView<'_>> {
        self.view(BatchArray::Attached, None, name)
    }

    /// Number of distinct seeds of the only node type, which are the first nodes.
    pub fn batch_size(&self) -> Result<usize> {
        self.nodes(None).batch_size()
    }

    // ---- about the batch ----

    /// Where the batch stands and what it took.
    pub fn info(&self) -> Result<BatchInfo> {
        let mut info = sys::gls_batch_info_t::default();
        // SAFETY: a live handle, and a struct of the stated size.
        call(|error| unsafe { sys::gls_batch_get_info(self.raw(), &mut info, error) })?;
        Ok(BatchInfo {
            epoch: info.epoch,
            batch: info.batch,
            num_hops: info.num_hops,
            bytes: info.bytes,
            sample_ns: info.sample_ns,
            gather_ns: info.gather_ns,
            padding: match info.padding {
                sys::GLS_PADDING_FITS => Padding::Fits,
                sys::GLS_PADDING_OVERFLOW => Padding::Overflow,
                _ => Padding::None,
            },
        })
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Batch");
        if let Ok(info) = self.info() {
            out.field("epoch", &info.epoch).field("batch", &info.batch);
        }
        out.finish_non_exhaustive()
    }
}

struct Arrays<'b> {
    batch: &'b Batch,
    of: Result<Name>,
}

impl<'b> Arrays<'b> {
    fn new(batch: &'b Batch, of: Option<&str>) -> Self {
        let of = Name::new("type", of);
        Self { batch, of }
    }

    fn view(&self, array: BatchArray, name: Option<&str>) -> Result<TensorView<'b>> {
        match &self.of {
            Ok(of) => self.batch.view_of(array, of, &Name::new("name", name)?),
            Err(_) => Err(Error::invalid("type", "a name with a NUL")),
        }
    }

    fn slice<T: Element>(&self, array: BatchArray) -> Result<&'b [T]> {
        self.view(array, None)?.as_slice()
    }
}

/// What a batch holds of one node type.
pub struct NodeArrays<'b>(Arrays<'b>);

impl<'b> NodeArrays<'b> {
    /// Dataset ids `[N]`: distinct seeds first, then in the order of sampling.
    pub fn node<T: Element>(&self) -> Result<&'b [T]> {
        self.0.slice(BatchArray::Node)
    }

    /// Local id of each seed as given `[B]`; repeated seeds share one, unless disjoint.
    pub fn seed<T: Element>(&self) -> Result<&'b [T]> {
        self.0.slice(BatchArray::Seed)
    }

    /// Position of the seed in whose tree a node is `[N]`; only when sampled
    /// [`disjoint`](crate::SamplerBuilder::disjoint) or by times.
    pub fn tree<T: Element>(&self) -> Result<&'b [T]> {
        self.0.slice(BatchArray::Tree)
    }

    /// Position of each seed in the loader's list of seeds `[B]`; only batches of a loader have it.
    /// Where links are seeds, their edge type has it: [`EdgeArrays::input_id`].
    pub fn input_id(&self) -> Result<&'b [i64]> {
        self.0.slice(BatchArray::Input)
    }

    /// Time of each seed as given `[B]`; only where the sampler goes by times.
    pub fn seed_time(&self) -> Result<&'b [i64]> {
        self.0.slice(BatchArray::SeedTime)
    }

    /// Walks, those of a seed together: local ids `[seeds * walks, length + 1]`, the seed first, -1
    /// after the end. The columns have the node types that the path gives them. Only where walks
    /// begin at this type.
    pub fn walk(&self) -> Result<TensorView<'b>> {
        self.0.view(BatchArray::Walk, None)
    }

    /// The edge of each step of the [walks](NodeArrays::walk): dataset ids `[seeds * walks, length]`,
    /// -1 where none was followed; only with [`edge_ids`](crate::SamplerBuilder::edge_ids).
    pub fn walk_edge(&self) -> Result<TensorView<'b>> {
        self.0.view(BatchArray::WalkEdge, None)
    }

    /// Which are nodes of the batch, and no padding: `bool` `[N]`; only of a loader with
    /// [`pad`](crate::LoaderBuilder::pad).
    pub fn mask(&self) -> Result<TensorView<'b>> {
        self.0.view(BatchArray::NodeMask, None)
    }

    /// Which are seeds, and no padding: `bool` `[B]`; only of a loader with
    /// [`pad`](crate::LoaderBuilder::pad), for the type of the seeds.
    pub fn seed_mask(&self) -> Result<TensorView<'b>> {
        self.0.view(BatchArray::SeedMask, None)
    }

    /// Which rows are walks, and no padding: `bool` `[seeds * walks]`; only of a loader with
    /// [`pad`](crate::LoaderBuilder::pad).
    pub fn walk_mask(&self) -> Result<TensorView<'b>> {
        self.0.view(BatchArray::WalkMask, None)
    }

    /// Which are neighbours, and no padding: `bool` `[K]`; only of a loader with
    /// [`pad`](crate::LoaderBuilder::pad).
    pub fn near_mask(&self) -> Result<TensorView<'b>> {
        self.0.view(BatchArray::NearMask, None)
    }

    /// Which rows of labels are of anchors, and no padding: `bool` `[anchors]`; only of a loader with
    /// [`pad`](crate::LoaderBuilder::pad).
    pub fn anchor_mask(&self) -> Result<TensorView<'b>> {
        self.0.view(BatchArray::AnchorMask, None)
    }

    /// Neighbours that edges do not express: local id `[K]`, in the seeds' type, of the seed that
    /// each belongs to. Only with [`importance`](crate::SamplerBuilder::importance), for the seeds'
    /// type, and [`ppr`](crate::SamplerBuilder::ppr), for every type.
    pub fn near_seed<T: Element>(&self) -> Result<&'b [T]> {
        self.0.slice(BatchArray::NearSeed)
    }

    /// Local id of each of these neighbours `[K]`.
    pub fn near_node<T: Element>(&self) -> Result<&'b [T]> {
        self.0.slice(BatchArray::NearNode)
    }

    /// Two columns, float32 `[K, 2]`. Importance: the share of the node's visits that the neighbour has,
    /// and their number. PPR: the score, and `1 / (1 + steps from the seed)`; with
    /// [channels](crate::Ppr::channel) the highest of each, then three more for each channel.
    pub fn near_score(&self) -> Result<TensorView<'b>> {
        self.0.view(BatchArray::NearScore, None)
    }

    /// Distinct seeds, then new nodes of each hop; of walks and PPR, the seeds and all others.
    pub fn num_sampled_nodes(&self) -> Result<&'b [i64]> {
        self.0.slice(BatchArray::NumNodes)
    }

    /// Number of distinct seeds, which are the first nodes.
    pub fn batch_size(&self) -> Result<usize> {
        Ok(self.num_sampled_nodes()?.first().map_or(0, |&n| n as usize))
    }

    /// Number of nodes.
    pub fn num_nodes(&self) -> Result<usize> {
        Ok(self.0.view(BatchArray::Node, None)?.len())
    }

    /// A column that was gathered: `[N, ...]`, or `[S, ...]` for seeds only.
    pub fn column(&self, name: &str) -> Result<TensorView<'b>> {
        self.0.view(BatchArray::NodeColumn, Some(name))
    }
}

/// What a batch holds of one edge type.
pub struct EdgeArrays<'b>(Arrays<'b>);

impl<'b> EdgeArrays<'b> {
    /// Local id of each edge's source `[E]`.
    pub fn row<T: Element>(&self) -> Result<&'b [T]> {
        self.0.slice(BatchArray::Row)
    }

    /// Local id of each edge's target `[E]`.
    pub fn col<T: Element>(&self) -> Result<&'b [T]> {
        self.0.slice(BatchArray::Col)
    }

    /// Both ends of each edge `[2, E]`: [`row`](Self::row) and [`col`](Self::col), in the same memory.
    pub fn edge_index(&self) -> Result<TensorView<'b>> {
        self.0.view(BatchArray::EdgeIndex, None)
    }

    /// Dataset id of each edge `[E]`; only with [`edge_ids`](crate::SamplerBuilder::edge_ids).
    pub fn edge<T: Element>(&self) -> Result<&'b [T]> {
        self.0.slice(BatchArray::Edge)
    }

    /// Which are edges of the batch, and no padding: `bool` `[E]`; only of a loader with
    /// [`pad`](crate::LoaderBuilder::pad).
    pub fn mask(&self) -> Result<TensorView<'b>> {
        self.0.view(BatchArray::EdgeMask, None)
    }

    /// Edges of each hop; of an induced or bidirectional subgraph one number, of all.
    pub fn num_sampled_edges(&self) -> Result<&'b [i64]> {
        self.0.slice(BatchArray::NumEdges)
    }

    /// Local id of each link's source `[L]`, then those of binary negatives; only where links are
    /// seeds.
    pub fn link_source<T: Element>(&self) -> Result<&'b [T]> {
        self.0.slice(BatchArray::LinkSource)
    }

    /// Local id of each link's target `[L]`, as [`EdgeArrays::link_source`].
    pub fn link_target<T: Element>(&self) -> Result<&'b [T]> {
        self.0.slice(BatchArray::LinkTarget)
    }

    /// Local ids of the targets drawn for each link `[links, amount]`, -1 where there is none; only
    /// with [`Negatives::triplet`](crate::Negatives::triplet).
    pub fn link_negative(&self) -> Result<TensorView<'b>> {
        self.0.view(BatchArray::LinkNegative, None)
    }

    /// Labels of the links `[L]`, then 0 for binary negatives: of the type that was given, else
    /// `f32`. Only where labels were given or negatives are binary.
    pub fn link_label<T: Element>(&self) -> Result<&'b [T]> {
        self.0.slice(BatchArray::LinkLabel)
    }

    /// Which entries are links or negative pairs, and not padding: `bool` `[L]`; only of a loader
    /// with [`pad`](crate::LoaderBuilder::pad). The first `batch_size` are links, the others pairs.
    pub fn link_mask(&self) -> Result<TensorView<'b>> {
        self.0.view(BatchArray::LinkMask, None)
    }

    /// Which targets of triplets were drawn: `bool` `[links, amount]`; only of a loader with
    /// [`pad`](crate::LoaderBuilder::pad).
    pub fn link_negative_mask(&self) -> Result<TensorView<'b>> {
        self.0.view(BatchArray::LinkNegativeMask, None)
    }

    /// Position of each link in the loader's list of links; only where links are seeds of a loader.
    pub fn input_id(&self) -> Result<&'b [i64]> {
        self.0.slice(BatchArray::Input)
    }

    /// Number of edges.
    pub fn num_edges(&self) -> Result<usize> {
        Ok(self.0.view(BatchArray::Row, None)?.len())
    }

    /// A column that was gathered: `[E, ...]`.
    pub fn column(&self, name: &str) -> Result<TensorView<'b>> {
        self.0.view(BatchArray::EdgeColumn, Some(name))
    }
}

impl fmt::Debug for NodeArrays<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NodeArrays").field(&self.0.of).finish()
    }
}

impl fmt::Debug for EdgeArrays<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EdgeArrays").field(&self.0.of).finish()
    }
}
