//! Servers, groups and tables.

#[path = "../common/mod.rs"]
mod common;

mod group;
mod server;
mod tables;
