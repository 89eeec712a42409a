//! Sources and targets of a type's edges in the order of edge ids.

use super::graph::Graph;
use super::progress::Progress;
use crate::arrays::bytes::Scratch;
use crate::arrays::{Array, DType};
use crate::boundary::dataset::{EdgeTypeInfo, Which};
use crate::failure::{Code, Failure};

/// Edges from one question whether to go on to the next.
const STEP: usize = 1 << 20;
const SIZE: usize = size_of::<i64>();
/// Marks an edge that has no end yet.
const NONE: u8 = 0xff;

/// Two arrays of int64. They lie in scratch space, 16 bytes an edge.
pub fn ends(
    graph: &Graph<'_>,
    edge: &EdgeTypeInfo,
    progress: &mut Progress<'_>,
) -> Result<[Array; 2], Failure> {
    let [indptr, indices, ids] = if edge.has_csc {
        [Which::CscIndptr, Which::CscIndices, Which::CscEdgeIds]
    } else {
        [Which::CsrIndptr, Which::CsrIndices, Which::CsrEdgeIds]
    };
    let open = |which| graph.dataset.array(which, &edge.name, "");
    let (indptr, indices) = (
        open(indptr)?.into_aligned()?,
        open(indices)?.into_aligned()?,
    );
    let ids = match open(ids) {
        Ok(ids) => Some(ids.into_aligned()?),
        Err(failure) if failure.code == Code::NotFound => None,
        Err(failure) => return Err(failure),
    };
    let damaged = |what: &str| Failure::new(Code::Corrupt, format!("{}: {what}", edge.name));
    let count = usize::try_from(edge.count).map_err(|_| damaged("the number of edges"))?;
    if indices.rows() != edge.count || ids.as_ref().is_some_and(|ids| ids.rows() != edge.count) {
        return Err(damaged("its arrays do not match"));
    }
    let (mut near, mut far) = (Scratch::new(count * SIZE)?, Scratch::new(count * SIZE)?);
    near.bytes_mut().fill(NONE);
    let number = |array: &Array, at: usize| {
        let size = array.dtype.size();
        let element = &array.bytes()[at * size..(at + 1) * size];
        array.dtype.i64_of(element)
    };
    let place = |number: Option<i64>, most: usize| {
        let number = number.and_then(|number| usize::try_from(number).ok());
        number.filter(|&number| number < most)
    };
    let [source, target] = [&edge.source, &edge.target].map(|name| graph.node(name));
    let ([near_type, far_type], words) = if edge.has_csc {
        ([target?, source?], "source")
    } else {
        ([source?, target?], "target")
    };
    if indptr.rows() != near_type.count + 1 {
        let what = format!("its indptr does not fit the nodes of {}", near_type.name);
        return Err(damaged(&what));
    }
    let mut begin = 0;
    for row in 1..indptr.rows() {
        let end = place(number(&indptr, row as usize), count + 1).filter(|&end| end >= begin);
        let end = end.ok_or_else(|| damaged("its indptr is damaged"))?;
        let this = (row - 1).to_ne_bytes();
        for at in begin..end {
            if at % STEP == 0 {
                progress.check()?;
            }
            let id = match &ids {
                None => Some(at),
                Some(ids) => place(number(ids, at), count),
            };
            let id = id.ok_or_else(|| damaged("an edge id is out of range"))?;
            let to = id * SIZE..(id + 1) * SIZE;
            let near = &mut near.bytes_mut()[to.clone()];
            if near[SIZE - 1] != NONE {
                return Err(damaged("two edges have one id"));
            }
            near.copy_from_slice(&this);
            let other = number(&indices, at).unwrap_or(-1);
            if !(0..far_type.count).contains(&other) {
                let what = format!(
                    "the {words} of edge {id}: {} has no node {other}",
                    far_type.name
                );
                return Err(damaged(&what));
            }
            far.bytes_mut()[to].copy_from_slice(&other.to_ne_bytes());
        }
        begin = end;
    }
    if begin != count {
        return Err(damaged("its indptr ends before its edges"));
    }
    let made = |scratch: Scratch| {
        let array = Array::new(DType::I64, vec![edge.count], scratch.finish());
        array.map_err(|what| damaged(&what))
    };
    let (near, far) = (made(near)?, made(far)?);
    Ok(if edge.has_csc {
        [far, near]
    } else {
        [near, far]
    })
}
