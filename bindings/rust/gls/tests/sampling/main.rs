//! Methods of sampling, through samplers and loaders.

#[path = "../common/mod.rs"]
mod common;

mod anchors;
mod blocks;
mod hgt;
mod importance;
mod labor;
mod links;
mod queries;
mod walks;
