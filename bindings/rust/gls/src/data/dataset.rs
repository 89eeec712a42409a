//! Dataset: an immutable graph with its columns.

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::ptr::NonNull;

use gls_sys as sys;

use crate::cluster::calls::{begin, CallOptions};
use crate::cluster::future::{Bytes, Future};
use crate::memory::dtype::{DType, Id};
use crate::memory::tensor::{Borrowed, Tensor};
use crate::runtime::context::Context;
use crate::runtime::device::Device;
use crate::runtime::error::{call, lossy, make, text, Error, Result};
use crate::runtime::names::{c_path, c_string, Name};
use crate::runtime::progress::{with_progress, Progress, ProgressFn};
use crate::sample::sampler::{Direction, SamplerBuilder};

/// How the edges of a type are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// In-neighbours: rows are targets, indices are sources. For sampling from targets to sources.
    Csc = sys::GLS_LAYOUT_CSC as isize,
    /// Out-neighbours: rows are sources, indices are targets.
    Csr = sys::GLS_LAYOUT_CSR as isize,
}

/// What a column is for. It only chooses defaults: any column can be asked for by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Role {
    /// Gathered for every node or edge of a batch.
    #[default]
    Feature = sys::GLS_ROLE_FEATURE as isize,
    /// Gathered for the seeds.
    Label = sys::GLS_ROLE_LABEL as isize,
    /// Sampling weights; not gathered by default.
    Weight = sys::GLS_ROLE_WEIGHT as isize,
    /// Timestamps; not gathered by default.
    Time = sys::GLS_ROLE_TIME as isize,
    /// Not gathered by default.
    Other = sys::GLS_ROLE_OTHER as isize,
}

impl Role {
    fn from_number(role: i32) -> Self {
        let known = [Self::Feature, Self::Label, Self::Weight, Self::Time];
        let found = known.into_iter().find(|&known| known as i32 == role);
        found.unwrap_or(Self::Other)
    }
}

/// Where an opened dataset lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Residency {
    /// Files are mapped: opens at once, memory is shared by processes.
    #[default]
    Mapped = sys::GLS_RESIDENCY_MAPPED as isize,
    /// The topology is read into private memory: faster sampling.
    Topology = sys::GLS_RESIDENCY_TOPOLOGY as isize,
    /// The topology and all columns are.
    All = sys::GLS_RESIDENCY_ALL as isize,
}

/// A node type of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeType<'a> {
    /// Its name: "paper".
    pub name: &'a str,
    /// Number of nodes.
    pub num_nodes: usize,
    /// Number of columns.
    pub num_columns: usize,
    /// Number of named sets of nodes.
    pub num_id_sets: usize,
    /// Whether original ids were kept; see [`Dataset::find_node`].
    pub has_keys: bool,
}

/// An edge type of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EdgeType<'a> {
    /// Its name: "author__writes__paper".
    pub name: &'a str,
    /// The node type of the sources.
    pub source: &'a str,
    /// What the edges mean.
    pub relation: &'a str,
    /// The node type of the targets.
    pub target: &'a str,
    /// Number of edges.
    pub num_edges: usize,
    /// Number of columns.
    pub num_columns: usize,
    /// The layouts that are stored.
    pub layouts: Vec<Layout>,
    /// 32 or 64: width of the stored neighbour ids.
    pub index_bits: u32,
}

/// A column of a node or edge type.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Column<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is for.
    pub role: Role,
    /// The type of its elements.
    pub dtype: DType,
    /// Extents of the whole column, rows first.
    pub shape: Vec<usize>,
    /// Bytes from one row to the next, as stored; rows may be padded.
    pub row_stride: usize,
    /// Of each code of a quantised column, which is float32 to users; else 0.
    pub bits: u32,
    /// What each code of a quantised column stands for; else empty.
    pub codebook: &'a [f32],
    /// What the numbers stand for: a timestamp, date, time or duration, as the format string of
    /// Arrow's C data interface, such as "tsu:UTC". `None`: plain numbers.
    pub logical_type: Option<&'a str>,
}

/// A named set of nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IdSet<'a> {
    /// "train", "valid", "test", or any other.
    pub name: &'a str,
    /// How many ids it holds.
    pub num_ids: usize,
}

/// The neighbours of each node, as stored. See [`Dataset::topology`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Topology {
    /// int64 `[nodes + 1]`: where the neighbours of each node begin and end.
    pub indptr: Tensor,
    /// int32 or int64 `[edges]`: the neighbours.
    pub indices: Tensor,
    /// int32 or int64 `[edges]`: the id of each edge; `None` when it is the position in `indices`.
    pub edge_ids: Option<Tensor>,
}

/// An immutable graph of one or several node and edge types, with columns and named sets of nodes.
///
/// Made by [`Dataset::open`] or a [`DatasetBuilder`](crate::DatasetBuilder); safe to use from
/// several threads. Where there is only one node or edge type, `None` stands for its name
/// everywhere.
///
/// ```
/// # use gls::{Context, DatasetBuilder, Role};
/// let context = Context::new()?;
/// let mut builder = DatasetBuilder::new(&context)?;
/// builder.add_edges("user__likes__item", vec![0i64, 1, 1], vec![0i64, 0, 1])?;
/// builder.add_node_column("item", "price", vec![9.5f32, 3.0], Role::Feature)?;
/// let dataset = builder.build()?;
///
/// assert_eq!(dataset.num_edges("user__likes__item")?, 3);
/// assert_eq!(dataset.num_edges(None)?, 3); // the only edge type
/// let price = dataset.node_column("item", "price")?;
/// assert_eq!(price.as_slice::<f32>()?, [9.5, 3.0]);
/// # Ok::<(), gls::Error>(())
/// ```
pub struct Dataset {
    raw: NonNull<sys::gls_dataset_t>,
}

// SAFETY: gls.h: every call on a dataset is [any]; release, by Drop, may happen on any thread.
unsafe impl Send for Dataset {}
// SAFETY: as above.
unsafe impl Sync for Dataset {}

impl Drop for Dataset {
    fn drop(&mut self) {
        // SAFETY: owned, and this is the last call on it.
        unsafe { sys::gls_dataset_release(self.raw.as_ptr()) }
    }
}

/// The node or edge type an array belongs to is a node type.
#[derive(Clone, Copy)]
enum Of {
    Nodes,
    Edges,
}

impl Dataset {
    /// # Safety
    /// `raw` is owned.
    pub(crate) unsafe fn from_raw(raw: NonNull<sys::gls_dataset_t>) -> Self {
        Self { raw }
    }

    pub(crate) fn raw(&self) -> *mut sys::gls_dataset_t {
        self.raw.as_ptr()
    }

    /// The handle, for calls of [`sys`] that this crate does not have. Borrowed: it must not be
    /// released.
    pub fn as_raw(&self) -> *mut sys::gls_dataset_t {
        self.raw()
    }

    /// Opens a dataset folder, mapped. That takes no time, however large it is. The folder must not
    /// be changed while it is open; replace it by renaming. Of a folder of parts the whole graph is
    /// opened, and of `gls://host:port,host:port` the graph whose parts [servers](crate::Server) have.
    pub fn open(context: &Context, path: impl AsRef<Path>) -> Result<Self> {
        Self::options().open(context, path)
    }

    /// Options for opening a dataset folder.
    pub fn options<'p>() -> OpenOptions<'p> {
        OpenOptions::default()
    }

    /// Options of a [`Sampler`](crate::Sampler) of this dataset.
    pub fn sampler(&self) -> SamplerBuilder<'_> {
        SamplerBuilder::new(self)
    }

    // ---- devices ----

    /// A view of this dataset that works on a device. Its samplers and loaders sample and deliver
    /// there, unless they are given another device, and its [`Dataset::rows`] returns rows there.
    /// Creating it copies and reads nothing, and does not change this dataset. All other results of
    /// the view are on the host.
    ///
    /// Columns that [`Dataset::rows`] was called for stay in memory of the device. Loaders use them
    /// there, too. They stay until the last dataset that works on the device is dropped.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when this GPU does not exist, or GPUs cannot be used here; the text
    /// gives the reason.
    pub fn on(&self, device: Device) -> Result<Self> {
        // SAFETY: a live handle.
        let raw = make(|out, error| unsafe {
            sys::gls_dataset_on_device(self.raw(), device.to_dl(), out, error)
        })?;
        Ok(Self { raw })
    }

    /// The device where it works: the host, unless [`Dataset::on`] set another.
    pub fn device(&self) -> Result<Device> {
        // SAFETY: a live handle.
        Device::asked(|out, error| unsafe { sys::gls_dataset_device(self.raw(), out, error) })
    }

    // ---- description ----

    /// The node types, in the manifest's order.
    pub fn node_types(&self) -> Result<Vec<NodeType<'_>>> {
        // SAFETY: a live handle.
        let count = unsafe { sys::gls_dataset_num_node_types(self.raw()) };
        (0..count)
            .map(|index| {
                let mut info = sys::gls_node_type_info_t::default();
                // SAFETY: a live handle, and a struct of the stated size.
                call(|error| unsafe {
                    sys::gls_dataset_get_node_type_info(self.raw(), index, &mut info, error)
                })?;
                Ok(NodeType {
                    // SAFETY: lives as long as the dataset.
                    name: unsafe { lossy(info.name) },
                    num_nodes: info.num_nodes as usize,
                    num_columns: info.num_columns,
                    num_id_sets: info.num_id_sets,
                    has_keys: info.has_keys != 0,
                })
            })
            .collect()
    }

    /// The edge types, in the manifest's order.
    pub fn edge_types(&self) -> Result<Vec<EdgeType<'_>>> {
        // SAFETY: a live handle.
        let count = unsafe { sys::gls_dataset_num_edge_types(self.raw()) };
        (0..count)
            .map(|index| {
                let mut info = sys::gls_edge_type_info_t::default();
                // SAFETY: a live handle, and a struct of the stated size.
                call(|error| unsafe {
                    sys::gls_dataset_get_edge_type_info(self.raw(), index, &mut info, error)
                })?;
                let stored = |layout: &Layout| info.layouts & *layout as u32 != 0;
                // SAFETY: the names live as long as the dataset.
                unsafe {
                    Ok(EdgeType {
                        name: lossy(info.name),
                        source: lossy(info.source),
                        relation: lossy(info.relation),
                        target: lossy(info.target),
                        num_edges: info.num_edges as usize,
                        num_columns: info.num_columns,
                        layouts: [Layout::Csc, Layout::Csr]
                            .into_iter()
                            .filter(stored)
                            .collect(),
                        index_bits: info.index_bits,
                    })
                }
            })
            .collect()
    }

    /// The number of nodes of a type.
    pub fn num_nodes<'t>(&self, node_type: impl Into<Option<&'t str>>) -> Result<usize> {
        let node_type = node_type.into();
        let name = Name::new("type", node_type)?;
        // SAFETY: a live handle and a terminated string or NULL.
        let count = unsafe { sys::gls_dataset_num_nodes(self.raw(), name.as_ptr()) };
        usize::try_from(count).map_err(|_| no_type("node", node_type))
    }

    /// The number of edges of a type.
    pub fn num_edges<'t>(&self, edge_type: impl Into<Option<&'t str>>) -> Result<usize> {
        let edge_type = edge_type.into();
        let name = Name::new("type", edge_type)?;
        // SAFETY: a live handle and a terminated string or NULL.
        let count = unsafe { sys::gls_dataset_num_edges(self.raw(), name.as_ptr()) };
        usize::try_from(count).map_err(|_| no_type("edge", edge_type))
    }

    /// The columns of a node type.
    pub fn node_columns<'t>(
        &self,
        node_type: impl Into<Option<&'t str>>,
    ) -> Result<Vec<Column<'_>>> {
        let node_type = node_type.into();
        let types = self.node_types()?;
        let info = types
            .iter()
            .find(|info| node_type.map_or(types.len() == 1, |name| name == info.name))
            .ok_or_else(|| no_type("node", node_type))?;
        self.columns(Of::Nodes, info.name, info.num_columns)
    }

    /// The columns of an edge type.
    pub fn edge_columns<'t>(
        &self,
        edge_type: impl Into<Option<&'t str>>,
    ) -> Result<Vec<Column<'_>>> {
        let edge_type = edge_type.into();
        let types = self.edge_types()?;
        let info = types
            .iter()
            .find(|info| edge_type.map_or(types.len() == 1, |name| name == info.name))
            .ok_or_else(|| no_type("edge", edge_type))?;
        self.columns(Of::Edges, info.name, info.num_columns)
    }

    fn columns(&self, of: Of, name: &str, count: usize) -> Result<Vec<Column<'_>>> {
        let name = c_string("type", name)?;
        let function = match of {
            Of::Nodes => sys::gls_dataset_get_node_column_info,
            Of::Edges => sys::gls_dataset_get_edge_column_info,
        };
        (0..count)
            .map(|index| {
                let mut info = sys::gls_column_info_t::default();
                // SAFETY: a live handle, a terminated string, and a struct of the stated size.
                call(|error| unsafe {
                    function(self.raw(), name.as_ptr(), index, &mut info, error)
                })?;
                // SAFETY: what the description points to lives as long as the dataset.
                unsafe {
                    let extents = (0..info.ndim as usize).map(|d| *info.shape.add(d) as usize);
                    Ok(Column {
                        name: lossy(info.name),
                        role: Role::from_number(info.role),
                        dtype: DType::from_dl(info.dtype),
                        shape: extents.collect(),
                        row_stride: info.row_stride as usize,
                        bits: info.bits,
                        codebook: if info.codebook.is_null() {
                            &[]
                        } else {
                            std::slice::from_raw_parts(info.codebook, 1 << info.bits)
                        },
                        logical_type: (!info.logical_type.is_null())
                            .then(|| lossy(info.logical_type)),
                    })
                }
            })
            .collect()
    }

    /// The named sets of nodes of a type.
    pub fn id_sets<'t>(&self, node_type: impl Into<Option<&'t str>>) -> Result<Vec<IdSet<'_>>> {
        let node_type = node_type.into();
        let types = self.node_types()?;
        let found = types
            .iter()
            .find(|info| node_type.map_or(types.len() == 1, |name| name == info.name))
            .ok_or_else(|| no_type("node", node_type))?;
        let name = c_string("type", found.name)?;
        (0..found.num_id_sets)
            .map(|index| {
                let mut info = sys::gls_id_set_info_t::default();
                // SAFETY: a live handle, a terminated string, and a struct of the stated size.
                call(|error| unsafe {
                    sys::gls_dataset_get_id_set_info(
                        self.raw(),
                        name.as_ptr(),
                        index,
                        &mut info,
                        error,
                    )
                })?;
                Ok(IdSet {
                    // SAFETY: lives as long as the dataset.
                    name: unsafe { lossy(info.name) },
                    num_ids: info.num_ids as usize,
                })
            })
            .collect()
    }

    // ---- arrays, in place and read-only ----

    /// A whole column of a node type, in place: `[nodes, ...]`.
    pub fn node_column<'t>(
        &self,
        node_type: impl Into<Option<&'t str>>,
        name: &str,
    ) -> Result<Tensor> {
        self.tensor(sys::GLS_ARRAY_NODE_COLUMN, node_type.into(), Some(name))
    }

    /// A whole column of an edge type, in place: `[edges, ...]`, by edge id.
    pub fn edge_column<'t>(
        &self,
        edge_type: impl Into<Option<&'t str>>,
        name: &str,
    ) -> Result<Tensor> {
        self.tensor(sys::GLS_ARRAY_EDGE_COLUMN, edge_type.into(), Some(name))
    }

    /// The ids of a named set of nodes, in place: int64 or int32 `[ids]`.
    pub fn id_set<'t>(&self, node_type: impl Into<Option<&'t str>>, name: &str) -> Result<Tensor> {
        self.tensor(sys::GLS_ARRAY_ID_SET, node_type.into(), Some(name))
    }

    /// A stored topology, in place.
    pub fn topology<'t>(
        &self,
        edge_type: impl Into<Option<&'t str>>,
        layout: Layout,
    ) -> Result<Topology> {
        let edge_type = edge_type.into();
        let first = match layout {
            Layout::Csc => sys::GLS_ARRAY_CSC_INDPTR,
            Layout::Csr => sys::GLS_ARRAY_CSR_INDPTR,
        };
        let indptr = self.tensor(first, edge_type, None)?;
        let edge_ids = match self.tensor(first + 2, edge_type, None) {
            Ok(tensor) => Some(tensor),
            Err(Error::NotFound(_)) => None, // ids are positions
            Err(error) => return Err(error),
        };
        Ok(Topology {
            indptr,
            indices: self.tensor(first + 1, edge_type, None)?,
            edge_ids,
        })
    }

    fn tensor(&self, array: i32, of: Option<&str>, name: Option<&str>) -> Result<Tensor> {
        let of = Name::new("type", of)?;
        let name = Name::new("name", name)?;
        // SAFETY: a live handle, and terminated strings or NULL.
        let raw = make(|out, error| unsafe {
            sys::gls_dataset_tensor(self.raw(), array, of.as_ptr(), name.as_ptr(), out, error)
        })?;
        // SAFETY: just handed over.
        Ok(unsafe { Tensor::from_raw(raw) })
    }

    // ---- questions ----

    /// Both ends of edges: sources and targets, int64 `[edges]` each.
    ///
    /// The first call for a type whose edge ids are not positions reads all of them, and keeps 8
    /// bytes per edge with the dataset.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an id out of range, naming its position.
    pub fn find_edges<'t>(
        &self,
        edge_type: impl Into<Option<&'t str>>,
        edges: &[impl Id],
    ) -> Result<(Tensor, Tensor)> {
        let edge_type = Name::new("type", edge_type.into())?;
        let edges = Borrowed::vector(edges);
        let mut target = std::ptr::null_mut();
        // SAFETY: a live handle, a terminated string or NULL, and an array that is alive.
        let source = make(|source, error| unsafe {
            sys::gls_dataset_find_edges(
                self.raw(),
                edge_type.as_ptr(),
                &edges.describe(),
                source,
                &mut target,
                error,
            )
        })?;
        let target = NonNull::new(target);
        // SAFETY: both were just handed over.
        let source = unsafe { Tensor::from_raw(source) };
        match target {
            // SAFETY: as above.
            Some(target) => Ok((source, unsafe { Tensor::from_raw(target) })),
            None => Err(Error::here(
                sys::GLS_ERR_INTERNAL,
                "",
                "success without an object",
            )),
        }
    }

    /// Whether there is an edge from each source to its target.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a node out of range, naming its position, and for lists of
    /// different lengths.
    pub fn has_edges<'t>(
        &self,
        edge_type: impl Into<Option<&'t str>>,
        source: &[impl Id],
        target: &[impl Id],
    ) -> Result<Vec<bool>> {
        let edge_type = Name::new("type", edge_type.into())?;
        let (source, target) = (Borrowed::vector(source), Borrowed::vector(target));
        // SAFETY: a live handle, a terminated string or NULL, and arrays that are alive.
        let raw = make(|out, error| unsafe {
            sys::gls_dataset_has_edges(
                self.raw(),
                edge_type.as_ptr(),
                &source.describe(),
                &target.describe(),
                out,
                error,
            )
        })?;
        // SAFETY: just handed over.
        let found = unsafe { Tensor::from_raw(raw) };
        let bytes = found.as_slice::<u8>()?;
        Ok(bytes.iter().map(|&byte| byte != 0).collect())
    }

    /// How many edges come in to these targets, or go out from these sources: int64 `[nodes]`.
    ///
    /// Reads all edges where the layout that has them by node is not stored.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a node out of range, naming its position.
    pub fn degrees<'t>(
        &self,
        edge_type: impl Into<Option<&'t str>>,
        direction: Direction,
        nodes: &[impl Id],
    ) -> Result<Tensor> {
        self.degrees_of(edge_type.into(), direction, Some(Borrowed::vector(nodes)))
    }

    /// As [`Dataset::degrees`], of all nodes at that end.
    pub fn all_degrees<'t>(
        &self,
        edge_type: impl Into<Option<&'t str>>,
        direction: Direction,
    ) -> Result<Tensor> {
        self.degrees_of(edge_type.into(), direction, None)
    }

    fn degrees_of(
        &self,
        edge_type: Option<&str>,
        direction: Direction,
        nodes: Option<Borrowed<'_>>,
    ) -> Result<Tensor> {
        let edge_type = Name::new("type", edge_type)?;
        let nodes = nodes.as_ref().map(Borrowed::describe);
        // SAFETY: a live handle, a terminated string or NULL, and an array that is alive or NULL.
        let raw = make(|out, error| unsafe {
            sys::gls_dataset_degrees(
                self.raw(),
                edge_type.as_ptr(),
                direction as i32,
                nodes.as_ref().map_or(std::ptr::null(), |view| view),
                out,
                error,
            )
        })?;
        // SAFETY: just handed over.
        Ok(unsafe { Tensor::from_raw(raw) })
    }

    /// Rows of a column by id: `[ids, ...]`, in memory of their own, on the [device](Self::device).
    ///
    /// On a GPU they are gathered as loaders do, from the place that the settings `device.*` choose
    /// for the column. The first call for the column places it there. Rows of a graph on servers
    /// are copied to the GPU.
    ///
    /// In a graph in parts they come from the owners of the ids, each row once, however often its
    /// id is given. A quantised column is decoded. `type_name` is a node or edge type; `None`: the
    /// only node type.
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the type or column does not exist, or a part that is open by itself
    ///   has no row for an id.
    /// - [`Error::InvalidArgument`] for an id out of range, naming its position.
    pub fn rows<'t>(
        &self,
        type_name: impl Into<Option<&'t str>>,
        column: &str,
        ids: &[impl Id],
    ) -> Result<Tensor> {
        let type_name = Name::new("type", type_name.into())?;
        let column = Name::new("column", Some(column))?;
        let ids = Borrowed::vector(ids);
        // SAFETY: a live handle, terminated strings or NULL, and an array that is alive.
        let raw = make(|out, error| unsafe {
            sys::gls_dataset_rows(
                self.raw(),
                type_name.as_ptr(),
                column.as_ptr(),
                &ids.describe(),
                out,
                error,
            )
        })?;
        // SAFETY: just handed over.
        Ok(unsafe { Tensor::from_raw(raw) })
    }

    /// The part that owns each node or edge: int32 `[ids]`.
    ///
    /// An edge belongs to the owner of its target where the layout CSC is stored, else to that of
    /// its source. In a dataset without parts all are 0. A part that is open by itself uses its own
    /// ids: the result is the part's number, or -1 where another part is the owner. `type_name` is
    /// a node or edge type; `None`: the only node type.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is no such type; [`Error::InvalidArgument`] for an id out of
    /// range, naming its position.
    pub fn owners<'t>(
        &self,
        type_name: impl Into<Option<&'t str>>,
        ids: &[impl Id],
    ) -> Result<Tensor> {
        let type_name = Name::new("type", type_name.into())?;
        let ids = Borrowed::vector(ids);
        // SAFETY: a live handle, a terminated string or NULL, and an array that is alive.
        let raw = make(|out, error| unsafe {
            sys::gls_dataset_owners(self.raw(), type_name.as_ptr(), &ids.describe(), out, error)
        })?;
        // SAFETY: just handed over.
        Ok(unsafe { Tensor::from_raw(raw) })
    }

    /// A trainer's share of some ids, to be the seeds of its loader: int64, in the given order.
    ///
    /// Shares are even: they differ by one id at most, and together they are all of the ids. Each
    /// has as many ids of the trainer's own part as fit. Every trainer computes its share from
    /// equal arguments, without asking another. In a dataset without parts, and in a part that is
    /// open by itself, shares are runs of the given order. `type_name` is a node or edge type;
    /// `None`: the only node type.
    ///
    /// `rank_parts` is the part of each rank, equal for all trainers. `None`: the ranks of a part
    /// are consecutive, as launchers number the trainers of one machine. With more parts than
    /// ranks, the parts of a rank are consecutive.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is no such type; [`Error::InvalidArgument`] for a number out of
    /// range, or a wrong number of parts.
    pub fn share_ids<'t>(
        &self,
        type_name: impl Into<Option<&'t str>>,
        ids: &[impl Id],
        rank: u32,
        world_size: u32,
        rank_parts: Option<&[i32]>,
    ) -> Result<Tensor> {
        let ids = Some(Borrowed::vector(ids));
        self.share_of(type_name.into(), ids, rank, world_size, rank_parts)
    }

    /// As [`Dataset::share_ids`], of all nodes or edges of the type.
    pub fn share_all_ids<'t>(
        &self,
        type_name: impl Into<Option<&'t str>>,
        rank: u32,
        world_size: u32,
        rank_parts: Option<&[i32]>,
    ) -> Result<Tensor> {
        self.share_of(type_name.into(), None, rank, world_size, rank_parts)
    }

    fn share_of(
        &self,
        type_name: Option<&str>,
        ids: Option<Borrowed<'_>>,
        rank: u32,
        world_size: u32,
        rank_parts: Option<&[i32]>,
    ) -> Result<Tensor> {
        let type_name = Name::new("type", type_name)?;
        let ids = ids.as_ref().map(Borrowed::describe);
        let parts = rank_parts.map(Borrowed::vector);
        let parts = parts.as_ref().map(Borrowed::describe);
        // SAFETY: a live handle, a terminated string or NULL, and arrays that are alive or NULL.
        let raw = make(|out, error| unsafe {
            sys::gls_dataset_share_ids(
                self.raw(),
                type_name.as_ptr(),
                ids.as_ref().map_or(std::ptr::null(), |view| view),
                rank,
                world_size,
                parts.as_ref().map_or(std::ptr::null(), |view| view),
                out,
                error,
            )
        })?;
        // SAFETY: just handed over.
        Ok(unsafe { Tensor::from_raw(raw) })
    }

    // ---- original ids ----

    /// The node that was called `key` (text, or an integer in decimal) when the data was imported.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there was none; [`Error::Unsupported`] when the type kept no
    /// original ids.
    pub fn find_node<'t>(&self, node_type: impl Into<Option<&'t str>>, key: &str) -> Result<i64> {
        let node_type = Name::new("type", node_type.into())?;
        let key = c_string("key", key)?;
        let mut out = 0;
        // SAFETY: a live handle, and terminated strings or NULL.
        call(|error| unsafe {
            sys::gls_dataset_find_node(
                self.raw(),
                node_type.as_ptr(),
                key.as_ptr(),
                &mut out,
                error,
            )
        })?;
        Ok(out)
    }

    /// What a node was called when the data was imported.
    pub fn node_key<'t>(&self, node_type: impl Into<Option<&'t str>>, node: i64) -> Result<String> {
        let node_type = Name::new("type", node_type.into())?;
        // SAFETY: a live handle, a terminated string or NULL, and a buffer of the length given.
        text(64, |buffer, capacity, length, error| unsafe {
            sys::gls_dataset_node_key(
                self.raw(),
                node_type.as_ptr(),
                node,
                buffer,
                capacity,
                length,
                error,
            )
        })
    }

    // ---- functions of its servers ----

    /// Calls a function of a server that has this part of the graph, see
    /// [`Server::function`](crate::Server::function), and waits for the reply. Of several servers
    /// it calls one that is connected. When that server is lost, it waits for the server. It calls
    /// another one instead if nothing was sent yet or the call is
    /// [idempotent](CallOptions::idempotent).
    ///
    /// # Errors
    /// - Those of the function.
    /// - [`Error::NotFound`] when no function has this name.
    /// - [`Error::Unsupported`] when no server serves this dataset.
    /// - [`Error::TimedOut`]; [`Error::Io`].
    pub fn call(
        &self,
        part: u32,
        function: &str,
        data: impl AsRef<[u8]>,
        options: CallOptions,
    ) -> Result<Bytes> {
        self.begin_call(part, function, data, options)?.wait()
    }

    /// A call to wait for in another way.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`], [`Error::Unsupported`]; the future returns the other errors.
    pub fn begin_call(
        &self,
        part: u32,
        function: &str,
        data: impl AsRef<[u8]>,
        options: CallOptions,
    ) -> Result<Future<Bytes>> {
        let data = data.as_ref();
        begin(
            function,
            options,
            |function, timeout_ms, options, out, error| {
                let (start, size) = (data.as_ptr().cast(), data.len());
                // SAFETY: a live handle, a terminated string and so many bytes; call is [any].
                unsafe {
                    let dataset = self.raw();
                    sys::gls_dataset_call(
                        dataset, part, function, start, size, timeout_ms, options, out, error,
                    )
                }
            },
        )
    }

    // ---- long calls ----

    /// Reads everything and checks that it is sound; stops at the first fault, with
    /// [`Error::CorruptData`] naming file, position and value.
    pub fn verify(&self) -> Result<()> {
        self.verify_inner(None)
    }

    /// As [`Dataset::verify`], telling of the progress; `Break` ends it with [`Error::Canceled`].
    pub fn verify_with_progress(
        &self,
        mut progress: impl FnMut(&Progress<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        self.verify_inner(Some(&mut progress))
    }

    fn verify_inner(&self, progress: Option<&mut ProgressFn<'_>>) -> Result<()> {
        with_progress(progress, |function, data| {
            let options = sys::gls_verify_options_t {
                progress: function,
                progress_user_data: data,
                ..Default::default()
            };
            // SAFETY: a live handle; the progress function is only called during the call.
            call(|error| unsafe { sys::gls_dataset_verify(self.raw(), &options, error) })
        })?;
        Ok(())
    }

    /// Writes the dataset to a new folder, which appears complete or not at all, with the layouts
    /// it has.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_with(path, WriteOptions::new())
    }

    /// As [`Dataset::save`], with options.
    pub fn save_with(&self, path: impl AsRef<Path>, options: WriteOptions<'_>) -> Result<()> {
        let path = c_path("path", path.as_ref())?;
        options.call(|options| {
            // SAFETY: a live handle, a terminated string, options of this header.
            call(|error| unsafe {
                sys::gls_dataset_save(self.raw(), path.as_ptr(), options, error)
            })
        })?;
        Ok(())
    }
}

impl fmt::Debug for Dataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Dataset");
        for info in self.node_types().unwrap_or_default() {
            out.field(info.name, &info.num_nodes);
        }
        for info in self.edge_types().unwrap_or_default() {
            out.field(info.name, &info.num_edges);
        }
        out.finish()
    }
}

fn no_type(kind: &'static str, name: Option<&str>) -> Error {
    let message = match name {
        Some(name) => format!("type: the dataset has no {kind} type {name:?}"),
        None => format!("type: the dataset has not exactly one {kind} type: name one"),
    };
    let status = if name.is_some() {
        sys::GLS_ERR_NOT_FOUND
    } else {
        sys::GLS_ERR_INVALID_ARGUMENT
    };
    Error::here(status, "type", message)
}

/// Options for opening a dataset folder.
///
/// ```no_run
/// use std::ops::ControlFlow;
/// # let context = gls::Context::new()?;
/// let dataset = gls::Dataset::options()
///     .residency(gls::Residency::Topology)
///     .progress(|progress| {
///         eprintln!("{} {} {}", progress.stage, progress.done, progress.unit);
///         ControlFlow::Continue(())
///     })
///     .open(&context, "papers")?;
/// # Ok::<(), gls::Error>(())
/// ```
#[derive(Default)]
#[must_use = "nothing is opened before open()"]
pub struct OpenOptions<'p> {
    residency: Residency,
    verify_checksums: bool,
    progress: Option<Box<ProgressFn<'p>>>,
}

impl<'p> OpenOptions<'p> {
    /// Where the arrays shall lie.
    pub fn residency(mut self, residency: Residency) -> Self {
        self.residency = residency;
        self
    }

    /// Whether to read every byte and compare checksums first. ([`Dataset::verify`] checks more.)
    pub fn verify_checksums(mut self, verify: bool) -> Self {
        self.verify_checksums = verify;
        self
    }

    /// Called while data for the other two options is read, and while the call searches for
    /// servers. `Break` ends the call with [`Error::Canceled`]. If it panics, the call ends, and
    /// the panic continues.
    pub fn progress(mut self, progress: impl FnMut(&Progress<'_>) -> ControlFlow<()> + 'p) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Opens a dataset folder, a folder of parts, or a graph that servers have; see [`Dataset::open`].
    ///
    /// # Errors
    /// [`Error::TimedOut`] when servers were not reached, or no server has a part.
    pub fn open(mut self, context: &Context, path: impl AsRef<Path>) -> Result<Dataset> {
        let path = c_path("path", path.as_ref())?;
        let (residency, verify_checksums) = (self.residency as i32, self.verify_checksums.into());
        with_progress(self.progress.as_deref_mut(), |function, data| {
            let options = sys::gls_dataset_options_t {
                residency,
                verify_checksums,
                progress: function,
                progress_user_data: data,
                ..Default::default()
            };
            // SAFETY: live handle, terminated string; the progress function is only called during
            // the call.
            let raw = make(|out, error| unsafe {
                sys::gls_dataset_open(context.raw(), path.as_ptr(), &options, out, error)
            })?;
            Ok(Dataset { raw })
        })
    }
}

impl fmt::Debug for OpenOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenOptions")
            .field("residency", &self.residency)
            .field("verify_checksums", &self.verify_checksums)
            .finish_non_exhaustive()
    }
}

/// Options for making and writing a dataset.
#[derive(Default)]
#[must_use = "options do nothing by themselves"]
pub struct WriteOptions<'p> {
    memory: u64,
    layouts: u32,
    overwrite: bool,
    compact_rows: bool,
    progress: Option<Box<ProgressFn<'p>>>,
}

impl<'p> WriteOptions<'p> {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes the call may use besides its input; 0, the default: a quarter of the machine's memory.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }

    /// Which layouts to store. By default CSC, or those a saved dataset has.
    pub fn layouts(mut self, layouts: impl IntoIterator<Item = Layout>) -> Self {
        self.layouts = layouts
            .into_iter()
            .fold(0, |bits, layout| bits | layout as u32);
        self
    }

    /// Whether an existing dataset at the path is replaced, at once. Anything that is not a dataset
    /// folder stays.
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// Whether rows of columns are padded to cache lines: they are by default.
    pub fn row_padding(mut self, padding: bool) -> Self {
        self.compact_rows = !padding;
        self
    }

    /// Called during the work. `Break` ends the call with [`Error::Canceled`] and leaves nothing
    /// behind. If it panics, the call ends in the same way, and the panic continues.
    pub fn progress(mut self, progress: impl FnMut(&Progress<'_>) -> ControlFlow<()> + 'p) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    pub(crate) fn call<R>(mut self, function: impl FnOnce(&sys::gls_write_options_t) -> R) -> R {
        let mut options = sys::gls_write_options_t {
            memory: self.memory,
            layouts: self.layouts,
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

impl fmt::Debug for WriteOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteOptions")
            .field("memory", &self.memory)
            .field("layouts", &self.layouts)
            .field("overwrite", &self.overwrite)
            .field("row_padding", &!self.compact_rows)
            .finish_non_exhaustive()
    }
}
