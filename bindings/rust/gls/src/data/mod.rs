//! Graphs: made, opened, cut into parts, split.

#[cfg(feature = "arrow")]
pub(crate) mod arrow;
pub(crate) mod builder;
pub(crate) mod codes;
pub(crate) mod dataset;
pub(crate) mod export;
pub(crate) mod partition;
pub(crate) mod partition_options;
pub(crate) mod recipe;
pub(crate) mod splits;
