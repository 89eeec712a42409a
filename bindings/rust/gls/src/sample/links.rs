//! Links as seeds, and the negatives that are drawn for them.

use std::ptr;

use gls_sys as sys;

use crate::memory::tensor::{Borrowed, IntoTensor, Tensor};
use crate::runtime::error::{Error, Result};
use crate::runtime::names::Name;
use crate::runtime::options::set_flag;
use crate::sample::sampler::EdgeSet;

/// Links of one edge type, as seeds: each end is a seed of its node type.
///
/// ```
/// # use gls::{Context, DatasetBuilder, LinkSet, Negatives};
/// # let context = Context::new()?;
/// # let mut builder = DatasetBuilder::new(&context)?;
/// # builder.add_edges("node__to__node", vec![0i64, 1, 2, 3], vec![1i64, 2, 3, 0])?;
/// # let dataset = builder.build()?;
/// let sampler = dataset
///     .sampler()
///     .fanouts([5])
///     .negatives(Negatives::binary().amount(2.0).strict(true))
///     .exclude_links(true)
///     .build()?;
/// let batch = sampler.request().links(LinkSet::ids(None, [3, 1])).sample()?;
/// // Two links, and four pairs of nodes that are none.
/// let (source, target) = (batch.link_source::<i64>()?, batch.link_target::<i64>()?);
/// assert_eq!((source.len(), target.len()), (6, 6));
/// assert_eq!(batch.link_label::<f32>()?, [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
/// // Their ends are local ids.
/// let node = batch.node::<i64>()?;
/// assert_eq!((node[source[0] as usize], node[target[0] as usize]), (3, 0));
/// # Ok::<(), gls::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "links do nothing by themselves"]
pub struct LinkSet {
    edges: EdgeSet,
    times: Option<Vec<i64>>,
    labels: Option<Result<Tensor>>,
}

impl LinkSet {
    /// Edges by id; `None`: of the only edge type.
    pub fn ids<'t>(edge_type: impl Into<Option<&'t str>>, ids: impl Into<Vec<i64>>) -> Self {
        Self::of(EdgeSet::ids(edge_type, ids))
    }

    /// The pairs from `sources[i]` to `targets[i]`, which need not be edges. Sets of unequal length
    /// are refused where they are used.
    pub fn pairs<'t>(
        edge_type: impl Into<Option<&'t str>>,
        sources: &[i64],
        targets: &[i64],
    ) -> Self {
        Self::of(EdgeSet::pairs(edge_type, sources, targets))
    }

    fn of(edges: EdgeSet) -> Self {
        Self {
            edges,
            times: None,
            labels: None,
        }
    }

    /// The time of each link, where the sampler goes by times.
    pub fn times(mut self, times: impl Into<Vec<i64>>) -> Self {
        self.times = Some(times.into());
        self
    }

    /// The label of each link: `[n]` of any number. Without, binary negatives give 1 and 0 as `f32`.
    pub fn labels(mut self, labels: impl IntoTensor) -> Self {
        self.labels = Some(labels.into_tensor());
        self
    }

    /// The links as the library takes them; NULL for `None`.
    pub(crate) fn with<R>(
        links: Option<Self>,
        function: impl FnOnce(*const sys::gls_link_set_t) -> Result<R>,
    ) -> Result<R> {
        let links = match links {
            Some(links) => links,
            None => return function(ptr::null()),
        };
        let edge_type = Name::new("links", links.edges.type_name())?;
        let edges = links.edges.borrow("links")?;
        let times = links.times.as_deref().map(Borrowed::vector);
        let labels = links.labels.transpose()?;
        let (edges, times) = (edges.describe(), times.as_ref().map(Borrowed::describe));
        let set = sys::gls_link_set_t {
            edge_type: edge_type.as_ptr(),
            links: &edges,
            times: times.as_ref().map_or(ptr::null(), |times| times),
            labels: labels
                .as_ref()
                .map_or(ptr::null(), |labels| labels.describe()),
            ..Default::default()
        };
        function(&set)
    }
}

/// The negatives to draw for links that are seeds: nodes of the link's two types, from the whole
/// graph.
///
/// ```
/// use gls::Negatives;
///
/// let hard = Negatives::triplet().amount(5.0).strict(true).degree_power(0.75);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "options do nothing by themselves"]
pub struct Negatives {
    mode: sys::gls_negative_mode_t,
    flags: u32,
    amount: f64,
    degree_power: f64,
    source_weight: Option<String>,
    target_weight: Option<String>,
    tries: u32,
}

impl Negatives {
    /// Pairs of nodes, both ends drawn. They follow the links in
    /// [`link_source`](crate::EdgeArrays::link_source) and
    /// [`link_target`](crate::EdgeArrays::link_target), with the label 0.
    pub fn binary() -> Self {
        Self::of(sys::GLS_NEGATIVE_BINARY)
    }

    /// Targets for each link, whose source is kept:
    /// [`link_negative`](crate::EdgeArrays::link_negative).
    pub fn triplet() -> Self {
        Self::of(sys::GLS_NEGATIVE_TRIPLET)
    }

    fn of(mode: sys::gls_negative_mode_t) -> Self {
        Self {
            mode,
            flags: 0,
            amount: 1.0,
            degree_power: 0.0,
            source_weight: None,
            target_weight: None,
            tries: 64,
        }
    }

    /// How many per link; 1 by default. For triplets a whole number; for binary ones the number
    /// for all links is rounded up.
    pub fn amount(mut self, amount: f64) -> Self {
        self.amount = amount;
        self
    }

    /// Whether no edge of the dataset is drawn.
    pub fn strict(self, on: bool) -> Self {
        self.flag(sys::GLS_NEGATIVE_STRICT, on)
    }

    /// Whether there may be fewer, where as many draws as [`tries`](Negatives::tries) found none: in
    /// triplets that is -1. Else it is an [`Error::NotFound`].
    pub fn allow_short(self, on: bool) -> Self {
        self.flag(sys::GLS_NEGATIVE_ALLOW_SHORT, on)
    }

    /// Whether only nodes are drawn that exist at the time of their link: those whose `node_time` is at
    /// most that time, or below it where times are strict. Needs `node_time`. If no such node exists,
    /// that is an [`Error::NotFound`], unless [`oldest`](Negatives::oldest) or
    /// [`allow_short`](Negatives::allow_short).
    pub fn in_time(self, on: bool) -> Self {
        self.flag(sys::GLS_NEGATIVE_IN_TIME, on)
    }

    /// Whether the oldest node is drawn where none exists at the time of the link. Needs
    /// [`in_time`](Negatives::in_time).
    pub fn oldest(self, on: bool) -> Self {
        self.flag(sys::GLS_NEGATIVE_OLDEST, on)
    }

    fn flag(mut self, flag: u32, on: bool) -> Self {
        set_flag(&mut self.flags, flag, on);
        self
    }

    /// Nodes are drawn in proportion to their degree in the links' type to this power: a multiple of
    /// 0.25 up to 2; 0, the default: uniformly.
    pub fn degree_power(mut self, power: f64) -> Self {
        self.degree_power = power;
        self
    }

    /// Sources are drawn in proportion to this node column of non-negative numbers; only binary ones.
    pub fn source_weight(mut self, column: &str) -> Self {
        self.source_weight = Some(column.to_owned());
        self
    }

    /// Targets are drawn in proportion to this node column of non-negative numbers.
    pub fn target_weight(mut self, column: &str) -> Self {
        self.target_weight = Some(column.to_owned());
        self
    }

    /// Draws for each strict negative, at most 2048; 64 by default.
    pub fn tries(mut self, tries: u32) -> Self {
        self.tries = tries;
        self
    }

    /// The options as the library takes them; NULL for `None`.
    pub(crate) fn with<R>(
        negatives: Option<&Self>,
        function: impl FnOnce(*const sys::gls_negative_options_t) -> Result<R>,
    ) -> Result<R> {
        let negatives = match negatives {
            Some(negatives) => negatives,
            None => return function(ptr::null()),
        };
        // 0 is the library's default; here the caller gave it.
        let zeros = [
            ("amount", negatives.amount == 0.0),
            ("tries", negatives.tries == 0),
        ];
        if let Some((name, _)) = zeros.into_iter().find(|(_, is_zero)| *is_zero) {
            return Err(Error::invalid(name, "0, expected a number above 0"));
        }
        let source_weight = Name::new("source_weight", negatives.source_weight.as_deref())?;
        let target_weight = Name::new("target_weight", negatives.target_weight.as_deref())?;
        let options = sys::gls_negative_options_t {
            mode: negatives.mode,
            flags: negatives.flags,
            amount: negatives.amount,
            degree_power: negatives.degree_power,
            source_weight: source_weight.as_ptr(),
            target_weight: target_weight.as_ptr(),
            tries: negatives.tries,
            ..Default::default()
        };
        function(&options)
    }
}

pub(crate) fn unequal_pairs(argument: &'static str, sources: usize, targets: usize) -> Error {
    Error::invalid(
        argument,
        format_args!("{sources} sources and {targets} targets"),
    )
}

/// Sources and targets of a loader's links as one array `[2, n]`.
pub(crate) fn pairs_tensor<T: crate::Id>(sources: &[T], targets: &[T]) -> Result<Tensor> {
    if sources.len() != targets.len() {
        return Err(unequal_pairs("seeds", sources.len(), targets.len()));
    }
    Tensor::from_vec_with_shape([sources, targets].concat(), &[2, sources.len()])
}
