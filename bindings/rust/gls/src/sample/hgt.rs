//! Nodes that are drawn from budgets.

use std::ptr;

use gls_sys as sys;

use crate::runtime::error::{Error, Result};
use crate::runtime::names::Name;

/// Nodes of each type that are drawn from budgets (Hu, Dong, Wang, Sun: *Heterogeneous Graph
/// Transformer*, WWW 2020). Every node of the batch divides a budget of 1 evenly among its
/// neighbours of each edge type. Each hop draws nodes of each type, without replacement, in
/// proportion to the square of their budgets.
///
/// ```
/// # use gls::{Context, DatasetBuilder, Hgt};
/// # let context = Context::new()?;
/// # let mut builder = DatasetBuilder::new(&context)?;
/// # builder.add_edges("node__to__node", vec![0i64, 1, 2], vec![1i64, 2, 0])?;
/// # let dataset = builder.build()?;
/// let sampler = dataset.sampler().hgt(Hgt::of([1, 5])).build()?;
/// let batch = sampler.sample(&[1i64])?;
/// assert_eq!(batch.node::<i64>()?, [1, 0, 2]); // one hop finds node 0, the next node 2
/// assert_eq!(batch.row::<i64>()?.len(), 3); // and all edges between them
/// # Ok::<(), gls::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "options do nothing by themselves"]
pub struct Hgt {
    samples: Vec<(Option<String>, Vec<i64>)>,
    most_neighbors: u32,
}

impl Hgt {
    /// Nodes to draw per hop, for every node type without its own numbers; -1: all nodes. Without
    /// any, every type needs its own.
    pub fn of(per_hop: impl IntoIterator<Item = i64>) -> Self {
        let per_hop: Vec<i64> = per_hop.into_iter().collect();
        let entry = (!per_hop.is_empty()).then_some((None, per_hop));
        Self {
            samples: entry.into_iter().collect(),
            most_neighbors: 50,
        }
    }

    /// Nodes of one type to draw per hop.
    pub fn samples(mut self, node_type: &str, per_hop: impl IntoIterator<Item = i64>) -> Self {
        let entry = (Some(node_type.to_owned()), per_hop.into_iter().collect());
        self.samples.push(entry);
        self
    }

    /// How many neighbours of a node are considered along one edge type: of more as many are drawn,
    /// uniformly; 50 by default. They have its shares, and edges to them are reported; with
    /// [`Subgraph::Induced`](crate::Subgraph::Induced) all edges between nodes of the batch.
    pub fn most_neighbors(mut self, neighbors: u32) -> Self {
        self.most_neighbors = neighbors;
        self
    }

    /// The options as the library takes them; NULL for `None`.
    pub(crate) fn with<R>(
        hgt: Option<&Self>,
        function: impl FnOnce(*const sys::gls_hgt_options_t) -> Result<R>,
    ) -> Result<R> {
        let wanted = match hgt {
            Some(wanted) => wanted,
            None => return function(ptr::null()),
        };
        if wanted.most_neighbors == 0 {
            // 0 is the library's default; here the caller gave it.
            let message = "0, expected a number above 0";
            return Err(Error::invalid("most_neighbors", message));
        }
        let names = wanted
            .samples
            .iter()
            .map(|(name, _)| Name::new("samples", name.as_deref()))
            .collect::<Result<Vec<_>>>()?;
        let samples: Vec<_> = wanted
            .samples
            .iter()
            .zip(&names)
            .map(|((_, per_hop), name)| sys::gls_node_samples_t {
                node_type: name.as_ptr(),
                per_hop: per_hop.as_ptr(),
                num_hops: per_hop.len(),
            })
            .collect();
        let options = sys::gls_hgt_options_t {
            samples: samples.as_ptr(),
            num_samples: samples.len(),
            most_neighbors: wanted.most_neighbors,
            ..Default::default()
        };
        function(&options)
    }
}
