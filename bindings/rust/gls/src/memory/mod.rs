//! Arrays: the memory of the library and of the caller, without a copy.

#[cfg(feature = "arrow")]
pub(crate) mod arrow;
#[cfg(feature = "candle")]
pub(crate) mod candle;
pub(crate) mod dtype;
pub(crate) mod tensor;
pub(crate) mod view;
pub(crate) mod zero;
