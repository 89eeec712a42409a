//! Ownership, threads, panics, and arrays that are not copied.

#[path = "../common/mod.rs"]
mod common;

mod in_place;
mod lifetimes;
mod panics;
mod send_sync;
