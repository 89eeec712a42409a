//! Partition: a graph cut into parts, for several machines.

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::ptr::NonNull;

use gls_sys as sys;

use crate::data::dataset::{Dataset, WriteOptions};
use crate::memory::dtype::Id;
use crate::memory::tensor::{Borrowed, Tensor};
use crate::runtime::context::Context;
use crate::runtime::error::{call, lossy, make, Result};
use crate::runtime::names::{c_path, edge_type, Name};
use crate::runtime::progress::{with_progress, Progress, ProgressFn};

/// Which part of a graph a dataset is. See [`Dataset::part`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartInfo<'a> {
    /// From 0.
    pub number: u32,
    /// How many parts the graph has.
    pub parts: u32,
    /// Names the partition, 16 hexadecimal digits: [`Partition::graph`].
    pub graph: &'a str,
}

/// In how many parts a graph is, and which of them are at hand. See [`Dataset::parts`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parts {
    /// Number of parts, at least 1.
    pub count: u32,
    /// The numbers of those that are read in this process, ascending.
    pub here: Vec<u32>,
}

/// The global ids of the ids of a part. See [`Dataset::global_ids`].
#[derive(Debug)]
#[non_exhaustive]
pub struct GlobalIds {
    /// int64 `[ids of the part]`: the owned ids, ascending, then the others.
    pub ids: Tensor,
    /// How many are owned.
    pub owned: usize,
}

impl Dataset {
    /// Which part of a graph this is, when it was opened from a folder of a [`Partition`]; else `None`.
    pub fn part(&self) -> Result<Option<PartInfo<'_>>> {
        let mut info = sys::gls_part_info_t::default();
        // SAFETY: a live handle, and a struct of the stated size.
        call(|error| unsafe { sys::gls_dataset_get_part_info(self.raw(), &mut info, error) })?;
        Ok((!info.graph.is_null()).then(|| PartInfo {
            number: info.number,
            parts: info.parts,
            // SAFETY: lives as long as the dataset.
            graph: unsafe { lossy(info.graph) },
        }))
    }

    /// How many parts the graph has, and which of them were local when it was opened.
    ///
    /// A part is local if this process reads its rows without a request to a server:
    ///
    /// - A folder of parts that is open as a whole: all parts.
    /// - A graph on servers: the parts of servers in this process, and parts that are mapped from
    ///   the files of servers on this host. There may be none.
    /// - A dataset without parts: part 0 of one.
    /// - A part that is open by itself: the parts of its graph, and its own number.
    pub fn parts(&self) -> Result<Parts> {
        let mut count = 0;
        // SAFETY: a live handle, and a number to write to.
        let raw = make(|out, error| unsafe {
            sys::gls_dataset_parts(self.raw(), &mut count, out, error)
        })?;
        // SAFETY: just handed over.
        let here = unsafe { Tensor::from_raw(raw) };
        let here = here.as_slice::<i64>()?.iter().map(|&number| number as u32);
        Ok(Parts {
            count,
            here: here.collect(),
        })
    }

    /// The global ids of the ids of a part, of a node or edge type. Columns that are features or
    /// labels have rows for a beginning of the ids only: at least for the owned.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) for a dataset that is no part.
    pub fn global_ids<'t>(&self, type_name: impl Into<Option<&'t str>>) -> Result<GlobalIds> {
        let name = Name::new("type", type_name.into())?;
        let mut owned = 0;
        // SAFETY: a live handle, and a terminated string or NULL.
        let raw = make(|out, error| unsafe {
            sys::gls_dataset_global_ids(self.raw(), name.as_ptr(), out, &mut owned, error)
        })?;
        Ok(GlobalIds {
            // SAFETY: just handed over.
            ids: unsafe { Tensor::from_raw(raw) },
            owned: owned as usize,
        })
    }
}

/// A node type of the whole graph.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartitionNodeType<'a> {
    /// Its name: "paper".
    pub name: &'a str,
    /// Number of nodes in the whole.
    pub num_nodes: usize,
}

/// An edge type of the whole graph.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartitionEdgeType<'a> {
    /// Its name: "author__writes__paper".
    pub name: String,
    /// The node type of the sources.
    pub source: &'a str,
    /// What the edges mean.
    pub relation: &'a str,
    /// The node type of the targets.
    pub target: &'a str,
    /// Number of edges in the whole.
    pub num_edges: usize,
}

/// A folder of parts, as [`Dataset::partition`] writes it; safe to use from several threads.
///
/// It does not open the parts: each is a dataset of its own, in the folder `part-0`, `part-1`, ...
///
/// ```
/// # use gls::{Context, Dataset, DatasetBuilder, Partition, PartitionMethod, PartitionOptions};
/// # let context = Context::new()?;
/// # let mut builder = DatasetBuilder::new(&context)?;
/// # builder.add_edges("node__to__node", vec![0i64, 1, 2, 3], vec![1i64, 2, 3, 0])?;
/// # let dataset = builder.build()?;
/// # let folder = std::env::temp_dir().join(format!("gls-rust-parts-{}", std::process::id()));
/// dataset.partition(&folder, PartitionOptions::new().parts(2).owners([[0u8, 0, 1, 1]]))?;
/// let partition = Partition::open(&context, &folder)?;
/// assert_eq!(partition.owners(None, &[3i64, 0])?.as_slice::<i32>()?, [1, 0]);
/// let part = Dataset::open(&context, folder.join("part-1"))?;
/// let whole = part.global_ids("node")?;
/// assert_eq!(whole.ids.as_slice::<i64>()?[..whole.owned], [2, 3]);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), gls::Error>(())
/// ```
pub struct Partition {
    raw: NonNull<sys::gls_partition_t>,
    /// What does not change. Its strings are the partition's.
    info: sys::gls_partition_info_t,
}

// SAFETY: gls.h: every call on a partition is [any]; release, by Drop, may happen on any thread. The
// strings of `info` live as long as it and are only read.
unsafe impl Send for Partition {}
// SAFETY: as above.
unsafe impl Sync for Partition {}

impl Drop for Partition {
    fn drop(&mut self) {
        // SAFETY: owned, and this is the last call on it.
        unsafe { sys::gls_partition_release(self.raw.as_ptr()) }
    }
}

impl Partition {
    /// Opens a folder of parts: reads its description and maps the partition book, which has the
    /// owner of each node.
    ///
    /// # Errors
    /// - [`Error::NotFound`](crate::Error::NotFound) for a path that is not a folder of parts.
    /// - [`Error::CorruptData`](crate::Error::CorruptData).
    /// - [`Error::Unsupported`](crate::Error::Unsupported) for a newer version.
    pub fn open(context: &Context, path: impl AsRef<Path>) -> Result<Self> {
        let path = c_path("path", path.as_ref())?;
        // SAFETY: a live handle and a terminated string.
        let raw = make(|out, error| unsafe {
            sys::gls_partition_open(context.raw(), path.as_ptr(), out, error)
        })?;
        let mut partition = Self {
            raw,
            info: sys::gls_partition_info_t::default(),
        };
        // SAFETY: a live handle, and a struct of the stated size.
        call(|error| unsafe {
            sys::gls_partition_get_info(raw.as_ptr(), &mut partition.info, error)
        })?;
        Ok(partition)
    }

    /// Number of parts.
    pub fn parts(&self) -> u32 {
        self.info.parts
    }

    /// Names the partition: 16 hexadecimal digits.
    pub fn graph(&self) -> &str {
        // SAFETY: lives as long as the partition.
        unsafe { lossy(self.info.graph) }
    }

    /// How owners were chosen; for people.
    pub fn method(&self) -> &str {
        // SAFETY: as above.
        unsafe { lossy(self.info.method) }
    }

    /// With which options; for people.
    pub fn options(&self) -> &str {
        // SAFETY: as above.
        unsafe { lossy(self.info.options) }
    }

    /// The node types of the whole, in the manifest's order.
    pub fn node_types(&self) -> Result<Vec<PartitionNodeType<'_>>> {
        (0..self.info.num_node_types)
            .map(|index| {
                let info = self.get_type(false, index)?;
                Ok(PartitionNodeType {
                    // SAFETY: lives as long as the partition.
                    name: unsafe { lossy(info.name) },
                    num_nodes: info.count as usize,
                })
            })
            .collect()
    }

    /// The edge types of the whole, in the manifest's order.
    pub fn edge_types(&self) -> Result<Vec<PartitionEdgeType<'_>>> {
        (0..self.info.num_edge_types)
            .map(|index| {
                let info = self.get_type(true, index)?;
                // SAFETY: the names live as long as the partition; of an edge type none is NULL.
                let (source, relation, target) =
                    unsafe { (lossy(info.source), lossy(info.name), lossy(info.target)) };
                Ok(PartitionEdgeType {
                    name: edge_type(source, relation, target),
                    source,
                    relation,
                    target,
                    num_edges: info.count as usize,
                })
            })
            .collect()
    }

    fn get_type(&self, edges: bool, index: usize) -> Result<sys::gls_partition_type_info_t> {
        let mut info = sys::gls_partition_type_info_t::default();
        // SAFETY: a live handle, and a struct of the stated size.
        call(|error| unsafe {
            sys::gls_partition_get_type_info(
                self.raw.as_ptr(),
                edges.into(),
                index,
                &mut info,
                error,
            )
        })?;
        Ok(info)
    }

    /// The part that owns each of some nodes, by ids of the whole: int32 `[nodes]`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for an id out of range, with its value.
    pub fn owners<'t>(
        &self,
        node_type: impl Into<Option<&'t str>>,
        ids: &[impl Id],
    ) -> Result<Tensor> {
        let node_type = Name::new("node_type", node_type.into())?;
        let ids = Borrowed::vector(ids);
        // SAFETY: a live handle, a terminated string or NULL, and an array that is alive.
        let raw = make(|out, error| unsafe {
            sys::gls_partition_owners(
                self.raw.as_ptr(),
                node_type.as_ptr(),
                &ids.describe(),
                out,
                error,
            )
        })?;
        // SAFETY: just handed over.
        Ok(unsafe { Tensor::from_raw(raw) })
    }

    /// Writes the whole again, to a new folder, as [`Dataset::save`] would have written it, byte for
    /// byte.
    ///
    /// # Errors
    /// [`Error::CorruptData`](crate::Error::CorruptData) for parts that do not make up the whole, naming
    /// file, type and id; [`Error::AlreadyExists`](crate::Error::AlreadyExists).
    pub fn merge(&self, path: impl AsRef<Path>) -> Result<()> {
        self.merge_with(path, WriteOptions::new())
    }

    /// As [`Partition::merge`], with options: whether to overwrite, and progress.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) for other options.
    pub fn merge_with(&self, path: impl AsRef<Path>, options: WriteOptions<'_>) -> Result<()> {
        let path = c_path("path", path.as_ref())?;
        options.call(|options| {
            // SAFETY: a live handle, a terminated string, options of this header.
            call(|error| unsafe {
                sys::gls_partition_merge(self.raw.as_ptr(), path.as_ptr(), options, error)
            })
        })?;
        Ok(())
    }

    /// Reads everything and checks that each part is sound, and that together they make up the
    /// whole. Stops at the first fault, with [`Error::CorruptData`](crate::Error::CorruptData)
    /// naming file, type and id.
    pub fn verify(&self) -> Result<()> {
        self.verify_inner(None)
    }

    /// As [`Partition::verify`], telling of the progress; `Break` ends it with
    /// [`Error::Canceled`](crate::Error::Canceled).
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
            call(|error| unsafe { sys::gls_partition_verify(self.raw.as_ptr(), &options, error) })
        })?;
        Ok(())
    }
}

impl fmt::Debug for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Partition")
            .field("parts", &self.parts())
            .field("graph", &self.graph())
            .field("method", &self.method())
            .field("options", &self.options())
            .finish()
    }
}
