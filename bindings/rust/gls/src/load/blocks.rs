//! Blocks: what each layer of a model computes.

use gls_sys as sys;

use crate::load::batch::Batch;
use crate::memory::dtype::Element;
use crate::memory::tensor::Tensor;
use crate::memory::view::TensorView;
use crate::runtime::error::{make, Result};
use crate::runtime::names::Name;

/// What one layer of a model computes: the states of the output nodes, from those of the input
/// nodes; of [`Batch::blocks`].
///
/// With L hops, blocks are numbered l = 0 .. L-1. The outputs of block l are the seeds and the
/// nodes of the first L-1-l hops. Its inputs are these nodes and those of one more hop. Both are in
/// the order of the batch, so the outputs are the first of the inputs. The outputs of one block are
/// the inputs of the next.
///
/// All slices are of the batch's arrays. Each node's edges were sampled once, when it was expanded,
/// and are equal in all blocks that compute it. Padding is left out.
///
/// Messages go toward the seeds: with [`Direction::Out`](crate::Direction::Out) that is against the
/// edges, and then [`src`](Block::src) are nodes of the type of their targets.
///
/// A type is a node or edge type; `None`: the only one.
#[derive(Debug, Clone, Copy)]
pub struct Block<'b> {
    batch: &'b Batch,
    layer: u64,
}

impl<'b> Block<'b> {
    pub(crate) fn all(batch: &'b Batch) -> Result<Vec<Block<'b>>> {
        let blocks: Vec<_> = (0..batch.info()?.num_hops)
            .map(|layer| Block { batch, layer })
            .collect();
        if let (Some(block), Some(any)) = (blocks.first(), batch.arrays()?.first()) {
            // Says why there are none. The first array of a batch is one of nodes.
            block.get(sys::GLS_BLOCK_SRC_NODE, Some(any.type_name))?;
        }
        Ok(blocks)
    }

    fn get(&self, array: i32, of: Option<&str>) -> Result<Tensor> {
        let of = Name::new("type", of)?;
        // SAFETY: a live handle, and a terminated string or NULL.
        unsafe {
            let raw = make(|out, error| {
                let batch = self.batch.raw();
                sys::gls_batch_block_tensor(batch, self.layer, array, of.as_ptr(), out, error)
            })?;
            Ok(Tensor::from_raw(raw))
        }
    }

    fn slice<T: Element>(
        &self,
        array: sys::gls_block_array_t,
        of: Option<&str>,
    ) -> Result<&'b [T]> {
        let layout = self.get(array, of)?.view().layout;
        // SAFETY: memory of the batch, which is borrowed for as long; see Batch::view_of().
        let view: TensorView<'b> = unsafe { TensorView::new(layout) };
        view.as_slice()
    }

    /// Number of the layer; 0 is computed first, and has the most nodes.
    pub fn layer(&self) -> u64 {
        self.layer
    }

    /// Dataset ids of the nodes that the layer reads: the beginning of
    /// [`NodeArrays::node`](crate::NodeArrays::node).
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) when there is no such type.
    pub fn input_nodes<'t, T: Element>(
        &self,
        node_type: impl Into<Option<&'t str>>,
    ) -> Result<&'b [T]> {
        self.slice(sys::GLS_BLOCK_SRC_NODE, node_type.into())
    }

    /// Dataset ids of the nodes that the layer computes: the beginning of the same.
    ///
    /// # Errors
    /// As [`Block::input_nodes`].
    pub fn output_nodes<'t, T: Element>(
        &self,
        node_type: impl Into<Option<&'t str>>,
    ) -> Result<&'b [T]> {
        self.slice(sys::GLS_BLOCK_DST_NODE, node_type.into())
    }

    /// Local id of the input node of each edge: with [`indptr`](Block::indptr) the block in CSC.
    ///
    /// # Errors
    /// As [`Block::input_nodes`].
    pub fn src<'t, T: Element>(&self, edge_type: impl Into<Option<&'t str>>) -> Result<&'b [T]> {
        self.slice(sys::GLS_BLOCK_SRC, edge_type.into())
    }

    /// Local id of the output node of each edge, ascending.
    ///
    /// # Errors
    /// As [`Block::input_nodes`].
    pub fn dst<'t, T: Element>(&self, edge_type: impl Into<Option<&'t str>>) -> Result<&'b [T]> {
        self.slice(sys::GLS_BLOCK_DST, edge_type.into())
    }

    /// Where the edges to each output node begin, and where the last end. Each call counts them, so
    /// this is a new array and not a slice of the batch.
    ///
    /// # Errors
    /// As [`Block::input_nodes`]; [`Error::InvalidState`](crate::Error::InvalidState) when counts
    /// or ends of edges were overwritten with values that are not a valid block.
    pub fn indptr<'t>(&self, edge_type: impl Into<Option<&'t str>>) -> Result<Tensor> {
        self.get(sys::GLS_BLOCK_INDPTR, edge_type.into())
    }

    /// Dataset id of each edge; only with [`edge_ids`](crate::SamplerBuilder::edge_ids).
    ///
    /// # Errors
    /// As [`Block::input_nodes`].
    pub fn edge<'t, T: Element>(&self, edge_type: impl Into<Option<&'t str>>) -> Result<&'b [T]> {
        self.slice(sys::GLS_BLOCK_EDGE, edge_type.into())
    }
}
