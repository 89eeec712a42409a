//! C in, C out.

pub mod builder;
pub mod dataset;
mod guarded;
pub mod plugin;
mod tensor;

/// The structs and constants of `gls.h`, as the crate `gls-sys` has them. No function of them is
/// linked: the calls come as pointers.
#[allow(
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    dead_code,
    clippy::all,
    clippy::pedantic
)]
#[path = "../../../../bindings/rust/gls-sys/src/bindings.rs"]
pub mod c;
