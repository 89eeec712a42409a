//! Tensors of candle, by copying.

use candle_core::{Device, Tensor as CandleTensor};
use gls_sys as sys;

use crate::memory::dtype::DType;
use crate::memory::view::TensorView;
use crate::runtime::error::{Error, Result};

impl TensorView<'_> {
    /// A copy of these elements as a tensor of candle. Its CPU storage is a `Vec` for each type of
    /// elements. A `Vec` frees its memory by Rust's allocator, so it cannot hold memory of the
    /// library. int32 becomes int64, which candle indexes with, and bool becomes uint8.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for types of elements that candle does not have, and what candle
    /// refuses.
    pub fn to_candle(&self, device: &Device) -> Result<CandleTensor> {
        let shape = self.shape();
        let made = match self.dtype() {
            DType::U8 | DType::Bool => CandleTensor::from_vec(self.to_vec::<u8>()?, shape, device),
            DType::U32 => CandleTensor::from_vec(self.to_vec::<u32>()?, shape, device),
            DType::I32 => {
                let wide = self
                    .to_vec::<i32>()?
                    .into_iter()
                    .map(i64::from)
                    .collect::<Vec<_>>();
                CandleTensor::from_vec(wide, shape, device)
            }
            DType::I64 => CandleTensor::from_vec(self.to_vec::<i64>()?, shape, device),
            DType::F32 => CandleTensor::from_vec(self.to_vec::<f32>()?, shape, device),
            DType::F64 => CandleTensor::from_vec(self.to_vec::<f64>()?, shape, device),
            DType::F16 => self.half(candle_core::DType::F16, device),
            DType::BF16 => self.half(candle_core::DType::BF16, device),
            other => {
                let message = format!("dtype: no tensor of candle is made of {other}");
                return Err(Error::here(sys::GLS_ERR_UNSUPPORTED, "dtype", message));
            }
        };
        made.map_err(refused)
    }

    fn half(
        &self,
        dtype: candle_core::DType,
        device: &Device,
    ) -> candle_core::Result<CandleTensor> {
        let bits = self.to_vec::<u16>().map_err(candle_core::Error::wrap)?;
        let bytes: Vec<u8> = bits.iter().flat_map(|bits| bits.to_ne_bytes()).collect();
        CandleTensor::from_raw_buffer(&bytes, dtype, &self.shape(), device)
    }
}

fn refused(source: candle_core::Error) -> Error {
    Error::caused(sys::GLS_ERR_UNSUPPORTED, "candle", source)
}
