//! Columns and neighbours that the caller's code answers.

pub(crate) mod answer;
pub(crate) mod fetch;
pub(crate) mod handle;
pub(crate) mod options;
