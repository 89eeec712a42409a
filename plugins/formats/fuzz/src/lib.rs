//! Fuzz targets of the plugin "formats": what reads bytes of strangers. libFuzzer drives them, and a
//! test replays the corpus.
//!
//! A panic of this repository's code is a fault. A panic of a decoder in another crate is an error of
//! the data, as it is in the plugin.

mod arrays;
mod dataset;
mod seeds;
mod sink;
mod tables;

use std::panic::{catch_unwind, AssertUnwindSafe, PanicHookInfo};
use std::path::Path;

use gls_formats::failure::Failure;
use gls_formats::{foreign, recipe};

pub use dataset::FORMATS;
pub use seeds::{corpus, seeds};
use sink::Sink;

/// Larger inputs are refused.
const MOST_BYTES: usize = 1 << 20;

/// Reads an input. The folder is empty, and files may be left in it.
type Target = fn(folder: &Path, input: &[u8]) -> Result<(), Failure>;

pub const TARGETS: &[(&str, Target)] = &[
    ("csv", tables::csv),
    ("dataset", dataset::read),
    ("dgl", arrays::dgl),
    ("ipc", tables::ipc),
    ("matrix_market", tables::matrix_market),
    ("ntriples", tables::ntriples),
    ("numpy", arrays::numpy),
    ("parquet", tables::parquet),
    ("recipe", dataset::recipe),
    ("text_proto", dataset::text_proto),
    ("tfrecord", tables::tfrecord),
    ("torch", arrays::torch),
];

/// The target with a name.
pub fn target(name: &str) -> Option<Target> {
    let found = TARGETS.iter().find(|(known, _)| *known == name);
    found.map(|(_, target)| *target)
}

/// Runs a target on an input. An error is as good as a result.
pub fn run(target: Target, folder: &Path, input: &[u8]) {
    if input.len() <= MOST_BYTES {
        let _ = catch_unwind(AssertUnwindSafe(|| target(folder, input).is_ok()));
    }
}

/// Whether a decoder of another crate panics.
pub fn is_of_decoder(panic: &PanicHookInfo<'_>) -> bool {
    panic
        .location()
        .is_some_and(|at| at.file().contains("/registry/src/"))
}

/// Makes the recipe for a dataset, and runs it as the plugin does: written, and read again.
fn import(format: &str, path: &Path, choices: &[&str]) -> Result<(), Failure> {
    let choices: Vec<String> = choices.iter().map(|&choice| choice.to_owned()).collect();
    let made = foreign::recipe_of(format, path, &choices)?;
    let read = recipe::read(&recipe::write(&made)?)?;
    recipe::run(&read, Path::new(""), 1, &mut Sink)
}

/// Writes a file of the folder, and returns its name.
fn put(folder: &Path, name: &'static str, bytes: &[u8]) -> Result<&'static str, Failure> {
    let path = folder.join(name);
    std::fs::write(&path, bytes).map_err(|error| Failure::io(&path, &error))?;
    Ok(name)
}
