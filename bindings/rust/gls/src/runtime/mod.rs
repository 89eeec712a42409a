//! What all other modules use: contexts, devices, errors, callbacks.

pub(crate) mod bell;
pub(crate) mod callback;
pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod error;
pub(crate) mod interrupt;
pub(crate) mod names;
pub(crate) mod options;
pub(crate) mod own_names;
pub(crate) mod progress;
