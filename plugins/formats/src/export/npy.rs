//! NumPy's `.npy`.

use std::path::Path;

use super::out::Out;
use super::progress::Progress;
use super::rows::Rows;
use crate::arrays::npy::MAGIC;
use crate::arrays::DType;
use crate::failure::{Code, Failure};

/// Elements begin at a multiple of this.
const ALIGNMENT: usize = 64;
/// The magic, the version and the header's size.
const BEFORE_HEADER: usize = 10;

/// Writes the header; the elements follow.
pub fn begin(path: &Path, dtype: DType, shape: &[i64]) -> Result<Out, Failure> {
    let code = dtype.numpy().ok_or_else(|| {
        let words = format!("{}: NumPy has no {dtype}", path.display());
        Failure::new(Code::Unsupported, words)
    })?;
    let order = if dtype.size() == 1 { '|' } else { '<' };
    let shape: String = shape.iter().map(|extent| format!("{extent}, ")).collect();
    let mut header =
        format!("{{'descr': '{order}{code}', 'fortran_order': False, 'shape': ({shape}), }}");
    let end = (BEFORE_HEADER + header.len() + 1).next_multiple_of(ALIGNMENT);
    header += &" ".repeat(end - BEFORE_HEADER - header.len() - 1);
    header.push('\n');
    let mut out = Out::create(path)?;
    out.put(MAGIC)?;
    out.put(&[1, 0])?;
    out.put(&(header.len() as u16).to_le_bytes())?;
    out.put(header.as_bytes())?;
    Ok(out)
}

pub fn write(path: &Path, rows: &Rows, progress: &mut Progress<'_>) -> Result<(), Failure> {
    let mut out = begin(path, rows.dtype, &rows.shape)?;
    rows.write(&mut out, progress)?;
    out.finish()
}
