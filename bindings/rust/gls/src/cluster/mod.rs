//! Other processes: servers, groups, calls, tables.

pub(crate) mod calls;
pub(crate) mod exchange;
pub(crate) mod future;
pub(crate) mod group;
pub(crate) mod server;
pub(crate) mod table;
pub(crate) mod table_options;
