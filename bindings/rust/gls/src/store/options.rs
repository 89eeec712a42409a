//! What a store has, and how it is asked.

use std::time::Duration;

use gls_sys as sys;

use crate::data::dataset::{Layout, Role};
use crate::memory::dtype::DType;
use crate::runtime::error::{Error, Result};
use crate::runtime::names::{c_string, Name};
use crate::runtime::options::milliseconds;

/// A column that a store has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a description does nothing by itself"]
pub struct StoreColumn {
    type_name: Option<String>,
    name: String,
    pub(crate) dtype: DType,
    row_shape: Vec<usize>,
    role: Role,
}

impl StoreColumn {
    /// A column of a node type, or of an edge type such as "author__writes__paper", whose rows are
    /// single numbers. `None` is the only node type.
    pub fn new<'t>(
        type_name: impl Into<Option<&'t str>>,
        name: impl Into<String>,
        dtype: DType,
    ) -> Self {
        Self {
            type_name: type_name.into().map(str::to_owned),
            name: name.into(),
            dtype,
            row_shape: Vec::new(),
            role: Role::Feature,
        }
    }

    /// The extents of one row.
    pub fn row_shape(mut self, row_shape: &[usize]) -> Self {
        self.row_shape = row_shape.to_vec();
        self
    }

    /// What the column is for. It only chooses defaults.
    pub fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    pub(crate) fn call<R>(
        &self,
        function: impl FnOnce(&sys::gls_store_column_t) -> Result<R>,
    ) -> Result<R> {
        let type_name = Name::new("type", self.type_name.as_deref())?;
        let name = c_string("name", &self.name)?;
        let shape: Vec<i64> = self
            .row_shape
            .iter()
            .map(|&extent| number(extent))
            .collect();
        function(&sys::gls_store_column_t {
            type_: type_name.as_ptr(),
            name: name.as_ptr(),
            row_shape: shape.as_ptr(),
            row_ndim: i32::try_from(shape.len()).unwrap_or(i32::MAX),
            role: self.role as i32,
            dtype: self.dtype.to_dl(),
            ..Default::default()
        })
    }
}

/// The neighbours of an edge type that a store has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a description does nothing by itself"]
pub struct StoreNeighbors {
    edge_type: String,
    num_edges: usize,
    layout: Layout,
    edge_ids: bool,
}

impl StoreNeighbors {
    /// The neighbours of an edge type such as "user__follows__user". Edge ids are below `num_edges`;
    /// without edge ids it is an estimate.
    ///
    /// [`Layout::Csc`]: the sources of the edges to each node. [`Layout::Csr`]: the targets of the
    /// edges from it.
    pub fn new(edge_type: impl Into<String>, num_edges: usize, layout: Layout) -> Self {
        Self {
            edge_type: edge_type.into(),
            num_edges,
            layout,
            edge_ids: false,
        }
    }

    /// Whether answers have edge ids. Batches with edge ids, columns of edges, and excluded edges
    /// that are given by id need them.
    pub fn edge_ids(mut self, edge_ids: bool) -> Self {
        self.edge_ids = edge_ids;
        self
    }

    pub(crate) fn call<R>(
        &self,
        function: impl FnOnce(&sys::gls_store_neighbors_t) -> Result<R>,
    ) -> Result<R> {
        let edge_type = c_string("edge_type", &self.edge_type)?;
        function(&sys::gls_store_neighbors_t {
            edge_type: edge_type.as_ptr(),
            num_edges: number(self.num_edges),
            layout: self.layout as u32,
            flags: if self.edge_ids {
                sys::GLS_STORE_EDGE_IDS
            } else {
                0
            },
            ..Default::default()
        })
    }
}

/// How a store is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[must_use = "options do nothing by themselves"]
pub struct StoreOptions {
    max_fetches: u32,
    max_ids: u32,
    deadline: Option<Option<Duration>>,
    cache_bytes: u64,
}

impl StoreOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Questions in work at once; 0, the default: 16. Others wait for their turn.
    pub fn max_fetches(mut self, count: u32) -> Self {
        self.max_fetches = count;
        self
    }

    /// Ids of one question; longer ones are divided. 0, the default: 2^20.
    pub fn max_ids(mut self, count: u32) -> Self {
        self.max_ids = count;
        self
    }

    /// How long an answer may take. Also how long the store may answer no question at all while
    /// others wait for a turn. `None`: without limit; by default 30 seconds. After it the batch fails
    /// with [`Error::TimedOut`].
    pub fn deadline(mut self, time: Option<Duration>) -> Self {
        self.deadline = Some(time);
        self
    }

    /// Memory for answers that the library keeps; 0, the default: it keeps none.
    pub fn cache_bytes(mut self, bytes: u64) -> Self {
        self.cache_bytes = bytes;
        self
    }

    pub(crate) fn to_sys(self) -> Result<sys::gls_store_options_t> {
        let deadline_ms = match self.deadline {
            None => 0, // the default
            Some(Some(Duration::ZERO)) => {
                return Err(Error::invalid("deadline", "0, expected more"))
            }
            Some(time) => milliseconds(time),
        };
        Ok(sys::gls_store_options_t {
            max_fetches: self.max_fetches,
            max_ids: self.max_ids,
            deadline_ms,
            cache_bytes: self.cache_bytes,
            ..Default::default()
        })
    }
}

/// The library refuses what does not fit.
fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_have_a_default_a_limit_or_none() {
        let of = |options: StoreOptions| options.to_sys().map(|options| options.deadline_ms);
        assert_eq!(of(StoreOptions::new()).unwrap(), 0);
        assert_eq!(of(StoreOptions::new().deadline(None)).unwrap(), -1);
        let short = Duration::from_micros(1);
        assert_eq!(of(StoreOptions::new().deadline(Some(short))).unwrap(), 1);
        let none = of(StoreOptions::new().deadline(Some(Duration::ZERO)));
        assert!(matches!(none, Err(Error::InvalidArgument(_))));
    }
}
