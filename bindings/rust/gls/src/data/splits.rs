//! Splits into training, validation and test.

use std::ptr::NonNull;

use gls_sys as sys;

use crate::data::dataset::Dataset;
use crate::memory::dtype::Id;
use crate::memory::tensor::{Borrowed, Tensor};
use crate::runtime::error::{make, Error, Result};
use crate::runtime::names::Name;

/// Parts of a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Split {
    /// For training.
    Train = sys::GLS_SPLIT_TRAIN as isize,
    /// For validation.
    Valid = sys::GLS_SPLIT_VALID as isize,
    /// For test.
    Test = sys::GLS_SPLIT_TEST as isize,
}

/// A random split of the edges of a type, in exact numbers. Sizes below 1 are shares, rounded down;
/// from 1 on, numbers of links. See [`Dataset::split_links`].
///
/// ```
/// # use gls::{Context, DatasetBuilder, LinkSplit, Split};
/// # let context = Context::new()?;
/// # let mut builder = DatasetBuilder::new(&context)?;
/// # builder.add_edges("node__to__node", vec![0i64, 1, 2, 3], vec![1i64, 2, 3, 0])?;
/// # let dataset = builder.build()?;
/// let split = LinkSplit::new().valid(1.0).test(1.0);
/// let train = dataset.split_links(None, &split, Split::Train)?;
/// assert_eq!(train.links.as_slice::<i64>()?.len(), 2);
/// # Ok::<(), gls::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LinkSplit {
    seed: u64,
    valid: f64,
    test: f64,
    supervision: f64,
    undirected: bool,
}

impl LinkSplit {
    /// A tenth for validation, a fifth for test.
    pub fn new() -> Self {
        Self {
            seed: 0,
            valid: 0.1,
            test: 0.2,
            supervision: 0.0,
            undirected: false,
        }
    }

    /// Other seeds, other splits.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Links for validation; 0.1 by default.
    pub fn valid(mut self, size: f64) -> Self {
        self.valid = size;
        self
    }

    /// Links for test; 0.2 by default.
    pub fn test(mut self, size: f64) -> Self {
        self.test = size;
        self
    }

    /// Of the links for training, those that are labels only and not sampled; 0, the default: all
    /// of them are both.
    pub fn supervision(mut self, size: f64) -> Self {
        self.supervision = size;
        self
    }

    /// Whether opposite edges between two nodes are one link: the edge from the lower to the higher
    /// node, whose part both share.
    pub fn undirected(mut self, undirected: bool) -> Self {
        self.undirected = undirected;
        self
    }
}

impl Default for LinkSplit {
    fn default() -> Self {
        Self::new()
    }
}

/// One part of a split of links.
#[derive(Debug)]
#[non_exhaustive]
pub struct LinkPart {
    /// int64 `[links]`: ids of the edges that are links of this part, seeds of a loader of links.
    pub links: Tensor,
    /// int64 `[edges]`: ids of the edges that loader must exclude, so that no link is seen before
    /// its time.
    pub exclude: Tensor,
}

impl Dataset {
    /// One part of a random split of all edges of a type. The edges are not copied.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for sizes that leave no link for training.
    pub fn split_links<'t>(
        &self,
        edge_type: impl Into<Option<&'t str>>,
        split: &LinkSplit,
        part: Split,
    ) -> Result<LinkPart> {
        let edge_type = Name::new("type", edge_type.into())?;
        let options = sys::gls_link_split_options_t {
            seed: split.seed,
            valid: split.valid,
            test: split.test,
            supervision: split.supervision,
            flags: if split.undirected {
                sys::GLS_LINK_SPLIT_UNDIRECTED
            } else {
                0
            },
            ..Default::default()
        };
        let mut exclude = std::ptr::null_mut();
        // SAFETY: a live handle, a terminated string or NULL, and options of this header.
        let links = make(|links, error| unsafe {
            sys::gls_dataset_split_links(
                self.raw(),
                edge_type.as_ptr(),
                &options,
                part as i32,
                links,
                &mut exclude,
                error,
            )
        })?;
        // SAFETY: just handed over.
        let links = unsafe { Tensor::from_raw(links) };
        let exclude = NonNull::new(exclude)
            .ok_or_else(|| Error::here(sys::GLS_ERR_INTERNAL, "", "success without an object"))?;
        // SAFETY: just handed over.
        let exclude = unsafe { Tensor::from_raw(exclude) };
        Ok(LinkPart { links, exclude })
    }
}

/// The part of each id, by hash: a function of the id and the seed alone, so it stays when others come
/// or go. Parts have about their shares, which are relative to their sum.
///
/// # Errors
/// [`Error::InvalidArgument`] for shares that are negative, not finite or all 0.
pub fn split_ids(ids: &[impl Id], seed: u64, shares: &[f64]) -> Result<Vec<u8>> {
    let ids = Borrowed::vector(ids);
    // SAFETY: arrays that are alive, of the lengths given.
    let raw = make(|out, error| unsafe {
        sys::gls_split_ids(
            &ids.describe(),
            seed,
            shares.as_ptr(),
            shares.len(),
            out,
            error,
        )
    })?;
    // SAFETY: just handed over.
    let parts = unsafe { Tensor::from_raw(raw) };
    Ok(parts.as_slice::<u8>()?.to_vec())
}
