//! Id sets as masks of nodes.

use super::graph::{cannot, Graph};
use crate::arrays::bytes::Scratch;
use crate::arrays::{Array, DType};
use crate::boundary::dataset::NodeTypeInfo;
use crate::failure::{Code, Failure};

/// The mask for a set, as PyTorch Geometric and DGL call it.
pub fn mask_of(set: &str) -> String {
    match set {
        "valid" => "val_mask".to_owned(),
        other => format!("{other}_mask"),
    }
}

/// The sets of a type and their masks, whose names must be free.
pub fn masks(node: &NodeTypeInfo) -> Result<Vec<(&str, String)>, Failure> {
    let mut all: Vec<(&str, String)> = Vec::new();
    for set in &node.sets {
        let mask = mask_of(set);
        let taken = node.columns.iter().any(|column| column.name == mask);
        if taken || all.iter().any(|(_, known)| *known == mask) {
            let full = format!("{}.{set}", node.name);
            return Err(cannot(&full, &format!("the name \"{mask}\" is taken")));
        }
        all.push((set, mask));
    }
    Ok(all)
}

/// One bool or uint8 for each node.
pub fn mask(
    graph: &Graph<'_>,
    node: &NodeTypeInfo,
    set: &str,
    dtype: DType,
) -> Result<Array, Failure> {
    let damaged = |what: String| {
        let words = format!("{}.{set}: {what}", node.name);
        Failure::new(Code::Corrupt, words)
    };
    let size = usize::try_from(node.count).map_err(|_| damaged("the number of nodes".into()))?;
    let mut scratch = Scratch::new(size)?;
    let mut wrong = None;
    let bits = scratch.bytes_mut();
    graph.set(node, set)?.for_each_i64(|id| {
        match usize::try_from(id).ok().and_then(|id| bits.get_mut(id)) {
            Some(bit) => *bit = 1,
            None => wrong = Some(id),
        }
    })?;
    if let Some(id) = wrong {
        return Err(damaged(format!("there is no node {id}")));
    }
    Array::new(dtype, vec![node.count], scratch.finish()).map_err(damaged)
}
