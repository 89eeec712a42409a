//! The neighbours of some nodes, as a store answers.

use crate::runtime::error::{Error, Result};

/// The neighbours of some nodes, those of the first node first. The same order makes the same batches.
///
/// ```
/// use gls::NeighborLists;
///
/// let mut lists = NeighborLists::new();
/// lists.push(&[4, 7]); // of the first node
/// lists.push(&[]);
/// assert_eq!(lists, NeighborLists::from_counts(vec![2, 0], vec![4, 7]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NeighborLists {
    counts: Vec<i64>,
    neighbors: Vec<i64>,
    edge_ids: Option<Vec<i64>>,
}

impl NeighborLists {
    /// Of no node.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of neighbours of each node, and all neighbours.
    pub fn from_counts(counts: Vec<i64>, neighbors: Vec<i64>) -> Self {
        Self {
            counts,
            neighbors,
            edge_ids: None,
        }
    }

    /// The edge ids of all neighbours, for a store that has them.
    pub fn with_edge_ids(mut self, edge_ids: Vec<i64>) -> Self {
        self.edge_ids = Some(edge_ids);
        self
    }

    /// Adds the neighbours of the next node.
    pub fn push(&mut self, neighbors: &[i64]) {
        self.counts.push(neighbors.len() as i64);
        self.neighbors.extend_from_slice(neighbors);
    }

    /// As [`NeighborLists::push`], with the ids of the same edges.
    pub fn push_with_edge_ids(&mut self, neighbors: &[i64], edge_ids: &[i64]) {
        self.push(neighbors);
        self.edge_ids
            .get_or_insert_with(Vec::new)
            .extend_from_slice(edge_ids);
    }

    pub(crate) fn counts(&self) -> &[i64] {
        &self.counts
    }

    pub(crate) fn neighbors(&self) -> &[i64] {
        &self.neighbors
    }

    pub(crate) fn edge_ids(&self) -> Option<&[i64]> {
        self.edge_ids.as_deref()
    }

    /// Whether the arrays are as long as the counts of so many nodes say.
    pub(crate) fn check(&self, nodes: usize) -> Result<()> {
        if self.counts.len() != nodes {
            let message = format!("{} numbers, expected {nodes}", self.counts.len());
            return Err(Error::invalid("counts", message));
        }
        let mut sum = 0i64;
        for &count in &self.counts {
            let added = sum.checked_add(count).filter(|_| count >= 0);
            sum = added.ok_or_else(|| Error::invalid("counts", format!("{count} is no count")))?;
        }
        for (name, array) in [
            ("neighbors", Some(&self.neighbors)),
            ("edge_ids", self.edge_ids.as_ref()),
        ] {
            if let Some(array) = array.filter(|array| array.len() as i64 != sum) {
                let message = format!("{} ids, expected {sum} by the counts", array.len());
                return Err(Error::invalid(name, message));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_as_long_as_the_counts_say() {
        let of = |counts: &[i64], neighbors: &[i64]| {
            NeighborLists::from_counts(counts.to_vec(), neighbors.to_vec())
        };
        assert!(of(&[2, 0], &[5, 6]).check(2).is_ok());
        assert!(of(&[], &[]).check(0).is_ok());
        let with_ids = of(&[1], &[5]).with_edge_ids(vec![9]);
        assert!(with_ids.check(1).is_ok());
        for (lists, argument) in [
            (of(&[2], &[5, 6]), "counts"),
            (of(&[3, -1], &[5, 6]), "counts"),
            (of(&[i64::MAX, 1], &[5, 6]), "counts"),
            (of(&[1, 2], &[5, 6]), "neighbors"),
            (of(&[1, 1], &[5, 6]).with_edge_ids(vec![9]), "edge_ids"),
        ] {
            let error = lists.check(2).unwrap_err();
            assert_eq!(error.detail("argument"), Some(argument), "{error}");
        }
    }

    #[test]
    fn lists_of_nodes_are_pushed() {
        let mut lists = NeighborLists::new();
        lists.push_with_edge_ids(&[5, 6], &[8, 9]);
        lists.push_with_edge_ids(&[], &[]);
        let expected = NeighborLists::from_counts(vec![2, 0], vec![5, 6]);
        assert_eq!(lists, expected.with_edge_ids(vec![8, 9]));
        lists.push(&[1]);
        assert!(lists.check(3).is_err());
    }
}
