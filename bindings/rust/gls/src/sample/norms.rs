//! GraphSAINT's normalisation.

use std::ops::ControlFlow;
use std::ptr::{self, NonNull};

use gls_sys as sys;

use crate::load::loader::NeighborLoader;
use crate::memory::tensor::Tensor;
use crate::runtime::error::{call, Result};
use crate::runtime::names::Name;
use crate::runtime::progress::{with_progress, Progress, ProgressFn};

/// GraphSAINT's norms (Zeng et al., ICLR 2020): float32.
#[derive(Debug)]
#[non_exhaustive]
pub struct SaintNorms {
    /// Of each node: weighs its loss.
    pub node: Tensor,
    /// Of each edge, by its id: weighs its message. Only where asked for.
    pub edge: Option<Tensor>,
}

/// How norms are counted, see [`NeighborLoader::saint_norms`]. By default the batches of one epoch.
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use = "options do nothing by themselves"]
pub struct NormOptions {
    node_type: Option<String>,
    edge_type: Option<String>,
    epoch: u64,
    batches: u64,
    coverage: f64,
    nodes_only: bool,
}

impl NormOptions {
    /// The batches of one epoch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Of the nodes; by default the only type.
    pub fn node_type(mut self, node_type: &str) -> Self {
        self.node_type = Some(node_type.to_owned());
        self
    }

    /// Of the edges; by default the only type.
    pub fn edge_type(mut self, edge_type: &str) -> Self {
        self.edge_type = Some(edge_type.to_owned());
        self
    }

    /// Counting begins with epoch 2^63 + `epoch`.
    pub fn epoch(mut self, epoch: u64) -> Self {
        self.epoch = epoch;
        self
    }

    /// How many batches are counted; with [`coverage`](NormOptions::coverage): at most.
    pub fn batches(mut self, batches: u64) -> Self {
        self.batches = batches;
        self
    }

    /// Count until so many times the nodes of the type were in batches.
    pub fn coverage(mut self, coverage: f64) -> Self {
        self.coverage = coverage;
        self
    }

    /// No norms of edges, for which the sampler must report edge ids.
    pub fn nodes_only(mut self) -> Self {
        self.nodes_only = true;
        self
    }
}

impl NeighborLoader {
    /// GraphSAINT's normalisation, estimated by making batches on the context's threads and counting
    /// how often each node and edge is in them. They are far from those that are trained on, and the
    /// loader stays where it is.
    pub fn saint_norms(&self, options: &NormOptions) -> Result<SaintNorms> {
        self.saint_norms_inner(options, None)
    }

    /// As [`NeighborLoader::saint_norms`], telling of the progress; `Break` ends it with
    /// [`Error::Canceled`](crate::Error::Canceled).
    pub fn saint_norms_with_progress(
        &self,
        options: &NormOptions,
        mut progress: impl FnMut(&Progress<'_>) -> ControlFlow<()>,
    ) -> Result<SaintNorms> {
        self.saint_norms_inner(options, Some(&mut progress))
    }

    fn saint_norms_inner(
        &self,
        options: &NormOptions,
        progress: Option<&mut ProgressFn<'_>>,
    ) -> Result<SaintNorms> {
        let node_type = Name::new("node_type", options.node_type.as_deref())?;
        let edge_type = Name::new("edge_type", options.edge_type.as_deref())?;
        let mut node = ptr::null_mut();
        let mut edge = ptr::null_mut();
        let edge_out = if options.nodes_only {
            ptr::null_mut()
        } else {
            ptr::addr_of_mut!(edge)
        };
        with_progress(progress, |function, data| {
            let counting = sys::gls_norm_options_t {
                node_type: node_type.as_ptr(),
                edge_type: edge_type.as_ptr(),
                epoch: options.epoch,
                batches: options.batches,
                coverage: options.coverage,
                progress: function,
                progress_user_data: data,
                ..Default::default()
            };
            // SAFETY: a live handle, options that borrow from this function, and places for what
            // is made.
            call(|error| unsafe {
                sys::gls_loader_saint_norms(self.raw(), &counting, &mut node, edge_out, error)
            })
        })?;
        // SAFETY: new tensors, as the call succeeded.
        let owned = |raw| NonNull::new(raw).map(|raw| unsafe { Tensor::from_raw(raw) });
        Ok(SaintNorms {
            node: owned(node).expect("asked for"),
            edge: owned(edge),
        })
    }
}
