//! Random walks instead of neighbourhoods.

use std::os::raw::c_char;
use std::ptr;

use gls_sys as sys;

use crate::runtime::error::Result;
use crate::runtime::names::c_string;

/// Random walks from each seed. Each step follows one edge of the walk's current node, with equal
/// probabilities or in proportion to the sampler's [`weight`](crate::SamplerBuilder::weight). A
/// walk ends at a node without edges.
///
/// ```
/// # use gls::{Context, DatasetBuilder, Direction, Layout, Walks, WriteOptions};
/// # let context = Context::new()?;
/// # let mut builder = DatasetBuilder::new(&context)?;
/// # builder.add_edges("node__to__node", vec![0i64, 1, 2], vec![1i64, 2, 0])?;
/// # let dataset = builder.build_with(WriteOptions::new().layouts([Layout::Csr]))?;
/// let sampler = dataset
///     .sampler()
///     .direction(Direction::Out)
///     .walks(Walks::of_length(3))
///     .build()?;
/// let batch = sampler.sample(&[1i64])?;
/// let walk = batch.walk()?;
/// assert_eq!(walk.shape(), [1, 4]);
/// // Local ids: the walk goes from 1 to 2, 0 and 1.
/// let node = batch.node::<i64>()?;
/// let ids: Vec<i64> = walk.row::<i64>(0)?.iter().map(|&i| node[i as usize]).collect();
/// assert_eq!(ids, [1, 2, 0, 1]);
/// # Ok::<(), gls::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "options do nothing by themselves"]
pub struct Walks {
    length: u32,
    walks: u32,
    p: f64,
    q: f64,
    restart: f64,
    stop: f64,
    path: Vec<String>,
}

impl Walks {
    /// Walks of so many steps, along the only edge type.
    pub fn of_length(steps: u32) -> Self {
        Self {
            length: steps,
            walks: 1,
            p: 1.0,
            q: 1.0,
            restart: 0.0,
            stop: 0.0,
            path: Vec::new(),
        }
    }

    /// Walks along edge types in turn, each beginning at the node type where the one before ends;
    /// with as many steps, see [`Walks::length`].
    pub fn along<S: AsRef<str>>(path: impl IntoIterator<Item = S>) -> Self {
        Self {
            path: path
                .into_iter()
                .map(|name| name.as_ref().to_owned())
                .collect(),
            ..Self::of_length(0)
        }
    }

    /// Steps of each walk; 0: as many as the path has. A longer walk goes along the path again.
    pub fn length(mut self, steps: u32) -> Self {
        self.length = steps;
        self
    }

    /// Walks from each seed; 1 by default.
    pub fn per_seed(mut self, walks: u32) -> Self {
        self.walks = walks;
        self
    }

    /// node2vec (Grover and Leskovec, KDD 2016). A step back to the previous node weighs `1/p`. A
    /// step to a node without an edge from the previous node, in the direction of the walk, weighs
    /// `1/q`. Other steps weigh 1. Other values than 1 need one edge type, between nodes of one
    /// type.
    pub fn biases(mut self, p: f64, q: f64) -> Self {
        self.p = p;
        self.q = q;
        self
    }

    /// Probability, before each step, of going back to the seed instead, where the path begins again;
    /// only within one node type.
    pub fn restart(mut self, probability: f64) -> Self {
        self.restart = probability;
        self
    }

    /// Probability, before each step, of ending.
    pub fn stop(mut self, probability: f64) -> Self {
        self.stop = probability;
        self
    }

    /// The options as the library takes them; NULL for `None`.
    pub(crate) fn with<R>(
        walks: Option<&Self>,
        function: impl FnOnce(*const sys::gls_walk_options_t) -> Result<R>,
    ) -> Result<R> {
        let walks = match walks {
            Some(walks) => walks,
            None => return function(ptr::null()),
        };
        // 0 is the library's default; here the caller gave it.
        for (name, value) in [("p", walks.p), ("q", walks.q)] {
            if value == 0.0 {
                return Err(crate::Error::invalid(
                    name,
                    "0, expected a finite number above 0",
                ));
            }
        }
        if walks.walks == 0 {
            return Err(crate::Error::invalid("walks", "0, expected at least 1"));
        }
        let names = walks
            .path
            .iter()
            .map(|name| c_string("path", name))
            .collect::<Result<Vec<_>>>()?;
        let path: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
        let options = sys::gls_walk_options_t {
            length: walks.length,
            walks: walks.walks,
            p: walks.p,
            q: walks.q,
            restart: walks.restart,
            stop: walks.stop,
            path: path.as_ptr(),
            path_length: path.len(),
            ..Default::default()
        };
        function(&options)
    }
}
