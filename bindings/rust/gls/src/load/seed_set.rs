//! Seeds of several types in one loader.

use std::ptr;

use gls_sys as sys;

use crate::memory::dtype::Id;
use crate::memory::tensor::{IntoTensor, Tensor};
use crate::runtime::error::Result;
use crate::runtime::names::Name;
use crate::sample::links::pairs_tensor;

/// Seeds of one type, of several types that a loader takes: see
/// [`LoaderBuilder::seed_set`](crate::LoaderBuilder::seed_set).
#[derive(Debug)]
#[must_use = "seeds do nothing by themselves"]
pub struct SeedSet {
    links: bool,
    type_name: String,
    id_set: Option<String>,
    ids: Option<Result<Tensor>>,
    times: Option<Result<Tensor>>,
    labels: Option<Result<Tensor>>,
}

impl SeedSet {
    /// Nodes of a type; all of them, until [`ids`](SeedSet::ids) or [`id_set`](SeedSet::id_set).
    pub fn nodes(node_type: &str) -> Self {
        Self::of(false, node_type)
    }

    /// Links of an edge type; all edges of it, until [`ids`](SeedSet::ids) or
    /// [`pairs`](SeedSet::pairs).
    pub fn links(edge_type: &str) -> Self {
        Self::of(true, edge_type)
    }

    fn of(links: bool, type_name: &str) -> Self {
        Self {
            links,
            type_name: type_name.to_owned(),
            id_set: None,
            ids: None,
            times: None,
            labels: None,
        }
    }

    /// The nodes are this id set.
    pub fn id_set(mut self, name: &str) -> Self {
        self.id_set = Some(name.to_owned());
        self
    }

    /// Ids of nodes or of edges, int32 or int64 `[n]`; of links also sources and targets `[2, n]`.
    pub fn ids(mut self, ids: impl IntoTensor) -> Self {
        self.ids = Some(ids.into_tensor());
        self
    }

    /// The links from `sources[i]` to `targets[i]`, which need not be edges, copied.
    pub fn pairs<T: Id>(mut self, sources: &[T], targets: &[T]) -> Self {
        self.ids = Some(pairs_tensor(sources, targets));
        self
    }

    /// The time of each seed, where the sampler goes by times; by default those of the nodes.
    pub fn times(mut self, times: impl IntoTensor) -> Self {
        self.times = Some(times.into_tensor());
        self
    }

    /// The label of each link, `[n]` or `[n, ...]`.
    pub fn labels(mut self, labels: impl IntoTensor) -> Self {
        self.labels = Some(labels.into_tensor());
        self
    }
}

/// Seed sets as the library takes them.
pub(crate) struct SeedSets {
    raw: Vec<sys::gls_loader_seeds_t>,
    tensors: Vec<Tensor>,
    _names: Vec<(Name, Name)>, // that `raw` points to
}

impl SeedSets {
    pub(crate) fn new(sets: Vec<SeedSet>) -> Result<Self> {
        let mut out = Self {
            raw: Vec::new(),
            tensors: Vec::new(),
            _names: Vec::new(),
        };
        for set in sets {
            let type_name = Name::new("seed_set", Some(&set.type_name))?;
            let id_set = Name::new("id_set", set.id_set.as_deref())?;
            let mut take = |tensor: Option<Result<Tensor>>| -> Result<*mut sys::gls_tensor_t> {
                Ok(match tensor.transpose()? {
                    None => ptr::null_mut(),
                    Some(tensor) => {
                        let raw = tensor.raw_ptr();
                        out.tensors.push(tensor);
                        raw
                    }
                })
            };
            let (ids, times, labels) = (take(set.ids)?, take(set.times)?, take(set.labels)?);
            let named = type_name.as_ptr();
            out.raw.push(sys::gls_loader_seeds_t {
                node_type: if set.links { ptr::null() } else { named },
                edge_type: if set.links { named } else { ptr::null() },
                id_set: id_set.as_ptr(),
                ids,
                times,
                labels,
            });
            out._names.push((type_name, id_set));
        }
        Ok(out)
    }

    pub(crate) fn lend(&self, options: &mut sys::gls_loader_options_t) {
        options.seed_sets = self.raw.as_ptr();
        options.num_seed_sets = self.raw.len();
    }

    /// Those that the library has taken, when the call succeeded.
    pub(crate) fn into_tensors(self) -> Vec<Tensor> {
        self.tensors
    }
}
