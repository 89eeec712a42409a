//! The edges of a graph in the order of their ids.

use crate::arrays::bytes::Scratch;
use crate::arrays::dgl_graphs::{Edges, Format};
use crate::arrays::{Array, Bytes, DType};

/// Bytes of a placed edge: its source + 1 and its target. Zero: there is none yet.
const PLACED_BYTES: usize = 8;

/// Edges 0 .. `count` of a part.
pub struct InOrder {
    pub count: i64,
    ends: Ends,
}

enum Ends {
    /// The file has them in order, from this place.
    Straight {
        sources: Array,
        targets: Array,
        begin: i64,
    },
    Placed(Bytes),
}

/// The numbers of a flat array.
#[derive(Clone, Copy)]
pub struct Numbers<'a> {
    bytes: &'a [u8],
    dtype: DType,
}

impl<'a> Numbers<'a> {
    pub fn of(array: &'a Array) -> Self {
        Numbers {
            bytes: array.bytes(),
            dtype: array.dtype,
        }
    }

    /// None: there is no such place.
    pub fn at(&self, place: i64) -> Option<i64> {
        let place = usize::try_from(place).ok()?;
        if self.dtype == DType::I64 {
            let element = self.bytes.get(place.checked_mul(8)?..)?.first_chunk()?;
            return Some(i64::from_ne_bytes(*element));
        }
        let size = self.dtype.size();
        let at = place.checked_mul(size)?;
        self.dtype
            .i64_of(self.bytes.get(at..at.checked_add(size)?)?)
    }
}

/// Which edges of a graph are wanted.
pub enum Wanted<'a> {
    All,
    /// Those inside a part whose shared ids are in a range. `likely`: where they may begin.
    Range {
        ids: Numbers<'a>,
        inner: Option<Numbers<'a>>,
        begin: i64,
        end: i64,
        likely: i64,
    },
}

impl Wanted<'_> {
    /// The place of an edge by its id in the file; None: it is not wanted.
    fn place(&self, id: i64) -> Option<i64> {
        match self {
            Wanted::All => Some(id),
            Wanted::Range {
                ids,
                inner,
                begin,
                end,
                ..
            } => {
                let shared = ids.at(id)?;
                let is_inner = inner.is_none_or(|inner| inner.at(id).is_some_and(|flag| flag != 0));
                ((*begin..*end).contains(&shared) && is_inner).then(|| shared - begin)
            }
        }
    }

    /// Where the wanted edges begin, if they follow each other in order.
    fn straight(&self, edges: &Edges) -> Option<i64> {
        if edges.format != Format::Coo || edges.ids.is_some() {
            return None;
        }
        match self {
            Wanted::All => Some(0),
            Wanted::Range {
                begin, end, likely, ..
            } => {
                let fits = *likely >= 0 && likely.checked_add(end - begin)? <= edges.count();
                let in_order = |i: i64| self.place(likely + i) == Some(i);
                (fits && (0..end - begin).all(in_order)).then_some(*likely)
            }
        }
    }
}

/// Adds the numbers at `begin .. end` to `out`.
fn copy_numbers(array: &Array, begin: i64, end: i64, out: &mut Vec<i64>) -> Result<(), String> {
    let part = array.slice(begin..end)?;
    let bytes = part.bytes();
    match part.dtype {
        DType::I64 => out.extend(
            bytes
                .chunks_exact(8)
                .map(|one| i64::from_ne_bytes(one.try_into().expect("8 bytes"))),
        ),
        DType::I32 => out.extend(
            bytes
                .chunks_exact(4)
                .map(|one| i64::from(i32::from_ne_bytes(one.try_into().expect("4 bytes")))),
        ),
        dtype => {
            for one in bytes.chunks_exact(dtype.size()) {
                out.push(dtype.i64_of(one).ok_or("the edges are no integers")?);
            }
        }
    }
    Ok(())
}

impl InOrder {
    /// `count`: of the wanted edges, whose ids are 0 .. `count` - 1, each once.
    pub fn new(edges: &Edges, wanted: &Wanted, count: i64) -> Result<Self, String> {
        if count < 0 || count > edges.count() {
            return Err(format!("{count} edges of {}", edges.count()));
        }
        let ends = match wanted.straight(edges) {
            Some(begin) => Ends::Straight {
                sources: edges.first.clone(),
                targets: edges.second.clone(),
                begin,
            },
            None => Ends::Placed(place_all(edges, wanted, count)?),
        };
        Ok(InOrder { count, ends })
    }

    /// Adds the ends of the edges `begin .. end`.
    pub fn copy(
        &self,
        begin: i64,
        end: i64,
        sources: &mut Vec<i64>,
        targets: &mut Vec<i64>,
    ) -> Result<(), String> {
        match &self.ends {
            Ends::Straight {
                sources: from,
                targets: to,
                begin: first,
            } => {
                copy_numbers(from, first + begin, first + end, sources)?;
                copy_numbers(to, first + begin, first + end, targets)
            }
            Ends::Placed(pairs) => {
                let range = begin as usize * PLACED_BYTES..end as usize * PLACED_BYTES;
                for pair in pairs.as_slice()[range].chunks_exact(PLACED_BYTES) {
                    let (source, target) = pair.split_at(PLACED_BYTES / 2);
                    let number = |bytes: &[u8]| {
                        i64::from(u32::from_ne_bytes(bytes.try_into().expect("4 bytes")))
                    };
                    sources.push(number(source) - 1);
                    targets.push(number(target));
                }
                Ok(())
            }
        }
    }
}

/// Puts each edge where its id says.
fn place_all(edges: &Edges, wanted: &Wanted, count: i64) -> Result<Bytes, String> {
    if edges.sources.max(edges.targets) >= i64::from(u32::MAX) {
        return Err("more than 2^32 nodes, whose edges are not in order".into());
    }
    let size = count as usize * PLACED_BYTES;
    let mut scratch = Scratch::new(size).map_err(|failure| failure.message)?;
    let pairs = scratch.bytes_mut();
    let ids = edges.ids.as_ref().map(Numbers::of);
    let mut placed = 0;
    let mut put = |at: i64, source: i64, target: i64| -> Result<(), String> {
        let id = match ids {
            Some(ids) => ids.at(at).ok_or("an edge's id is no integer")?,
            None => at,
        };
        let Some(place) = wanted.place(id) else {
            return Ok(());
        };
        if !(0..count).contains(&place) {
            return Err(format!("there is an edge {place} of {count}"));
        }
        check_ends(edges, source, target)?;
        let pair = &mut pairs[place as usize * PLACED_BYTES..][..PLACED_BYTES];
        if pair[..PLACED_BYTES / 2] != [0; PLACED_BYTES / 2] {
            return Err(format!("there are two edges {place}"));
        }
        // Below u32::MAX, as was checked.
        pair[..PLACED_BYTES / 2].copy_from_slice(&(source as u32 + 1).to_ne_bytes());
        pair[PLACED_BYTES / 2..].copy_from_slice(&(target as u32).to_ne_bytes());
        placed += 1;
        Ok(())
    };
    let number = |numbers: Numbers<'_>, at: i64| numbers.at(at).ok_or("the edges are cut short");
    let (first, second) = (Numbers::of(&edges.first), Numbers::of(&edges.second));
    if edges.format == Format::Coo {
        for at in 0..edges.count() {
            put(at, number(first, at)?, number(second, at)?)?;
        }
    } else {
        let mut begin = number(first, 0)?;
        if begin != 0 {
            return Err("the first node's edges do not begin at 0".into());
        }
        for row in 0..edges.first.rows() - 1 {
            let end = number(first, row + 1)?;
            if end < begin {
                return Err(format!("the edges of node {row} end before they begin"));
            }
            for at in begin..end {
                let other = number(second, at)?;
                match edges.format {
                    Format::Csc => put(at, other, row)?,
                    _ => put(at, row, other)?,
                }
            }
            begin = end;
        }
    }
    if placed != count {
        return Err(format!("there are {placed} edges, expected {count}"));
    }
    Ok(scratch.finish())
}

/// Ends in order are not checked here: what reads the rows does so.
fn check_ends(edges: &Edges, source: i64, target: i64) -> Result<(), String> {
    if (0..edges.sources).contains(&source) && (0..edges.targets).contains(&target) {
        return Ok(());
    }
    Err(format!(
        "there is an edge {source} -> {target} among {} and {} nodes",
        edges.sources, edges.targets
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(numbers: &[i64]) -> Array {
        Array::of_i64(numbers).unwrap()
    }

    fn edges(format: Format, first: &[i64], second: &[i64], ids: Option<&[i64]>) -> Edges {
        Edges {
            format,
            sources: 4,
            targets: 4,
            first: array(first),
            second: array(second),
            ids: ids.map(array),
        }
    }

    fn all(order: &InOrder) -> Vec<(i64, i64)> {
        let (mut sources, mut targets) = (Vec::new(), Vec::new());
        order
            .copy(0, order.count, &mut sources, &mut targets)
            .unwrap();
        sources.into_iter().zip(targets).collect()
    }

    const EXPECTED: [(i64, i64); 3] = [(3, 1), (0, 0), (2, 1)];

    #[test]
    fn all_formats_give_the_order_of_ids() {
        for edges in [
            edges(Format::Coo, &[3, 0, 2], &[1, 0, 1], None),
            edges(Format::Coo, &[0, 2, 3], &[0, 1, 1], Some(&[1, 2, 0])),
            edges(Format::Csr, &[0, 1, 1, 2, 3], &[0, 1, 1], Some(&[1, 2, 0])),
            edges(Format::Csc, &[0, 1, 3, 3, 3], &[0, 3, 2], Some(&[1, 0, 2])),
        ] {
            let order = InOrder::new(&edges, &Wanted::All, 3).unwrap();
            assert_eq!(all(&order), EXPECTED, "{:?}", edges.format);
        }
    }

    fn in_range(
        edges: &Edges,
        ids: &[i64],
        inner: &[i64],
        range: [i64; 3],
        count: i64,
    ) -> Result<InOrder, String> {
        let (ids, inner) = (array(ids), array(inner));
        let [begin, end, likely] = range;
        let wanted = Wanted::Range {
            ids: Numbers::of(&ids),
            inner: Some(Numbers::of(&inner)),
            begin,
            end,
            likely,
        };
        InOrder::new(edges, &wanted, count)
    }

    #[test]
    fn a_part_has_only_inner_edges_of_its_range() {
        let coo = edges(Format::Coo, &[1, 3, 0, 2], &[2, 1, 0, 1], None);
        for (ids, inner, likely) in [
            ([9, 5, 6, 7], [1, 1, 1, 1], 1),
            ([9, 5, 6, 7], [1, 1, 1, 1], 0),
            ([6, 5, 6, 7], [0, 1, 1, 1], 9),
        ] {
            let order = in_range(&coo, &ids, &inner, [5, 8, likely], 3).unwrap();
            assert_eq!(all(&order), EXPECTED);
        }
        let turned = edges(Format::Coo, &[2, 0, 3, 1], &[1, 0, 1, 2], None);
        let order = in_range(&turned, &[7, 6, 5, 1], &[1; 4], [5, 8, 0], 3).unwrap();
        assert_eq!(all(&order), EXPECTED);
    }

    #[test]
    fn edges_that_are_twice_or_missing_are_errors() {
        let coo = edges(Format::Coo, &[1, 3, 0], &[2, 1, 0], None);
        for (ids, end) in [(vec![5, 5, 6], 7), (vec![5, 8, 9], 7), (vec![5, 6], 8)] {
            assert!(in_range(&coo, &ids, &[1; 3], [5, end, 0], end - 5).is_err());
        }
        for count in [4, -1] {
            assert!(InOrder::new(&coo, &Wanted::All, count).is_err());
        }
        for bad in [
            edges(Format::Csr, &[0, 1, 0, 2, 2], &[0, 1], None),
            edges(Format::Csr, &[0, 1, 1, 2, 9], &[0, 1], None),
            edges(Format::Csr, &[1, 1, 1, 2, 2], &[0, 1], None),
            edges(Format::Csr, &[0, 1, 1, 2, 2], &[0, 4], None),
            edges(Format::Csc, &[0, 1, 1, 2, 2], &[0, -1], None),
            edges(Format::Coo, &[0, 1], &[0, 1], Some(&[0, 0])),
            edges(Format::Coo, &[0, 1], &[0, 1], Some(&[0, 2])),
            edges(Format::Coo, &[0, 1], &[0, 1], Some(&[0, -1])),
        ] {
            assert!(InOrder::new(&bad, &Wanted::All, 2).is_err(), "{bad:?}");
        }
    }
}
