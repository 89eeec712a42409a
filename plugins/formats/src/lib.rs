//! The plugin "formats" of libgls: recipes, tables of Parquet and Arrow files, arrays of NumPy, torch
//! and DGL, and the datasets of other systems, which it reads and writes.
//!
//! libgls loads this library at first use and calls [`boundary::plugin::gls_plugin`]'s functions
//! through C types alone; `src/ingest/formats/formats_plugin.h` declares the same structs.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`boundary`] | C in, C out: the plugin's functions, and the calls of builders and datasets |
//! | [`recipe`] | which files make a dataset: read, checked, written, run |
//! | [`foreign`] | the recipe for a dataset of another system |
//! | [`export`] | a dataset as files of another system |
//! | [`tables`] | files of rows, as Arrow batches |
//! | [`arrays`] | files of numbers, mapped |

pub mod arrays;
pub mod boundary;
pub mod export;
pub mod failure;
pub mod foreign;
pub mod recipe;
pub mod tables;
