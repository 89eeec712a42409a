//! Imports what DGL wrote, and damaged files.

mod damaged;
mod golden;
mod recorder;
mod written;
