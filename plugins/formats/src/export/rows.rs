//! The rows of a column, in pieces. Codes become their numbers.

use super::graph::Graph;
use super::out::Put;
use super::progress::Progress;
use crate::arrays::{Array, DType};
use crate::boundary::dataset::{Codebook, ColumnInfo, Which};
use crate::failure::{Code, Failure};

/// Bytes that are copied or written at once.
const PIECE: usize = 4 << 20;

pub struct Rows {
    pub dtype: DType,
    pub shape: Vec<i64>,
    array: Array,
    codes: Option<Codebook>,
}

impl Rows {
    pub fn of_array(array: Array) -> Self {
        Rows {
            dtype: array.dtype,
            shape: array.shape.clone(),
            array,
            codes: None,
        }
    }

    /// A column as numbers.
    pub fn of_column(
        graph: &Graph<'_>,
        which: Which,
        of_type: &str,
        column: &ColumnInfo,
    ) -> Result<Self, Failure> {
        let array = graph.dataset.array(which, of_type, &column.name)?;
        let wanted = match &column.codes {
            None => (column.dtype, column.shape.clone()),
            Some(codes) => {
                let bits = column.shape[1..].iter().product::<i64>() * i64::from(codes.bits);
                (DType::U8, vec![column.shape[0], (bits + 7) / 8])
            }
        };
        if (array.dtype, &array.shape) != (wanted.0, &wanted.1) {
            return Err(Failure::new(
                Code::Corrupt,
                format!(
                    "{of_type}.{}: {} {:?}, expected {} {:?}",
                    column.name, array.dtype, array.shape, wanted.0, wanted.1
                ),
            ));
        }
        Ok(Rows {
            dtype: column.dtype,
            shape: column.shape.clone(),
            array,
            codes: column.codes.clone(),
        })
    }

    pub fn count(&self) -> i64 {
        self.shape[0]
    }

    pub fn row_bytes(&self) -> usize {
        row_bytes(self.dtype, &self.shape)
    }

    /// Writes all rows.
    pub fn write(&self, out: &mut dyn Put, progress: &mut Progress<'_>) -> Result<(), Failure> {
        if self.codes.is_none() && self.array.is_contiguous() {
            for piece in self.array.bytes().chunks(PIECE) {
                out.put(piece)?;
                progress.add(piece.len() as u64)?;
            }
            return Ok(());
        }
        self.write_some(0..self.count(), out, progress)
    }

    /// Writes the rows with these numbers, which must be there.
    pub fn write_some(
        &self,
        rows: impl Iterator<Item = i64>,
        out: &mut dyn Put,
        progress: &mut Progress<'_>,
    ) -> Result<(), Failure> {
        let size = self.row_bytes();
        if size == 0 {
            return Ok(());
        }
        let mut piece = vec![0; (PIECE / size).max(1) * size];
        let mut packed = vec![0; self.array.row_bytes()];
        let mut filled = 0;
        for row in rows {
            self.copy(row, &mut packed, &mut piece[filled..filled + size]);
            filled += size;
            if filled == piece.len() {
                out.put(&piece)?;
                progress.add(filled as u64)?;
                filled = 0;
            }
        }
        out.put(&piece[..filled])?;
        progress.add(filled as u64)
    }

    /// `packed` has room for a row of codes.
    fn copy(&self, row: i64, packed: &mut [u8], to: &mut [u8]) {
        let Some(codes) = &self.codes else {
            self.array.copy_row(row, to);
            return;
        };
        self.array.copy_row(row, packed);
        let (bits, mask) = (codes.bits as usize, (1_usize << codes.bits) - 1);
        for (at, to) in to.chunks_exact_mut(size_of::<f32>()).enumerate() {
            // Codes fill each byte from its highest bits down.
            let begin = at * bits;
            let shift = 8 - bits - begin % 8;
            let code = usize::from(packed[begin / 8]) >> shift & mask;
            to.copy_from_slice(&codes.numbers[code].to_ne_bytes());
        }
    }
}

/// Of a row without gaps.
pub fn row_bytes(dtype: DType, shape: &[i64]) -> usize {
    dtype.size() * shape[1..].iter().product::<i64>() as usize
}
