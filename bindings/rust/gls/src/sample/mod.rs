//! Methods of sampling, and their options.

pub(crate) mod anchors;
pub(crate) mod hgt;
pub(crate) mod importance;
pub(crate) mod links;
pub(crate) mod norms;
pub(crate) mod sampler;
pub(crate) mod walks;
