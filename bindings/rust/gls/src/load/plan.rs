//! What an epoch needs, before it runs.

use std::ops::ControlFlow;

use gls_sys as sys;

use crate::load::loader::NeighborLoader;
use crate::memory::tensor::Tensor;
use crate::runtime::error::{make, Error, Result};
use crate::runtime::progress::{with_progress, Progress, ProgressFn};

/// What a plan is made for, see [`NeighborLoader::plan`]. By default all batches of epoch 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use = "options do nothing by themselves"]
pub struct PlanOptions {
    epoch: u64,
    batches: u64,
    memory: Vec<u64>,
}

impl PlanOptions {
    /// All batches of epoch 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// The epoch to plan.
    pub fn epoch(mut self, epoch: u64) -> Self {
        self.epoch = epoch;
        self
    }

    /// How many of this trainer's batches to plan, from the first one on; 0: all.
    pub fn batches(mut self, batches: u64) -> Self {
        self.batches = batches;
        self
    }

    /// Sizes of memory to compare, in bytes, for all that a loader uses, as the setting
    /// `storage.memory`. Without any: 10, 25, 50 and 75 % of topology and columns, and the setting
    /// if the loader plans its reads.
    pub fn memory(mut self, bytes: impl IntoIterator<Item = u64>) -> Self {
        self.memory = bytes.into_iter().collect();
        self
    }
}

impl NeighborLoader {
    /// Plans an epoch before it runs, by sampling its batches on the context's threads. The numbers
    /// of nodes, edges and rows are exact. For each size of memory the plan says what is read from
    /// disk, and predicts the time. No row is read, and the loader stays where it is. It takes as
    /// long as sampling, and some seconds for the sizes of memory.
    ///
    /// Returns JSON text; "The plan of an epoch" in the reference lists its fields.
    ///
    /// # Errors
    /// - [`Error::InvalidArgument`](crate::Error::InvalidArgument) when the epoch has no batches or
    ///   fewer than those options, or a size of memory is 0.
    /// - [`Error::Unsupported`](crate::Error::Unsupported) when other processes make the batches.
    pub fn plan(&self, options: &PlanOptions) -> Result<String> {
        self.plan_inner(options, None)
    }

    /// As [`NeighborLoader::plan`], telling of the progress; `Break` ends it with
    /// [`Error::Canceled`](crate::Error::Canceled).
    pub fn plan_with_progress(
        &self,
        options: &PlanOptions,
        mut progress: impl FnMut(&Progress<'_>) -> ControlFlow<()>,
    ) -> Result<String> {
        self.plan_inner(options, Some(&mut progress))
    }

    fn plan_inner(
        &self,
        options: &PlanOptions,
        progress: Option<&mut ProgressFn<'_>>,
    ) -> Result<String> {
        let raw = with_progress(progress, |function, data| {
            let planning = sys::gls_plan_options_t {
                epoch: options.epoch,
                batches: options.batches,
                memory: options.memory.as_ptr(),
                num_memory: options.memory.len(),
                progress: function,
                progress_user_data: data,
                ..Default::default()
            };
            // SAFETY: a live handle, options that borrow from this function, and a place for what
            // is made; plan is [any].
            make(|out, error| unsafe { sys::gls_loader_plan(self.raw(), &planning, out, error) })
        })?;
        // SAFETY: a new tensor, as the call succeeded.
        let json = unsafe { Tensor::from_raw(raw) };
        String::from_utf8(json.to_vec::<u8>()?)
            .map_err(|source| Error::caused(sys::GLS_ERR_INTERNAL, "json", source))
    }
}
