//! Which part each node and edge belongs to, and the ids that DGL gives them: within a part, type after
//! type; within a type, part after part.

use crate::arrays::bytes::Scratch;
use crate::arrays::{Array, DType};
use crate::failure::{Code, Failure};

const SIZE: usize = size_of::<i64>();

/// The rows of a type, ordered by their parts.
pub struct Order {
    /// The type's first new id in each part; at last the number of all.
    pub first: Vec<i64>,
    /// New ids by the old ones, and old ones by the new; None: they are the same.
    moved: Option<[Array; 2]>,
}

impl Order {
    /// Ranges of about the same size.
    pub fn ranges(count: i64, parts: usize) -> Self {
        let begin = |part: usize| (i128::from(count) * part as i128 / parts as i128) as i64;
        Order {
            first: (0..=parts).map(begin).collect(),
            moved: None,
        }
    }

    /// By the part of each row, which `part_of` gives twice.
    pub fn by_part(
        count: i64,
        parts: usize,
        part_of: impl Fn(i64) -> Result<usize, Failure>,
    ) -> Result<Self, Failure> {
        let mut first = vec![0; parts + 1];
        let (mut last, mut in_order) = (0, true);
        for row in 0..count {
            let part = part_of(row)?;
            first[part + 1] += 1;
            in_order &= last <= part;
            last = part;
        }
        for part in 0..parts {
            first[part + 1] += first[part];
        }
        if in_order {
            return Ok(Order { first, moved: None });
        }
        let size = count as usize * SIZE;
        let (mut new_of, mut old_of) = (Scratch::new(size)?, Scratch::new(size)?);
        let mut next = first.clone();
        for row in 0..count {
            let new = &mut next[part_of(row)?];
            put(&mut new_of, row, *new);
            put(&mut old_of, *new, row);
            *new += 1;
        }
        let made = |scratch: Scratch| {
            let array = Array::new(DType::I64, vec![count], scratch.finish());
            array.map_err(|what| Failure::new(Code::Corrupt, what))
        };
        Ok(Order {
            first,
            moved: Some([made(new_of)?, made(old_of)?]),
        })
    }

    pub fn is_moved(&self) -> bool {
        self.moved.is_some()
    }

    pub fn new_of(&self, old: i64) -> i64 {
        self.moved.as_ref().map_or(old, |moved| at(&moved[0], old))
    }

    pub fn old_of(&self, new: i64) -> i64 {
        self.moved.as_ref().map_or(new, |moved| at(&moved[1], new))
    }

    pub fn part_of_new(&self, new: i64) -> usize {
        self.first.partition_point(|&first| first <= new) - 1
    }

    /// The new ids of a part.
    pub fn of_part(&self, part: usize) -> std::ops::Range<i64> {
        self.first[part]..self.first[part + 1]
    }
}

fn put(scratch: &mut Scratch, place: i64, number: i64) {
    let begin = place as usize * SIZE;
    scratch.bytes_mut()[begin..begin + SIZE].copy_from_slice(&number.to_ne_bytes());
}

/// A number of a contiguous array of int64.
pub fn at(array: &Array, place: i64) -> i64 {
    let begin = place as usize * SIZE;
    let bytes = &array.bytes()[begin..begin + SIZE];
    DType::I64.i64_of(bytes).unwrap_or(-1)
}

/// The ids that all types share.
pub struct Shared {
    /// By part, then by type: the first id. The last entry is the number of all.
    first: Vec<i64>,
    types: usize,
}

impl Shared {
    pub fn of(orders: &[Order], parts: usize) -> Self {
        let mut first = vec![0];
        let mut next = 0;
        for part in 0..parts {
            for order in orders {
                next += order.first[part + 1] - order.first[part];
                first.push(next);
            }
        }
        Shared {
            first,
            types: orders.len(),
        }
    }

    pub fn count(&self) -> i64 {
        self.first[self.first.len() - 1]
    }

    /// Of a type in a part.
    pub fn range(&self, part: usize, kind: usize) -> [i64; 2] {
        let place = part * self.types + kind;
        [self.first[place], self.first[place + 1]]
    }

    /// Of all types in a part.
    pub fn of_part(&self, part: usize) -> std::ops::Range<i64> {
        self.first[part * self.types]..self.first[(part + 1) * self.types]
    }

    /// The part and type of an id.
    pub fn place_of(&self, shared: i64) -> (usize, usize) {
        let place = self.first.partition_point(|&first| first <= shared) - 1;
        (place / self.types, place % self.types)
    }

    /// The shared id for a type's new id.
    pub fn of_new(&self, order: &Order, kind: usize, new: i64) -> i64 {
        let part = order.part_of_new(new);
        self.range(part, kind)[0] + new - order.first[part]
    }
}

/// A set of shared ids, in ascending order.
pub struct Halo {
    bits: Vec<u64>,
    /// Members before each word.
    before: Vec<i64>,
}

impl Halo {
    pub fn new(count: i64) -> Self {
        Halo {
            bits: vec![0; (count as usize).div_ceil(64)],
            before: Vec::new(),
        }
    }

    pub fn add(&mut self, id: i64) {
        self.bits[id as usize / 64] |= 1 << (id % 64);
    }

    /// After this, members have places.
    pub fn close(&mut self) {
        let mut count = 0;
        for word in &self.bits {
            self.before.push(count);
            count += i64::from(word.count_ones());
        }
        self.before.push(count);
    }

    pub fn count(&self) -> i64 {
        self.before[self.bits.len()]
    }

    pub fn place(&self, id: i64) -> i64 {
        let below = self.bits[id as usize / 64] & ((1 << (id % 64)) - 1);
        self.before[id as usize / 64] + i64::from(below.count_ones())
    }

    pub fn ids(&self) -> impl Iterator<Item = i64> + '_ {
        self.bits.iter().enumerate().flat_map(|(at, &word)| {
            let members = (0..64).filter(move |bit| word >> bit & 1 != 0);
            members.map(move |bit| at as i64 * 64 + bit)
        })
    }
}
