//! Datasets, tensors and partitions.

#[path = "../common/mod.rs"]
mod common;

mod api;
mod arrow;
mod arrow_tables;
mod codes;
mod export;
mod partition;
mod recipe;
mod splits;
