//! Epochs of batches.

pub(crate) mod batch;
pub(crate) mod blocks;
pub(crate) mod epoch;
pub(crate) mod feed;
pub(crate) mod loader;
pub(crate) mod plan;
pub(crate) mod seed_set;
#[cfg(feature = "async")]
pub(crate) mod stream;
pub(crate) mod transform;
