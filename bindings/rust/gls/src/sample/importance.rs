//! Neighbours that edges do not express: by visits of random walks, or by personalised PageRank.

use std::ffi::CString;
use std::os::raw::c_char;
use std::ptr;

use gls_sys as sys;

use crate::runtime::error::{Error, Result};
use crate::runtime::names::c_string;

/// The nodes that short random walks from a node visit most, as PinSAGE's neighbours (Ying et al.,
/// KDD 2018). The node at the end of each traversal of the path is a visit. The node where walks
/// begin counts as any other. Steps are those of [`Walks`](crate::Walks).
///
/// ```
/// # use gls::{Context, DatasetBuilder, Direction, Importance, Layout, WriteOptions};
/// # let context = Context::new()?;
/// # let mut builder = DatasetBuilder::new(&context)?;
/// # builder.add_edges("node__to__node", vec![0i64, 1, 2], vec![1i64, 2, 0])?;
/// # let dataset = builder.build_with(WriteOptions::new().layouts([Layout::Csr]))?;
/// let sampler = dataset
///     .sampler()
///     .direction(Direction::Out)
///     .importance(Importance::of(1).walks(10).traversals(1))
///     .build()?;
/// let batch = sampler.sample(&[1i64])?;
/// // Ten visits of node 2, which are all.
/// assert_eq!(batch.near_score()?.row::<f32>(0)?, [1.0, 10.0]);
/// let near = batch.near_node::<i64>()?[0];
/// assert_eq!(batch.node::<i64>()?[near as usize], 2);
/// # Ok::<(), gls::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "options do nothing by themselves"]
pub struct Importance {
    neighbors: u32,
    walks: u32,
    traversals: u32,
    stop: f64,
    hops: u32,
    path: Vec<String>,
}

impl Importance {
    /// So many neighbours of each node, those of most visits.
    pub fn of(neighbors: u32) -> Self {
        Self {
            neighbors,
            walks: 10,
            traversals: 2,
            stop: 0.0,
            hops: 1,
            path: Vec::new(),
        }
    }

    /// Walks from each node; 10 by default.
    pub fn walks(mut self, walks: u32) -> Self {
        self.walks = walks;
        self
    }

    /// Traversals of the path by each walk; 2 by default.
    pub fn traversals(mut self, traversals: u32) -> Self {
        self.traversals = traversals;
        self
    }

    /// Probability, before each traversal but the first, of ending the walk; 0 by default.
    pub fn stop(mut self, probability: f64) -> Self {
        self.stop = probability;
        self
    }

    /// Neighbours of neighbours; 1 by default.
    pub fn hops(mut self, hops: u32) -> Self {
        self.hops = hops;
        self
    }

    /// Edge types to follow in turn, back to the node type at which the first begins; the only one by
    /// default.
    pub fn along<S: AsRef<str>>(mut self, path: impl IntoIterator<Item = S>) -> Self {
        self.path = owned(path);
        self
    }

    /// The options as the library takes them; NULL for `None`.
    pub(crate) fn with<R>(
        importance: Option<&Self>,
        function: impl FnOnce(*const sys::gls_importance_options_t) -> Result<R>,
    ) -> Result<R> {
        let wanted = match importance {
            Some(wanted) => wanted,
            None => return function(ptr::null()),
        };
        // 0 is the library's default; here the caller gave it.
        for (name, value) in [
            ("walks", wanted.walks),
            ("traversals", wanted.traversals),
            ("hops", wanted.hops),
        ] {
            if value == 0 {
                return Err(Error::invalid(name, "0, expected at least 1"));
            }
        }
        with_names("path", &wanted.path, |path| {
            let options = sys::gls_importance_options_t {
                neighbors: wanted.neighbors,
                walks: wanted.walks,
                traversals: wanted.traversals,
                hops: wanted.hops,
                stop: wanted.stop,
                path: path.as_ptr(),
                path_length: path.len(),
                ..Default::default()
            };
            function(&options)
        })
    }
}

/// The nodes of highest personalised PageRank of each seed, in each node type, by forward push
/// (Andersen, Chung, Lang, FOCS 2006). Nothing is random, but for [`Ppr::row_limit`].
#[derive(Debug, Clone, PartialEq)]
#[must_use = "options do nothing by themselves"]
pub struct Ppr {
    neighbors: u32,
    alpha: f64,
    epsilon: f64,
    top_up: bool,
    max_edges: u64,
    row_limit: u32,
    edge_types: Vec<String>,
    channels: Vec<(f64, Vec<String>)>,
}

impl Ppr {
    /// So many neighbours of each seed in each node type, those of highest score.
    pub fn of(neighbors: u32) -> Self {
        Self {
            neighbors,
            alpha: 0.5,
            epsilon: 1e-4,
            top_up: true,
            max_edges: 1 << 24,
            row_limit: 0,
            edge_types: Vec::new(),
            channels: Vec::new(),
        }
    }

    /// Probability, at each step, that the walk ends, `1e-6` to 1; 0.5 by default.
    pub fn alpha(mut self, alpha: f64) -> Self {
        self.alpha = alpha;
        self
    }

    /// Nodes are pushed while their residual exceeds `alpha * epsilon * degree`, `1e-12` to 1; `1e-4` by
    /// default.
    pub fn epsilon(mut self, epsilon: f64) -> Self {
        self.epsilon = epsilon;
        self
    }

    /// Whether other nodes are added when fewer nodes were pushed than requested. They follow in
    /// the order of their residuals, and residuals are added to scores. True by default.
    pub fn top_up(mut self, top_up: bool) -> Self {
        self.top_up = top_up;
        self
    }

    /// A seed's pushing ends when it has read so many edges; 2^24 by default.
    pub fn max_edges(mut self, edges: u64) -> Self {
        self.max_edges = edges;
        self
    }

    /// Rows longer than this are sampled down to it, each edge type for itself; 0, the default: none are.
    pub fn row_limit(mut self, edges: u32) -> Self {
        self.row_limit = edges;
        self
    }

    /// Edge types to push along; all by default.
    pub fn along<S: AsRef<str>>(mut self, edge_types: impl IntoIterator<Item = S>) -> Self {
        self.edge_types = owned(edge_types);
        self
    }

    /// One more channel. It pushes by itself along its own edge types, at least one, and gets this
    /// share of the neighbours. The shares of all channels, at most 64, add up to 1.
    ///
    /// A node belongs to the channel where its score is highest, ties to the first. Each channel
    /// first fills its own places. The remaining places go to the highest scores of all.
    ///
    /// [`near_score`](crate::NodeArrays::near_score) has three more columns for each channel:
    /// score, hop proximity, and whether the channel found the neighbour. All three are 0 where it
    /// did not.
    ///
    /// ```
    /// # use gls::{Context, DatasetBuilder, Ppr};
    /// # let context = Context::new()?;
    /// # let mut builder = DatasetBuilder::new(&context)?;
    /// # builder.add_edges("user__views__user", vec![0i64, 1, 2], vec![1i64, 2, 0])?;
    /// # builder.add_edges("user__likes__user", vec![0i64, 1, 2], vec![2i64, 0, 1])?;
    /// # let dataset = builder.build()?;
    /// let ppr = Ppr::of(20)
    ///     .channel(0.6, ["user__views__user"])
    ///     .channel(0.4, ["user__likes__user", "user__views__user"]);
    /// let batch = dataset.sampler().ppr(ppr).build()?.sample(&[0i64])?;
    /// assert_eq!(batch.near_score()?.shape()[1], 2 + 3 * 2);
    /// # Ok::<(), gls::Error>(())
    /// ```
    pub fn channel<S: AsRef<str>>(
        mut self,
        share: f64,
        edge_types: impl IntoIterator<Item = S>,
    ) -> Self {
        self.channels.push((share, owned(edge_types)));
        self
    }

    /// The options as the library takes them; NULL for `None`.
    pub(crate) fn with<R>(
        ppr: Option<&Self>,
        function: impl FnOnce(*const sys::gls_ppr_options_t) -> Result<R>,
    ) -> Result<R> {
        let wanted = match ppr {
            Some(wanted) => wanted,
            None => return function(ptr::null()),
        };
        // 0 is the library's default; here the caller gave it.
        for (name, is_zero) in [
            ("neighbors", wanted.neighbors == 0),
            ("alpha", wanted.alpha == 0.0),
            ("epsilon", wanted.epsilon == 0.0),
            ("max_edges", wanted.max_edges == 0),
        ] {
            if is_zero {
                return Err(Error::invalid(name, "0, expected a number above 0"));
            }
        }
        let names = wanted
            .channels
            .iter()
            .map(|(_, edge_types)| Names::of("channels", edge_types))
            .collect::<Result<Vec<_>>>()?;
        let pointers: Vec<_> = names.iter().map(Names::pointers).collect();
        let channels: Vec<_> = wanted
            .channels
            .iter()
            .zip(&pointers)
            .map(|((share, _), types)| sys::gls_ppr_channel_t {
                edge_types: types.as_ptr(),
                num_edge_types: types.len(),
                share: *share,
                reserved: 0,
            })
            .collect();
        with_names("edge_types", &wanted.edge_types, |edge_types| {
            let options = sys::gls_ppr_options_t {
                neighbors: wanted.neighbors,
                flags: if wanted.top_up {
                    0
                } else {
                    sys::GLS_PPR_NO_TOP_UP
                },
                alpha: wanted.alpha,
                epsilon: wanted.epsilon,
                max_edges: wanted.max_edges,
                row_limit: wanted.row_limit,
                edge_types: edge_types.as_ptr(),
                num_edge_types: edge_types.len(),
                channels: channels.as_ptr(),
                num_channels: channels.len(),
                ..Default::default()
            };
            function(&options)
        })
    }
}

fn owned<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Vec<String> {
    names
        .into_iter()
        .map(|name| name.as_ref().to_owned())
        .collect()
}

fn with_names<R>(
    argument: &'static str,
    names: &[String],
    function: impl FnOnce(&[*const c_char]) -> Result<R>,
) -> Result<R> {
    function(&Names::of(argument, names)?.pointers())
}

struct Names(Vec<CString>);

impl Names {
    fn of(argument: &'static str, names: &[String]) -> Result<Self> {
        names
            .iter()
            .map(|name| c_string(argument, name))
            .collect::<Result<_>>()
            .map(Self)
    }

    /// They live as long as this.
    fn pointers(&self) -> Vec<*const c_char> {
        self.0.iter().map(|name| name.as_ptr()).collect()
    }
}
