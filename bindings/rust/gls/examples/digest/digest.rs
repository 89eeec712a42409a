//! A digest of batches that does not depend on the language that computes it.
//!
//! FNV-1a with 64 bits (offset 14695981039346656037, prime 1099511628211) over bytes. Integers are
//! fed as 8 bytes, little-endian; texts as their UTF-8 and a zero byte. Of a batch:
//!
//! 1. its epoch, and its number;
//! 2. for each of its arrays, in ascending order of (number of the array, `GLS_BATCH_*`; type;
//!    column, empty for other arrays), names compared by bytes:
//!    1. the number of the array; the type; the column (empty for other arrays);
//!    2. DLPack's type code; its bits; the number of dimensions; each extent;
//!    3. the elements in row-major order, little-endian, without padding.
//!
//! The digest of several batches is that of all their bytes, one batch after the other.

use gls::{Batch, BatchArray, DType, Result, TensorView};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest(pub u64);

impl Default for Digest {
    fn default() -> Self {
        Self(14695981039346656037)
    }
}

impl Digest {
    pub fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(1099511628211);
        }
    }

    pub fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.bytes(&[0]);
    }

    pub fn batch(&mut self, batch: &Batch) -> Result<()> {
        let info = batch.info()?;
        self.number(info.epoch);
        self.number(info.batch);
        let mut arrays: Vec<(BatchArray, &str, Option<&str>)> = batch
            .arrays()?
            .iter()
            .map(|info| (info.array, info.type_name, info.column))
            .collect();
        arrays.sort(); // None comes before every name, as the empty text does
        for (array, type_name, column) in arrays {
            self.number(array as u64);
            self.text(type_name);
            self.text(column.unwrap_or(""));
            self.view(&batch.view(array, type_name, column)?)?;
        }
        Ok(())
    }

    fn view(&mut self, view: &TensorView<'_>) -> Result<()> {
        let (code, bits) = view.dtype().code_and_bits();
        self.number(code.into());
        self.number(bits.into());
        self.number(view.ndim() as u64);
        for extent in view.shape() {
            self.number(extent as u64);
        }
        macro_rules! elements {
            ($type:ty) => {
                for x in view.to_vec::<$type>()? {
                    self.bytes(&x.to_le_bytes());
                }
            };
        }
        match view.dtype() {
            DType::I8 => elements!(i8),
            DType::I16 => elements!(i16),
            DType::I32 => elements!(i32),
            DType::I64 => elements!(i64),
            DType::U8 | DType::Bool => elements!(u8),
            DType::U16 | DType::F16 | DType::BF16 => elements!(u16),
            DType::U32 => elements!(u32),
            DType::U64 => elements!(u64),
            DType::F32 => elements!(f32),
            DType::F64 => elements!(f64),
            other => panic!("no digest of elements of {other}"),
        }
        Ok(())
    }
}
