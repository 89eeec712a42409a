//! Labels of anchors, the seeds whose links are to be predicted.

use std::ptr;

use gls_sys as sys;

use crate::memory::tensor::Tensor;
use crate::runtime::error::Result;
use crate::runtime::names::Name;

/// The source of the labels of anchors. With [`supervision`](crate::SamplerBuilder::supervision)
/// every seed is an anchor, and its labels are seeds after the anchors. Batches then have
/// [`positives`](crate::Batch::positives) and [`negatives`](crate::Batch::negatives).
///
/// ```
/// # use gls::{Context, DatasetBuilder, Layout, Supervision, WriteOptions};
/// # let context = Context::new()?;
/// # let mut builder = DatasetBuilder::new(&context)?;
/// # builder.add_edges("node__to__node", vec![0i64, 1, 2], vec![1i64, 2, 0])?;
/// # builder.add_edges("node__bought__node", vec![0i64, 0, 2], vec![1i64, 2, 0])?;
/// # let dataset = builder.build_with(WriteOptions::new().layouts([Layout::Csc, Layout::Csr]))?;
/// let sampler = dataset
///     .sampler()
///     .fanouts([5])
///     .supervision(Supervision::of("node__bought__node"))
///     .build()?;
/// let batch = sampler.sample(&[2i64, 0])?;
/// let labels = batch.positives("node__bought__node")?;
/// // Local ids: 2 has the label 0, and 0 has 1 and 2.
/// assert_eq!(labels.row::<i64>(0)?, [1, -1]);
/// assert_eq!(labels.row::<i64>(1)?, [2, 0]);
/// assert_eq!(batch.node::<i64>()?[..3], [2, 0, 1]);
/// # Ok::<(), gls::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "options do nothing by themselves"]
pub struct Supervision {
    edge_type: Option<String>,
    node_type: Option<String>,
    name: Option<String>,
    negative: bool,
    sampled: bool,
    max_labels: u32,
}

impl Supervision {
    /// Labels are the targets of an anchor's edges of this type, in stored order. Direction, times
    /// and exclusions of the sampler do not affect them. Needs [`Layout::Csr`](crate::Layout::Csr).
    /// The type is for labels only, unless it is [`sampled`](Supervision::sampled): no neighbour is
    /// taken through it.
    pub fn of(edge_type: &str) -> Self {
        Self::new(Some(edge_type.to_owned()), None)
    }

    /// Labels are given with the anchors, under this name:
    /// [`SampleRequest::anchor_labels`](crate::SampleRequest::anchor_labels),
    /// [`LoaderBuilder::anchor_labels`](crate::LoaderBuilder::anchor_labels).
    pub fn given(name: &str) -> Self {
        Self::new(None, Some(name.to_owned()))
    }

    fn new(edge_type: Option<String>, name: Option<String>) -> Self {
        Self {
            edge_type,
            node_type: None,
            name,
            negative: false,
            sampled: false,
            max_labels: 0,
        }
    }

    /// Type of labels that are given; `None`, the default: the only one.
    pub fn node_type<'t>(mut self, node_type: impl Into<Option<&'t str>>) -> Self {
        self.node_type = node_type.into().map(str::to_owned);
        self
    }

    /// What batches call the labels; by default as the edge type.
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Whether the labels are negative; the library treats both alike.
    pub fn negative(mut self, on: bool) -> Self {
        self.negative = on;
        self
    }

    /// Whether the edge type is sampled, too. Edges from an anchor to its labels are then not used
    /// for their batch, nor those that [`exclude_mode`](crate::SamplerBuilder::exclude_mode) adds.
    pub fn sampled(mut self, on: bool) -> Self {
        self.sampled = on;
        self
    }

    /// Labels of an anchor, at most: of more, as many are drawn anew for each batch, and rows of
    /// labels are always that long. 0, the default: all, in rows as long as the longest.
    pub fn max_labels(mut self, labels: u32) -> Self {
        self.max_labels = labels;
        self
    }

    /// Supervisions as the library takes them.
    pub(crate) fn with<R>(
        supervisions: &[Self],
        function: impl FnOnce(*const sys::gls_supervision_t, usize) -> Result<R>,
    ) -> Result<R> {
        let name = |text: &Option<String>| Name::new("supervisions", text.as_deref());
        let names = supervisions
            .iter()
            .map(|one| {
                Ok((
                    name(&one.edge_type)?,
                    name(&one.node_type)?,
                    name(&one.name)?,
                ))
            })
            .collect::<Result<Vec<_>>>()?;
        let raw: Vec<_> = supervisions
            .iter()
            .zip(&names)
            .map(
                |(one, (edge_type, node_type, name))| sys::gls_supervision_t {
                    edge_type: edge_type.as_ptr(),
                    node_type: node_type.as_ptr(),
                    name: name.as_ptr(),
                    role: if one.negative {
                        sys::GLS_LABEL_NEGATIVE
                    } else {
                        sys::GLS_LABEL_POSITIVE
                    },
                    flags: if one.sampled {
                        sys::GLS_SUPERVISION_SAMPLED
                    } else {
                        0
                    },
                    max_labels: one.max_labels,
                    reserved: 0,
                },
            )
            .collect();
        function(raw.as_ptr(), raw.len())
    }
}

/// Labels of each supervision as the library borrows them.
pub(crate) fn describe(labels: &[Option<Tensor>]) -> Vec<*const sys::DLTensor> {
    labels
        .iter()
        .map(|rows| rows.as_ref().map_or(ptr::null(), |rows| rows.describe()))
        .collect()
}
