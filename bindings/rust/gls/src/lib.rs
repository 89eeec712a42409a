//! Mini-batches of large graphs for training graph neural networks. Native threads sample them with
//! their features, and Rust reads them without a copy.
//!
//! This is the safe interface to libgls:
//!
//! - A [`Dataset`] is opened from a folder or made by a [`DatasetBuilder`].
//! - A [`Sampler`] takes neighbours of seeds.
//! - A [`NeighborLoader`] iterates over the [`Batch`]es of an epoch.
//!
//! ```
//! use gls::{Context, DatasetBuilder, Role};
//!
//! fn main() -> gls::Result<()> {
//!     let context = Context::new()?;
//!     let mut builder = DatasetBuilder::new(&context)?;
//!     builder
//!         .add_edges("node__to__node", vec![0i64, 1, 2, 3], vec![1i64, 2, 3, 0])?
//!         .add_node_column("node", "x", vec![0.5f32; 4], Role::Feature)?
//!         .add_id_set("node", "train", vec![0i64, 2, 3])?;
//!     let dataset = builder.build()?; // or Dataset::open(&context, "folder")?
//!
//!     let sampler = dataset.sampler().fanouts([10, 10]).seed(42).build()?;
//!     let loader = sampler.loader().id_set("train").batch_size(2).shuffle(true).build()?;
//!     for batch in loader {
//!         let batch = batch?;
//!         let x: &[f32] = batch.column("x")?.as_slice()?; // features of the sampled nodes
//!         let (row, col) = (batch.row::<i64>()?, batch.col::<i64>()?); // edges, row[i] to col[i]
//!         assert!(row.len() == col.len() && x.len() == batch.node::<i64>()?.len());
//!     }
//!     Ok(())
//! }
//! ```
//!
//! # Ownership
//!
//! Every type owns its native object and frees it when dropped. Objects may be dropped in any
//! order: an object keeps the objects alive that it was made from. Slices and [`TensorView`]s
//! borrow from their [`Batch`] or [`Tensor`]; a [`Tensor`] of a batch keeps the memory alive on its
//! own.
//!
//! # Threads
//!
//! - Threads can share [`Context`], [`Dataset`], [`Partition`], [`Sampler`], [`Batch`] and
//!   [`Tensor`].
//! - A [`DatasetBuilder`], a [`NeighborLoader`] and a [`Table`] can be sent to other threads.
//!   Methods that change them need `&mut`.
//! - A [`CancelHandle`] ends a wait from another thread; [`interruptible`] ends any blocking call.
//!
//! # Processes
//!
//! In a child process forked after the library was used, every object made before the fork returns
//! [`Error::InvalidState`]. Tensors stay usable.
//!
//! # Features
//!
//! - `ndarray` (default): [`TensorView::array`], and arrays of ndarray as input.
//! - `async`: `BatchStream`, batches as a `futures_core::Stream`.
//! - `arrow`: nodes and edges of a [`DatasetBuilder`] from record batches of arrow, and record batches
//!   from a [`Dataset`]. `Tensor::into_arrow` and `Tensor::from_arrow` share arrays.
//! - `candle`: `TensorView::to_candle`, with a copy, as all memory of candle is a `Vec`.
//! - `vendored`: builds libgls from its sources.

#![deny(missing_docs)]
#![warn(missing_debug_implementations)]

mod cluster;
mod data;
mod load;
mod memory;
mod runtime;
mod sample;
mod store;

pub use gls_sys as sys;

pub use cluster::calls::{Call, CallOptions};
pub use cluster::future::{Bytes, Future};
pub use cluster::group::{Group, GroupInfo, GroupOptions, Launcher, Member};
pub use cluster::server::{Server, ServerInfo, ServerOptions, ServerProbe};
pub use cluster::table::{Table, TableInfo};
pub use cluster::table_options::{Optimizer, TableOptions};
#[cfg(feature = "arrow")]
pub use data::arrow::{ArrowColumn, ArrowOptions};
pub use data::builder::{DatasetBuilder, Encoding, Field, Ids, TextOptions};
pub use data::codes::Quantization;
pub use data::dataset::{
    Column, Dataset, EdgeType, IdSet, Layout, NodeType, OpenOptions, Residency, Role, Topology,
    WriteOptions,
};
pub use data::export::ExportOptions;
pub use data::partition::{
    GlobalIds, PartInfo, Partition, PartitionEdgeType, PartitionNodeType, Parts,
};
pub use data::partition_options::{PartitionMethod, PartitionOptions};
pub use data::recipe::Recipe;
pub use data::splits::{split_ids, LinkPart, LinkSplit, Split};
pub use load::batch::{
    ArrayInfo, Batch, BatchArray, BatchInfo, EdgeArrays, NodeArrays, Padding, Rows,
};
pub use load::blocks::Block;
pub use load::epoch::Epoch;
pub use load::feed::{Attach, Feed, FeedBuilder, FeedInfo};
pub use load::loader::{
    CancelHandle, ColumnRequest, Even, LoaderBuilder, LoaderInfo, LoaderStats, MadeBy,
    NeighborLoader, Pad, SeedLaw, Step,
};
pub use load::plan::PlanOptions;
pub use load::seed_set::SeedSet;
#[cfg(feature = "async")]
pub use load::stream::BatchStream;
pub use load::transform::TransformBatch;
pub use memory::dtype::{DType, Element, Id};
pub use memory::tensor::{IntoTensor, Tensor};
pub use memory::view::TensorView;
pub use runtime::context::{
    settings, version, version_number, Context, ContextBuilder, LogLevel, Setting,
};
pub use runtime::device::{Device, DeviceInfo};
pub use runtime::error::{Error, ErrorInfo, Result};
pub use runtime::interrupt::interruptible;
pub use runtime::names::edge_type;
pub use runtime::progress::Progress;
pub use sample::anchors::Supervision;
pub use sample::hgt::Hgt;
pub use sample::importance::{Importance, Ppr};
pub use sample::links::{LinkSet, Negatives};
pub use sample::norms::{NormOptions, SaintNorms};
pub use sample::sampler::{
    Direction, EdgeSet, ExcludeMode, Pick, Replace, SampleRequest, Sampler, SamplerBuilder,
    Subgraph, TimeStrategy,
};
pub use sample::walks::Walks;
pub use store::answer::NeighborLists;
pub use store::fetch::{ColumnFetch, FetchNeighbors, FetchRows, NeighborFetch};
pub use store::handle::{Store, StoreStats};
pub use store::options::{StoreColumn, StoreNeighbors, StoreOptions};

/// The example of the README is tested.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
