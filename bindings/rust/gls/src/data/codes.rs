//! Quantised columns: rows of codes of a few bits.

use gls_sys as sys;

use crate::data::builder::DatasetBuilder;
use crate::data::dataset::Role;
use crate::memory::tensor::{give, IntoTensor, Tensor};
use crate::runtime::error::{make, Result};
use crate::runtime::names::{c_string, Name};

/// How the rows of a quantised column are packed, and what its codes stand for.
///
/// Codes are packed from the highest bits of each byte down. The remaining bits of the last byte of
/// a row are not read.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantization {
    bits: u32,
    width: i64,
    codebook: Vec<f32>,
    range: (f64, f64),
}

impl Quantization {
    /// Code c stands for `low + c / (2^bits - 1) * (high - low)`; `width` numbers in a row.
    pub fn even(bits: u32, width: usize, low: f64, high: f64) -> Self {
        Self {
            bits,
            width: i64::try_from(width).unwrap_or(i64::MAX),
            codebook: Vec::new(),
            range: (low, high),
        }
    }

    /// Code c stands for `codebook[c]`, of 2^bits; `width` numbers in a row.
    pub fn codebook(bits: u32, width: usize, codebook: impl Into<Vec<f32>>) -> Self {
        Self {
            codebook: codebook.into(),
            ..Self::even(bits, width, 0.0, 0.0)
        }
    }

    fn view(&self) -> sys::gls_quantization_options_t {
        sys::gls_quantization_options_t {
            bits: self.bits,
            width: self.width,
            codebook: if self.codebook.is_empty() {
                std::ptr::null()
            } else {
                self.codebook.as_ptr()
            },
            num_codebook: self.codebook.len(),
            low: self.range.0,
            high: self.range.1,
            ..Default::default()
        }
    }

    /// Packs numbers `[rows, width]` as codes of even steps: each becomes the nearest, of two the even
    /// one; those beyond become the first or the last.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for bits other than 1, 2, 4 and 8,
    /// another shape, or a NaN.
    pub fn quantize(numbers: impl IntoTensor, bits: u32, low: f64, high: f64) -> Result<Tensor> {
        let numbers = numbers.into_tensor()?;
        let options = Self::even(bits, 0, low, high).view();
        // SAFETY: a live tensor, options that live for the call.
        unsafe {
            let view = numbers.describe();
            let raw = make(|out, error| sys::gls_quantize(view, &options, out, error))?;
            Ok(Tensor::from_raw(raw))
        }
    }
}

impl DatasetBuilder {
    /// Adds a quantised column of a node type: `u8` `[nodes, ceil(width * bits / 8)]`, row i is node i.
    /// To all others it is float32 `[nodes, width]`.
    ///
    /// # Errors
    /// As [`add_node_column`](Self::add_node_column);
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) also for what does not fit.
    pub fn add_node_codes<'t>(
        &mut self,
        node_type: impl Into<Option<&'t str>>,
        name: &str,
        codes: impl IntoTensor,
        quantization: &Quantization,
        role: Role,
    ) -> Result<&mut Self> {
        let of = Name::new("type", node_type.into())?;
        let name = c_string("name", name)?;
        let how = quantization.view();
        // SAFETY: a live handle, terminated strings or NULL, a live tensor, live options.
        give([codes.into_tensor()?], |[codes], error| unsafe {
            let (of, name) = (of.as_ptr(), name.as_ptr());
            sys::gls_builder_add_node_codes(self.raw(), of, name, role as i32, codes, &how, error)
        })?;
        Ok(self)
    }

    /// Adds a quantised column of an edge type: row e belongs to edge e. Otherwise as for nodes.
    ///
    /// # Errors
    /// As [`add_node_codes`](Self::add_node_codes).
    pub fn add_edge_codes<'t>(
        &mut self,
        edge_type: impl Into<Option<&'t str>>,
        name: &str,
        codes: impl IntoTensor,
        quantization: &Quantization,
        role: Role,
    ) -> Result<&mut Self> {
        let of = Name::new("type", edge_type.into())?;
        let name = c_string("name", name)?;
        let how = quantization.view();
        // SAFETY: as above.
        give([codes.into_tensor()?], |[codes], error| unsafe {
            let (of, name) = (of.as_ptr(), name.as_ptr());
            sys::gls_builder_add_edge_codes(self.raw(), of, name, role as i32, codes, &how, error)
        })?;
        Ok(self)
    }
}
