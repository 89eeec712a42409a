//! Files of numbers: arrays on mapped memory.

pub mod bytes;
mod convert;
pub mod dgl;
pub mod dgl_graphs;
pub mod disk;
pub mod dtype;
pub mod npy;
pub mod npz;
mod open;
pub mod parquet;
pub mod pickle;
mod room;
pub mod rows;
pub mod text;
pub mod torch;

use std::ops::Range;

pub use bytes::Bytes;
pub use convert::repeated;
pub use dtype::DType;
pub use open::{kind_of, open, Kind};

use crate::failure::Failure;
use bytes::Scratch;

/// More dimensions are a damaged file.
const MOST_DIMENSIONS: usize = 32;

/// Numbers of one type with a shape, on memory that several arrays may share. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Array {
    pub dtype: DType,
    pub shape: Vec<i64>,
    /// Bytes from an index to the next, for each dimension.
    strides: Vec<usize>,
    bytes: Bytes,
}

impl Array {
    /// An array in C order. The bytes may be more than it needs.
    pub fn new(dtype: DType, shape: Vec<i64>, bytes: Bytes) -> Result<Self, String> {
        let strides = strides_in_c_order(dtype, &shape)?;
        Self::with_strides(dtype, shape, strides, bytes)
    }

    /// An array in Fortran's order.
    pub fn new_fortran(dtype: DType, mut shape: Vec<i64>, bytes: Bytes) -> Result<Self, String> {
        shape.reverse();
        let mut strides = strides_in_c_order(dtype, &shape)?;
        shape.reverse();
        strides.reverse();
        Self::with_strides(dtype, shape, strides, bytes)
    }

    /// An array whose elements lie `strides` bytes apart. Elements may not share memory, so a small
    /// file cannot stand for a large array.
    pub fn with_strides(
        dtype: DType,
        shape: Vec<i64>,
        strides: Vec<usize>,
        bytes: Bytes,
    ) -> Result<Self, String> {
        if shape.len() != strides.len() || shape.len() > MOST_DIMENSIONS {
            return Err(format!("{} dimensions", shape.len()));
        }
        let mut end = dtype.size();
        for (&extent, &stride) in shape.iter().zip(&strides) {
            let extent = usize::try_from(extent).map_err(|_| format!("the shape is {shape:?}"))?;
            let last = extent
                .saturating_sub(1)
                .checked_mul(stride)
                .ok_or("the shape is too large")?;
            end = end.checked_add(last).ok_or("the shape is too large")?;
        }
        // Products of some extents are in range even where another is 0.
        strides_in_c_order(dtype, &shape)?;
        let needed = bytes_of(dtype, &shape)?;
        if needed > 0 && (end > bytes.len() || needed > bytes.len()) {
            return Err(format!(
                "{dtype} {shape:?} needs {} bytes, and there are {}",
                end.max(needed),
                bytes.len()
            ));
        }
        Ok(Array {
            dtype,
            shape,
            strides,
            bytes,
        })
    }

    /// A new array in one dimension.
    pub fn of_i64(numbers: &[i64]) -> Result<Self, Failure> {
        let mut scratch = Scratch::new(size_of_val(numbers))?;
        for (to, number) in scratch.bytes_mut().chunks_exact_mut(8).zip(numbers) {
            to.copy_from_slice(&number.to_ne_bytes());
        }
        Self::new(DType::I64, vec![numbers.len() as i64], scratch.finish())
            .map_err(Failure::invalid)
    }

    /// Rows, or 1 for a number without dimensions.
    pub fn rows(&self) -> i64 {
        self.shape.first().copied().unwrap_or(1)
    }

    /// Of elements.
    pub fn count(&self) -> i64 {
        self.shape.iter().product()
    }

    /// Bytes of a row that has no gaps.
    pub fn row_bytes(&self) -> usize {
        let of_row: i64 = self.shape.iter().skip(1).product();
        self.dtype.size() * of_row as usize
    }

    /// Whether rows follow each other without gaps.
    pub fn is_contiguous(&self) -> bool {
        self.count() == 0
            || strides_in_c_order(self.dtype, &self.shape)
                .is_ok_and(|strides| self.same_strides(&strides))
    }

    /// Strides of dimensions with one index have no meaning.
    fn same_strides(&self, strides: &[usize]) -> bool {
        let mut pairs = self.shape.iter().zip(self.strides.iter().zip(strides));
        pairs.all(|(&extent, (mine, other))| extent <= 1 || mine == other)
    }

    /// The elements' bytes; the array is contiguous.
    pub fn bytes(&self) -> &[u8] {
        debug_assert!(self.is_contiguous());
        let size = self.row_bytes()
            * if self.shape.is_empty() {
                1
            } else {
                self.rows() as usize
            };
        &self.bytes.as_slice()[..size]
    }

    /// The memory that the array lies on.
    pub fn memory(&self) -> &Bytes {
        &self.bytes
    }

    /// Index `index` of the first dimension.
    pub fn row(&self, index: i64) -> Result<Self, String> {
        self.at(0, index)
    }

    /// Index `index` of the second dimension.
    pub fn column(&self, index: i64) -> Result<Self, String> {
        self.at(1, index)
    }

    fn at(&self, dimension: usize, index: i64) -> Result<Self, String> {
        let extent = self.shape.get(dimension).copied().unwrap_or(0);
        if index < 0 || index >= extent {
            return Err(format!(
                "there is no index {index} in dimension {dimension} of {:?}",
                self.shape
            ));
        }
        let mut out = self.clone();
        out.shape.remove(dimension);
        let stride = out.strides.remove(dimension);
        if out.count() > 0 {
            out.bytes = out.bytes.after(stride * index as usize);
        }
        Ok(out)
    }

    /// The rows in a range.
    pub fn slice(&self, range: Range<i64>) -> Result<Self, String> {
        if self.shape.is_empty()
            || range.start < 0
            || range.end > self.shape[0]
            || range.start > range.end
        {
            return Err(format!("there are no rows {range:?} in {:?}", self.shape));
        }
        let mut out = self.clone();
        out.shape[0] = range.end - range.start;
        if out.count() > 0 {
            out.bytes = out.bytes.after(self.strides[0] * range.start as usize);
        }
        Ok(out)
    }

    /// The same numbers with another shape.
    pub fn reshaped(self, shape: Vec<i64>) -> Result<Self, Failure> {
        let array = if self.is_contiguous() {
            self
        } else {
            self.into_aligned()?
        };
        let (dtype, count) = (array.dtype, array.count());
        let made = Self::new(dtype, shape, array.bytes).map_err(Failure::invalid)?;
        if made.count() != count {
            return Err(Failure::invalid(format!(
                "{count} elements cannot be {:?}",
                made.shape
            )));
        }
        Ok(made)
    }

    /// Contiguous, with aligned elements: copied only if it must be.
    pub fn into_aligned(self) -> Result<Self, Failure> {
        let aligned = self.bytes.as_slice().as_ptr() as usize % self.dtype.size() == 0;
        if self.is_contiguous() && (aligned || self.count() == 0) {
            return Ok(self);
        }
        let row = self.row_bytes();
        let mut scratch =
            Scratch::new(bytes_of(self.dtype, &self.shape).map_err(Failure::invalid)?)?;
        if self.shape.is_empty() || self.is_contiguous() {
            let from = self.bytes();
            scratch.bytes_mut()[..from.len()].copy_from_slice(from);
        } else {
            for (i, to) in scratch.bytes_mut().chunks_exact_mut(row.max(1)).enumerate() {
                self.copy_row(i as i64, to);
            }
        }
        Self::new(self.dtype, self.shape, scratch.finish()).map_err(Failure::invalid)
    }

    /// Writes the elements of a row, without gaps.
    pub fn copy_row(&self, row: i64, to: &mut [u8]) {
        let from = self.strides[0] * row as usize;
        if self.has_whole_rows() {
            to.copy_from_slice(&self.bytes.as_slice()[from..from + to.len()]);
        } else {
            self.copy_from(1, from, to);
        }
    }

    /// Whether each row has no gaps.
    fn has_whole_rows(&self) -> bool {
        let mut size = self.dtype.size();
        self.shape[1..]
            .iter()
            .zip(&self.strides[1..])
            .rev()
            .all(|(&extent, &stride)| {
                let fits = extent <= 1 || stride == size;
                size = size.saturating_mul(extent as usize);
                fits
            })
    }

    fn copy_from(&self, dimension: usize, from: usize, to: &mut [u8]) {
        if dimension == self.shape.len() {
            let size = self.dtype.size();
            to.copy_from_slice(&self.bytes.as_slice()[from..from + size]);
            return;
        }
        let part = to.len() / (self.shape[dimension].max(1) as usize);
        for (i, to) in to.chunks_exact_mut(part.max(1)).enumerate() {
            self.copy_from(dimension + 1, from + i * self.strides[dimension], to);
        }
    }

    /// Calls `each` with all elements of an array of integers or bools, in C order.
    pub fn for_each_i64(&self, mut each: impl FnMut(i64)) -> Result<(), Failure> {
        let array = self.clone().into_aligned()?;
        let size = array.dtype.size();
        for element in array.bytes().chunks_exact(size) {
            each(array.dtype.i64_of(element).ok_or_else(|| {
                Failure::invalid(format!("expected integers, found {}", array.dtype))
            })?);
        }
        Ok(())
    }

    /// All elements of an array of integers or bools.
    pub fn to_i64s(&self) -> Result<Vec<i64>, Failure> {
        let mut out = Vec::new();
        self.for_each_i64(|number| out.push(number))?;
        Ok(out)
    }
}

fn bytes_of(dtype: DType, shape: &[i64]) -> Result<usize, String> {
    shape.iter().try_fold(dtype.size(), |size, &extent| {
        usize::try_from(extent)
            .ok()
            .and_then(|extent| size.checked_mul(extent))
            .filter(|&size| size <= isize::MAX as usize)
            .ok_or_else(|| format!("the shape is {shape:?}"))
    })
}

fn strides_in_c_order(dtype: DType, shape: &[i64]) -> Result<Vec<usize>, String> {
    let mut strides = vec![0; shape.len()];
    let mut size = dtype.size();
    for (stride, &extent) in strides.iter_mut().zip(shape).rev() {
        *stride = size;
        size = usize::try_from(extent)
            .ok()
            .and_then(|extent| size.checked_mul(extent.max(1)))
            .filter(|&size| size <= isize::MAX as usize)
            .ok_or_else(|| format!("the shape is {shape:?}"))?;
    }
    Ok(strides)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(shape: &[i64]) -> Array {
        let count: i64 = shape.iter().product();
        let all: Vec<i64> = (0..count).collect();
        Array::of_i64(&all)
            .unwrap()
            .reshaped(shape.to_vec())
            .unwrap()
    }

    #[test]
    fn rows_and_columns_are_views() {
        let matrix = numbers(&[3, 4]);
        assert_eq!(matrix.row(2).unwrap().to_i64s().unwrap(), [8, 9, 10, 11]);
        assert_eq!(matrix.column(1).unwrap().to_i64s().unwrap(), [1, 5, 9]);
        assert_eq!(
            matrix
                .slice(1..3)
                .unwrap()
                .row(0)
                .unwrap()
                .to_i64s()
                .unwrap(),
            [4, 5, 6, 7]
        );
        assert!(matrix.row(3).is_err() && matrix.column(4).is_err() && matrix.slice(2..4).is_err());
    }

    #[test]
    fn fortran_order_is_turned() {
        let flat = numbers(&[6]);
        let turned = Array::new_fortran(DType::I64, vec![2, 3], flat.bytes.clone()).unwrap();
        assert_eq!(turned.to_i64s().unwrap(), [0, 2, 4, 1, 3, 5]);
        assert_eq!(turned.row(1).unwrap().to_i64s().unwrap(), [1, 3, 5]);
    }

    #[test]
    fn elements_that_are_not_aligned_are_copied() {
        let mut raw = vec![7_u8];
        raw.extend(5_i64.to_ne_bytes());
        raw.extend((-6_i64).to_ne_bytes());
        let bytes = Bytes::of_vec(raw).after(1);
        let array = Array::new(DType::I64, vec![2], bytes).unwrap();
        assert_eq!(array.to_i64s().unwrap(), [5, -6]);
    }

    #[test]
    fn shapes_that_the_bytes_do_not_have_are_errors() {
        let bytes = numbers(&[6]).bytes;
        for shape in [vec![7], vec![-1], vec![i64::MAX, i64::MAX], vec![0; 40]] {
            assert!(Array::new(DType::I64, shape, bytes.clone()).is_err());
        }
        let empty = vec![0, 1 << 40, 1 << 40];
        assert!(Array::with_strides(DType::I64, empty, vec![8; 3], bytes.clone()).is_err());
        let shared = Array::with_strides(DType::I64, vec![1000], vec![0], bytes.clone());
        assert!(shared.is_err());
        assert_eq!(
            Array::new(DType::I64, vec![0, 9], bytes).unwrap().count(),
            0
        );
    }
}
