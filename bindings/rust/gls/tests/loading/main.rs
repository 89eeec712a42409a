//! Loaders: their seeds, their batches, the functions that change those.

#[path = "../common/mod.rs"]
mod common;

mod digests;
mod feed;
mod plan;
mod seed_sets;
mod seeds;
mod stores;
mod stream;
mod transform;
